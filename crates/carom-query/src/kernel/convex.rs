//! Convex against convex: through support maps, by GJK and EPA.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.

use crate::closest::Closest;
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, wide};
use carom_math::WidePose;

/// The two convex shapes touch or overlap.
pub(super) fn intersects(a: &dyn SupportMap, b: &dyn SupportMap, b_in_a: &WidePose) -> bool {
    wide::intersects(a, b, b_in_a, &GjkSettings::default(), None).intersects
}

/// How far apart two convex shapes are; 0 when they overlap.
pub(super) fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut GjkCache>,
) -> Closest {
    let settings = GjkSettings::default().with_max_distance(max_distance);
    let d = wide::distance(a, b, b_in_a, &settings, cache);
    let mut closest = Closest::new(d.distance, d.point_a, d.point_b, d.normal);
    closest.outcome = d.outcome;
    closest
}

/// How far apart or how deep two convex shapes are; beyond `max_distance` a lower bound.
pub(super) fn signed<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut GjkCache>,
) -> Closest {
    let settings = GjkSettings::default().with_max_distance(max_distance);
    let d = wide::signed_distance(a, b, b_in_a, &settings, cache);
    let mut closest = Closest::new(d.distance, d.point_a, d.point_b, d.normal);
    closest.outcome = d.outcome;
    closest
}
