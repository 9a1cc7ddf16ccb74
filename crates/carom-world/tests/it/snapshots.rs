//! A restored world continues like the original, whatever was done before the snapshot.

use crate::scenes::{CheckedStep, DT, ball, heap, stack, world_on};
use carom_broad::BruteForce;
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{BodyDesc, Budget, StepStats, World};

fn restored(world: &World<DynamicBvh>) -> World<BruteForce> {
    crate::scenes::restored(&world.snapshot(), world).unwrap()
}

/// Nothing moved since: the next step uses the contacts of the detection.
#[test]
fn taken_after_a_detection() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 5);
    for step in 0..20 {
        world.checked_step(DT).unwrap();
        world.detect();
        let mut again = restored(&world);
        assert_eq!(
            world.checked_step(DT).unwrap().solver,
            again.checked_step(DT).unwrap().solver,
            "step {step}"
        );
        assert_eq!(world.state_hash(), again.state_hash(), "step {step}");
        assert_eq!(world.events(), again.events(), "step {step}");
    }
}

/// A refused step leaves no pair to be tested.
#[test]
fn taken_after_a_step_that_was_refused() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 5);
    for _ in 0..20 {
        world.checked_step(DT).unwrap();
    }
    assert!(world.checked_step(f32::NAN).is_err());
    let mut again = restored(&world);
    world.checked_step(DT).unwrap();
    again.checked_step(DT).unwrap();
    assert_eq!(world.state_hash(), again.state_hash());
}

/// The box of a fast body contains its path at its present velocity. A detection, or a step of zero
/// length, finds the same pairs in the restored world.
#[test]
fn taken_after_a_fast_body_was_pushed() {
    for is_pushed in [false, true] {
        for dt in [None, Some(0.0)] {
            let mut world = world_on::<DynamicBvh>();
            world.insert(BodyDesc::fixed(ball(0.5)).with_position(Vec3::X * 4.0)).unwrap();
            let body = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * -4.0).with_ccd(true);
            let fast = world.insert(body).unwrap();
            world.checked_step(DT).unwrap();
            let speed = Vec3::X * (8.0 / DT);
            if is_pushed {
                let body = *world.body(fast).unwrap().motion();
                world
                    .body_mut(fast)
                    .unwrap()
                    .apply_impulse_at(speed / body.inverse_mass, body.world_center())
                    .unwrap();
            } else {
                world
                    .body_mut(fast)
                    .unwrap()
                    .set_linear_velocity(speed)
                    .unwrap()
                    .set_angular_velocity(Vec3::ZERO)
                    .unwrap();
            }
            let mut again = restored(&world);
            let [own, other] = match dt {
                None => [world.detect().n_pairs, again.detect().n_pairs],
                Some(dt) => {
                    [world.checked_step(dt).unwrap().n_pairs, again.checked_step(dt).unwrap().n_pairs]
                }
            };
            assert_eq!((own, other), (1, 1), "{is_pushed} {dt:?}");
            // And when it is stopped again.
            world
                .body_mut(fast)
                .unwrap()
                .set_linear_velocity(Vec3::ZERO)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
            let mut again = restored(&world);
            assert_eq!((world.detect().n_pairs, again.detect().n_pairs), (0, 0), "{is_pushed} {dt:?}");
        }
    }
}

/// A step of zero length keeps the swept boxes of fast bodies: a world restored after it finds the
/// same pairs.
#[test]
fn taken_after_a_step_of_no_length() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(BodyDesc::fixed(ball(0.5)).with_position(Vec3::X * 4.0)).unwrap();
    let body = BodyDesc::dynamic(ball(0.5)).with_position(Vec3::X * -4.0).with_ccd(true);
    world.insert(body.with_linear_velocity(Vec3::X * (4.0 / DT))).unwrap();
    world.checked_step(DT).unwrap();
    let last = world.detect().n_pairs;
    assert_eq!(world.checked_step(0.0).unwrap().n_pairs, last);
    let mut again = restored(&world);
    assert_eq!(
        (world.checked_step(0.0).unwrap().n_pairs, again.checked_step(0.0).unwrap().n_pairs),
        (last, last)
    );
    assert_eq!((world.detect().n_pairs, again.detect().n_pairs, last), (1, 1, 1));
}

/// A world that sleeps counts the same pairs and manifolds.
#[test]
fn taken_of_a_world_at_rest() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = stack(&mut world, 3);
    for _ in 0..300 {
        world.checked_step(DT).unwrap();
    }
    assert!(bodies.iter().all(|&body| world.body(body).unwrap().is_sleeping()));
    let counts = |world: &mut dyn FnMut() -> carom_world::StepStats| {
        let stats = world();
        [stats.n_bodies, stats.n_pairs, stats.n_touching, stats.n_manifolds, stats.n_tested]
    };
    let mut again = restored(&world);
    assert_eq!(counts(&mut || *world.checked_step(DT).unwrap()), [4, 3, 3, 3, 0]);
    assert_eq!(counts(&mut || *again.checked_step(DT).unwrap()), [4, 3, 3, 3, 0]);
    let mut again = restored(&world);
    assert_eq!(counts(&mut || *again.detect()), counts(&mut || *world.detect()));
}

/// In each step on a budget: the next step does the same work, also if other bodies are selected,
/// and if boxes of fast bodies grow because the step is longer.
#[test]
fn taken_between_steps_on_a_budget() {
    let (mut n_held, mut n_suspended) = (0, 0);
    for budget in [3, 10, 20, 40, 60, 100, 150] {
        let mut world = world_on::<DynamicBvh>();
        heap(&mut world, 24, budget);
        for k in 0..8 {
            let at = Vec3::new(k as f32 - 4.0, 4.0 + 0.3 * k as f32, 0.0);
            let bullet = BodyDesc::dynamic(ball(0.2)).with_position(at).with_ccd(true);
            let velocity = Vec3::new(20.0, -10.0, 5.0 * k as f32);
            world.insert(bullet.with_linear_velocity(velocity).with_restitution(0.9)).unwrap();
        }
        for step in 0..120 {
            let mut again = restored(&world);
            let what = format!("{budget}, step {step}");
            let (factor, dt) = ([1, 4, 2][step % 3], [DT, 2.0 * DT, 0.25 * DT, DT][step % 4]);
            let budget = Budget::Steps(factor * budget);
            let stats = *world.checked_step_within(dt, budget).unwrap();
            let other = *again.checked_step_within(dt, budget).unwrap();
            let counts = |stats: &StepStats| {
                [stats.n_pairs, stats.n_tested, stats.n_recycled, stats.n_touching, stats.n_manifolds]
            };
            assert_eq!(counts(&stats), counts(&other), "{what}");
            assert_eq!((stats.n_steps, stats.shortfall), (other.n_steps, other.shortfall), "{what}");
            assert_eq!(world.state_hash(), again.state_hash(), "{what}");
            assert_eq!(world.events(), again.events(), "{what}");
            n_held += usize::from(stats.shortfall.is_deferred);
            n_suspended += usize::from(!stats.shortfall.is_deferred && 0 < stats.shortfall.n_suspended);
        }
    }
    println!("{n_held} held, {n_suspended} with suspended bodies");
    assert!(20 < n_held && 20 < n_suspended);
}

/// A world goes back to a snapshot in place, as often as wanted.
#[test]
fn a_world_is_restored_in_place() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 24, 3);
    for _ in 0..40 {
        world.checked_step(DT).unwrap();
    }
    let saved = world.snapshot();
    let run = |world: &mut World<DynamicBvh>| {
        let hashes = (0..20).map(|_| {
            world.checked_step(DT).unwrap();
            world.state_hash()
        });
        hashes.collect::<Vec<u64>>()
    };
    let first = run(&mut world);
    let added = world.insert(BodyDesc::dynamic(ball(0.3))).unwrap();
    for _ in 0..2 {
        world.restore(&saved).unwrap();
        assert!(world.body(added).is_err(), "what was inserted since is gone");
        assert_eq!(run(&mut world), first);
    }
}
