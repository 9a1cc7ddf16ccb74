//! How long one axis keeps two bodies apart: until its separation is down to the target, each piece
//! of the time certified.
//!
//! The separation at the far end says whether there is a root; a root is proposed by false position
//! and need not be the first. Then the time up to it is certified by the chord bound, halved where
//! that is too low: a dip in between shows as a value below the target at a middle, and the search
//! goes on before it.
//!
//! Reference: M. Dowell, P. Jarratt, A Modified Regula Falsi Method for Computing the Root of an
//! Equation, BIT 11, 1971 (the Illinois rule). Differs: it ends just above the target, from the
//! safe side; a bracket that shrinks from one side alone is halved.

use crate::body_pair::Moment;
use crate::chord::chord_bound;

/// Values of the separation that may be spent on certifying the way along one axis.
///
/// Searches for roots have their own: one that took them all left nothing certified. Bodies that
/// graze each other, a gap of 1e-4 at its least while one turns by 3 radians, went on by a
/// ten-thousandth of the time for each proposal, and were undecided after 64.
const MAX_VALUES: usize = 24;

/// Values of the separation for one search for a root: enough to get off the safe side by halving
/// alone.
const MAX_ROOT_VALUES: usize = 12;

/// Roots that are searched for along one axis, the last ones before dips.
const MAX_ROOTS: usize = 4;

/// After so many proposals in a row on one side the bracket of a root is halved: next to a shallow
/// dip, where the separation is nearly at the target, false position creeps.
const MAX_SAME_SIDE: u32 = 2;

/// How far an axis led.
pub(crate) struct Advanced {
    /// All the time until then is certified.
    pub(crate) time: f64,
    /// The separation then.
    pub(crate) separation: f64,
    /// How the separation falls there, as far as is known; 0 where it is not.
    pub(crate) slope: f64,
    /// A bound of the separation over all that time, above the target.
    pub(crate) least: f64,
}

/// A time and the separation then.
type Value = (f64, f64);

/// Follows the separation from a time at which it is above the target, to where it is above by at
/// most `tolerance`, or to the end. `kappa` bounds its second derivative, as for [`chord_bound`].
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
    // The times to be reached, the next one last; at all of them the separation is above the
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
            // A dip: whatever lies behind it is out of reach.
            n_roots += 1;
            (ahead[0], slope) = root(separation, here, value, target, tolerance);
            n_ahead = 1;
        }
    }
    // Short of the root, that slope is of somewhere else.
    let slope = if here.1 <= target + tolerance { slope } else { 0.0 };
    Advanced { time: here.0, separation: here.1, slope, least }
}

/// A time at which the separation is above the target by at most `tolerance`, between one above and
/// one below it, and the slope there. Above by more where the values are spent.
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
        // The end that stays twice counts half.
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
