//! Same input, same bits.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, heap, world_on};
#[cfg(feature = "parallel")]
use crate::scenes::{cuboid, thousand_triangles};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
#[cfg(feature = "parallel")]
use carom_query::{MeshShape, Shape};
#[cfg(feature = "parallel")]
use carom_world::{BodyDesc, EventKind, WorldSettings};
use carom_world::{Event, World};
#[cfg(feature = "serde")]
use carom_world::{Inconsistency, WorldError};
#[cfg(feature = "parallel")]
use std::sync::Arc;

/// Steps with things done in between; hashes and events of every step.
fn run<B: BroadPhase + Default>(n_steps: usize) -> Vec<(u64, Vec<Event>)> {
    run_of::<B>(72, n_steps)
}

fn run_of<B: BroadPhase + Default>(n_bodies: usize, n_steps: usize) -> Vec<(u64, Vec<Event>)> {
    let mut world = world_on::<B>();
    let bodies = heap(&mut world, n_bodies, 7);
    let mut trace = Vec::new();
    for step in 0..n_steps {
        world.checked_step(DT).unwrap();
        trace.push((world.state_hash(), world.events().to_vec()));
        match step {
            30 => world.remove(bodies[11]).unwrap(),
            40 => {
                world
                    .body_mut(bodies[20])
                    .unwrap()
                    .apply_impulse_at(Vec3::new(0.5, 3.0, 0.0), Vec3::ZERO)
                    .unwrap();
            }
            50 => {
                let pose = world.body(bodies[40]).unwrap().pose();
                world.body_mut(bodies[5]).unwrap().set_pose(pose).unwrap();
            }
            _ => {}
        }
    }
    trace
}

fn assert_same(a: &[(u64, Vec<Event>)], b: &[(u64, Vec<Event>)], what: &str) {
    for (step, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a, b, "{what}: step {step}");
    }
    assert_eq!(a.len(), b.len());
}

#[test]
fn brute_force_and_tree() {
    let trace = run::<DynamicBvh>(120);
    assert_same(&trace, &run::<DynamicBvh>(120), "twice");
    assert_same(&trace, &run::<BruteForce>(120), "brute force");
    assert!(trace.windows(2).any(|w| w[0].0 != w[1].0));
}

#[cfg(feature = "parallel")]
#[test]
fn one_two_and_seven_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run::<DynamicBvh>(90))
    };
    let one = with(1);
    for n in [2, 7] {
        assert_same(&one, &with(n), &format!("{n} threads"));
    }
}

/// Enough bodies that every loop over pair states has several chunks, and that events of all kinds
/// are in several of them.
#[cfg(feature = "parallel")]
#[test]
fn one_two_and_seven_threads_on_many_pairs() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run_of::<DynamicBvh>(1200, 170))
    };
    let one = with(1);
    for kind in [EventKind::Began, EventKind::Persisted, EventKind::Ended] {
        let most =
            one.iter().map(|(_, events)| events.iter().filter(|event| event.kind == kind).count()).max();
        assert!(Some(10) < most, "{kind:?} {most:?}");
    }
    assert!(one.iter().any(|(_, events)| 1500 < events.len()));
    for n in [2, 7] {
        assert_same(&one, &with(n), &format!("{n} threads"));
    }
}

/// Each in a task of the pool that the other one asks for help.
#[cfg(feature = "parallel")]
#[test]
fn two_worlds_at_once_on_two_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let alone = pool.install(|| run::<DynamicBvh>(60));
    let (a, b) = pool.install(|| rayon::join(|| run::<DynamicBvh>(60), || run::<DynamicBvh>(60)));
    assert_same(&alone, &a, "the one");
    assert_same(&alone, &b, "the other");
}

/// Boxes on a floor of many triangles have many manifolds each, more than several threads make room
/// for beforehand.
#[cfg(feature = "parallel")]
#[test]
fn one_two_and_seven_threads_on_a_mesh() {
    let floor = Shape::Mesh(Arc::new(MeshShape::new(thousand_triangles()).unwrap()));
    for smooths in [true, false] {
        let with = |n: usize| {
            let settings = WorldSettings::default().with_internal_edges_smoothed(smooths);
            let mut world: World = World::with_settings(settings);
            world.insert(BodyDesc::fixed(floor.clone())).unwrap();
            for k in 0..320 {
                let (layer, row, index) = (k / 160, k / 20 % 8, k % 20);
                let at = Vec3::new(index as f32 - 1.5, 0.2 + 0.4 * layer as f32, 0.48 * row as f32 - 1.7);
                let body = of_unit_density(cuboid(Vec3::new(0.45, 0.15, 0.2))).with_position(at);
                world.insert(body.with_linear_velocity(Vec3::new(0.3, 0.0, 0.1))).unwrap();
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            let mut most = 0;
            let trace: Vec<(u64, Vec<Event>)> = (0..40)
                .map(|_| {
                    let stats = pool.install(|| *world.checked_step(DT).unwrap());
                    most = most.max(stats.n_manifolds);
                    let found: usize = world.contacts().map(|contact| contact.manifolds.len()).sum();
                    assert_eq!(found, stats.n_manifolds);
                    (world.state_hash(), world.events().to_vec())
                })
                .collect();
            let manifolds: Vec<_> = world.contacts().flat_map(|contact| contact.manifolds).copied().collect();
            (trace, manifolds, most)
        };
        let one = with(1);
        assert!(3 * one.0[39].1.len() < one.2, "{} manifolds of {} pairs", one.2, one.0[39].1.len());
        for n in [2, 7] {
            let many = with(n);
            assert_same(&one.0, &many.0, &format!("{n} threads"));
            assert_eq!(one.1, many.1);
        }
    }
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = heap(&mut world, 72, 8);
    for _ in 0..50 {
        world.checked_step(DT).unwrap();
    }
    world.remove(bodies[3]).unwrap();
    world.remove(bodies[17]).unwrap();
    world.checked_step(DT).unwrap();
    let snapshot = world.snapshot();
    let mut again: World<DynamicBvh> = crate::scenes::restored(&snapshot, &world).unwrap();
    let mut brute: World<BruteForce> = crate::scenes::restored(&snapshot, &world).unwrap();
    for step in 0..60 {
        if step == 20 {
            // The numbers that are given out next are the same too.
            let desc = || of_unit_density(crate::scenes::ball(0.4)).with_position(Vec3::Y * 9.0);
            let ids = [world.insert(desc()), again.insert(desc()), brute.insert(desc())].map(Result::unwrap);
            assert!(ids[0] == ids[1] && ids[0] == ids[2]);
        }
        world.checked_step(DT).unwrap();
        again.checked_step(DT).unwrap();
        brute.checked_step(DT).unwrap();
        assert_eq!(world.events(), again.events(), "step {step}");
        assert_eq!(world.state_hash(), again.state_hash(), "step {step}");
        assert_eq!(world.state_hash(), brute.state_hash(), "step {step}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_snapshot_is_the_same() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 40, 9);
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let snapshot: carom_world::Snapshot = serde_json::from_str(&text).unwrap();
    let mut again: World<DynamicBvh> = crate::scenes::restored(&snapshot, &world).unwrap();
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
        again.checked_step(DT).unwrap();
        assert_eq!(world.state_hash(), again.state_hash());
    }
}

/// The error names the missing entry.
#[cfg(feature = "serde")]
#[test]
fn a_snapshot_without_an_entry_is_refused() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 40, 9);
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let stored = serde_json::to_value(world.snapshot()).unwrap();
    for (place, field) in [
        ("", "manifolds"),
        ("", "rules"),
        ("/states/0", "is_deferred"),
        ("/caches/0", "gjk"),
        ("/bodies/0", "pose"),
    ] {
        let mut part = stored.clone();
        part.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(field).unwrap();
        let refused = serde_json::from_value::<carom_world::Snapshot>(part).unwrap_err().to_string();
        assert!(refused.contains(field), "{refused}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_snapshot_with_pairs_of_no_bodies_or_negative_drift_is_refused() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 20, 9);
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let stored = serde_json::to_value(world.snapshot()).unwrap();
    let restored = |stored: &serde_json::Value| {
        let snapshot: carom_world::Snapshot = serde_json::from_value(stored.clone()).unwrap();
        crate::scenes::restored::<DynamicBvh>(&snapshot, &world).err()
    };
    assert_eq!(restored(&stored), None);
    let entry = |what, index| Some(WorldError::Inconsistent(Inconsistency { what, index }));
    for (place, field, value, what) in [
        ("/states/1/a", "generation", 0.into(), "a pair with a body that never was"),
        ("/states/1", "drift", (-1.0).into(), "the drift of a pair"),
    ] {
        let mut other = stored.clone();
        other.pointer_mut(place).unwrap()[field] = value;
        assert_eq!(restored(&other), entry(what, 1), "{field}");
    }
    let mut other = stored.clone();
    other["caches"].as_array_mut().unwrap().pop().unwrap();
    assert_eq!(restored(&other), entry("the table of caches", other["caches"].as_array().unwrap().len()));
}
