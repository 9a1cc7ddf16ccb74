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
    let (mut n_watertight, mut n_solid, mut n_single) = (0, 0, 0);
    assert_eq!(table.as_array().unwrap().len(), 37);
    for row in table.as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let mesh = meshes::mesh(name).unwrap();
        // Whatever single precision holds is reported alike in both.
        let single: Vec<_> = mesh.vertices.iter().map(|v| v.as_vec3()).collect();
        let is_single = single.iter().zip(&mesh.vertices).all(|(s, v)| s.as_dvec3() == *v);
        let single = carom_geom::TriMesh::new(single, mesh.indices.clone());
        let mesh = TriMesh::new(mesh.vertices, mesh.indices).unwrap();
        let r = MeshReport::new(&mesh);
        if is_single {
            n_single += 1;
            let other = carom_geom::MeshReport::new(&single.unwrap());
            assert_eq!(format!("{other:?}"), format!("{r:?}"), "{name}");
        }
        (n_watertight, n_solid) =
            (n_watertight + u32::from(r.is_watertight()), n_solid + u32::from(r.is_solid()));
        let (n_flipped, n_unbalanced) = recount(&mesh);
        assert_eq!((r.n_flipped_edges, r.n_unbalanced_edges), (n_flipped, n_unbalanced), "{name}");
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
    println!("{n_watertight} watertight, {n_solid} solid, {n_single} in single precision as well");
    assert!(15 <= n_watertight && 15 <= n_solid && 8 <= n_single);
}

/// Edges of two triangles that run the same way, and edges run more often one way than the other:
/// by a table.
fn recount(mesh: &TriMesh) -> (usize, usize) {
    let mut edges = std::collections::HashMap::new();
    for corners in mesh.iter_corners() {
        // Equal coordinates are one vertex; 0 and -0 are equal.
        let keys = corners.map(|p| (p + glam::DVec3::ZERO).to_array().map(f64::to_bits));
        if keys[0] == keys[1] || keys[1] == keys[2] || keys[2] == keys[0] {
            continue;
        }
        for i in 0..3 {
            let (from, to) = (keys[i], keys[(i + 1) % 3]);
            let (n, balance) = edges.entry((from.min(to), from.max(to))).or_insert((0, 0));
            (*n, *balance) = (*n + 1, *balance + if from < to { 1 } else { -1 });
        }
    }
    let n_flipped = edges.values().filter(|&&(n, balance)| n == 2 && balance != 0).count();
    (n_flipped, edges.values().filter(|&&(_, balance)| balance != 0).count())
}
