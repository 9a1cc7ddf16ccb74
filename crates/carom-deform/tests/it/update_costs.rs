//! The counted cost of `AutoTree` beside the best of the other trees, in ten scenes.

use crate::scenes::{grid, waves};
use carom_bounds::Aabb;
use carom_deform::{
    AutoTree, DeformableMesh, FeatureSearch, FollowingTree, HybridTree, LazyTree, RebuiltTree, RefitTree,
    TreeWork,
};
use carom_testkit::random::Random;
use glam::Vec3;

/// Vertices in a row.
const N: usize = 50;

/// The motion of the vertices and the queries in a step.
struct Scene {
    name: &'static str,
    mesh: DeformableMesh,
    /// The positions in a step.
    frame: fn(&[Vec3], usize) -> Vec<Vec3>,
    /// The number of small boxes that are queried in a step.
    n_boxes: fn(usize) -> usize,
    /// The half size of these boxes.
    half: f32,
    /// Whether all boxes are at one vertex.
    is_at_one_vertex: bool,
    /// Whether each step has a search over the whole mesh.
    is_searched: bool,
}

impl Scene {
    fn new(name: &'static str, mesh: &DeformableMesh, frame: fn(&[Vec3], usize) -> Vec<Vec3>) -> Scene {
        Scene {
            name,
            mesh: mesh.clone(),
            frame,
            n_boxes: |_| 1,
            half: 0.03,
            is_at_one_vertex: false,
            is_searched: false,
        }
    }

    /// The work of the tree of faces in forty steps.
    fn work<T: FollowingTree>(&self) -> TreeWork {
        let mut mesh = self.mesh.clone().with_trees::<T>();
        let (mut search, mut random) = (FeatureSearch::default(), Random::new(4));
        let (start, mut found) = (mesh.positions().to_vec(), Vec::new());
        for step in 1..=40 {
            let next = (self.frame)(&start, step);
            mesh.set_positions(&next).unwrap();
            for _ in 0..(self.n_boxes)(step) {
                let middle = next[if self.is_at_one_vertex { 7 * N } else { random.below(next.len()) }];
                found.clear();
                mesh.collect_faces_touching(
                    &Aabb { min: middle - self.half, max: middle + self.half },
                    &mut found,
                );
            }
            if self.is_searched {
                search.crossings(&mut mesh).finish();
            }
        }
        mesh.tree_work()[2]
    }
}

/// Returns the cost in tests of boxes. To compute and merge the box of a feature costs 4 tests in
/// a pass over all, and 12 for a query. To sort a feature into a new tree costs 100 tests.
fn cost(work: &TreeWork, n_features: u64) -> f64 {
    let whole = n_features * (1 + work.refits);
    let lazy = work.updates - whole;
    (4 * whole + 12 * lazy + work.box_tests + 100 * work.renewed) as f64
}

fn slow(start: &[Vec3], step: usize) -> Vec<Vec3> {
    let by = 0.002 * step as f32;
    start.iter().map(|p| *p + Vec3::Y * by * (3.0 * p.x + p.z).sin()).collect()
}

fn fast(start: &[Vec3], step: usize) -> Vec<Vec3> {
    let by = 0.7 * (step as f32).sin();
    start.iter().map(|p| *p + Vec3::new(by, by * (2.0 * p.x).sin(), -by)).collect()
}

/// A corner of the sheet is lifted.
fn corner(start: &[Vec3], step: usize) -> Vec<Vec3> {
    let by = 0.01 * step as f32;
    start.iter().map(|p| *p + Vec3::Y * by * (1.0 - p.x - p.z).max(0.0)).collect()
}

/// The triangles exchange their positions, once.
fn mixed(start: &[Vec3], step: usize) -> Vec<Vec3> {
    let n = start.len() / 3;
    if step < 5 {
        return start.to_vec();
    }
    (0..start.len()).map(|i| start[3 * (i / 3 * 1009 % n) + i % 3]).collect()
}

fn scenes() -> Vec<Scene> {
    let flat = waves(N, 0.2, 0.0);
    let sheet = DeformableMesh::from_triangles(&flat, grid(N)).unwrap();
    let corners: Vec<Vec3> = grid(N).iter().flat_map(|t| t.map(|v| flat[v as usize])).collect();
    let soup = (0..corners.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let soup = DeformableMesh::from_triangles(&corners, soup).unwrap();
    vec![
        Scene::new("one box, slow", &sheet, slow),
        Scene { n_boxes: |_| 10, ..Scene::new("ten boxes, slow", &sheet, slow) },
        Scene { n_boxes: |_| 100, ..Scene::new("a hundred boxes, slow", &sheet, slow) },
        Scene { n_boxes: |_| 1000, ..Scene::new("a thousand boxes, slow", &sheet, slow) },
        Scene { is_searched: true, ..Scene::new("a search in each step", &sheet, slow) },
        Scene { n_boxes: |_| 3, ..Scene::new("few boxes, fast", &sheet, fast) },
        Scene {
            n_boxes: |_| 60,
            is_at_one_vertex: true,
            ..Scene::new("one place, a corner moves", &sheet, corner)
        },
        Scene { n_boxes: |step| if step % 10 < 5 { 1 } else { 200 }, ..Scene::new("by turns", &sheet, slow) },
        Scene { n_boxes: |_| 200, ..Scene::new("mixed once", &soup, mixed) },
        Scene { n_boxes: |_| 5, half: 0.6, ..Scene::new("large boxes", &sheet, slow) },
    ]
}

#[test]
fn auto_is_never_far_above_the_best() {
    for scene in scenes() {
        let n_features = scene.mesh.faces().len() as u64;
        let others = [
            scene.work::<RefitTree>(),
            scene.work::<LazyTree>(),
            scene.work::<HybridTree>(),
            scene.work::<RebuiltTree>(),
        ]
        .map(|work| cost(&work, n_features));
        let best = others.iter().fold(f64::INFINITY, |least, other| least.min(*other));
        let auto = scene.work::<AutoTree>();
        let ratio = cost(&auto, n_features) / best;
        assert!(ratio < 1.3, "{}: {ratio:.2} times the best of {others:.0?}", scene.name);
    }
}
