//! How long one axis keeps two bodies apart: until its separation falls to the target. Each part of
//! that time is certified.
//!
//! - The separation at the far end shows whether there is a root. False position proposes a root,
//!   which need not be the first.
//! - The time up to the root is certified by the chord bound, and halved if the bound is too low.
//! - A dip in between shows as a value below the target at a midpoint. The search then continues
//!   before it.
//!
//! Reference: M. Dowell, P. Jarratt, A Modified Regula Falsi Method for Computing the Root of an
//! Equation, BIT 11, 1971 (the Illinois rule).
//! Differs: it ends just above the target, on the safe side. If only one end of the bracket moves,
//! the bracket is halved.

use crate::body_pair::Moment;
use crate::chord::chord_bound;

/// The most evaluations of the separation to certify the time along one axis.
///
/// Searches for roots have their own limit, so that they leave enough for the proof. Without it,
/// bodies that graze each other at a gap of 1e-4 were undecided after 64 proposals.
const MAX_VALUES: usize = 24;

/// The most evaluations of the separation for one root. They suffice to leave the safe side by
/// halving alone.
const MAX_ROOT_VALUES: usize = 12;

/// The most roots along one axis, counting those found before dips.
const MAX_ROOTS: usize = 4;

/// After this many proposals in a row on one side, the bracket of a root is halved. False position
/// is slow next to a shallow dip that nearly reaches the target.
const MAX_SAME_SIDE: u32 = 2;

/// The result of following one axis.
pub(crate) struct Advanced {
    /// All times before this one are certified.
    pub(crate) time: f64,
    /// The separation at `time`.
    pub(crate) separation: f64,
    /// The slope of the separation at `time`, or 0 if it is not known.
    pub(crate) slope: f64,
    /// A lower bound of the separation up to `time`, above the target.
    pub(crate) least: f64,
}

/// A time and the separation at that time.
type Value = (f64, f64);

/// Follows the separation from a time at which it is above the target. At the last time the
/// separation is above the target by at most `tolerance`, unless `end` is reached or the
/// evaluations run out. `kappa` bounds the second derivative, as for [`chord_bound`].
pub(crate) fn advance(
    separation: &mut impl FnMut(&Moment) -> f64,
    kappa: f64,
    from: Value,
    end: &Moment,
    target: f64,
    tolerance: f64,
) -> Advanced {
    let (mut here, mut least, mut slope) = (from, from.1, 0.0);
    let (mut n_left, mut n_roots) = (MAX_VALUES, 0);
    // A stack of times to reach, the next one last. At each of them the separation is above the
    // target.
    let mut ahead = [(0.0, 0.0); MAX_VALUES + 2];
    let mut n_ahead = 1;
    let far = (end.t, separation(end));
    ahead[0] = far;
    if !(target < far.1) {
        n_roots += 1;
        (ahead[0], slope) = root(separation, here, far, target, tolerance);
    }
    while 0 < n_ahead {
        let goal = ahead[n_ahead - 1];
        let bound = chord_bound(here.1, goal.1, kappa, goal.0 - here.0);
        if goal.0 <= here.0 || target < bound {
            if here.0 < goal.0 {
                (here, least) = (goal, least.min(bound));
            }
            n_ahead -= 1;
            continue;
        }
        let middle = 0.5 * (here.0 + goal.0);
        if n_left == 0 || !(here.0 < middle && middle < goal.0) {
            break;
        }
        n_left -= 1;
        let value = (middle, separation(&Moment::new(middle)));
        if target < value.1 {
            ahead[n_ahead] = value;
            n_ahead += 1;
        } else if n_roots == MAX_ROOTS {
            break;
        } else {
            // A dip: times beyond it cannot be reached.
            n_roots += 1;
            (ahead[0], slope) = root(separation, here, value, target, tolerance);
            n_ahead = 1;
        }
    }
    // If the certified time ends before the root, that slope belongs to another time.
    let slope = if here.1 <= target + tolerance { slope } else { 0.0 };
    Advanced { time: here.0, separation: here.1, slope, least }
}

/// Returns a time at which the separation is above the target by at most `tolerance`, and the slope
/// there. The bracket has one end above the target and one below it. If the evaluations run out,
/// the separation may be farther above.
fn root(
    separation: &mut impl FnMut(&Moment) -> f64,
    mut above: Value,
    mut below: Value,
    target: f64,
    tolerance: f64,
) -> (Value, f64) {
    let mut n_left = MAX_ROOT_VALUES;
    let wanted = target + 0.5 * tolerance;
    let (mut high, mut low) = (above.1 - wanted, below.1 - wanted);
    let (mut last_was_above, mut n_same) = (None, 0);
    while target + tolerance < above.1 && 0 < n_left {
        let guess = above.0 + (below.0 - above.0) * (high / (high - low));
        let inside = |t: f64| above.0 < t && t < below.0;
        let is_false_position = n_same <= MAX_SAME_SIDE && inside(guess);
        let t = if is_false_position { guess } else { 0.5 * (above.0 + below.0) };
        if !inside(t) {
            break;
        }
        n_left -= 1;
        let value = separation(&Moment::new(t));
        // Illinois rule: the end that stays twice counts half.
        if target < value {
            (above, high) = ((t, value), value - wanted);
            n_same = if last_was_above == Some(true) { n_same + 1 } else { 1 };
            if 1 < n_same {
                low *= 0.5;
            }
            last_was_above = Some(true);
        } else {
            (below, low) = ((t, value), value - wanted);
            n_same = if last_was_above == Some(false) { n_same + 1 } else { 1 };
            if 1 < n_same {
                high *= 0.5;
            }
            last_was_above = Some(false);
        }
    }
    (above, (below.1 - above.1) / (below.0 - above.0))
}
