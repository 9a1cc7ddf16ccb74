//! Five scenes and the numbers of their states, which may change only when what the world computes is meant to change: the same in debug and
//! release builds, with every instruction set of the machine, any broad phase and number of threads, and with a snapshot in the middle.
//!
//! Nothing here goes through a sine of the platform: places and turns are sums, products and square roots.

use crate::scenes::{DT, ball, cuboid, ground, stack};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_auto::catalogue::{ALGORITHMS, Place, Whole};
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, ConvexHull, TriMesh};
use carom_lanes::{Level, force_level};
use carom_math::{Pose, Quat, Vec3, rotation};
use carom_query::{MeshShape, Shape};
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, JointKind, Motor, World, WorldSettings};
use std::sync::Arc;

fn turned(dice: &mut Dice) -> Quat {
    let v = dice.point(1.0);
    rotation::normalize(Quat::from_xyzw(v.x, v.y, v.z, 0.7))
}

fn tower<B: BroadPhase>(world: &mut World<B>) {
    stack(world, 20);
}

/// Boxes, balls, capsules and hulls that fall into a trough of triangles.
fn trough<B: BroadPhase>(world: &mut World<B>) {
    let mut dice = Dice::new(21);
    let n = 12_u32;
    let side = n + 1;
    let at = |i: u32| {
        let (x, z) = ((i % side) as f32 - 6.0, (i / side) as f32 - 6.0);
        Vec3::new(x, 0.08 * (x * x + z * z) + 0.1 * ((i * 7 % 5) as f32), z)
    };
    let cell = |c: u32| {
        let i = c / n * side + c % n;
        [[i, i + side, i + 1], [i + 1, i + side, i + side + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..n * n).flat_map(cell).collect();
    let mesh = TriMesh::new((0..side * side).map(at).collect(), triangles).unwrap();
    let floor = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    world.insert(BodyDesc::fixed(floor).with_friction(0.6)).unwrap();
    let points: Vec<Vec3> = (0..14).map(|_| dice.point(0.45)).collect();
    let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()));
    for i in 0..48 {
        let (layer, cell) = (i / 16, i % 16);
        let place =
            Vec3::new((cell % 4) as f32 * 1.3 - 2.0, 2.5 + layer as f32 * 1.4, (cell / 4) as f32 * 1.3 - 2.0);
        let shape = match i % 4 {
            0 => ball(0.4),
            1 => Shape::Capsule(Capsule::new(0.3, 0.25).unwrap()),
            2 => hull.clone(),
            _ => cuboid(Vec3::new(0.5, 0.3, 0.4)),
        };
        let desc = BodyDesc::new(shape).with_pose(Pose::new(turned(&mut dice), place + dice.point(0.1)));
        world.insert(desc.with_restitution(if i % 7 == 0 { 0.4 } else { 0.0 })).unwrap();
    }
}

/// Small bodies, some of them spinning, that fly at a wall of a millimetre.
fn bullets<B: BroadPhase>(world: &mut World<B>) {
    let mut dice = Dice::new(22);
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.0005, 50.0, 50.0)))).unwrap();
    for i in 0..60 {
        let shape = match i % 3 {
            0 => ball(0.005),
            1 => cuboid(Vec3::new(0.02, 0.004, 0.006)),
            _ => Shape::Capsule(Capsule::new(0.015, 0.004).unwrap()),
        };
        let place = Vec3::new(dice.range(-30.0, -1.0), (i / 10) as f32, (i % 10) as f32);
        let (aside, spin) = (dice.point(20.0), dice.point(200.0));
        let desc = BodyDesc::new(shape)
            .with_pose(Pose::from_translation(place))
            .with_velocity(Vec3::new(1000.0, aside.y, aside.z), spin)
            .with_density(8000.0)
            .with_fast(true);
        world.insert(desc).unwrap();
    }
}

/// Wheels with motors, chains with limits, and ropes.
fn joints<B: BroadPhase>(world: &mut World<B>) {
    let mut dice = Dice::new(23);
    world.insert(ground()).unwrap();
    let post =
        world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.1, 3.0, 0.1))).with_position(Vec3::Y * 3.0)).unwrap();
    for i in 0..6 {
        let at = Vec3::new(2.0 + 1.5 * i as f32, 0.8, 0.0);
        let frame = world.insert(BodyDesc::new(cuboid(Vec3::new(0.4, 0.1, 0.3))).with_position(at)).unwrap();
        for (x, z) in [(0.3, 0.45), (0.3, -0.45), (-0.3, 0.45), (-0.3, -0.45)] {
            let hub = at + Vec3::new(x, -0.2, z);
            let wheel =
                world.insert(BodyDesc::new(ball(0.25)).with_position(hub).with_family(i + 1)).unwrap();
            let motor = Some(Motor { speed: -4.0, max_torque: 3.0 });
            let hinge = JointKind::Hinge { limits: None, motor };
            world.insert_joint_at(frame, wheel, hinge, hub, Vec3::Z).unwrap();
        }
    }
    let mut last = post;
    for i in 0..8 {
        let at = Vec3::new(0.5 + 0.7 * i as f32, 5.8, 3.0) + dice.point(0.05);
        let link = BodyDesc::new(Shape::Capsule(Capsule::new(0.2, 0.1).unwrap()));
        let link = world.insert(link.with_position(at).with_family(20)).unwrap();
        world
            .insert_joint_at(last, link, JointKind::Ball { cone: 1.2 }, at - Vec3::X * 0.35, Vec3::X)
            .unwrap();
        last = link;
    }
}

/// A sparse crowd of turned boxes, a moving lift below them, and things put somewhere else on the way.
fn lift<B: BroadPhase>(world: &mut World<B>) {
    let mut dice = Dice::new(24);
    world.insert(ground()).unwrap();
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(5.0, 0.2, 5.0))).with_position(Vec3::Y * 0.5);
    world.insert(lift.with_velocity(Vec3::Y * 0.5, Vec3::Y * 0.3)).unwrap();
    for _ in 0..40 {
        let place = Vec3::new(dice.range(-4.0, 4.0), dice.range(1.5, 6.0), dice.range(-4.0, 4.0));
        let half = Vec3::new(dice.range(0.2, 0.5), dice.range(0.2, 0.5), dice.range(0.2, 0.5));
        world.insert(BodyDesc::new(cuboid(half)).with_pose(Pose::new(turned(&mut dice), place))).unwrap();
    }
}

type Fill<B> = fn(&mut World<B>);

/// Name, what fills the world, how many steps, and the state after them.
fn scenes<B: BroadPhase>() -> [(&'static str, Fill<B>, usize, u64); 5] {
    [
        ("a tower of twenty", tower::<B>, 60, 0xc97b_e3ed_e461_7fd3),
        ("a trough of triangles", trough::<B>, 120, 0xb06b_e209_f90c_fff3),
        ("bullets", bullets::<B>, 12, 0x6b88_f592_61fe_4ca8),
        ("wheels and a chain", joints::<B>, 120, 0x9c98_d607_fb56_4d0f),
        ("a lift", lift::<B>, 120, 0xf150_12ab_2671_e172),
    ]
}

fn run<B: BroadPhase + Default>(fill: Fill<B>, n_steps: usize) -> u64 {
    run_on(B::default(), fill, n_steps)
}

fn run_on<B: BroadPhase>(broad: B, fill: Fill<B>, n_steps: usize) -> u64 {
    let mut world = World::with_broad_phase(broad, WorldSettings::default());
    fill(&mut world);
    (0..n_steps).for_each(|_| {
        world.step(DT).unwrap();
    });
    world.state_hash()
}

fn assert_golden<B: BroadPhase + Default>(how: &str) {
    for (name, fill, n_steps, expected) in scenes::<B>() {
        assert_eq!(format!("{:016x}", run(fill, n_steps)), format!("{expected:016x}"), "{name}, {how}");
    }
}

#[test]
fn the_states_are_what_they_were() {
    let found: Vec<String> = scenes::<DynamicBvh>()
        .map(|(name, fill, n_steps, _)| format!("{name}: {:#018x}", run(fill, n_steps)))
        .to_vec();
    let expected: Vec<String> =
        scenes::<DynamicBvh>().map(|(name, _, _, state)| format!("{name}: {state:#018x}")).to_vec();
    assert_eq!(found, expected);
}

#[test]
fn with_any_broad_phase() {
    assert_golden::<BruteForce>("brute force");
    // What some of them divide into cells.
    let place = Place::of(&[Aabb { min: Vec3::splat(-30.0), max: Vec3::splat(30.0) }; 100]);
    for listed in ALGORITHMS {
        for (name, fill, n_steps, expected) in scenes::<Box<dyn Whole>>() {
            let state = run_on(listed.make(&place), fill, n_steps);
            assert_eq!(format!("{state:016x}"), format!("{expected:016x}"), "{name}, {}", listed.name);
        }
    }
    println!("{} broad phases", ALGORITHMS.len());
}

#[test]
fn with_every_instruction_set() {
    for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
        if force_level(Some(level)) {
            println!("{level:?}");
            assert_golden::<DynamicBvh>(&format!("{level:?}"));
        }
    }
    force_level(None);
}

#[cfg(feature = "parallel")]
#[test]
fn with_one_two_and_seven_threads() {
    for n in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| assert_golden::<DynamicBvh>(&format!("{n} threads")));
    }
}

#[test]
fn with_a_snapshot_in_the_middle() {
    for (name, fill, n_steps, expected) in scenes::<DynamicBvh>() {
        let mut world = World::new();
        fill(&mut world);
        (0..n_steps / 2).for_each(|_| {
            world.step(DT).unwrap();
        });
        let snapshot = world.snapshot();
        let mut world = World::<DynamicBvh>::restored(&snapshot, |id| world.shape(id).ok().cloned()).unwrap();
        (n_steps / 2..n_steps).for_each(|_| {
            world.step(DT).unwrap();
        });
        assert_eq!(format!("{:016x}", world.state_hash()), format!("{expected:016x}"), "{name}");
    }
}
