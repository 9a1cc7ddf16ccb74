//! Hull against hull: a walk from feature to feature where they are apart, GJK and EPA where they
//! are not or the walk is in doubt.
//!
//! The walk starts where the last one on the pair ended, or else where a plane across the line of
//! centres holds the hulls apart, for few vertices or where the end is remembered. What it cannot
//! prove it leaves to GJK, which alone says whether hulls meet.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Trans.
//! Graphics 17(3), 1998, section 5 (coherence).

use super::super::num::Pose;
use super::super::num::geom::ConvexHull;
use super::super::num::sat::feature_walk::{self, Walked};
use super::answer::Distance;
use super::convex;
use super::manifolds::ManifoldCache;
use super::pair::frames;
use crate::closest::Closest;
use crate::cost::Count;
use carom_gjk::GjkCache;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::WidePose;

/// How far apart two hulls are; 0 when they overlap, beyond `max_distance` perhaps an upper bound.
#[inline]
pub(super) fn distance(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    let walked = dispatch(WalkKernel { a, b, b_in_a, cache: cache.as_deref_mut(), overlap: OVERLAP, count });
    walked.unwrap_or_else(|| convex::distance(a, b, b_in_a, max_distance, gjk_of(cache), count))
}

/// How far apart or how deep two hulls are; beyond `max_distance` perhaps an upper bound.
pub(super) fn signed(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    let walked = dispatch(WalkKernel { a, b, b_in_a, cache: cache.as_deref_mut(), overlap: 0.0, count });
    walked.unwrap_or_else(|| convex::signed(a, b, b_in_a, max_distance, gjk_of(cache), count))
}

/// [`distance`] in the world.
///
/// The poses stay outside the kernel: with them inside, instructions were fewer, but queries
/// slower, of hulls of 8 vertices that are remembered 1,030 instead of 1,090 and 97 ns instead of
/// 89.
#[inline]
pub(super) fn distance_in_world(
    a: &ConvexHull,
    pose_a: &Pose,
    b: &ConvexHull,
    pose_b: &Pose,
    cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Distance {
    let frames = frames(pose_a, pose_b);
    Distance::placed(&distance(a, b, &frames.b_in_a, f64::INFINITY, cache, count), &frames.a)
}

/// The walk compiled for each instruction set.
struct WalkKernel<'k, C> {
    a: &'k ConvexHull,
    b: &'k ConvexHull,
    b_in_a: &'k WidePose,
    cache: Option<&'k mut ManifoldCache>,
    overlap: f64,
    count: C,
}

impl<C: Count> Kernel for WalkKernel<'_, C> {
    type Output = Option<Closest>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Closest> {
        walk(self.a, self.b, self.b_in_a, self.cache, self.overlap, self.count)
    }
}

/// Of hulls with more, both together, a walk from nothing is long, and one that is not remembered
/// gains nothing.
///
/// Measured (busy, 2026-11-22), ns, GJK / with walks, 8, 32, 128, 512 vertices each: near 755 /
/// 777, 1200 / 931, 2460 / 1529, 3410 / 4577; far 372 / 408, 475 / 563, 914 / 853, 1594 / 2703;
/// remembered 286 / 227, 307 / 238, 466 / 253, 506 / 280. Some 60 of the second are the difference
/// of two poses and an answer in the world: of 8 vertices, remembered, 650 of 1,557 instructions;
/// now 380 of 1,288.
const MOST_VERTICES: usize = 384;

/// A walk from nothing starts also where the hulls overlap along the line of centres by this part
/// of it: of hulls of 8 vertices a hundredth apart a third do, and of 687 such walks all but one
/// arrived, in 5.5 looks: a query takes 230 ns instead of 320. Of hulls that overlap by a hundredth
/// it is told 300 ns later that they do; who asks for depths starts only where they are apart.
const OVERLAP: f64 = 0.25;

/// The walk would be longer than it is worth.
#[inline(always)]
fn is_too_long(a: &ConvexHull, b: &ConvexHull, cache: Option<&ManifoldCache>) -> bool {
    cache.is_none() && MOST_VERTICES < a.vertices().len() + b.vertices().len()
}

/// The walk's answer, and where it ended kept.
#[inline(always)]
fn walk(
    a: &ConvexHull,
    b: &ConvexHull,
    b_in_a: &WidePose,
    cache: Option<&mut ManifoldCache>,
    overlap: f64,
    count: impl Count,
) -> Option<Closest> {
    if is_too_long(a, b, cache.as_deref()) {
        return None;
    }
    let mut places = cache.as_ref().and_then(|cache| cache.places);
    let Walked { distance, point_a, point_b, normal, .. } =
        feature_walk::distance_inside(a, b, b_in_a, &mut places, overlap, count)?;
    if let Some(cache) = cache {
        cache.places = places;
    }
    Some(Closest::new(distance, point_a, point_b, normal))
}

/// What GJK left behind, for its next search; what a walk left is of no use any more.
fn gjk_of(cache: Option<&mut ManifoldCache>) -> Option<&mut GjkCache> {
    cache.map(|cache| {
        cache.places = None;
        &mut cache.gjk
    })
}
