//! Bodies that turn far in a substep: the position of their joint at its end cannot be predicted,
//! so its error must not be corrected.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Vec3};
use carom_response::{Joint, JointKind, SixDof, Solver, SolverSettings};

const KINDS: [(&str, JointKind); 10] = [
    ("fixed", JointKind::Weld),
    ("ball", JointKind::Spherical { cone: 4.0, twist: None }),
    ("cone", JointKind::Spherical { cone: 0.5, twist: None }),
    ("hinge", JointKind::FREE_REVOLUTE),
    ("limited hinge", JointKind::Revolute { limits: Some([-1.0, 1.0]), motor: None }),
    ("slider", JointKind::FREE_PRISMATIC),
    ("screw", JointKind::Screw { lead: 0.3, limits: None, motor: None }),
    ("locked axes", JointKind::SixDof(SixDof::LOCKED)),
    ("rod", JointKind::Distance { min: 1.0, max: 1.0 }),
    ("strut", JointKind::Distance { min: 0.5, max: 2.0 }),
];

/// A joint in the open, near two boxes and far from them.
const NEAR: Vec3 = Vec3::new(1.2, -0.5, 0.4);
const FAR: Vec3 = Vec3::new(8.0, -6.0, 5.0);

/// Two boxes without gravity that whirl when they are joined, the first of them perhaps fixed: the
/// greatest energy of 300 steps and the last, in units of that at first.
fn whirl(joint: (JointKind, Vec3), spin: f32, is_held: bool, substeps: u32) -> (f32, f32) {
    let settings = SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false);
    let mut scene = Scene::new(settings.with_substeps(substeps));
    if is_held {
        scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    } else {
        scene.dynamic(Vec3::new(0.5, 0.3, 0.4), 1.0, Pose::IDENTITY);
        scene.bodies[0].angular_velocity = Vec3::new(-0.3, 0.5, 0.8) * spin;
    }
    scene.dynamic(Vec3::new(0.2, 0.5, 0.3), 0.4, Pose::from_translation(Vec3::new(1.0, 1.0, 0.0)));
    scene.bodies[1].angular_velocity = Vec3::new(0.5, 0.6, -0.6) * spin;
    scene.joints.push(Joint::at(joint.0, &scene.bodies, 0, 1, joint.1, Vec3::X).unwrap());
    let start = scene.energy();
    let mut most: f32 = 0.0;
    for _ in 0..300 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        most = most.max(scene.energy());
    }
    (most / start, scene.energy() / start)
}

/// Far from its boxes, a fixed joint in one substep had 366 times the energy that there was; a
/// hinge with limits in six, 2e8 times.
#[test]
fn joints_of_what_whirls_give_no_energy() {
    for (name, kind) in KINDS {
        let (mut greatest, mut worst): (f32, _) = (0.0, (0.0, false, 0, NEAR));
        for (is_held, at) in [(true, NEAR), (true, FAR), (false, NEAR), (false, FAR)] {
            for substeps in [1, 6] {
                for spin in [10.0, 100.0, 300.0, 1000.0, 1.0e4, 1.0e6] {
                    let (most, end) = whirl((kind, at), spin, is_held, substeps);
                    assert!(end <= most, "{name} {spin} {is_held} {substeps} {at}: {most} {end}");
                    if greatest < most {
                        (greatest, worst) = (most, (spin, is_held, substeps, at));
                    }
                }
            }
        }
        println!(
            "{name}: at most {greatest:.3} of the energy at first (turns, held, substeps, joint: {worst:?})"
        );
        assert!(greatest < 1.001, "{name}: {greatest} {worst:?}");
    }
}

/// A wheel turns by more than a radian in a substep, as fast as ever, and stays on its axle: what
/// turns about its own joint does not whirl.
#[test]
fn a_fast_wheel_stays_on_its_axle() {
    let mut scene = Scene::new(SolverSettings::default().with_sleep(false));
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    // A point at which rounding puts the joint beside the middle.
    let middle = Vec3::new(3.0, 0.1, 0.3);
    scene.dynamic(Vec3::new(0.1, 0.5, 0.5), 5.0, Pose::from_translation(middle));
    scene.bodies[1].angular_velocity = Vec3::X * 500.0;
    let kind = JointKind::FREE_REVOLUTE;
    let at = middle + Vec3::splat(1.0e-6);
    scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1, at, Vec3::X).unwrap());
    for _ in 0..600 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
    }
    let wheel = scene.bodies[1];
    println!(
        "a wheel of 500 rad/s after 10 s: {} at {}",
        wheel.angular_velocity,
        wheel.pose.translation - middle
    );
    assert!((wheel.angular_velocity - Vec3::X * 500.0).length() < 5.0);
    assert!((wheel.pose.translation - middle).length() < 0.005);
}

/// Warm starting scales the impulses of joints by the ratio of the substeps. They are stored with
/// the length of their substep, whatever else the solver stepped meanwhile.
#[test]
fn impulses_of_joints_are_scaled_from_the_substep_they_come_from() {
    let mut settings = SolverSettings::default().with_substeps(1).with_sleep(false);
    settings.settle_braking = 0.0;
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    for k in 0..10 {
        scene.dynamic(Vec3::splat(0.2), 1.0, Pose::from_translation(Vec3::new(0.0, -0.5 - k as f32, 0.0)));
        let (kind, at) = (JointKind::Spherical { cone: 4.0, twist: None }, Vec3::new(0.0, -(k as f32), 0.0));
        scene.joints.push(Joint::at(kind, &scene.bodies, k, k + 1, at, Vec3::X).unwrap());
    }
    for _ in 0..600 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
    }
    let held = scene.joints[0].impulse;
    assert_eq!(held.substep, DT);
    assert!((held.linear.y - 98.1 * DT).abs() < 0.02 * 98.1 * DT, "{held:?}");
    scene.solver.settings_mut().substeps = 6;
    // One that is new, and one that has stepped others in substeps of another length.
    let (mut new, mut old) = (Solver::new(*scene.solver.settings()), scene.solver.clone());
    old.step(&mut scene.bodies.clone(), &[], &mut [], DT).unwrap();
    let go_on = |solver: &mut Solver| {
        let (mut bodies, mut joints) = (scene.bodies.clone(), scene.joints.clone());
        solver.step(&mut bodies, &[], &mut joints, DT).unwrap();
        (bodies, joints)
    };
    let went = go_on(&mut new);
    assert_eq!(went, go_on(&mut old));
    assert!((went.1[0].impulse.substep - DT / 6.0).abs() < 1.0e-7);
}

/// Two bodies whose ends of a rod are at one place part along the axis of the joint: without a
/// direction nothing moved, and the impulse grew.
#[test]
fn a_rod_that_begins_without_length_gets_it() {
    let mut scene = Scene::new(SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false));
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    scene.dynamic(Vec3::splat(0.2), 1.0, Pose::IDENTITY);
    let kind = JointKind::Distance { min: 0.5, max: 0.5 };
    scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::X).unwrap());
    let mut fastest: f32 = 0.0;
    for _ in 0..120 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        fastest = fastest.max(scene.bodies[1].linear_velocity.length());
    }
    let (at, speed) = (scene.bodies[1].pose.translation, scene.bodies[1].linear_velocity.length());
    println!("a rod of 0.5 that begins at 0: {at}, at most {fastest} m/s after a step, {speed} in the end");
    assert!((at - Vec3::X * 0.5).length() < 0.01 && speed < 0.01);
    assert!(scene.joints[0].impulse.lower < 0.01, "{:?}", scene.joints[0].impulse);
}
