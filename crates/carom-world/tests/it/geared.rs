//! Gears, racks and pulleys: ratios, accelerations, loads, energy, and what comes and goes.

use crate::jointed::{
    GRAVITY, coordinate_of, energy, insert_box, insert_post, is_near, run, speed_of, world_with,
};
use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_math::{Pose, Vec3};
use carom_world::{
    BodyDesc, BodyId, JointDesc, JointFault, JointId, JointKind, Motor, TorsionSpring, World, WorldError,
};

const HALF: Vec3 = Vec3::new(0.3, 0.2, 0.1);

/// The moment of inertia of a box of half extents [`HALF`] about its z axis.
fn inertia(mass: f32) -> f64 {
    f64::from(mass) / 3.0 * f64::from(HALF.x * HALF.x + HALF.y * HALF.y)
}

/// A box on a post at x, that turns about z or slides along x.
fn on_own_post(world: &mut World, x: f32, mass: f32, slides: bool) -> (BodyId, JointId) {
    let post = insert_post(world, Vec3::X * x);
    let body = insert_box(world, HALF, mass, Pose::from_translation(Vec3::X * x));
    let desc = if slides {
        JointDesc::prismatic(post, body).with_axis(Vec3::X)
    } else {
        JointDesc::revolute(post, body).with_axis(Vec3::Z)
    };
    (body, world.insert_joint(desc).unwrap())
}

struct Geared {
    world: World,
    bodies: [BodyId; 2],
    joints: [JointId; 2],
    gear: JointId,
}

/// Two wheels, or a rack and a pinion.
fn geared(masses: [f32; 2], ratio: f32, has_rack: bool) -> Geared {
    let mut world = world_with(0.0);
    let (one, joint_1) = on_own_post(&mut world, 0.0, masses[0], has_rack);
    let (other, joint_2) = on_own_post(&mut world, 2.0, masses[1], false);
    let desc = if has_rack {
        JointDesc::rack_and_pinion(joint_1, joint_2, ratio)
    } else {
        JointDesc::gear(joint_1, joint_2, ratio)
    };
    let gear = world.insert_joint(desc).unwrap();
    Geared { world, bodies: [one, other], joints: [joint_1, joint_2], gear }
}

/// A torque T on wheel 1 gives it the acceleration T / (I1 + I2 / r^2), for r from the law
/// `angle 1 + r angle 2 = 0`.
#[test]
fn wheels_accelerate_by_the_inertia_of_both() {
    for masses in [[2.0, 2.0], [300.0, 1.0], [1.0, 300.0]] {
        for ratio in [0.25, 1.0, -3.0] {
            let Geared { mut world, joints, gear, .. } = geared(masses, ratio, false);
            let [own, other] = masses.map(inertia);
            let all = own + other / f64::from(ratio * ratio);
            let motor = Motor::velocity(1000.0).with_max_force(2.0 * all as f32);
            world.joint_mut(joints[0]).unwrap().set_motor(motor).unwrap();
            run(&mut world, 3.0);
            let [speed, other_speed] = joints.map(|joint| speed_of(&world, joint));
            assert!(is_near(speed, 6.0, 0.01), "{masses:?}, {ratio}: {speed}");
            assert!(
                is_near(other_speed, -6.0 / f64::from(ratio), 0.01),
                "{masses:?}, {ratio}: {other_speed}"
            );
            // The torque on wheel 2 is I2 times its acceleration.
            let torque = f64::from(world.joint(gear).unwrap().torque().z);
            assert!(is_near(torque, -2.0 * other / f64::from(ratio), 0.02), "{masses:?}, {ratio}: {torque}");
        }
    }
}

/// The ratio of a gear whose wheels turn fast is changed: the wheels stay at their angles, also by
/// the part of a turn that they make in a substep.
#[test]
fn r_a_fast_gear_stays_at_its_angles() {
    let Geared { mut world, joints, gear, bodies } = geared([2.0, 2.0], 1.0, false);
    for (body, speed) in bodies.into_iter().zip([100.0, -100.0]) {
        world.body_mut(body).unwrap().set_angular_velocity(Vec3::Z * speed).unwrap();
    }
    run(&mut world, 0.5);
    let angles = |world: &World| joints.map(|joint| coordinate_of(world, joint));
    let off = |[one, other]: [f64; 2]| one + 2.0 * other;
    let before = off(angles(&world));
    world.joint_mut(gear).unwrap().set_ratio(2.0).unwrap();
    run(&mut world, 0.5);
    let moved = off(angles(&world)) - before;
    let turns = (moved / std::f64::consts::TAU).round();
    assert!((moved - turns * std::f64::consts::TAU).abs() < 0.05, "{moved}");
}

/// The wheels turn by more than half a turn in a substep, at 1500 and 3000 radians per second.
/// Then they are stopped, and the ratio is changed: they stay at their angles.
#[test]
fn r_a_gear_counts_turns_at_any_speed() {
    for (speed, counts_turns) in
        [100.0, 1500.0, 3000.0].into_iter().flat_map(|speed| [(speed, true), (speed, false)])
    {
        let Geared { mut world, joints, gear, bodies } = geared([2.0, 2.0], 1.0, false);
        let turn_at = |world: &mut World, speeds: [f32; 2]| {
            for (body, speed) in bodies.into_iter().zip(speeds) {
                world.body_mut(body).unwrap().set_angular_velocity(Vec3::Z * speed).unwrap();
            }
        };
        let counter = counts_turns.then_some(TorsionSpring::new(0.0, 0.0));
        for joint in joints {
            world.joint_mut(joint).unwrap().set_torsion_spring(counter).unwrap();
        }
        let angles = |world: &World| joints.map(|joint| coordinate_of(world, joint));
        turn_at(&mut world, [speed, -speed]);
        run(&mut world, 0.5);
        let turned = angles(&world);
        for (angle, due) in turned.into_iter().zip([0.5 * speed, -0.5 * speed]) {
            let error = (angle / f64::from(due) - 1.0).abs();
            assert!(!counts_turns || error < 0.01, "{speed}: {angle} for {due}");
        }
        turn_at(&mut world, [0.0; 2]);
        world.joint_mut(gear).unwrap().set_ratio(1.5).unwrap();
        run(&mut world, 0.5);
        for (angle, before) in angles(&world).into_iter().zip(turned) {
            assert!((angle - before).abs() < 0.05, "{speed}: {angle} after {before}");
        }
    }
}

/// A gear box that shifts: from then on the wheels turn by the new ratio. Nothing jumps.
#[test]
fn a_gear_keeps_its_position_when_its_ratio_changes() {
    let Geared { mut world, joints, gear, .. } = geared([2.0, 2.0], 2.0, false);
    world.joint_mut(joints[0]).unwrap().set_motor(Motor::velocity(1.0).with_max_force(1000.0)).unwrap();
    run(&mut world, 1.0);
    let angle = |world: &World, joint: JointId| world.joint(joint).unwrap().angle().unwrap();
    let before = joints.map(|joint| angle(&world, joint));
    world.joint_mut(gear).unwrap().set_ratio(-0.5).unwrap();
    run(&mut world, 0.2);
    let [turned, other_turned] = [0, 1].map(|k| angle(&world, joints[k]) - before[k]);
    assert!(is_near(turned, 0.2, 0.05), "{turned}");
    assert!(is_near(other_turned, 2.0 * turned, 0.02), "{other_turned} {turned}");
}

/// A ratio that a kind refuses changes nothing. The error names it.
#[test]
fn refused_ratios_change_nothing() {
    let Geared { mut world, joints, gear, .. } = geared([2.0, 2.0], 2.0, false);
    let [post, body] =
        [insert_post(&mut world, Vec3::Y * 9.0), insert_box(&mut world, HALF, 1.0, Pose::IDENTITY)];
    let supports = [Vec3::Y * 9.0, Vec3::new(1.0, 9.0, 0.0)];
    let pulley = world.insert_joint(JointDesc::pulley(post, body, supports, 1.0, 20.0)).unwrap();
    for (joint, bad) in [(gear, 0.0), (gear, f32::NAN), (pulley, -1.0), (pulley, f32::INFINITY)] {
        let before = world.joint(joint).unwrap().kind();
        let found = world.joint_mut(joint).unwrap().set_ratio(bad).map(|_| ());
        assert!(
            matches!(found, Err(WorldError::BadJoint(JointFault::BadValue { what: "ratio", .. }))),
            "{found:?}"
        );
        assert_eq!(world.joint(joint).unwrap().kind(), before);
    }
    let found = world.joint_mut(joints[0]).unwrap().set_ratio(1.0).map(|_| ());
    assert_eq!(found, Err(WorldError::BadJoint(JointFault::NotOfKind("ratio"))));
}

/// The rack moves by its ratio times the angle of the pinion. A torque T on the pinion turns it
/// with T / (I + m r^2).
#[test]
fn a_rack_moves_by_the_radius_of_its_pinion() {
    for masses in [[2.0, 2.0], [300.0, 1.0], [1.0, 300.0]] {
        for ratio in [0.2, -0.5] {
            let Geared { mut world, joints, .. } = geared(masses, ratio, true);
            let all = inertia(masses[1]) + f64::from(masses[0] * ratio * ratio);
            let motor = Motor::velocity(1000.0).with_max_force(2.0 * all as f32);
            world.joint_mut(joints[1]).unwrap().set_motor(motor).unwrap();
            run(&mut world, 3.0);
            let [along, spin] = joints.map(|joint| speed_of(&world, joint));
            assert!(is_near(spin, 6.0, 0.01), "{masses:?}, {ratio}: {spin}");
            assert!(is_near(along, 6.0 * f64::from(ratio), 0.01), "{masses:?}, {ratio}: {along}");
            let coordinate = coordinate_of(&world, joints[0]);
            assert!(is_near(coordinate, 9.0 * f64::from(ratio), 0.02), "{masses:?}, {ratio}: {coordinate}");
        }
    }
}

/// A limit of the heavier one stops both. The gear does not slip, and no energy appears.
#[test]
fn a_limit_hit_at_speed_stops_both_and_gives_no_energy() {
    for masses in [[1.0, 1.0], [300.0, 1.0], [1.0, 300.0]] {
        for has_rack in [false, true] {
            let ratio = if has_rack { 0.5 } else { 2.0 };
            let Geared { mut world, bodies, joints, .. } = geared(masses, ratio, has_rack);
            let heavier = usize::from(masses[0] < masses[1]);
            world.joint_mut(joints[heavier]).unwrap().set_limits([-1.0, 1.0]).unwrap();
            world
                .body_mut(bodies[1])
                .unwrap()
                .set_linear_velocity(Vec3::ZERO)
                .unwrap()
                .set_angular_velocity(Vec3::Z * 20.0)
                .unwrap();
            world.checked_step(DT).unwrap();
            let start = energy(&world, &bodies, 0.0);
            for step in 0..3600 {
                world.checked_step(DT).unwrap();
                let now = energy(&world, &bodies, 0.0);
                assert!(now <= 1.001 * start, "{masses:?}, {has_rack}, step {step}: {now}, {start}");
                let coordinate = coordinate_of(&world, joints[heavier]);
                assert!(coordinate.abs() < 1.1, "{masses:?}, {has_rack}, step {step}: {coordinate}");
            }
            let sign = if has_rack { -1.0 } else { 1.0 };
            let [one, other] = joints.map(|joint| coordinate_of(&world, joint));
            let law = one + sign * f64::from(ratio) * other;
            // The angle of the pinion is within pi, so whole turns are left out.
            let turn = core::f64::consts::TAU * f64::from(ratio);
            let off = law - (law / turn).round() * turn;
            assert!(off.abs() < 0.02, "{masses:?}, {has_rack}: {one}, {other}");
        }
    }
}

/// Two wheels on an arm that floats: what turns the wheels turns the arm back.
#[test]
fn a_floating_gearbox_keeps_its_angular_momentum() {
    let mut world = world_with(0.0);
    let arm = insert_box(&mut world, Vec3::new(1.0, 0.1, 0.1), 3.0, Pose::IDENTITY);
    let wheels = [-1.0, 1.0].map(|x| insert_box(&mut world, HALF, 2.0, Pose::from_translation(Vec3::X * x)));
    let joints =
        wheels.map(|wheel| world.insert_joint(JointDesc::revolute(arm, wheel).with_axis(Vec3::Z)).unwrap());
    world.insert_joint(JointDesc::gear(joints[0], joints[1], 0.5)).unwrap();
    world.joint_mut(joints[0]).unwrap().set_motor(Motor::velocity(4.0).with_max_force(0.5)).unwrap();
    run(&mut world, 5.0);
    let [one, other] = joints.map(|joint| speed_of(&world, joint));
    assert!(is_near(one, 4.0, 0.01) && is_near(other, -8.0, 0.01), "{one}, {other}");
    let momentum = |id: BodyId| {
        let body = world.body(id).unwrap().motion();
        let spin = body.angular_velocity.z / body.inverse_inertia.z_axis.z;
        spin + body.world_center().cross(body.linear_velocity).z / body.inverse_mass
    };
    let sum = momentum(arm) + momentum(wheels[0]) + momentum(wheels[1]);
    let size = momentum(wheels[1]).abs();
    assert!(sum.abs() < 0.01 * size, "{sum} of {size}");
}

/// A pulley between two boxes on sides of these masses, with 2 m of rope on each side.
fn pulley(masses: [f32; 2], ratio: f32) -> (World, [BodyId; 2], JointId) {
    let mut world = world_with(GRAVITY);
    let at = |x: f32| Pose::from_translation(Vec3::X * x);
    let a = insert_box(&mut world, HALF, masses[0], at(-1.0));
    let b = insert_box(&mut world, HALF, masses[1], at(1.0));
    let supports = [Vec3::new(-1.0, 2.0, 0.0), Vec3::new(1.0, 2.0, 0.0)];
    let desc = JointDesc::pulley(a, b, supports, ratio, 2.0 + 2.0 * ratio);
    let joint = world.insert_joint(desc).unwrap();
    (world, [a, b], joint)
}

/// The tension is g (1 + r) / (1 / m1 + r^2 / m2): Atwood's machine with a block and tackle.
#[test]
fn a_pulley_accelerates_as_atwoods_machine() {
    for (masses, ratio) in [([2.0, 3.0], 1.0), ([1.0, 8.0], 2.0), ([1.0, 300.0], 200.0), ([40.0, 1.0], 0.8)] {
        let (mut world, bodies, joint) = pulley(masses, ratio);
        let [one, other] = masses.map(f64::from);
        let (g, r) = (f64::from(GRAVITY), f64::from(ratio));
        let tension = g * (1.0 + r) / (1.0 / one + r * r / other);
        let expected = [tension / one - g, r * tension / other - g];
        let seconds = 0.5;
        run(&mut world, seconds);
        for (body, acceleration) in bodies.into_iter().zip(expected) {
            let speed = f64::from(world.body(body).unwrap().linear_velocity().y);
            let closed = acceleration * f64::from(seconds);
            assert!((speed - closed).abs() < 0.01 * g * f64::from(seconds), "{masses:?}: {speed}, {closed}");
        }
        let force = f64::from(world.joint(joint).unwrap().force().y);
        assert!(is_near(force, r * tension, 0.02), "{masses:?}: {force}");
        // A centimetre of rope, on the side that counts more.
        let error = world.joint(joint).unwrap().error();
        assert!(error < 0.01 * ratio.max(1.0), "{masses:?}: {error}");
    }
}

/// A side that is thrown up makes the rope slack, and then it jerks, for a minute.
#[test]
fn a_slack_rope_of_a_pulley_jerks_and_gives_no_energy() {
    for masses in [[1.0, 1.0], [1.0, 300.0], [300.0, 1.0]] {
        let (mut world, bodies, joint) = pulley(masses, masses[1] / masses[0]);
        world
            .body_mut(bodies[0])
            .unwrap()
            .set_linear_velocity(Vec3::new(1.0, 8.0, 0.0))
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        let start = energy(&world, &bodies, GRAVITY);
        let size = f64::from(masses[0]) * 0.5 * 65.0;
        for step in 0..3600 {
            world.checked_step(DT).unwrap();
            let now = energy(&world, &bodies, GRAVITY);
            assert!(now <= start + 0.02 * size, "{masses:?}, step {step}: {now}, {start}");
            assert!(world.joint(joint).unwrap().error() < 0.2, "{masses:?}, step {step}");
        }
    }
}

#[test]
fn a_gear_goes_with_its_joints() {
    let joints_of = |world: &World| world.joints().map(|joint| joint.id()).collect::<Vec<_>>();
    let Geared { mut world, joints, gear, .. } = geared([1.0, 1.0], 2.0, false);
    world.remove_joint(gear).unwrap();
    assert_eq!(joints_of(&world), joints);
    let gear = world.insert_joint(JointDesc::gear(joints[0], joints[1], 1.0)).unwrap();
    world.remove_joint(joints[1]).unwrap();
    assert_eq!(joints_of(&world), [joints[0]]);
    assert_eq!(world.joint(gear).map(|_| ()), Err(WorldError::StaleJoint(gear)));
    assert_eq!(
        world.insert_joint(JointDesc::gear(joints[0], joints[1], 1.0)),
        Err(WorldError::StaleJoint(joints[1]))
    );
    run(&mut world, 0.1);
    for k in 0..4 {
        let mut world = geared([1.0, 1.0], 2.0, false).world;
        world.checked_step(DT).unwrap();
        let body = world.body_ids().nth(k).unwrap();
        world.remove(body).unwrap();
        assert_eq!(world.joints().count(), 1);
        run(&mut world, 0.1);
    }
}

/// Two wheels on posts at 0 and 0.5 m, whose boxes overlap by 0.1 m, and a gear between them.
/// Returns the posts, the wheels and the joints.
fn wheels_in_each_other() -> (World, [BodyId; 2], [BodyId; 2], [JointId; 2]) {
    let mut world = world_with(0.0);
    let posts = [0.0, 0.5].map(|x| insert_sensor_post(&mut world, Vec3::X * x));
    let wheel = |x: f32| BodyDesc::dynamic(cuboid(HALF)).with_mass(1.0).with_position(Vec3::X * x);
    let wheels = [0.0, 0.5].map(|x| world.insert(wheel(x)).unwrap());
    let joint = |k: usize| JointDesc::revolute(posts[k], wheels[k]).with_axis(Vec3::Z);
    let joints = [0, 1].map(|k| world.insert_joint(joint(k)).unwrap());
    world.insert_joint(JointDesc::gear(joints[0], joints[1], 1.0)).unwrap();
    (world, posts, wheels, joints)
}

/// A post that touches nothing.
fn insert_sensor_post(world: &mut World, position: Vec3) -> BodyId {
    let desc = BodyDesc::fixed(ball(0.01)).with_position(position).with_sensor(true);
    world.insert(desc).unwrap()
}

/// Without the gear the wheels collide again, however the gear goes: with a mount, with a joint,
/// or alone. They wake, and push each other apart if something lets them.
#[test]
fn wheels_meet_again_when_their_gear_goes() {
    for (part, frees_a_wheel) in [("post", true), ("other post", true), ("joint", true), ("gear", false)] {
        let (mut world, posts, wheels, joints) = wheels_in_each_other();
        run(&mut world, 2.0);
        assert!(wheels.iter().all(|&id| world.body(id).unwrap().is_sleeping()), "{part}");
        match part {
            "post" => world.remove(posts[0]).unwrap(),
            "other post" => world.remove(posts[1]).unwrap(),
            "joint" => world.remove_joint(joints[1]).unwrap(),
            _ => {
                let gear = world.joints().last().unwrap().id();
                world.remove_joint(gear).unwrap();
            }
        }
        assert!(wheels.iter().all(|&id| !world.body(id).unwrap().is_sleeping()), "{part}");
        world.checked_step(DT).unwrap();
        let shot = world.snapshot();
        world.restore(&shot).unwrap();
        assert!(world.body(wheels[0]).unwrap().touching().any(|other| other == wheels[1]), "{part}");
        run(&mut world, 4.0);
        let [x, other_x] = wheels.map(|id| world.body(id).unwrap().position().x);
        assert!(!frees_a_wheel || 0.59 < other_x - x, "{part}: {x} {other_x}");
    }
}

/// A gear that is overloaded in the same step as one of its joints is listed, also if it is
/// removed with that joint. One that bears its load goes unlisted.
#[test]
fn a_gear_that_breaks_with_its_joint_is_listed() {
    for (gear_strength, is_listed) in [(1e-3, true), (1e9, false)] {
        let mut world = world_with(GRAVITY);
        let [joint, other] = [0.0, 2.0].map(|x| on_own_post(&mut world, x, 1.0, false).1);
        let gear = JointDesc::gear(joint, other, 1.0).with_user_data(5);
        let gear = world.insert_joint(gear.with_break_torque(gear_strength)).unwrap();
        world.joint_mut(joint).unwrap().set_break_force(1.0).unwrap();
        world.joint_mut(joint).unwrap().set_motor(Motor::velocity(9.0).with_max_force(50.0)).unwrap();
        world.checked_step(DT).unwrap();
        let broken: Vec<_> = world.broken_joints().iter().map(|broken| broken.joint).collect();
        assert_eq!(broken, if is_listed { vec![joint, gear] } else { vec![joint] });
        assert!(!is_listed || world.broken_joints()[1].user_data == 5);
        assert_eq!(world.joints().map(|view| view.id()).collect::<Vec<_>>(), [other]);
        world.checked_step(DT).unwrap();
        assert!(world.broken_joints().is_empty());
    }
}

#[test]
fn errors_name_what_does_not_fit_a_gear_or_a_pulley() {
    let Geared { mut world, bodies, joints, gear } = geared([1.0, 1.0], 2.0, false);
    let n_joints = world.joints().count();
    let [a, b] = bodies;
    let weld = world.insert_joint(JointDesc::weld(a, b)).unwrap();
    let post = insert_post(&mut world, Vec3::Y);
    let backward = world.insert_joint(JointDesc::revolute(a, post)).unwrap();
    let needs = |what| Err(WorldError::BadJoint(JointFault::Needs(what)));
    let bad = |what, value| Err(WorldError::BadJoint(JointFault::BadValue { what, value }));
    for (desc, refused) in [
        (JointDesc::gear(joints[0], weld, 1.0), needs("two revolute or prismatic joints")),
        (JointDesc::gear(joints[0], gear, 1.0), needs("two revolute or prismatic joints")),
        (JointDesc::gear(joints[0], backward, 1.0), needs("a dynamic body B in each joint")),
        (JointDesc::rack_and_pinion(joints[0], joints[1], 1.0), needs("a prismatic and a revolute joint")),
        (JointDesc::gear(joints[0], joints[0], 1.0), Err(WorldError::BadJoint(JointFault::SameBody))),
        (JointDesc::gear(joints[0], joints[1], 0.0), bad("ratio", 0.0)),
        (
            JointDesc::gear(joints[0], joints[1], 1.0).with_anchor(Vec3::ZERO),
            Err(WorldError::BadJoint(JointFault::NotOfKind("frames"))),
        ),
        (JointDesc::new(a, b, JointKind::Gear { ratio: 1.0 }), needs("two joints instead of two bodies")),
        (JointDesc::pulley(a, b, [Vec3::ZERO; 2], -1.0, 1.0), bad("ratio", -1.0)),
        (JointDesc::pulley(a, b, [Vec3::ZERO; 2], 1.0, 0.0), bad("length", 0.0)),
    ] {
        assert_eq!(world.insert_joint(desc), refused);
    }
    assert_eq!(world.joints().count(), n_joints + 2);
    let refused = world.joint_mut(joints[0]).unwrap().set_frames(Pose::IDENTITY, Pose::IDENTITY).map(|_| ());
    assert_eq!(refused, Err(WorldError::BadJoint(JointFault::NotOfKind("frames of its own"))));
}

#[test]
fn restored_gears_and_pulleys_go_on_with_the_same_bits() {
    for has_rack in [false, true] {
        let Geared { mut world, bodies, joints, .. } = geared([1.0, 5.0], 1.5, has_rack);
        let end = insert_box(&mut world, HALF, 2.0, Pose::from_translation(Vec3::new(4.0, 0.0, 0.0)));
        let supports = [Vec3::new(2.0, 2.0, 0.0), Vec3::new(4.0, 2.0, 0.0)];
        let rope = JointDesc::pulley(bodies[1], end, supports, 1.0, 4.0);
        world.insert_joint(rope.with_anchors(Vec3::new(2.3, 0.0, 0.0), Vec3::X * 4.0)).unwrap();
        let motor = Motor::velocity(9.0).with_max_force(3.0);
        world.joint_mut(joints[0]).unwrap().set_motor(motor).unwrap();
        run(&mut world, 2.3);
        let mut again: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        run(&mut world, 3.0);
        run(&mut again, 3.0);
        assert_eq!(world.state_hash(), again.state_hash());
        assert!(world.joints().zip(again.joints()).all(|(one, other)| one.data() == other.data()));
        again.remove_joint(joints[0]).unwrap();
        assert_eq!(again.joints().count(), 2);
    }
}
