//! Queries do not allocate.

use crate::sample::points;
use crate::scenes::closed;
use carom_math::Ray;
use carom_sdf::{BakeSettings, Field, SdfGrid, SparseSdf};
use glam::Vec3;

#[test]
fn questions_do_not_allocate() {
    let mesh = &closed()[1].1;
    let settings = BakeSettings::default().with_resolution(20).with_band(3.0);
    let dense = SdfGrid::from_mesh(mesh, &settings).unwrap();
    let sparse = SparseSdf::from_mesh(mesh, &settings).unwrap();
    let points = points(&dense, 500, 12);
    let mut out = Vec::new();
    let mut query_all = || {
        dense.sample_batch(&points, &mut out);
        sparse.sample_batch(&points, &mut out);
        let mut n = out.len() + usize::from(dense.deepest(&points).is_some());
        for point in &points {
            n += usize::from(dense.closest_point(point.as_dvec3()).is_on_surface);
            n += sparse.cast_ray(&Ray::new(*point, Vec3::ONE - *point), 1.0).steps as usize;
            n += usize::from(sparse.bounds(point.as_dvec3()).is_inside());
        }
        n
    };
    assert!(1000 < query_all());
    let allocations = allocation_counter::measure(|| {
        query_all();
    });
    assert_eq!(allocations.count_total, 0);
}
