//! Hull against hull: a walk over features if they are apart; GJK and EPA if they overlap or the
//! walk fails.
//!
//! The walk starts at the features of the last query of the pair. Without these it starts at a
//! plane across the line of centres that separates the hulls, but only for few vertices. If the
//! walk proves nothing, GJK decides. Only GJK reports an overlap.
//!
//! Reference: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, ACM Trans.
//! Graphics 17(3), 1998, section 5 (coherence).

use crate::closest::Closest;
use crate::convex;
use crate::cost::Count;
use crate::manifold_cache::ManifoldCache;
use carom_geom::WideHull;
use carom_gjk::GjkCache;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::WidePose;
use carom_sat::feature_walk::{self, Walked};

/// Returns the distance of two hulls, 0 if they overlap. Beyond `max_distance` it may be only an
/// upper bound.
#[inline]
pub(crate) fn distance<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    let walked = dispatch(WalkKernel { a, b, b_in_a, cache: cache.as_deref_mut(), overlap: OVERLAP, count });
    walked.unwrap_or_else(|| convex::distance(a, b, b_in_a, max_distance, gjk_of(cache), count))
}

/// Returns the signed distance of two hulls. Beyond `max_distance` it may be only an upper bound.
pub(crate) fn signed<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    max_distance: f64,
    mut cache: Option<&mut ManifoldCache>,
    count: impl Count,
) -> Closest {
    let walked = dispatch(WalkKernel { a, b, b_in_a, cache: cache.as_deref_mut(), overlap: 0.0, count });
    walked.unwrap_or_else(|| convex::signed(a, b, b_in_a, max_distance, gjk_of(cache), count))
}

/// The walk, compiled for each instruction set.
struct WalkKernel<'k, H, C> {
    a: &'k H,
    b: &'k H,
    b_in_a: &'k WidePose,
    cache: Option<&'k mut ManifoldCache>,
    overlap: f64,
    count: C,
}

impl<H: WideHull, C: Count> Kernel for WalkKernel<'_, H, C> {
    type Output = Option<Closest>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Closest> {
        walk(self.a, self.b, self.b_in_a, self.cache, self.overlap, self.count)
    }
}

/// Vertices of both hulls together above which a walk without a start is slower than GJK. Walks
/// with a start are faster for all sizes. Figures: `benches/notes/carom-query.md`.
const MAX_VERTICES: usize = 384;

/// A fraction of the distance of the centres. A walk without a start also begins if the hulls
/// overlap by at most this along the line of centres. Hulls that nearly touch often do. The walk
/// then nearly always succeeds, and saves a quarter of the time. Depth queries do not use it.
/// Figures: `benches/notes/carom-query.md`.
const OVERLAP: f64 = 0.25;

/// Whether the walk would cost more than GJK.
#[inline(always)]
fn is_too_long<H: WideHull>(a: &H, b: &H, cache: Option<&ManifoldCache>) -> bool {
    cache.is_none() && MAX_VERTICES < a.n_vertices() + b.n_vertices()
}

/// Returns the result of the walk, and stores its final features.
#[inline(always)]
fn walk<H: WideHull>(
    a: &H,
    b: &H,
    b_in_a: &WidePose,
    cache: Option<&mut ManifoldCache>,
    overlap: f64,
    count: impl Count,
) -> Option<Closest> {
    if is_too_long(a, b, cache.as_deref()) {
        return None;
    }
    let mut features = cache.as_ref().and_then(|cache| cache.features);
    let Walked { distance, point_a, point_b, normal, .. } =
        feature_walk::distance_inside(a, b, b_in_a, &mut features, overlap, count)?;
    if let Some(cache) = cache {
        cache.features = features;
    }
    Some(Closest::new(distance, point_a, point_b, normal))
}

/// Returns the state of GJK for its next search, and clears that of the walk.
fn gjk_of(cache: Option<&mut ManifoldCache>) -> Option<&mut GjkCache> {
    cache.map(|cache| {
        cache.features = None;
        &mut cache.gjk
    })
}
