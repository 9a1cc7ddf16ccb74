//! Builds and refits of trees over the triangles of a knot on one thread and on two, by the clock on the wall.
//!
//! The peers are built with their own threads here, also for the rows of one thread: [`trees`](../trees.rs) has the rows without.
//! parry builds on one thread always; obvhs refits on one, and bvh not at all.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::Runner;
use carom_benches::peers::bvh;
use carom_benches::peers::tree_rows::{Place, build, refit};
use carom_benches::trees::boxes;
use carom_bvh::BuildQuality;
use carom_scenes::mesh::{Knot, torus_knot};
use glam::Vec3;
use obvhs::BvhBuildParams;
use parry3d::partitioning::Bvh as ParryBvh;
use rayon::ThreadPoolBuilder;

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
        for (n_threads, [fast, good, best, refitted]) in BUILDS {
            let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads begin");
            let place = Place {
                run: &|work| pool.install(work),
                by_the_wall: true,
                parry_refit: ParryBvh::refit_parallel,
                bvh_build: bvh::build_on_threads,
            };
            for (name, quality, params) in [
                (fast, BuildQuality::Fast, BvhBuildParams::fastest_build()),
                (good, BuildQuality::Balanced, BvhBuildParams::medium_build()),
                (best, BuildQuality::High, BvhBuildParams::medium_build()),
            ] {
                if runner.wants(name) {
                    build(&mut runner, place, name, &before, quality, params);
                }
            }
            if runner.wants(refitted) {
                refit(&mut runner, place, refitted, [&before, &after]);
            }
        }
    }
}
