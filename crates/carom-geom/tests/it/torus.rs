//! Tori: the distance, its bounds in boxes, lines, boxes around them, and what is refused.

use carom_geom::{DistanceField, ShapeError, Torus};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use core::ops::ControlFlow;
use glam::DVec3;

/// Numbers from -1 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self, reach: f64) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next()) * reach
    }
}

/// Radii from the fat to the thin.
fn tori() -> Vec<Torus> {
    let radii = [(1.0, 1.0), (1.0, 0.6), (2.0, 0.5), (1.0, 0.01), (1e-3, 2e-4), (1e4, 3e3)];
    radii.map(|(major, minor)| Torus::new(major, minor).unwrap()).to_vec()
}

fn size(torus: &Torus) -> f64 {
    f64::from(torus.major_radius() + torus.minor_radius())
}

/// The nearest of many points of the circle.
fn distance_by_samples(torus: &Torus, point: DVec3) -> f64 {
    let n = 20_000;
    let least = (0..n)
        .map(|k| {
            let angle = core::f64::consts::TAU * f64::from(k) / f64::from(n);
            let on = DVec3::new(angle.cos(), 0.0, angle.sin()) * f64::from(torus.major_radius());
            on.distance(point)
        })
        .fold(f64::INFINITY, f64::min);
    least - f64::from(torus.minor_radius())
}

#[test]
fn the_distance_is_that_of_the_circle() {
    let mut numbers = Numbers(1);
    for torus in tori() {
        let mut positions: Vec<DVec3> = (0..40).map(|_| numbers.point(1.5 * size(&torus))).collect();
        // On the axis, in the centre, on the circle.
        positions.extend([
            DVec3::ZERO,
            DVec3::Y * 0.1 * size(&torus),
            DVec3::X * f64::from(torus.major_radius()),
        ]);
        for position in positions {
            let on = torus.project_point(position.as_vec3());
            let expected = distance_by_samples(&torus, position.as_vec3().as_dvec3());
            assert!((f64::from(on.distance) - expected).abs() < 1e-6 * size(&torus), "{torus:?} {position}");
            let apart = on.point.as_dvec3().distance(position.as_vec3().as_dvec3());
            assert!(
                (apart - f64::from(on.distance).abs()).abs() < 2e-6 * size(&torus),
                "{torus:?} {position}"
            );
            assert_eq!(on.is_inside, on.distance <= 0.0);
        }
    }
}

#[test]
fn bounds_in_boxes_hold() {
    let mut numbers = Numbers(2);
    for torus in tori() {
        let [_, high] = torus.bounds();
        let mut n_linear = 0;
        for round in 0..4000 {
            let half = (numbers.point(1.0).abs() + 1e-6) * high * 0.5_f64.powi(round % 12);
            let center = numbers.point(1.0) * high;
            let floor = torus.floor(center, half);
            let mut least = f64::INFINITY;
            for _ in 0..20 {
                let offset = numbers.point(1.0) * half;
                let Some(sample) = torus.sample(center + offset) else {
                    assert!(!floor.is_whole);
                    continue;
                };
                least = least.min(sample.distance);
                let linear = floor.value + floor.gradient.dot(offset);
                assert!(
                    linear <= sample.distance,
                    "{torus:?} {center} {half} {offset}: {floor:?} {sample:?}"
                );
                assert!(floor.least <= sample.distance && floor.least(half) <= sample.distance);
            }
            // It tells the two sides of a box apart.
            n_linear += usize::from(floor.least + 0.5 * floor.gradient.abs().dot(half) < floor.value);
        }
        // The linear bound is of use.
        assert!(1000 < n_linear, "{torus:?}: {n_linear}");
    }
}

#[test]
fn lines_cross_where_the_sign_changes() {
    let mut numbers = Numbers(3);
    let mut counts = [0; 5];
    for torus in tori() {
        let reach = size(&torus);
        for round in 0..400 {
            let origin = numbers.point(2.0 * reach);
            let flat = if round % 4 == 0 { DVec3::new(1.0, 0.02, 1.0) } else { DVec3::ONE };
            let origin = if round % 4 == 0 { origin * DVec3::new(1.0, 0.0, 1.0) } else { origin };
            let direction = (numbers.point(0.9 * reach) * flat - origin) * (1.0 + numbers.next());
            let mut crossings = Vec::new();
            torus.visit_crossings([origin, direction], f64::NEG_INFINITY, f64::INFINITY, &mut |crossing| {
                crossings.push(crossing);
                ControlFlow::Continue(())
            });
            counts[crossings.len()] += 1;
            assert!(crossings.is_sorted_by(|a, b| a.t <= b.t));
            let at = |t: f64| {
                let position = origin + direction * t;
                let rho = position.x.hypot(position.z);
                (rho - f64::from(torus.major_radius())).hypot(position.y) - f64::from(torus.minor_radius())
            };
            for (k, crossing) in crossings.iter().enumerate() {
                assert_eq!(crossing.is_leaving, k % 2 == 1);
                assert!(at(crossing.t).abs() < 1e-13 * (reach + origin.length()), "{torus:?}");
                assert!((crossing.normal.length() - 1.0).abs() < 1e-12);
                let slope = crossing.normal.dot(direction);
                assert!(if crossing.is_leaving { -1e-9 * reach < slope } else { slope < 1e-9 * reach });
            }
            // No part of the line that is inside by more than rounding is missed.
            let is_in = |t: f64| crossings.iter().filter(|crossing| crossing.t < t).count() % 2 == 1;
            for k in 0..2000 {
                let t = -2.0 + 6.0 * f64::from(k) / 2000.0;
                let distance = at(t);
                assert!(distance.abs() < 1e-9 * reach || is_in(t) == (distance < 0.0), "{torus:?} t {t}");
            }
        }
    }
    assert!(counts[1] + counts[3] == 0 && counts.iter().step_by(2).all(|n| 50 < *n), "{counts:?}");
}

/// Such a line leaves the surface at the point that is farthest from the centre.
#[test]
fn lines_through_the_centre_cross_four_times() {
    let mut numbers = Numbers(5);
    for torus in tori().into_iter().filter(|torus| torus.minor_radius() < torus.major_radius()) {
        for _ in 0..200 {
            let along = numbers.point(1.0) * DVec3::new(1.0, 0.0, 1.0);
            let mut crossings = Vec::new();
            torus.visit_crossings([along * 3.0, along], f64::NEG_INFINITY, f64::INFINITY, &mut |crossing| {
                crossings.push(crossing.is_leaving);
                ControlFlow::Continue(())
            });
            assert_eq!(crossings, [false, true, false, true], "{torus:?} {along}");
        }
    }
}

#[test]
fn rays_hit_within_their_interval() {
    let torus = Torus::new(2.0, 0.5).unwrap();
    let hits = |origin: Vec3, direction: Vec3, interval| {
        let mut hits = Vec::new();
        torus.visit_ray_hits(&Ray::new(origin, direction), interval, &mut |hit| {
            hits.push((hit.t, hit.is_back_face));
            ControlFlow::Continue(())
        });
        hits
    };
    let (from, along) = (Vec3::X * -4.0, Vec3::X);
    let all = [(1.5, false), (2.5, true), (5.5, false), (6.5, true)];
    assert_eq!(hits(from, along, Interval::FORWARD), all);
    assert_eq!(hits(from, along * 2.0, Interval::FORWARD), all.map(|(t, back)| (0.5 * t, back)));
    assert_eq!(hits(from, along, Interval::new(2.0, 6.0)), all[1..3]);
    // Through the hole, along the axis, without a direction, and with bad numbers.
    assert_eq!(hits(Vec3::Y * 9.0, Vec3::NEG_Y, Interval::BOTH), []);
    assert_eq!(hits(Vec3::X * 2.0, Vec3::ZERO, Interval::BOTH), []);
    assert_eq!(hits(Vec3::X * f32::NAN, along, Interval::BOTH), []);
    assert_eq!(hits(from, Vec3::X * f32::INFINITY, Interval::BOTH), []);
}

#[test]
fn boxes_are_tight() {
    let mut numbers = Numbers(4);
    for torus in tori() {
        for _ in 0..50 {
            let axis = numbers.point(1.0).as_vec3();
            let pose = Pose::new(Quat::from_scaled_axis(axis * 3.0), numbers.point(3.0).as_vec3());
            let aabb = torus.aabb(&pose);
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for k in 0..4000 {
                let (sin, cos) = (core::f64::consts::TAU * f64::from(k) / 4000.0).sin_cos();
                let position = DVec3::new(cos, 0.0, sin) * f64::from(torus.major_radius());
                let position = pose.wide().transform_point(position);
                (low, high) = (low.min(position), high.max(position));
            }
            let minor = f64::from(torus.minor_radius());
            let slack = 1e-5 * (size(&torus) + 3.0);
            let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
            assert!(min.cmple(low - minor).all() && (high + minor).cmple(max).all(), "{torus:?} {pose:?}");
            assert!((low - minor - min).max(max - high - minor).max_element() < slack, "{torus:?} {pose:?}");
        }
    }
}

#[test]
fn the_mass_is_that_of_its_slices() {
    for torus in tori() {
        let (major, minor) = (f64::from(torus.major_radius()), f64::from(torus.minor_radius()));
        // Rings of rectangles.
        let n = 400;
        let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let rho = major + minor * ((2.0 * f64::from(i) + 1.0) / f64::from(n) - 1.0);
            let half = (minor * minor - (rho - major) * (rho - major)).sqrt();
            let ring = core::f64::consts::TAU * rho * (2.0 * minor / f64::from(n)) * 2.0 * half;
            mass += ring;
            along += ring * rho * rho;
            across += ring * (0.5 * rho * rho + half * half / 3.0);
        }
        let found = torus.mass_properties(2.0);
        let near = |a: f32, b: f64| (f64::from(a) / (2.0 * b) - 1.0).abs() < 1e-3;
        assert!(near(found.mass, mass) && near(found.inertia.y_axis.y, along), "{torus:?}");
        assert!(near(found.inertia.x_axis.x, across) && near(found.inertia.z_axis.z, across), "{torus:?}");
    }
}

#[test]
fn what_is_no_torus_is_refused() {
    assert!(matches!(Torus::new(f32::NAN, 1.0), Err(ShapeError::NotFinite { what: "major_radius" })));
    assert!(matches!(Torus::new(1.0, -1.0), Err(ShapeError::Negative { what: "minor_radius", .. })));
    assert!(matches!(Torus::new(1.0, 0.0), Err(ShapeError::Empty { what: "minor_radius" })));
    let crossed = Torus::new(1.0, 1.5).unwrap_err();
    assert_eq!(crossed.to_string(), "minor_radius is too large: 1.5");
}
