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
use crate::simplex::{Nearest, nearest_of_all, nearest_of_all_but, nearest_with_newest, weights};
use crate::{Counters, GjkCache, GjkSettings};
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_lanes::{Kernel, Simd, dispatch};
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
    /// Where the sources of each point are: points move when the simplex shrinks, sources stay.
    slots: [u8; 4],
    sources: [[SupportPoint; 2]; 4],
    /// Bit i: slot i is not in use.
    free: u8,
    pub(crate) n: usize,
    pub(crate) nearest: Nearest,
}

/// The set bits of a number below 16, lowest first, and how many there are.
const BITS: [([u8; 4], u8); 16] = {
    let mut table = [([0; 4], 0); 16];
    let mut mask = 0;
    while mask < 16 {
        let mut bit = 0;
        while bit < 4 {
            if mask & (1 << bit) != 0 {
                let n = table[mask].1 as usize;
                table[mask].0[n] = bit;
                table[mask].1 += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

impl Simplex {
    const EMPTY: Simplex = Simplex {
        points: [DVec3::ZERO; 4],
        slots: [0; 4],
        sources: [[Vertex::NOWHERE; 2]; 4],
        free: 0b1111,
        n: 0,
        nearest: Nearest { u: DVec3::ZERO, uw: 0.0, distance_sq: 0.0, keep: 0, is_inside: false },
    };

    /// Adds a point; there is room, since a simplex of four is inside or shrinks.
    #[inline(always)]
    fn push(&mut self, vertex: &Vertex) {
        let slot = BITS[usize::from(self.free & 15)].0[0];
        self.points[self.n & 3] = vertex.w;
        self.slots[self.n & 3] = slot;
        self.sources[usize::from(slot & 3)] = [vertex.a, vertex.b];
        self.free &= !(1 << slot);
        self.n += 1;
    }

    /// Takes the last point away.
    #[inline(always)]
    fn pop(&mut self) {
        self.n -= 1;
        self.free |= 1 << self.slots[self.n & 3];
    }

    /// Is there a corner at this very place?
    #[inline(always)]
    fn has(&self, vertex: &Vertex) -> bool {
        let mut has = false;
        for i in 0..self.n.min(4) {
            has |= self.points[i] == vertex.w;
        }
        has
    }

    /// Keeps the corners of the nearest feature, in their order.
    #[inline(always)]
    fn reduce(&mut self, nearest: Nearest) {
        let (order, n) = &BITS[usize::from(nearest.keep & 15)];
        let mut free = 0b1111;
        for k in 0..usize::from(*n) {
            let i = usize::from(order[k & 3] & 3);
            self.points[k & 3] = self.points[i];
            self.slots[k & 3] = self.slots[i];
            free &= !(1 << self.slots[i]);
        }
        self.free = free;
        self.n = usize::from(*n);
        self.nearest = nearest;
        self.nearest.keep = (1 << n) - 1;
    }

    /// A point with its sources.
    #[inline]
    pub(crate) fn vertex(&self, i: usize) -> Vertex {
        let [a, b] = self.sources[usize::from(self.slots[i] & 3)];
        Vertex { w: self.points[i], a, b }
    }

    /// The nearest point of C as points of A and of B, each in its own frame.
    pub(crate) fn witness(&self) -> (DVec3, DVec3) {
        let weights = weights(&self.points, self.nearest.keep);
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..self.n.min(4) {
            let vertex = self.vertex(i);
            a += vertex.a.point * weights[i];
            b += vertex.b.point * weights[i];
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

impl Search {
    pub(crate) const NEW: Search = Search {
        simplex: Simplex::EMPTY,
        verdict: Verdict::Doubtful,
        end: End::Limit,
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        axis: DVec3::ZERO,
    };
}

/// Searches until the goal is reached; `found` is new.
#[inline]
pub(crate) fn search<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    goal: Goal,
    settings: &GjkSettings,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
    found: &mut Search,
) {
    dispatch(SearchKernel { c, goal, settings, cache, counters, found });
}

/// The search compiled for each instruction set: not for its lanes, but its instructions are fewer.
struct SearchKernel<'k, 's, A: ?Sized, B: ?Sized> {
    c: &'k Minkowski<'s, A, B>,
    goal: Goal,
    settings: &'k GjkSettings,
    cache: Option<&'k GjkCache>,
    counters: &'k mut Counters,
    found: &'k mut Search,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Kernel for SearchKernel<'_, '_, A, B> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        search_here(self.c, self.goal, self.settings, self.cache, self.counters, self.found);
    }
}

#[inline(always)]
fn search_here<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    goal: Goal,
    settings: &GjkSettings,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
    found: &mut Search,
) {
    // Beyond this lower bound nothing more is asked, and below this upper bound neither. A little more than the
    // margin is wanted, so that a yes or no near the sign takes the same way as a distance, to the end.
    let (enough, meet) = match goal {
        Goal::Distance => (settings.max_distance.max(0.0) * c.scale + c.margin, -1.0),
        Goal::Overlap => (c.margin + CLEAR, c.margin - CLEAR),
    };
    let enough_sq = enough * enough;
    let s = &mut found.simplex;
    let mut near = start(c, cache, counters, s);
    let mut reach_sq = 0.0;
    for i in 0..s.n.min(4) {
        reach_sq = f64::max(reach_sq, s.points[i].length_squared());
    }
    let mut distance_sq = s.nearest.distance_sq;
    found.axis = s.nearest.u;
    let mut n_stalls = 8;
    let n_rounds = settings.max_iterations.max(1);
    for round in 1..=n_rounds {
        counters.iterations += 1;
        let Nearest { u, uw, is_inside, .. } = s.nearest;
        // Inside, or so near that the direction is noise.
        if is_inside || !(tol::GJK_TOUCHING * tol::GJK_TOUCHING * reach_sq < distance_sq) {
            (found.verdict, found.end) = (Verdict::Meet, End::Features);
            (found.lower, found.upper) = (0.0, 0.0);
            return;
        }
        if 0.0 < meet && distance_sq < meet * meet {
            found.end = End::Early;
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
        let mut verdict = judge(s, &w, uw, uw_new, uu, enough_sq, rounding_sq, settings.distance_tolerance);
        if verdict.is_some() && !is_exact {
            let beyond = enough + c.slack;
            if verdict == Some(End::Early) && beyond * beyond * uu < uw_new * uw_new {
                // Separated by more than the choice of the vertex can have lost.
                (found.lower, found.axis) = (uw_new / sqrt(uu) - c.slack, u);
                found.end = End::Early;
                break;
            }
            w = c.support_exact(u, &w);
            is_exact = true;
            uw_new = u.dot(w.w);
            verdict = judge(s, &w, uw, uw_new, uu, enough_sq, rounding_sq, settings.distance_tolerance);
        }
        // The lower bound costs a root and a quotient: only where the search may end.
        let bound = || uw_new / sqrt(uu) - if is_exact { 0.0 } else { c.slack };
        if verdict.is_some() || round == n_rounds {
            raise(&mut found.lower, &mut found.axis, bound(), u);
        }
        if let Some(reason) = verdict {
            found.end = reason;
            break;
        }
        reach_sq = reach_sq.max(w.w.length_squared());
        s.push(&w);
        let mut nearest = nearest_with_newest(&s.points, s.n);
        if !nearest.is_inside && !(nearest.distance_sq < distance_sq) {
            // No progress: where signs are noise the cases may be wrong, so all are tried.
            raise(&mut found.lower, &mut found.axis, bound(), u);
            let best = nearest_of_all_but(&s.points, s.n, tol::GJK_ROUNDING);
            // A step so small that the distance does not show it, which is rounded where the far ends of the simplex are, may
            // still turn the direction, and with it raise the lower bound; a few are granted. So are a few to a triangle that is as near as its edge.
            let is_larger = nearest.keep.count_ones() < best.keep.count_ones();
            let rounded = sqrt(distance_sq) + tol::GJK_ROUNDING * sqrt(reach_sq);
            let is_small_step = is_larger || nearest.distance_sq <= rounded * rounded;
            if best.is_inside || best.distance_sq < distance_sq {
                nearest = best;
            } else if is_small_step && 0 < n_stalls {
                n_stalls -= 1;
                if is_larger {
                    nearest = best;
                }
            } else {
                s.pop();
                if is_exact {
                    found.end = End::Bounds;
                    break;
                }
                near = Some(w);
                continue;
            }
        }
        s.reduce(nearest);
        distance_sq = nearest.distance_sq;
    }
    found.upper = sqrt(distance_sq);
    // Where the margins alone are known to meet, the verdict on the cores is of no interest.
    let is_apart = 0.0 < found.lower || (found.end == End::Early && found.upper < meet);
    found.verdict = if is_apart { Verdict::Apart } else { Verdict::Doubtful };
    found.lower = found.lower.min(found.upper);
}

/// Keeps the greater lower bound and its direction.
#[inline(always)]
fn raise(lower: &mut f64, axis: &mut DVec3, bound: f64, u: DVec3) {
    if *lower < bound {
        (*lower, *axis) = (bound, u);
    }
}

/// Scaled length: gaps and depths below this are decided by the full search, whatever was asked.
const CLEAR: f64 = 16.0 * tol::GJK_TOUCHING;

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
/// Returns the vertex from which to climb, when the simplex came from a cache.
#[inline(always)]
fn start<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
    simplex: &mut Simplex,
) -> Option<Vertex> {
    let mut axis = c.center;
    if let Some(cache) = cache {
        for &pair in &cache.pairs[..usize::from(cache.n_pairs).min(4)] {
            if let Some(vertex) = c.rebuild(pair)
                && !simplex.has(&vertex)
            {
                simplex.push(&vertex);
            }
        }
        if 0 < simplex.n {
            let nearest = nearest_of_all(&simplex.points, simplex.n);
            simplex.reduce(nearest);
            return Some(simplex.vertex(simplex.n - 1));
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
    simplex.push(&c.support(axis));
    simplex.nearest = nearest_with_newest(&simplex.points, 1);
    None
}

/// Remembers the simplex for the next query.
#[inline]
pub(crate) fn remember(cache: &mut GjkCache, search: &Search) {
    let s = &search.simplex;
    let number = |p: &SupportPoint| p.vertex;
    let mut n = 0;
    for i in 0..s.n.min(4) {
        let vertex = s.vertex(i);
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
