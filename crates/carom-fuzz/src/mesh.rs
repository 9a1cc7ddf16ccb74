//! Meshes: the answers of the tree, compared with a scan of every triangle.

use crate::bytes::Bytes;
use carom_geom::f64::{MeshError, MeshReport, TriMesh};
use carom_geom::{f64::MassProperties, ray_mesh, tri_distance, winding};
use carom_math::f64::{Interval, Pose, Ray};
use carom_query::f64 as query;
use glam::DVec3;
use std::sync::Arc;

/// A mesh is refused with a reason, or answers rays and points as a scan of its triangles.
pub fn mesh(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (n_vertices, n_triangles) = (bytes.below(16), bytes.below(24));
    let vertices: Vec<DVec3> = (0..n_vertices)
        .map(|_| match bytes.byte() % 4 {
            0 => bytes.point(),
            _ => {
                let b = bytes.byte();
                DVec3::new(f64::from(b % 4), f64::from(b / 4 % 4), f64::from(b / 16 % 4))
            }
        })
        .collect();
    let index = |bytes: &mut Bytes<'_>| match bytes.byte() {
        // Sometimes the index is out of range.
        255 => 255,
        b => u32::from(b) % n_vertices.max(1) as u32,
    };
    let indices: Vec<[u32; 3]> =
        (0..n_triangles).map(|_| [index(&mut bytes), index(&mut bytes), index(&mut bytes)]).collect();
    let mesh = match TriMesh::new(vertices.clone(), indices.clone()) {
        Ok(mesh) => mesh,
        Err(MeshError::Empty) => return assert!(indices.is_empty()),
        Err(MeshError::NotFinite { vertex }) => return assert!(!vertices[vertex as usize].is_finite()),
        Err(MeshError::TooFar { vertex }) => {
            return assert!(carom_math::tol::MAX_LENGTH < vertices[vertex as usize].abs().max_element());
        }
        Err(MeshError::IndexOutOfRange { triangle, index, .. }) => {
            assert!(n_vertices <= index as usize && indices[triangle as usize].contains(&index));
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    let triangles: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
    let report = MeshReport::new(&mesh);
    assert_eq!(report.n_triangles, triangles.len());
    assert!(report.n_repeated_corner <= report.n_zero_area);
    assert!(!report.is_watertight() || report.n_zero_area == 0);
    let mass = MassProperties::of_closed_surface(triangles.iter().copied(), bytes.float());
    let size = triangles.iter().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if size < 1e50 {
        assert!(mass.center.is_finite() && !mass.mass.is_nan(), "{mass:?}");
    }
    let Ok(shape) = query::MeshShape::new(mesh) else { return };
    let shape = query::Shape::Mesh(Arc::new(shape));
    for _ in 0..4 {
        let (origin, direction) = (bytes.point(), bytes.point());
        if !origin.is_finite() || !direction.is_finite() {
            let _ = query::cast_ray(&shape, &Pose::IDENTITY, &Ray::new(origin, direction), Interval::BOTH);
            continue;
        }
        check_ray(&shape, &triangles, origin, direction);
        check_point(&shape, &triangles, &report, origin, size);
    }
}

fn check_ray(shape: &query::Shape, triangles: &[[DVec3; 3]], origin: DVec3, direction: DVec3) {
    let mut found = Vec::new();
    query::cast_ray_all(shape, &Pose::IDENTITY, &Ray::new(origin, direction), Interval::FORWARD, &mut found);
    let mut parts: Vec<u32> = found.iter().map(|hit| hit.part).collect();
    parts.sort_unstable();
    let mut expected = Vec::new();
    for (number, t) in (0u32..).zip(triangles) {
        let Some(hit) = ray_mesh::line_touches(origin, direction, t) else { continue };
        // A parameter that overflows, for a very short direction, is no hit.
        if 0.0 <= hit.t && hit.t.is_finite() {
            expected.push(number);
        }
    }
    assert_eq!(parts, expected, "from {origin} along {direction} at {triangles:?}: {found:?}");
    let first = query::cast_ray(shape, &Pose::IDENTITY, &Ray::new(origin, direction), Interval::FORWARD);
    assert_eq!(
        first.map(|hit| (hit.t, hit.part)),
        found.first().map(|hit| (hit.t, hit.part)),
        "from {origin:?} along {direction:?} at {triangles:?}"
    );
    // Any line crosses a closed mesh an even number of times.
    let crossings =
        triangles.iter().filter(|t| ray_mesh::line_crosses(origin, direction, t).is_some()).count();
    let touches = triangles.iter().filter(|t| ray_mesh::line_touches(origin, direction, t).is_some()).count();
    assert!(crossings <= touches, "{triangles:?}");
}

fn check_point(shape: &query::Shape, triangles: &[[DVec3; 3]], report: &MeshReport, p: DVec3, size: f64) {
    let Some(found) = query::project_point(shape, &Pose::IDENTITY, p) else {
        panic!("a mesh of {} triangles has no nearest point", triangles.len());
    };
    let reach = size + p.abs().max_element();
    if !(1e-60 < reach && reach < 1e60) {
        return;
    }
    let nearest =
        triangles.iter().map(|t| tri_distance::point_triangle(p, t).distance).fold(f64::INFINITY, f64::min);
    assert!(
        (found.distance.abs() - nearest).abs() <= 1e-13 * reach,
        "{p} {found:?} {nearest:e} {triangles:?}"
    );
    assert!((found.point.distance(p) - nearest).abs() <= 1e-12 * reach, "{p} {found:?} {nearest:e}");
    let winding = winding::winding_number(p, triangles.iter().copied());
    assert!(winding.is_finite() && winding.abs() <= triangles.len() as f64, "{winding} {p} {triangles:?}");
    if report.is_solid() && 1e-9 * reach < nearest {
        // Off the surface of a closed mesh the winding number is whole, and its parity is that of
        // the crossings.
        assert!((winding - winding.round()).abs() < 1e-6, "{winding} {p} {triangles:?}");
        let is_odd = winding.round().rem_euclid(2.0) == 1.0;
        let placement = ray_mesh::point_in_mesh(p, triangles.iter().copied());
        assert_eq!(placement == ray_mesh::Placement::Inside, is_odd, "{winding} {p} {triangles:?}");
    }
}
