//! A ray against any convex shape, from its support map alone.
//!
//! From a point outside, the nearest point of the shape gives a plane that the shape lies behind.
//! The ray cannot meet the shape before that plane, so it advances to it; a ray that leaves the
//! plane misses. Never past the surface.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004.
//! Differs: each step asks for the distance anew, with a cache, instead of updating one simplex.

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

/// The least t, of any sign, at which `origin + t direction`, in the shape's frame, is in the
/// shape, with the outward unit normal there.
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
        let place = WidePose { translation: origin + direction * t, ..WidePose::IDENTITY };
        let gap = wide::distance(shape, &Point, &place, &GjkSettings::default(), Some(&mut cache));
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
    // Grazing a curved surface: the ray is closer than all steps can tell, and counts as touching.
    Some((t, normal))
}
