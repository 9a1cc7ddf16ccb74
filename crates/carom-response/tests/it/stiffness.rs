//! Springs of a given stiffness and damping, against closed forms; and what a substep adds to the
//! damping of a spring.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Vec3};
use carom_response::{Joint, JointFault, JointKind, Motor, SolverSettings, Spring};
use core::f32::consts::TAU;

const GRAVITY: f32 = 9.81;
const HALF: Vec3 = Vec3::new(0.15, 0.03, 0.03);

fn scene() -> Scene {
    let settings = SolverSettings::default().with_gravity(Vec3::NEG_Y * GRAVITY).with_sleep(false);
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.05), Pose::IDENTITY);
    scene
}

fn run(scene: &mut Scene, duration: f32) {
    for _ in 0..(duration / DT) as usize {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
    }
}

/// Returns a spring of this stiffness that comes to rest with a mass.
fn damped(stiffness: f32, mass: f32) -> Spring {
    Spring::from_stiffness(stiffness, (stiffness * mass).sqrt())
}

fn assert_near(what: &str, value: f64, closed: f32) {
    println!("{what}: {value:.6}, closed form {closed:.6}");
    assert!((value / f64::from(closed) - 1.0).abs() < 0.01, "{what}: {value} {closed}");
}

/// Each slider bears all bodies below it.
#[test]
fn sliders_sag_by_their_weight_over_the_stiffness() {
    for (n, mass, stiffness) in [(1, 1.0, 100.0), (1, 50.0, 2e4), (3, 2.0, 1e3), (5, 1.0, 1e5)] {
        let mut scene = scene();
        let motor = Some(Motor::position(0.0, damped(stiffness, mass * n as f32)));
        for k in 0..n {
            scene.dynamic(Vec3::splat(0.05), mass, Pose::IDENTITY);
            let kind = JointKind::Prismatic { limits: None, motor };
            scene.joints.push(Joint::at(kind, &scene.bodies, k, k + 1, Vec3::ZERO, Vec3::Y).unwrap());
        }
        run(&mut scene, 10.0);
        for k in 0..n as usize {
            let closed = mass * GRAVITY * (n as usize - k) as f32 / stiffness;
            let sag = -scene.joints[k].translation(&scene.bodies[k], &scene.bodies[k + 1]).unwrap();
            assert_near(&format!("slider {k} of {n}"), sag, closed);
        }
    }
}

/// Each hinge bears the weight of all links behind it.
#[test]
fn an_arm_sags_by_its_torque_over_the_stiffness() {
    for (n, stiffness) in [(1, 500.0), (2, 2e3), (5, 2e4)] {
        let mut scene = scene();
        let motor = Some(Motor::position(0.0, damped(stiffness, n as f32)));
        for k in 0..n {
            let at = Vec3::X * 0.3 * k as f32;
            scene.dynamic(HALF, 1.0, Pose::from_translation(at + Vec3::X * 0.15));
            let kind = JointKind::Revolute { limits: None, motor };
            scene.joints.push(Joint::at(kind, &scene.bodies, k, k + 1, at, Vec3::Z).unwrap());
        }
        run(&mut scene, 10.0);
        for k in 0..n as usize {
            let count = (n as usize - k) as f32;
            let closed = GRAVITY * 0.15 * count * count / stiffness;
            let angle = -scene.joints[k].angle(&scene.bodies[k], &scene.bodies[k + 1]).unwrap();
            assert_near(&format!("hinge {k} of {n}"), angle, closed);
        }
    }
}

/// A soft weld sinks at its point, and tilts.
#[test]
fn a_soft_weld_yields_to_force_and_torque() {
    for stiffness in [1e3, 5e4] {
        let mut scene = scene();
        scene.dynamic(HALF, 2.0, Pose::from_translation(Vec3::X * 0.15));
        let mut joint = Joint::at(JointKind::Weld, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::X).unwrap();
        joint.spring = Some(damped(stiffness, 2.0));
        scene.joints.push(joint);
        run(&mut scene, 10.0);
        let weight = 2.0 * GRAVITY;
        let point = scene.bodies[1].pose.transform_point(Vec3::NEG_X * 0.15);
        let tilt = -scene.bodies[1].pose.transform_vector(Vec3::X).y;
        assert_near("point", f64::from(-point.y), weight / stiffness);
        assert_near("tilt", f64::from(tilt), weight * 0.15 / stiffness);
    }
}

/// Rods and pulleys yield along one direction.
#[test]
fn ropes_yield_by_their_tension_over_the_stiffness() {
    for stiffness in [100.0, 1e4] {
        let weight = 2.0 * GRAVITY;
        let mut scene = scene();
        let low = Vec3::NEG_Y;
        scene.dynamic(Vec3::splat(0.05), 2.0, Pose::from_translation(low));
        let mut rod = Joint::distance(&scene.bodies, 0, 1, [Vec3::ZERO, low], [1.0; 2]).unwrap();
        rod.spring = Some(damped(stiffness, 2.0));
        scene.joints.push(rod);
        scene.dynamic(Vec3::splat(0.05), 2.0, Pose::from_translation(low + Vec3::X));
        let supports = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.5, 0.0)];
        let kind = JointKind::Pulley { supports, ratio: 1.0, length: 1.5 };
        let mut pulley = Joint::new(kind, [2, 0], [Pose::IDENTITY; 2]);
        pulley.spring = Some(damped(stiffness, 2.0));
        scene.joints.push(pulley);
        run(&mut scene, 10.0);
        let down = |body: usize| f64::from(-1.0 - scene.bodies[body].pose.translation.y);
        assert_near("rod", down(1), weight / stiffness);
        assert_near("pulley", down(2), weight / stiffness);
    }
}

/// A body that flies into a soft rope or a play stretches it by `v / omega`, and comes back.
#[test]
fn soft_ropes_become_taut_without_a_jerk() {
    let (speed, frequency) = (3.0f32, 1.0);
    for bounds in [[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]] {
        for spring in
            [Spring::new(frequency, 0.0), Spring::from_stiffness(2.0 * (TAU * frequency).powi(2), 0.0)]
        {
            let mut scene = scene();
            scene.solver.settings_mut().gravity = Vec3::ZERO;
            let at = Vec3::X * 0.99;
            scene.dynamic(Vec3::splat(0.1), 2.0, Pose::from_translation(at));
            let mut rope = Joint::distance(&scene.bodies, 0, 1, [Vec3::ZERO, at], bounds).unwrap();
            rope.spring = Some(spring);
            scene.joints.push(rope);
            scene.bodies[1].linear_velocity = Vec3::X * speed;
            let (mut most, mut slowest) = (0.0f32, 0.0f32);
            for _ in 0..45 {
                run(&mut scene, 1.01 * DT);
                most = most.max(scene.bodies[1].pose.translation.x);
                slowest = slowest.min(scene.bodies[1].linear_velocity.x);
            }
            let closed = speed / (TAU * frequency);
            println!("{bounds:?}, {spring:?}: {most}, back at {slowest}");
            // The end of each substep determines the force, which damps it.
            assert!((0.97..1.0).contains(&((most - 1.0) / closed)), "{bounds:?}: {most}");
            assert!((-speed..-0.9 * speed).contains(&slowest), "{bounds:?}: {slowest}");
        }
    }
}

/// A gear yields to the torque of the one wheel, while the other is held.
#[test]
fn a_gear_yields_by_its_torque_over_the_stiffness() {
    let mut scene = scene();
    let hinge = |limits, motor| JointKind::Revolute { limits, motor };
    for (k, kind) in
        [hinge(None, Some(Motor::velocity(100.0).with_max_force(2.0))), hinge(Some([0.0; 2]), None)]
            .into_iter()
            .enumerate()
    {
        let at = Vec3::X * k as f32;
        let wheel = scene.dynamic(Vec3::splat(0.1), 3.0, Pose::from_translation(at)) as u32;
        scene.joints.push(Joint::at(kind, &scene.bodies, 0, wheel, at, Vec3::Z).unwrap());
    }
    let (bodies, joints) = (&scene.bodies, &scene.joints);
    let pairs = [[&bodies[0], &bodies[1]], [&bodies[0], &bodies[2]]];
    let kind = JointKind::Gear { ratio: 1.0 };
    let mut gear = Joint::gear(kind, [&joints[0], &joints[1]], pairs).unwrap();
    gear.spring = Some(Spring::from_stiffness(50.0, 1.0));
    scene.joints.push(gear);
    run(&mut scene, 10.0);
    let angle = scene.joints[0].angle(&scene.bodies[0], &scene.bodies[1]).unwrap();
    assert_near("gear", angle, 2.0 / 50.0);
}

/// The oscillation of a mass on a spring without damping decays, because each substep uses the
/// force at its end: in a cycle by `exp(-2 pi^2 frequency substep)`.
#[test]
fn the_damping_that_a_substep_adds_is_the_stated_one() {
    for frequency in [0.5, 1.0, 2.0, 5.0] {
        let stiffness = 2.0 * (TAU * frequency).powi(2);
        for spring in [Spring::new(frequency, 0.0), Spring::from_stiffness(stiffness, 0.0)] {
            for is_motor in [false, true] {
                let mut scene = scene();
                scene.solver.settings_mut().gravity = Vec3::ZERO;
                let low = Vec3::NEG_Y;
                scene.dynamic(Vec3::splat(0.05), 2.0, Pose::from_translation(low));
                scene.joints.push(if is_motor {
                    let motor = Some(Motor::position(0.0, spring));
                    let kind = JointKind::Prismatic { limits: None, motor };
                    Joint::at(kind, &scene.bodies, 0, 1, low, Vec3::Y).unwrap()
                } else {
                    let ends = [Vec3::ZERO, low];
                    let mut rod = Joint::distance(&scene.bodies, 0, 1, ends, [1.0; 2]).unwrap();
                    rod.spring = Some(spring);
                    rod
                });
                scene.bodies[1].pose.translation -= Vec3::Y * 0.1;
                run(&mut scene, 10.0 / frequency - 0.5 / frequency);
                let mut most = 0.0f32;
                for _ in 0..(1.0 / frequency / DT) as usize {
                    run(&mut scene, 1.01 * DT);
                    most = most.max((scene.bodies[1].pose.translation.y + 1.0).abs() / 0.1);
                }
                let substep = DT / scene.solver.settings().substeps as f32;
                let closed = (-0.5 * TAU * TAU * 9.75 * frequency * substep).exp();
                println!("{frequency} Hz, {spring:?}, motor {is_motor}: {most:.3}, {closed:.3}");
                assert!((most - closed).abs() < 0.03, "{frequency} Hz: {most} {closed}");
            }
        }
    }
}

/// A spring without stiffness is a damper, and one without both has no force.
#[test]
fn a_spring_without_stiffness_only_damps() {
    for (damping, speed) in [(0.0, 2.0f32), (4.0, 2.0 * (-2.0f32).exp())] {
        let mut scene = scene();
        scene.solver.settings_mut().gravity = Vec3::ZERO;
        scene.dynamic(Vec3::splat(0.05), 2.0, Pose::IDENTITY);
        let motor = Some(Motor::position(0.0, Spring::from_stiffness(0.0, damping)));
        let kind = JointKind::Prismatic { limits: None, motor };
        scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::Y).unwrap());
        scene.bodies[1].linear_velocity = Vec3::Y * 2.0;
        run(&mut scene, 1.001);
        assert_near("speed", f64::from(scene.bodies[1].linear_velocity.y), speed);
    }
}

#[test]
fn bad_numbers_are_named() {
    let fault = |spring: Spring| match spring.validate() {
        Err(JointFault::BadValue { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(Spring::from_stiffness(-1.0, 0.0)), "stiffness");
    assert_eq!(fault(Spring::from_stiffness(f32::NAN, 0.0)), "stiffness");
    assert_eq!(fault(Spring::from_stiffness(2e9, 0.0)), "stiffness");
    assert_eq!(fault(Spring::from_stiffness(1.0, f32::INFINITY)), "damping");
    assert_eq!(fault(Spring::new(0.0, 1.0)), "frequency");
    assert!(Spring::from_stiffness(0.0, 0.0).validate().is_ok());
}
