//! What is restored from a snapshot goes on as what it was taken of, whatever was done before.

use crate::scenes::{DT, stack, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_world::World;

fn restored(world: &World<DynamicBvh>) -> World<BruteForce> {
    World::restored(&world.snapshot(), |id| world.shape(id).ok().cloned()).unwrap()
}

/// Nothing moved since: the contacts that are known count in the next step.
#[test]
fn taken_after_a_detection() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 5);
    for step in 0..20 {
        world.step(DT).unwrap();
        world.detect();
        let mut again = restored(&world);
        assert_eq!(world.step(DT).unwrap().solver, again.step(DT).unwrap().solver, "step {step}");
        assert_eq!(world.state_hash(), again.state_hash(), "step {step}");
        assert_eq!(world.events(), again.events(), "step {step}");
    }
}

/// A step that was refused leaves nothing to be looked at.
#[test]
fn taken_after_a_step_that_was_refused() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 5);
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    assert!(world.step(f32::NAN).is_err());
    let mut again = restored(&world);
    world.step(DT).unwrap();
    again.step(DT).unwrap();
    assert_eq!(world.state_hash(), again.state_hash());
}

/// A world that sleeps counts the same pairs and manifolds.
#[test]
fn taken_of_a_world_at_rest() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = stack(&mut world, 3);
    for _ in 0..300 {
        world.step(DT).unwrap();
    }
    assert!(bodies.iter().all(|&body| world.is_sleeping(body).unwrap()));
    let counts = |world: &mut dyn FnMut() -> carom_world::Stats| {
        let stats = world();
        [stats.n_bodies, stats.n_pairs, stats.n_touching, stats.n_manifolds, stats.n_tested]
    };
    let mut again = restored(&world);
    assert_eq!(counts(&mut || *world.step(DT).unwrap()), [4, 3, 3, 3, 0]);
    assert_eq!(counts(&mut || *again.step(DT).unwrap()), [4, 3, 3, 3, 0]);
    let mut again = restored(&world);
    assert_eq!(counts(&mut || *again.detect()), counts(&mut || *world.detect()));
}
