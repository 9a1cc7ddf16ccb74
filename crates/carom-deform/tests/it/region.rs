//! Crossings of two meshes by their overlap region, against those by trees and an exact oracle.

use crate::scenes::{grid, scenes, waves};
use carom_deform::{DeformableMesh, FeaturePair, FeatureSearch, OverlapRegion, PairKind};
use carom_testkit::oracle::triangle::hulls_meet;
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

/// A mesh of these triangles.
pub(crate) fn mesh(positions: &[Vec3], triangles: Vec<[u32; 3]>) -> DeformableMesh {
    DeformableMesh::from_triangles(positions, triangles).unwrap()
}

/// A comb: a row of thin teeth along x, each from y = 0 to 1 and z = 0 to 1.
pub(crate) fn comb(n_teeth: u16, shift: f32) -> DeformableMesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for tooth in 0..n_teeth {
        let first = positions.len() as u32;
        let x = f32::from(tooth) + shift;
        for (y, z) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            positions.push(Vec3::new(x, y, z));
        }
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh(&positions, triangles)
}

/// A round surface of the given centre.
pub(crate) fn ball(center: DVec3, radius: f64) -> DeformableMesh {
    let of_unit = carom_scenes::mesh::icosphere(320);
    let positions: Vec<Vec3> = of_unit.vertices.iter().map(|p| (center + *p * radius).as_vec3()).collect();
    mesh(&positions, of_unit.triangles)
}

/// Pairs of meshes: apart, touching in a point, an edge or a face, through each other, and equal.
pub(crate) fn couples() -> Vec<(String, DeformableMesh, DeformableMesh)> {
    let mut all = Vec::new();
    let scenes = scenes();
    for (i, first) in scenes.iter().enumerate() {
        for second in &scenes[..=i] {
            all.push((format!("{}, {}", first.name, second.name), first.mesh.clone(), second.mesh.clone()));
        }
    }
    let moved = |by: Vec3| {
        let positions: Vec<Vec3> = waves(20, 0.3, 0.0).iter().map(|p| *p + by).collect();
        mesh(&positions, grid(20))
    };
    for (name, by) in [
        ("sheets at an edge", Vec3::X * 4.0),
        ("sheets at a corner", Vec3::new(4.0, 0.0, 4.0)),
        ("sheets above each other", Vec3::Y * 0.125),
        ("sheets apart", Vec3::Y * 8.0),
    ] {
        all.push((name.into(), moved(Vec3::ZERO), moved(by)));
    }
    all.push(("combs between each other".into(), comb(40, 0.0), comb(40, 0.5)));
    all.push(("combs in each other".into(), comb(40, 0.0), comb(40, 1.0)));
    for (name, gap) in [("balls apart", 0.01), ("balls that touch", 0.0), ("balls in each other", -0.3)] {
        all.push((name.into(), ball(DVec3::ZERO, 1.0), ball(DVec3::splat(2.0 + gap) / 3f64.sqrt(), 1.0)));
    }
    // A fan: all faces meet in one point, which no halving separates.
    let mut random = Random::new(7);
    let mut fan = |n: u32| {
        let mut positions = vec![Vec3::ZERO];
        positions.extend((0..2 * n).map(|_| random.cube_point().as_vec3()));
        mesh(&positions, (0..n).map(|i| [0, 2 * i + 1, 2 * i + 2]).collect())
    };
    all.push(("fans with one tip".into(), fan(60), fan(60)));
    let tiny = |by: f32| mesh(&[Vec3::splat(by); 3], vec![[0, 1, 2]]);
    all.push(("points that are one".into(), tiny(0.0), tiny(-0.0)));
    all.push(("points that are two".into(), tiny(0.0), tiny(f32::from_bits(1))));
    all
}

#[test]
fn pairs_are_those_of_the_trees() {
    let (mut trees, mut region) = (FeatureSearch::default(), OverlapRegion::default());
    let (mut n_found, mut n_empty) = (0, 0);
    for (name, mut a, mut b) in couples() {
        let expected = trees.crossings((&mut a, &mut b)).finish();
        let (pairs, n_tests) = (expected.pairs.to_vec(), expected.counters.exact_tests);
        let found = region.crossings(&a, &b).finish();
        assert_eq!(found.pairs, pairs, "{name}");
        // The same pairs of boxes, each tested exactly once.
        assert_eq!(found.counters.exact_tests, n_tests, "{name}");
        let n_all = (a.faces().len() * b.faces().len()) as u64;
        assert!(found.counters.box_tests <= n_all, "{name}");
        n_found += pairs.len();
        n_empty += usize::from(pairs.is_empty());
    }
    assert!(3000 < n_found && 10 < n_empty, "{n_found} {n_empty}");
}

#[test]
fn pairs_are_those_of_the_oracle() {
    let mut region = OverlapRegion::default();
    let mut n_found = 0;
    for (name, a, b) in couples().into_iter().filter(|(_, a, b)| a.faces().len() * b.faces().len() < 2500) {
        let corners = |mesh: &DeformableMesh| -> Vec<[DVec3; 3]> {
            mesh.faces().iter().map(|t| t.map(|v| mesh.positions()[v as usize].as_dvec3())).collect()
        };
        let mut expected = Vec::new();
        for (i, s) in (0..).zip(&corners(&a)) {
            for (j, t) in (0..).zip(&corners(&b)) {
                if hulls_meet(s, t) {
                    expected.push(FeaturePair { kind: PairKind::FaceFace, a: i, b: j });
                }
            }
        }
        assert_eq!(region.crossings(&a, &b).finish().pairs, expected, "{name}");
        n_found += expected.len();
    }
    assert!(500 < n_found, "{n_found}");
}

#[test]
fn any_split_gives_the_same_answer() {
    let mut region = OverlapRegion::default();
    let mut n_stops = 0;
    for (name, a, b) in couples() {
        let whole = region.crossings(&a, &b).finish();
        let (pairs, counters) = (whole.pairs.to_vec(), whole.counters);
        for budget in [1, 500] {
            let mut run = region.crossings(&a, &b);
            let mut progress = 0.0;
            while !run.run(budget) {
                assert!(progress <= run.progress() && run.progress() < 1.0, "{name}");
                assert!(run.found_so_far().iter().all(|pair| pairs.binary_search(pair).is_ok()), "{name}");
                progress = run.progress();
                n_stops += 1;
            }
            assert!(run.run(0) && run.progress() == 1.0);
            let found = run.finish();
            assert_eq!((found.pairs, found.counters), (&pairs[..], counters), "{name}");
        }
    }
    assert!(1000 < n_stops, "{n_stops}");
}

/// Halving one axis separates teeth that lie between each other, without a test.
#[test]
fn combs_need_few_tests() {
    let (a, b) = (comb(1000, 0.0), comb(1000, 0.5));
    let mut region = OverlapRegion::default();
    let counters = region.crossings(&a, &b).finish().counters;
    assert_eq!(counters.exact_tests, 0);
    assert!(counters.box_tests + counters.listed < 100_000, "{counters:?}");
}
