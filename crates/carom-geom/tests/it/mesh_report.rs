//! Mesh reports against the measured real meshes.

use carom_geom::f64::{MeshReport, TriMesh};
use carom_testkit::{data, meshes};
use glam::dvec3;

#[test]
fn a_tetrahedron_and_what_can_be_wrong_with_it() {
    let vertices =
        vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)];
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let report = |faces: Vec<[u32; 3]>| MeshReport::new(&TriMesh::new(vertices.clone(), faces).unwrap());
    let whole = report(faces.clone());
    assert!(whole.is_watertight() && whole.is_solid());
    assert_eq!((whole.signed_volume, whole.n_components, whole.n_vertices), (1.0 / 6.0, 1, 4));
    let open = report(faces[1..].to_vec());
    assert_eq!((open.n_boundary_edges, open.is_watertight(), open.is_solid()), (3, false, false));
    let flipped = report(vec![[0, 1, 2], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    assert_eq!((flipped.n_flipped_edges, flipped.is_watertight(), flipped.is_solid()), (3, true, false));
    let mut extra = faces;
    extra.extend([[3, 2, 1], [2, 2, 3]]);
    let extra = report(extra);
    assert_eq!((extra.n_duplicates, &extra.duplicates[..]), (1, &[4][..]));
    assert_eq!((extra.n_repeated_corner, extra.n_zero_area, &extra.zero_area[..]), (1, 1, &[5][..]));
    assert_eq!((extra.n_non_manifold_edges, extra.n_unbalanced_edges), (3, 3));
}

#[test]
fn real_meshes() {
    let Some(table) = data::json("meshes/meshes.json") else { return };
    for row in table.as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let mesh = meshes::mesh(name).unwrap();
        let mesh = TriMesh::new(mesh.vertices, mesh.indices).unwrap();
        let r = MeshReport::new(&mesh);
        let count = |key: &str| row[key].as_u64().unwrap() as usize;
        assert_eq!(r.n_triangles, count("triangles"), "{name}");
        assert_eq!(r.n_vertices, count("welded_vertices"), "{name}");
        assert_eq!(r.n_repeated_corner, count("degenerate_repeated_vertex"), "{name}");
        assert_eq!(r.n_zero_area, count("degenerate_zero_area"), "{name}");
        assert_eq!(r.n_boundary_edges, count("boundary_edges"), "{name}");
        assert_eq!(r.n_non_manifold_edges, count("nonmanifold_edges"), "{name}");
        assert_eq!(r.n_duplicates, count("duplicate_triangles"), "{name}");
        assert_eq!(r.n_components, count("components"), "{name}");
        assert_eq!(r.is_watertight(), row["watertight"].as_bool().unwrap(), "{name}");
        assert_eq!(r.is_solid(), row["consistently_oriented"].as_bool().unwrap(), "{name}");
        for axis in 0..3 {
            assert_eq!(r.min[axis], row["bbox_min"][axis].as_f64().unwrap(), "{name}");
            assert_eq!(r.max[axis], row["bbox_max"][axis].as_f64().unwrap(), "{name}");
        }
        // The volume of an open mesh depends on the apex of the cones.
        if r.is_solid() {
            let expected = row["signed_volume"].as_f64().unwrap();
            let size = (r.max - r.min).length();
            assert!(
                (r.signed_volume - expected).abs() <= 1e-12 * size.powi(3),
                "{name}: {}",
                r.signed_volume
            );
        }
    }
}
