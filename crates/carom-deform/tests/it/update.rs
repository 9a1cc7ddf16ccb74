//! Trees that follow moving features: all give the same answers, for each motion and query.

use crate::scenes::{grid, scenes, waves};
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{AutoTree, DeformableMesh, FollowingTree, HybridTree, LazyTree, RebuiltTree, RefitTree};
use carom_testkit::conform::following_tree;
use carom_testkit::random::Random;
use glam::Vec3;

#[test]
fn all_trees_give_the_same_answers() {
    let is_long = std::env::var_os("CAROM_SLOW").is_some();
    let mut meshes: Vec<DeformableMesh> = scenes().into_iter().map(|scene| scene.mesh).collect();
    meshes.push(DeformableMesh::from_triangles(&waves(16, 0.4, 0.0), grid(16)).unwrap());
    for seed in 0..if is_long { 20 } else { 1 } {
        following_tree::check::<RefitTree>("refit", &meshes, 1000 * seed);
        following_tree::check::<LazyTree>("lazy", &meshes, 1000 * seed);
        following_tree::check::<HybridTree>("hybrid", &meshes, 1000 * seed);
        following_tree::check::<RebuiltTree>("rebuilt", &meshes, 1000 * seed);
        following_tree::check::<AutoTree>("auto", &meshes, 1000 * seed);
    }
}

/// Moves a cloth by steps, with small queries in each. Returns how many boxes of faces were
/// computed.
fn updates<T: FollowingTree>(n_queries: usize) -> u64 {
    let n = 80;
    let start = waves(n, 0.2, 0.0);
    let mut mesh = DeformableMesh::from_triangles(&start, grid(n)).unwrap().with_trees::<T>();
    let mut random = Random::new(3);
    let first = mesh.tree_work()[2].updates;
    for step in 1..20 {
        mesh.set_positions(&waves(n, 0.2, 0.002 * f64::from(step))).unwrap();
        for _ in 0..n_queries {
            let middle = start[random.below(n * n)];
            mesh.collect_faces_touching(&Aabb { min: middle - 0.02, max: middle + 0.02 }, &mut Vec::new());
        }
    }
    mesh.tree_work()[2].updates - first
}

/// The lazy trees compute few boxes for few queries, and at most a quarter more than all for many.
#[test]
fn lazy_trees_compute_what_is_queried() {
    let whole = updates::<RefitTree>(1);
    assert_eq!(whole, 19 * 2 * 79 * 79);
    assert!(20 * updates::<LazyTree>(1) < whole, "{} of {whole}", updates::<LazyTree>(1));
    assert!(20 * updates::<AutoTree>(1) < whole, "{} of {whole}", updates::<AutoTree>(1));
    // The scheme of the book reads everything, and more.
    assert!(whole <= updates::<HybridTree>(1));
    for n_queries in [10, 100, 1000] {
        let (lazy, auto) = (updates::<LazyTree>(n_queries), updates::<AutoTree>(n_queries));
        assert!(4 * lazy <= 5 * whole && 4 * auto <= 5 * whole, "{n_queries}: {lazy} {auto} of {whole}");
    }
}

/// The boxes that trees compute for a query: each is tight around present positions, and each
/// answer is in one. A refit computes all boxes, a lazy tree few.
#[test]
fn fresh_boxes_are_those_of_the_present_positions() {
    fn fresh<T: FollowingTree>() -> usize {
        let n = 40;
        let start = waves(n, 0.2, 0.0);
        let mut mesh = DeformableMesh::from_triangles(&start, grid(n)).unwrap().with_trees::<T>();
        let mut n_fresh = 0;
        for step in 1..4 {
            let now = waves(n, 0.2, 0.01 * f64::from(step));
            mesh.set_positions(&now).unwrap();
            mesh.visit_fresh_boxes(|_| panic!("nothing was asked yet"));
            let (middle, mut found, mut boxes) = (now[n * n / 2 + step as usize], Vec::new(), Vec::new());
            mesh.collect_faces_touching(&Aabb { min: middle - 0.05, max: middle + 0.05 }, &mut found);
            mesh.visit_fresh_boxes(|aabb| boxes.push(*aabb));
            let is_tight = |aabb: &Aabb| {
                let has = |at: fn(&Vec3) -> f32, side: Vec3| now.iter().any(|p| at(p) == at(&side));
                [aabb.min, aabb.max]
                    .iter()
                    .all(|side| has(|p| p.x, *side) && has(|p| p.y, *side) && has(|p| p.z, *side))
            };
            assert!(boxes.iter().all(is_tight));
            for &face in &found {
                let own = Aabb::from_points(&mesh.faces()[face as usize].map(|v| now[v as usize]));
                assert!(boxes.iter().any(|aabb| aabb.contains(&own)), "{face}");
            }
            assert!(!found.is_empty());
            n_fresh = boxes.len();
        }
        n_fresh
    }
    let [all, rebuilt] = [fresh::<RefitTree>(), fresh::<RebuiltTree>()];
    let [hybrid, lazy, auto] = [fresh::<HybridTree>(), fresh::<LazyTree>(), fresh::<AutoTree>()];
    println!("boxes: {all} refit, {rebuilt} rebuilt, {hybrid} hybrid, {lazy} lazy, {auto} auto");
    assert!(8 * lazy < all && 8 * auto < all && hybrid < all && lazy < hybrid && rebuilt == all);
}

/// Vertices that change places wear a tree out; trees that rebuild test fewer boxes then.
#[test]
fn worn_trees_are_built_anew() {
    let n = 60;
    let mut random = Random::new(9);
    let start = waves(n, 0.2, 0.0);
    // Triangles share no vertices, so they can move independently.
    let corners: Vec<Vec3> = grid(n).iter().flat_map(|t| t.map(|v| start[v as usize])).collect();
    let triangles: Vec<[u32; 3]> =
        (0..corners.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = DeformableMesh::from_triangles(&corners, triangles).unwrap();
    let mut jumped = corners.clone();
    for triangle in jumped.chunks_mut(3) {
        let by = (random.cube_point() * 20.0).as_vec3();
        triangle.iter_mut().for_each(|p| *p += by);
    }
    fn tests<T: FollowingTree>(mesh: &DeformableMesh, jumped: &[Vec3]) -> [u64; 2] {
        let mut mesh = mesh.clone().with_trees::<T>();
        mesh.set_positions(jumped).unwrap();
        for p in jumped.iter().step_by(7) {
            mesh.collect_faces_touching(&Aabb { min: *p - 0.1, max: *p + 0.1 }, &mut Vec::new());
        }
        let work = mesh.tree_work()[2];
        [work.box_tests, work.rebuilds]
    }
    let [worn, _] = tests::<RefitTree>(&mesh, &jumped);
    let [fresh, rebuilds] = tests::<RebuiltTree>(&mesh, &jumped);
    assert!(0 < rebuilds && 4 * fresh < worn, "{fresh} {worn}");
}
