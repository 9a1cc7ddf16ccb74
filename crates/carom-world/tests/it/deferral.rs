//! A budget in seconds that suffices for the response, but not for all tests of pairs as well: the
//! call is deferred, and the next one continues the step.

use crate::scenes::{CheckedStep, DT, ball, cuboid, energy, ground, world_on};
use carom_broad_tree::DynamicBvh;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, Budget, World};
use std::time::Duration;

/// Boxes above a floor, that fall on each other, and a lift that turns beside them, about a point
/// outside of it.
fn scene() -> (World, Vec<BodyId>, BodyId) {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = if x == 0.0 { Vec3::new(7.0, 20.0, 0.5) } else { Vec3::new(0.5, 20.0, 7.0) };
        world.insert(BodyDesc::fixed(cuboid(half)).with_position(Vec3::new(x, 0.0, z) * 5.0)).unwrap();
    }
    let mut boxes = Vec::new();
    for i in 0..343 {
        let cell = Vec3::new((i % 7) as f32 - 3.0, (i / 49) as f32, (i / 7 % 7) as f32 - 3.0);
        let turn = Quat::from_rotation_y(i as f32) * Quat::from_rotation_x(0.3 * i as f32);
        let at =
            cell * Vec3::new(1.2, 1.3, 1.2) + Vec3::new(0.05 * (i % 3) as f32, 1.0, 0.03 * (i % 5) as f32);
        boxes.push(
            world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_pose(Pose::new(turn, at))).unwrap(),
        );
    }
    let lift = BodyDesc::kinematic(ball(0.5)).with_position(Vec3::new(20.0, 3.0, 0.0));
    let lift = world
        .insert(
            lift.with_linear_velocity(Vec3::new(0.0, 1.0, 0.5))
                .with_angular_velocity(Vec3::new(0.0, 2.0, 0.0)),
        )
        .unwrap();
    (world, boxes, lift)
}

fn deepest(world: &World) -> f32 {
    let manifolds = world.contacts().flat_map(|view| view.manifolds.iter());
    -manifolds.flat_map(|m| m.contacts().iter().map(|c| c.distance)).fold(0.0, f32::min)
}

/// Steps on this budget. Returns the number of deferred calls, and of calls with suspended bodies.
fn fall(budget: Duration, n_calls: usize) -> ([usize; 2], World) {
    let (mut world, boxes, lift) = scene();
    let start = energy(&world);
    // The costs of work are measured first.
    world.checked_step(DT).unwrap();
    let (mut n_held, mut n_suspending, mut in_a_row) = (0, 0, 0);
    let mut at = world.body(lift).unwrap().pose();
    for call in 0..n_calls {
        let before: Vec<_> = boxes.iter().map(|&id| *world.body(id).unwrap().motion()).collect();
        let shortfall = world.checked_step_within(DT, Budget::Time(budget)).unwrap().shortfall;
        if shortfall.is_deferred {
            let n_awake = boxes.iter().filter(|&&id| !world.body(id).unwrap().is_sleeping()).count();
            assert_eq!(
                (shortfall.n_suspended, shortfall.n_substeps),
                (n_awake, world.settings().solver.substeps)
            );
            for (&id, before) in boxes.iter().zip(&before) {
                let body = world.body(id).unwrap().motion();
                assert_eq!(body.pose, before.pose, "call {call}");
                // A sleeping body wakes if a contact of it begins, also in a deferred call.
                let is_woken = before.is_sleeping && !body.is_sleeping;
                assert!(is_woken || body.rest.slow_time() == before.rest.slow_time(), "call {call}");
                assert_eq!(body.linear_velocity, before.linear_velocity, "call {call}");
                assert_eq!(body.angular_velocity, before.angular_velocity, "call {call}");
            }
            (n_held, in_a_row) = (n_held + 1, in_a_row + 1);
            assert!(in_a_row <= 16, "call {call}");
        } else {
            n_suspending += usize::from(0 < shortfall.n_suspended);
            in_a_row = 0;
        }
        // The lift moves in every call.
        let now = world.body(lift).unwrap().pose();
        let went = now.translation - at.translation - Vec3::new(0.0, 1.0, 0.5) * DT;
        let turned = (at.rotation * Quat::from_rotation_y(2.0 * DT)).angle_between(now.rotation);
        assert!(went.length() < 1e-4 && turned < 2e-3, "call {call}: {went}, {turned}");
        at = now;
        assert!(energy(&world) <= start * 1.001, "call {call}");
    }
    ([n_held, n_suspending], world)
}

#[test]
fn a_heap_with_deferred_calls_comes_to_rest_as_without_a_budget() {
    let (mut free, boxes, _) = scene();
    let mut whole = Vec::new();
    (0..400).for_each(|_| whole.push(free.checked_step(DT).unwrap().times.total()));
    whole.sort_by(f64::total_cmp);
    let height = |world: &World| {
        boxes.iter().map(|&id| world.body(id).unwrap().position().y).sum::<f32>() / boxes.len() as f32
    };
    // The load of the machine decides which budget defers calls: it is reduced until calls are
    // deferred.
    let (mut budget, mut most_held) = (whole[380], 0);
    for _ in 0..12 {
        let ([n_held, n_suspending], world) = fall(Duration::from_secs_f64(budget), 1200);
        println!(
            "{:.2} ms: held in {n_held} calls, some suspended in {n_suspending}; mean heights {} and {}, depths {} and {}",
            budget * 1e3,
            height(&free),
            height(&world),
            deepest(&free),
            deepest(&world)
        );
        most_held = most_held.max(n_held);
        if 20 < n_held && n_suspending < 20 {
            assert!((height(&free) - height(&world)).abs() < 0.1 * height(&free));
            // A body that was pushed in a step with fewer substeps, on a busy machine, is slightly
            // deeper: 0.03 was seen.
            assert!(deepest(&world) < 0.05, "{}", deepest(&world));
            return;
        }
        budget *= 0.8;
    }
    assert!(0 < most_held, "no step was held");
}

#[test]
fn deferred_calls_by_work_have_the_same_bits() {
    let (mut free, boxes, _) = scene();
    let start = energy(&free);
    let mut most = 0;
    for _ in 0..400 {
        most = free.checked_step(DT).unwrap().solver.n_manifolds.max(most);
    }
    let height = |world: &World| {
        boxes.iter().map(|&id| world.body(id).unwrap().position().y).sum::<f32>() / boxes.len() as f32
    };
    let budget = Budget::Steps(most as u64 * 4 / 3);
    let (mut world, _, _) = scene();
    let mut again: Option<World> = None;
    let mut n_held = 0;
    for call in 0..1500 {
        let shortfall = world.checked_step_within(DT, budget).unwrap().shortfall;
        assert!(shortfall.is_deferred || shortfall.n_suspended == 0, "call {call}: {shortfall:?}");
        assert!(energy(&world) <= start * 1.001, "call {call}");
        n_held += usize::from(shortfall.is_deferred);
        if let Some(again) = &mut again {
            assert_eq!(again.checked_step_within(DT, budget).unwrap().shortfall, shortfall, "call {call}");
            assert_eq!(again.state_hash(), world.state_hash(), "call {call}");
        }
        if shortfall.is_deferred && call % 100 == 0 || call == 199 {
            again = Some(crate::scenes::restored(&world.snapshot(), &world).unwrap());
        }
    }
    println!("held in {n_held} calls; mean heights {} and {}", height(&free), height(&world));
    assert!(200 < n_held && again.is_some(), "{n_held}");
    assert!((height(&free) - height(&world)).abs() < 0.1 * height(&free));
    assert!(deepest(&world) < 0.02, "{}", deepest(&world));
}

#[test]
fn a_world_can_be_edited_and_stored_in_a_deferred_step() {
    let (mut world, boxes, _) = scene();
    (0..40).for_each(|_| _ = world.checked_step(DT).unwrap());
    // Whether calls are deferred or bodies suspended depends on the machine. Nothing is lost in any
    // case.
    for call in 0..300 {
        let budget = Budget::Time(Duration::from_micros(200 + 40 * (call as u64 % 50)));
        world.checked_step_within(DT, budget).unwrap();
        if call % 7 == 0 {
            let id = boxes[call * 11 % boxes.len()];
            let at = Vec3::new(0.0, 12.0 + call as f32 * 0.1, 0.0);
            world.body_mut(id).unwrap().set_pose(Pose::from_translation(at)).unwrap();
        }
        if call % 50 == 49 {
            world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        }
    }
    let hash = world.state_hash();
    (0..600).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert_ne!(hash, world.state_hash());
    assert!(deepest(&world) < 0.02, "{}", deepest(&world));
    assert!(boxes.iter().all(|&id| -0.1 < world.body(id).unwrap().position().y));
}
