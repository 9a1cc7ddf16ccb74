//! GJK: the distance of the origin from the Minkowski difference C, or whether C contains it.
//!
//! - A simplex of points of C moves towards the origin. The length of its nearest point v is an
//!   upper bound of the distance.
//! - The support plane normal to v gives a lower bound. The support point is the next corner.
//! - The search ends if the bounds meet, if the support point is already a corner, or if the
//!   simplex contains the origin.
//! - Support points may be inexact and in `f32`. A support that would end the search is computed
//!   again exactly. Without that, one sign in sixteen is wrong on the stacked boxes of the tests.
//!
//! Reference: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A Fast Procedure for Computing the
//! Distance Between Complex Objects in Three-Dimensional Space, IEEE J. Robotics and Automation 4,
//! 1988; G. van den Bergen, A Fast and Robust GJK Implementation, 1999.
//! Differs: every end has certified bounds. A doubtful end goes to the depth search, so one routine
//! decides the sign.

use crate::minkowski::{Minkowski, Vertex};
use crate::simplex::{Nearest, nearest_of_all_but, nearest_of_last, nearest_with_newest, weights_of_whole};
use crate::{Counters, GjkCache, GjkSettings};
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::ops::{greater, sqrt};
use carom_math::tol;
use glam::DVec3;

/// The goal of a search: the result that it has to prove.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// The distance, unless it is above `max_distance` of the settings.
    Distance,
    /// The distance of the cores. Margins are ignored.
    Cores,
    /// Whether the bodies overlap or touch, margins included.
    Overlap,
}

/// The relation of the two cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Separated: the lower bound is above zero.
    Apart,
    /// They share a point: the simplex contains or touches the origin.
    Meet,
    /// The bounds straddle zero, by rounding or by a limit. The depth search decides.
    Doubtful,
}

/// The reason why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// The nearest features were found.
    Features,
    /// The bounds are close enough, or as close as rounding allows.
    Bounds,
    /// The goal is reached, but the distance is not known.
    Early,
    /// The limit of iterations was reached.
    Limit,
}

/// Up to four points of C and their nearest feature. All of the points are corners of it.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    pub(crate) points: [DVec3; 4],
    sources: [[SupportPoint; 2]; 4],
    pub(crate) n: usize,
    pub(crate) nearest: Nearest,
}

impl Simplex {
    #[inline(always)]
    fn new() -> Simplex {
        Simplex {
            points: [DVec3::ZERO; 4],
            sources: [[Vertex::BLANK.a; 2]; 4],
            n: 0,
            nearest: Nearest { u: DVec3::ZERO, uw: 0.0, distance_sq: 0.0, keep: 0, is_inside: false },
        }
    }

    #[inline(always)]
    fn set_vertex(&mut self, index: usize, vertex: &Vertex) {
        self.points[index & 3] = vertex.w;
        self.sources[index & 3] = [vertex.a, vertex.b];
    }

    #[inline(always)]
    fn shift(&mut self, from: usize, to: usize) {
        self.points[to & 3] = self.points[from & 3];
        self.sources[to & 3] = self.sources[from & 3];
    }

    /// Whether a corner has exactly these coordinates.
    #[inline(always)]
    fn has(&self, vertex: &Vertex) -> bool {
        // Without branches: two corners may well share one coordinate.
        let mut has = false;
        for i in 0..4 {
            let point = self.points[i];
            has |= (i < self.n) & (point.x == vertex.w.x) & (point.y == vertex.w.y) & (point.z == vertex.w.z);
        }
        has
    }

    /// Keeps the corners with these bits and the newest corner, whose bit follows theirs. The
    /// newest takes the slot of a removed one, so the others seldom move.
    #[inline(always)]
    fn take(&mut self, newest: &Vertex, keep: u8) {
        let bit = 1_u8 << (self.n & 7);
        let kept = keep & (bit - 1);
        let gone = !keep & (bit - 1);
        if keep & bit == 0 {
            self.retain(keep);
        } else if gone == 0 {
            self.set_vertex(self.n, newest);
            self.n += 1;
        } else if gone & (gone - 1) == 0 {
            self.set_vertex(gone.trailing_zeros() as usize, newest);
        } else {
            // At most one of three older corners stays.
            let n = usize::from(kept != 0);
            if n == 1 {
                self.shift(kept.trailing_zeros() as usize, 0);
            }
            self.set_vertex(n, newest);
            self.n = n + 1;
        }
    }

    /// Keeps the corners with these bits.
    #[inline(never)]
    fn retain(&mut self, keep: u8) {
        let mut n = 0;
        for i in 0..self.n.min(4) {
            if keep & (1 << i) != 0 {
                self.shift(i, n);
                n += 1;
            }
        }
        self.n = n;
    }

    /// Sets the nearest feature of the remaining corners. All of them are its corners.
    #[inline(always)]
    fn end(&mut self, nearest: Nearest) {
        self.nearest = nearest;
        self.nearest.keep = (1 << (self.n & 7)) - 1;
    }

    /// Returns corner `i` with its points of A and B.
    #[inline]
    pub(crate) fn vertex(&self, i: usize) -> Vertex {
        let [a, b] = self.sources[i];
        Vertex { w: self.points[i], a, b }
    }

    /// Returns the nearest point of C as a point of A and a point of B, each in its own frame.
    #[inline(always)]
    pub(crate) fn witness(&self) -> (DVec3, DVec3) {
        let weights = weights_of_whole(&self.points, self.n);
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..self.n.min(4) {
            a += self.sources[i][0].point * weights[i];
            b += self.sources[i][1].point * weights[i];
        }
        (a, b)
    }
}

/// The result of a search: about the cores, in scaled lengths.
pub(crate) struct Search {
    pub(crate) simplex: Simplex,
    pub(crate) verdict: Verdict,
    pub(crate) end: End,
    /// Not above the distance. It may be negative if the verdict is doubtful.
    pub(crate) lower: f64,
    /// Not below the distance, except for rounding.
    pub(crate) upper: f64,
    /// The direction of `lower`, from the origin towards C, not normalised.
    pub(crate) axis: DVec3,
}

impl Search {
    // A function, because a constant is copied by a call.
    #[inline(always)]
    pub(crate) fn new() -> Search {
        Search {
            simplex: Simplex::new(),
            verdict: Verdict::Doubtful,
            end: End::Limit,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            axis: DVec3::ZERO,
        }
    }
}

/// Runs the search until the goal is reached. `found` must be new.
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

/// The search compiled for each instruction set. It uses no lanes, but needs fewer instructions
/// with newer sets.
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

/// Runs [`search`] inside a kernel.
#[inline(always)]
pub(crate) fn search_here<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    c: &Minkowski<'_, A, B>,
    goal: Goal,
    settings: &GjkSettings,
    cache: Option<&GjkCache>,
    counters: &mut Counters,
    found: &mut Search,
) {
    // The search may stop above the lower bound `enough`, or below the upper bound `meet`. For an
    // overlap test both leave a little room around the margin. A test with a doubtful sign then
    // runs to the end, like a distance query.
    let (enough, meet) = match goal {
        Goal::Distance | Goal::Cores => (settings.max_distance.max(0.0) * c.scale + c.margin, -1.0),
        Goal::Overlap => (c.margin + DECIDED_LENGTH, c.margin - DECIDED_LENGTH),
    };
    let enough_sq = enough * enough;
    let margin = if goal == Goal::Cores { 0.0 } else { c.margin };
    let near_enough = NearEnough { tolerance: settings.distance_tolerance, margin };
    let s = &mut found.simplex;
    let mut near = start(c, cache, counters, s);
    let mut reach_sq = 0.0;
    for i in 0..s.n.min(4) {
        reach_sq = greater(reach_sq, s.points[i].length_squared());
    }
    let mut nearest = s.nearest;
    let mut axis = nearest.u;
    let mut lower = f64::NEG_INFINITY;
    let mut n_stalls = 8;
    let n_rounds = settings.max_iterations.max(1);
    let mut end = End::Limit;
    let (mut round, mut n_supports) = (0, 0);
    while round < n_rounds {
        round += 1;
        let Nearest { u, uw, distance_sq, is_inside, .. } = nearest;
        // The origin is inside, or so near that the direction is noise.
        if is_inside || !(tol::GJK_TOUCHING * tol::GJK_TOUCHING * reach_sq < distance_sq) {
            counters.iterations += round;
            counters.supports += n_supports;
            s.end(nearest);
            (found.verdict, found.end, found.axis) = (Verdict::Meet, End::Features, axis);
            (found.lower, found.upper) = (0.0, 0.0);
            return;
        }
        if 0.0 < meet && distance_sq < meet * meet {
            end = End::Early;
            break;
        }
        let uu = u.length_squared();
        let rounding_sq = (tol::GJK_ROUNDING * tol::GJK_ROUNDING) * uu * reach_sq;
        let mut is_exact = c.slack == 0.0;
        let mut w = match near.take() {
            // A warm start: if no neighbour is better, the old vertex is proved without a scan.
            Some(vertex) => {
                is_exact = true;
                c.support_exact(u, &vertex)
            }
            None => c.support(u),
        };
        n_supports += 1;
        let mut uw_new = u.dot(w.w);
        let mut verdict = judge(s, &w, uw, uw_new, uu, enough_sq, rounding_sq, near_enough);
        if verdict.is_some() && !is_exact {
            let beyond = enough + c.slack;
            if verdict == Some(End::Early) && beyond * beyond * uu < uw_new * uw_new {
                // Separated by more than an inexact support can miss.
                (lower, axis) = (uw_new / sqrt(uu) - c.slack, u);
                end = End::Early;
                break;
            }
            w = c.support_exact(u, &w);
            is_exact = true;
            uw_new = u.dot(w.w);
            verdict = judge(s, &w, uw, uw_new, uu, enough_sq, rounding_sq, near_enough);
        }
        // The lower bound costs a root and a division, so it is computed only if the search may
        // end.
        let bound = || uw_new / sqrt(uu) - if is_exact { 0.0 } else { c.slack };
        if verdict.is_some() || round == n_rounds {
            raise(&mut lower, &mut axis, bound(), u);
        }
        if let Some(reason) = verdict {
            end = reason;
            break;
        }
        reach_sq = greater(reach_sq, w.w.length_squared());
        let mut next = nearest_with_newest(&s.points, s.n, w.w);
        if !next.is_inside && !(next.distance_sq < distance_sq) {
            // No progress: if signs are noise, the case analysis may be wrong, so all features are
            // tried.
            raise(&mut lower, &mut axis, bound(), u);
            let mut points = s.points;
            points[s.n & 3] = w.w;
            let best = nearest_of_all_but(&points, s.n + 1, tol::GJK_ROUNDING);
            // The distance is rounded by the size of the simplex, so a tiny step may not change it.
            // Such a step may still turn the direction and raise the lower bound. A few are
            // allowed. So are a few steps to a triangle that is as near as its edge.
            let is_larger = next.keep.count_ones() < best.keep.count_ones();
            let rounded = sqrt(distance_sq) + tol::GJK_ROUNDING * sqrt(reach_sq);
            let is_small_step = is_larger || next.distance_sq <= rounded * rounded;
            if best.is_inside || best.distance_sq < distance_sq {
                next = best;
            } else if is_small_step && 0 < n_stalls {
                n_stalls -= 1;
                if is_larger {
                    next = best;
                }
            } else {
                if is_exact {
                    end = End::Bounds;
                    break;
                }
                (near, nearest) = again(w, nearest);
                continue;
            }
        }
        s.take(&w, next.keep);
        nearest = next;
    }
    counters.iterations += round;
    counters.supports += n_supports;
    s.end(nearest);
    (found.end, found.axis) = (end, axis);
    found.upper = sqrt(nearest.distance_sq);
    // If only the margins are known to overlap, the verdict on the cores does not matter.
    let is_apart = 0.0 < lower || (end == End::Early && found.upper < meet);
    found.verdict = if is_apart { Verdict::Apart } else { Verdict::Doubtful };
    found.lower = lower.min(found.upper);
}

/// Repeats an iteration with the same direction. It is out of line so that the compiler does not
/// make it a loop of its own. That loop would add work to every iteration.
#[cold]
#[inline(never)]
fn again(w: Vertex, nearest: Nearest) -> (Option<Vertex>, Nearest) {
    (Some(w), nearest)
}

/// Keeps the larger lower bound and its direction.
#[inline(always)]
fn raise(lower: &mut f64, axis: &mut DVec3, bound: f64, u: DVec3) {
    if *lower < bound {
        (*lower, *axis) = (bound, u);
    }
}

/// Scaled length. The full search decides gaps and depths below this, whatever the goal is.
const DECIDED_LENGTH: f64 = 16.0 * tol::GJK_TOUCHING;

/// The test whether two bounds are close enough.
#[derive(Clone, Copy)]
struct NearEnough {
    /// A fraction of the distance.
    tolerance: f64,
    /// Scaled: the sum of the margins in use.
    margin: f64,
}

impl NearEnough {
    /// Whether the margins lie between the bounds. Then the overlap is undecided, and only rounding
    /// may end the search.
    #[inline(always)]
    fn leaves_sign_open(self, uw: f64, uw_new: f64, uu: f64) -> bool {
        if self.margin == 0.0 {
            return false;
        }
        let margin = self.margin * sqrt(uu);
        uw_new <= margin && margin < uw
    }
}

/// Returns how the search ends with this support point, or `None` if it goes on.
#[inline(always)]
fn judge(
    s: &Simplex,
    w: &Vertex,
    uw: f64,
    uw_new: f64,
    uu: f64,
    enough_sq: f64,
    rounding_sq: f64,
    near_enough: NearEnough,
) -> Option<End> {
    let NearEnough { tolerance, .. } = near_enough;
    let gap = uw - uw_new;
    // The sign is hard to predict. This test nearly always has the same result, so it comes first.
    if enough_sq * uu < uw_new * greater(0.0, uw_new) {
        return Some(End::Early);
    }
    // A support point that is a corner leaves a gap of rounding alone. With a far larger gap it
    // cannot be a corner, and no comparison is needed.
    const MAX_GAP_RATIO: f64 = (1_u64 << 32) as f64;
    if MAX_GAP_RATIO * rounding_sq < gap * gap && tolerance * uw < gap {
        None
    } else if s.has(w) || gap * gap <= rounding_sq {
        Some(End::Features)
    } else if gap <= tolerance * uw && !near_enough.leaves_sign_open(uw, uw_new, uu) {
        Some(End::Bounds)
    } else {
        None
    }
}

/// Builds the first simplex: from the cache if that is valid, else from the support towards the
/// origin from C's centre.
///
/// Returns the vertex at which hill climbing starts, if the simplex came from a cache.
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
            // The pairs all differ. Two of them may now coincide, so every feature is tried.
            if let Some(vertex) = c.rebuild(pair) {
                simplex.set_vertex(simplex.n, &vertex);
                simplex.n += 1;
            }
        }
        if 0 < simplex.n {
            simplex.nearest = nearest_of_last(&simplex.points, simplex.n);
            if usize::from(simplex.nearest.keep) + 1 != 1 << simplex.n {
                simplex.retain(simplex.nearest.keep);
            }
            return Some(simplex.vertex((simplex.n - 1) & 3));
        }
        if cache.axis != DVec3::ZERO && cache.axis.is_finite() {
            axis = cache.axis;
        }
    }
    if axis == DVec3::ZERO {
        // Concentric cores: any direction will do.
        axis = DVec3::X;
    }
    counters.supports += 1;
    let vertex = c.support(axis);
    simplex.set_vertex(0, &vertex);
    simplex.n = 1;
    simplex.nearest = nearest_with_newest(&simplex.points, 0, vertex.w);
    None
}

/// Stores the simplex for the next query.
#[inline]
pub(crate) fn remember(cache: &mut GjkCache, search: &Search) {
    let s = &search.simplex;
    let mut n = 0;
    for [a, b] in &s.sources[..s.n.min(4)] {
        if a.vertex != NO_VERTEX && b.vertex != NO_VERTEX {
            cache.pairs[n] = (a.vertex, b.vertex);
            n += 1;
        }
    }
    // A simplex with a point on a curved part cannot be rebuilt. The direction is used instead.
    let is_whole = n == s.n;
    cache.n_pairs = if is_whole { n as u8 } else { 0 };
    cache.axis = search.axis;
}
