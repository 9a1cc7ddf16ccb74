//! Each constructor of joints for a minute, with equal, heavy and light ends.
//!
//! The bodies are thrown against the limits, and motors drive them from one limit to the other.
//! Joint and limits hold, and the energy is never above that of the start plus the work of the
//! motors.

use crate::jointed::{GRAVITY, energy, insert_box, insert_post, run, twist_of, world_with};
use crate::scenes::{CheckedStep, DT};
use carom_math::{Pose, Vec3};
use carom_world::{AxisLimit, BodyId, JointAxis, JointDesc, JointId, JointKind, JointRef, Motor, World};
use core::f64::consts::TAU;

/// The masses of A and B, in kilograms.
const MASSES: [[f32; 2]; 3] = [[1.0, 1.0], [300.0, 1.0], [1.0, 300.0]];

/// The constructors of [`JointDesc`].
const CONSTRUCTORS: [&str; 13] = [
    "weld",
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "universal",
    "spherical",
    "six_dof",
    "distance",
    "rope",
    "pulley",
    "gear",
    "rack_and_pinion",
];

/// The constructors whose joint hangs between any two bodies.
const HANGING: [&str; 10] = [
    "weld",
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "universal",
    "spherical",
    "six_dof",
    "distance",
    "rope",
];

const SIX_AXES: [JointAxis; 6] =
    [JointAxis::X, JointAxis::Y, JointAxis::Z, JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];

const HALF: Vec3 = Vec3::new(0.3, 0.2, 0.25);

/// Steps of a minute, and those after which the motors turn back.
const MINUTE: usize = 3600;
const STROKE: usize = 120;

/// Limits of translations in metres, and of angles in radians.
type Limits = [[f32; 2]; 2];

const LIMITS: Limits = [[-1.0, 2.0], [-0.7, 1.1]];

/// The limits of joints that hang under each other.
const SHORT: Limits = [[-0.2, 0.3], [-0.7, 1.1]];

/// The limits of the angle about y of six degrees of freedom.
const TILT: [f32; 2] = [-0.6, 0.5];

/// Returns how far coordinates may be beyond their limits, in metres and in radians. The limits of
/// six degrees of freedom hold a body up to 3 m away, so they are passed by up to a substep of
/// motion.
fn max_excess(name: &str) -> [f64; 2] {
    if name == "six_dof" { [0.06, 0.03] } else { [0.02, 0.05] }
}

/// The largest error of the law of a gear, in radians or metres.
const MAX_SLIP: f64 = 0.02;

/// A joint, or a pair of joints in a gear.
struct Rig {
    world: World,
    bodies: [BodyId; 2],
    /// The axes with a motor.
    driven: Vec<(JointId, JointAxis)>,
    /// The two joints of a gear, and its ratio in `first + ratio * second`.
    geared: Option<([JointId; 2], f64)>,
}

/// Returns the axes that a constructor leaves free one by one.
fn free_axes(name: &str, is_limited: bool) -> Vec<JointAxis> {
    match name {
        "revolute" | "screw" | "gear" => vec![JointAxis::AngX],
        "prismatic" | "rack_and_pinion" => vec![JointAxis::X],
        "cylindrical" => vec![JointAxis::X, JointAxis::AngX],
        "universal" => vec![JointAxis::AngX, JointAxis::AngZ],
        "six_dof" if is_limited => vec![JointAxis::X, JointAxis::Y, JointAxis::AngX, JointAxis::AngZ],
        // Without limits, bodies that turn would drive each other away.
        "six_dof" => vec![JointAxis::X, JointAxis::Y],
        _ => Vec::new(),
    }
}

/// 0 for a translation, 1 for a rotation.
fn kind_of(axis: JointAxis) -> usize {
    usize::from(JointAxis::AngX <= axis)
}

/// Describes a joint with the x axis as its axis, at the origin of B. Its free axes have these
/// limits.
fn desc(name: &str, a: BodyId, b: BodyId, limits: Option<Limits>) -> JointDesc {
    let desc = match (name, limits) {
        ("weld", _) => JointDesc::weld(a, b),
        ("revolute", Some([_, [low, high]])) => JointDesc::revolute(a, b).with_limits(low, high),
        ("revolute", None) => JointDesc::revolute(a, b),
        ("prismatic", Some([[low, high], _])) => JointDesc::prismatic(a, b).with_limits(low, high),
        ("prismatic", None) => JointDesc::prismatic(a, b),
        ("screw", Some([_, [low, high]])) => JointDesc::screw(a, b, 0.5).with_limits(low, high),
        ("screw", None) => JointDesc::screw(a, b, 0.5),
        ("cylindrical", _) => JointDesc::cylindrical(a, b),
        ("universal", _) => JointDesc::universal(a, b),
        ("spherical", Some(_)) => JointDesc::spherical(a, b).with_cone(1.2).with_twist(-0.4, 0.9),
        ("spherical", None) => JointDesc::spherical(a, b),
        ("six_dof", _) => JointDesc::six_dof(a, b),
        ("distance", _) => return JointDesc::distance(a, b, 0.4, 0.8),
        ("rope", _) => return JointDesc::rope(a, b, 0.8),
        _ => panic!("{name} is not a joint of two bodies alone"),
    };
    let mut desc = desc.with_axis(Vec3::X);
    if let JointKind::SixDof(axes) = desc.kind {
        let free = free_axes(name, limits.is_some());
        for (k, axis) in SIX_AXES.into_iter().enumerate() {
            let between = |[low, high]: [f32; 2]| AxisLimit::Between(low, high);
            let limit = match limits {
                Some(limits) if free.contains(&axis) => between(limits[kind_of(axis)]),
                Some(_) if name == "six_dof" && axis == JointAxis::AngY => between(TILT),
                None if free.contains(&axis) => AxisLimit::Free,
                _ => AxisLimit::Locked,
            };
            // The constructor itself leaves these axes free and locks the others.
            let is_free = axes.limits[k] == AxisLimit::Free;
            assert!(name == "six_dof" || is_free == (limit != AxisLimit::Locked), "{name}, {axis:?}");
            desc = desc.with_axis_limit(axis, limit);
        }
    }
    desc
}

/// Two bodies at rest in a joint.
fn rig(name: &str, masses: [f32; 2], limits: Option<Limits>) -> Rig {
    let mut world = world_with(0.0);
    if let "gear" | "rack_and_pinion" = name {
        return geared(world, name == "rack_and_pinion", masses, limits);
    }
    let (at_b, points) = match name {
        "pulley" => (Vec3::new(2.0, 0.0, 0.0), Some([0.0, 2.0].map(|x| Vec3::new(x, 2.0, 0.0)))),
        "distance" | "rope" => (Vec3::new(0.6, 0.0, 0.0), None),
        _ => (Vec3::ZERO, None),
    };
    let a = insert_box(&mut world, HALF, masses[0], Pose::IDENTITY);
    let b = insert_box(&mut world, HALF, masses[1], Pose::from_translation(at_b));
    let joint = match points {
        Some(supports) => JointDesc::pulley(a, b, supports, 1.5, 6.0),
        None => desc(name, a, b, limits),
    };
    let joint = world.insert_joint(joint).unwrap();
    let driven = free_axes(name, limits.is_some()).into_iter().map(|axis| (joint, axis)).collect();
    Rig { world, bodies: [a, b], driven, geared: None }
}

/// Two wheels on posts, or a rack and a pinion. The heavier body has the limits.
fn geared(mut world: World, has_rack: bool, masses: [f32; 2], limits: Option<Limits>) -> Rig {
    let limited = usize::from(masses[0] < masses[1]);
    let mut bodies = Vec::new();
    let joints = [0, 1].map(|k| {
        let at = Vec3::Z * (3.0 * k as f32);
        let post = insert_post(&mut world, at);
        bodies.push(insert_box(&mut world, HALF, masses[k], Pose::from_translation(at)));
        let name = if has_rack && k == 0 { "prismatic" } else { "revolute" };
        world.insert_joint(desc(name, post, bodies[k], limits.filter(|_| k == limited))).unwrap()
    });
    let (desc, ratio) = if has_rack {
        (JointDesc::rack_and_pinion(joints[0], joints[1], 0.8), -0.8)
    } else {
        (JointDesc::gear(joints[0], joints[1], 0.8), 0.8)
    };
    world.insert_joint(desc).unwrap();
    let axis = if has_rack { JointAxis::X } else { JointAxis::AngX };
    let driven = vec![(joints[0], axis)];
    Rig { world, bodies: [bodies[0], bodies[1]], driven, geared: Some((joints, ratio)) }
}

fn coordinate(view: JointRef<'_>, axis: JointAxis) -> f64 {
    match view.axis_position(axis) {
        Some(coordinate) => f64::from(coordinate),
        None => view.angle().or(view.translation()).unwrap(),
    }
}

fn beyond(coordinate: f64, [low, high]: [f32; 2]) -> f64 {
    (f64::from(low) - coordinate).max(coordinate - f64::from(high)).max(0.0)
}

/// Returns how far a joint is beyond what it allows, in metres and in radians.
fn excess(world: &World, view: JointRef<'_>) -> [f64; 2] {
    let [a, b] = view.bodies().map(|body| world.body(body).unwrap().rotation());
    let turn = (a * view.data().frame_a.rotation).inverse() * (b * view.data().frame_b.rotation);
    let swing = f64::from((turn * Vec3::X).angle_between(Vec3::X));
    let whole = f64::from(Vec3::new(turn.x, turn.y, turn.z).length().min(1.0)).asin() * 2.0;
    let angle = match view.kind() {
        JointKind::Weld | JointKind::Prismatic { .. } => whole,
        JointKind::Revolute { limits, .. } | JointKind::Screw { limits, .. } => {
            swing.max(limits.map_or(0.0, |limits| beyond(view.angle().unwrap(), limits)))
        }
        JointKind::Spherical { cone, twist } => {
            let twist = twist.map_or(0.0, |twist| beyond(f64::from(twist_of(turn)), twist));
            (swing - f64::from(cone)).max(twist)
        }
        JointKind::SixDof(axes) => {
            [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ].into_iter().fold(0.0f64, |angle, axis| {
                let bounds = match axes.limits[axis as usize] {
                    AxisLimit::Free => return angle,
                    AxisLimit::Locked => [0.0; 2],
                    AxisLimit::Between(low, high) => [low, high],
                };
                angle.max(beyond(coordinate(view, axis), bounds))
            })
        }
        _ => 0.0,
    };
    [f64::from(view.error()), angle]
}

impl Rig {
    fn throw(&mut self, k: usize) {
        let mut body = self.world.body_mut(self.bodies[k]).unwrap();
        body.set_linear_velocity(Vec3::new(9.0, 4.0, -6.0)).unwrap();
        body.set_angular_velocity(Vec3::new(9.0, -5.0, 7.0)).unwrap();
    }

    fn coordinate(&self, (joint, axis): (JointId, JointAxis)) -> f64 {
        coordinate(self.world.joint(joint).unwrap(), axis)
    }

    /// Lets the motors push, to and fro in turn, with this force along an axis and this torque
    /// about one.
    fn drive(&mut self, push: [f32; 2], sign: f32) {
        for &(joint, axis) in &self.driven {
            let motor = Motor::velocity(1000.0 * sign).with_max_force(push[kind_of(axis)]);
            let kind = self.world.joint(joint).unwrap().kind();
            let mut joint = self.world.joint_mut(joint).unwrap();
            match kind {
                JointKind::SixDof(_) => joint.set_axis_motor(axis, motor).map(|_| ()).unwrap(),
                _ => joint.set_motor(motor).map(|_| ()).unwrap(),
            }
        }
    }

    /// Runs for a minute, with motors of this force and this torque, and checks the energy after
    /// each step.
    fn run(&mut self, what: &str, push: [f32; 2]) -> Outcome {
        let start = energy(&self.world, &self.bodies, 0.0);
        let mut watched = self.driven.clone();
        if let Some(([_, second], _)) = self.geared {
            watched.push((second, JointAxis::AngX));
        }
        // Angles count full turns.
        let mut at: Vec<f64> = watched.iter().map(|&axis| self.coordinate(axis)).collect();
        let mut out = Outcome { range: at.iter().map(|&at| [at, at]).collect(), ..Outcome::default() };
        for step in 0..MINUTE {
            let sign = if (step / STROKE).is_multiple_of(2) { 1.0 } else { -1.0 };
            if push != [0.0; 2] && step % STROKE == 0 {
                self.drive(push, sign);
            }
            self.world.checked_step(DT).unwrap();
            for (k, &(joint, axis)) in watched.iter().enumerate() {
                let mut way = self.coordinate((joint, axis)) - at[k];
                if JointAxis::AngX <= axis {
                    way -= TAU * (way / TAU).round();
                }
                at[k] += way;
                out.range[k] = [out.range[k][0].min(at[k]), out.range[k][1].max(at[k])];
                if k < self.driven.len() {
                    let work = f64::from(sign * push[kind_of(axis)]) * way;
                    out.work += work;
                    out.most_work += work.max(0.0);
                }
            }
            for view in self.world.joints() {
                let excess = excess(&self.world, view);
                out.excess = [0, 1].map(|k| out.excess[k].max(excess[k]));
            }
            if let Some((_, ratio)) = self.geared {
                out.slip = out.slip.max((at[0] + ratio * at[1]).abs());
            }
            out.energy = energy(&self.world, &self.bodies, 0.0);
            let bound = 1.001 * (start + out.most_work) + 1e-6;
            assert!(out.energy <= bound, "{what}, step {step}: {} J, {bound} J", out.energy);
        }
        println!("{what}: {out:?}");
        out
    }
}

/// The result of a minute.
#[derive(Debug, Default)]
struct Outcome {
    /// The energy at the end, in joules.
    energy: f64,
    /// The work of motors that push with all their force, in joules.
    work: f64,
    /// The same without the motions against a motor.
    most_work: f64,
    /// The largest excess, in metres and in radians.
    excess: [f64; 2],
    /// The largest error of the law of a gear.
    slip: f64,
    /// The least and the largest coordinate of each driven axis.
    range: Vec<[f64; 2]>,
}

impl Outcome {
    fn assert_held(&self, what: &str, name: &str) {
        let most = max_excess(name);
        let holds = (0..2).all(|k| self.excess[k] < most[k]) && self.slip < MAX_SLIP;
        assert!(holds, "{what}: {self:?}");
    }
}

fn each(mut check: impl FnMut(&'static str, [f32; 2], &str)) {
    for name in CONSTRUCTORS {
        for masses in MASSES {
            check(name, masses, &format!("{name} of {masses:?}"));
        }
    }
}

#[test]
fn thrown_bodies_stay_within_their_joint_and_gain_no_energy() {
    each(|name, masses, what| {
        let mut rig = rig(name, masses, Some(LIMITS));
        // A heavy body would draw the light one through its support.
        let is_lighter = |k: usize| masses[k] < masses[1 - k];
        rig.throw(usize::from(name != "pulley" || !is_lighter(0)));
        rig.run(what, [0.0; 2]).assert_held(what, name);
    });
}

#[test]
fn motors_drive_to_both_limits_and_not_through_them() {
    each(|name, masses, what| {
        let mut rig = rig(name, masses, Some(LIMITS));
        let outcome = rig.run(what, [5.0, 1.0]);
        outcome.assert_held(what, name);
        let axes = free_axes(name, true).into_iter().map(|axis| LIMITS[kind_of(axis)]).zip(&outcome.range);
        for (bounds, range) in axes.filter(|_| rig.geared.is_none()) {
            let [low, high] = bounds.map(f64::from);
            assert!(range[0] < low + 0.05 && high - 0.05 < range[1], "{what}: {outcome:?}");
        }
    });
}

/// A motor that never reaches its speed is a constant force or torque, so its work is known.
#[test]
fn motors_give_the_work_of_their_force() {
    each(|name, masses, what| {
        let mut rig = rig(name, masses, None);
        let outcome = rig.run(what, [0.5, 0.05]);
        outcome.assert_held(what, name);
        let off = (outcome.energy - outcome.work).abs();
        assert!(off <= 0.01 * outcome.most_work + 1e-6, "{what}: {outcome:?}");
        assert!(free_axes(name, false).is_empty() || 0.0 < outcome.most_work, "{what}: {outcome:?}");
    });
}

/// The upper of two joints of one kind bears both bodies, of which either may be the heavy one.
#[test]
fn two_joints_under_a_post_swing_without_gain() {
    for (name, masses) in HANGING.into_iter().flat_map(|name| MASSES.map(|masses| (name, masses))) {
        let mut world = world_with(GRAVITY);
        let place = |k: usize| Vec3::new(0.6, -0.4, 0.1) * k as f32;
        let mut last = insert_post(&mut world, place(0));
        let bodies = [1, 2].map(|k| {
            let body = insert_box(&mut world, HALF, masses[k - 1], Pose::from_translation(place(k)));
            let mut joint = desc(name, last, body, Some(SHORT));
            if !matches!(joint.kind, JointKind::Distance { .. }) {
                joint = joint.with_anchor(place(k - 1));
            }
            world.insert_joint(joint).unwrap();
            last = body;
            body
        });
        world.body_mut(bodies[1]).unwrap().set_linear_velocity(Vec3::new(3.0, 1.0, 2.0)).unwrap();
        let start = energy(&world, &bodies, GRAVITY);
        // The energy of the heavier body that falls by a metre.
        let scale = f64::from(GRAVITY * masses[0].max(masses[1]));
        let mut most = [0.0f64; 2];
        for step in 0..MINUTE {
            run(&mut world, DT);
            for view in world.joints() {
                let excess = excess(&world, view);
                most = [0, 1].map(|k| most[k].max(excess[k]));
            }
            let now = energy(&world, &bodies, GRAVITY);
            assert!(now <= start + 0.002 * scale, "{name} of {masses:?}, step {step}: {now}, {start}");
        }
        println!("{name} of {masses:?}: {most:?}");
        let limit = match name {
            _ if masses[1] <= masses[0] => [0.05, 0.05],
            // A rope turns the light body under it, which yields.
            "distance" | "rope" => [0.25, 0.5],
            _ => [0.1, 0.1],
        };
        let holds = (0..2).all(|k| most[k] < limit[k]);
        assert!(holds, "{name} of {masses:?}: {most:?}");
    }
}
