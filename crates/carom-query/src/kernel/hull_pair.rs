//! Hull against hull: a walk from feature to feature where they are apart, GJK and EPA where they are not or the walk is in doubt.
//!
//! The walk starts where the last one on the pair ended, or else where a plane across the line of centres holds the hulls
//! apart, for few vertices or where the end is remembered. What it cannot prove it leaves to GJK, which alone says whether hulls meet.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Trans. Graphics 17(3), 1998, section 5
//! (coherence).

use super::super::num::geom::ConvexHull;
use super::super::num::sat::feature_walk::{self, Walked};
use super::convex;
use super::manifolds::ManifoldCache;
use crate::closest::Closest;
use carom_gjk::GjkCache;
use carom_math::WidePose;

/// How far apart two hulls are; 0 when they overlap, beyond `max_distance` perhaps an upper bound.
pub(super) fn distance(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut ManifoldCache>,
) -> Closest {
    walk_or_ask(a, b, b_in_a, cache, |cache| convex::distance(a, b, b_in_a, max_distance, cache))
}

/// How far apart or how deep two hulls are; beyond `max_distance` perhaps an upper bound.
pub(super) fn signed(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    cache: Option<&mut ManifoldCache>,
) -> Closest {
    walk_or_ask(a, b, b_in_a, cache, |cache| convex::signed(a, b, b_in_a, max_distance, cache))
}

/// Of hulls with more, both together, a walk from nothing is long, and one that is not remembered gains nothing.
///
/// Measured (busy, 2026-11-22), ns, GJK / with walks, 8, 32, 128, 512 vertices each: near 755 / 777, 1200 / 931, 2460 / 1529, 3410 / 4577;
/// far 372 / 408, 475 / 563, 914 / 853, 1594 / 2703; remembered 286 / 227, 307 / 238, 466 / 253, 506 / 280. Some 60 of the second are the
/// difference of two poses and an answer in the world: of 8 vertices, remembered, 650 of 1,557 instructions; now 380 of 1,288.
const MOST_VERTICES: usize = 384;

/// The walk's answer, or else that of `ask`, which is told what GJK left behind.
#[inline(always)]
fn walk_or_ask(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    cache: Option<&mut ManifoldCache>,
    ask: impl FnOnce(Option<&mut GjkCache>) -> Closest,
) -> Closest {
    let is_too_long = cache.is_none() && MOST_VERTICES < a.vertices().len() + b.vertices().len();
    if !is_too_long {
        let mut places = cache.as_ref().and_then(|cache| cache.places);
        let walked = feature_walk::distance_from(a, b, b_in_a, &mut places);
        if let Some(Walked { distance, point_a, point_b, normal, .. }) = walked {
            if let Some(cache) = cache {
                cache.places = places;
            }
            return Closest::new(distance, point_a, point_b, normal);
        }
    }
    ask(cache.map(|cache| {
        cache.places = None;
        &mut cache.gjk
    }))
}
