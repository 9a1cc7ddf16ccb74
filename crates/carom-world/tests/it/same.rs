//! Same input, same bits.

use crate::scenes::{DT, heap, world_on};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{Event, World};

/// Steps with things done in between; hashes and events of every step.
fn run<B: BroadPhase + Default>(n_steps: usize) -> Vec<(u64, Vec<Event>)> {
    let mut world = world_on::<B>();
    let bodies = heap(&mut world, 72, 7);
    let mut trace = Vec::new();
    for step in 0..n_steps {
        world.step(DT).unwrap();
        trace.push((world.state_hash(), world.events().to_vec()));
        match step {
            30 => world.remove(bodies[11]).unwrap(),
            40 => world.apply_impulse(bodies[20], Vec3::new(0.5, 3.0, 0.0), Vec3::ZERO).unwrap(),
            50 => world.set_pose(bodies[5], world.pose(bodies[40]).unwrap()).unwrap(),
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

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = heap(&mut world, 72, 8);
    for _ in 0..50 {
        world.step(DT).unwrap();
    }
    world.remove(bodies[3]).unwrap();
    world.remove(bodies[17]).unwrap();
    world.step(DT).unwrap();
    let snapshot = world.snapshot();
    let shape_of = |id| world.shape(id).ok().cloned();
    let mut again: World<DynamicBvh> = World::restored(&snapshot, shape_of).unwrap();
    let mut brute: World<BruteForce> = World::restored(&snapshot, shape_of).unwrap();
    for step in 0..60 {
        if step == 20 {
            // The numbers that are given out next are the same too.
            let desc = || carom_world::BodyDesc::new(crate::scenes::ball(0.4)).with_position(Vec3::Y * 9.0);
            let ids = [world.insert(desc()), again.insert(desc()), brute.insert(desc())].map(Result::unwrap);
            assert!(ids[0] == ids[1] && ids[0] == ids[2]);
        }
        world.step(DT).unwrap();
        again.step(DT).unwrap();
        brute.step(DT).unwrap();
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
        world.step(DT).unwrap();
    }
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let snapshot: carom_world::Snapshot = serde_json::from_str(&text).unwrap();
    let mut again: World<DynamicBvh> =
        World::restored(&snapshot, |id| world.shape(id).ok().cloned()).unwrap();
    for _ in 0..30 {
        world.step(DT).unwrap();
        again.step(DT).unwrap();
        assert_eq!(world.state_hash(), again.state_hash());
    }
}

/// One from before hulls remembered where their walks ended is read; one that lacks what a step needs is refused, and says what.
#[cfg(feature = "serde")]
#[test]
fn a_snapshot_of_an_older_layout_is_read_or_refused() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 40, 9);
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let mut stored = serde_json::to_value(world.snapshot()).unwrap();
    let records = stored["records"].as_array_mut().unwrap();
    assert!(10 < records.len());
    for record in records {
        record["cache"].as_object_mut().unwrap().remove("places").unwrap();
    }
    let snapshot: carom_world::Snapshot = serde_json::from_value(stored.clone()).unwrap();
    let mut again: World<DynamicBvh> =
        World::restored(&snapshot, |id| world.shape(id).ok().cloned()).unwrap();
    for _ in 0..30 {
        again.step(DT).unwrap();
    }
    for (place, field) in
        [("", "manifolds"), ("/records/0", "is_put_off"), ("/records/0/cache", "gjk"), ("/bodies/0", "pose")]
    {
        let mut older = stored.clone();
        older.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(field).unwrap();
        let refused = serde_json::from_value::<carom_world::Snapshot>(older).unwrap_err().to_string();
        assert!(refused.contains(field), "{refused}");
    }
}

#[test]
fn a_snapshot_without_a_shape_is_refused() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 4, 9);
    let refused = World::<DynamicBvh>::restored(&world.snapshot(), |_| None);
    assert!(matches!(refused, Err(carom_world::WorldError::BadSnapshot(_))));
}
