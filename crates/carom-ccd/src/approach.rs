//! The time at which a distance first falls to a target, proved from a bound on its rate.
//!
//! A distance that changes at most at the rate `rate` stays above the target for
//! `(distance - target) / rate`. So each value certifies the time until then. Any bodies and any
//! motion qualify: meshes on the links of a robot, whose joints move along a recorded trajectory.
//!
//! Degenerate cases: a rate of 0 needs one value. A distance that stays just above the target takes
//! steps of the tolerance, up to the limit of values; then the answer is undecided.
//!
//! Reference: B. Mirtich, Impulse-Based Dynamic Simulation of Rigid Body Systems, 1996, 2.3
//! (conservative advancement).

/// The most values of the distance in one search.
const MAX_VALUES: usize = 10_000;

/// When a distance falls to a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Approach {
    /// The distance is above the target all the time.
    Clear {
        /// A lower bound of the distance at the end.
        at_end: f64,
    },
    /// The distance is above the target before `time`, and within the tolerance of it at that
    /// time.
    Within {
        /// The time.
        time: f64,
        /// The distance at that time.
        distance: f64,
    },
    /// The distance is above the target before `time`. Nothing is known for later times.
    Undecided {
        /// The time.
        time: f64,
    },
}

/// Returns when a distance falls to `target` between the times `start` and `end`.
///
/// `distance` returns the distance at a time, and `rate` bounds its change per unit of time.
/// `known` is a lower bound of the distance at the start; 0 if nothing is known. An end before the
/// start counts as the start. A tolerance below the rounding of the distance makes the answer
/// undecided where it matters. NaN as a distance counts as 0.
///
/// ```
/// use carom_ccd::{Approach, first_approach};
///
/// // Two points on a line, one of them swinging.
/// let distance = |t: f64| (3.0 - 2.0 * t).abs();
/// let Approach::Within { time, .. } = first_approach(distance, 2.0, 1.0, 1e-9, [0.0, 5.0], 0.0) else { panic!() };
/// assert!(time <= 1.0 && 1.0 - 1e-8 < time);
/// assert_eq!(first_approach(distance, 2.0, 1.0, 1e-9, [0.0, 0.5], 0.0), Approach::Clear { at_end: 2.0 });
/// ```
pub fn first_approach(
    mut distance: impl FnMut(f64) -> f64,
    rate: f64,
    target: f64,
    tolerance: f64,
    [start, end]: [f64; 2],
    known: f64,
) -> Approach {
    let end = end.max(start);
    let (mut time, mut least) = (start, known);
    for _ in 0..MAX_VALUES {
        // The known bound reaches to the end.
        let at_end = least - rate * (end - time);
        if target + tolerance < at_end {
            return Approach::Clear { at_end };
        }
        let now = distance(time).max(0.0);
        if now <= target + tolerance {
            return Approach::Within { time, distance: now };
        }
        least = now;
        if end <= time || rate == 0.0 {
            return Approach::Clear { at_end: least };
        }
        let next = time + (least - target) / rate;
        if end < next || !(time < next) {
            let at_end = least - rate * (end - time);
            return if end < next { Approach::Clear { at_end } } else { Approach::Undecided { time } };
        }
        least = target;
        time = next;
    }
    Approach::Undecided { time }
}
