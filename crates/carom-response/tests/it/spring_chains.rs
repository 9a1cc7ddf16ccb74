//! Chains of hinges with torsion springs or position motors: they gain no energy, and motors hold
//! an arm.

use crate::scene::Scene;
use carom_math::{Pose, Vec3};
use carom_response::{
    AxisLimit, Joint, JointAxis, JointKind, Motor, SixDof, SolverSettings, Spring, TorsionSpring,
};

const LENGTH: f32 = 0.3;
const LINK: Vec3 = Vec3::new(0.15, 0.03, 0.03);
const GRAVITY: f32 = 9.81;

/// The drive of the hinges of a chain.
#[derive(Clone, Copy, Debug)]
enum Drive {
    Torsion {
        stiffness: f32,
        damping: f32,
    },
    Motor {
        frequency: f32,
        ratio: f32,
    },
    /// Motors of a speed, in radians per second.
    Velocity(f32),
    /// Springs of another kind of joint.
    Sprung(Sprung, Spring),
}

/// A kind of joint with springs.
#[derive(Clone, Copy, Debug)]
enum Sprung {
    /// Six degrees of freedom: all are locked, but one has a motor.
    Six,
    /// All six degrees of freedom have motors, and are limited.
    SixMotors,
    Cylindrical,
    Universal,
    /// A slider with a motor, upright.
    Slider,
    SoftWeld,
    SoftHinge,
    SoftBall,
    /// A cone about the axis of the hinges, with a twist.
    SoftCone,
    /// A cone about the links, with a twist.
    SoftLinkCone,
    /// The same without a twist.
    SoftSwing,
    /// A wide cone about the axis of the hinges, with a twist.
    SoftTwist,
    /// A locked cone and a locked twist.
    SoftLocked,
    SoftSix,
    SoftRod,
    SoftRope,
    /// A rod with a play.
    SoftStrut,
}

impl Sprung {
    const ALL: [Sprung; 17] = [
        Sprung::Six,
        Sprung::SixMotors,
        Sprung::Cylindrical,
        Sprung::Universal,
        Sprung::Slider,
        Sprung::SoftWeld,
        Sprung::SoftHinge,
        Sprung::SoftBall,
        Sprung::SoftCone,
        Sprung::SoftLinkCone,
        Sprung::SoftSwing,
        Sprung::SoftTwist,
        Sprung::SoftLocked,
        Sprung::SoftSix,
        Sprung::SoftRod,
        Sprung::SoftRope,
        Sprung::SoftStrut,
    ];

    /// Returns the joint of two bodies at a point.
    fn joint(self, scene: &Scene, [a, b]: [u32; 2], at: Vec3, spring: Spring) -> Joint {
        let motor = Motor::position(0.0, spring);
        let six = SixDof::LOCKED.with_limit(JointAxis::AngX, AxisLimit::Free);
        let moving = [JointAxis::X, JointAxis::Y, JointAxis::Z];
        let turning = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];
        let all = moving.into_iter().chain(turning).fold(SixDof::FREE, |all, axis| {
            all.with_limit(axis, AxisLimit::Between(-0.2, 0.2)).with_motor(axis, motor)
        });
        let ball = |cone, twist| JointKind::Spherical { cone, twist };
        let distance = |min, max| JointKind::Distance { min: min * LENGTH, max: max * LENGTH };
        let kind = match self {
            Sprung::Six => JointKind::SixDof(six.with_motor(JointAxis::AngX, motor)),
            Sprung::SixMotors => JointKind::SixDof(all),
            Sprung::Cylindrical => JointKind::SixDof(
                SixDof::CYLINDRICAL.with_motor(JointAxis::AngX, motor).with_motor(JointAxis::X, motor),
            ),
            Sprung::Universal => JointKind::SixDof(
                SixDof::UNIVERSAL.with_motor(JointAxis::AngX, motor).with_motor(JointAxis::AngZ, motor),
            ),
            Sprung::Slider => JointKind::Prismatic { limits: None, motor: Some(motor) },
            Sprung::SoftWeld => JointKind::Weld,
            Sprung::SoftHinge => JointKind::FREE_REVOLUTE,
            Sprung::SoftBall => JointKind::FREE_SPHERICAL,
            Sprung::SoftCone | Sprung::SoftLinkCone => ball(0.1, Some([-0.1, 0.1])),
            Sprung::SoftSwing => ball(0.1, None),
            Sprung::SoftTwist => ball(2.5, Some([-0.1, 0.1])),
            Sprung::SoftLocked => ball(0.0, Some([0.0; 2])),
            Sprung::SoftSix => JointKind::SixDof(six),
            Sprung::SoftRod => distance(1.0, 1.0),
            Sprung::SoftRope => distance(0.0, 1.0),
            Sprung::SoftStrut => distance(0.8, 1.2),
        };
        let axis = match self {
            Sprung::Slider => Vec3::Y,
            Sprung::SoftLinkCone | Sprung::SoftSwing => Vec3::X,
            _ => Vec3::Z,
        };
        let mut joint = match kind {
            JointKind::Distance { min, max } => {
                let ends = [at, at + Vec3::X * LENGTH];
                Joint::distance(&scene.bodies, a, b, ends, [min, max]).unwrap()
            }
            _ => Joint::at(kind, &scene.bodies, a, b, at, axis).unwrap(),
        };
        joint.spring = match self {
            Sprung::Six | Sprung::SixMotors | Sprung::Cylindrical | Sprung::Universal | Sprung::Slider => {
                None
            }
            _ => Some(spring),
        };
        joint
    }
}

/// Horizontal links of 1 kg at rest, on a fixed body. The last one may carry a tool.
fn chain(n: usize, tool: f32, drive: Drive) -> Scene {
    let settings = SolverSettings::default().with_gravity(Vec3::NEG_Y * GRAVITY).with_sleep(false);
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.05), Pose::IDENTITY);
    for k in 0..n {
        let at = Vec3::X * LENGTH * k as f32;
        scene.dynamic(LINK, 1.0, Pose::from_translation(at + Vec3::X * 0.5 * LENGTH));
        let motor = |frequency, ratio| Some(Motor::position(0.0, Spring::new(frequency, ratio)));
        let kind = match drive {
            Drive::Torsion { .. } => JointKind::FREE_REVOLUTE,
            Drive::Motor { frequency, ratio } => {
                JointKind::Revolute { limits: None, motor: motor(frequency, ratio) }
            }
            Drive::Velocity(speed) => {
                JointKind::Revolute { limits: None, motor: Some(Motor::velocity(speed)) }
            }
            Drive::Sprung(..) => JointKind::Weld,
        };
        let (a, b) = (k as u32, k as u32 + 1);
        let mut joint = Joint::at(kind, &scene.bodies, a, b, at, Vec3::Z).unwrap();
        if let Drive::Torsion { stiffness, damping } = drive {
            joint = joint.with_torsion_spring(TorsionSpring::new(stiffness, 0.0).with_damping(damping));
        }
        if let Drive::Sprung(kind, spring) = drive {
            joint = kind.joint(&scene, [a, b], at, spring);
        }
        scene.joints.push(joint);
    }
    if 0.0 < tool {
        let at = Vec3::X * LENGTH * n as f32;
        scene.dynamic(Vec3::splat(0.1), tool, Pose::from_translation(at));
        let (a, b) = (n as u32, n as u32 + 1);
        scene.joints.push(Joint::at(JointKind::Weld, &scene.bodies, a, b, at, Vec3::Z).unwrap());
    }
    scene
}

/// The kinetic energy, and the energy of height, which is 0 at the start.
fn energies(scene: &Scene) -> [f64; 2] {
    scene.bodies.iter().filter(|body| 0.0 < body.inverse_mass).fold([0.0; 2], |[moving, height], body| {
        let weight = f64::from(GRAVITY / body.inverse_mass);
        let y = f64::from(body.world_center().y);
        [moving + f64::from(body.kinetic_energy()), height + weight * y]
    })
}

/// Returns the largest energy, and the kinetic energy at the end.
fn run(scene: &mut Scene, rate: f32, duration: f32) -> [f64; 2] {
    let mut most = 0.0f64;
    for _ in 0..(duration * rate) as usize {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / rate).unwrap();
        let [moving, height] = energies(scene);
        most = most.max(moving + height);
    }
    [most, energies(scene)[0]]
}

/// The energy that integration and the correction of positions may add, as a share of the energy
/// that a fall by a link would set free.
const TOLERANCE: f64 = 0.02;

fn drives() -> Vec<Drive> {
    let mut drives = Vec::new();
    for stiffness in [20.0, 200.0, 2e3, 2e4, 2e5] {
        for damping in [0.0, 0.5, 5.0, 50.0, 500.0] {
            drives.push(Drive::Torsion { stiffness, damping });
        }
    }
    for frequency in [1.0, 8.0, 30.0, 120.0] {
        for ratio in [0.0, 0.1, 1.0, 2.0] {
            drives.push(Drive::Motor { frequency, ratio });
        }
    }
    drives
}

#[test]
fn no_chain_gains_energy() {
    let mut failed = 0;
    for (n, rate, tool) in [
        (2, 60.0, 0.0),
        (2, 30.0, 20.0),
        (2, 240.0, 0.0),
        (5, 30.0, 0.0),
        (5, 60.0, 20.0),
        (10, 60.0, 0.0),
        (10, 30.0, 20.0),
    ] {
        for drive in drives() {
            let [most, _] = run(&mut chain(n, tool, drive), rate, 2.0);
            let bound = TOLERANCE * f64::from(GRAVITY * LENGTH * (n as f32 + tool));
            if !(most < bound) {
                println!("{n} links, tool {tool}, {rate} Hz, {drive:?}: {most:.3} J of {bound:.3}");
                failed += 1;
            }
        }
    }
    assert_eq!(failed, 0);
}

/// Motors of unlimited force reach their speeds in the first step and keep them, with and without
/// gravity, at any rate.
#[test]
fn motors_in_a_row_have_their_speeds() {
    for (n, rate, tool, gravity) in
        [(1, 60.0, 0.0, 0.0), (2, 60.0, 0.0, 9.81), (6, 60.0, 0.0, 0.0), (6, 30.0, 5.0, 9.81)]
    {
        let speed = 0.5;
        let mut scene = chain(n, tool, Drive::Velocity(speed));
        scene.solver.settings_mut().gravity = Vec3::NEG_Y * gravity;
        for step in 0..(2.0 * rate) as usize {
            scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / rate).unwrap();
            for k in 1..=n {
                let found = scene.bodies[k].angular_velocity.z - scene.bodies[k - 1].angular_velocity.z;
                let error = (found - speed).abs();
                assert!(error < 0.01 * speed, "{n} links, {rate} Hz, step {step}, hinge {k}: {found}");
            }
        }
    }
}

/// Springs of these frequencies and damping ratios, and those of the same stiffness for 1 kg.
fn springs() -> impl Iterator<Item = Spring> {
    [(1.0, 0.0), (8.0, 0.1), (30.0, 0.0), (60.0, 1.0), (120.0, 0.0), (120.0, 5.0)].into_iter().flat_map(
        |(frequency, ratio)| {
            let omega = core::f32::consts::TAU * frequency;
            let stiff = Spring::from_stiffness(omega * omega, 2.0 * ratio * omega);
            [Spring::new(frequency, ratio), stiff]
        },
    )
}

#[test]
fn no_chain_of_any_kind_gains_energy() {
    let (mut failed, mut n_runs) = (0, 0);
    for (n, rate, tool) in
        [(1, 60.0, 0.0), (2, 30.0, 100.0), (2, 120.0, 0.0), (5, 60.0, 100.0), (10, 30.0, 10.0)]
    {
        for spring in springs() {
            for kind in Sprung::ALL {
                n_runs += 1;
                let [most, _] = run(&mut chain(n, tool, Drive::Sprung(kind, spring)), rate, 0.8);
                let bound = TOLERANCE * f64::from(GRAVITY * LENGTH * (n as f32 + tool));
                if !(most < bound) {
                    println!(
                        "{n} links, tool {tool}, {rate} Hz, {kind:?}, {spring:?}: {most:.3} J of {bound:.3}"
                    );
                    failed += 1;
                }
            }
        }
    }
    assert_eq!(failed, 0, "of {n_runs}");
}

/// Limits that are far too stiff for a substep, and heavy ends. Before, a cone gained up to 1e6
/// times the energy of a fall by a link.
#[test]
fn no_stiff_chain_gains_energy() {
    let kinds = [Sprung::SoftCone, Sprung::SoftLinkCone, Sprung::SoftSwing, Sprung::SoftTwist];
    let springs = [
        Spring::new(120.0, 0.0),
        Spring::new(500.0, 0.0),
        Spring::new(500.0, 0.1),
        Spring::from_stiffness(1e7, 0.0),
    ];
    let mut failed = 0;
    for (n, rate, tool) in [(5, 60.0, 100.0), (10, 30.0, 10.0), (10, 60.0, 300.0)] {
        for (kind, spring) in kinds.into_iter().flat_map(|kind| springs.map(|spring| (kind, spring))) {
            let [most, _] = run(&mut chain(n, tool, Drive::Sprung(kind, spring)), rate, 1.5);
            let bound = TOLERANCE * f64::from(GRAVITY * LENGTH * (n as f32 + tool));
            if !(most < bound) {
                println!(
                    "{n} links, tool {tool}, {rate} Hz, {kind:?}, {spring:?}: {most:.3} J of {bound:.3}"
                );
                failed += 1;
            }
        }
    }
    assert_eq!(failed, 0);
}

/// A chain between two fixed bodies, and a net of links: some of their joints close loops.
fn loops(kind: Sprung, spring: Spring) -> [(&'static str, Scene, f32); 2] {
    let mut bridge = chain(6, 0.0, Drive::Sprung(kind, spring));
    let end = Vec3::X * LENGTH * 6.0;
    let post = bridge.fixed(Vec3::splat(0.05), Pose::from_translation(end)) as u32;
    let joint = kind.joint(&bridge, [6, post], end, spring);
    bridge.joints.push(joint);
    let mut net = chain(0, 0.0, Drive::Sprung(kind, spring));
    for k in 0..16 {
        let at = LENGTH * Vec3::new((k % 4) as f32, -((k / 4) as f32), 0.0);
        let body = net.dynamic(Vec3::splat(0.1), 1.0, Pose::from_translation(at)) as u32;
        let half = 0.5 * LENGTH;
        if k == 0 {
            let joint = kind.joint(&net, [0, body], at, spring);
            net.joints.push(joint);
        }
        if k % 4 != 0 {
            let joint = kind.joint(&net, [body - 1, body], at - Vec3::X * half, spring);
            net.joints.push(joint);
        }
        if 4 <= k {
            let joint = kind.joint(&net, [body - 4, body], at + Vec3::Y * half, spring);
            net.joints.push(joint);
        }
    }
    [("bridge", bridge, 6.0), ("net", net, 16.0)]
}

#[test]
fn no_loop_of_springs_gains_energy() {
    let (mut failed, mut n_runs) = (0, 0);
    for spring in springs() {
        for kind in Sprung::ALL {
            for (name, mut scene, mass) in loops(kind, spring) {
                n_runs += 1;
                let [most, _] = run(&mut scene, 60.0, 1.0);
                let bound = TOLERANCE * f64::from(GRAVITY * LENGTH * mass);
                if !(most < bound) {
                    println!("{name}, {kind:?}, {spring:?}: {most:.3} J of {bound:.3}");
                    failed += 1;
                }
            }
        }
    }
    assert_eq!(failed, 0, "of {n_runs}");
}

#[test]
fn damped_chains_come_to_rest() {
    for (n, tool) in [(2, 0.0), (5, 0.0), (5, 20.0)] {
        for drive in [
            Drive::Torsion { stiffness: 2000.0, damping: 50.0 },
            Drive::Torsion { stiffness: 2e4, damping: 500.0 },
            Drive::Torsion { stiffness: 200.0, damping: 50.0 },
            Drive::Motor { frequency: 8.0, ratio: 1.0 },
            Drive::Motor { frequency: 120.0, ratio: 1.0 },
            Drive::Motor { frequency: 30.0, ratio: 5.0 },
        ] {
            // The tool on the softest chain swings at about a hertz, with a decay of 0.35 per
            // second.
            let [_, moving] = run(&mut chain(n, tool, drive), 60.0, 20.0);
            println!("{n} links, tool {tool}, {drive:?}: {moving:.2e} J left");
            assert!(moving < 1e-3, "{n} links, tool {tool}, {drive:?}: {moving} J");
        }
    }
}

/// At rest, each torsion spring bears the weight of all links behind it.
#[test]
fn a_sprung_chain_sags_as_its_stiffness_says() {
    for (n, tool, stiffness) in [(1, 0.0, 2e3), (2, 0.0, 2e3), (5, 0.0, 2e4), (10, 0.0, 2e5), (5, 20.0, 2e5)]
    {
        let mut scene = chain(n, tool, Drive::Torsion { stiffness, damping: 0.05 * stiffness });
        run(&mut scene, 60.0, 10.0);
        for k in 0..n {
            let (count, length) = ((n - k) as f32, LENGTH * (n - k) as f32);
            let closed = GRAVITY * length * (0.5 * count + tool) / stiffness;
            let angle = -scene.joints[k].angle(&scene.bodies[k], &scene.bodies[k + 1]).unwrap();
            println!("{n} links, tool {tool}, hinge {k}: {angle:.6}, closed form {closed:.6}");
            assert!((angle / f64::from(closed) - 1.0).abs() < 0.02, "{k}: {angle} {closed}");
        }
    }
}

/// The motor of the root holds the whole arm: its stiffness is that for the inertia of all links.
#[test]
fn a_position_motor_holds_the_arm_behind_it() {
    for (n, tool) in [(1, 0.0), (2, 0.0), (5, 0.0), (10, 0.0), (5, 20.0)] {
        let mut scene = chain(n, tool, Drive::Motor { frequency: 8.0, ratio: 1.0 });
        run(&mut scene, 60.0, 5.0);
        let (count, length) = (n as f32, LENGTH * n as f32);
        let torque = GRAVITY * length * (0.5 * count + tool);
        let inertia = length * length * (count / 3.0 + tool);
        let closed = torque / (inertia * (core::f32::consts::TAU * 8.0).powi(2));
        let angle = -scene.joints[0].angle(&scene.bodies[0], &scene.bodies[1]).unwrap();
        println!("{n} links, tool {tool}: the root sags by {angle:.5}, closed form {closed:.5}");
        assert!((angle / f64::from(closed) - 1.0).abs() < 0.05, "{angle} {closed}");
    }
}

/// Closes a chain at its end, by a joint to a fixed body.
fn hold_end(scene: &mut Scene, n: usize, kind: JointKind, from: Vec3) {
    let end = Vec3::X * LENGTH * n as f32;
    let post = scene.fixed(Vec3::splat(0.05), Pose::from_translation(from));
    let mut joint = Joint::at(kind, &scene.bodies, n as u32, post as u32, from, Vec3::Z).unwrap();
    joint.frame_a.translation = scene.bodies[n].pose.inverse_transform_point(end);
    scene.joints.push(joint);
}

/// A joint that closes a loop, and one of another kind, hold the tree as they hold other bodies.
#[test]
fn other_joints_hold_a_tree() {
    let rope = JointKind::Distance { min: 0.0, max: 1.0 };
    for (name, kind, from) in [
        ("bridge", JointKind::FREE_REVOLUTE, Vec3::X * 1.5),
        ("ball", JointKind::FREE_SPHERICAL, Vec3::X * 1.5),
        ("rope", rope, Vec3::new(1.5, 1.0, 0.0)),
    ] {
        for stiffness in [0.0, 200.0, 2e4] {
            let drive = Drive::Torsion { stiffness, damping: 5.0 };
            let mut scene = chain(5, 0.0, drive);
            hold_end(&mut scene, 5, kind, from);
            let [most, moving] = run(&mut scene, 60.0, 10.0);
            let joint = scene.joints.last().unwrap();
            let (a, b) = (joint.body_a as usize, joint.body_b as usize);
            let gap = joint.gap(&scene.bodies[a], &scene.bodies[b]);
            let up = joint.load.force().y.abs();
            println!("{name}, {stiffness}: {most:.3} J, {moving:.2e} J left, gap {gap:.5}, force {up:.2}");
            assert!(most < TOLERANCE * f64::from(5.0 * GRAVITY * LENGTH), "{name}: {most} J");
            assert!(moving < 1e-3, "{name}: {moving} J left");
            assert!(gap < 2e-3, "{name}: {gap}");
            // Between half of the weight, and three eighths of it: that of a stiff beam.
            assert!((0.37..0.55).contains(&(up / (5.0 * GRAVITY))), "{name}: {up}");
        }
    }
}

/// Limits stop the links of a sprung chain, and bear its weight.
#[test]
fn limits_hold_a_sprung_chain() {
    for (n, tool) in [(2, 0.0), (5, 0.0), (5, 20.0)] {
        let mut scene = chain(n, tool, Drive::Torsion { stiffness: 0.1, damping: 1.0 });
        for joint in &mut scene.joints[..n] {
            joint.kind = JointKind::Revolute { limits: Some([-0.1, 0.2]), motor: None };
        }
        let [most, moving] = run(&mut scene, 60.0, 5.0);
        assert!(most < TOLERANCE * f64::from(GRAVITY * LENGTH * (n as f32 + tool)), "{most} J");
        assert!(moving < 1e-3, "{moving} J left");
        for k in 0..n {
            let angle = scene.joints[k].angle(&scene.bodies[k], &scene.bodies[k + 1]).unwrap();
            assert!((angle + 0.1).abs() < 2e-3, "{n} links, tool {tool}, hinge {k}: {angle}");
        }
    }
}

/// A motor that is too weak for the arm lets it sink, with its largest torque.
#[test]
fn a_weak_motor_uses_its_largest_torque() {
    let mut scene = chain(5, 0.0, Drive::Motor { frequency: 30.0, ratio: 1.0 });
    // The weight at the root is 36.8 Nm.
    for joint in &mut scene.joints {
        let JointKind::Revolute { motor: Some(motor), .. } = &mut joint.kind else { panic!("a motor") };
        *motor = motor.with_max_force(20.0);
    }
    for k in 0..12 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / 60.0).unwrap();
        let torque = scene.joints[0].load.torque().z;
        // In the first steps the motor has not reached its bound.
        assert!(torque < 20.01 && (k < 3 || 19.99 < torque), "step {k}: {torque}");
    }
    let angle = -scene.joints[0].angle(&scene.bodies[0], &scene.bodies[1]).unwrap();
    assert!(0.05 < angle, "{angle}");
}

/// A chain that nothing holds keeps its momentum and its angular momentum, and gains no energy.
#[test]
fn a_free_chain_keeps_its_momentum() {
    for drive in [
        Drive::Torsion { stiffness: 2e3, damping: 0.0 },
        Drive::Torsion { stiffness: 2e4, damping: 500.0 },
        Drive::Motor { frequency: 120.0, ratio: 1.0 },
        Drive::Motor { frequency: 8.0, ratio: 0.0 },
    ] {
        let mut scene = chain(5, 0.0, drive);
        scene.joints.remove(0);
        scene.solver.settings_mut().gravity = Vec3::ZERO;
        scene.bodies[5].linear_velocity = Vec3::new(0.0, 2.0, 1.0);
        let momenta = |scene: &Scene| {
            scene.bodies[1..].iter().fold([Vec3::ZERO; 2], |[p, l], body| {
                let moment = body.linear_velocity / body.inverse_mass;
                let spin = body.world_inverse_inertia().inverse() * body.angular_velocity;
                [p + moment, l + body.world_center().cross(moment) + spin]
            })
        };
        let (start, before) = (momenta(&scene), energies(&scene)[0]);
        let mut most = 0.0f64;
        for _ in 0..300 {
            scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, 1.0 / 60.0).unwrap();
            most = most.max(energies(&scene)[0]);
        }
        let end = momenta(&scene);
        println!("{drive:?}: {start} {end}, {most:.4} J of {before:.4}", start = start[1], end = end[1]);
        assert!((end[0] - start[0]).length() < 1e-4 * start[0].length(), "{end:?} {start:?}");
        assert!((end[1] - start[1]).length() < 0.01 * start[1].length(), "{end:?} {start:?}");
        assert!(most < 1.001 * before, "{most} {before}");
    }
}
