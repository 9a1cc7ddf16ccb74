//! Bodies that touch no other body keep their momentum and their angular momentum, however they fly
//! and rub.

use crate::scenes::{CheckedStep, ball, cuboid};
use carom_geom::{Capsule, Cone, ConvexHull, Cylinder};
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_response::Body;
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, ColliderDesc, JointDesc, JointKind, World, WorldSettings};
use std::sync::Arc;

const DT: f32 = 1.0 / 60.0;

const SHAPES: [&str; 7] = ["ball", "box", "plate", "capsule", "cylinder", "cone", "hull"];

fn shape(name: &str, random: &mut Random) -> Shape {
    let mut size = |low: f64, high: f64| random.range(low, high) as f32;
    match name {
        "ball" => ball(size(0.2, 0.5)),
        "box" => cuboid(Vec3::new(size(0.2, 0.4), size(0.2, 0.4), size(0.2, 0.4))),
        "plate" => cuboid(Vec3::new(size(0.3, 0.45), size(0.03, 0.06), size(0.2, 0.4))),
        "capsule" => Shape::Capsule(Capsule::new(size(0.15, 0.35), size(0.1, 0.2)).unwrap()),
        "cylinder" => Shape::Cylinder(Cylinder::new(size(0.1, 0.4), size(0.15, 0.35)).unwrap()),
        "cone" => Shape::Cone(Cone::new(size(0.2, 0.4), size(0.2, 0.35)).unwrap()),
        _ => {
            let points: Vec<Vec3> = (0..16).map(|_| random.cube_point().as_vec3() * 0.4).collect();
            Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
        }
    }
}

/// The sums of all bodies; angular momenta are about the common centre of mass.
#[derive(Clone, Copy, Debug)]
struct Sums {
    mass: f64,
    velocity: DVec3,
    spin: DVec3,
    /// Sums of the lengths of the momenta, in the frame of the centre of mass.
    momenta: f64,
    spins: f64,
    /// The change by rounding of velocities and positions.
    rounding: f64,
    rounding_of_spin: f64,
}

fn sums(bodies: &[Body]) -> Sums {
    let mass = |body: &Body| 1.0 / f64::from(body.inverse_mass);
    let center = |body: &Body| body.world_center().as_dvec3();
    let velocity = |body: &Body| body.linear_velocity.as_dvec3();
    let all: f64 = bodies.iter().map(mass).sum();
    let middle = bodies.iter().map(|body| center(body) * mass(body)).sum::<DVec3>() / all;
    let drift = bodies.iter().map(|body| velocity(body) * mass(body)).sum::<DVec3>() / all;
    let mut out = Sums {
        mass: all,
        velocity: drift,
        spin: DVec3::ZERO,
        momenta: 0.0,
        spins: 0.0,
        rounding: 0.0,
        rounding_of_spin: 0.0,
    };
    for body in bodies {
        let (at, own) = (center(body) - middle, (velocity(body) - drift) * mass(body));
        out.spin += body.angular_momentum() + at.cross(own);
        out.momenta += own.length();
        out.spins += body.angular_momentum().length() + at.length() * own.length();
        let rounded = 1e-6 * velocity(body).length() * mass(body);
        out.rounding += rounded;
        out.rounding_of_spin += rounded * at.length() + 1e-6 * center(body).length() * own.length();
    }
    out
}

/// How far a step was from keeping the momenta, in units of what it may be.
#[derive(Clone, Copy, Debug, Default)]
struct Off {
    momentum: f64,
    spin: f64,
}

/// Makes a step of a world without fixed bodies, and compares the momenta.
///
/// A contact has its levers from the places at the start of the step. Bodies that pass each other
/// meanwhile exchange an impulse at levers that differ by as much. Friction that turns over within
/// the step leaves no trace in the velocities; a part of the angular momenta is for that.
fn step(world: &mut World, ids: &[BodyId]) -> Off {
    let read = |world: &World| ids.iter().map(|id| *world.body(*id).unwrap().motion()).collect::<Vec<_>>();
    let bodies = read(world);
    world.checked_step(DT).unwrap();
    let after = read(world);
    let (a, b) = (sums(&bodies), sums(&after));
    let fallen = world.settings().solver.gravity.as_dvec3() * f64::from(DT);
    let (mut impulses, mut low, mut high) = (0.0, DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (x, y) in bodies.iter().zip(&after) {
        let change = (y.linear_velocity - x.linear_velocity).as_dvec3() - fallen;
        impulses += change.length() / f64::from(x.inverse_mass);
        let offset = (y.world_center() - x.world_center()).as_dvec3();
        (low, high) = (low.min(offset), high.max(offset));
    }
    let momentum = (b.velocity - a.velocity - fallen).length() * a.mass;
    let drift = impulses * (high - low).length();
    let allowed = 1e-4 * a.momenta.max(b.momenta) + a.rounding + b.rounding + 1e-9;
    let allowed_spin = 2e-2 * a.spins.max(b.spins) + drift + a.rounding_of_spin + b.rounding_of_spin + 1e-9;
    Off { momentum: momentum / allowed, spin: (b.spin - a.spin).length() / allowed_spin }
}

/// A heap of bodies that fly at its middle, all of them with the same velocity besides.
#[derive(Clone, Copy, Debug)]
struct Heap<'a> {
    shape: &'a str,
    n: usize,
    /// Towards the middle.
    speed: f64,
    /// All together.
    drift: f64,
    /// Radians per second.
    turning: f64,
    restitution: f32,
    gravity: f32,
    /// How far apart they start; below 1 some overlap.
    spacing: f64,
}

const HEAP: Heap<'static> = Heap {
    shape: "box",
    n: 8,
    speed: 2.0,
    drift: 0.0,
    turning: 2.0,
    restitution: 0.0,
    gravity: 0.0,
    spacing: 1.0,
};

impl Heap<'_> {
    fn fly(&self, n_steps: u32, seed: u64) -> Off {
        let mut random = Random::new(seed);
        let mut settings = WorldSettings::default();
        settings.solver.gravity = Vec3::NEG_Y * self.gravity;
        let mut world = World::with_settings(settings);
        let drift = random.cube_point().normalize().as_vec3() * self.drift as f32;
        let row = (1..).find(|row| self.n <= row * row * row).unwrap_or(1);
        let mut ids = Vec::new();
        for k in 0..self.n {
            let cell = DVec3::new((k % row) as f64, (k / row % row) as f64, (k / row / row) as f64);
            let middle = DVec3::splat(0.5 * (row as f64 - 1.0));
            let at = (cell - middle) * self.spacing + random.cube_point() * 0.1;
            let inwards = at.normalize_or_zero() * -self.speed + random.cube_point() * (0.5 * self.speed);
            let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
            let turning = random.cube_point() * self.turning;
            let body = BodyDesc::dynamic(shape(self.shape, &mut random))
                .with_pose(Pose::new(turn, at.as_vec3()))
                .with_linear_velocity(inwards.as_vec3() + drift)
                .with_angular_velocity(turning.as_vec3())
                .with_density(random.range(0.5, 4.0) as f32)
                .with_friction(1.0)
                .with_restitution(self.restitution)
                .with_can_sleep(false);
            ids.push(world.insert(body).unwrap());
        }
        let mut worst = Off::default();
        for _ in 0..n_steps {
            let off = step(&mut world, &ids);
            worst = Off { momentum: worst.momentum.max(off.momentum), spin: worst.spin.max(off.spin) };
        }
        worst
    }
}

/// Flies heaps, and asserts that each step keeps the momenta.
fn assert_kept(heaps: &[Heap<'_>], n_steps: u32) {
    let n_seeds = if std::env::var_os("CAROM_SLOW").is_some() { 100 } else { 4 };
    for heap in heaps {
        for seed in 1..=n_seeds {
            let off = heap.fly(n_steps, seed);
            assert!(off.momentum < 1.0 && off.spin < 1.0, "{heap:?}, seed {seed}: {off:?}");
        }
    }
}

/// Bodies that fall together leave the places of their contacts, but not each other.
#[test]
fn heaps_of_three_to_twenty_that_fall_keep_their_momenta() {
    for shape in SHAPES {
        for n in [3, 8, 20] {
            let heap = Heap { shape, n, ..HEAP };
            assert_kept(&[Heap { drift: 30.0, ..heap }, Heap { drift: 12.0, gravity: 9.81, ..heap }], 30);
        }
    }
}

#[test]
fn pairs_that_rub_keep_their_momenta_at_any_speed() {
    for shape in SHAPES {
        let pair = Heap { shape, n: 2, ..HEAP };
        let heaps = [
            pair,
            Heap { drift: 100.0, ..pair },
            Heap { speed: 20.0, ..pair },
            Heap { speed: 20.0, turning: 60.0, drift: 40.0, ..pair },
            Heap { drift: 30.0, turning: 40.0, restitution: 0.7, ..pair },
            Heap { drift: 30.0, restitution: 1.0, gravity: 9.81, ..pair },
        ];
        assert_kept(&heaps, 40);
    }
}

/// Contacts of bodies that spin fast and are deep in each other hold one of the two at its centre.
#[test]
fn bodies_that_spin_deep_in_each_other_keep_their_momenta() {
    for shape in ["box", "plate", "capsule", "hull"] {
        for n in [2, 3, 8] {
            let deep = Heap { shape, n, spacing: 0.6, turning: 60.0, ..HEAP };
            assert_kept(&[deep, Heap { drift: 60.0, ..deep }, Heap { restitution: 0.8, ..deep }], 40);
        }
    }
}

/// Returns two boxes that slide over each other, and the worst step. The upper one starts `gap`
/// above the lower one.
fn slide(gap: f32, drift: Vec3, gravity: f32) -> ([Body; 2], Off) {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::NEG_Y * gravity;
    let mut world = World::with_settings(settings);
    let mut ids = Vec::new();
    for (density, at, velocity) in
        [(1.0, Vec3::ZERO, Vec3::ZERO), (2.5, Vec3::new(-0.2, 0.5 + gap, 0.1), Vec3::new(3.0, -1.0, 0.5))]
    {
        let body = BodyDesc::dynamic(cuboid(Vec3::new(0.4, 0.25, 0.3)))
            .with_position(at)
            .with_linear_velocity(velocity + drift)
            .with_density(density)
            .with_friction(1.0)
            .with_can_sleep(false);
        ids.push(world.insert(body).unwrap());
    }
    let mut worst = Off::default();
    for _ in 0..15 {
        let off = step(&mut world, &ids);
        worst = Off { momentum: worst.momentum.max(off.momentum), spin: worst.spin.max(off.spin) };
    }
    ([0, 1].map(|k| *world.body(ids[k]).unwrap().motion()), worst)
}

/// A contact acts across its gap before the surfaces meet.
#[test]
fn friction_across_a_gap_keeps_the_momenta() {
    for gap in [0.0, 0.005, 0.015, 0.03] {
        for drift in [Vec3::ZERO, Vec3::NEG_Y * 20.0, Vec3::new(60.0, 20.0, -50.0)] {
            let (_, off) = slide(gap, drift, 0.0);
            assert!(off.momentum < 1.0 && off.spin < 1.0, "gap {gap}, drift {drift}: {off:?}");
        }
    }
}

/// The laws of motion are the same in each frame that moves at a constant velocity.
#[test]
fn a_pair_moves_alike_in_any_frame() {
    for gap in [-0.02, 0.0, 0.01] {
        let ([a, b], _) = slide(gap, Vec3::ZERO, 0.0);
        for drift in [Vec3::NEG_Y * 15.0, Vec3::X * 40.0, Vec3::new(60.0, 20.0, -50.0)] {
            for gravity in [0.0, 9.81] {
                let ([c, d], _) = slide(gap, drift, gravity);
                let relative = |a: &Body, b: &Body| b.linear_velocity - a.linear_velocity;
                let off = (relative(&a, &b) - relative(&c, &d))
                    .length()
                    .max((a.angular_velocity - c.angular_velocity).length())
                    .max((b.angular_velocity - d.angular_velocity).length());
                assert!(off < 0.02, "gap {gap}, drift {drift}, gravity {gravity}: {off}");
            }
        }
    }
}

/// Returns the changes of the momentum and of the angular momentum of twelve bodies in 10 s, in
/// parts of the sums of their lengths.
fn fly_for_10_s(shape_name: &str, restitution: f32, kind: Option<JointKind>, seed: u64) -> [f64; 2] {
    let mut random = Random::new(seed);
    let mut settings = WorldSettings::default();
    settings.solver = settings.solver.with_gravity(Vec3::ZERO);
    let mut world = World::with_settings(settings);
    let mut ids = Vec::new();
    for k in 0..12 {
        let position = DVec3::new(f64::from(k % 3) - 1.0, f64::from(k / 3 % 2) - 0.5, f64::from(k / 6) - 0.5);
        let at = (position * 1.1 + random.cube_point() * 0.05).as_vec3();
        let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
        let inwards = at * -1.5 + random.cube_point().as_vec3();
        let body = if shape_name == "compound" {
            let arm = |random: &mut Random| ColliderDesc::new(shape("box", random));
            let far = arm(&mut random).with_pose(Pose::from_translation(Vec3::new(0.3, 0.2, 0.0)));
            BodyDesc::dynamic(arm(&mut random)).with_collider(far)
        } else {
            BodyDesc::dynamic(shape(shape_name, &mut random))
        };
        let body = body
            .with_pose(Pose::new(turn, at))
            .with_linear_velocity(inwards)
            .with_angular_velocity(random.cube_point().as_vec3() * 3.0)
            .with_density(random.range(0.5, 4.0) as f32)
            .with_restitution(restitution)
            .with_can_sleep(false);
        ids.push(world.insert(body).unwrap());
    }
    for pair in ids.chunks(2).filter(|_| kind.is_some()) {
        let [a, b] = [pair[0], pair[1]].map(|id| world.body(id).unwrap().position());
        let joint = JointDesc::new(pair[0], pair[1], kind.unwrap()).with_anchor((a + b) * 0.5);
        world.insert_joint(joint.with_axis(Vec3::X)).unwrap();
    }
    let read = |world: &World| ids.iter().map(|id| *world.body(*id).unwrap().motion()).collect::<Vec<_>>();
    let before = sums(&read(&world));
    (0..600).for_each(|_| _ = world.checked_step(DT).unwrap());
    let after = sums(&read(&world));
    let momentum = (after.velocity - before.velocity).length() * before.mass / before.momenta;
    [momentum, (after.spin - before.spin).length() / before.spins]
}

/// The momentum stays to rounding. The angular momentum changes by 0.5 % at most: a contact has its
/// levers from the places at the start of the step, as in [`step`]. In joints it changes by 2 %,
/// because a light body on a long lever counts as heavier for its joint.
#[test]
fn twelve_bodies_keep_their_momenta_for_10_s() {
    let kinds = [
        ("none", None),
        ("ball", Some(JointKind::FREE_SPHERICAL)),
        ("hinge", Some(JointKind::FREE_REVOLUTE)),
        ("slider", Some(JointKind::FREE_PRISMATIC)),
        ("screw", Some(JointKind::Screw { lead: 0.4, limits: None, motor: None })),
        ("weld", Some(JointKind::Weld)),
        ("rope", Some(JointKind::Distance { min: 0.0, max: 1.5 })),
    ];
    for shape in ["ball", "box", "hull", "capsule", "compound"] {
        for restitution in [0.0, 1.0] {
            for (joint, kind) in kinds {
                let mut worst = [0.0f64; 2];
                for seed in 1..=2 {
                    let off = fly_for_10_s(shape, restitution, kind, seed);
                    worst = [worst[0].max(off[0]), worst[1].max(off[1])];
                }
                let what = format!("{shape}, restitution {restitution}, joint: {joint}");
                let limit = if kind.is_some() { 0.03 } else { 0.01 };
                assert!(worst[0] < 1e-4 && worst[1] < limit, "{what}: {worst:?}");
            }
        }
    }
}
