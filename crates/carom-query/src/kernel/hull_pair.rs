//! Hull against hull: a walk from feature to feature where they are apart, GJK and EPA where they are not or the walk is in doubt.
//!
//! The walk starts where the last one on the pair ended, or else where a plane across the line of centres holds the hulls
//! apart, for few vertices or where the end is remembered. What it cannot prove it leaves to GJK, which alone says whether hulls meet.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Trans. Graphics 17(3), 1998, section 5
//! (coherence).

use super::super::num::geom::ConvexHull;
use super::super::num::sat::feature_walk::{self, Places};
use super::convex;
use super::manifolds::ManifoldCache;
use crate::closest::Closest;
use carom_math::WidePose;

/// How far apart two hulls are; 0 when they overlap, beyond `max_distance` perhaps an upper bound.
pub(super) fn distance(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
) -> Closest {
    walked(a, b, b_in_a, cache.as_deref_mut())
        .unwrap_or_else(|| convex::distance(a, b, b_in_a, max_distance, cache.map(|cache| &mut cache.gjk)))
}

/// How far apart or how deep two hulls are; beyond `max_distance` perhaps an upper bound.
pub(super) fn signed(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
) -> Closest {
    walked(a, b, b_in_a, cache.as_deref_mut())
        .unwrap_or_else(|| convex::signed(a, b, b_in_a, max_distance, cache.map(|cache| &mut cache.gjk)))
}

/// Of hulls with more, both together, a walk from nothing is long, and one that is not remembered gains nothing.
///
/// Measured (busy, 2026-11-22), ns, GJK / with walks, 8, 32, 128, 512 vertices each: near 755 / 777, 1200 / 931, 2460 / 1529, 3410 / 4577;
/// far 372 / 408, 475 / 563, 914 / 853, 1594 / 2703; remembered 286 / 227, 307 / 238, 466 / 253, 506 / 280. Some 60 of the second are the
/// difference of two poses and an answer in the world.
const MOST_VERTICES: usize = 384;

fn walked(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    cache: Option<&mut ManifoldCache>,
) -> Option<Closest> {
    let known = cache.as_ref().and_then(|cache| cache.places);
    let mut places = match known {
        Some(places) => places,
        None if cache.is_none() && MOST_VERTICES < a.vertices().len() + b.vertices().len() => return None,
        None => Places::apart(a, b, b_in_a)?,
    };
    let found = feature_walk::distance(a, b, b_in_a, &mut places);
    if let Some(cache) = cache {
        cache.places = found.map(|_| places);
    }
    found.map(|walked| Closest::new(walked.distance, walked.point_a, walked.point_b, walked.normal))
}
