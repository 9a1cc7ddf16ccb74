//! The queries of a field as a shape: floors that no sample is below, and lines through the
//! surface.

use crate::sample::Distance;
use crate::scenes::{closed, cuboid, open_box};
use carom_geom::{Crossing, DistanceField};
use carom_math::Ray;
use carom_scenes::Rng;
use carom_sdf::{Accuracy, BakeSettings, Field, FieldShape, Grid, SdfGrid, SparseSdf};
use core::ops::ControlFlow;
use glam::{DVec3, IVec3, UVec3};

fn unit(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.unit(), rng.unit(), rng.unit())
}

/// Checks floors of boxes of all sizes, from halving the search box, at points in them. Returns
/// the number of samples.
fn check_floors(what: &str, shape: &impl DistanceField, seed: u64) -> u32 {
    let mut rng = Rng::new(seed);
    let mut n_samples = 0;
    for _ in 0..400 {
        let [low, high] = shape.search_box();
        let (mut center, mut half) = ((low + high) * 0.5, (high - low) * 0.5);
        let depth = (rng.unit() * 12.0) as u32;
        for _ in 0..depth {
            half *= 0.5;
            center += half * DVec3::from_array([(); 3].map(|()| if rng.unit() < 0.5 { -1.0 } else { 1.0 }));
        }
        let floor = shape.floor(center, half);
        for _ in 0..20 {
            let offset = (unit(&mut rng) * 2.0 - 1.0) * half;
            let Some(sample) = shape.sample(center + offset) else { continue };
            n_samples += 1;
            let least = floor.value + floor.gradient.dot(offset);
            let slack = 1e-5 * shape.resolution();
            assert!(least <= sample.distance + slack, "{what}: {floor:?} {sample:?} {center} {half}");
        }
    }
    n_samples
}

#[test]
fn no_sample_is_below_the_floor_of_its_box() {
    for (name, mesh) in closed().into_iter().chain([("open box", open_box())]) {
        for (band, n_least) in [(f32::INFINITY, 1000), (2.5, 100)] {
            let settings = BakeSettings::default().with_resolution(21).with_band(band);
            let dense = FieldShape::new(SdfGrid::from_mesh(&mesh, &settings).unwrap());
            let sparse = FieldShape::new(SparseSdf::from_mesh(&mesh, &settings).unwrap());
            let n_samples = check_floors(name, &dense, 3);
            assert!(n_least < n_samples, "{name}: {n_samples}");
            assert_eq!(n_samples, check_floors(name, &sparse, 3), "{name}");
        }
    }
}

/// In a flat part of a field the floor is the field itself.
#[test]
fn the_floor_of_a_plane_is_the_plane() {
    let grid = Grid::new(0.25, IVec3::new(-8, -8, -8), UVec3::splat(16)).unwrap();
    let (settings, normal) = (BakeSettings::default().with_grid(grid), DVec3::new(0.36, 0.48, 0.8));
    let plane = |p: DVec3| normal.dot(p) - 0.3;
    let (low, high) = grid.wide_bounds();
    let field = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, plane).unwrap();
    let shape = FieldShape::new(field);
    for cells in [0.125, 0.5, 1.0, 2.0] {
        let (center, half) = (DVec3::splat(0.25 * cells), DVec3::splat(0.25 * cells));
        let floor = shape.floor(center, half);
        assert!((floor.value - plane(center)).abs() < 1e-6, "{cells}: {floor:?}");
        assert!((floor.gradient - normal).length() < 1e-5, "{cells}: {floor:?}");
    }
}

/// The ground below a plane, and all but a ball, end at the border of the grid. So samples are
/// those of a box, and of one with a hollow.
#[test]
fn r_a_solid_ends_at_the_border_of_the_grid() {
    let grid = Grid::new(0.125, IVec3::splat(-8), UVec3::splat(16)).unwrap();
    let (low, high) = grid.wide_bounds();
    let solids: [(&str, Distance); 2] = [("ground", |p| p.y), ("room", |p| 0.8 - p.length())];
    for (name, solid) in solids {
        for band in [f32::INFINITY, 3.0] {
            let settings = BakeSettings::default().with_grid(grid).with_band(band);
            let dense = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, solid).unwrap();
            let sparse = SparseSdf::from_function(low, high, &settings, Accuracy::Exact, solid).unwrap();
            let (dense, sparse) = (FieldShape::new(dense), FieldShape::new(sparse));
            let n_samples = check_floors(name, &dense, 6);
            assert_eq!(n_samples, check_floors(name, &sparse, 6), "{name}");
            assert!(10 < check_crossings(name, &dense, &sparse, &mut Rng::new(7)), "{name}");
            assert_eq!(dense.least_unsampled(), 0.0, "{name}");
            let (mut rng, mut n_cut) = (Rng::new(8), 0);
            for _ in 0..2000 {
                let point = low + unit(&mut rng) * (high - low);
                let Some(sample) = dense.sample(point) else { continue };
                let side = point.abs().max_element() - 1.0;
                let expected = solid(point).max(-f64::from(dense.field().band())).max(side);
                assert!((sample.distance - expected).abs() <= dense.error_bound(), "{name} {point}");
                if sample.distance == side {
                    assert_eq!(sample.gradient.dot(point), point.abs().max_element(), "{name} {point}");
                    n_cut += 1;
                }
            }
            assert!(200 < n_cut && 0 < n_samples, "{name}: {n_cut}");
        }
    }
}

#[test]
fn a_line_passes_the_surface_where_samples_change_their_sign() {
    let (mut n_crossings, mut rng) = (0, Rng::new(4));
    for (name, mesh) in closed().into_iter().chain([("plate", cuboid([-1.0, -0.05, -1.0], [1.0, 0.05, 1.0]))])
    {
        for band in [f32::INFINITY, 2.5] {
            let settings = BakeSettings::default().with_resolution(24).with_band(band);
            let dense = FieldShape::new(SdfGrid::from_mesh(&mesh, &settings).unwrap());
            let sparse = FieldShape::new(SparseSdf::from_mesh(&mesh, &settings).unwrap());
            n_crossings += check_crossings(name, &dense, &sparse, &mut rng);
        }
    }
    assert!(600 < n_crossings, "{n_crossings}");
}

/// Lines through a field, and through a sparse one with the same samples.
fn check_crossings(
    name: &str,
    shape: &FieldShape<SdfGrid>,
    sparse: &FieldShape<SparseSdf>,
    rng: &mut Rng,
) -> usize {
    let (field, mut n_crossings) = (shape.field(), 0);
    let [low, high] = shape.bounds();
    for case in 0..60 {
        let mut at = |reach: f64| (low + high) * 0.5 + (unit(rng) - 0.5) * (high - low) * reach;
        let (from, to) = (at(2.5), at(0.8));
        let line = [from, if case % 5 == 0 { DVec3::X } else { to - from }];
        let found = crossings(shape, line);
        assert_eq!(found, crossings(sparse, line), "{name}");
        n_crossings += found.len();
        let is_inside =
            |t: f64| shape.sample(line[0] + line[1] * t).is_some_and(|sample| sample.distance <= 0.0);
        let mut was_inside = is_inside(-3.0);
        for crossing in &found {
            assert!(crossing.is_leaving == was_inside && crossing.t.abs() <= 3.0, "{name}: {found:?}");
            was_inside = !was_inside;
        }
        assert!(found.is_sorted_by_key(|crossing| crossing.t), "{name}: {found:?}");
        // Between two crossings the side does not change.
        for k in 0..600 {
            let t = f64::from(k) * 0.01 - 3.0;
            let n_before = found.iter().filter(|crossing| crossing.t <= t).count();
            let is_near = found.iter().any(|crossing| (crossing.t - t).abs() < 1e-9);
            assert!(is_near || is_inside(t) == (is_inside(-3.0) != (n_before % 2 == 1)), "{name}: {t}");
        }
        // At a crossing the sample is 0, except at the sides of the box.
        for crossing in &found {
            let sample = shape.sample(line[0] + line[1] * crossing.t);
            let is_on = sample.is_none_or(|sample| sample.distance.abs() < 1e-9 * shape.resolution());
            assert!(is_on || is_at_side(shape, line[0] + line[1] * crossing.t), "{name}: {crossing:?}");
        }
        // The first crossing ahead is the hit of a ray from outside. The ray may stop a little
        // later, at a point that is certainly inside.
        let ray = Ray::new(line[0].as_vec3(), line[1].as_vec3());
        if let Some(hit) = field.cast_ray(&ray, 3.0).hit().filter(|hit| 0.0 < hit.t) {
            let first = found.iter().find(|crossing| 0.0 <= crossing.t && !crossing.is_leaving).unwrap();
            let apart = (first.t - hit.t).abs() * line[1].length();
            assert!(apart <= field.error_bound(), "{name}: {first:?} {hit:?}");
        }
    }
    n_crossings
}

fn crossings(shape: &impl DistanceField, line: [DVec3; 2]) -> Vec<Crossing> {
    let mut found = Vec::new();
    shape.visit_crossings(line, -3.0, 3.0, &mut |crossing| {
        found.push(crossing);
        ControlFlow::Continue(())
    });
    found
}

fn is_at_side(shape: &impl DistanceField, point: DVec3) -> bool {
    let ([low, high], near) = (shape.bounds(), 1e-9 * shape.resolution());
    ((point - low).abs().min((point - high).abs())).min_element() < near
}
