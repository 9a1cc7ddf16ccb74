//! Sliders, and motors that pull to a place: accelerations, limits, oscillations.

use crate::jointed::{
    GRAVITY, coordinate_of, energy, insert_box, insert_post, is_near, on_post, run, speed_of, world_with,
};
use crate::scenes::{CheckedStep, DT};
use carom_math::{Pose, Quat, Vec3};
use carom_world::{
    AxisLimit, BodyId, JointAxis, JointDesc, JointFault, JointId, JointKind, Motor, SixDof, Spring, World,
    WorldError,
};

const FREE: JointKind = JointKind::FREE_PRISMATIC;

fn driven(speed: f32, max_force: f32) -> JointKind {
    JointKind::Prismatic { limits: None, motor: Some(Motor::velocity(speed).with_max_force(max_force)) }
}

/// An axis that falls by 30 degrees.
fn incline() -> Vec3 {
    Vec3::new(0.75f32.sqrt(), -0.5, 0.0)
}

#[test]
fn a_body_slides_down_an_incline() {
    for mass in [1.0, 300.0] {
        let (mut world, body, joint) = on_post(GRAVITY, mass, FREE, incline());
        run(&mut world, 2.0);
        let coordinate = coordinate_of(&world, joint);
        assert!(is_near(coordinate, 0.5 * f64::from(GRAVITY) * 0.5 * 4.0, 0.01), "{coordinate}");
        let at = world.body(body).unwrap().pose();
        let aside = at.translation - incline() * incline().dot(at.translation);
        assert!(aside.length() < 1e-3 && at.rotation.angle_between(Quat::IDENTITY) < 1e-3, "{at:?}");
    }
}

/// The joint point is far from the centre of mass, so the weight also turns.
#[test]
fn a_body_that_sticks_out_slides_as_fast() {
    let mut world = world_with(GRAVITY);
    let post = insert_post(&mut world, Vec3::ZERO);
    let at = Pose::from_translation(Vec3::new(0.3, 0.0, 1.0));
    let body = insert_box(&mut world, Vec3::new(0.1, 0.2, 0.3), 3.0, at);
    let joint = world
        .insert_joint(JointDesc::new(post, body, FREE).with_anchor(Vec3::ZERO).with_axis(incline()))
        .unwrap();
    run(&mut world, 2.0);
    let coordinate = coordinate_of(&world, joint);
    assert!(is_near(coordinate, f64::from(GRAVITY), 0.01), "{coordinate}");
    assert!(world.body(body).unwrap().rotation().angle_between(Quat::IDENTITY) < 0.01);
    // The torque of the weight across the slope, about the joint point.
    let torque = world.joint(joint).unwrap().torque().length();
    let across = f64::from(3.0 * GRAVITY) * 0.75f64.sqrt();
    assert!(
        is_near(f64::from(torque), across * (1.0f64 + (0.3f64 * 0.75f64.sqrt()).powi(2)).sqrt(), 0.02),
        "{torque}"
    );
}

#[test]
fn a_motor_accelerates_two_bodies_by_its_force() {
    for heavy in [1.0f32, 300.0] {
        let mut world = world_with(0.0);
        let a = insert_box(&mut world, Vec3::splat(0.3), heavy, Pose::IDENTITY);
        let b = insert_box(&mut world, Vec3::splat(0.2), 1.0, Pose::IDENTITY);
        let joint = world
            .insert_joint(
                JointDesc::new(a, b, driven(1000.0, 6.0)).with_anchor(Vec3::ZERO).with_axis(Vec3::X),
            )
            .unwrap();
        run(&mut world, 2.0);
        let speed = speed_of(&world, joint);
        assert!(is_near(speed, 12.0 * (1.0 + 1.0 / f64::from(heavy)), 0.01), "{speed}");
        let momentum =
            world.body(a).unwrap().linear_velocity() * heavy + world.body(b).unwrap().linear_velocity();
        assert!(momentum.length() < 1e-3, "{momentum}");
        assert!(is_near(f64::from(world.joint(joint).unwrap().force().length()), 6.0, 0.01));
    }
}

#[test]
fn a_lift_holds_its_speed_or_falls_by_its_lack_of_force() {
    let mass = 50.0;
    for (share, is_held) in [(1.2, true), (0.9, false)] {
        let kind = driven(0.5, share * mass * GRAVITY);
        let (mut world, _, joint) = on_post(GRAVITY, mass, kind, Vec3::Y);
        run(&mut world, 4.0);
        let speed = speed_of(&world, joint);
        let expected = if is_held { 0.5 } else { -4.0 * 0.1 * f64::from(GRAVITY) };
        assert!(is_near(speed, expected, 0.01), "{share}: {speed}");
    }
}

/// Two bodies that turn and slide to and fro between limits.
fn whirling_pair(masses: [f32; 2]) -> (World, [BodyId; 2], JointId) {
    let mut world = world_with(0.0);
    let a = insert_box(&mut world, Vec3::splat(0.3), masses[0], Pose::IDENTITY);
    let b = insert_box(&mut world, Vec3::splat(0.2), masses[1], Pose::from_translation(Vec3::Z * 0.5));
    let kind = JointKind::Prismatic { limits: Some([-1.0, 2.0]), motor: None };
    let joint =
        world.insert_joint(JointDesc::new(a, b, kind).with_anchor(Vec3::ZERO).with_axis(Vec3::X)).unwrap();
    world
        .body_mut(b)
        .unwrap()
        .set_linear_velocity(Vec3::X * 20.0)
        .unwrap()
        .set_angular_velocity(Vec3::Y * 3.0)
        .unwrap();
    (world, [a, b], joint)
}

#[test]
fn limits_hold_at_speed_and_give_no_energy() {
    for masses in [[1.0, 1.0], [300.0, 1.0], [1.0, 300.0]] {
        let (mut world, bodies, joint) = whirling_pair(masses);
        let start = energy(&world, &bodies, 0.0);
        for step in 0..3600 {
            world.checked_step(DT).unwrap();
            let coordinate = coordinate_of(&world, joint);
            assert!(-1.02 < coordinate && coordinate < 2.02, "{masses:?}, step {step}: {coordinate}");
            let now = energy(&world, &bodies, 0.0);
            assert!(now <= 1.001 * start, "{masses:?}, step {step}: {now}, {start}");
        }
    }
}

/// A motor of any strength stops at a limit: it and the limit do not push against each other.
#[test]
fn no_motor_drives_through_a_limit() {
    let limits = [-0.3, 0.5];
    for max_force in [1.0, 1e3, 1e6, f32::MAX] {
        for speed in [2.0_f32, -2.0, 50.0] {
            let motor = Some(Motor::velocity(speed).with_max_force(max_force));
            let mut six = SixDof::LOCKED;
            six.limits[JointAxis::X as usize] = AxisLimit::Between(limits[0], limits[1]);
            six.motors[JointAxis::X as usize] = motor;
            let mut turning = SixDof::LOCKED;
            turning.limits[JointAxis::AngX as usize] = AxisLimit::Between(limits[0], limits[1]);
            turning.motors[JointAxis::AngX as usize] = motor;
            let kinds = [
                (JointKind::Prismatic { limits: Some(limits), motor }, false),
                (JointKind::Revolute { limits: Some(limits), motor }, true),
                (JointKind::Screw { lead: 0.4, limits: Some(limits), motor }, true),
                (JointKind::SixDof(six), false),
                (JointKind::SixDof(turning), true),
            ];
            for (kind, turns) in kinds {
                let mut world = world_with(0.0);
                let a = insert_box(&mut world, Vec3::splat(0.3), 200.0, Pose::IDENTITY);
                let b = insert_box(&mut world, Vec3::splat(0.2), 1.0, Pose::IDENTITY);
                let joint = JointDesc::new(a, b, kind).with_anchor(Vec3::ZERO).with_axis(Vec3::X);
                world.insert_joint(joint.with_contacts(false)).unwrap();
                for step in 0..600 {
                    world.checked_step(DT).unwrap();
                    let [from, to] = [a, b].map(|body| world.body(body).unwrap().pose());
                    let between = from.inverse() * to;
                    let turned = 2.0 * between.rotation.x.atan2(between.rotation.w);
                    let coordinate = if turns { turned } else { between.translation.x };
                    let is_within = limits[0] - 0.02 < coordinate && coordinate < limits[1] + 0.02;
                    assert!(is_within, "{kind:?}, step {step}: {coordinate}");
                    let is_there = if speed < 0.0 { coordinate < -0.28 } else { 0.48 < coordinate };
                    assert!(step < 300 || is_there, "{kind:?}, step {step}: {coordinate}");
                }
            }
        }
    }
}

/// Returns the mean time between passes of the place 0, from one side to the other and back.
fn period(world: &mut World, joint: JointId, target: f64) -> f64 {
    let (mut last, mut passes) = (coordinate_of(world, joint) - target, Vec::new());
    for step in 0..600 {
        world.checked_step(DT).unwrap();
        let now = coordinate_of(world, joint) - target;
        if last < 0.0 && 0.0 <= now {
            passes.push(f64::from(DT) * (f64::from(step) + last / (last - now)));
        }
        last = now;
    }
    (passes[passes.len() - 1] - passes[0]) / (passes.len() - 1) as f64
}

#[test]
fn a_position_motor_swings_at_its_frequency() {
    let motor = Motor::position(0.3, Spring::new(0.8, 0.0));
    for masses in [[2.0, 2.0], [300.0, 1.0], [1.0, 300.0]] {
        let mut world = world_with(0.0);
        let a = insert_box(&mut world, Vec3::splat(0.3), masses[0], Pose::IDENTITY);
        let b = insert_box(&mut world, Vec3::splat(0.2), masses[1], Pose::IDENTITY);
        let slider = world
            .insert_joint(JointDesc::new(a, b, FREE).with_anchor(Vec3::ZERO).with_axis(Vec3::X))
            .unwrap();
        world.joint_mut(slider).unwrap().set_motor(Some(motor)).unwrap();
        let found = period(&mut world, slider, 0.3);
        assert!(is_near(found, 1.0 / 0.8, 0.01), "slider of {masses:?}: {found}");
    }
    // A door: the hinge is at its edge, so its inertia is more than that about its centre.
    for half in [Vec3::new(0.5, 1.0, 0.02), Vec3::new(2.0, 0.1, 0.1)] {
        let mut world = world_with(0.0);
        let post = insert_post(&mut world, Vec3::ZERO);
        let door = insert_box(&mut world, half, 20.0, Pose::from_translation(Vec3::X * half.x));
        let free = JointKind::FREE_REVOLUTE;
        let hinge = world
            .insert_joint(JointDesc::new(post, door, free).with_anchor(Vec3::ZERO).with_axis(Vec3::Y))
            .unwrap();
        world.joint_mut(hinge).unwrap().set_motor(Some(motor)).unwrap();
        let found = period(&mut world, hinge, 0.3);
        assert!(is_near(found, 1.0 / 0.8, 0.01), "door of {half}: {found}");
    }
}

#[test]
fn a_critical_motor_reaches_its_target_and_does_not_pass_it() {
    for frequency in [0.5, 3.0, 1000.0] {
        for is_hinge in [false, true] {
            let kind = if is_hinge { JointKind::FREE_REVOLUTE } else { FREE };
            let (mut world, _, joint) = on_post(0.0, 5.0, kind, Vec3::Y);
            world
                .joint_mut(joint)
                .unwrap()
                .set_motor(Some(Motor::position(1.2, Spring::new(frequency, 1.0))))
                .unwrap();
            for _ in 0..600 {
                world.checked_step(DT).unwrap();
                assert!(coordinate_of(&world, joint) < 1.205, "{frequency}, {is_hinge}");
            }
            let coordinate = coordinate_of(&world, joint);
            assert!(is_near(coordinate, 1.2, 0.01), "{frequency}, {is_hinge}: {coordinate}");
        }
    }
}

#[test]
fn a_weak_position_motor_pulls_with_its_largest_force() {
    let mass = 10.0;
    let (mut world, _, joint) = on_post(GRAVITY, mass, FREE, Vec3::Y);
    let motor = Motor::position(0.0, Spring::new(10.0, 1.0)).with_max_force(0.75 * mass * GRAVITY);
    world.joint_mut(joint).unwrap().set_motor(Some(motor)).unwrap();
    run(&mut world, 2.0);
    let coordinate = coordinate_of(&world, joint);
    assert!(is_near(coordinate, -0.25 * f64::from(GRAVITY) * 2.0, 0.015), "{coordinate}");
    // A stronger one lifts it back: the sag of a spring is g / w^2.
    let strong = motor.with_max_force(2.0 * mass * GRAVITY);
    world.joint_mut(joint).unwrap().set_motor(Some(strong)).unwrap();
    run(&mut world, 60.0);
    let sag = f64::from(GRAVITY) / (20.0 * core::f64::consts::PI).powi(2);
    let coordinate = coordinate_of(&world, joint);
    assert!(is_near(coordinate, -sag, 0.02), "{coordinate}, {sag}");
}

/// Arms of 1 and of 300 kg on position motors, thrown about, for a minute.
#[test]
fn motors_with_heavy_and_light_ends_stay_within_their_energy() {
    for masses in [[300.0, 1.0], [1.0, 300.0]] {
        let mut world = world_with(0.0);
        let post = insert_post(&mut world, Vec3::ZERO);
        let half = Vec3::new(0.5, 0.1, 0.1);
        let near = insert_box(&mut world, half, masses[0], Pose::from_translation(Vec3::X * 0.5));
        let far = insert_box(&mut world, half, masses[1], Pose::from_translation(Vec3::X * 1.5));
        let free = JointKind::FREE_REVOLUTE;
        for (a, b, x) in [(post, near, 0.0), (near, far, 1.0)] {
            let joint = world
                .insert_joint(JointDesc::new(a, b, free).with_anchor(Vec3::X * x).with_axis(Vec3::Z))
                .unwrap();
            world
                .joint_mut(joint)
                .unwrap()
                .set_motor(Some(Motor::position(0.0, Spring::new(2.0, 1.0))))
                .unwrap();
        }
        world
            .body_mut(far)
            .unwrap()
            .set_linear_velocity(Vec3::Y * 5.0)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
        let start = energy(&world, &[near, far], 0.0);
        for step in 0..3600 {
            world.checked_step(DT).unwrap();
            let now = energy(&world, &[near, far], 0.0);
            assert!(now <= 1.001 * start, "{masses:?}, step {step}: {now}, {start}");
        }
        let end = energy(&world, &[near, far], 0.0);
        assert!(end < 0.5 * start, "{masses:?}: the motors damp, {end}, {start}");
    }
}

#[test]
fn a_pair_that_is_restored_goes_on_with_the_same_bits() {
    let (mut world, [_, b], joint) = whirling_pair([5.0, 1.0]);
    world
        .joint_mut(joint)
        .unwrap()
        .set_motor(Some(Motor::position(0.5, Spring::new(2.0, 1.0)).with_max_force(40.0)))
        .unwrap();
    for _ in 0..10 {
        run(&mut world, 0.1);
        let mut again: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        run(&mut world, 0.5);
        run(&mut again, 0.5);
        assert_eq!(world.state_hash(), again.state_hash());
        assert_eq!(world.joint(joint), again.joint(joint));
        assert!(world.body(b).unwrap().pose().is_finite());
    }
}

#[test]
fn bad_input_is_named() {
    let (mut world, _, joint) = on_post(0.0, 1.0, FREE, Vec3::Y);
    let motor = Motor::position(0.0, Spring::new(1.0, 1.0));
    let bad = [
        (Motor::position(f32::NAN, Spring::new(1.0, 1.0)), "target"),
        (Motor::position(0.0, Spring::new(0.0, 1.0)), "frequency"),
        (Motor::position(0.0, Spring::new(f32::INFINITY, 1.0)), "frequency"),
        (Motor::position(0.0, Spring::new(1.0, -1.0)), "damping ratio"),
        (motor.with_max_force(f32::NAN), "max_force"),
        (Motor::velocity(f32::NAN).with_max_force(1.0), "speed"),
        (Motor::velocity(1.0).with_max_force(-1.0), "max_force"),
    ];
    for (motor, name) in bad {
        assert_eq!(name_of(world.joint_mut(joint).unwrap().set_motor(motor)), name);
    }
    for (limits, name) in [([1.0, 0.0], "upper limit"), ([f32::NAN, 0.0], "lower limit")] {
        assert_eq!(name_of(world.joint_mut(joint).unwrap().set_limits(limits)), name);
    }
    assert_eq!(world.joint(joint).unwrap().kind(), FREE);
    let post = world.body_ids().next().unwrap();
    let body = world.body_ids().nth(1).unwrap();
    let weld = world.insert_joint(JointDesc::weld(post, body)).unwrap();
    let refused = Err(WorldError::BadJoint(JointFault::NotOfKind("motor")));
    assert_eq!(world.joint_mut(weld).unwrap().set_motor(motor).map(|_| ()), refused);
    assert_eq!(world.insert_joint(JointDesc::weld(post, body).with_motor(motor)).map(|_| ()), refused);
    let view = world.joint(weld).unwrap();
    assert_eq!((view.angle(), view.translation(), view.speed()), (None, None, None));
    world.checked_step(DT).unwrap();
}

/// The name of the number that was refused.
fn name_of<T: core::fmt::Debug>(refused: Result<T, WorldError>) -> &'static str {
    let Err(WorldError::BadJoint(JointFault::BadValue { what, .. })) = refused else {
        panic!("not refused by a number: {refused:?}");
    };
    what
}
