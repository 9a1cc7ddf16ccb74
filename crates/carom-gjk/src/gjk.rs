//! How far apart, or whether they meet: the distance of the origin from the Minkowski difference.
//!
//! A simplex of points of C walks towards the origin: its nearest point v gives an upper bound |v|, the support plane
//! normal to v a lower one, and the support point is the next corner. It ends when the bounds meet, when the support
//! point is already a corner (the features are found), or when the simplex contains the origin.
//! Support points may be chosen fast and in `f32`; whatever is about to decide is searched again exactly. On the stacked boxes
//! of the tests that search is the difference between no wrong sign and one in sixteen.
//!
//! Reference: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A Fast Procedure for Computing the Distance Between Complex Objects in
//! Three-Dimensional Space, IEEE J. Robotics and Automation 4, 1988; G. van den Bergen, A Fast and Robust GJK Implementation, 1999.
//! Differs: certified bounds with every end; a doubtful end goes to the depth search, so that one routine decides the sign.

use crate::minkowski::{Minkowski, Vertex};
use crate::simplex::{Nearest, nearest_of_all, nearest_with_newest, weights};
use crate::{Counters, GjkCache, GjkSettings};
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_math::{ops::sqrt, tol};
use glam::DVec3;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// The distance, unless it is above the settings' `max_distance`.
    Distance,
    /// Whether the bodies meet, margins included.
    Overlap,
}

/// How the cores lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Separated; the lower bound is above zero.
    Apart,
    /// They share a point: the simplex contains the origin or touches it.
    Meet,
    /// The bounds straddle zero by rounding or by a limit; the depth search has to say.
    Doubtful,
}

/// Why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// The nearest features are found.
    Features,
    /// The bounds are near enough, or rounding allows no more.
    Bounds,
    /// What was asked is known, the distance is not.
    Early,
    /// The limit of rounds.
    Limit,
}

/// Up to four points of C and their nearest feature.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    pub(crate) points: [DVec3; 4],
    pub(crate) vertices: [Vertex; 4],
    pub(crate) n: usize,
    pub(crate) nearest: Nearest,
}

impl Simplex {
    fn new(vertex: Vertex) -> Simplex {
        let mut simplex = Simplex {
            points: [DVec3::ZERO; 4],
            vertices: [Vertex::NONE; 4],
            n: 0,
            nearest: Nearest { u: DVec3::ZERO, uw: 0.0, distance_sq: 0.0, keep: 0, is_inside: false },
        };
        simplex.push(vertex);
        simplex.nearest = nearest_of_all(&simplex.points, 1);
        simplex
    }

    #[inline(always)]
    fn push(&mut self, vertex: Vertex) {
        self.points[self.n] = vertex.w;
        self.vertices[self.n] = vertex;
        self.n += 1;
    }

    /// Is there a corner at this very place?
    #[inline(always)]
    fn has(&self, vertex: &Vertex) -> bool {
        (0..self.n).any(|i| self.points[i] == vertex.w)
    }

    /// Keeps the corners of the nearest feature, in their order.
    #[inline(always)]
    fn reduce(&mut self, nearest: Nearest) {
        let mut n = 0;
        for i in 0..self.n {
            if nearest.keep & (1 << i) != 0 {
                if n != i {
                    self.points[n] = self.points[i];
                    self.vertices[n] = self.vertices[i];
                }
                n += 1;
            }
        }
        self.n = n;
        self.nearest = nearest;
        self.nearest.keep = (1 << n) - 1;
    }

    /// The nearest point of C as points of A and of B, each in its own frame.
    pub(crate) fn witness(&self) -> (DVec3, DVec3) {
        let weights = weights(&self.points, self.nearest.keep);
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..self.n {
            a += self.vertices[i].a.point * weights[i];
            b += self.vertices[i].b.point * weights[i];
        }
        (a, b)
    }
}

/// What the search found, about the cores and scaled.
pub(crate) struct Search {
    pub(crate) simplex: Simplex,
    pub(crate) verdict: Verdict,
    pub(crate) end: End,
    /// Not above the distance; may be negative when in doubt.
    pub(crate) lower: f64,
    /// Not below the distance, but for rounding.
    pub(crate) upper: f64,
    /// The direction of `lower`, from the origin towards C, of any length.
    pub(crate) axis: DVec3,
}

/// Searches until the goal is reached.
#[inline]
pub(crate) fn search<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    goal: Goal,
    settings: &GjkSettings,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
) -> Search {
    // Beyond this lower bound nothing more is asked, and below this upper bound neither. A little more than the
    // margin is wanted, so that a yes or no near the sign takes the same way as a distance, to the end.
    let (enough, meet) = match goal {
        Goal::Distance => (settings.max_distance.max(0.0) * c.scale + c.margin, -1.0),
        Goal::Overlap => (c.margin + CLEAR, c.margin - CLEAR),
    };
    let enough_sq = enough * enough;
    let (mut s, mut near) = start(c, cache, counters);
    let mut reach_sq = 0.0;
    for i in 0..s.n {
        reach_sq = f64::max(reach_sq, s.points[i].length_squared());
    }
    let mut distance_sq = s.nearest.distance_sq;
    let mut lower = -f64::INFINITY;
    let mut axis = s.nearest.u;
    let mut end = End::Limit;
    let mut n_stalls = 8;
    for _ in 0..settings.max_iterations.max(1) {
        counters.iterations += 1;
        let Nearest { u, uw, is_inside, .. } = s.nearest;
        // Inside, or so near that the direction is noise.
        if is_inside || !(tol::GJK_TOUCHING * tol::GJK_TOUCHING * reach_sq < distance_sq) {
            return Search {
                simplex: s,
                verdict: Verdict::Meet,
                end: End::Features,
                lower: 0.0,
                upper: 0.0,
                axis,
            };
        }
        if 0.0 < meet && distance_sq < meet * meet {
            end = End::Early;
            break;
        }
        let uu = u.length_squared();
        let rounding_sq = (tol::GJK_ROUNDING * tol::GJK_ROUNDING) * uu * reach_sq;
        let mut is_exact = c.slack == 0.0;
        let mut w = match near.take() {
            // A warm start: "no neighbour is better" proves the old vertex without a scan.
            Some(vertex) => {
                is_exact = true;
                c.support_exact(u, &vertex)
            }
            None => c.support(u),
        };
        counters.supports += 1;
        let mut uw_new = u.dot(w.w);
        let mut verdict = judge(&s, &w, uw, uw_new, uu, enough_sq, rounding_sq, settings.distance_tolerance);
        if verdict.is_some() && !is_exact {
            let beyond = enough + c.slack;
            if verdict == Some(End::Early) && beyond * beyond * uu < uw_new * uw_new {
                // Separated by more than the choice of the vertex can have lost.
                (lower, axis) = (uw_new / sqrt(uu) - c.slack, u);
                end = End::Early;
                break;
            }
            w = c.support_exact(u, &w);
            is_exact = true;
            uw_new = u.dot(w.w);
            verdict = judge(&s, &w, uw, uw_new, uu, enough_sq, rounding_sq, settings.distance_tolerance);
        }
        let bound = uw_new / sqrt(uu) - if is_exact { 0.0 } else { c.slack };
        if lower < bound {
            (lower, axis) = (bound, u);
        }
        if let Some(reason) = verdict {
            end = reason;
            break;
        }
        reach_sq = reach_sq.max(w.w.length_squared());
        // A full simplex is always inside or reduced: there is room.
        let before = (s.n, s.nearest);
        s.push(w);
        let mut nearest = nearest_with_newest(&s.points, s.n);
        if !nearest.is_inside && !(nearest.distance_sq < distance_sq) {
            // No progress: where signs are noise the cases may be wrong, so all are tried.
            let best = nearest_of_all(&s.points, s.n);
            // A step so small that the square of the distance does not show it may still turn the direction, and with
            // it raise the lower bound; a few are granted.
            let is_small_step = nearest.distance_sq <= distance_sq * STALL && 0 < n_stalls;
            if best.is_inside || best.distance_sq < distance_sq {
                nearest = best;
            } else if is_small_step {
                n_stalls -= 1;
            } else {
                (s.n, s.nearest) = before;
                if is_exact {
                    end = End::Bounds;
                    break;
                }
                near = Some(w);
                continue;
            }
        }
        s.reduce(nearest);
        distance_sq = nearest.distance_sq;
    }
    let upper = sqrt(distance_sq);
    // Where the margins alone are known to meet, the verdict on the cores is of no interest.
    let is_apart = 0.0 < lower || (end == End::Early && upper < meet);
    let verdict = if is_apart { Verdict::Apart } else { Verdict::Doubtful };
    Search { simplex: s, verdict, end, lower: lower.min(upper), upper, axis }
}

/// Scaled length: gaps and depths below this are decided by the full search, whatever was asked.
const CLEAR: f64 = 16.0 * tol::GJK_TOUCHING;

/// Factor on the square of the distance: a step that lengthens it by less is rounding.
const STALL: f64 = 1.0 + 16.0 * f64::EPSILON;

/// Is this support point the end, and which one?
#[inline(always)]
fn judge(
    s: &Simplex,
    w: &Vertex,
    uw: f64,
    uw_new: f64,
    uu: f64,
    enough_sq: f64,
    rounding_sq: f64,
    tolerance: f64,
) -> Option<End> {
    let gap = uw - uw_new;
    if 0.0 < uw_new && enough_sq * uu < uw_new * uw_new {
        Some(End::Early)
    } else if s.has(w) || gap * gap <= rounding_sq {
        Some(End::Features)
    } else if gap <= tolerance * uw {
        Some(End::Bounds)
    } else {
        None
    }
}

/// The first simplex: from the cache where it is good, else the point towards the origin from C's centre.
///
/// With it the vertex from which to climb, when the simplex came from a cache.
#[inline]
fn start<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
) -> (Simplex, Option<Vertex>) {
    let mut axis = c.center;
    if let Some(cache) = cache {
        let mut simplex: Option<Simplex> = None;
        for &pair in &cache.pairs[..usize::from(cache.n_pairs).min(4)] {
            let Some(vertex) = c.rebuild(pair) else { continue };
            match &mut simplex {
                None => simplex = Some(Simplex::new(vertex)),
                Some(simplex) if !simplex.has(&vertex) => simplex.push(vertex),
                Some(_) => {}
            }
        }
        if let Some(mut simplex) = simplex {
            let nearest = nearest_of_all(&simplex.points, simplex.n);
            simplex.reduce(nearest);
            let near = simplex.vertices[simplex.n - 1];
            return (simplex, Some(near));
        }
        if cache.axis != DVec3::ZERO && cache.axis.is_finite() {
            axis = cache.axis;
        }
    }
    if axis == DVec3::ZERO {
        // Concentric: any direction will do.
        axis = DVec3::X;
    }
    counters.supports += 1;
    (Simplex::new(c.support(axis)), None)
}

/// Remembers the simplex for the next query.
#[inline]
pub(crate) fn remember(cache: &mut GjkCache, search: &Search) {
    let s = &search.simplex;
    let number = |p: &SupportPoint| p.vertex;
    let mut n = 0;
    for vertex in &s.vertices[..s.n] {
        let pair = (number(&vertex.a), number(&vertex.b));
        if pair.0 != NO_VERTEX && pair.1 != NO_VERTEX {
            cache.pairs[n] = pair;
            n += 1;
        }
    }
    // A simplex with a point on a curved part cannot be rebuilt; the direction serves instead.
    let is_whole = n == s.n;
    cache.n_pairs = if is_whole { n as u8 } else { 0 };
    cache.axis = search.axis;
}
