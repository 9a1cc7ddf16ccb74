//! Trees that follow: the same answers from all, whatever happens and is asked.

use crate::scenes::{grid, scenes, waves};
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{
    AutoTree, DeformableMesh, FeatureSearch, FollowingTree, HybridTree, LazyTree, RebuiltTree, RefitTree,
};
use carom_testkit::random::Random;
use glam::Vec3;

/// Random steps and questions; what they answered, all in a row.
fn play<T: FollowingTree>(mesh: &DeformableMesh, seed: u64) -> (Vec<String>, DeformableMesh<T>) {
    let mut random = Random::new(seed);
    let mut mesh = mesh.clone().with_trees::<T>();
    let mut search = FeatureSearch::default();
    let mut answers = Vec::new();
    for _ in 0..60 {
        match random.below(8) {
            0..3 => {
                let size = [0.0, 0.01, 0.3, 3.0][random.below(4)];
                let next: Vec<Vec3> =
                    mesh.positions().iter().map(|p| *p + (random.cube_point() * size).as_vec3()).collect();
                mesh.set_positions(&next).unwrap();
            }
            3..6 => {
                for _ in 0..1 + random.below(12) {
                    let (middle, half) =
                        ((random.cube_point() * 4.0).as_vec3(), random.range(0.0, 0.5) as f32);
                    let query = Aabb { min: middle - half, max: middle + half };
                    let (mut faces, mut edges) = (vec![7], Vec::new());
                    mesh.collect_faces_touching(&query, &mut faces);
                    mesh.collect_edges_touching(&query, &mut edges);
                    let of = |vertices: &[u32]| {
                        vertices
                            .iter()
                            .map(|&v| Aabb::from_point(mesh.positions()[v as usize]))
                            .fold(Aabb::EMPTY, |a, b| a.merged(&b))
                    };
                    let brute: Vec<u32> = (0..)
                        .zip(mesh.faces())
                        .filter(|(_, t)| of(&t[..]).overlaps(&query))
                        .map(|(i, _)| i)
                        .collect();
                    assert_eq!(faces[1..], brute);
                    let brute: Vec<u32> = (0..)
                        .zip(mesh.edges())
                        .filter(|(_, e)| of(&e[..]).overlaps(&query))
                        .map(|(i, _)| i)
                        .collect();
                    assert_eq!(edges, brute);
                    answers.push(format!("{faces:?} {edges:?}"));
                }
            }
            6 => answers.push(format!("{:?}", search.within(&mut mesh, 0.125).finish().pairs)),
            _ => {
                answers.push(format!("{:?}", search.candidates_over_step(&mut mesh).finish().pairs));
                answers.push(format!("{:?}", search.impacts(&mut mesh).finish().pairs));
            }
        }
    }
    (answers, mesh)
}

#[test]
fn all_trees_give_the_same_answers() {
    let is_long = std::env::var_os("CAROM_SLOW").is_some();
    let mut meshes: Vec<DeformableMesh> = scenes().into_iter().map(|scene| scene.mesh).collect();
    meshes.push(DeformableMesh::from_triangles(&waves(24, 0.4, 0.0), grid(24)).unwrap());
    for (i, mesh) in meshes.iter().enumerate() {
        for seed in 0..if is_long { 3 } else { 1 } {
            let expected = play::<RefitTree>(mesh, seed).0;
            assert!(play::<LazyTree>(mesh, seed).0 == expected, "lazy, {i} {seed}");
            assert!(play::<HybridTree>(mesh, seed).0 == expected, "hybrid, {i} {seed}");
            assert!(play::<RebuiltTree>(mesh, seed).0 == expected, "rebuilt, {i} {seed}");
            assert!(play::<AutoTree>(mesh, seed).0 == expected, "auto, {i} {seed}");
        }
    }
}

/// A cloth that moves by steps, with small queries in each; boxes computed for its faces.
fn updates<T: FollowingTree>(n_queries: usize) -> u64 {
    let n = 80;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 0.2, 0.0), grid(n)).unwrap().with_trees::<T>();
    let mut random = Random::new(3);
    let first = mesh.tree_work()[2].updates;
    for step in 1..20 {
        mesh.set_positions(&waves(n, 0.2, 0.002 * f64::from(step))).unwrap();
        for _ in 0..n_queries {
            let middle = waves(n, 0.2, 0.0)[random.below(n * n)];
            mesh.collect_faces_touching(&Aabb { min: middle - 0.02, max: middle + 0.02 }, &mut Vec::new());
        }
    }
    mesh.tree_work()[2].updates - first
}

/// The lazy trees compute few boxes for few queries, and no tree many more than all.
#[test]
fn lazy_trees_compute_what_is_asked_for() {
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

/// Vertices that change places wear a tree out; trees that rebuild test fewer boxes then.
#[test]
fn worn_trees_are_built_anew() {
    let n = 60;
    let mut random = Random::new(9);
    let start = waves(n, 0.2, 0.0);
    // Each triangle by itself, so that they may go anywhere.
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
