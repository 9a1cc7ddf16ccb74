//! Real meshes, where they are present: some nodes of each against all triangles.

use crate::bake::{brute, nodes};
use carom_geom::TriMesh;
use carom_geom::ray_mesh::{Placement, point_in_mesh};
use carom_geom::winding::winding_number;
use carom_sdf::{BakeSettings, Field, SdfGrid, SignMethod, SparseSdf};
use carom_testkit::meshes;

#[test]
fn values_and_sides_of_real_meshes_are_those_of_brute_force() {
    let names =
        ["spot", "hammer", "quad_knot", "chair_duplicates", "torus_with_plane", "featuretype", "offset1"];
    let mut n_tested = 0;
    for name in names {
        let Some(data) = meshes::mesh(name) else {
            println!("{name} is not here");
            continue;
        };
        n_tested += 1;
        let vertices = data.vertices.iter().map(|v| v.as_vec3()).collect();
        let mesh = TriMesh::new(vertices, data.indices.clone()).unwrap();
        let settings = BakeSettings::default().with_resolution(10).with_band(3.0);
        let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
        let sign = field.sign_method();
        assert_eq!(mesh.is_solid(), sign == SignMethod::WindingExact, "{name}");
        let step = (field.values().len() * mesh.n_triangles() / 80_000).max(1);
        for (node, &value) in nodes(field.grid()).zip(field.values()).step_by(step) {
            let point = field.grid().node(node);
            assert_eq!(value, sparse.value(node), "{name} {node}");
            assert_eq!(value.abs(), (brute(&mesh, point) as f32).min(field.band()), "{name} {node}");
            let winding = winding_number(point, mesh.iter_corners());
            match sign {
                SignMethod::Unsigned => assert!(0.0 <= value),
                _ if value == 0.0 || (winding.abs() - 0.5).abs() < 1e-9 => {}
                SignMethod::Parity => assert_eq!(
                    value < 0.0,
                    point_in_mesh(point, mesh.iter_corners()) == Placement::Inside,
                    "{name} {node}"
                ),
                _ => assert_eq!(value < 0.0, 0.5 < winding.abs(), "{name} {node}: {winding} {sign:?}"),
            }
        }
    }
    println!("{n_tested} of {} meshes", names.len());
}
