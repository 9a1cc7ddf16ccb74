//! Two meshes that move: their crossings by an overlap region and by trees that follow, and "may
//! touch" by voxels.
//!
//! A row is one step: new positions of both meshes, and the question. Vertices go back and forth
//! between two moments. parry gets the new vertices by `set_vertices`, which refits its tree. Its
//! test of two triangles is GJK in `f32` with a tolerance, and errs for small triangles near each
//! other. So exact arithmetic decides some of the pairs in which the two differ; carom must be
//! right in all of them. A row `may touch` has the voxels alone: "no" proves that nothing touches.
//! Below each row are the counts of one step.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_deform::{
    DeformableMesh, FeaturePair, FeatureSearch, FollowingTree, OverlapRegion, RebuiltTree, RefitTree,
    VoxelOverlap,
};
use carom_scenes::mesh::icosphere;
use carom_testkit::oracle::triangle::hulls_meet;
use glam::{DVec3, Vec3};
use parry3d::math::Pose as ParryPose;
use std::hint::black_box;

/// The largest number of different answers of carom and parry that exact arithmetic decides.
const MAX_JUDGED: usize = 300;

/// Positions of two meshes at two moments, and their triangles.
struct Scene {
    name: &'static str,
    frames: [[Vec<Vec3>; 2]; 2],
    triangles: [Vec<[u32; 3]>; 2],
}

/// A sheet of `n` by `n` vertices over a square of side 1, its heights from a function.
fn sheet(n: usize, corner: DVec3, height: impl Fn(f64, f64) -> f64) -> Vec<Vec3> {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let coordinates = |i: usize| (at(i % n), at(i / n));
    (0..n * n).map(coordinates).map(|(x, z)| (corner + DVec3::new(x, height(x, z), z)).as_vec3()).collect()
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
        name: "combs between",
        frames: [frame(0.0), frame(0.1)],
        triangles: [triangles.clone(), triangles],
    }
}

/// A query about both meshes after a step.
type QueryFn<'a, T> = &'a mut dyn FnMut(&mut [DeformableMesh<T>; 2]);

impl Scene {
    fn meshes<T: FollowingTree>(&self) -> [DeformableMesh<T>; 2] {
        [0, 1].map(|side| {
            let mesh = DeformableMesh::from_triangles(&self.frames[0][side], self.triangles[side].clone());
            mesh.expect("scenes are meshes").with_trees::<T>()
        })
    }

    /// Returns a function that makes a step of meshes with these trees to the next moment, and
    /// runs a query.
    fn steps<T: FollowingTree>(&self) -> impl FnMut(QueryFn<'_, T>) {
        let (mut meshes, mut turn) = (self.meshes::<T>(), 0);
        move |question| {
            turn = 1 - turn;
            for (mesh, positions) in meshes.iter_mut().zip(&self.frames[turn]) {
                mesh.set_positions(positions).expect("scenes are finite");
            }
            question(&mut meshes);
        }
    }

    /// As [`Scene::steps`], with a search for the crossings.
    fn by_trees<T: FollowingTree>(&self) -> impl FnMut(&mut Vec<FeaturePair>) {
        let (mut step, mut search) = (self.steps::<T>(), FeatureSearch::default());
        move |pairs| {
            step(&mut |[a, b]| {
                pairs.clear();
                pairs.extend_from_slice(search.crossings((a, b)).finish().pairs);
            });
        }
    }

    /// As [`Scene::by_trees`], by the overlap region.
    fn by_region(&self) -> impl FnMut(&mut Vec<FeaturePair>) {
        let (mut step, mut region) = (self.steps::<RefitTree>(), OverlapRegion::default());
        move |pairs| {
            step(&mut |[a, b]| {
                pairs.clear();
                pairs.extend_from_slice(region.crossings(a, b).finish().pairs);
            });
        }
    }

    /// The same, by parry.
    fn by_parry(&self) -> impl FnMut(&mut Vec<(u32, u32)>) {
        let vertices = [0, 1].map(|frame| [0, 1].map(|side| peer_vertices(&self.frames[frame][side])));
        let mut meshes = [0, 1].map(|side| {
            parry::mesh(&self.frames[0][side], &self.triangles[side]).expect("parry takes the mesh")
        });
        let mut turn = 0;
        move |pairs| {
            turn = 1 - turn;
            for (mesh, vertices) in meshes.iter_mut().zip(&vertices[turn]) {
                mesh.set_vertices(vertices);
            }
            let [a, b] = &meshes;
            parry::mesh_pairs(a, b, &ParryPose::IDENTITY, false, pairs);
        }
    }

    /// The counts of the step to the second moment.
    fn print_counts(&self) {
        let mut step = self.steps::<RefitTree>();
        step(&mut |[a, b]| {
            let mut region = OverlapRegion::default();
            let by_region = region.crossings(a, b).finish().counters;
            let by_tree = FeatureSearch::default().crossings((a, b)).finish().counters;
            println!(
                "    refit: {} boxes, {} box tests, {} exact tests; region: {} listed first, {} listed and box tests, \
                 {} exact tests",
                by_tree.updates,
                by_tree.box_tests,
                by_tree.exact_tests,
                by_region.in_region,
                by_region.listed + by_region.box_tests,
                by_region.exact_tests
            );
        });
    }

    fn race(&self, runner: &mut Runner) {
        if !runner.wants(self.name) {
            return;
        }
        let size = self.triangles[0].len() as u64;
        let (mut refit, mut rebuilt) = (self.by_trees::<RefitTree>(), self.by_trees::<RebuiltTree>());
        let (mut region, mut parry) = (self.by_region(), self.by_parry());
        let [mut ours, mut others, mut found] = [const { Vec::new() }; 3];
        let mut theirs = Vec::new();
        let (mut answers, mut n_pairs, mut n_differ) = (Answers::new(), [0; 2], [0; 2]);
        // A step to the second moment comes first.
        for moment in [1, 0] {
            refit(&mut ours);
            rebuilt(&mut others);
            answers.equal("rebuilt", &ours, &others);
            region(&mut others);
            answers.equal("region", &ours, &others);
            parry(&mut theirs);
            theirs.sort_unstable();
            let ours: Vec<(u32, u32)> = ours.iter().map(|pair| (pair.a, pair.b)).collect();
            n_pairs[moment] = ours.len();
            n_differ[moment] = self.judge(moment, &ours, &theirs, &mut answers);
        }
        let comparison = Comparison::new(answers)
            .entry("carom refit", || refit(&mut ours))
            .entry("carom rebuilt", || rebuilt(&mut others))
            .entry("carom region", || region(&mut found))
            .entry("parry refit", || parry(&mut theirs));
        runner.compare(Row { workload: self.name, size, unit: Unit::Ms, per_call: 1 }, comparison);
        println!("    {n_pairs:?} crossings at the two moments, parry differs in {n_differ:?}");
        self.print_counts();
        self.race_voxels(runner, size, n_pairs);
    }

    /// Compares the pairs that only one of two sorted lists has with exact arithmetic. Returns
    /// their number.
    fn judge(
        &self,
        moment: usize,
        ours: &[(u32, u32)],
        theirs: &[(u32, u32)],
        answers: &mut Answers,
    ) -> usize {
        let alone = |a: &[(u32, u32)], b: &[(u32, u32)]| -> Vec<(u32, u32)> {
            a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
        };
        let corners = |side: usize, face: u32| {
            self.triangles[side][face as usize].map(|v| self.frames[moment][side][v as usize].as_dvec3())
        };
        let mut n = 0;
        for (what, is_ours, pairs) in [
            ("only carom has it", true, alone(ours, theirs)),
            ("only parry has it", false, alone(theirs, ours)),
        ] {
            n += pairs.len();
            for &(a, b) in pairs.iter().step_by(pairs.len() / MAX_JUDGED + 1) {
                answers.equal(what, &is_ours, &hulls_meet(&corners(0, a), &corners(1, b)));
            }
        }
        n
    }

    /// Compares voxels that show whether the meshes may touch. `n_pairs` are the crossings at the
    /// two moments.
    fn race_voxels(&self, runner: &mut Runner, size: u64, n_pairs: [usize; 2]) {
        let by_voxels = |resolution: u32| {
            let (mut step, mut voxels) =
                (self.steps::<RefitTree>(), VoxelOverlap::new(resolution).expect("the resolution is small"));
            move || {
                let (mut answer, mut rows) = (false, 0);
                step(&mut |[a, b]| {
                    answer = voxels.may_touch(a, b);
                    rows = voxels.counters().rows;
                });
                (answer, rows)
            }
        };
        let (mut coarse, mut fine) = (by_voxels(32), by_voxels(128));
        let mut answers = Answers::new();
        let mut text = String::new();
        for moment in [1, 0] {
            for (what, (may_touch, rows)) in [("32 voxels", coarse()), ("128 voxels", fine())] {
                // Voxels must not miss a crossing.
                answers.equal(what, &(n_pairs[moment] == 0 || may_touch), &true);
                text += &format!(" {what}: {}, {rows} rows;", if may_touch { "may" } else { "no" });
            }
        }
        let comparison = Comparison::new(answers)
            .entry("carom 32 voxels", || _ = black_box(coarse()))
            .entry("carom 128 voxels", || _ = black_box(fine()));
        let workload = format!("{}: may touch", self.name);
        runner.compare(Row { workload: &workload, size, unit: Unit::Ms, per_call: 1 }, comparison);
        println!("   {text}");
    }
}

/// Vertices for parry.
fn peer_vertices(vertices: &[Vec3]) -> Vec<parry3d::math::Vector> {
    vertices.iter().map(|v| parry::vector(*v)).collect()
}

fn main() {
    let mut runner = Runner::new("two_objects");
    let sizes: &[usize] = if runner.is_quick() { &[1000] } else { &[1000, 10_000, 100_000] };
    for &n_faces in sizes {
        for scene in [
            sheets("sheets deep", n_faces, DVec3::ZERO, 0.02),
            sheets("sheets, a tenth", n_faces, DVec3::new(0.9, 0.0, 0.0), 0.02),
            sheets("sheets, boxes apart", n_faces, DVec3::new(0.0, 0.1, 0.0), 0.02),
            balls("balls, a corner", n_faces, DVec3::splat(1.08)),
            balls("balls apart, boxes overlap", n_faces, DVec3::splat(1.3)),
            balls("balls deep", n_faces, DVec3::new(0.3, 0.2, 0.1)),
            combs(n_faces),
        ] {
            scene.race(&mut runner);
        }
    }
}
