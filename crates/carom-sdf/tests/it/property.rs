//! Random small soups of triangles: values, sides, samples, bounds and rays are as documented.

use crate::bake::{brute, nodes};
use carom_geom::TriMesh;
use carom_geom::winding::winding_number;
use carom_math::Ray;
use carom_sdf::{BakeSettings, Field, RayOutcome, SdfGrid, SignMethod, SparseSdf};
use glam::Vec3;
use proptest::prelude::*;

/// Triangles with whole coordinates. Some share vertices, lie in rows of nodes or have no area.
fn soup() -> impl Strategy<Value = TriMesh> {
    let vertex =
        (-4_i8..=4, -4_i8..=4, -4_i8..=4).prop_map(|(x, y, z)| Vec3::new(x.into(), y.into(), z.into()));
    let vertices = prop::collection::vec(vertex, 3..9);
    (vertices, prop::collection::vec((0_u32..9, 0_u32..9, 0_u32..9), 1..14)).prop_map(
        |(vertices, triangles)| {
            let n = vertices.len() as u32;
            TriMesh::new(vertices, triangles.iter().map(|(a, b, c)| [a % n, b % n, c % n]).collect()).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_soup_keeps_its_promises(
        mesh in soup(),
        cell in prop::sample::select(vec![0.5_f32, 0.7, 1.0, 1.5]),
        band in prop::sample::select(vec![2.0, 2.5, f32::INFINITY]),
        points in prop::collection::vec(prop::array::uniform3(-6.0_f32..6.0), 8),
    ) {
        let settings = BakeSettings::default().with_cell(cell).with_band(band);
        let dense = SdfGrid::from_mesh(&mesh, &settings).unwrap();
        let sparse = SparseSdf::from_mesh(&mesh, &settings).unwrap();
        let sign = dense.sign_method();
        for (node, &value) in nodes(dense.grid()).zip(dense.values()) {
            let point = dense.grid().node(node);
            prop_assert_eq!(value, sparse.value(node));
            prop_assert_eq!(value.abs(), (brute(&mesh, point) as f32).min(dense.band()));
            let winding = winding_number(point, mesh.iter_corners());
            match sign {
                _ if value == 0.0 => {}
                SignMethod::WindingExact => prop_assert_eq!(value < 0.0, 0.5 < winding.abs(), "{}", node),
                SignMethod::Winding { .. } => prop_assert!(
                    (value < 0.0) == (0.5 < winding.abs()) || (winding.abs() - 0.5).abs() < 1e-9
                ),
                SignMethod::Unsigned => prop_assert!(0.0 < value),
                _ => {}
            }
        }
        for (i, point) in points.iter().enumerate() {
            let point = Vec3::from_array(*point);
            let (sample, bounds) = (dense.sample(point), dense.bounds(point.as_dvec3()));
            prop_assert_eq!(sample, sparse.sample(point));
            let distance = brute(&mesh, point.as_dvec3());
            prop_assert!(bounds.clearance() <= distance && distance <= bounds.greatest.max(-bounds.least));
            let ray = Ray::new(point, Vec3::from_array(points[(i + 1) % 8]) - point);
            let found = dense.cast_ray(&ray, 1.0);
            if found.outcome == RayOutcome::Miss {
                // Points of the ray are off the surface.
                for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    prop_assert!(0.0 < brute(&mesh, ray.origin.as_dvec3() + ray.direction.as_dvec3() * t));
                }
            }
        }
    }
}
