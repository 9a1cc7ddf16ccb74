//! Two meshes that move: crossings by their overlap region and by trees that follow, and "may touch" by voxels.
//!
//! Each answer is compared first. A row is one step: new positions of both meshes, and the question. Prints the table of
//! notes/carom-deform.md; least of several runs, CPU time of one thread.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::thread_ns;
use carom_deform::{
    DeformCounters, DeformableMesh, FeaturePair, FeatureSearch, FollowingTree, OverlapRegion, RebuiltTree,
    RefitTree, VoxelOverlap,
};
use carom_scenes::mesh::icosphere;
use glam::{DVec3, Vec3};
use std::hint::black_box;

/// Positions of two meshes at two moments, and their triangles.
struct Scene {
    name: &'static str,
    frames: [[Vec<Vec3>; 2]; 2],
    triangles: [Vec<[u32; 3]>; 2],
}

/// A sheet of `n` by `n` vertices over a square of side 1, its heights from a function.
fn sheet(n: usize, corner: DVec3, height: impl Fn(f64, f64) -> f64) -> Vec<Vec3> {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let place = |i: usize| (at(i % n), at(i / n));
    (0..n * n).map(place).map(|(x, z)| (corner + DVec3::new(x, height(x, z), z)).as_vec3()).collect()
}

fn grid(n: usize) -> Vec<[u32; 3]> {
    let corners = (0..(n * (n - 1)) as u32).filter(|v| v % (n as u32) < n as u32 - 1);
    let n = n as u32;
    corners.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect()
}

fn sheets(name: &'static str, n_faces: usize, corner: DVec3, amplitude: f64) -> Scene {
    let n = ((n_faces / 2) as f64).sqrt() as usize + 1;
    let wave =
        |phase: f64| move |x: f64, z: f64| amplitude * ((9.0 * x + phase).sin() + (7.0 * z - phase).cos());
    let frame = |phase: f64| [sheet(n, DVec3::ZERO, wave(phase)), sheet(n, corner, wave(1.0 - 2.0 * phase))];
    Scene { name, frames: [frame(0.0), frame(0.05)], triangles: [grid(n), grid(n)] }
}

/// Balls that wobble, the second at this place.
fn balls(name: &'static str, n_faces: usize, center: DVec3) -> Scene {
    let of_unit = icosphere(n_faces);
    let wobbling = |center: DVec3, phase: f64| -> Vec<Vec3> {
        let radius = |p: DVec3| 1.0 + 0.05 * (5.0 * p.x + 3.0 * p.y + phase).sin();
        of_unit.vertices.iter().map(|p| (center + *p * radius(*p)).as_vec3()).collect()
    };
    let frame = |phase: f64| [wobbling(DVec3::ZERO, phase), wobbling(center, 2.0 - phase)];
    Scene {
        name,
        frames: [frame(0.0), frame(0.1)],
        triangles: [of_unit.triangles.clone(), of_unit.triangles],
    }
}

/// Combs of 32 teeth between each other; a tooth is a sheet that bends.
fn combs(n_faces: usize) -> Scene {
    let n = ((n_faces / 64) as f64).sqrt().max(1.0) as usize + 1;
    let tooth = |x: f64, phase: f64| -> Vec<Vec3> {
        let bend = |y: f64, z: f64| 0.1 * (3.0 * y + z + phase).sin();
        sheet(n, DVec3::ZERO, bend).iter().map(|p| Vec3::new(x as f32 + p.y, 8.0 * p.x, 8.0 * p.z)).collect()
    };
    let comb = |shift: f64, phase: f64| (0..32).flat_map(|i| tooth(f64::from(i) + shift, phase)).collect();
    let triangles: Vec<[u32; 3]> =
        (0..32).flat_map(|i| grid(n).into_iter().map(move |t| t.map(|v| v + i * (n * n) as u32))).collect();
    let frame = |phase: f64| [comb(0.0, phase), comb(0.5, 0.5 * phase)];
    Scene {
        name: "combs between each other",
        frames: [frame(0.0), frame(0.1)],
        triangles: [triangles.clone(), triangles],
    }
}

impl Scene {
    fn meshes<T: FollowingTree>(&self) -> [DeformableMesh<T>; 2] {
        [0, 1].map(|side| {
            let mesh = DeformableMesh::from_triangles(&self.frames[0][side], self.triangles[side].clone());
            mesh.expect("scenes are meshes").with_trees::<T>()
        })
    }

    /// The least time of a step in milliseconds: new positions, and a question.
    fn time<T: FollowingTree>(&self, mut question: impl FnMut(&mut [DeformableMesh<T>; 2])) -> f64 {
        let mut meshes = self.meshes::<T>();
        let (mut least, mut all) = (f64::INFINITY, 0.0);
        let mut step = 0;
        while step < 6 || (all < 4e8 && step < 400) {
            let start = thread_ns();
            for (mesh, positions) in meshes.iter_mut().zip(&self.frames[step % 2]) {
                mesh.set_positions(positions).expect("scenes are finite");
            }
            question(&mut meshes);
            let spent = thread_ns() - start;
            // Memory and caches are warm after the first two.
            if 2 <= step {
                (least, all) = (least.min(spent), all + spent);
            }
            step += 1;
        }
        least * 1e-6
    }

    /// The time by trees, and what they answer at the first moment.
    fn by_trees<T: FollowingTree>(&self) -> (f64, Vec<FeaturePair>, DeformCounters) {
        let (mut search, mut answer) = (FeatureSearch::default(), None);
        let ms = self.time::<T>(|[a, b]| {
            let found = search.crossings((a, b)).finish();
            black_box(found.pairs.len());
            if answer.is_none() {
                answer = Some((found.pairs.to_vec(), found.counters));
            }
        });
        let (pairs, counters) = answer.expect("steps were made");
        (ms, pairs, counters)
    }

    fn report(&self) {
        let (refit, pairs, by_tree) = self.by_trees::<RefitTree>();
        let (rebuilt, same, _) = self.by_trees::<RebuiltTree>();
        assert!(same == pairs, "{}: trees differ", self.name);
        let mut region = OverlapRegion::default();
        let [a, b] = self.meshes::<RefitTree>();
        let found = region.crossings(&a, &b).finish();
        assert!(found.pairs == pairs, "{}: the region has other pairs", self.name);
        let counters = found.counters;
        let by_region = self.time::<RefitTree>(|[a, b]| {
            black_box(region.crossings(a, b).finish().pairs.len());
        });
        let n_faces = a.faces().len();
        let mut row = format!(
            "| {} | {n_faces} | {} | {:.3} | {:.3} | {:.3} | {} + {} + {} | {} + {} + {} |",
            self.name,
            pairs.len(),
            refit,
            rebuilt,
            by_region,
            by_tree.updates,
            by_tree.box_tests,
            by_tree.exact_tests,
            counters.in_region,
            counters.listed + counters.box_tests,
            counters.exact_tests
        );
        for resolution in [32, 128] {
            let mut voxels = VoxelOverlap::new(resolution).expect("the resolution is small");
            let may_touch = voxels.may_touch(&a, &b);
            assert!(may_touch || pairs.is_empty(), "{}: voxels deny a contact", self.name);
            let n = voxels.counters();
            let ms = self.time::<RefitTree>(|[a, b]| {
                black_box(voxels.may_touch(a, b));
            });
            let answer = if may_touch { "may" } else { "no" };
            row += &format!(" {answer}, {ms:.3}, {} + {} |", n.rows, n.words);
        }
        println!("{row}");
    }
}

fn main() {
    println!(
        "| scene | faces each | pairs | refit, ms | rebuilt, ms | region, ms | refit: boxes + tests + exact | \
         region: listed first + listed and tests + exact | 32 voxels: answer, ms, rows + words | 128 voxels |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for n_faces in [1000, 10_000, 100_000] {
        sheets("waving sheets through each other", n_faces, DVec3::ZERO, 0.02).report();
        sheets("waving sheets, a tenth over each other", n_faces, DVec3::new(0.9, 0.0, 0.0), 0.02).report();
        sheets("waving sheets, boxes apart", n_faces, DVec3::new(0.0, 0.1, 0.0), 0.02).report();
        balls("balls that touch in a corner", n_faces, DVec3::splat(1.08)).report();
        balls("balls apart, boxes over each other", n_faces, DVec3::splat(1.3)).report();
        balls("balls deep in each other", n_faces, DVec3::new(0.3, 0.2, 0.1)).report();
        combs(n_faces).report();
    }
}
