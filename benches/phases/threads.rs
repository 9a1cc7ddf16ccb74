//! Builds and refits of trees over the triangles of a knot on one thread and on two, in wall-clock
//! time; and steps of a pile, ten steps on one thread, then ten on two. Both piles end in the same
//! state. Two piles with one thread each, at once, show the gain that the machine allows: they
//! share only its memory.
//!
//! The stepping thread is one of the two threads of its pool, as carom's guide recommends. If any
//! thread of the pool may begin a step, half of its data is in the other core's cache, and a step
//! takes a twentieth longer.
//!
//! If pools are used alternately, Linux may wake two threads on the same core and leave them there
//! for a fifth of a step (the third number in `/proc/PID/task/*/schedstat` shows it). So each pool
//! makes ten steps before the other continues. `notes/benches.md` has the measurements.
//!
//! Cores of a shared machine may share a cache or not, and the machine may move them. So the time
//! of a round trip between the cores is printed before the pile and after it.
//!
//! The other rows `... on threads` are broad phases of the family of sweep and prune: a frame is
//! the moves of a crowd and all pairs. No peer has them on threads of a CPU.
//!
//! The peers are built with their own threads here, also for the rows of one thread:
//! [`trees`](../trees.rs) has the rows without. parry builds on one thread always; obvhs refits on
//! one, and bvh not at all.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::broad::Recording;
use carom_benches::peers::bvh;
use carom_benches::peers::tree_rows::{Executor, build, refit};
use carom_benches::trees::boxes;
use carom_benches::{Answers, Comparison, Row, Runner, Unit, pile};
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, Filter};
use carom_broad_sap::{
    BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
};
use carom_bvh::BuildQuality;
use carom_scenes::mesh::{Knot, torus_knot};
use carom_scenes::{CrowdKind, bench_pile};
use carom_world::{SolverSettings, World};
use glam::Vec3;
use obvhs::BvhBuildParams;
use parry3d::partitioning::Bvh as ParryBvh;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::{Cell, RefCell};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::scope;
use std::time::Instant;

/// The number of threads, and the names of the workloads.
const BUILDS: [(usize, [&str; 4]); 2] = [
    (1, ["build fast, 1 thread", "build good, 1 thread", "build best, 1 thread", "refit, 1 thread"]),
    (2, ["build fast, 2 threads", "build good, 2 threads", "build best, 2 threads", "refit, 2 threads"]),
];

fn main() {
    let mut runner = Runner::new("threads");
    if runner.wants("pile on threads") {
        let (n, steps) = if runner.is_quick() { (1000, 60) } else { (10_000, 300) };
        pile_on_threads(&mut runner, n, steps);
    }
    broad_on_threads(&mut runner, "box pruning on threads", 10_000, |_| BoxPruning::new());
    let regions = |bounds: &Aabb| Regions::grid(bounds, [4; 3]).expect("64 regions");
    broad_on_threads(&mut runner, "regions on threads", 100_000, |bounds| {
        MultiBoxPruning::with_finder(RegionPruner::new(regions(bounds)))
    });
    broad_on_threads(&mut runner, "sweeps of regions on threads", 100_000, |bounds| {
        MultiSap::with_finder(RegionAxes::new(regions(bounds), SapSettings::default()))
    });
    let sizes: &[usize] = if runner.is_quick() { &[100_000] } else { &[100_000, 1_000_000] };
    for &n in sizes {
        let knot = torus_knot(&Knot::default(), n);
        let vertices = knot.vertices_f32();
        let moved: Vec<Vec3> = vertices.iter().map(|v| *v + 0.01 * (*v * 7.0).map(f32::sin)).collect();
        let before = boxes(&vertices, &knot.triangles);
        let after = boxes(&moved, &knot.triangles);
        for (n_threads, [fast, good, best, refitted]) in BUILDS {
            let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads begin");
            let executor = Executor {
                run: &|work| pool.install(work),
                wall_clock: true,
                parry_refit: ParryBvh::refit_parallel,
                bvh_build: bvh::build_on_threads,
            };
            for (name, quality, params) in [
                (fast, BuildQuality::Fast, BvhBuildParams::fastest_build()),
                (good, BuildQuality::Balanced, BvhBuildParams::medium_build()),
                (best, BuildQuality::High, BvhBuildParams::medium_build()),
            ] {
                if runner.wants(name) {
                    build(&mut runner, executor, name, &before, quality, params);
                }
            }
            if runner.wants(refitted) {
                refit(&mut runner, executor, refitted, [&before, &after]);
            }
        }
    }
}

/// Steps of a pile in one turn.
const TURN: usize = 10;

fn pile_on_threads(runner: &mut Runner, n: usize, steps: usize) {
    let scene = bench_pile(n, 7);
    // This thread is one of the two; it can belong to one pool only.
    let begin = |n_threads| {
        let world = pile(&scene, SolverSettings::default().with_sleep(false)).0;
        let pool = ThreadPoolBuilder::new().num_threads(n_threads);
        let pool = if n_threads == 2 { pool.use_current_thread() } else { pool };
        (world, pool.build().expect("threads begin"))
    };
    let sides = [1, 2].map(|n_threads| {
        let (world, pool) = begin(n_threads);
        (RefCell::new(world), pool, RefCell::new(([0.0; 4], 0_u32)))
    });
    let apart = RefCell::new([begin(1), begin(1)]);
    let before = round_trip();
    let turn = |side: usize| {
        let (world, pool, phases) = &sides[side];
        let world = &mut *world.borrow_mut();
        let (sums, n_steps) = &mut *phases.borrow_mut();
        for _ in 0..TURN {
            let times = pool.install(|| world.step(1.0 / 60.0).expect("a good step").times);
            let times = [times.refit, times.broad, times.narrow, times.response];
            sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
            *n_steps += 1;
        }
    };
    let turn_apart = || {
        let [first, second] = &mut *apart.borrow_mut();
        let turn = |(world, pool): &mut (World, ThreadPool)| {
            for _ in 0..TURN {
                pool.install(|| world.step(1.0 / 60.0).map(|_| ()).expect("a good step"));
            }
        };
        scope(|scope| {
            scope.spawn(|| turn(first));
            turn(second);
        });
    };
    let comparison = Comparison::new(Answers::new())
        .entry("1 thread", || turn(0))
        .entry("2 threads", || turn(1))
        .entry("2 piles at once", turn_apart)
        .all_frames()
        .wall_clock();
    let row = Row { workload: "pile on threads", size: n as u64, unit: Unit::Ms, per_call: TURN as u64 };
    // Three warm-up turns are not timed.
    let times = runner.frames(row, (steps / TURN).saturating_sub(3).max(1), comparison, || {});
    for (world, pool, phases) in &sides {
        let (sums, n_steps) = *phases.borrow();
        let [refit, broad, narrow, response] = sums.map(|sum| 1e3 * sum / f64::from(n_steps));
        println!(
            "    {} threads: boxes {refit:.2}, pairs {broad:.2}, contacts {narrow:.2}, response {response:.2} ms a step; state {:016x}",
            pool.current_num_threads(),
            world.borrow().state_hash()
        );
    }
    if let [one, two, apart] = &times[..] {
        println!(
            "    two threads are {:.2} times as fast as one; two piles at once, a thread each, {:.2} times as fast as one after the other",
            one.typical / two.typical,
            2.0 * one.typical / apart.typical
        );
    }
    println!(
        "    a word goes from one thread to the other and back in {before:.0} ns; afterwards in {:.0}",
        round_trip()
    );
    assert_eq!(sides[0].0.borrow().state_hash(), sides[1].0.borrow().state_hash(), "the same bits");
}

/// Frames of a crowd by a broad phase on one thread and on two, which must find the same pairs.
fn broad_on_threads<B: BroadPhase + Send>(
    runner: &mut Runner,
    workload: &str,
    n: usize,
    broad: impl Fn(&Aabb) -> B,
) {
    if !runner.wants(workload) {
        return;
    }
    let n = if runner.is_quick() { n / 10 } else { n };
    let recording = Recording::of_crowd(CrowdKind::Mixed, n, 7);
    let bounds = recording.first.iter().fold(recording.first[0], |all, aabb| all.merged(aabb));
    let batch: Vec<_> = recording.first.iter().map(|&aabb| (aabb, Filter::default())).collect();
    let sides = [1, 2].map(|n_threads| {
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads begin");
        let (mut broad, mut ids) = (broad(&bounds), Vec::new());
        broad.insert_batch(&batch, &mut ids).expect("boxes of a scene are finite");
        (pool, RefCell::new((broad, ids, Vec::new(), Vec::new())))
    });
    let number = Cell::new(0);
    let frame = |side: usize| {
        let (pool, state) = &sides[side];
        let (broad, ids, moves, pairs) = &mut *state.borrow_mut();
        let moved = &recording.frames[recording.turn(number.get())];
        moves.clear();
        moves.extend(moved.iter().map(|&(i, aabb)| (ids[i as usize], aabb)));
        pool.install(|| {
            broad.update(moves).expect("all proxies are live");
            broad.pairs(pairs);
        });
    };
    let mut answers = Answers::new();
    for _ in 0..3 {
        frame(0);
        frame(1);
        let [one, two] = [0, 1].map(|side: usize| sides[side].1.borrow());
        answers.equal("pairs", &(one.3 == two.3, one.3.is_empty()), &(true, false));
        number.set(number.get() + 1);
    }
    let row = Row { workload, size: n as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("1 thread", || frame(0))
        .entry("2 threads", || frame(1))
        .all_frames()
        .wall_clock();
    let times = runner.frames(row, 60, comparison, || number.set(number.get() + 1));
    if let [one, two] = &times[..] {
        println!("    two threads are {:.2} times as fast as one", one.typical / two.typical);
    }
}

/// The time of a round trip of one word between two threads, in nanoseconds: the least mean of a
/// hundred trips.
fn round_trip() -> f64 {
    const TRIPS: u32 = 5000;
    let word = AtomicU32::new(0);
    let answer = |awaited: u32, answer: u32| {
        while word.load(Ordering::Acquire) != awaited {
            spin_loop();
        }
        word.store(answer, Ordering::Release);
    };
    scope(|scope| {
        scope.spawn(|| (0..TRIPS).for_each(|trip| answer(2 * trip + 1, 2 * trip + 2)));
        let (mut best, mut start) = (f64::INFINITY, Instant::now());
        for trip in 0..TRIPS {
            answer(2 * trip, 2 * trip + 1);
            if trip % 100 == 99 {
                best = best.min(start.elapsed().as_secs_f64() / 100.0);
                start = Instant::now();
            }
        }
        1e9 * best
    })
}
