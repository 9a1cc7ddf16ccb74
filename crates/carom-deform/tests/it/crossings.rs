//! Pairs of faces that cross, against an exact oracle.

use crate::scenes::scenes;
use carom_deform::{FeaturePair, FeatureSearch, PairKind};
use carom_testkit::oracle::triangle::hulls_meet;
use glam::DVec3;

#[test]
fn crossings_are_those_of_the_oracle() {
    let mut search = FeatureSearch::default();
    let mut n_found = 0;
    for mut scene in scenes() {
        let original = scene.mesh.clone();
        let corners: Vec<[DVec3; 3]> =
            original.faces().iter().map(|t| t.map(|v| original.positions()[v as usize].as_dvec3())).collect();
        let mut expected = Vec::new();
        for (i, s) in original.faces().iter().enumerate() {
            for (j, t) in original.faces().iter().enumerate().skip(i + 1) {
                if !s.iter().any(|v| t.contains(v)) && hulls_meet(&corners[i], &corners[j]) {
                    expected.push(FeaturePair { kind: PairKind::FaceFace, a: i as u32, b: j as u32 });
                }
            }
        }
        assert_eq!(search.crossings(&mut scene.mesh).finish().pairs, expected, "{}", scene.name);
        n_found += expected.len();
    }
    assert!(100 < n_found, "{n_found}");
}

#[test]
fn a_mesh_meets_its_copy_everywhere() {
    let mut search = FeatureSearch::default();
    for mut scene in scenes() {
        let mut copy = scene.mesh.clone();
        let n_faces = copy.faces().len() as u32;
        let found = search.crossings((&mut scene.mesh, &mut copy)).finish().pairs;
        for face in 0..n_faces {
            let own = FeaturePair { kind: PairKind::FaceFace, a: face, b: face };
            assert!(found.binary_search(&own).is_ok(), "{} {face}", scene.name);
        }
    }
}
