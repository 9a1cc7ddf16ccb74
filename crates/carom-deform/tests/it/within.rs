//! Pairs within a distance, against fractions.

use crate::scenes::{all_pairs, all_pairs_of_two, is_beside, scenes, vertices_of};
use carom_deform::{DeformableMesh, FeaturePair, FeatureSearch, NearPair, PairKind};
use carom_testkit::oracle::moving::{point_triangle_sq, segment_segment_sq};
use carom_testkit::oracle::rational::{exact, exact3};
use glam::{DVec3, Vec3};
use num_rational::BigRational;
use num_traits::ToPrimitive as _;

fn distance_sq(pair: &FeaturePair, a: &DeformableMesh, b: &DeformableMesh) -> BigRational {
    let [first, second] = vertices_of(pair, a, b);
    let at = |mesh: &DeformableMesh, v: u32| exact3(mesh.positions()[v as usize].as_dvec3());
    let s: Vec<_> = first.iter().map(|&v| at(a, v)).collect();
    let t: Vec<_> = second.iter().map(|&v| at(b, v)).collect();
    let triangle = |c: &[[BigRational; 3]]| [c[0].clone(), c[1].clone(), c[2].clone()];
    let segment = |c: &[[BigRational; 3]]| [c[0].clone(), c[1].clone()];
    match pair.kind {
        PairKind::VertexFace => point_triangle_sq(&s[0], &triangle(&t)),
        PairKind::FaceVertex => point_triangle_sq(&t[0], &triangle(&s)),
        PairKind::EdgeEdge | PairKind::FaceFace => segment_segment_sq(&segment(&s), &segment(&t)),
    }
}

/// Checks that the pairs are those of brute force, and that the distances are right.
fn check(
    found: &[NearPair],
    all: Vec<FeaturePair>,
    a: &DeformableMesh,
    b: &DeformableMesh,
    reach: f64,
    name: &str,
) -> usize {
    let reach_sq = exact(reach) * exact(reach);
    let expected: Vec<(FeaturePair, f64)> = all
        .into_iter()
        .filter(|pair| {
            let of = |mesh: &DeformableMesh, side: usize| -> Vec<DVec3> {
                let vertices = &vertices_of(pair, a, b)[side];
                vertices.iter().map(|&v| mesh.positions()[v as usize].as_dvec3()).collect()
            };
            !is_beside(&of(a, 0), &of(b, 1), reach)
        })
        .map(|pair| (pair, distance_sq(&pair, a, b)))
        .filter(|(_, distance_sq)| distance_sq <= &reach_sq)
        .map(|(pair, distance_sq)| (pair, distance_sq.to_f64().unwrap().sqrt()))
        .collect();
    let pairs: Vec<FeaturePair> = found.iter().map(|near| near.pair).collect();
    assert_eq!(pairs, expected.iter().map(|(pair, _)| *pair).collect::<Vec<_>>(), "{name} {reach}");
    for (near, (_, distance)) in found.iter().zip(&expected) {
        assert!((near.distance - distance).abs() < 1e-13, "{name}: {near:?} {distance}");
        assert!(((near.point_a - near.point_b).length() - distance).abs() < 1e-13, "{name}: {near:?}");
        for (point, mesh, vertices) in [
            (near.point_a, a, &vertices_of(&near.pair, a, b)[0]),
            (near.point_b, b, &vertices_of(&near.pair, a, b)[1]),
        ] {
            let corners: Vec<DVec3> =
                vertices.iter().map(|&v| mesh.positions()[v as usize].as_dvec3()).collect();
            let corner = |i: usize| corners[i.min(corners.len() - 1)];
            let triangle = [corner(0), corner(1), corner(2)];
            let off = carom_geom::tri_distance::point_triangle(point, &triangle).distance;
            assert!(off < 1e-12, "{name}: {near:?} off its feature by {off}");
        }
    }
    expected.len()
}

#[test]
fn pairs_are_those_of_fractions() {
    let mut search = FeatureSearch::default();
    let (mut n_found, mut n_exact) = (0, 0);
    for mut scene in scenes() {
        let original = scene.mesh.clone();
        for distance in [0.0, 0.125, 0.5] {
            let reach = f64::from(distance + original.thickness());
            let found = search.within(&mut scene.mesh, distance).finish();
            n_exact += found.counters.exact_tests;
            n_found += check(found.pairs, all_pairs(&original), &original, &original, reach, scene.name);
        }
    }
    assert!(3000 < n_found && 100 < n_exact, "{n_found} pairs, {n_exact} exact tests");
}

#[test]
fn pairs_of_two_meshes_are_those_of_fractions() {
    let mut search = FeatureSearch::default();
    let all = scenes();
    let mut n_found = 0;
    for (i, j) in [(3, 5), (10, 3), (11, 6), (7, 7)] {
        let (mut a, mut b) = (all[i].mesh.clone(), all[j].mesh.clone());
        let found = search.within((&mut a, &mut b), 0.25).finish();
        let pairs = all_pairs_of_two(&all[i].mesh, &all[j].mesh);
        n_found += check(found.pairs, pairs, &all[i].mesh, &all[j].mesh, 0.25, all[i].name);
    }
    assert!(1000 < n_found, "{n_found}");
}

/// A pair is found for its distance, and not for the next number below. This holds for large and
/// small coordinates too.
#[test]
fn the_distance_itself_counts() {
    let mut search = FeatureSearch::default();
    for scale in [1.0_f32, 2_f32.powi(60), 2_f32.powi(-90)] {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * scale;
        let corners = [
            at(0.0, 0.0, 0.0),
            at(3.0, 0.0, 0.0),
            at(0.0, 0.0, 3.0),
            at(1.0, 0.7, 1.0),
            at(9.0, 9.0, 9.0),
            at(9.0, 9.0, 8.0),
        ];
        let mut mesh = DeformableMesh::from_triangles(&corners, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        let distance = 0.7 * scale;
        assert_eq!(search.within(&mut mesh, distance).finish().pairs.len(), 1);
        assert_eq!(search.within(&mut mesh, distance.next_down()).finish().pairs.len(), 0);
        // NaN and negative distances count as 0.
        assert_eq!(search.within(&mut mesh, f32::NAN).finish().pairs.len(), 0);
        assert_eq!(search.within(&mut mesh, -1.0).finish().pairs.len(), 0);
        assert_eq!(search.within(&mut mesh, f32::INFINITY).finish().pairs.len(), 15);
    }
}

/// Scaling by a power of two scales the answers, bit for bit.
#[test]
fn answers_scale_with_the_mesh() {
    let mut search = FeatureSearch::default();
    for mut scene in scenes() {
        let found = search.within(&mut scene.mesh, 0.25).finish().pairs.to_vec();
        for scale in [2_f32.powi(40), 2_f32.powi(-40)] {
            let scaled = |positions: &[Vec3]| positions.iter().map(|p| *p * scale).collect::<Vec<_>>();
            let thickness = scene.mesh.thickness() * scale;
            let mut mesh = scene.mesh.clone().with_thickness(thickness).unwrap();
            mesh.set_positions(&scaled(scene.mesh.positions())).unwrap();
            let same = search.within(&mut mesh, 0.25 * scale).finish();
            assert_eq!(same.pairs.len(), found.len(), "{}", scene.name);
            for (p, q) in found.iter().zip(same.pairs) {
                assert_eq!((p.pair, p.distance * f64::from(scale)), (q.pair, q.distance), "{}", scene.name);
            }
        }
    }
}
