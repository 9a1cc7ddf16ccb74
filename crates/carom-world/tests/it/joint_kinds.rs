//! Descriptions and views of joints, limits of twist, motors of single axes, and soft joints.

use crate::jointed::{GRAVITY, energy, insert_box, insert_post, is_near, on_post, run, twist_of, world_with};
use crate::scenes::{CheckedStep, DT};
use carom_math::{Pose, Vec3};
use carom_world::{
    AxisLimit, BodyId, JointAxis, JointDesc, JointFault, JointId, JointKind, Motor, SixDof, Spring, World,
    WorldError,
};
use core::f32::consts::PI;

/// A post and a box of these half extents at the origin, in a joint.
fn pair(gravity: f32, mass: f32, desc: impl Fn(BodyId, BodyId) -> JointDesc) -> (World, BodyId, JointId) {
    let mut world = world_with(gravity);
    let post = insert_post(&mut world, Vec3::ZERO);
    let body = insert_box(&mut world, Vec3::new(0.3, 0.2, 0.1), mass, Pose::IDENTITY);
    let joint = world.insert_joint(desc(post, body)).unwrap();
    (world, body, joint)
}

#[test]
fn a_setting_of_another_kind_is_named() {
    let mut world = world_with(0.0);
    let (a, b) = (insert_post(&mut world, Vec3::ZERO), insert_post(&mut world, Vec3::X));
    let motor = Motor::velocity(1.0);
    for (desc, name) in [
        (JointDesc::weld(a, b).with_cone(1.0).with_limits(0.0, 1.0), "cone"),
        (JointDesc::spherical(a, b).with_limits(0.0, 1.0).with_cone(1.0), "limits"),
        (JointDesc::rope(a, b, 1.0).with_motor(motor), "motor"),
        (JointDesc::revolute(a, b).with_twist(0.0, 1.0), "twist"),
        (JointDesc::prismatic(a, b).with_axis_motor(JointAxis::X, motor), "axis motor"),
        (JointDesc::prismatic(a, b).with_axis_limit(JointAxis::X, AxisLimit::Free), "axis limit"),
    ] {
        assert_eq!(world.insert_joint(desc), Err(WorldError::BadJoint(JointFault::NotOfKind(name))));
    }
    assert_eq!(world.joints().count(), 0);
}

#[test]
fn the_first_bad_value_is_named() {
    let mut world = world_with(0.0);
    let (a, b) = (insert_post(&mut world, Vec3::ZERO), insert_post(&mut world, Vec3::X));
    let spring = Spring::new(0.0, 1.0);
    let y_free = JointDesc::six_dof(a, b).with_axis_motor(JointAxis::AngX, Motor::velocity(1.0));
    for (desc, name) in [
        (JointDesc::weld(a, b).with_axis(Vec3::X * 2.0), "length of the axis"),
        (JointDesc::weld(a, b).with_anchor(Vec3::new(0.0, f32::NAN, 0.0)), "anchor"),
        (JointDesc::weld(a, b).with_spring(spring), "frequency"),
        (JointDesc::weld(a, b).with_break_force(-1.0), "break_force"),
        (JointDesc::spherical(a, b).with_twist(-1.0, 1.0), "cone"),
        (JointDesc::spherical(a, b).with_cone(1.0).with_twist(-4.0, 1.0), "lower twist"),
        (JointDesc::spherical(a, b).with_cone(1.0).with_twist(1.0, 0.0), "upper twist"),
        (JointDesc::distance(a, b, -1.0, 1.0), "least distance"),
        (y_free, "lower limit of the angle about y"),
    ] {
        let Err(WorldError::BadJoint(JointFault::BadValue { what, .. })) = world.insert_joint(desc) else {
            panic!("{name} was not refused");
        };
        assert_eq!(what, name);
    }
    assert_eq!(world.joints().count(), 0);
}

#[test]
fn a_view_reads_what_was_described() {
    let (world, body, joint) = pair(0.0, 1.0, |a, b| {
        JointDesc::revolute(a, b).with_axis(Vec3::Z).with_limits(-1.0, 1.0).with_user_data(5)
    });
    let view = world.joint(joint).unwrap();
    let post = world.body_ids().next().unwrap();
    assert_eq!((view.id(), view.bodies(), view.user_data()), (joint, [post, body], 5));
    assert_eq!(view.kind(), JointKind::Revolute { limits: Some([-1.0, 1.0]), motor: None });
    assert!(view.angle().unwrap().abs() < 1e-6 && view.translation().is_none());
    assert!(view.error() < 1e-6 && view.force() == Vec3::ZERO);
    assert_eq!(world.joints().collect::<Vec<_>>(), [view]);
}

#[test]
fn twist_stays_within_its_limits_at_speed_and_gives_no_energy() {
    for mass in [1.0, 300.0] {
        let (mut world, body, _) = pair(0.0, mass, |a, b| {
            let desc = JointDesc::spherical(a, b).with_axis(Vec3::X);
            desc.with_cone(1.2).with_twist(-0.4, 0.9)
        });
        world
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(Vec3::ZERO)
            .unwrap()
            .set_angular_velocity(Vec3::new(20.0, 3.0, 2.0))
            .unwrap();
        let start = energy(&world, &[body], 0.0);
        for step in 0..3600 {
            world.checked_step(DT).unwrap();
            let turn = world.body(body).unwrap().rotation();
            let (twist, swing) = (twist_of(turn), (turn * Vec3::X).angle_between(Vec3::X));
            assert!(-0.45 < twist && twist < 0.95, "{mass}, step {step}: {twist}");
            assert!(swing < 1.25, "{mass}, step {step}: {swing}");
            let now = energy(&world, &[body], 0.0);
            assert!(now <= 1.001 * start, "{mass}, step {step}: {now}, {start}");
        }
    }
}

#[test]
fn a_motor_of_an_axis_drives_that_axis_alone() {
    for axis in [JointAxis::X, JointAxis::AngX] {
        let (mut world, _, joint) = pair(0.0, 3.0, |a, b| JointDesc::cylindrical(a, b).with_axis(Vec3::X));
        let spring = Spring::new(2.0, 1.0);
        world.joint_mut(joint).unwrap().set_axis_motor(axis, Motor::position(0.7, spring)).unwrap();
        run(&mut world, 5.0);
        let view = world.joint(joint).unwrap();
        for other in [JointAxis::X, JointAxis::Y, JointAxis::Z, JointAxis::AngX, JointAxis::AngY] {
            let (coordinate, expected) =
                (view.axis_position(other).unwrap(), if other == axis { 0.7 } else { 0.0 });
            assert!((coordinate - expected).abs() < 0.01, "{axis:?}: {other:?} at {coordinate}");
        }
    }
}

/// The force of the motor is F, so the body gains F t / m; the torque gains T t / I.
#[test]
fn velocity_motors_of_axes_push_with_their_largest_force() {
    let mass = 12.0;
    for axis in [JointAxis::X, JointAxis::Z] {
        let (mut world, body, _) = pair(0.0, mass, |a, b| {
            let motor = Motor::velocity(100.0).with_max_force(24.0);
            let desc = JointDesc::new(a, b, JointKind::SixDof(SixDof::LOCKED));
            desc.with_axis_limit(axis, AxisLimit::Free).with_axis_motor(axis, motor)
        });
        run(&mut world, 2.0);
        let speed = world.body(body).unwrap().linear_velocity().length();
        assert!(is_near(f64::from(speed), 4.0, 0.01), "{axis:?}: {speed}");
    }
    // The moment of inertia of the box about its z axis.
    let inertia = mass / 3.0 * (0.3 * 0.3 + 0.2 * 0.2);
    let (mut world, body, _) = pair(0.0, mass, |a, b| {
        let motor = Motor::velocity(100.0).with_max_force(inertia);
        JointDesc::universal(a, b).with_axis_motor(JointAxis::AngZ, motor)
    });
    run(&mut world, 2.0);
    let spin = world.body(body).unwrap().angular_velocity().z;
    assert!(is_near(f64::from(spin), 2.0, 0.01), "{spin}");
}

/// Returns the mean period of a coordinate that swings about `middle`.
fn period(world: &mut World, middle: f64, coordinate_of: impl Fn(&World) -> f64) -> f64 {
    let (mut last, mut passes) = (coordinate_of(world) - middle, Vec::new());
    for step in 0..600 {
        world.checked_step(DT).unwrap();
        let now = coordinate_of(world) - middle;
        if last < 0.0 && 0.0 <= now {
            passes.push(f64::from(DT) * (f64::from(step) + last / (last - now)));
        }
        last = now;
    }
    (passes[passes.len() - 1] - passes[0]) / (passes.len() - 1) as f64
}

const HELD: [JointKind; 6] = [
    JointKind::Weld,
    JointKind::FREE_SPHERICAL,
    JointKind::FREE_REVOLUTE,
    JointKind::FREE_PRISMATIC,
    JointKind::Screw { lead: 0.4, limits: None, motor: None },
    JointKind::SixDof(SixDof::LOCKED),
];

/// Returns the sag g / w^2 of a spring of 1.25 oscillations a second.
fn sag_at_rest() -> f64 {
    f64::from(GRAVITY) / (2.0 * f64::from(PI) * 1.25).powi(2)
}

#[test]
fn a_soft_joint_swings_at_its_frequency_for_any_mass() {
    let spring = Spring::new(1.25, 0.02);
    for (mass, kind) in [1.0, 300.0].into_iter().flat_map(|mass| HELD.map(|kind| (mass, kind))) {
        let (mut world, body, _) =
            pair(GRAVITY, mass, |a, b| JointDesc::new(a, b, kind).with_axis(Vec3::X).with_spring(spring));
        let height = |world: &World| f64::from(world.body(body).unwrap().position().y);
        let found = period(&mut world, -sag_at_rest(), height);
        assert!(is_near(found, 1.0 / 1.25, 0.02), "{kind:?} of {mass}: {found}");
    }
}

#[test]
fn a_soft_joint_sags_by_the_closed_form_for_any_mass() {
    let spring = Spring::new(1.25, 1.0);
    for (mass, kind) in [1.0, 300.0].into_iter().flat_map(|mass| HELD.map(|kind| (mass, kind))) {
        let (mut world, body, _) =
            pair(GRAVITY, mass, |a, b| JointDesc::new(a, b, kind).with_axis(Vec3::X).with_spring(spring));
        run(&mut world, 20.0);
        let height = f64::from(world.body(body).unwrap().position().y);
        assert!(is_near(height, -sag_at_rest(), 0.02), "{kind:?} of {mass}: {height}");
    }
}

#[test]
fn a_soft_rope_stretches_by_its_sag_and_a_joint_made_stiff_again_does_not() {
    let (mut world, body, joint) = on_post(GRAVITY, 5.0, JointKind::Distance { min: 0.0, max: 0.5 }, Vec3::X);
    let sag = GRAVITY / (2.0 * PI * 2.0).powi(2);
    world.joint_mut(joint).unwrap().set_spring(Spring::new(2.0, 0.5)).unwrap();
    run(&mut world, 20.0);
    let length = world.body(body).unwrap().position().length() - 0.5;
    assert!(is_near(f64::from(length), f64::from(sag), 0.02), "{length}, {sag}");
    assert!(is_near(f64::from(world.joint(joint).unwrap().error()), f64::from(length), 1e-3));
    assert!(is_near(f64::from(world.joint(joint).unwrap().force().y), f64::from(5.0 * GRAVITY), 0.01));
    world.joint_mut(joint).unwrap().set_spring(None).unwrap();
    run(&mut world, 20.0);
    assert!(world.joint(joint).unwrap().error() < 0.003);
}

/// A bar hangs against its cone limit. Without the limit it swings as a free pendulum: it does not
/// turn about the axis of the cone, and keeps its energy.
#[test]
fn r_a_cone_that_is_let_go_leaves_no_torque() {
    for free in [PI, f32::MAX] {
        let mut world = world_with(GRAVITY);
        let hook = insert_post(&mut world, Vec3::ZERO);
        let bar =
            insert_box(&mut world, Vec3::new(0.45, 0.05, 0.05), 5.0, Pose::from_translation(Vec3::X * 0.45));
        let desc = JointDesc::spherical(hook, bar).with_anchor(Vec3::ZERO).with_axis(Vec3::X).with_cone(0.3);
        let joint = world.insert_joint(desc).unwrap();
        run(&mut world, 2.0);
        assert!(10.0 < world.joint(joint).unwrap().torque().length());
        let start = energy(&world, &[bar], GRAVITY);
        world.joint_mut(joint).unwrap().set_cone(free).unwrap();
        for _ in 0..600 {
            run(&mut world, DT);
            let body = world.body(bar).unwrap().motion();
            assert!(body.angular_velocity.x.abs() < 0.05, "{}", body.angular_velocity);
            assert!(world.joint(joint).unwrap().torque().length() < 0.5);
            assert!(energy(&world, &[bar], GRAVITY) < start + 1.5);
        }
        assert!(world.body(bar).unwrap().position().y < 0.0);
    }
}

#[test]
fn setters_wake_both_bodies_and_user_data_wakes_none() {
    let mut world = world_with(0.0);
    let [a, b] = [0.0, 1.0].map(|x| {
        let at = Pose::from_translation(Vec3::X * x);
        insert_box(&mut world, Vec3::splat(0.2), 1.0, at)
    });
    let joint = world.insert_joint(JointDesc::spherical(a, b)).unwrap();
    let is_asleep = |world: &World| [a, b].map(|body| world.body(body).unwrap().is_sleeping());
    run(&mut world, 3.0);
    assert_eq!(is_asleep(&world), [true; 2]);
    world.joint_mut(joint).unwrap().set_user_data(3).unwrap();
    assert_eq!(is_asleep(&world), [true; 2]);
    let refused = world.joint_mut(joint).unwrap().set_cone(-1.0).map(|_| ());
    assert!(refused.is_err() && is_asleep(&world) == [true; 2]);
    world.joint_mut(joint).unwrap().set_cone(1.0).unwrap().set_twist([-0.5, 0.5]).unwrap();
    assert_eq!(is_asleep(&world), [false; 2]);
    assert_eq!(
        world.joint(joint).unwrap().kind(),
        JointKind::Spherical { cone: 1.0, twist: Some([-0.5, 0.5]) }
    );
}

#[test]
fn restored_soft_joints_and_motors_go_on_with_the_same_bits() {
    let mut world = world_with(GRAVITY);
    let post = insert_post(&mut world, Vec3::ZERO);
    let mut last = post;
    for k in 0..4 {
        let at = Pose::from_translation(Vec3::X * (0.5 + k as f32));
        let body = insert_box(&mut world, Vec3::new(0.4, 0.1, 0.1), 1.0 + 20.0 * k as f32, at);
        let motor = Motor::position(0.4, Spring::new(3.0, 0.5)).with_max_force(90.0);
        let desc = match k {
            0 => JointDesc::spherical(last, body).with_cone(1.0).with_twist(-0.2, 0.2),
            1 => JointDesc::universal(last, body).with_axis_motor(JointAxis::AngZ, motor),
            2 => JointDesc::weld(last, body).with_spring(Spring::new(4.0, 0.3)),
            _ => JointDesc::cylindrical(last, body).with_axis_motor(JointAxis::X, motor),
        };
        world.insert_joint(desc.with_anchor(Vec3::X * k as f32).with_axis(Vec3::X)).unwrap();
        last = body;
    }
    run(&mut world, 0.7);
    let mut again: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    run(&mut world, 3.0);
    run(&mut again, 3.0);
    assert_eq!(world.state_hash(), again.state_hash());
    assert!(world.joints().zip(again.joints()).all(|(one, other)| one.data() == other.data()));
}
