//! Chains of joints on levers that are long for their bodies: at rest under gravity they stay at
//! rest, and bear the weight of all that hangs on them.

use crate::scene::Scene;
use carom_math::{Pose, Vec3};
use carom_response::{AxisLimit, Body, Joint, JointAxis, JointKind, Motor, SixDof, SolverSettings};

const GRAVITY: f32 = 9.81;

/// The half side of all bodies.
const HALF: f32 = 0.1;

/// From the first body on, in turn.
const MASSES: [f32; 5] = [10.0, 5.0, 2.0, 4.0, 1.0];

const LEVERS: [f32; 5] = [0.5, 1.0, 2.0, 3.0, 5.0];

/// The energy that rounding may add, as a share of that of a fall by a metre.
const MAX_GAIN: f64 = 1e-3;

/// The same for chains that swing, whose integration is of second order.
const MAX_SWING_GAIN: f64 = 5e-3;

/// The largest error of a force after a second, as a share of the static one.
const MAX_FORCE_ERROR: f64 = 0.03;

/// Joints that hold still: by motors, by limits, or because nothing moves them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Weld,
    SliderMotor,
    SliderLimits,
    /// With an axis across gravity.
    Slider,
    Locked,
    SixLimits,
    HingeMotor,
    HingeLimits,
    /// With an upright axis.
    Hinge,
    /// Locked by its cone and its twist.
    Ball,
    /// With an upright axis, about which it is free.
    BallHinge,
}

impl Held {
    const ALL: [Held; 11] = [
        Held::Weld,
        Held::SliderMotor,
        Held::SliderLimits,
        Held::Slider,
        Held::Locked,
        Held::SixLimits,
        Held::HingeMotor,
        Held::HingeLimits,
        Held::Hinge,
        Held::Ball,
        Held::BallHinge,
    ];

    /// Returns the kind, and the axis of the joint of this index.
    fn kind(self, k: usize) -> (JointKind, Vec3) {
        let axis = [Vec3::X, Vec3::Z, Vec3::Y][k % 3];
        let across = [Vec3::X, Vec3::Z][k % 2];
        let still = Some(Motor::velocity(0.0));
        let none = Some([0.0; 2]);
        let between = AxisLimit::Between(0.0, 0.0);
        let six = [JointAxis::X, JointAxis::Z, JointAxis::AngX, JointAxis::AngZ]
            .into_iter()
            .fold(SixDof::LOCKED, |six, axis| six.with_limit(axis, between));
        match self {
            Held::Weld => (JointKind::Weld, axis),
            Held::SliderMotor => (JointKind::Prismatic { limits: None, motor: still }, axis),
            Held::SliderLimits => (JointKind::Prismatic { limits: none, motor: None }, axis),
            Held::Slider => (JointKind::FREE_PRISMATIC, across),
            Held::Locked => (JointKind::SixDof(SixDof::LOCKED), axis),
            Held::SixLimits => (JointKind::SixDof(six), axis),
            Held::HingeMotor => (JointKind::Revolute { limits: None, motor: still }, axis),
            Held::HingeLimits => (JointKind::Revolute { limits: none, motor: None }, axis),
            Held::Hinge => (JointKind::FREE_REVOLUTE, Vec3::Y),
            Held::Ball => (JointKind::Spherical { cone: 0.0, twist: none }, axis),
            Held::BallHinge => (JointKind::Spherical { cone: 0.0, twist: None }, Vec3::Y),
        }
    }
}

/// Bodies in a zigzag under a fixed one. Each hangs on the one before, by a joint at its centre.
fn zigzag(held: Held, n: usize, lever: f32) -> Scene {
    let settings = SolverSettings::default().with_gravity(Vec3::NEG_Y * GRAVITY).with_sleep(false);
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.05), Pose::IDENTITY);
    for k in 0..n {
        let at = Vec3::new(lever * (k % 2) as f32, -0.7 * (k + 1) as f32, 0.0);
        scene.dynamic(Vec3::splat(HALF), MASSES[k], Pose::from_translation(at));
        let (kind, axis) = held.kind(k);
        let joint = Joint::at(kind, &scene.bodies, k as u32, k as u32 + 1, at, axis).unwrap();
        scene.joints.push(joint);
    }
    scene
}

/// The kinetic energy and that of gravity.
fn energy(scene: &Scene) -> f64 {
    let of = |body: &Body| {
        let weight = f64::from(GRAVITY / body.inverse_mass);
        f64::from(body.kinetic_energy()) + weight * f64::from(body.world_center().y)
    };
    scene.bodies.iter().filter(|body| 0.0 < body.inverse_mass).map(of).sum()
}

/// Runs for some seconds. Returns the largest gain of energy, as a share of a fall by a metre, and
/// after the first second the largest error of a force, as a share of the static one.
fn run(scene: &mut Scene, rate: f32, seconds: f32) -> [f64; 2] {
    let n = scene.joints.len();
    let start = energy(scene);
    let (mut gain, mut error) = (0.0f64, 0.0f64);
    for step in 0..(seconds * rate) as usize {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / rate).unwrap();
        gain = gain.max(energy(scene) - start);
        if rate <= step as f32 {
            for k in 0..n {
                let weight = GRAVITY * MASSES[k..n].iter().sum::<f32>();
                let off = (scene.joints[k].load.force() - Vec3::Y * weight).length() / weight;
                error = error.max(f64::from(off));
            }
        }
    }
    [gain / f64::from(GRAVITY * MASSES[..n].iter().sum::<f32>()), error]
}

/// Before, three sliders gave energy and a force of 940 N in place of 20 N, and the forces of five
/// welds were wrong by a quarter.
#[test]
fn chains_on_long_levers_stay_at_rest() {
    let mut n_failed = 0;
    for held in Held::ALL {
        for n in [2, 3, 5] {
            for lever in LEVERS {
                for rate in [30.0, 60.0, 144.0] {
                    let [gain, error] = run(&mut zigzag(held, n, lever), rate, 3.0);
                    if !(gain < MAX_GAIN && error < MAX_FORCE_ERROR) {
                        n_failed += 1;
                        println!("{held:?}, {n}, lever {lever}, {rate} Hz: {gain:.1e}, {error:.1e}");
                    }
                }
            }
        }
    }
    assert_eq!(n_failed, 0);
}

/// Sliders that motors move at constant speeds bear the same forces as those at rest.
#[test]
fn gantries_on_long_levers_bear_their_load_while_they_move() {
    for n in [2, 3, 5] {
        for lever in LEVERS {
            for rate in [30.0, 60.0, 144.0] {
                let mut scene = zigzag(Held::SliderMotor, n, lever);
                for (joint, speed) in scene.joints.iter_mut().zip([0.5, -0.3, 0.2, 0.1, -0.4]) {
                    joint.kind = JointKind::Prismatic { limits: None, motor: Some(Motor::velocity(speed)) };
                }
                let [_, error] = run(&mut scene, rate, 3.0);
                assert!(error < MAX_FORCE_ERROR, "{n}, lever {lever}, {rate} Hz: {error}");
            }
        }
    }
}

/// A body slides out until its lever is long, and so changes the way in which its joints are
/// solved.
#[test]
fn a_lever_that_grows_changes_no_force() {
    for rate in [30.0, 60.0, 144.0] {
        let mut scene = zigzag(Held::Locked, 2, 0.0);
        let at = scene.bodies[2].world_center();
        scene.joints[1] = Joint::at(JointKind::FREE_PRISMATIC, &scene.bodies, 1, 2, at, Vec3::X).unwrap();
        scene.bodies[2].linear_velocity = Vec3::X * 0.4;
        let [_, error] = run(&mut scene, rate, 5.0);
        assert!(error < MAX_FORCE_ERROR, "{rate} Hz: {error}");
        let reach = scene.bodies[2].world_center().x;
        assert!((reach - 2.0).abs() < 0.02, "{rate} Hz: {reach}");
    }
}

/// A second fixed body holds the last body, too, or it stands on the ground.
#[test]
fn loops_and_contacts_of_long_levers_give_no_energy() {
    let mut n_failed = 0;
    for held in Held::ALL {
        for n in [2, 5] {
            for lever in [1.0, 3.0, 5.0] {
                for closed in [true, false] {
                    let mut scene = zigzag(held, n, lever);
                    let last = scene.bodies[n].world_center();
                    if closed {
                        let post = scene.fixed(Vec3::splat(0.05), Pose::from_translation(last - Vec3::Y));
                        let (kind, axis) = held.kind(n);
                        let joint =
                            Joint::at(kind, &scene.bodies, n as u32, post as u32, last, axis).unwrap();
                        scene.joints.push(joint);
                    } else {
                        let ground = last - Vec3::Y * (HALF + 0.5);
                        scene.fixed(Vec3::splat(0.5), Pose::from_translation(ground));
                    }
                    let start = energy(&scene);
                    let (mut gain, mut late) = (0.0f64, 0.0f64);
                    for step in 0..180 {
                        scene.step();
                        gain = gain.max(energy(&scene) - start);
                        if 150 <= step {
                            late = scene
                                .bodies
                                .iter()
                                .fold(late, |late, body| late.max(body.kinetic_energy().into()));
                        }
                    }
                    let gain = gain / f64::from(GRAVITY * MASSES[..n].iter().sum::<f32>());
                    if !(gain < MAX_GAIN && late < 1e-4) {
                        n_failed += 1;
                        println!(
                            "loop {held:?}, {n}, lever {lever}, closed {closed}: {gain:.1e}, late {late:.1e}"
                        );
                    }
                }
            }
        }
    }
    assert_eq!(n_failed, 0);
}

/// Hinges across gravity, on which the chain swings. Before, it gained up to 5.5e-2.
#[test]
fn chains_on_long_levers_swing_without_a_gain() {
    let mut n_failed = 0;
    for n in [2, 3, 5] {
        for lever in LEVERS {
            for rate in [30.0, 60.0, 144.0] {
                let mut scene = zigzag(Held::Hinge, n, lever);
                for k in 0..n {
                    let at = scene.bodies[k].world_center();
                    let axis = [Vec3::Z, Vec3::X][k / 2 % 2];
                    let (a, b) = (k as u32, k as u32 + 1);
                    scene.joints[k] =
                        Joint::at(JointKind::FREE_REVOLUTE, &scene.bodies, a, b, at, axis).unwrap();
                }
                let start = energy(&scene);
                let mut gain = 0.0f64;
                for _ in 0..(10.0 * rate) as usize {
                    scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / rate).unwrap();
                    gain = gain.max(energy(&scene) - start);
                }
                let gain = gain / f64::from(GRAVITY * MASSES[..n].iter().sum::<f32>());
                if !(gain < MAX_SWING_GAIN) {
                    n_failed += 1;
                    println!("swing {n}, lever {lever}, {rate} Hz: {gain:.1e}");
                }
            }
        }
    }
    assert_eq!(n_failed, 0);
}
