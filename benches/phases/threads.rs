//! Builds and refits of trees over the triangles of a knot on one thread and on two, by the clock on the wall.
//!
//! The peers are built with their own threads here, also for the rows of one thread: [`trees`](../trees.rs) has the rows without.
//! parry builds on one thread always; obvhs refits on one, and bvh not at all.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::{bvh as bvh_peer, obvhs as obvhs_peer, parry};
use carom_benches::trees::{boxes, found, queries};
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_bounds::Aabb;
use carom_bvh::{BuildQuality, BuildSettings, Builder, Bvh};
use carom_scenes::mesh::{Knot, torus_knot};
use glam::Vec3;
use obvhs::BvhBuildParams;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;

/// How many threads, and what the rows of each workload are called.
const BUILDS: [(usize, [&str; 4]); 2] = [
    (1, ["build fast, 1 thread", "build good, 1 thread", "build best, 1 thread", "refit, 1 thread"]),
    (2, ["build fast, 2 threads", "build good, 2 threads", "build best, 2 threads", "refit, 2 threads"]),
];

fn main() {
    let mut runner = Runner::new("threads");
    let sizes: &[usize] = if runner.is_quick() { &[100_000] } else { &[100_000, 1_000_000] };
    for &n in sizes {
        let knot = torus_knot(&Knot::default(), n);
        let vertices = knot.vertices_f32();
        let moved: Vec<Vec3> = vertices.iter().map(|v| *v + 0.01 * (*v * 7.0).map(f32::sin)).collect();
        let before = boxes(&vertices, &knot.triangles);
        let after = boxes(&moved, &knot.triangles);
        for (n_threads, [fast, good, best, refit]) in BUILDS {
            let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads begin");
            let mut build_row = |name, quality, params: fn() -> BvhBuildParams| {
                if runner.wants(name) {
                    build(&mut runner, &pool, name, &before, quality, params);
                }
            };
            build_row(fast, BuildQuality::Fast, BvhBuildParams::fastest_build);
            build_row(good, BuildQuality::Balanced, BvhBuildParams::medium_build);
            build_row(best, BuildQuality::High, BvhBuildParams::medium_build);
            if runner.wants(refit) {
                self::refit(&mut runner, &pool, refit, [&before, &after]);
            }
        }
    }
}

fn build(
    runner: &mut Runner,
    pool: &ThreadPool,
    workload: &str,
    boxes: &[Aabb],
    quality: BuildQuality,
    params: fn() -> BvhBuildParams,
) {
    let settings = BuildSettings::default().with_quality(quality);
    let parry_boxes: Vec<_> = boxes.iter().map(parry::aabb).collect();
    let obvhs_boxes: Vec<_> = boxes.iter().map(obvhs_peer::aabb).collect();
    let build_ours = || Bvh::<Aabb>::build(boxes, &settings).expect("boxes of a scene are finite");
    let build_parrys = || ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes);
    let build_obvhss = || obvhs_peer::build(&obvhs_boxes, params());

    let ours = pool.install(build_ours);
    let parrys = pool.install(build_parrys);
    let obvhss = pool.install(build_obvhss);
    let mut bvh_leaves = bvh_peer::leaves(boxes);
    let bvhs = pool.install(|| bvh_peer::build_on_threads(&mut bvh_leaves));
    let mut answers = Answers::new();
    for query in queries() {
        let own = found(&ours, boxes, &query);
        answers.equal("parry finds", &own, &parry::found(&parrys, &query));
        answers.equal("obvhs finds", &own, &obvhs_peer::found(&obvhss, boxes, &query));
        answers.equal("bvh finds", &own, &bvh_peer::found(&bvhs, &bvh_leaves, &query));
    }

    let mut builder = Builder::default();
    let mut kept = ours;
    let row = Row { workload, size: boxes.len() as u64, unit: Unit::Ms, per_call: 1 };
    let contest = Contest::new(answers)
        .by_the_wall()
        .entry("carom", || {
            std::hint::black_box(pool.install(build_ours));
        })
        .entry("carom kept", || {
            std::hint::black_box(pool.install(|| builder.rebuild(&mut kept, boxes, &settings)).is_ok());
        })
        .entry("parry", || {
            std::hint::black_box(pool.install(build_parrys));
        })
        .entry("obvhs", || {
            std::hint::black_box(pool.install(build_obvhss));
        })
        .entry("bvh", || {
            std::hint::black_box(pool.install(|| bvh_peer::build_on_threads(&mut bvh_leaves)));
        });
    runner.some(row, contest);
}

/// Each turn goes to the other of the two poses, so that every refit has something to do.
fn refit(runner: &mut Runner, pool: &ThreadPool, workload: &str, both: [&[Aabb]; 2]) {
    let parry_boxes = both.map(|boxes| boxes.iter().map(parry::aabb).collect::<Vec<_>>());
    let obvhs_boxes = both.map(|boxes| boxes.iter().map(obvhs_peer::aabb).collect::<Vec<_>>());
    let settings = BuildSettings::default();
    let ours = RefCell::new(Bvh::<Aabb>::build(both[0], &settings).expect("boxes of a scene are finite"));
    let parrys = RefCell::new(ParryBvh::from_leaves(BvhBuildStrategy::Binned, &parry_boxes[0]));
    let obvhss = RefCell::new(obvhs_peer::build(&obvhs_boxes[0], BvhBuildParams::fastest_build()));
    let mut workspace = BvhWorkspace::default();
    let refit_ours = |turn: usize| {
        let tree = &mut *ours.borrow_mut();
        pool.install(|| tree.refit(both[turn])).expect("as many boxes as before");
    };
    let mut refit_parrys = |turn: usize| {
        let (tree, workspace) = (&mut *parrys.borrow_mut(), &mut workspace);
        pool.install(|| {
            for (i, aabb) in parry_boxes[turn].iter().enumerate() {
                tree.insert_or_update_partially(*aabb, i as u32, 0.0);
            }
            tree.refit_parallel(workspace);
        });
    };
    let refit_obvhss = |turn: usize| {
        let tree = &mut *obvhss.borrow_mut();
        pool.install(|| obvhs_peer::refit(tree, &obvhs_boxes[turn]));
    };

    refit_ours(1);
    refit_parrys(1);
    refit_obvhss(1);
    let mut answers = Answers::new();
    for query in queries() {
        let own = found(&ours.borrow(), both[1], &query);
        answers.equal("parry finds", &own, &parry::found(&parrys.borrow(), &query));
        answers.equal("obvhs finds", &own, &obvhs_peer::found(&obvhss.borrow(), both[1], &query));
    }
    let row = Row { workload, size: both[0].len() as u64, unit: Unit::Ms, per_call: 1 };
    let (mut a, mut b, mut c) = (0, 0, 0);
    let contest = Contest::new(answers)
        .by_the_wall()
        .entry("carom", || {
            refit_ours(a);
            a = 1 - a;
        })
        .entry("parry", || {
            refit_parrys(b);
            b = 1 - b;
        })
        .entry("obvhs", || {
            refit_obvhss(c);
            c = 1 - c;
        });
    runner.some(row, contest);
}
