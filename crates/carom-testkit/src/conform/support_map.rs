//! The contract of every support map, over directions that include degenerate ones.
//!
//! Supports are maxima within the stated slack. They lie in the ball that the map states, and in
//! each other's half-spaces. Directions of any length give the same bits. Features lie on the
//! supporting plane, in order, with distinct names.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3.1
//! (support functions).

use carom_geom::{Feature, FeatureId, NO_VERTEX, SupportMap};
use carom_math::tol;
use glam::DVec3;
use std::collections::HashSet;

/// Returns directions that reveal faults: axes and diagonals of all lengths, slightly tilted ones,
/// and a fixed scatter.
pub fn directions() -> Vec<DVec3> {
    let mut directions = Vec::new();
    for i in 0..27 {
        let d = DVec3::new(f64::from(i % 3 - 1), f64::from(i / 3 % 3 - 1), f64::from(i / 9 - 1));
        if d == DVec3::ZERO {
            continue;
        }
        for tilt in [0.0, 1e-30, 1e-17, 1e-8, 1e-3] {
            directions.push(d + DVec3::new(0.3, -0.7, 0.5) * tilt);
            directions.push(d + DVec3::new(-0.2, 0.9, 0.1) * tilt);
        }
    }
    for i in 0..100 {
        let a = f64::from(i);
        directions.push(DVec3::new((a * 1.7).sin(), (a * 0.9).cos(), (a * 2.3 + 0.4).sin()));
    }
    directions
}

/// Checks one support map, and that it contains `core_points`, which are points of its core.
///
/// `roundness` is relative to the radius: the largest distance by which the polygon of a curved
/// face may lie inside it.
pub fn check(shape: &dyn SupportMap, core_points: &[DVec3], roundness: f64) {
    let (center, radius) = (shape.center(), shape.radius());
    assert!(center.is_finite() && 0.0 <= radius && radius.is_finite());
    assert!(0.0 <= shape.margin() && 0.0 <= shape.support_slack());
    // Sizes of products and of coordinates: the scale of rounding errors.
    let reach = radius + center.abs().max_element();
    let noise = 16.0 * f64::EPSILON * reach;
    let directions: Vec<DVec3> = directions().into_iter().map(DVec3::normalize).collect();

    let mut supports = Vec::new();
    for &d in &directions {
        let near = shape.support(d);
        let exact = shape.support_exact(d, near);
        for s in [near, exact] {
            assert!(s.point.is_finite(), "support along {d} is not finite");
            assert!((s.point - center).length() <= radius + noise, "support along {d} is outside the ball");
            if s.vertex != NO_VERTEX {
                assert_eq!(shape.vertex(s.vertex), Some(s.point), "vertex along {d}");
            }
        }
        let loss = (exact.point - near.point).dot(d);
        assert!(loss <= shape.support_slack() + noise, "support along {d} stays behind by {loss:e}");
        assert!(-noise <= loss, "the exact support along {d} is worse");
        for length in [2.0_f64.powi(-300), 2.0_f64.powi(-20), 2.0, 2.0_f64.powi(300)] {
            assert_eq!(shape.support(d * length), near, "direction {d} times {length:e}");
        }
        supports.push(exact.point);
    }
    assert_eq!(shape.vertex(NO_VERTEX), None);

    let (mut feature, mut side) = (Feature::new(), Feature::new());
    for (&d, &s) in directions.iter().zip(&supports) {
        let height = s.dot(d);
        for &p in supports.iter().chain(core_points).chain([&center]) {
            let above = p.dot(d) - height;
            assert!(above <= noise, "{p} is {above:e} beyond the support along {d}");
        }

        shape.feature(d, &mut feature);
        let points = feature.points();
        assert!(!points.is_empty(), "no feature along {d}");
        assert_eq!(shape.feature_id(d), feature.name(), "the name alone is that of the feature along {d}");
        let top = points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(d)));
        assert!(height - roundness * radius - noise <= top, "feature along {d} is not the highest");
        for &p in points {
            assert!(p.dot(d) <= height + noise, "feature along {d} stands out");
            let down = height - p.dot(d);
            assert!(
                down <= 2.1 * tol::FEATURE_SINE * radius + noise,
                "feature along {d} is not along the plane"
            );
            for &q in &directions[..30] {
                let near = shape.support(q);
                let most = shape.support_exact(q, near).point.dot(q);
                assert!(p.dot(q) <= most + noise, "feature point {p} is outside");
            }
        }
        if shape.leaning_side(d, &mut side) {
            assert!(2 <= side.points().len());
            assert!(
                side.points().len() < 3 || 0.7 <= side.normal.dot(d),
                "the side leans too much along {d}"
            );
            for q in &directions[..30] {
                let most = shape.support_exact(*q, shape.support(*q)).point.dot(*q) + shape.margin();
                let is_outside = |p: &DVec3| most + noise < p.dot(*q);
                assert!(!side.points().iter().any(is_outside), "the side that leans along {d} stands out");
            }
        }
        if 2 <= points.len() {
            let ids: HashSet<FeatureId> = feature.ids().iter().copied().collect();
            assert_eq!(ids.len(), points.len(), "points of one feature share names: {:?}", feature.ids());
            assert_ne!(feature.id, FeatureId::UNKNOWN);
        }
        if 3 <= points.len() {
            let n = feature.normal;
            assert!((n.length() - 1.0).abs() <= 1e-14, "a face has a unit normal");
            assert!(1.0 - 1.1 * tol::FEATURE_SINE * tol::FEATURE_SINE <= n.dot(d).powi(2) && 0.0 < n.dot(d));
            for i in 0..points.len() {
                let [p, q, r] = [i, i + 1, i + 2].map(|k| points[k % points.len()]);
                let turn = n.dot((q - p).cross(r - q));
                assert!(-8.0 * noise * radius <= turn, "face along {d} is not counter-clockwise or dents");
            }
        } else {
            assert_eq!(feature.normal, DVec3::ZERO);
        }
    }
}

/// Checks that `scaled` is `shape` times a power of two, bit for bit.
pub fn check_scaled(shape: &dyn SupportMap, scaled: &dyn SupportMap, scale: f64) {
    assert_eq!(shape.center() * scale, scaled.center());
    assert_eq!(shape.radius() * scale, scaled.radius());
    assert_eq!(shape.margin() * scale, scaled.margin());
    assert_eq!(shape.support_slack() * scale, scaled.support_slack());
    let (mut feature, mut scaled_feature) = (Feature::new(), Feature::new());
    for d in directions() {
        let (s, t) = (shape.support(d), scaled.support(d));
        assert_eq!(s.vertex, t.vertex, "vertex along {d} times {scale:e}");
        assert_eq!(s.point * scale, t.point, "support along {d} times {scale:e}");
        let (s, t) = (shape.support_exact(d, s), scaled.support_exact(d, t));
        assert_eq!(s.point * scale, t.point, "exact support along {d} times {scale:e}");
        let d = d.normalize();
        shape.feature(d, &mut feature);
        scaled.feature(d, &mut scaled_feature);
        assert_eq!(feature.id, scaled_feature.id);
        assert_eq!(feature.ids(), scaled_feature.ids());
        for (p, q) in feature.points().iter().zip(scaled_feature.points()) {
            assert_eq!(*p * scale, *q);
        }
    }
}
