//! A ray against any convex shape, from its support map alone.
//!
//! From a point outside, the nearest point of the shape gives a supporting plane. The ray cannot
//! hit the shape before that plane, so it advances to the plane, and does not pass the surface. A
//! ray that moves away from the plane misses.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004.
//! Differs: each step computes the distance again, with a cache, instead of updating one simplex.

use crate::cost::Count;
use carom_geom::{SupportMap, SupportPoint};
use carom_gjk::{GjkCache, GjkSettings, wide};
use carom_math::ops::sqrt;
use carom_math::{WidePose, tol};
use glam::DVec3;

/// One point, as a shape.
pub(crate) struct Point;

impl SupportMap for Point {
    fn support(&self, _: DVec3) -> SupportPoint {
        SupportPoint { point: DVec3::ZERO, vertex: 0 }
    }

    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number == 0).then_some(DVec3::ZERO)
    }

    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        0.0
    }
}

/// Returns the least t, of any sign, at which `origin + t direction` is in the shape, and the
/// outward unit normal there. All in the shape's frame.
pub(crate) fn enter(
    shape: &dyn SupportMap,
    origin: DVec3,
    direction: DVec3,
    count: impl Count,
) -> Option<(f64, DVec3)> {
    // The steps begin before the ball around the shape.
    let reach = shape.radius() + shape.margin();
    let length_sq = direction.length_squared();
    if !(0.0 < length_sq && length_sq < f64::INFINITY) {
        return None;
    }
    let to_center = shape.center() - origin;
    let beside = (to_center - direction * (to_center.dot(direction) / length_sq)).length();
    if reach + tol::RAY_REACHES * (reach + to_center.length()) < beside {
        return None;
    }
    let mut t = to_center.dot(direction) / length_sq - 2.0 * reach / sqrt(length_sq);
    let mut normal = -direction / sqrt(length_sq);
    let mut cache = GjkCache::new();
    for _ in 0..tol::RAY_ROUNDS {
        let pose = WidePose { translation: origin + direction * t, ..WidePose::IDENTITY };
        let gap = wide::distance(shape, &Point, &pose, &GjkSettings::default(), Some(&mut cache));
        count.add_search(&gap.counters);
        if gap.distance <= tol::RAY_REACHES * (reach + to_center.length()) {
            return Some((t, normal));
        }
        let speed = -gap.normal.dot(direction);
        if !(0.0 < speed) {
            return None;
        }
        normal = gap.normal;
        let next = t + gap.distance / speed;
        if next <= t {
            return Some((t, normal));
        }
        t = next;
    }
    // A grazing ray is within the accuracy of the steps, and counts as touching.
    Some((t, normal))
}
