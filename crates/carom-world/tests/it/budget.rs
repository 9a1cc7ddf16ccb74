//! Steps on a budget: work that is left out is reported, energy does not grow, and budgets in steps
//! of work give the same bits.

use crate::scenes::{CheckedStep, DT, cuboid, energy, heap, is_bad, stack, world_on};
use carom_broad::{BroadPhase, BruteForce};
use carom_broad_tree::DynamicBvh;
use carom_geom::{Capsule, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, BodyId, Budget, Scatter, SolverSettings, StepStats, World, WorldSettings};
use std::sync::Arc;
use std::time::Duration;

/// The heap on a budget; statistics and energy of every step, and the hash at the end.
fn run<B: BroadPhase + Default>(n_steps: usize, budget: Budget) -> (Vec<(StepStats, f64)>, World<B>) {
    let mut world = world_on::<B>();
    heap(&mut world, 144, 5);
    let mut trace = Vec::new();
    for _ in 0..n_steps {
        let stats = *world.checked_step_within(DT, budget).unwrap();
        trace.push((stats, energy(&world)));
    }
    (trace, world)
}

#[test]
fn a_budget_that_suffices_changes_nothing() {
    let (free, world) = run::<DynamicBvh>(90, Budget::Unlimited);
    let most = free.iter().map(|(stats, _)| stats.n_steps).max().unwrap();
    // Twice as much: the plan is made with the manifolds of the step before.
    for budget in [Budget::Steps(2 * most), Budget::Steps(u64::MAX), Budget::Time(Duration::MAX)] {
        let (trace, other) = run::<DynamicBvh>(90, budget);
        assert_eq!(world.state_hash(), other.state_hash(), "{budget:?}");
        assert!(trace.iter().all(|(stats, _)| stats.shortfall == Default::default()), "{budget:?}");
    }
}

/// Without a budget nothing is left out, whatever the lengths of the steps are, although short
/// steps have fewer substeps. With a budget the same steps report what it took.
#[test]
fn r_steps_of_two_lengths_leave_nothing_out() {
    for lengths in [[1.0 / 60.0, 1.0 / 240.0], [1.0 / 60.0, 1.0 / 144.0], [1.0 / 30.0, 0.0]] {
        let (mut world, mut tight) = (World::new(), World::new());
        stack(&mut world, 3);
        stack(&mut tight, 3);
        let (mut fewest, mut n_left_out) = (u32::MAX, 0);
        for step in 0..20 {
            let dt = lengths[step % 2];
            let stats = world.checked_step(dt).unwrap();
            assert_eq!(stats.shortfall, Default::default(), "{lengths:?}, step {step}");
            fewest = fewest.min(stats.solver.n_substeps);
            n_left_out += tight.checked_step_within(dt, Budget::Steps(4)).unwrap().shortfall.n_substeps;
        }
        assert!(fewest < world.settings().solver.substeps && 0 < n_left_out, "{fewest} {n_left_out}");
    }
}

#[test]
fn steps_are_counted_and_nothing_explodes() {
    let (free, _) = run::<DynamicBvh>(240, Budget::Unlimited);
    let start = free[0].1;
    let most = free.iter().map(|(stats, _)| stats.n_steps).max().unwrap();
    for part in [2, 4, 8, 1000] {
        let budget = most / part;
        let (trace, world) = run::<DynamicBvh>(240, Budget::Steps(budget));
        let (mut n_put_off, mut n_carried, mut n_substeps) = (0, 0, 0);
        for (k, (stats, e)) in trace.iter().enumerate() {
            // At least one pair is tested, and one substep is made.
            let floor = stats.solver.n_manifolds as u64;
            assert!(
                stats.n_steps <= budget.max(budget.div_ceil(2).max(1) + floor),
                "{part}, step {k}: {stats:?}"
            );
            assert!(*e <= start * 1.001, "{part}, step {k}: energy {e} of {start}");
            n_put_off += stats.shortfall.n_pairs;
            n_carried += stats.shortfall.n_carried;
            n_substeps += stats.shortfall.n_substeps;
            assert!(stats.shortfall.n_unknown <= stats.shortfall.n_pairs);
        }
        println!("1/{part}: {n_put_off} put off, {n_carried} carried, {n_substeps} substeps");
        assert!(0 < n_substeps, "{part}");
        assert!(!(4..1000).contains(&part) || (0 < n_put_off && 0 < n_carried), "{part}");
        for id in world.body_ids() {
            assert!(world.body(id).unwrap().pose().is_finite());
        }
    }
}

#[test]
fn a_heap_on_half_its_time_stays_in_its_walls_and_rests() {
    let (free, _) = run::<DynamicBvh>(60, Budget::Unlimited);
    let most = free.iter().map(|(stats, _)| stats.n_steps).max().unwrap();
    let (trace, world) = run::<DynamicBvh>(480, Budget::Steps(most / 2));
    assert!(trace.iter().any(|(stats, _)| 0 < stats.shortfall.n_substeps));
    let mut speeds = Vec::new();
    for id in world.body_ids().skip(5) {
        let body = world.body(id).unwrap().motion();
        let at = body.pose.translation;
        assert!(at.x.abs() < 5.6 && at.z.abs() < 5.6 && 0.1 < at.y, "{at}");
        speeds.push(body.linear_velocity.length());
    }
    // They fell with 6 m/s. A few of 150 may still slide down, by the seed of the heap: on a budget
    // the heap has fewer substeps, and its last bodies come to rest later.
    let (mean, most) =
        (speeds.iter().sum::<f32>() / speeds.len() as f32, speeds.iter().copied().fold(0.0, f32::max));
    println!("after 8 s: {mean:.3} m/s in the mean, {most:.3} at most");
    assert!(mean < 0.2 && most < 3.0);
}

#[test]
fn the_same_bits_with_the_same_steps() {
    let budget = Budget::Steps(150);
    let (trace, world) = run::<DynamicBvh>(90, budget);
    assert!(trace.iter().any(|(stats, _)| 0 < stats.shortfall.n_pairs));
    let counts = |trace: &[(StepStats, f64)]| -> Vec<StepStats> {
        let untimed = |(stats, _): &(StepStats, f64)| {
            let mut stats = *stats;
            stats.times = Default::default();
            stats
        };
        trace.iter().map(untimed).collect()
    };
    let (again, same) = run::<DynamicBvh>(90, budget);
    assert_eq!((counts(&trace), world.state_hash()), (counts(&again), same.state_hash()));
    assert_eq!(world.state_hash(), run::<BruteForce>(90, budget).1.state_hash());
    assert_ne!(world.state_hash(), run::<DynamicBvh>(90, Budget::Steps(180)).1.state_hash());
    #[cfg(feature = "parallel")]
    for n in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let hash = pool.install(|| run::<DynamicBvh>(90, budget).1.state_hash());
        assert_eq!(world.state_hash(), hash, "{n} threads");
    }
}

#[test]
fn a_snapshot_on_a_budget_goes_on_with_the_same_bits() {
    let budget = Budget::Steps(120);
    let (_, mut world) = run::<DynamicBvh>(60, budget);
    let puts_off = |_| 0 < world.checked_step_within(DT, budget).unwrap().shortfall.n_pairs;
    assert!((0..60).any(puts_off), "something is put off");
    let mut again: World<BruteForce> = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    for step in 0..40 {
        world.checked_step_within(DT, budget).unwrap();
        again.checked_step_within(DT, budget).unwrap();
        assert_eq!(world.events(), again.events(), "step {step}");
        assert_eq!(world.state_hash(), again.state_hash(), "step {step}");
    }
}

#[test]
fn no_time_at_all_is_survived() {
    let (trace, world) = run::<DynamicBvh>(120, Budget::Time(Duration::ZERO));
    // As many pairs as between two reads of the clock.
    assert!(trace.iter().all(|(stats, e)| stats.n_tested <= 16 && *e <= trace[0].1 * 1.001));
    assert!(trace.iter().all(|(stats, _)| 0 < stats.shortfall.n_suspended));
    // All move as soon as there is time.
    let mut world = world;
    assert!(120 < world.checked_step(DT).unwrap().solver.n_awake);
    assert_eq!(world.stats().shortfall, Default::default());
}

/// A plate that flies at many boxes.
fn plate() -> World<DynamicBvh> {
    let mut world = world_on::<DynamicBvh>();
    let plate =
        BodyDesc::dynamic(cuboid(Vec3::new(0.5, 4.0, 4.0))).with_position(Vec3::new(-1.005, 2.7, 2.7));
    world.insert(plate.with_linear_velocity(Vec3::X)).unwrap();
    for (y, z) in (0..36).map(|k| (k / 6, k % 6)) {
        let at = Vec3::new(0.0, 1.1 * y as f32, 1.1 * z as f32);
        world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
    }
    world
}

/// Pairs that are not tested in time stop approaching.
#[test]
fn untested_pairs_do_not_approach() {
    let mut world = plate();
    let start = energy(&world);
    let mut n_stopped = 0;
    for _ in 0..20 {
        n_stopped += world.checked_step_within(DT, Budget::Steps(0)).unwrap().shortfall.n_stopped;
        assert!(energy(&world) <= start * 1.001);
    }
    println!("{n_stopped} stopped");
    assert!(0 < n_stopped);
}

/// With random directions they separate. No draw adds energy, and equal seeds give equal
/// directions.
#[test]
fn untested_pairs_separate_at_random() {
    let run = |scatter: Option<Scatter>| {
        let mut world = plate();
        world.set_settings(world.settings().with_scatter(scatter)).unwrap();
        let (start, mut n_stopped) = (energy(&world), 0);
        for _ in 0..20 {
            n_stopped += world.checked_step_within(DT, Budget::Steps(0)).unwrap().shortfall.n_stopped;
            assert!(energy(&world) <= start * 1.001);
        }
        assert!(0 < n_stopped);
        world.state_hash()
    };
    let seed = |seed: u64| Some(Scatter::new(0.5, 0.4, seed));
    assert_eq!(run(seed(1)), run(seed(1)));
    assert!(run(seed(1)) != run(seed(2)) && run(seed(1)) != run(None));
    let mut world = plate();
    let bad = world.settings().with_scatter(Some(Scatter::new(2.0, 0.4, 1)));
    assert!(is_bad(world.set_settings(bad), "scatter.restitution", 2.0));
}

/// A body of an untested pair lost its velocity in a step that was refused.
#[test]
fn a_step_that_is_refused_changes_nothing() {
    let (mut world, budget) = (plate(), Budget::Steps(0));
    let mut n_stopped = 0;
    for _ in 0..20 {
        let (hash, stats, events) = (world.state_hash(), *world.stats(), world.events().to_vec());
        for bad in [f32::NAN, -1.0, f32::INFINITY] {
            assert!(world.checked_step_within(bad, budget).is_err());
        }
        world.solver_settings_mut().slop = f32::NAN;
        assert!(world.checked_step_within(DT, budget).is_err());
        world.solver_settings_mut().slop = WorldSettings::default().solver.slop;
        assert!(hash == world.state_hash() && stats == *world.stats() && events == world.events());
        n_stopped += world.checked_step_within(DT, budget).unwrap().shortfall.n_stopped;
    }
    assert!(0 < n_stopped);
}

/// The number of substeps is bounded by the budget, however many the settings have.
#[test]
fn any_number_of_substeps_fits_a_budget() {
    let mut world = world_on::<DynamicBvh>();
    stack(&mut world, 3);
    world.solver_settings_mut().substeps = SolverSettings::MAX_SUBSTEPS;
    for _ in 0..30 {
        let stats = world.checked_step_within(DT, Budget::Steps(40)).unwrap();
        assert!(stats.n_steps <= 43, "{stats:?}");
    }
}

#[test]
fn carried_contacts_go_with_their_bodies() {
    // Recycled pairs are not deferred.
    let solver = SolverSettings::default().with_sleep(false);
    let mut world = World::with_settings(WorldSettings::default().with_recycling(0.0).with_solver(solver));
    let bodies = stack(&mut world, 3);
    let other =
        world.insert(BodyDesc::dynamic(cuboid(Vec3::ONE)).with_position(Vec3::new(50.0, 50.0, 0.0))).unwrap();
    for _ in 0..10 {
        world.checked_step(DT).unwrap();
    }
    let y = world.body(bodies[2]).unwrap().position().y;
    let (mut n_tested, mut n_carried) = (0, 0);
    for _ in 0..60 {
        // Hardly any pair is tested: the stack stands on old contacts.
        let stats = world.checked_step_within(DT, Budget::Steps(0)).unwrap();
        n_tested += stats.n_tested;
        n_carried += stats.shortfall.n_carried;
    }
    assert!(n_tested <= 60 && 100 < n_carried, "{n_tested} {n_carried}");
    let now = world.body(bodies[2]).unwrap().position();
    assert!((now.y - y).abs() < 0.02, "{y} {now}");
    // A body with a new pose loses its contacts.
    world
        .body_mut(bodies[2])
        .unwrap()
        .set_pose(carom_math::Pose::from_translation(Vec3::new(30.0, 2.5, 0.0)))
        .unwrap();
    world.checked_step_within(DT, Budget::Steps(0)).unwrap();
    let touches = |id| world.contacts().any(|view| (view.a == id || view.b == id) && view.is_touching);
    assert!(!touches(bodies[2]) && touches(bodies[1]) && !touches(other));
}

/// A rolling body whose pairs are deferred keeps its speed. Contacts that turned with it
/// accelerated it by 0.1 % per step.
#[test]
fn a_ball_on_carried_contacts_rolls_no_faster() {
    let mut world = world_on::<DynamicBvh>();
    world.insert(crate::scenes::ground()).unwrap();
    let speed = 0.2;
    let shapes = [crate::scenes::ball(0.5), Shape::Capsule(Capsule::new(0.3, 0.5).unwrap())];
    let bodies: Vec<BodyId> = shapes
        .into_iter()
        .zip(0..)
        .map(|(shape, i)| {
            // Capsules lie along z, and roll along x.
            let pose = Pose::new(
                Quat::from_xyzw(core::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, core::f32::consts::FRAC_1_SQRT_2),
                Vec3::new(0.0, 0.5, 4.0 * i as f32),
            );
            let desc = BodyDesc::dynamic(shape).with_pose(pose).with_friction(0.8).with_can_sleep(false);
            let rolling =
                desc.with_linear_velocity(Vec3::X * speed).with_angular_velocity(Vec3::Z * (-speed / 0.5));
            world.insert(rolling).unwrap()
        })
        .collect();
    for _ in 0..10 {
        world.checked_step(DT).unwrap();
    }
    for _ in 0..60 {
        assert!(0 < world.checked_step_within(DT, Budget::Steps(0)).unwrap().shortfall.n_carried);
    }
    for id in bodies {
        let body = world.body(id).unwrap().motion();
        println!("{} m/s at {}", body.linear_velocity, body.pose.translation);
        assert!((0.9 * speed..1.002 * speed).contains(&body.linear_velocity.x), "{}", body.linear_velocity);
        assert!((body.pose.translation.y - 0.5).abs() < 0.02, "{}", body.pose.translation);
    }
}

/// With a budget of zero, falling bodies must not pass through the floor.
#[test]
fn nothing_falls_through_a_floor_however_small_the_budget() {
    // Balls roll off the boxes: no floor may end before the time does.
    const HALF: f32 = 300.0;
    let plate =
        [[-HALF, -HALF], [HALF, -HALF], [HALF, HALF], [-HALF, HALF]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let mesh = TriMesh::new(plate.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let floors = [
        crate::scenes::ground(),
        BodyDesc::fixed(cuboid(Vec3::new(HALF, 0.5, HALF))).with_position(Vec3::Y * -0.5),
        BodyDesc::fixed(Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))),
    ];
    let times = [0, 1, 5, 10, 20].map(|n| Budget::Time(Duration::from_micros(n)));
    for budget in [0, 1, 2, 3].map(Budget::Steps).into_iter().chain(times) {
        for (k, n) in [(0, 1), (0, 6), (1, 1), (1, 6), (2, 1), (2, 6)] {
            let mut world = World::new();
            world.insert(floors[k].clone()).unwrap();
            let bodies: Vec<BodyId> = (0..n)
                .map(|i| {
                    let shape = if i % 2 == 0 { crate::scenes::ball(0.5) } else { cuboid(Vec3::splat(0.5)) };
                    let at = Vec3::new(0.2 * i as f32, 2.0 + 1.1 * i as f32, 0.0);
                    world.insert(BodyDesc::dynamic(shape).with_position(at)).unwrap()
                })
                .collect();
            for _ in 0..1000 {
                world.checked_step_within(DT, budget).unwrap();
            }
            let at = |id: &BodyId| world.body(*id).unwrap().position();
            let lowest = bodies.iter().map(at).min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
            println!("{budget:?}, floor {k}, {n} bodies: lowest {lowest}");
            assert!(0.0 < lowest.y, "{budget:?}, floor {k}, {n} bodies: {lowest}");
        }
    }
}
