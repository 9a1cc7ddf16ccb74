//! Screws against closed forms: acceleration, load, motors, limits after several turns, momentum
//! and energy.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Quat, Vec3};
use carom_response::{Joint, JointFault, JointKind, Motor, SolverSettings, Spring};
use core::f64::consts::TAU;

const NUT: Vec3 = Vec3::new(0.5, 0.1, 0.4);
const GRAVITY: f64 = 9.81;

fn screw(lead: f32) -> JointKind {
    JointKind::Screw { lead, limits: None, motor: None }
}

/// The moment of inertia of a nut about its axis y.
fn inertia(mass: f64) -> f64 {
    mass / 3.0 * f64::from(NUT.x * NUT.x + NUT.z * NUT.z)
}

/// A nut at the origin on a fixed vertical spindle.
fn nut(mass: f32, kind: JointKind, gravity: f64) -> Scene {
    let settings = SolverSettings::default().with_gravity(Vec3::NEG_Y * gravity as f32);
    let mut scene = Scene::new(settings.with_sleep(false));
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    scene.dynamic(NUT, mass, Pose::IDENTITY);
    scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::Y).unwrap());
    scene
}

fn run(scene: &mut Scene, seconds: f32) {
    for _ in 0..(seconds / DT).round() as usize {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
    }
}

/// The angle with full turns, the travel, and the distance from the thread.
fn coordinates(scene: &Scene) -> [f64; 3] {
    let (joint, a, b) = (&scene.joints[0], &scene.bodies[0], &scene.bodies[1]);
    [joint.angle(a, b).unwrap(), joint.translation(a, b).unwrap(), f64::from(joint.gap(a, b))]
}

fn is_near(value: f64, expected: f64, share: f64) -> bool {
    (value - expected).abs() <= share * expected.abs()
}

/// The weight turns the nut by the torque `m g lead / 2 pi`, against its own inertia and that of
/// the travel. The thread carries the rest of the weight, and its torque turns the nut.
#[test]
fn a_nut_runs_down_its_spindle() {
    for (mass, lead) in [(1.0, 0.05), (300.0, 0.05), (1.0, -0.6), (300.0, 3.0), (1.0, 60.0)] {
        let mut scene = nut(mass as f32, screw(lead), GRAVITY);
        let per_radian = f64::from(lead) / TAU;
        let turning = -mass * GRAVITY * per_radian / (inertia(mass) + mass * per_radian * per_radian);
        run(&mut scene, 2.0);
        let [angle, travel, gap] = coordinates(&scene);
        let closed = 0.5 * turning * 4.0;
        println!("lead {lead}, {mass} kg: {:.2} turns of {:.2}, gap {gap:.1e}", angle / TAU, closed / TAU);
        // A substep of motion.
        assert!(is_near(angle, closed, 0.005), "{lead}, {mass}: {angle}, {closed}");
        assert!(is_near(travel, closed * per_radian, 0.005), "{lead}, {mass}: {travel}");
        assert!(gap < 1e-3 * f64::from(lead.abs()), "{lead}, {mass}: {gap}");
        let speed = f64::from(scene.joints[0].speed(&scene.bodies[0], &scene.bodies[1]).unwrap());
        assert!(is_near(speed, 2.0 * turning, 0.005), "{lead}, {mass}: {speed}");
        let (force, torque) = (scene.joints[0].load.force(), scene.joints[0].load.torque());
        let (thrust, turn) = (mass * (GRAVITY + turning * per_radian), inertia(mass) * turning);
        assert!((f64::from(force.y) - thrust).abs() < 0.005 * mass * GRAVITY, "{lead}: {force}, {thrust}");
        assert!(is_near(f64::from(torque.y), turn, 0.01), "{lead}, {mass}: {torque}, {turn}");
        let body = &scene.bodies[1];
        let aside = Vec3::new(body.pose.translation.x, 0.0, body.pose.translation.z).length();
        let tilt = (body.pose.rotation * Vec3::Y).angle_between(Vec3::Y);
        assert!(aside < 1e-3 && tilt < 1e-3, "{lead}, {mass}: {aside}, {tilt}");
    }
}

/// The jack lifts with the torque of its motor, less that of the load.
#[test]
fn a_motor_lifts_a_load() {
    for (mass, lead) in [(1.0, 0.2f32), (300.0, 0.2), (300.0, -1.5)] {
        let per_radian = f64::from(lead) / TAU;
        let torque = 3.0 * mass * GRAVITY * per_radian.abs();
        let up = Motor::velocity(1000.0 * lead.signum()).with_max_force(torque as f32);
        let kind = JointKind::Screw { lead, limits: None, motor: Some(up) };
        let mut scene = nut(mass as f32, kind, GRAVITY);
        run(&mut scene, 1.0);
        let turning = (torque * f64::from(lead.signum()) - mass * GRAVITY * per_radian)
            / (inertia(mass) + mass * per_radian * per_radian);
        let [angle, travel, _] = coordinates(&scene);
        println!("lead {lead}, {mass} kg: lifted by {travel:.3}, closed {:.3}", 0.5 * turning * per_radian);
        assert!(is_near(angle, 0.5 * turning, 0.005) && 0.0 < travel, "{lead}, {mass}: {angle}, {turning}");
    }
}

/// A position motor counts turns: it drives the nut by four of them, and holds the load.
#[test]
fn a_position_motor_counts_turns() {
    let target = (4.0 * TAU) as f32;
    let motor = Motor::position(target, Spring::new(1.0, 1.0));
    let mut scene = nut(2.0, JointKind::Screw { lead: 0.1, limits: None, motor: Some(motor) }, GRAVITY);
    run(&mut scene, 8.0);
    let [angle, travel, gap] = coordinates(&scene);
    // The spring of 1 Hz gives way to the torque of the weight.
    let per_radian = 0.1 / TAU;
    let sag = 2.0 * GRAVITY * per_radian / (TAU * TAU * (inertia(2.0) + 2.0 * per_radian * per_radian));
    println!("{:.4} turns, sag {sag:.4} rad, travel {travel:.4}, gap {gap:.1e}", angle / TAU);
    assert!((angle - (f64::from(target) - sag)).abs() < 0.01, "{angle}, {sag}");
    assert!((travel - angle * per_radian).abs() < 1e-4 && gap < 1e-4, "{travel}, {gap}");
}

/// The limits count turns too. At the lower one, the thread carries the whole weight, and limit and
/// thread turn against each other.
#[test]
fn a_nut_stops_at_its_limits() {
    for (mass, lead) in [(1.0, 0.5), (300.0, 0.5), (300.0, -0.1)] {
        let limits = [-2.5 * TAU as f32, 1.25 * TAU as f32];
        let mut scene = nut(mass, JointKind::Screw { lead, limits: Some(limits), motor: None }, GRAVITY);
        let start = scene.energy();
        let mut most = start;
        for _ in 0..3600 {
            run(&mut scene, DT);
            most = most.max(scene.energy());
            let angle = coordinates(&scene)[0];
            assert!((-2.5 * TAU - 0.05..1.25 * TAU + 0.05).contains(&angle), "{lead}, {mass}: {angle}");
        }
        let [angle, travel, gap] = coordinates(&scene);
        let end = if lead < 0.0 { 1.25 * TAU } else { -2.5 * TAU };
        println!("lead {lead}, {mass} kg: at {angle:.4} of {end:.4}, travel {travel:.4}, gap {gap:.1e}");
        assert!((angle - end).abs() < 0.005, "{lead}, {mass}: {angle}");
        assert!(most <= start + 1e-3 * mass * GRAVITY as f32, "{most}, {start}");
        let (force, torque) = (scene.joints[0].load.force(), scene.joints[0].load.torque());
        let weight = mass * GRAVITY as f32;
        assert!((force - Vec3::Y * weight).length() < 0.005 * weight, "{force}");
        assert!(torque.length() < 0.005 * weight * lead.abs(), "{lead}, {mass}: {torque}");
    }
}

/// Two free bodies that turn against each other run along their screw for a minute. They keep
/// momentum, angular momentum and energy.
#[test]
fn a_free_screw_keeps_what_it_has() {
    for masses in [[1.0, 1.0], [300.0, 1.0], [1.0, 300.0]] {
        let settings = SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false);
        let mut scene = Scene::new(settings);
        let turned = Quat::from_rotation_z(0.4);
        for mass in masses {
            scene.dynamic(NUT, mass, Pose::new(turned, Vec3::ZERO));
        }
        let axis = turned * Vec3::Y;
        scene.bodies[1].angular_velocity = axis * 6.0;
        scene.joints.push(Joint::at(screw(0.3), &scene.bodies, 0, 1, Vec3::ZERO, axis).unwrap());
        // The velocities that fit the thread come in the first step.
        run(&mut scene, DT);
        let sums = |scene: &Scene| {
            let momentum: Vec3 =
                scene.bodies.iter().map(|body| body.linear_velocity / body.inverse_mass).sum();
            let turning = scene.bodies.iter().map(|body| {
                let own = (body.linear_velocity / body.inverse_mass).as_dvec3();
                body.angular_momentum() + body.world_center().as_dvec3().cross(own)
            });
            (scene.energy(), momentum, turning.sum::<carom_math::glam::DVec3>())
        };
        let (energy, _, turning) = sums(&scene);
        let mut most = energy;
        for _ in 0..3600 {
            run(&mut scene, DT);
            most = most.max(sums(&scene).0);
        }
        let (left, momentum, turned) = sums(&scene);
        let [angle, travel, gap] = coordinates(&scene);
        println!(
            "{masses:?}: {:.1} turns, {travel:.2} m, gap {gap:.1e}, energy {:.5}",
            angle / TAU,
            left / energy
        );
        assert!(most <= 1.001 * energy && 0.99 * energy < left, "{masses:?}: {energy} {most} {left}");
        assert!(momentum.length() < 1e-3 && (turned - turning).length() < 0.002 * turning.length());
        assert!(gap < 3e-3 && 50.0 < angle / TAU, "{masses:?}: {gap}, {angle}");
    }
}

/// A screw that turns by more than a radian in a substep stays in its thread. Its travel is that of
/// its poses, which turn by `2 atan(w h / 2)` in a substep `h`.
#[test]
fn a_fast_nut_stays_in_its_thread() {
    for (speed, substeps) in [(50.0f32, 6), (180.0, 6), (500.0, 6), (80.0, 1)] {
        let mut scene = nut(5.0, screw(0.01), 0.0);
        scene.solver.settings_mut().substeps = substeps;
        scene.bodies[1].angular_velocity = Vec3::Y * speed;
        let start = scene.energy();
        run(&mut scene, 10.0);
        let [angle, travel, gap] = coordinates(&scene);
        let (share, rate) = (scene.energy() / start, f64::from(substeps) / f64::from(DT));
        let turned = 10.0 * rate * 2.0 * (0.5 * f64::from(speed) / rate).atan();
        println!(
            "{speed} rad/s, {substeps} substeps: {:.1} turns of {:.1}, gap {gap:.1e}, energy {share}",
            angle / TAU,
            turned / TAU
        );
        assert!(is_near(angle, turned, 0.003), "{speed}: {angle}, {turned}");
        assert!(is_near(travel, angle * 0.01 / TAU, 0.003) && gap < 0.003, "{speed}: {travel}, {gap}");
        assert!((0.99..1.001).contains(&share), "{speed}: {share}");
    }
}

/// The rest of a thread is its lead: a nut that is put between two turns goes to the nearer one.
#[test]
fn a_nut_beside_the_thread_goes_to_the_nearest_turn() {
    for (start, end) in [(0.04, 0.0), (0.06, 0.1), (-0.96, -1.0)] {
        let mut scene = nut(1.0, screw(0.1), 0.0);
        scene.bodies[1].angular_damping = 100.0;
        scene.bodies[1].linear_damping = 1.0;
        scene.bodies[1].pose.translation.y = start;
        assert!((scene.joints[0].gap(&scene.bodies[0], &scene.bodies[1]) - (end - start).abs()).abs() < 1e-6);
        run(&mut scene, 5.0);
        let [angle, travel, gap] = coordinates(&scene);
        println!("from {start}: at {travel:.4}, {:.3} turns, gap {gap:.1e}", angle / TAU);
        assert!(gap < 1e-5 && (travel - f64::from(end)).abs() < 0.02, "{start}: {travel}, {gap}");
    }
}

#[test]
fn a_lead_that_is_none_is_named() {
    for lead in [0.0, f32::NAN, f32::INFINITY] {
        let fault = screw(lead).validate();
        assert!(matches!(fault, Err(JointFault::BadValue { what: "lead", .. })), "{lead}: {fault:?}");
    }
    assert_eq!(screw(-0.1).validate(), Ok(()));
}
