//! Distance fields: a mesh is refused or baked, dense and sparse fields agree, and their error
//! bounds hold.

use crate::bytes::Bytes;
use carom_geom::TriMesh;
use carom_geom::tri_distance::point_triangle;
use carom_math::Ray;
use carom_sdf::{Accuracy, BakeSettings, Field, RayOutcome, SdfGrid, SparseSdf};
use glam::{DVec3, UVec3, Vec3};

/// Bakes a small mesh with any numbers, and queries the field. The bytes themselves are read as a
/// field, too.
pub fn sdf(input: &[u8]) {
    assert!(SdfGrid::from_bytes(input).is_err() || !input.is_empty());
    let _ = SparseSdf::from_bytes(input);
    let mut bytes = Bytes::new(input);
    let n = 1 + bytes.below(10);
    let positions: Vec<Vec3> = (0..n).map(|_| bytes.point_f32()).collect();
    let triangles: Vec<[u32; 3]> =
        (0..bytes.below(12)).map(|_| [(); 3].map(|()| bytes.below(n) as u32)).collect();
    let band = [2.0, 3.5, f32::INFINITY][bytes.below(3)];
    let settings = BakeSettings::default()
        .with_resolution(1 + bytes.below(12) as u32)
        .with_band(band)
        .with_max_nodes(40_000);
    let Ok(mesh) = TriMesh::new(positions, triangles) else { return };
    let Ok(dense) = SdfGrid::from_mesh(&mesh, &settings) else { return };
    let Ok(sparse) = SparseSdf::from_mesh(&mesh, &settings) else {
        panic!("a sparse field was refused, and not the dense one");
    };
    assert_eq!(SdfGrid::from_bytes(&dense.to_bytes()).as_ref(), Ok(&dense));
    assert_eq!(SparseSdf::from_bytes(&sparse.to_bytes()).as_ref(), Ok(&sparse));
    let brute =
        |p: DVec3| mesh.iter_corners().map(|t| point_triangle(p, &t).distance).fold(f64::INFINITY, f64::min);
    let grid = *dense.grid();
    for _ in 0..16 {
        let node = UVec3::new(byte(&mut bytes), byte(&mut bytes), byte(&mut bytes)) % grid.nodes();
        let value = dense.value(node);
        assert_eq!(value, sparse.value(node));
        assert_eq!(value.abs(), (brute(grid.node(node)) as f32).min(dense.band()), "{node}");
        // A place in the grid, and any place.
        let part =
            DVec3::new(f64::from(bytes.byte()), f64::from(bytes.byte()), f64::from(bytes.byte())) / 255.0;
        let (min, max) = grid.wide_bounds();
        for point in [(min + part * (max - min)).as_vec3(), bytes.point_f32()] {
            check_point(&dense, &sparse, point, brute(point.as_dvec3()));
            let ray = Ray::new(point, bytes.point_f32());
            let found = dense.cast_ray(&ray, 4.0);
            assert_eq!(found, sparse.cast_ray(&ray, 4.0));
            if let (RayOutcome::Hit(hit), true) = (found.outcome, dense.sign_method().is_certain()) {
                let left = brute(hit.point);
                assert!(left <= dense.error_bound() * 1.001, "{ray:?}: {hit:?} is {left} away");
            }
        }
    }
}

fn byte(bytes: &mut Bytes<'_>) -> u32 {
    u32::from(bytes.byte())
}

fn check_point(dense: &SdfGrid, sparse: &SparseSdf, point: Vec3, distance: f64) {
    let sample = dense.sample(point);
    assert_eq!(sample, sparse.sample(point));
    assert!(!sample.distance.is_nan() && !sample.gradient.is_nan());
    let mut batch = Vec::new();
    dense.sample_batch(&[point; 3], &mut batch);
    assert_eq!(batch, [sample; 3]);
    let bounds = dense.bounds(point.as_dvec3());
    assert_eq!(bounds, sparse.bounds(point.as_dvec3()));
    if dense.accuracy() == Accuracy::Exact && distance.is_finite() {
        assert!(bounds.clearance() <= distance, "{point}: {bounds:?}, {distance}");
        assert!(distance <= bounds.greatest.max(-bounds.least), "{point}: {bounds:?}, {distance}");
    }
}
