//! Candidates are the pairs whose boxes touch: no fewer, no more, each once.

use crate::scenes::{all_pairs, all_pairs_of_two, scenes, vertices_of};
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{DeformableMesh, FeaturePair, FeatureSearch};
use glam::Vec3;

/// The box of vertices at these moments, grown by half of a distance and rounded outwards to the
/// next number.
fn aabb(vertices: &[u32], moments: &[&[Vec3]], distance: f32) -> Aabb {
    let mut all = Aabb::EMPTY;
    for moment in moments {
        for &vertex in vertices {
            all = all.merged(&Aabb::from_point(moment[vertex as usize]));
        }
    }
    if distance == 0.0 {
        return all;
    }
    let half = distance * 0.5;
    let out = |x: f32, by: f32| if by < 0.0 { (x + by).next_down() } else { (x + by).next_up() };
    Aabb {
        min: Vec3::new(out(all.min.x, -half), out(all.min.y, -half), out(all.min.z, -half)),
        max: Vec3::new(out(all.max.x, half), out(all.max.y, half), out(all.max.z, half)),
    }
}

fn brute(
    pairs: Vec<FeaturePair>,
    a: &DeformableMesh,
    b: &DeformableMesh,
    is_step: bool,
    distance: f32,
) -> Vec<FeaturePair> {
    let of = |mesh: &DeformableMesh, vertices: &[u32]| {
        let moments: &[&[Vec3]] =
            if is_step { &[mesh.before(), mesh.positions()] } else { &[mesh.positions()] };
        aabb(vertices, moments, distance)
    };
    pairs
        .into_iter()
        .filter(|pair| {
            let [first, second] = vertices_of(pair, a, b);
            of(a, &first).overlaps(&of(b, &second))
        })
        .collect()
}

#[test]
fn of_one_mesh_they_are_those_of_brute_force() {
    let mut search = FeatureSearch::default();
    let mut n_found = 0;
    for mut scene in scenes() {
        let thickness = scene.mesh.thickness();
        for distance in [0.0, 0.0625, 0.25, 8.0] {
            let expected =
                brute(all_pairs(&scene.mesh), &scene.mesh, &scene.mesh, false, distance + thickness);
            let found = search.candidates_within(&mut scene.mesh, distance).finish();
            assert_eq!(found.pairs, expected, "{} {distance}", scene.name);
            assert_eq!(found.counters.candidates, expected.len() as u64);
            n_found += expected.len();
        }
        let expected = brute(all_pairs(&scene.mesh), &scene.mesh, &scene.mesh, true, thickness);
        assert_eq!(search.candidates_over_step(&mut scene.mesh).finish().pairs, expected, "{}", scene.name);
    }
    assert!(100_000 < n_found, "{n_found}");
}

#[test]
fn of_two_meshes_they_are_those_of_brute_force() {
    let mut search = FeatureSearch::default();
    let all = scenes();
    for (i, j) in [(0, 1), (0, 9), (10, 3), (11, 5), (10, 10), (7, 7)] {
        let (mut a, mut b) = (all[i].mesh.clone(), all[j].mesh.clone());
        let thickness = 0.5 * (a.thickness() + b.thickness());
        for distance in [0.0, 0.25] {
            let expected = brute(all_pairs_of_two(&a, &b), &a, &b, false, distance + thickness);
            let found = search.candidates_within((&mut a, &mut b), distance).finish();
            assert_eq!(found.pairs, expected, "{} {}", all[i].name, all[j].name);
            assert_eq!(found.counters.neighbours, 0);
        }
        let expected = brute(all_pairs_of_two(&a, &b), &a, &b, true, thickness);
        assert_eq!(search.candidates_over_step((&mut a, &mut b)).finish().pairs, expected);
    }
}

/// A step that is played backwards has the same boxes.
#[test]
fn a_step_backwards_has_the_same_candidates() {
    let mut search = FeatureSearch::default();
    for mut scene in scenes() {
        let forwards = search.candidates_over_step(&mut scene.mesh).finish().pairs.to_vec();
        let before = scene.mesh.before().to_vec();
        scene.mesh.set_positions(&before).unwrap();
        assert_eq!(search.candidates_over_step(&mut scene.mesh).finish().pairs, forwards, "{}", scene.name);
    }
}

/// Neighbours are counted by their vertices, or by the positions of their vertices.
#[test]
fn neighbours_are_counted() {
    let mut search = FeatureSearch::default();
    // Two triangles with a common edge, all boxes touch: 15 pairs of a vertex and a face or of
    // edges.
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
    let mut joined = DeformableMesh::from_triangles(&corners, vec![[0, 1, 2], [1, 3, 2]]).unwrap();
    let found = search.candidates_within(&mut joined, 4.0).finish();
    // Each unshared vertex with the other face, and two pairs of edges.
    assert_eq!((found.pairs.len(), found.counters.neighbours), (4, 6 + 8));
    // The same with a seam that is not welded: only pairs within one triangle are left out.
    let apart = [corners[0], corners[1], corners[2], corners[1], corners[3], corners[2]];
    let mut seam = DeformableMesh::from_triangles(&apart, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let found = search.candidates_within(&mut seam, 4.0).finish();
    assert_eq!((found.pairs.len(), found.counters.neighbours), (6 + 9, 6 + 6));
    // By position the vertices of the seam are one.
    let mut seam = seam.with_neighbours_by_place();
    let found = search.candidates_within(&mut seam, 4.0).finish();
    // The doubled edge meets the two others of each triangle at a corner, and itself at both.
    assert_eq!((found.pairs.len(), found.counters.neighbours), (4, 8 + 6 + 6 + 3));
}
