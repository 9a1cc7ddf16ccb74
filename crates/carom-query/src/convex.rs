//! Convex against convex: through support maps, by GJK and EPA.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.

use crate::closest::Closest;
use crate::cost::Count;
use carom_geom::SupportMap;
use carom_gjk::{GjkCache, GjkSettings, wide};
use carom_math::WidePose;

/// Whether two convex shapes touch or overlap.
#[inline(always)]
pub(crate) fn intersects<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    count: impl Count,
) -> bool {
    let found = wide::intersects(a, b, b_in_a, &GjkSettings::default(), None);
    count.add_search(&found.counters);
    found.intersects
}

/// Returns the distance of two convex shapes, 0 if they overlap. Beyond `max_distance` it may be
/// only an upper bound.
#[inline(always)]
pub(crate) fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut GjkCache>,
    count: impl Count,
) -> Closest {
    let settings = GjkSettings::default().with_max_distance(max_distance);
    let d = wide::distance(a, b, b_in_a, &settings, cache);
    count.add_search(&d.counters);
    let mut closest = Closest::new(d.distance, d.point_a, d.point_b, d.normal);
    closest.outcome = d.outcome;
    closest
}

/// Returns the signed distance of two convex shapes, negative if they overlap. Beyond
/// `max_distance` it may be only an upper bound.
#[inline(always)]
pub(crate) fn signed<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut GjkCache>,
    count: impl Count,
) -> Closest {
    let settings = GjkSettings::default().with_max_distance(max_distance);
    let d = wide::signed_distance(a, b, b_in_a, &settings, cache);
    count.add_search(&d.counters);
    let mut closest = Closest::new(d.distance, d.point_a, d.point_b, d.normal);
    closest.outcome = d.outcome;
    closest
}
