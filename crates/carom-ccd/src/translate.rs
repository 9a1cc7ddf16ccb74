//! The time of impact of two convex bodies that only translate: along axes on which both supports
//! stay the same.
//!
//! - For a fixed axis n the separation of B from A is a linear function of time, and the distance
//!   is never less.
//! - One axis proves all times until its separation ends. The axis between the nearest points at
//!   the touch proves all times before it.
//! - A closed form, if there is one, only proposes the time. Two points prove the contact, slightly
//!   later.
//! - Nothing is claimed that these two proofs do not show, whatever the rounding.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11 (motion is relative); G.
//! van den Bergen, Ray Casting against General Convex Objects with Application to Continuous
//! Collision Detection, 2004 (axis after axis).
//! Differs: both ends of the bracket are proved, rounding included.

use crate::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
use carom_geom::FeatureId;
use carom_math::tol;
use glam::DVec3;

/// Two convex bodies. B moves along a line relative to A. Lengths are scaled to about 1.
pub(crate) trait Translating {
    /// Returns the nearest points at the time `t`: an upper bound of the distance, and a proposed
    /// axis.
    fn nearest(&self, t: f64) -> Near;

    /// Returns `a` and `b` such that the distance is above `a + b t` at all times `t` from 0 on.
    /// The axis has length 1 to rounding.
    fn separation(&self, axis: DVec3) -> [f64; 2];

    /// Returns `e` and `f` such that the rounding is at most `e + f t` at the time `t`.
    fn rounding(&self) -> [f64; 2];

    /// Whether the bodies have a common point at the time 0, decided exactly. It is called if
    /// rounding leaves that open.
    fn touch_at_start(&self) -> bool;
}

/// The known nearest points of two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// An upper bound of the distance. It is 0 or less only if the bodies certainly overlap.
    pub(crate) gap: f64,
    /// Unit vector from A towards B.
    pub(crate) axis: DVec3,
    pub(crate) points: [DVec3; 2],
    pub(crate) features: [FeatureId; 2],
}

/// The most steps of a search. A touch in passing is found by halving, in about 26 steps.
const MAX_STEPS: u32 = 96;

/// The number of halvings of the time in which bodies pass each other: to a billionth of it.
const N_HALVINGS: u32 = 30;

/// A proven bound of at least this fraction of the distance is accepted.
const NEARLY_ALL: f64 = 0.9;

/// Returns a valid end time. NaN and negative give 0, and infinity gives a finite time.
pub(crate) fn sound_end(end: f64) -> f64 {
    if 0.0 < end { end.min(tol::MAX_LENGTH) } else { 0.0 }
}

/// Returns the first time in 0 to `end` at which the bodies have a common point. `hint` is a guess
/// of that time, or of the time at which they are nearest. `scale` is the factor on lengths.
pub(crate) fn first_contact<P: Translating>(pair: &P, hint: f64, end: f64, scale: f64) -> TimeOfImpact {
    let hit = |t_lo: f64, t_hi: f64, near: &Near| {
        let points = near.points.map(|point| point / scale);
        let mut impact = Impact::new([t_lo, t_hi], points, near.axis, Proof::Overlap);
        [impact.feature_a, impact.feature_b] = near.features;
        TimeOfImpact::Hit(impact)
    };
    let [e, f] = pair.rounding();
    let start = pair.nearest(0.0);
    if start.gap <= 0.0 {
        return hit(0.0, 0.0, &start);
    }
    if start.gap <= 4.0 * e && pair.touch_at_start() {
        return hit(0.0, 0.0, &start);
    }
    let mut apart = Apart { until: 0.0, low: f64::INFINITY, rate: 0.0 };
    let mut probe = if 0.0 < hint { hint.min(end) } else { 0.0 };
    let mut ahead = 0.0;
    for _ in 0..MAX_STEPS {
        let near = if 0.0 < probe { pair.nearest(probe) } else { start };
        if near.gap <= 0.0 && 0.0 < ahead {
            return hit(apart.until, probe, &near);
        }
        let t = apart.until;
        for axis in [near.axis, pair.nearest(t).axis] {
            if apart.extend(pair.separation(axis), end) {
                let low = if t == 0.0 { apart.low } else { low_bound(pair, end, apart.low) };
                return TimeOfImpact::Clear(Clear::new(low / scale));
            }
        }
        // A little later, so that the contact exceeds rounding. If that is not enough, later still.
        let now = apart.until;
        let least = (4.0 * f64::EPSILON * now).max(f64::MIN_POSITIVE);
        let has_advanced = t < now;
        if end <= probe && 0.0 < ahead && !has_advanced {
            break;
        }
        ahead = if has_advanced { 3.0 * (e + f * now) / apart.rate } else { 2.0 * ahead }.max(least);
        probe = (now + ahead).min(end);
    }
    let t = apart.until;
    let near = pair.nearest(t);
    TimeOfImpact::Undecided(Undecided::new(t, near.gap.max(0.0) / scale, Why::WithinRounding))
}

/// Returns a lower bound of the distance of bodies that certainly pass each other. The axis at
/// their nearest time proves it. The sign of the speed along an axis shows on which side that time
/// is.
fn low_bound<P: Translating>(pair: &P, end: f64, low: f64) -> f64 {
    let (mut from, mut to, mut low) = (0.0, end, low);
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (from + to);
        let near = pair.nearest(middle);
        let [a, b] = pair.separation(near.axis);
        low = low.max(a.min(a + b * end));
        if NEARLY_ALL * near.gap <= low {
            break;
        }
        if b < 0.0 { from = middle } else { to = middle }
    }
    low
}

/// The bodies are apart on [0, until), and never nearer than `low`.
struct Apart {
    until: f64,
    low: f64,
    /// The approach speed along the last axis that proved it.
    rate: f64,
}

impl Apart {
    /// Extends the proof by one axis. Returns whether the bodies are apart up to the end.
    fn extend(&mut self, [a, b]: [f64; 2], end: f64) -> bool {
        let here = a + b * self.until;
        if !(0.0 < here) {
            return false;
        }
        // The root is rounded, so the separation just before it is not used.
        let root = if b < 0.0 { a / -b } else { f64::INFINITY };
        if end < root {
            // A bound along this axis from now on, or over all the time if that is larger.
            let at_end = a + b * end;
            self.low = self.low.min(here.min(at_end)).max(a.min(at_end)).max(0.0);
            return true;
        }
        if self.until < root {
            *self = Apart { until: root, low: 0.0, rate: -b };
        }
        false
    }
}
