//! The first time at which two moving, rotating convex bodies come within a distance of each other,
//! as a proved bracket.
//!
//! - A search for nearest points proposes an axis. The proposal is not trusted.
//! - The separation along the axis is followed down to the target distance. Two values and a bound
//!   on its second derivative certify all times between them ([`crate::chord`]).
//! - The next axis is requested a little after that time. One proposal then both continues the
//!   search and proves the contact. If it proves none, the short interval is certified backwards.
//! - Near an impact one axis reaches the root, and the next axis is correct to first order.
//!   Convergence is quadratic. Without rotation the bound is exact, and this is a GJK ray cast.
//!
//! This is bilateral advancement with each step proved, on both sides of the root. The published
//! method finds roots for single pairs of corners and can miss contacts (test:
//! `tests/it/bilateral.rs`; figures: `benches/notes/carom-ccd.md`).
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference 2013 (separation along an
//! axis over time, root finding); G. van den Bergen, Ray Casting against General Convex Objects
//! with Application to Continuous Collision Detection, 2004.
//! Differs: every step is certified, rounding and rotation included. An axis may turn with its
//! feature. Contact is proved too.

use crate::advance::{Advanced, advance};
use crate::body_pair::{Moment, Placed};
use crate::chord::chord_bound;
use crate::search::{Search, undecided};
use crate::separation::Axis;
use crate::spheres::{NearInterval, near_interval};
use crate::turn::turn_of_feature;
use crate::{Clear, ImpactSettings, Motion, Proof, Proposal, Tally, TimeOfImpact, portal};
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling, tol};
use glam::DVec3;

/// Returns the first time at which two moving convex bodies come within the target distance of each
/// other.
///
/// `propose` finds the nearest points of the two cores. Its arguments are B's pose in A's frame,
/// and the accuracy as a fraction of the distance. Answers are proved whatever it returns. Only
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

/// As [`time_of_impact`], and counts its work in `tally`. The caller counts the work inside
/// `propose`.
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

/// The most requests for a better distance.
const MAX_REPEATED_SEARCHES: u32 = 6;

/// The most steps in a row without progress.
const MAX_STALLS: u32 = 3;

/// An axis that made progress, and how far.
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
        let (start, end, mut least) = match near_interval(&self.pair, target) {
            NearInterval::Never(distance) => return TimeOfImpact::Clear(Clear::new(distance)),
            NearInterval::Between { start, end, distance } => (start, end, distance),
        };
        if !self.pair.a.turns()
            && !self.pair.b.turns()
            && let Some(answer) = portal::first_contact(self, start, end, least, tally)
        {
            return self.recorded(answer);
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
                    // The probe is a little too late. The distance there shows by how much.
                    probe = safe;
                    let gap = 0.2 * (upper - target);
                    tolerance = (0.25 * tolerance).min(gap).max(finest);
                } else if !is_exact {
                    is_exact = true;
                } else {
                    return undecided(safe, upper, target, self.pair.rounding);
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
        self.undecided(safe, propose)
    }

    /// Records the distance that the proof of an answer shows, and returns the answer.
    fn recorded(&mut self, answer: TimeOfImpact) -> TimeOfImpact {
        if let TimeOfImpact::Hit(impact) = &answer {
            let distance = if let Proof::Within(distance) = impact.proof { distance } else { 0.0 };
            self.nearest = self.nearest.min(distance);
        }
        answer
    }

    /// Returns the axis that turns with the features if it reaches its root. Else the better of
    /// this axis and a fixed one. `None` if neither separates the bodies from the safe time to the
    /// probe.
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
        let n_candidates = if turn == DVec3::ZERO { 1 } else { 2 };
        for omega in [turn, DVec3::ZERO].into_iter().take(n_candidates) {
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
                // At its root, an axis that turns with its features has come as far as the features
                // allow.
                // Tried: a fixed axis as well; a quarter more instructions, 1 % fewer searches for
                // nearest points.
                let is_end = end.t <= advanced.time || advanced.separation <= self.target + tolerance;
                best = Some(Step { axis, advanced });
                if is_end {
                    break;
                }
            }
        }
        best
    }

    /// Returns a lower bound of the distance over all the time, better than `known`. The target is
    /// set just below the least distance seen, which may find a smaller one.
    fn distance(
        &mut self,
        known: f64,
        propose: &mut impl FnMut(&WidePose, f64) -> Proposal,
        tally: &impl Tally,
    ) -> f64 {
        if self.nearest == f64::INFINITY {
            // The balls around the bodies are apart. Probe at the time when they are nearest.
            let v = self.pair.velocity;
            let t = -self.pair.between.dot(v) / v.length_squared();
            let t = if t.is_finite() { t.max(self.pair.start).min(self.pair.end) } else { self.pair.start };
            let placed = self.pair.at(t);
            let proposal = propose(&self.pair.b_in_a(&placed), tol::IMPACT_PROPOSAL);
            self.nearest = self.upper(self.pair.witness(&placed, &proposal));
        }
        let mut best = known;
        for _ in 0..MAX_REPEATED_SEARCHES {
            let nearest = self.nearest;
            self.target = tol::IMPACT_DISTANCE * nearest;
            if !(best < self.target && self.target < f64::INFINITY) {
                break;
            }
            if let TimeOfImpact::Clear(clear) = self.run(propose, tally) {
                best = best.max(clear.distance);
                break;
            }
            if !(self.nearest < nearest) {
                break;
            }
        }
        best
    }
}
