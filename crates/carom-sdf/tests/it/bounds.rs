//! Bounds hold, and are not much wider than necessary.

use crate::bake::brute;
use crate::sample::points;
use crate::scenes::{closed, mesh, open_box};
use carom_geom::ray_mesh::{Placement, point_in_mesh};
use carom_scenes::mesh::terrain;
use carom_sdf::{BakeSettings, DistanceBounds, Field, SdfGrid};
use glam::DVec3;

#[test]
fn the_distance_is_between_its_bounds() {
    for (name, mesh) in closed() {
        for band in [3.0, f32::INFINITY] {
            let settings = BakeSettings::default().with_resolution(16).with_band(band);
            let field = SdfGrid::from_mesh(&mesh, &settings).unwrap();
            let (mut width, mut n_inside) = (0.0_f64, 0);
            for point in points(&field, 600, 5) {
                let point = point.as_dvec3();
                let distance = brute(&mesh, point);
                let is_inside = point_in_mesh(point, mesh.iter_corners()) == Placement::Inside;
                let signed = if is_inside { -distance } else { distance };
                let found = field.bounds(point);
                assert!(
                    found.least <= signed && signed <= found.greatest,
                    "{name} {point}: {found:?} {signed}"
                );
                assert!(found.clearance() <= distance);
                assert!(if is_inside { !found.is_outside() } else { !found.is_inside() });
                n_inside += usize::from(found.is_inside());
                let is_near = point.cmpge(field.grid().wide_bounds().0).all()
                    && point.cmple(field.grid().wide_bounds().1).all();
                if is_near && band.is_infinite() {
                    width = width.max(found.greatest - found.least);
                }
            }
            assert!(width <= 2.0 * field.error_bound() && 0 < n_inside, "{name}: {width} {n_inside}");
        }
    }
}

#[test]
fn bounds_of_open_meshes_are_those_of_the_unsigned_distance() {
    for (name, mesh) in [("box", open_box()), ("terrain", mesh(&terrain(2.0, 0.4, 8, 3)))] {
        let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_resolution(24)).unwrap();
        for point in points(&field, 600, 6) {
            let distance = brute(&mesh, point.as_dvec3());
            let found = field.bounds(point.as_dvec3());
            assert!(found.clearance() <= distance, "{name} {point}: {found:?} {distance}");
            assert!(distance <= found.greatest.max(-found.least), "{name} {point}: {found:?} {distance}");
        }
    }
}

#[test]
fn nothing_is_known_of_a_point_that_is_none() {
    let field = SdfGrid::from_mesh(&open_box(), &BakeSettings::default().with_resolution(8)).unwrap();
    for point in [DVec3::NAN, DVec3::INFINITY, DVec3::new(0.0, f64::NAN, 0.0)] {
        assert_eq!(field.bounds(point), DistanceBounds::UNKNOWN);
    }
}
