//! Every query in `f64`, on a pose in `f64`. The functions of both precisions round these results.
//!
//! The distance search comes first. The depth search follows if the cores overlap or the sign is in
//! doubt. All queries take this one path, so no two of them disagree about the sign.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.8
//! (hybrid of core distance and depth for shapes with margins).

use crate::epa::{Depth, depth};
use crate::gjk::{End, Goal, Search, Verdict, remember, search, search_here};
use crate::minkowski::Minkowski;
use crate::{Counters, GjkCache, GjkSettings, Outcome};
use carom_geom::SupportMap;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::{WidePose, ops::sqrt, scaling::balanced, tol};
use glam::DVec3;

/// The distance of two convex shapes. Points and normal are in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// Length, or 0 if the shapes overlap or touch. With `max_distance` it may be an upper bound;
    /// see `lower_bound`.
    pub distance: f64,
    /// Not above the true distance.
    pub lower_bound: f64,
    /// On A, nearest to B. A common point if they overlap or touch.
    pub point_a: DVec3,
    /// On B, nearest to A. A common point if they overlap or touch.
    pub point_b: DVec3,
    /// Unit vector from A to B. Zero if they overlap or touch.
    pub normal: DVec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// The distance or depth of two convex shapes. Points and normal are in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignedDistance {
    /// Length: the distance, or minus the depth if the shapes overlap. Touching is 0.
    pub distance: f64,
    /// Not above the true signed distance.
    pub lower_bound: f64,
    /// Not below the true signed distance, except for rounding.
    pub upper_bound: f64,
    /// On A: nearest to B, or deepest in B.
    pub point_a: DVec3,
    /// On B: nearest to A, or deepest in A.
    pub point_b: DVec3,
    /// Unit vector from A to B. If B moves along it by the depth, the shapes no longer overlap.
    pub normal: DVec3,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// Whether two convex shapes share a point, with a separating plane if they do not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Intersection {
    /// Whether they share a point. Touching counts.
    pub intersects: bool,
    /// If apart: the unit normal, from A to B, of planes that separate them, in A's frame. Zero if
    /// they share a point.
    pub axis: DVec3,
    /// If apart: each point x of A has `axis . x <= offset`, and each of B has
    /// `offset + gap <= axis . x`.
    pub offset: f64,
    /// If apart: the gap along the axis, a length. It is a lower bound of the distance.
    pub gap: f64,
    /// How the search ended.
    pub outcome: Outcome,
    /// The work of the query.
    pub counters: Counters,
}

/// Returns the distance of two convex shapes. `b_in_a` is the pose of B in A's frame.
///
/// Stops early at a lower bound above `settings.max_distance`. A coordinate that is not finite
/// gives distance 0 and [`Outcome::Undecided`].
#[inline]
pub fn distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Distance {
    let signed = solve(a, b, b_in_a, settings, cache, false);
    if 0.0 < signed.distance {
        return Distance {
            distance: signed.distance,
            lower_bound: signed.lower_bound.max(0.0),
            point_a: signed.point_a,
            point_b: signed.point_b,
            normal: signed.normal,
            outcome: signed.outcome,
            counters: signed.counters,
        };
    }
    // A common point: between the nearest points of the cores, inside both margins.
    let (margin_a, margin_b) = (a.margin(), b.margin());
    let cores = (signed.distance + (margin_a + margin_b)).max(0.0);
    let from_a = 0.5 * ((cores - margin_b).max(0.0) + margin_a.min(cores));
    let middle = signed.point_a - signed.normal * (margin_a - from_a);
    let outcome = if signed.upper_bound <= 0.0 { Outcome::Exact } else { signed.outcome };
    Distance {
        distance: 0.0,
        lower_bound: 0.0,
        point_a: middle,
        point_b: middle,
        normal: DVec3::ZERO,
        outcome: if signed.outcome == Outcome::Undecided { Outcome::Undecided } else { outcome },
        counters: signed.counters,
    }
}

/// Returns the distance of two convex shapes, or minus their depth. The depth is the length of the
/// shortest translation that separates them.
///
/// Stops early at a lower bound above `settings.max_distance`. A coordinate that is not finite
/// gives distance 0 and [`Outcome::Undecided`].
#[inline]
pub fn signed_distance<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> SignedDistance {
    solve(a, b, b_in_a, settings, cache, true)
}

/// Whether two convex shapes share a point. The search stops at the first separating plane or
/// common point.
///
/// A coordinate that is not finite gives "no", without a plane, and [`Outcome::Undecided`].
#[inline]
pub fn intersects<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
) -> Intersection {
    let mut counters = Counters::default();
    let c = Minkowski::new(a, b, b_in_a);
    if !c.is_finite {
        return Intersection {
            intersects: false,
            axis: DVec3::ZERO,
            offset: 0.0,
            gap: 0.0,
            outcome: Outcome::Undecided,
            counters,
        };
    }
    let mut found = Search::new();
    search(&c, Goal::Overlap, settings, cache.as_deref(), &mut counters, &mut found);
    if let Some(cache) = cache {
        remember(cache, &found);
    }
    let meets = |outcome: Outcome, counters: Counters| Intersection {
        intersects: true,
        axis: DVec3::ZERO,
        offset: 0.0,
        gap: 0.0,
        outcome,
        counters,
    };
    let (normal, gap) = match found.verdict {
        Verdict::Meet => return meets(Outcome::Exact, counters),
        Verdict::Doubtful if c.margin < found.upper => {
            let cores = depth(&c, &found.simplex, settings, &mut counters);
            let gap = apart_after_all(&cores);
            if gap <= c.margin {
                return meets(outcome_of_depth(&c, &found, &cores), counters);
            }
            (cores.normal, gap)
        }
        _ if found.upper <= c.margin => return meets(Outcome::Exact, counters),
        _ => (unit(-found.axis), found.lower),
    };
    let outcome = if c.margin < gap {
        Outcome::Exact
    } else if found.end == End::Limit {
        Outcome::Undecided
    } else {
        // The bounds straddle the margins by rounding; as in `solve`, the upper one decides.
        Outcome::Within((found.upper - gap).max(0.0) * c.unscale)
    };
    let top_of_a = a.support_exact(normal, a.support(normal)).point.dot(normal) + a.margin();
    Intersection {
        intersects: false,
        axis: normal,
        offset: top_of_a,
        gap: ((gap - c.margin) * c.unscale).max(0.0),
        outcome,
        counters,
    }
}

/// Returns the signed distance by the one path to the sign, compiled for each instruction set.
/// Without `wants_depth` overlapping cores give 0.
#[inline]
fn solve<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
    wants_depth: bool,
) -> SignedDistance {
    dispatch(SolveKernel { a, b, b_in_a, settings, cache, wants_depth })
}

struct SolveKernel<'k, A: ?Sized, B: ?Sized> {
    a: &'k A,
    b: &'k B,
    b_in_a: &'k WidePose,
    settings: &'k GjkSettings,
    cache: Option<&'k mut GjkCache>,
    wants_depth: bool,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Kernel for SolveKernel<'_, A, B> {
    type Output = SignedDistance;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> SignedDistance {
        solve_here(self.a, self.b, self.b_in_a, self.settings, self.cache, self.wants_depth)
    }
}

#[inline(always)]
fn solve_here<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    b_in_a: &WidePose,
    settings: &GjkSettings,
    cache: Option<&mut GjkCache>,
    wants_depth: bool,
) -> SignedDistance {
    let mut counters = Counters::default();
    let c = Minkowski::new(a, b, b_in_a);
    if !c.is_finite {
        return SignedDistance {
            distance: 0.0,
            lower_bound: f64::NEG_INFINITY,
            upper_bound: f64::INFINITY,
            point_a: DVec3::ZERO,
            point_b: DVec3::ZERO,
            normal: DVec3::X,
            outcome: Outcome::Undecided,
            counters,
        };
    }
    let mut found = Search::new();
    search_here(&c, Goal::Distance, settings, cache.as_deref(), &mut counters, &mut found);
    if let Some(cache) = cache {
        remember(cache, &found);
    }
    match found.verdict {
        Verdict::Apart => {
            // The direction of the best bound and that of the nearest points differ by the root of
            // the gap between the bounds. Points that are moved by margins must move along their
            // own direction.
            let normal = if 0.0 < c.margin { found.simplex.nearest.u } else { found.axis };
            apart(&c, &found, found.lower, unit(-normal), counters)
        }
        Verdict::Meet if !wants_depth => {
            let (point_a, point_b) = found.simplex.witness();
            let point_b = b_in_a.transform_point(point_b);
            SignedDistance {
                distance: 0.0,
                lower_bound: f64::NEG_INFINITY,
                upper_bound: 0.0,
                point_a,
                point_b,
                normal: DVec3::ZERO,
                outcome: Outcome::Exact,
                counters,
            }
        }
        Verdict::Meet | Verdict::Doubtful => {
            let cores = depth(&c, &found.simplex, settings, &mut counters);
            let gap = apart_after_all(&cores);
            if found.verdict == Verdict::Doubtful && 0.0 < gap {
                return apart(&c, &found, gap, cores.normal, counters);
            }
            let outcome = outcome_of_depth(&c, &found, &cores);
            let signed = -cores.upper.max(0.0) - c.margin;
            // A polytope without the origin inside bounds no depth. The nearest points do.
            let upper = if cores.lower < 0.0 { found.upper } else { -cores.lower };
            SignedDistance {
                distance: signed * c.unscale,
                lower_bound: signed.min(-cores.upper - c.margin) * c.unscale,
                upper_bound: signed.max(upper - c.margin) * c.unscale,
                point_a: cores.a + cores.normal * a.margin(),
                point_b: b_in_a.transform_point(cores.b) - cores.normal * b.margin(),
                normal: cores.normal,
                outcome,
                counters,
            }
        }
    }
}

/// Returns the answer for separated cores, with margins added and lengths unscaled.
#[inline(always)]
fn apart<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    found: &Search,
    lower: f64,
    normal: DVec3,
    counters: Counters,
) -> SignedDistance {
    let (point_a, point_b) = found.simplex.witness();
    let gap = (found.upper - lower).max(0.0);
    let outcome = if gap <= tol::GJK_TOUCHING { Outcome::Exact } else { Outcome::Within(gap * c.unscale) };
    let upper = (found.upper - c.margin) * c.unscale;
    SignedDistance {
        distance: upper,
        lower_bound: ((lower - c.margin) * c.unscale).min(upper),
        upper_bound: upper,
        point_a: point_a + normal * c.a.margin(),
        point_b: c.b_in_a.transform_point(point_b) - normal * c.b.margin(),
        normal,
        outcome,
        counters,
    }
}

/// Returns the scaled distance of the cores if the depth search found a separating direction.
/// Returns 0 if it found none, or a gap within rounding.
fn apart_after_all(cores: &Depth) -> f64 {
    if cores.upper < -tol::GJK_TOUCHING { -cores.upper } else { 0.0 }
}

fn outcome_of_depth<A: ?Sized, B: ?Sized>(c: &Minkowski<'_, A, B>, found: &Search, cores: &Depth) -> Outcome {
    let is_around = -tol::GJK_TOUCHING <= cores.lower;
    // A polytope without the origin inside bounds no depth. The nearest points bound how far apart
    // the cores are.
    let gap = (cores.upper + if is_around { -cores.lower } else { found.upper }).max(0.0);
    if gap <= tol::EPA_FLAT {
        Outcome::Exact
    } else if !is_around {
        // Neither a separating plane nor a polytope around the origin was found.
        Outcome::Undecided
    } else {
        Outcome::Within(gap * c.unscale)
    }
}

/// Returns the unit vector along `v`, or the x axis if `v` is zero.
#[inline(always)]
pub(crate) fn unit(v: DVec3) -> DVec3 {
    let v = balanced(v);
    let length_sq = v.length_squared();
    if 0.0 < length_sq { v / sqrt(length_sq) } else { DVec3::X }
}
