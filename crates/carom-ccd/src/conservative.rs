//! Conservative advancement: the time of impact by steps that no point of a body can outrun. It is
//! the alternative that [`crate::time_of_impact`] is measured against.
//!
//! The distance divided by a bound on how fast it shrinks is a time without contact. The bound is
//! of first order, so steps shrink with the distance, and convergence is linear. A hit takes 5 to
//! 32 proposals, where [`crate::time_of_impact`] takes 3. Separations and proofs are the same as
//! there.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Dynamic Simulation of Rigid Bodies, 1995;
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.8, eq. 25.11 (conservative advancement).
//! Differs: the end is proved on both sides, and rounding is accounted for.

use crate::body_pair::Moment;
use crate::chord::UNIT;
use crate::search::Search;
use crate::separation::Axis;
use crate::spheres::{NearInterval, near_interval};
use crate::{Clear, ImpactSettings, Motion, Proposal, Tally, TimeOfImpact};
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling};

/// Returns the first time at which two moving convex bodies come within the target distance, by
/// conservative advancement. Arguments and result are as for [`crate::time_of_impact`], but it does
/// not search for a better distance of bodies that do not meet.
pub fn conservative_advancement<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
    propose: impl FnMut(&WidePose, f64) -> Proposal,
) -> TimeOfImpact {
    conservative_advancement_counted(a, motion_a, b, motion_b, settings, &(), propose)
}

/// As [`conservative_advancement`], and counts its work in `tally`. The caller counts the work
/// inside `propose`.
pub fn conservative_advancement_counted<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    motion_a: &Motion,
    b: &B,
    motion_b: &Motion,
    settings: &ImpactSettings,
    tally: &impl Tally,
    mut propose: impl FnMut(&WidePose, f64) -> Proposal,
) -> TimeOfImpact {
    tally.count(|counters| counters.searches += 1);
    let mut search = Search::new(a, motion_a, b, motion_b, settings);
    let target = search.target;
    let (start, end, mut least) = match near_interval(&search.pair, target) {
        NearInterval::Never(distance) => return TimeOfImpact::Clear(Clear::new(distance)),
        NearInterval::Between { start, end, distance } => (start, end, distance),
    };
    let mut tolerance = search.first_tolerance();
    let (mut safe, mut probe) = (start, start);
    let mut last: Option<Axis> = None;
    for _ in 0..settings.max_steps.max(1) {
        let placed = search.pair.at(probe);
        tally.count(|counters| counters.proposals += 1);
        let proposal = propose(&search.pair.b_in_a(&placed), search.wanted(tolerance));
        let witness = search.pair.witness(&placed, &proposal);
        if let Some(contact) = search.contact(&placed, &proposal, witness, last.as_ref(), probe) {
            return TimeOfImpact::Hit(search.impact([safe, probe], &placed, &contact));
        }
        let pair = &search.pair;
        if safe < probe {
            // Not in contact yet: smaller steps from the safe time.
            probe = safe;
            tolerance = (0.25 * tolerance).max(search.finest());
            continue;
        }
        let Some(n) = scaling::unit(placed.rotation_a * proposal.axis) else { break };
        let mut axis = Axis::fixed(pair, n);
        let here = axis.separation(pair, &Moment::new(safe), tally);
        if !(target < here) {
            break;
        }
        // A bound on how fast the separation can fall: the centres along the axis, and every point
        // about its rotation axis.
        let up = 1.0 + 64.0 * UNIT;
        let speed = up
            * (-n.dot(pair.velocity)
                + 16.0 * UNIT * scaling::length(pair.velocity)
                + scaling::length(pair.a.angular().cross(n)) * pair.a.arm
                + scaling::length(pair.b.angular().cross(n)) * pair.b.arm);
        let room = (here - target) * (1.0 - 16.0 * UNIT);
        // NaN gives no step.
        let step = if speed <= 0.0 { end - safe } else { room / speed };
        if end <= safe + step {
            // No point is fast enough to use up the room in the remaining time.
            let left = here - (speed.max(0.0) * (end - safe)).min(room);
            return TimeOfImpact::Clear(Clear::new(least.min(left)));
        }
        // `room` was rounded down by more than that.
        least = least.min(target + (here - target) * (8.0 * UNIT));
        if here - target <= tolerance {
            probe = (safe + (here - target + tolerance) / speed).min(end);
        }
        if !(safe < safe + step) {
            break;
        }
        // Slightly less, for the rounding of the step itself.
        safe += step * (1.0 - 4.0 * UNIT);
        probe = probe.max(safe);
        last = Some(axis);
    }
    tally.count(|counters| counters.proposals += 1);
    search.undecided(safe, &mut propose)
}
