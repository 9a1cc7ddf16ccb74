//! Samples: single points and batches agree to the bit, and the stated error holds.

use crate::bake::brute;
use crate::scenes::{closed, mesh};
use carom_math::Ray;
use carom_scenes::Rng;
use carom_scenes::mesh::torus;
use carom_sdf::{Accuracy, BakeSettings, Field, Grid, RayOutcome, SdfGrid};
use glam::{DVec3, IVec3, UVec3, Vec3};

/// A signed distance.
pub(crate) type Distance = fn(DVec3) -> f64;

/// Points in and around the grid of a field, some at nodes and faces of cells, some far away.
pub(crate) fn points(field: &impl Field, n: usize, seed: u64) -> Vec<Vec3> {
    let mut rng = Rng::new(seed);
    let bounds = field.grid().aabb();
    let mut unit = || Vec3::new(rng.unit() as f32, rng.unit() as f32, rng.unit() as f32);
    (0..n)
        .map(|i| {
            let inside = bounds.min + unit() * bounds.extents();
            let cell = field.grid().cell();
            match i % 8 {
                0 => (inside / cell).round() * cell,
                1 => {
                    (inside / cell).round() * cell * Vec3::new(1.0, 0.0, 0.0)
                        + inside * Vec3::new(0.0, 1.0, 1.0)
                }
                2 => bounds.min + (unit() * 3.0 - 1.0) * bounds.extents(),
                3 => inside * Vec3::new(1.0, 1e10, 1.0),
                _ => inside,
            }
        })
        .collect()
}

#[test]
fn a_batch_has_the_bits_of_single_points() {
    for (name, mesh) in closed() {
        let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_resolution(20)).unwrap();
        let mut points = points(&field, 1003, 1);
        points.extend([Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, f32::NAN), Vec3::MAX]);
        let mut batch = Vec::new();
        field.sample_batch(&points, &mut batch);
        assert_eq!(batch.len(), points.len());
        for (point, found) in points.iter().zip(&batch) {
            let one = field.sample(*point);
            assert_eq!(one.distance.to_bits(), found.distance.to_bits(), "{name} {point}");
            assert!(one.gradient == found.gradient && one.gradient.is_finite(), "{name} {point}");
        }
        for far in &batch[1003..] {
            assert_eq!((far.distance, far.gradient), (f32::INFINITY, Vec3::ZERO));
        }
    }
}

#[test]
fn samples_are_within_the_stated_error() {
    for (name, mesh) in closed() {
        let field = SdfGrid::from_mesh(&mesh, &BakeSettings::default().with_resolution(24)).unwrap();
        let bounds = field.grid().aabb();
        let mut worst = 0.0_f64;
        for point in points(&field, 1500, 2) {
            let found = field.sample(point).distance;
            let truth = brute(&mesh, point.as_dvec3());
            if bounds.contains_point(point) {
                let error = (f64::from(found.abs()) - truth).abs();
                worst = worst.max(error);
                assert!(error <= field.error_bound(), "{name} {point}: {error}");
            } else {
                // The path through the nearest point of the border is longer.
                assert!(truth <= f64::from(found) * (1.0 + 1e-6) + field.error_bound(), "{name} {point}");
            }
        }
        // The bound is not far too large.
        assert!(0.1 * field.error_bound() < worst, "{name}: {worst}");
    }
}

#[test]
fn nodes_are_met_and_gradients_are_those_of_differences() {
    let field =
        SdfGrid::from_mesh(&mesh(&torus(1.0, 0.4, 600)), &BakeSettings::default().with_cell(1.0 / 16.0));
    let field = field.unwrap();
    for node in crate::bake::nodes(field.grid()).step_by(13) {
        assert_eq!(field.sample(field.grid().node(node).as_vec3()).distance, field.value(node));
    }
    let step = 1.0 / 256.0;
    let mut n_compared = 0;
    for point in points(&field, 4000, 3) {
        let cell = |p: Vec3| (p * 16.0).floor();
        let gradient = field.sample(point).gradient;
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let (before, after) = (point - axis * step, point + axis * step);
            let is_one_cell = cell(before) == cell(after) && field.grid().aabb().contains_point(before);
            if is_one_cell && field.grid().aabb().contains_point(after) {
                let slope = (field.sample(after).distance - field.sample(before).distance) / (2.0 * step);
                assert!((slope - gradient.dot(axis)).abs() < 1e-3, "{point}");
                n_compared += 1;
            }
        }
    }
    assert!(5000 < n_compared);
}

#[test]
fn gradients_point_away_from_the_surface() {
    let field = SdfGrid::from_function(
        DVec3::splat(-1.0),
        DVec3::splat(1.0),
        &BakeSettings::default(),
        carom_sdf::Accuracy::Exact,
        |p| p.length() - 1.0,
    )
    .unwrap();
    for point in points(&field, 1000, 4) {
        let gradient = field.sample(point).gradient;
        if 0.5 < point.length() && field.grid().aabb().contains_point(point) {
            assert!((gradient - point.normalize()).length() < 0.05, "{point} {gradient}");
        }
        if 2.0 < point.length() {
            assert!(0.5 < gradient.dot(point.normalize()), "{point} {gradient}");
        }
    }
}

/// The ground below a plane, all but a ball, and a ball through the border: beyond the grid is
/// outside, as for rays.
#[test]
fn r_a_solid_that_reaches_the_border_ends_there() {
    let grid = Grid::new(0.125, IVec3::splat(-8), UVec3::splat(16)).unwrap();
    let (settings, (low, high)) = (BakeSettings::default().with_grid(grid), grid.wide_bounds());
    let solids: [(&str, Distance); 3] = [
        ("ground", |p| p.y),
        ("room", |p| 0.8 - p.length()),
        ("ball", |p| (p - DVec3::new(0.9, 0.2, -0.1)).length() - 0.9),
    ];
    for (name, solid) in solids {
        let field = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, solid).unwrap();
        let mut n_cut = 0;
        let points: Vec<Vec3> = points(&field, 4000, 5).into_iter().filter(|p| p.length() < 9.0).collect();
        let mut batch = Vec::new();
        field.sample_batch(&points, &mut batch);
        for (&point, found) in points.iter().zip(&batch) {
            assert_eq!(field.sample(point), *found, "{name} {point}");
            if grid.aabb().contains_point(point) {
                assert!((f64::from(found.distance) - solid(point.as_dvec3())).abs() <= field.error_bound());
                continue;
            }
            let border = point.clamp(low.as_vec3(), high.as_vec3());
            let away = point - border;
            assert!(0.0 < found.distance, "{name} {point} {found:?}");
            if field.sample(border).distance < 0.0 {
                assert!((found.distance - away.length()).abs() < 1e-5, "{name} {point} {found:?}");
                assert!((found.gradient - away.normalize()).length() < 1e-5, "{name} {point} {found:?}");
                n_cut += 1;
            }
            let ray = Ray::new(point, away);
            assert_eq!(field.cast_ray(&ray, 10.0).outcome, RayOutcome::Miss, "{name} {point}");
        }
        assert!(10 < n_cut, "{name}: {n_cut}");
    }
}
