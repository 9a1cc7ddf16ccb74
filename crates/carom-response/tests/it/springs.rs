//! Torsion springs on hinges against closed forms: period, energy, damping, torque at a stop, whole
//! turns.

use crate::scene::{DT, Scene};
use carom_math::{Pose, Vec3};
use carom_response::{Joint, JointFault, JointImpulse, JointKind, Motor, SolverSettings, TorsionSpring};
use core::f64::consts::{PI, TAU};
use proptest::prelude::*;

const FREE: JointKind = JointKind::FREE_REVOLUTE;
const WHEEL: Vec3 = Vec3::new(0.5, 0.5, 0.1);

/// A wheel of mass 1 on a fixed arbor along z, with a spring.
fn wheel(substeps: u32, kind: JointKind, spring: TorsionSpring) -> Scene {
    let settings = SolverSettings::default().with_gravity(Vec3::ZERO);
    let mut scene = Scene::new(settings.with_substeps(substeps).with_sleep(false));
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    scene.dynamic(WHEEL, 1.0, Pose::IDENTITY);
    let joint = Joint::at(kind, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::Z).unwrap();
    scene.joints.push(joint.with_torsion_spring(spring));
    scene
}

/// The moment of inertia of the wheel about its arbor.
const INERTIA: f64 = 1.0 / 6.0;

impl Scene {
    fn step_joints(&mut self) {
        self.solver.step(&mut self.bodies, &[], &mut self.joints, DT).unwrap();
        self.sleepers.fall_asleep(&mut self.bodies, &self.solver);
    }

    fn angle(&self) -> f64 {
        self.joints[0].angle(&self.bodies[0], &self.bodies[1]).unwrap()
    }

    fn spring_energy(&self) -> f64 {
        let substep = DT / self.solver.settings().substeps as f32;
        let stored = self.joints[0].spring_energy(&self.bodies[0], &self.bodies[1], substep);
        stored + self.bodies.iter().map(|body| f64::from(body.kinetic_energy())).sum::<f64>()
    }
}

/// The mean period between zero crossings upwards.
fn period(times: &[(f64, f64)]) -> f64 {
    let mut crossings = Vec::new();
    for pair in times.windows(2) {
        let [(t, x), (u, y)] = [pair[0], pair[1]];
        if x < 0.0 && 0.0 <= y {
            crossings.push(t + (u - t) * x / (x - y));
        }
    }
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

#[test]
fn a_free_wheel_swings_with_the_period_and_the_energy_of_the_closed_form() {
    for (substeps, frequency, turns) in
        [(6, 0.5, 0.3), (6, 1.0, 0.3), (6, 2.0, 0.1), (6, 1.0, 1.5), (1, 1.0, 0.3)]
    {
        let stiffness = (TAU * frequency) * (TAU * frequency) * INERTIA;
        let mut scene = wheel(substeps, FREE, TorsionSpring::new(stiffness as f32, (TAU * turns) as f32));
        let start = scene.spring_energy();
        let closed = 0.5 * stiffness * (TAU * turns) * (TAU * turns);
        assert!((start / closed - 1.0).abs() < 1e-5, "{start} {closed}");
        let (mut times, mut worst) = (Vec::new(), 0.0f64);
        for k in 1..=3600 {
            scene.step_joints();
            times.push((k as f64 / 60.0, scene.angle() - TAU * turns));
            worst = worst.max((scene.spring_energy() / start - 1.0).abs());
        }
        let ratio = period(&times) * frequency;
        let widest = times[3500..].iter().map(|x| x.1.abs()).fold(0.0, f64::max) / (TAU * turns);
        println!(
            "{substeps} substeps, {frequency} Hz, {turns} turns: period {ratio:.6} of the closed form, energy within \
             {worst:.1e} over 60 s, still {widest:.4} of the swing"
        );
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
        assert!(worst < 0.01, "{worst}");
        assert!(0.98 < widest && widest < 1.005, "{widest}");
    }
}

/// Two wheels on one arbor swing against each other with their reduced inertia, and keep their
/// angular momentum.
#[test]
fn two_free_wheels_swing_against_each_other() {
    let stiffness = TAU * TAU * INERTIA * 0.75;
    let mut scene = wheel(6, FREE, TorsionSpring::new(stiffness as f32, 1.0));
    scene.bodies[0] =
        carom_response::Body::dynamic(Pose::IDENTITY, 3.0, Vec3::ZERO, crate::scene::box_inertia(WHEEL, 3.0));
    let start = scene.spring_energy();
    let mut times = Vec::new();
    for k in 1..=3600 {
        scene.step_joints();
        times.push((k as f64 / 60.0, scene.angle() - 1.0));
        assert!((scene.spring_energy() / start - 1.0).abs() < 0.01);
        let momentum = scene.bodies[0].angular_momentum() + scene.bodies[1].angular_momentum();
        assert!(momentum.length() < 1e-4, "{momentum}");
    }
    let ratio = period(&times);
    println!("two wheels: period {ratio:.5} s of 1 s");
    assert!((ratio - 1.0).abs() < 0.01);
}

#[test]
fn a_damped_wheel_decays_as_the_closed_form_and_a_stiff_damper_never_turns_it_back() {
    let damping = 0.1 * INERTIA;
    let stiffness = TAU * TAU * INERTIA;
    let mut scene = wheel(6, FREE, TorsionSpring::new(stiffness as f32, 1.0).with_damping(damping as f32));
    let start = scene.spring_energy();
    for _ in 0..1200 {
        scene.step_joints();
    }
    // The energy of a weakly damped wheel.
    let (left, closed) = (scene.spring_energy() / start, (-damping / INERTIA * 20.0).exp());
    println!("after 20 s {left:.4} of the energy is left; closed form {closed:.4}");
    assert!((left / closed - 1.0).abs() < 0.02, "{left} {closed}");
    for damping in [10.0, 1e3, 1e6, 1e9] {
        let mut scene = wheel(1, FREE, TorsionSpring::new(0.0, 0.0).with_damping(damping));
        scene.bodies[1].angular_velocity = Vec3::Z * 5.0;
        let mut speed = 5.0;
        for _ in 0..60 {
            scene.step_joints();
            let now = scene.bodies[1].angular_velocity.z;
            assert!(-1e-5 <= now && now <= speed + 1e-5, "{damping}: {now} after {speed}");
            speed = now;
        }
        assert!(speed < 0.01, "{speed}");
    }
}

/// A stop holds the wheel against the whole torque of the spring, be it soft or stiff; and an arm
/// sinks as far as its weight bends the spring.
#[test]
fn a_spring_at_rest_has_its_whole_torque() {
    for (stiffness, rest) in [(0.1, 40.0), (10.0, 10.0), (1e3, 0.2), (1e4, 0.11)] {
        let stop = JointKind::Revolute { limits: Some([-0.1, 0.1]), motor: None };
        let mut scene = wheel(6, stop, TorsionSpring::new(stiffness, rest));
        for _ in 0..120 {
            scene.step_joints();
        }
        let (impulse, h) = (scene.joints[0].impulse, DT / 6.0);
        // The stop is a joint and gives way a little.
        let closed = stiffness * (rest - scene.angle() as f32);
        println!(
            "stiffness {stiffness}: spring {}, stop {}, of {closed}",
            impulse.spring / h,
            impulse.upper / h
        );
        assert!((impulse.spring / h / closed - 1.0).abs() < 0.01, "{}", impulse.spring / h);
        assert!((impulse.upper / h / closed - 1.0).abs() < 0.01, "{}", impulse.upper / h);
    }
    for stiffness in [20.0, 2e3, 2e5] {
        let settings = SolverSettings::default().with_sleep(false);
        let mut scene = Scene::new(settings);
        scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
        scene.dynamic(Vec3::new(0.5, 0.05, 0.05), 1.0, Pose::from_translation(Vec3::X * 0.5));
        let joint = Joint::at(FREE, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::Z).unwrap();
        let spring = TorsionSpring::new(stiffness, 0.0).with_damping(0.05 * stiffness);
        scene.joints.push(joint.with_torsion_spring(spring));
        for _ in 0..600 {
            scene.step_joints();
        }
        let angle = scene.angle();
        // The lever is that of the sunken arm.
        let closed = -9.81 * 0.5 * angle.cos() / f64::from(stiffness);
        println!(
            "an arm on stiffness {stiffness} sinks by {angle:.5} rad; its weight bends it by {closed:.5}"
        );
        assert!((angle / closed - 1.0).abs() < 0.02, "{angle} {closed}");
    }
}

/// A motor winds a spring by many turns. Let go, the wheel gets all of the energy, and never more.
#[test]
fn a_wound_spring_gives_back_what_was_put_in() {
    let motor = Some(Motor::velocity(6.0).with_max_force(100.0));
    let stiffness = 0.01;
    let mut scene = wheel(6, JointKind::Revolute { limits: None, motor }, TorsionSpring::new(stiffness, 0.0));
    let mut work = 0.0;
    while scene.angle() < 10.0 * TAU {
        let before = scene.angle();
        scene.step_joints();
        let torque = f64::from(scene.joints[0].impulse.motors[3]) / (f64::from(DT) / 6.0);
        work += torque * (scene.angle() - before);
    }
    assert_eq!(scene.joints[0].winding.turns, 10);
    scene.bodies[1].angular_velocity = Vec3::ZERO;
    (scene.joints[0].kind, scene.joints[0].impulse) = (FREE, JointImpulse::default());
    let stored = scene.spring_energy();
    let closed = 0.5 * f64::from(stiffness) * scene.angle() * scene.angle();
    assert!((stored / closed - 1.0).abs() < 1e-6);
    let mut most = 0.0f64;
    for _ in 0..3600 {
        scene.step_joints();
        most = most.max(f64::from(scene.bodies[1].kinetic_energy()));
        assert!(scene.spring_energy() < 1.001 * stored);
    }
    println!("work of the motor {work:.3} J, stored {stored:.3} J, the wheel has {most:.3} J at most");
    assert!((work / stored - 1.0).abs() < 0.02, "{work} {stored}");
    assert!((most / stored - 1.0).abs() < 0.01, "{most} {stored}");
}

#[test]
fn a_bad_spring_is_named() {
    let good = TorsionSpring::new(1.0, -70.0).with_damping(0.1);
    assert_eq!(good.validate(), Ok(()));
    let bad = [
        (TorsionSpring { stiffness: -1.0, ..good }, "stiffness"),
        (TorsionSpring { stiffness: f32::NAN, damping: -1.0, ..good }, "stiffness"),
        (TorsionSpring { rest_angle: f32::INFINITY, ..good }, "rest_angle"),
        (TorsionSpring { rest_angle: -2e9, ..good }, "rest_angle"),
        (TorsionSpring { damping: -0.1, ..good }, "damping"),
        (TorsionSpring { damping: 1e10, ..good }, "damping"),
    ];
    for (spring, name) in bad {
        assert!(matches!(spring.validate(), Err(JointFault::BadValue { what, .. }) if what == name));
        let mut scene = wheel(6, FREE, spring);
        assert!(scene.joints[0].validate(2).is_err());
        let Scene { solver, bodies, joints, .. } = &mut scene;
        assert!(solver.step(bodies, &[], joints, DT).is_err());
    }
    let scene = wheel(6, JointKind::Weld, good);
    assert!(scene.joints[0].validate(2).is_err());
}

/// A wheel that a wound spring turns slowly stays awake; one that a stop holds falls asleep.
#[test]
fn a_spring_that_turns_keeps_awake_and_one_that_is_held_sleeps() {
    let run = |kind, spring| {
        let mut scene = wheel(6, kind, spring);
        scene.solver.settings_mut().sleep = true;
        for _ in 0..600 {
            scene.step_joints();
        }
        (scene.bodies[1].is_sleeping, scene.angle())
    };
    // 0.01 radians a second.
    let (sleeps, angle) = run(FREE, TorsionSpring::new(0.001, 10.0).with_damping(1.0));
    assert!(!sleeps && 0.08 < angle && angle < 0.11, "{angle}");
    let stop = JointKind::Revolute { limits: Some([-0.1, 0.1]), motor: None };
    let (sleeps, angle) = run(stop, TorsionSpring::new(1.0, 10.0).with_damping(1.0));
    assert!(sleeps && (angle - 0.1).abs() < 0.005, "{angle}");
}

/// A body of 0.3 kg that can move.
fn free_box(half: Vec3) -> carom_response::Body {
    carom_response::Body::dynamic(Pose::IDENTITY, 0.3, Vec3::ZERO, crate::scene::box_inertia(half, 0.3))
}

/// Flies a scene for 4 s. Returns the largest energy, in parts of that at the start.
fn most_energy(scene: &mut Scene) -> f64 {
    let spring = scene.joints[0].torsion_spring.unwrap();
    let h = f64::from(DT) / f64::from(scene.solver.settings().substeps);
    let v = f64::from((scene.bodies[1].angular_velocity - scene.bodies[0].angular_velocity).z.abs());
    let motion: f64 = scene.bodies.iter().map(|body| f64::from(body.kinetic_energy())).sum();
    // The first substep takes the speed as that half a substep ago.
    let d = f64::from(spring.rest_angle.abs()) + 0.5 * h * v;
    let start = 0.5 * f64::from(spring.stiffness) * d * d + motion + 1e-9;
    let mut most = 0.0f64;
    for _ in 0..240 {
        scene.step_joints();
        most = most.max(scene.spring_energy() / start);
    }
    most
}

/// Two wheels at 90 rad/s and at rest, one substep in a step of 1/60 s: their hinge cannot follow,
/// and opens by more than half a radian. The spring pulls on as it winds.
#[test]
fn a_spring_pulls_in_a_hinge_that_opens() {
    for (log_stiffness, rest, spin) in
        [(-1.5888612, 24.976381, -91.56337), (-1.5, 0.0, 90.0), (-1.0, -30.0, 80.0), (0.0, 10.0, 95.0)]
    {
        let mut scene = wheel(1, FREE, TorsionSpring::new(10f32.powf(log_stiffness), rest));
        scene.bodies[0] = free_box(WHEEL);
        scene.bodies[1].angular_velocity = Vec3::Z * spin;
        let most = most_energy(&mut scene);
        println!("10^{log_stiffness}, rest {rest}, spin {spin}: at most {most:.5} of the energy");
        assert!(most < 1.001, "{most}");
    }
}

/// A body turns by its whole angular velocity if a spring acts on it, also by a radian in a
/// substep, and with equal moments of inertia. While the hinge of a rod opens, its angle is known
/// to some percent only.
#[test]
fn a_stiff_spring_gives_a_fast_wheel_no_energy() {
    for half in [WHEEL, Vec3::splat(0.3), Vec3::new(0.1, 0.1, 0.5)] {
        for (log_stiffness, rest, spin) in [(7.8801403, 0.0, 68.28489), (4.0, 0.0, -75.0), (2.0, 0.5, 50.0)] {
            let mut scene = wheel(1, FREE, TorsionSpring::new(10f32.powf(log_stiffness), rest));
            let inertia = crate::scene::box_inertia(half, 1.0);
            scene.bodies =
                vec![free_box(half), carom_response::Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, inertia)];
            scene.bodies[1].angular_velocity = Vec3::Z * spin;
            let most = most_energy(&mut scene);
            println!("{half}, 10^{log_stiffness}, rest {rest}, spin {spin}: at most {most:.5} of the energy");
            assert!(most < if half.z < 0.4 { 1.001 } else { 1.05 }, "{most}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Soft or stiffer than any substep can follow, at any speed, about any axis: no spring gives
    /// more than it stores.
    #[test]
    fn no_spring_gives_energy(
        log_stiffness in -6.0f32..8.0,
        rest in -60.0f32..60.0,
        damping in prop_oneof![Just(0.0f32), 0.0f32..10.0, Just(1e6f32)],
        spin in -100.0f32..100.0,
        substeps in 1u32..8,
        is_held in any::<bool>(),
    ) {
        let spring = TorsionSpring::new(10f32.powf(log_stiffness), rest).with_damping(damping);
        let mut scene = wheel(substeps, FREE, spring);
        if !is_held {
            scene.bodies[0] = free_box(WHEEL);
        }
        scene.bodies[1].angular_velocity = Vec3::Z * spin;
        let most = most_energy(&mut scene);
        prop_assert!(most < 1.02, "{most}");
    }

    /// The count of turns is that of the way, whatever the start and the speed. Above 1130 radians
    /// per second, the wheel turns by more than half a turn in a substep.
    #[test]
    fn turns_are_counted_at_every_speed(range in 0usize..2, share in -1.0f64..1.0) {
        let speed = [300.0, 1200.0][range] * share;
        let mut scene = wheel(6, FREE, TorsionSpring::new(0.0, 0.0));
        scene.bodies[1].angular_velocity = Vec3::Z * speed as f32;
        for _ in 0..300 {
            scene.step_joints();
        }
        let travel = 5.0 * f64::from(scene.bodies[1].angular_velocity.z);
        prop_assert!((scene.angle() - travel).abs() < 0.1 + 1e-3 * travel.abs(), "{} {travel}", scene.angle());
        prop_assert!(scene.joints[0].winding.angle.abs() <= PI as f32 + 1e-5);
    }
}
