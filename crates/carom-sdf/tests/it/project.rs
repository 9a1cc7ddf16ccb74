//! The closest point of the surface, and the deepest of several points.

use crate::bake::brute;
use crate::sample::points;
use crate::scenes::closed;
use carom_geom::{Capsule, Cuboid, Sphere, SupportMap};
use carom_math::{Pose, Quat};
use carom_scenes::Rng;
use carom_sdf::{BakeSettings, Field, SdfGrid};
use glam::{DVec3, Vec3};

#[test]
fn the_closest_point_is_on_the_surface_and_no_farther_than_it_should() {
    for (name, mesh) in closed() {
        let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_resolution(28)).unwrap();
        let (mut n, mut n_found) = (0, 0);
        for point in points(&field, 400, 8) {
            let point = point.as_dvec3();
            let found = field.closest_point(point);
            let left = brute(&mesh, found.point);
            assert!(left <= found.error, "{name} {point}: {found:?} {left}");
            n += 1;
            if found.is_on_surface {
                n_found += 1;
                assert!(left <= field.error_bound(), "{name} {point}: {found:?} {left}");
            }
        }
        assert!(4 * n < 5 * n_found, "{name}: {n_found} of {n}");
    }
    let ball = |p: DVec3| p.length() - 1.0;
    let settings = BakeSettings::default();
    let field = SdfGrid::from_function(
        DVec3::splat(-1.0),
        DVec3::splat(1.0),
        &settings,
        carom_sdf::Accuracy::Exact,
        ball,
    );
    let field = field.unwrap();
    for point in points(&field, 300, 9) {
        let point = point.as_dvec3();
        let inner = point.clamp(field.grid().wide_bounds().0, field.grid().wide_bounds().1);
        if 0.25 < inner.length() {
            let found = field.closest_point(point);
            assert!(
                found.is_on_surface && (found.point - inner.normalize()).length() < 0.05,
                "{point} {found:?}"
            );
        }
    }
    assert!(!field.closest_point(DVec3::NAN).is_on_surface);
}

#[test]
fn beyond_the_band_no_displacement_is_known() {
    let mesh = &closed()[0].1;
    let settings = BakeSettings::default().with_resolution(28).with_band(2.0);
    let field = SdfGrid::from_mesh(mesh, &settings).unwrap();
    let found = field.closest_point(DVec3::ZERO);
    assert!(!found.is_on_surface && found.error == f64::INFINITY);
}

#[test]
fn the_deepest_point_is_the_first_of_the_least() {
    for (name, mesh) in closed() {
        let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_resolution(16)).unwrap();
        let mut points = points(&field, 333, 10);
        points.push(Vec3::NAN);
        points.extend_from_within(..);
        let mut wanted = (0, f32::INFINITY);
        for (i, point) in points.iter().enumerate() {
            let distance = field.sample(*point).distance;
            if distance < wanted.1 {
                wanted = (i, distance);
            }
        }
        let (index, sample) = field.deepest(&points).unwrap();
        assert_eq!((index, sample.distance), wanted, "{name}");
        assert!(field.deepest(&[]).is_none());
        assert_eq!(field.deepest(&[Vec3::NAN]).unwrap().1.distance, f32::INFINITY);
    }
}

#[test]
fn a_convex_shape_is_as_deep_as_its_deepest_point() {
    let ball = |p: DVec3| p.length() - 1.0;
    let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.0));
    let settings = BakeSettings::default().with_padding(20);
    let field = SdfGrid::from_function(low, high, &settings, carom_sdf::Accuracy::Exact, ball).unwrap();
    let slack = field.error_bound();
    let mut rng = Rng::new(17);
    for _ in 0..100 {
        let mut unit = || rng.unit() as f32 - 0.5;
        let turn = Quat::from_scaled_axis(Vec3::new(unit(), unit(), unit()) * 4.0);
        let pose = Pose::new(turn, Vec3::new(unit(), unit(), unit()) * 3.0);
        let check = |shape: &dyn Fn() -> (carom_sdf::DeepestPoint, f64), closest: f64| {
            let (found, margin) = shape();
            // Near the middle of the ball the gradient has no direction.
            if closest < 0.3 {
                return;
            }
            let wanted = closest - 1.0 - margin;
            assert!((found.distance - wanted).abs() < slack, "{pose:?}: {found:?} {wanted}");
            assert!(found.at_least <= wanted);
        };
        let local = pose.inverse_transform_point(Vec3::ZERO);
        let sphere = Sphere::new(0.25).unwrap();
        check(&|| (field.deepest_of_shape(&sphere, &pose), sphere.margin()), f64::from(local.length()));
        let capsule = Capsule::new(0.5, 0.125).unwrap();
        let on = Vec3::new(0.0, local.y.clamp(-0.5, 0.5), 0.0);
        check(
            &|| (field.deepest_of_shape(&capsule, &pose), capsule.margin()),
            f64::from((local - on).length()),
        );
        let half = Vec3::new(0.5, 0.25, 0.125);
        let cuboid = Cuboid::new(half).unwrap();
        let on = local.clamp(-half, half);
        check(
            &|| (field.deepest_of_shape(&cuboid, &pose), cuboid.margin()),
            f64::from((local - on).length()),
        );
    }
}
