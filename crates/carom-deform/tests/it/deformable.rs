//! Meshes as they are made: features, owners, refusals.

use crate::scenes::{grid, scenes, waves};
use carom_deform::{DeformError, DeformableMesh, MAX_POSITION};
use glam::Vec3;

#[test]
fn each_edge_is_listed_once_with_its_lowest_owner() {
    for scene in scenes() {
        let mesh = &scene.mesh;
        let mut visited = std::collections::HashSet::new();
        for (edge, &owner) in mesh.edges().iter().zip(mesh.edge_owners()) {
            assert!(edge[0] < edge[1] && visited.insert(*edge), "{}: {edge:?}", scene.name);
            if let Some(lowest) = mesh.faces().iter().position(|t| edge.iter().all(|v| t.contains(v))) {
                assert_eq!(owner as usize, lowest, "{}", scene.name);
            }
        }
        for t in mesh.faces() {
            for [v, w] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                assert!(v == w || visited.contains(&[v.min(w), v.max(w)]), "{}: {t:?}", scene.name);
            }
        }
    }
}

#[test]
fn tetrahedra_have_the_surface_that_one_alone_has() {
    let corners: Vec<Vec3> =
        (0..5).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
    // Two tetrahedra that share the face 1, 2, 4.
    let mesh = DeformableMesh::from_tetrahedra(&corners, &[[0, 1, 2, 4], [1, 3, 2, 4]]).unwrap();
    assert_eq!((mesh.faces().len(), mesh.edges().len(), mesh.surface_vertices().len()), (6, 9, 5));
    let mut outwards = 0;
    let middle = Vec3::splat(0.35);
    for t in mesh.faces() {
        let [a, b, c] = t.map(|v| corners[v as usize]);
        outwards += u32::from(0.0 < (b - a).cross(c - a).dot(a - middle));
    }
    assert_eq!(outwards, 6);
    // A vertex in the middle is not on the surface.
    let mut with_middle = corners[..3].to_vec();
    with_middle.extend([corners[4], Vec3::splat(0.2)]);
    let split = [[0, 1, 2, 4], [0, 1, 4, 3], [0, 4, 2, 3], [4, 1, 2, 3]];
    let mesh = DeformableMesh::from_tetrahedra(&with_middle, &split).unwrap();
    assert_eq!((mesh.faces().len(), mesh.surface_vertices()), (4, &[0, 1, 2, 3][..]));
}

#[test]
fn the_present_becomes_the_past() {
    let (one, two, three) = (waves(4, 0.1, 0.0), waves(4, 0.2, 0.0), waves(4, 0.3, 0.0));
    let mut mesh = DeformableMesh::from_triangles(&one, grid(4)).unwrap();
    assert_eq!((mesh.before(), mesh.positions()), (&one[..], &one[..]));
    mesh.set_positions(&two).unwrap();
    assert_eq!((mesh.before(), mesh.positions()), (&one[..], &two[..]));
    mesh.set_positions(&three).unwrap();
    assert_eq!((mesh.before(), mesh.positions()), (&two[..], &three[..]));
}

#[test]
fn refusals_name_the_first_offender_and_change_nothing() {
    let good = waves(4, 0.1, 0.0);
    let mut mesh = DeformableMesh::from_triangles(&good, grid(4)).unwrap();
    for (value, is_finite) in [(f32::NAN, false), (f32::NEG_INFINITY, false), (MAX_POSITION.next_up(), true)]
    {
        for axis in 0..3 {
            let mut bad = waves(4, 0.2, 0.0);
            (bad[5][axis], bad[9]) = (value, Vec3::NAN);
            let error = if is_finite {
                DeformError::TooLarge { vertex: 5 }
            } else {
                DeformError::NotFinite { vertex: 5 }
            };
            assert_eq!(mesh.set_positions(&bad), Err(error));
            assert_eq!(DeformableMesh::from_triangles(&bad, grid(4)).unwrap_err(), error);
            assert_eq!((mesh.before(), mesh.positions()), (&good[..], &good[..]));
        }
    }
    let error = DeformError::WrongCount { expected: 16, given: 15 };
    assert_eq!(mesh.set_positions(&good[1..]), Err(error));
    let error = DeformError::NoSuchVertex { element: 1 };
    assert_eq!(DeformableMesh::from_triangles(&good, vec![[0, 1, 2], [0, 16, 3]]).unwrap_err(), error);
    assert_eq!(DeformableMesh::from_segments(&good, vec![[0, 1], [0, 16]]).unwrap_err(), error);
    assert_eq!(DeformableMesh::from_tetrahedra(&good, &[[0, 1, 2, 3], [0, 16, 3, 2]]).unwrap_err(), error);
    for thickness in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(mesh.clone().with_thickness(thickness), Err(DeformError::BadThickness { .. })));
    }
    assert!(mesh.with_thickness(MAX_POSITION).is_ok());
}

#[test]
fn nothing_is_a_mesh_too() {
    let mut nothing = DeformableMesh::from_triangles(&[], Vec::new()).unwrap();
    nothing.set_positions(&[]).unwrap();
    let mut search = carom_deform::FeatureSearch::default();
    assert!(search.within(&mut nothing, f32::INFINITY).finish().pairs.is_empty());
    assert!(search.crossings(&mut nothing).finish().pairs.is_empty());
    assert_eq!(search.impacts(&mut nothing).finish().free_step().fraction, 1.0);
}
