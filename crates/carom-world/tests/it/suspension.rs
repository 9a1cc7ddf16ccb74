//! A budget that does not suffice for all bodies: some are suspended, and move later. No body gains
//! energy or falls through, and no joint opens.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, energy, ground, heap, stack, upright_chain, world_on};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, Budget, EventKind, JointDesc, Mobility, StepStats, World};
use std::collections::BTreeSet;
use std::time::Duration;

fn n_suspended<B: BroadPhase>(world: &World<B>) -> usize {
    world.body_ids().filter(|&id| world.body(id).unwrap().is_suspended()).count()
}

/// A few hundred bodies that fall into a heap, on a budget of this many steps of work.
fn run<B: BroadPhase + Default>(n_steps: usize, budget: u64) -> (Vec<StepStats>, World<B>) {
    let mut world = world_on::<B>();
    heap(&mut world, 144, 5);
    let step = |_| *world.checked_step_within(DT, Budget::Steps(budget)).unwrap();
    ((0..n_steps).map(step).collect(), world)
}

#[test]
fn suspended_bodies_are_counted_and_stand_still() {
    let mut world = world_on::<DynamicBvh>();
    heap(&mut world, 144, 5);
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert_eq!((world.stats().shortfall, n_suspended(&world)), Default::default());
    let free = world.stats().n_steps;
    for part in [10, 20, 200] {
        let budget = free / part;
        for step in 0..40 {
            let before: Vec<_> = world.body_ids().map(|id| *world.body(id).unwrap().motion()).collect();
            let stats = *world.checked_step_within(DT, Budget::Steps(budget)).unwrap();
            assert!(0 < stats.shortfall.n_suspended, "1/{part}, step {step}: {stats:?}");
            let is_held = stats.shortfall.is_deferred;
            assert!(!is_held || part == 10, "1/{part}, step {step}: {stats:?}");
            // Bodies in a deferred call are not marked as suspended.
            assert_eq!(n_suspended(&world), if is_held { 0 } else { stats.shortfall.n_suspended });
            assert!(world.settings().solver.substeps - 1 <= stats.shortfall.n_substeps);
            for (id, before) in world.body_ids().zip(before) {
                let body = world.body(id).unwrap().motion();
                if world.body(id).unwrap().is_suspended() || is_held {
                    assert_eq!((body.pose, body.rest.slow_time()), (before.pose, before.rest.slow_time()));
                    assert_eq!(body.linear_velocity, before.linear_velocity);
                    assert_eq!(body.angular_velocity, before.angular_velocity);
                }
            }
            // One group always moves: here up to six links of a chain. After a step of all its
            // pairs are still to be carried.
            assert!(step == 0 || stats.n_steps <= budget.max(40), "1/{part}, step {step}: {stats:?}");
        }
        world.checked_step(DT).unwrap();
        assert_eq!((world.stats().shortfall, n_suspended(&world)), Default::default());
    }
}

#[test]
fn every_body_moves_and_fast_ones_more_often() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    // A field of boxes at rest, and balls that fly over it.
    let mut boxes = Vec::new();
    for i in 0..200 {
        let at = Vec3::new((i % 20) as f32 * 1.5, 0.5, (i / 20) as f32 * 1.5);
        let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at).with_can_sleep(false);
        boxes.push(world.insert(desc).unwrap());
    }
    let mut balls = Vec::new();
    for i in 0..20 {
        let desc = of_unit_density(ball(0.3)).with_position(Vec3::new(i as f32 * 1.5, 8.0, 0.0));
        let desc = desc.with_linear_velocity(Vec3::Z).with_gravity_scale(0.0);
        balls.push(world.insert(desc).unwrap());
    }
    (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
    let mut n_turns = std::collections::BTreeMap::new();
    let n_steps = 120;
    for _ in 0..n_steps {
        world.checked_step_within(DT, Budget::Steps(40)).unwrap();
        for &id in boxes.iter().chain(&balls) {
            *n_turns.entry(id).or_insert(0) += usize::from(!world.body(id).unwrap().is_suspended());
        }
    }
    let of = |ids: &[BodyId]| ids.iter().map(|id| n_turns[id]).collect::<Vec<usize>>();
    let (slow, fast) = (of(&boxes), of(&balls));
    let mean = |turns: &[usize]| turns.iter().sum::<usize>() as f64 / turns.len() as f64;
    println!("of {n_steps} steps boxes have {:.1} in the mean, balls {:.1}", mean(&slow), mean(&fast));
    assert!(slow.iter().all(|&n| 2 <= n) && slow.iter().any(|&n| n < n_steps / 4));
    assert!(2.5 * mean(&slow) < mean(&fast), "{slow:?} {fast:?}");
}

#[test]
fn the_same_bits_wherever_bodies_are_suspended() {
    let (trace, world) = run::<DynamicBvh>(120, 60);
    assert!(60 < trace.iter().filter(|stats| 20 < stats.shortfall.n_suspended).count());
    assert_eq!(world.state_hash(), run::<DynamicBvh>(120, 60).1.state_hash());
    assert_eq!(world.state_hash(), run::<BruteForce>(120, 60).1.state_hash());
    assert_ne!(world.state_hash(), run::<DynamicBvh>(120, 62).1.state_hash());
    #[cfg(feature = "parallel")]
    for n in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let hash = pool.install(|| run::<DynamicBvh>(120, 60).1.state_hash());
        assert_eq!(world.state_hash(), hash, "{n} threads");
    }
}

#[test]
fn a_snapshot_with_suspended_bodies_goes_on_with_the_same_bits() {
    for n_before in [60, 61, 90] {
        let (trace, mut world) = run::<DynamicBvh>(n_before, 60);
        assert!(0 < trace[n_before - 1].shortfall.n_suspended);
        let mut again: World<BruteForce> = crate::scenes::restored(&world.snapshot(), &world).unwrap();
        for step in 0..80 {
            // With less, with more, and with enough.
            let budget = if step < 60 { Budget::Steps(60 + step / 20 * 40) } else { Budget::Unlimited };
            world.checked_step_within(DT, budget).unwrap();
            again.checked_step_within(DT, budget).unwrap();
            assert_eq!(world.stats().shortfall, again.stats().shortfall, "{n_before}, step {step}");
            assert_eq!(world.events(), again.events(), "{n_before}, step {step}");
            assert_eq!(world.state_hash(), again.state_hash(), "{n_before}, step {step}");
        }
    }
}

/// Boxes and balls that fall onto each other, all with the same restitution.
fn bouncing(restitution: f32) -> World {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground().with_restitution(restitution)).unwrap();
    for i in 0..120 {
        let (layer, cell) = (i / 25, i % 25);
        let off = 0.13 * (i % 7) as f32;
        let at =
            Vec3::new((cell % 5) as f32 * 1.3 + off, 1.2 + layer as f32 * 1.4, (cell / 5) as f32 * 1.3 - off);
        let shape = if i % 3 == 0 { ball(0.5) } else { cuboid(Vec3::splat(0.5)) };
        let desc = of_unit_density(shape).with_position(at).with_restitution(restitution);
        world.insert(desc.with_linear_velocity(Vec3::new(off, -2.0, 1.0 - off))).unwrap();
    }
    world
}

#[test]
fn suspension_gives_no_energy() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut free = bouncing(restitution);
        let start = energy(&free);
        let mut most = start;
        for _ in 0..300 {
            free.checked_step(DT).unwrap();
            most = most.max(energy(&free));
        }
        for budget in [0, 10, 40, 100] {
            let mut world = bouncing(restitution);
            let mut greatest = f64::MIN;
            let mut is_suspending = false;
            for _ in 0..1500 {
                is_suspending |=
                    0 < world.checked_step_within(DT, Budget::Steps(budget)).unwrap().shortfall.n_suspended;
                greatest = greatest.max(energy(&world));
            }
            println!("{restitution}, {budget} steps: {:.5}, free {:.5}", greatest / start, most / start);
            assert!(
                is_suspending && greatest <= most.max(start) * 1.001,
                "{restitution}, {budget}: {greatest} {most}"
            );
        }
    }
}

#[test]
fn a_heap_with_suspended_bodies_stays_in_its_walls_and_rests_when_there_is_time() {
    for budget in [20, 50] {
        let mut world = world_on::<DynamicBvh>();
        let bodies = heap(&mut world, 144, 5);
        let mut n_suspending = 0;
        for _ in 0..3000 {
            let shortfall = world.checked_step_within(DT, Budget::Steps(budget)).unwrap().shortfall;
            n_suspending += usize::from(0 < shortfall.n_suspended);
        }
        // Then it falls asleep, part by part.
        println!("{budget}: some were suspended in {n_suspending} steps");
        assert!(10 < n_suspending, "{budget}: {n_suspending}");
        let is_inside = |world: &World, least: f32| {
            bodies.iter().all(|&id| {
                let at = world.body(id).unwrap().position();
                at.x.abs() < 5.6 && at.z.abs() < 5.6 && least < at.y
            })
        };
        // On a hundredth of what it needs it presses some into the floor: in 25 of 120 heaps a body
        // was 0.15 m deep in it for a while, in the worst 0.46.
        assert!(is_inside(&world, -0.3), "{budget}");
        // A capsule in a hollow rocks for half a minute.
        for _ in 0..1800 {
            world.checked_step(DT).unwrap();
        }
        assert!(is_inside(&world, 0.1), "{budget}");
        let speed = |&id: &BodyId| world.body(id).unwrap().linear_velocity().length();
        let most = bodies.iter().map(speed).fold(0.0, f32::max);
        println!("{budget}: {most} m/s at most");
        // Of 8 heaps, one had a capsule that still rocked with 0.17 m/s.
        assert!(most < 0.3, "{budget}: {most} m/s");
    }
}

/// A body that is thrown at a suspended one hits it. A body that is suspended in flight continues
/// at its old speed.
#[test]
fn nothing_passes_through_suspended_bodies() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let mut wall = Vec::new();
    for i in 0..60 {
        let at = Vec3::new((i % 10) as f32 * 1.0 - 4.5, 0.5 + (i / 10) as f32, 0.0);
        let heavy = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at).with_density(50.0);
        wall.push(world.insert(heavy.with_can_sleep(false)).unwrap());
    }
    let mut thrown = Vec::new();
    for i in 0..20 {
        let at = Vec3::new((i % 5) as f32 * 1.5 - 3.0, 1.0 + (i / 5) as f32, 6.0);
        let is_fast = i % 2 == 0;
        let desc = of_unit_density(ball(0.2)).with_position(at).with_gravity_scale(0.0).with_ccd(is_fast);
        let speed = if is_fast { 60.0 } else { 8.0 };
        thrown.push(world.insert(desc.with_linear_velocity(Vec3::Z * -speed).with_can_sleep(false)).unwrap());
    }
    let mut were_suspended: BTreeSet<BodyId> = BTreeSet::new();
    for _ in 0..600 {
        world.checked_step_within(DT, Budget::Steps(50)).unwrap();
        were_suspended
            .extend(wall.iter().chain(&thrown).copied().filter(|&id| world.body(id).unwrap().is_suspended()));
        for &id in &thrown {
            let at = world.body(id).unwrap().position();
            assert!(-0.5 < at.z || 5.0 < at.x.abs() || 6.0 < at.y, "{at}");
        }
    }
    assert_eq!(were_suspended.len(), 80);
    let all_met = thrown.iter().all(|&id| -7.9 < world.body(id).unwrap().linear_velocity().z);
    assert!(all_met, "a body has not arrived");
}

/// A chain or a ragdoll is suspended as one: its joints do not open.
#[test]
fn bodies_in_joints_are_suspended_together() {
    let (free, _) = widest_gap(None);
    let (suspended, n_turns) = widest_gap(Some(12));
    println!(
        "joints open by {suspended} at most, {free} where no body is suspended; some were in {n_turns} steps"
    );
    assert!(suspended < 1.5 * free && 500 < n_turns);
}

/// Returns how far the joints of falling chains open, with one substep per step, and in how many
/// steps bodies are suspended.
fn widest_gap(budget: Option<u64>) -> (f32, usize) {
    let mut world = world_on::<DynamicBvh>();
    world.solver_settings_mut().substeps = 1;
    world.insert(ground()).unwrap();
    let mut chains = Vec::new();
    for c in 0..12 {
        let position_of = |i: i32| {
            Vec3::new((c % 4) as f32 * 0.7, 2.0 + i as f32 * 0.95 + (c / 4) as f32 * 0.2, (c / 4) as f32)
        };
        let velocity = Vec3::new(0.0, -3.0, c as f32 - 5.0);
        let finish = |link: BodyDesc| link.with_family(c + 1).with_linear_velocity(velocity);
        let chain = upright_chain(&mut world, (0..8).map(position_of), finish);
        chains.push(chain);
    }
    let mut n_turns = 0;
    let mut widest = 0.0_f32;
    for _ in 0..2000 {
        let stats = world.checked_step_within(DT, budget.map_or(Budget::Unlimited, Budget::Steps)).unwrap();
        n_turns += usize::from(0 < stats.shortfall.n_suspended);
        for chain in &chains {
            let suspended = chain.iter().filter(|&&id| world.body(id).unwrap().is_suspended()).count();
            assert!(suspended == 0 || suspended == chain.len(), "{suspended} links are suspended");
        }
        for joint in world.joints().map(|joint| joint.data()) {
            let end = |id: u32, frame: Vec3| {
                let id = world.body_ids().nth(id as usize).unwrap();
                world.body(id).unwrap().pose().transform_point(frame)
            };
            let (a, b) =
                (end(joint.body_a, joint.frame_a.translation), end(joint.body_b, joint.frame_b.translation));
            widest = widest.max((b - a).length());
        }
    }
    (widest, n_turns)
}

/// Contacts of a stack whose parts are suspended at times are reported as persisted only, and
/// exactly the touching pairs are reported.
#[test]
fn events_do_not_flicker() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 6);
    for i in 0..40 {
        let at = Vec3::new(3.0 + (i % 8) as f32 * 1.5, 0.5, (i / 8) as f32 * 1.5);
        world
            .insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at).with_can_sleep(false))
            .unwrap();
    }
    (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
    let n_touching = world.stats().n_touching;
    assert_eq!(n_touching, 46);
    let resting: Vec<_> = world.events().to_vec();
    for step in 0..100 {
        let stats = *world.checked_step_within(DT, Budget::Steps(10)).unwrap();
        assert!(30 < stats.shortfall.n_suspended && stats.n_touching == n_touching, "step {step}: {stats:?}");
        assert_eq!(world.events(), resting, "step {step}");
    }
    // One is taken away, one is put somewhere else, and a ball comes.
    let ids: Vec<BodyId> = world.body_ids().collect();
    world.remove(ids[20]).unwrap();
    world
        .body_mut(ids[30])
        .unwrap()
        .set_pose(carom_math::Pose::from_translation(Vec3::new(-5.0, 3.0, 0.0)))
        .unwrap();
    world.insert(of_unit_density(ball(0.4)).with_position(Vec3::new(-9.0, 0.39, 0.0))).unwrap();
    let mut ended = Vec::new();
    for step in 0..60 {
        world.checked_step_within(DT, Budget::Steps(10)).unwrap();
        let told = world.events().iter().filter(|event| event.kind != EventKind::Ended);
        let told: Vec<_> = told.map(|event| (event.a, event.b)).collect();
        let touching = world.contacts().filter(|view| view.is_touching);
        assert_eq!(told, touching.map(|view| (view.a, view.b)).collect::<Vec<_>>(), "step {step}");
        ended.extend(
            world.events().iter().filter(|event| event.kind == EventKind::Ended).map(|event| event.b),
        );
    }
    assert_eq!(ended, [ids[20], ids[30]]);
}

/// On a budget that never suffices stacks still fall asleep, and a body that falls on one wakes it.
#[test]
fn bodies_that_are_suspended_at_times_fall_asleep() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(ground()).unwrap();
    let mut boxes = Vec::new();
    for i in 0..60 {
        let at = Vec3::new((i / 4) as f32 * 2.0, 0.5 + (i % 4) as f32, 0.0);
        boxes.push(world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap());
    }
    let mut is_suspending = false;
    for _ in 0..3000 {
        is_suspending |= 0 < world.checked_step_within(DT, Budget::Steps(14)).unwrap().shortfall.n_suspended;
    }
    assert!(is_suspending && boxes.iter().all(|&id| world.body(id).unwrap().is_sleeping()));
    let falling = of_unit_density(ball(0.4)).with_position(Vec3::new(0.0, 6.0, 0.0));
    let falling = world.insert(falling.with_linear_velocity(Vec3::Y * -5.0)).unwrap();
    let mut woken: BTreeSet<BodyId> = BTreeSet::new();
    for _ in 0..600 {
        world.checked_step_within(DT, Budget::Steps(3)).unwrap();
        woken.extend(boxes.iter().copied().filter(|&id| !world.body(id).unwrap().is_sleeping()));
    }
    assert!(woken.contains(&boxes[3]) && !woken.contains(&boxes[59]), "{woken:?}");
    assert!(0.3 < world.body(falling).unwrap().position().y);
}

/// A kinematic body is never suspended, and pushes a body in its path in the steps in which that
/// body moves.
#[test]
fn a_lift_is_never_suspended() {
    let mut world = world_on::<DynamicBvh>();
    let floor = BodyDesc::kinematic(cuboid(Vec3::new(20.0, 0.5, 20.0)));
    let lift = world.insert(floor.with_linear_velocity(Vec3::Y * 0.05)).unwrap();
    let mut boxes = Vec::new();
    for i in 0..40 {
        let at = Vec3::new((i % 8) as f32 * 1.5, 1.0, (i / 8) as f32 * 1.5);
        boxes.push(world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap());
    }
    for step in 1..=300 {
        let stats = *world.checked_step_within(DT, Budget::Steps(30)).unwrap();
        assert!(0 < stats.shortfall.n_suspended);
        let y = world.body(lift).unwrap().position().y;
        assert!((y - 0.05 * DT * step as f32).abs() < 1e-3, "step {step}: {y}");
    }
    for &id in &boxes {
        let above = world.body(id).unwrap().position().y - world.body(lift).unwrap().position().y;
        assert!((0.8..1.3).contains(&above), "{above}");
    }
}

#[test]
fn no_time_at_all_moves_one_body_after_the_other() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = heap(&mut world, 144, 5);
    let start = energy(&world);
    // The first step measures the costs.
    world.checked_step(DT).unwrap();
    let mut moved: BTreeSet<BodyId> = BTreeSet::new();
    for _ in 0..900 {
        let stats = *world.checked_step_within(DT, Budget::Time(Duration::ZERO)).unwrap();
        assert!(stats.shortfall.n_suspended + 6 >= bodies.len() && stats.n_tested <= 16, "{stats:?}");
        moved.extend(bodies.iter().copied().filter(|&id| !world.body(id).unwrap().is_suspended()));
        assert!(energy(&world) <= start * 1.001);
    }
    assert_eq!(moved.len(), bodies.len());
}

/// The first step on a budget of time assumes a slow machine. With enough time nothing is left out.
#[test]
fn the_first_step_knows_its_budget() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = heap(&mut world, 144, 5);
    for _ in 0..8 {
        let shortfall = world.checked_step_within(DT, Budget::Time(Duration::ZERO)).unwrap().shortfall;
        assert!(shortfall.n_suspended + 6 >= bodies.len(), "{shortfall:?}");
    }
    // Costs of steps with suspended bodies do not keep bodies suspended if there is time.
    let shortfall = world.checked_step_within(DT, Budget::Time(Duration::from_secs(100))).unwrap().shortfall;
    assert_eq!(shortfall, Default::default());
    let mut other = world_on::<DynamicBvh>();
    heap(&mut other, 144, 5);
    let shortfall = other.checked_step_within(DT, Budget::Time(Duration::from_secs(100))).unwrap().shortfall;
    assert_eq!(shortfall, Default::default());
}

/// A body that became dynamic, or ceased to be, is selected with the bodies that joints connect to
/// it, also if it has no pair. A restored world, which finds them anew, selects the same.
#[test]
fn a_change_of_mobility_changes_the_groups_of_joints() {
    for (first, later) in [(Mobility::Fixed, Mobility::Dynamic), (Mobility::Dynamic, Mobility::Kinematic)] {
        let mut world: World = World::new();
        let high = |world: &mut World, x: f32| {
            let desc = of_unit_density(ball(0.1)).with_position(Vec3::new(x, 60.0, 0.0));
            world.insert(desc.with_can_sleep(false)).unwrap()
        };
        // In the order of the numbers there are many bodies between them on both sides, so they are
        // not selected together by chance.
        heap(&mut world, 100, 5);
        let [one, other] = [0.0, 6.0].map(|x| high(&mut world, x));
        for k in 0..40 {
            let position = Vec3::new(30.0 + 2.0 * (k % 8) as f32, 0.5 + (k / 8) as f32, 0.0);
            let desc = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(position);
            world.insert(desc.with_can_sleep(false)).unwrap();
        }
        let third = high(&mut world, 12.0);
        world.insert_joint(JointDesc::rope(one, other, 6.0)).unwrap();
        world.insert_joint(JointDesc::rope(one, third, 12.0)).unwrap();
        world.body_mut(one).unwrap().set_mobility(first).unwrap();
        (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
        let budget = Budget::Steps(world.stats().n_steps / 20);
        (0..20).for_each(|_| _ = world.checked_step_within(DT, budget).unwrap());
        world.body_mut(one).unwrap().set_mobility(later).unwrap();
        let mut again: World = World::new();
        again.restore(&world.snapshot()).unwrap();
        let (mut n_suspended, mut n_different) = (0, 0);
        for step in 0..60 {
            for world in [&mut world, &mut again] {
                world.checked_step_within(DT, budget).unwrap();
                let [own, its, others] = [one, other, third].map(|id| world.body(id).unwrap().is_suspended());
                assert!(later != Mobility::Dynamic || own == its && its == others, "step {step}");
                n_suspended += usize::from(its);
                n_different += usize::from(its != others);
            }
            assert_eq!(world.state_hash(), again.state_hash(), "{later:?}, step {step}");
        }
        assert!(0 < n_suspended, "{later:?}: the budget suffices");
        assert!(later == Mobility::Dynamic || 0 < n_different, "nothing connects them any more");
    }
}
