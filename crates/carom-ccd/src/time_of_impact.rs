//! When two convex bodies, each moving and turning, first come within a distance of each other: a
//! bracket that is proved.
//!
//! A search for nearest points, of which nothing is believed, proposes an axis. Along it the
//! separation is followed until it is down to the target distance: two values of it and a bound on
//! how it bends certify all the time between them ([`crate::chord`]). A little after that time is
//! asked for the next axis, so that one proposal both shows the way on and proves the contact;
//! where it proves none, the little piece is certified backwards.
//!
//! Near an impact one axis reaches the root when the bodies approach fast enough for its bend, and
//! the next is right to first order: convergence is quadratic. Without rotation the bound is exact,
//! and this is a GJK ray cast.
//!
//! This is bilateral advancement, on both sides of the root of an axis' separation, with each step
//! proved; so there is no file of that name. As published it finds roots for single pairs of
//! corners, and calls bodies separated that are apart on one axis at the end of the time. Of 155,
//! 142 and 171 impacts of boxes that both turn, by 0.2, 1.5 and 3 radians, it missed 0, 19 and 37
//! with 3.2, 4.4 and 4.7 searches for nearest points each; this search 0, 0 and 0 with 2.6, 3.3 and
//! 3.7 (`tests/it/bilateral.rs`, contact at 0.005).
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference 2013 (separation along an
//! axis over time, root finding); G. van den Bergen, Ray Casting against General Convex Objects
//! with Application to Continuous Collision Detection, 2004.
//! Differs: every step is certified, rounding and rotation included; an axis may turn with its
//! feature; contact is proved too.

use crate::advance::{Advanced, advance};
use crate::body_pair::{Moment, Placed};
use crate::chord::chord_bound;
use crate::search::Search;
use crate::separation::Axis;
use crate::spheres::{Meeting, meeting};
use crate::turn::turn_of_feature;
use crate::{Clear, ImpactSettings, Motion, Proof, Proposal, Tally, TimeOfImpact, portal};
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling, tol};
use glam::DVec3;

/// When two moving convex bodies first come within the target distance of each other.
///
/// `propose` looks for the nearest points of the two cores, B placed in A's frame as it is told, to
/// within the fraction of their distance that it is told. Answers are proved whatever it says; only
/// their quality and cost depend on it.
pub fn time_of_impact<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
    propose: impl FnMut(&WidePose, f64) -> Proposal,
) -> TimeOfImpact {
    time_of_impact_counted(a, motion_a, b, motion_b, settings, &(), propose)
}

/// [`time_of_impact`], whose work is counted in `tally`, but for that of `propose`, whose own it is
/// to count.
pub fn time_of_impact_counted<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
    tally: &impl Tally,
    mut propose: impl FnMut(&WidePose, f64) -> Proposal,
) -> TimeOfImpact {
    tally.count(|counters| counters.searches += 1);
    let mut propose = |b_in_a: &WidePose, tolerance: f64| {
        tally.count(|counters| counters.proposals += 1);
        propose(b_in_a, tolerance)
    };
    let mut search = Search::new(a, motion_a, b, motion_b, settings);
    let answer = search.run(&mut propose, tally);
    match answer {
        TimeOfImpact::Clear(clear) if settings.wants_distance => {
            TimeOfImpact::Clear(Clear::new(search.distance(clear.distance, &mut propose, tally)))
        }
        _ => answer,
    }
}

/// How often a better distance is asked for.
const MOST_ASKED_AGAIN: u32 = 6;

/// Steps in a row that lead nowhere, before the search gives up.
const MAX_STALLS: u32 = 3;

/// An axis that led on, and how far.
struct Step {
    axis: Axis,
    advanced: Advanced,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Search<'_, A, B> {
    fn run(
        &mut self,
        propose: &mut impl FnMut(&WidePose, f64) -> Proposal,
        tally: &impl Tally,
    ) -> TimeOfImpact {
        let target = self.target;
        let (start, end, mut least) = match meeting(&self.pair, target) {
            Meeting::Never(distance) => return TimeOfImpact::Clear(Clear::new(distance)),
            Meeting::Between { start, end, distance } => (start, end, distance),
        };
        if !self.pair.a.turns()
            && !self.pair.b.turns()
            && let Some(answer) = portal::first_contact(self, start, end, least, tally)
        {
            return self.seen(answer);
        }
        let finest = self.finest();
        let mut tolerance = self.first_tolerance();
        let (mut safe, mut probe) = (start, start);
        let mut is_exact = false;
        let mut n_stalls = 0;
        let mut last: Option<Axis> = None;
        let (last_moment, mut at_safe) = (Moment::new(end), Moment::new(start));
        for _ in 0..self.settings.max_steps.max(1) {
            if at_safe.t != safe {
                at_safe = Moment::new(safe);
            }
            let beyond = Moment::new(probe);
            let moments = [&at_safe, if safe < probe { &beyond } else { &at_safe }, &last_moment];
            let placed = self.pair.placed(moments[1]);
            let wanted = if is_exact { tol::GJK_TOUCHING } else { self.wanted(tolerance) };
            let proposal = propose(&self.pair.b_in_a(&placed), wanted);
            let witness = self.pair.witness(&placed, &proposal);
            let upper = self.upper(witness);
            self.nearest = self.nearest.min(upper);
            if let Some(contact) = self.contact(&placed, &proposal, witness, last.as_ref(), probe) {
                return TimeOfImpact::Hit(self.impact([safe, probe], &placed, &contact));
            }
            let Some(step) = self.step(&placed, &proposal, moments, tolerance, tally) else {
                if safe < probe {
                    // A little too far. How far apart they are there tells how much.
                    probe = safe;
                    let gap = 0.2 * (upper - target);
                    tolerance = (0.25 * tolerance).min(gap).max(finest);
                } else if !is_exact {
                    is_exact = true;
                } else {
                    return self.undecided(safe, upper);
                }
                continue;
            };
            let Step { axis, advanced } = step;
            least = least.min(advanced.least);
            if end <= advanced.time {
                return TimeOfImpact::Clear(Clear::new(least));
            }
            n_stalls =
                if advanced.time - safe <= tol::IMPACT_STALL * (end - start) { n_stalls + 1 } else { 0 };
            safe = advanced.time;
            last = Some(axis);
            if MAX_STALLS <= n_stalls && tolerance <= finest {
                break;
            }
            let beyond = (advanced.separation - target + tolerance) / -advanced.slope;
            probe = safe;
            if advanced.slope < 0.0 && safe < safe + beyond {
                probe = (safe + beyond).min(end);
            }
        }
        let placed = self.pair.at(safe);
        let proposal = propose(&self.pair.b_in_a(&placed), tol::GJK_TOUCHING);
        let upper = self.upper(self.pair.witness(&placed, &proposal));
        self.nearest = self.nearest.min(upper);
        self.undecided(safe, upper)
    }

    /// An answer, whose proof may show the bodies nearer than they were seen.
    fn seen(&mut self, answer: TimeOfImpact) -> TimeOfImpact {
        if let TimeOfImpact::Hit(impact) = &answer {
            let distance = if let Proof::Within(distance) = impact.proof { distance } else { 0.0 };
            self.nearest = self.nearest.min(distance);
        }
        answer
    }

    /// The axis that turns with the features, where it leads to its root; else of this one and one
    /// that does not turn the one that leads farther; `None` where neither separates the bodies
    /// from the safe time to the probe.
    fn step(
        &self,
        placed: &Placed,
        proposal: &Proposal,
        [safe, probe, end]: [&Moment; 3],
        tolerance: f64,
        tally: &impl Tally,
    ) -> Option<Step> {
        let pair = &self.pair;
        let n = scaling::unit(placed.rotation_a * proposal.axis)?;
        let turn = turn_of_feature(pair, placed, proposal);
        let mut best: Option<Step> = None;
        let n_ways = if turn == DVec3::ZERO { 1 } else { 2 };
        for omega in [turn, DVec3::ZERO].into_iter().take(n_ways) {
            let mut axis = Axis::turning(pair, n, omega, probe);
            let here = axis.separation(pair, probe, tally);
            if !(self.target < here) {
                continue;
            }
            let mut least = here;
            if safe.t < probe.t {
                let back =
                    chord_bound(axis.separation(pair, safe, tally), here, axis.kappa, probe.t - safe.t);
                if !(self.target < back) {
                    continue;
                }
                least = back;
            }
            let kappa = axis.kappa;
            let mut separation = |moment: &Moment| axis.separation(pair, moment, tally);
            let mut advanced = advance(&mut separation, kappa, (probe.t, here), end, self.target, tolerance);
            advanced.least = advanced.least.min(least);
            if best.as_ref().is_none_or(|best| best.advanced.time < advanced.time) {
                // At its root, an axis that turns with its features has come as far as they let it.
                // Trying the other one all the same takes five values of separations for three, a
                // quarter more instructions, and saves one search for nearest points in a hundred
                // (hulls of 8 to 128 vertices that turn by 0.2 to 3 radians).
                let is_end = end.t <= advanced.time || advanced.separation <= self.target + tolerance;
                best = Some(Step { axis, advanced });
                if is_end {
                    break;
                }
            }
        }
        best
    }

    /// A lower bound of the distance over all the time, better than `known`: with a target just
    /// below the nearest that the bodies were seen, which may turn up something nearer.
    fn distance(
        &mut self,
        known: f64,
        propose: &mut impl FnMut(&WidePose, f64) -> Proposal,
        tally: &impl Tally,
    ) -> f64 {
        if self.nearest == f64::INFINITY {
            // Their balls are apart: where those are nearest is a place to look.
            let v = self.pair.velocity;
            let t = -self.pair.between.dot(v) / v.length_squared();
            let t = if t.is_finite() { t.max(self.pair.start).min(self.pair.end) } else { self.pair.start };
            let placed = self.pair.at(t);
            let proposal = propose(&self.pair.b_in_a(&placed), tol::IMPACT_PROPOSAL);
            self.nearest = self.upper(self.pair.witness(&placed, &proposal));
        }
        let mut best = known;
        for _ in 0..MOST_ASKED_AGAIN {
            let seen = self.nearest;
            self.target = tol::IMPACT_DISTANCE * seen;
            if !(best < self.target && self.target < f64::INFINITY) {
                break;
            }
            if let TimeOfImpact::Clear(clear) = self.run(propose, tally) {
                best = best.max(clear.distance);
                break;
            }
            if !(self.nearest < seen) {
                break;
            }
        }
        best
    }
}
