//! When do two convex bodies touch that only translate: along axes on which both stay where they
//! are.
//!
//! For a fixed axis n the separation of B from A is a linear function of time, and the distance is
//! never less. So one axis proves all the time until its separation ends, and the axis between the
//! nearest points at the touch proves all the time before it. A closed form, where there is one,
//! only says where to look first; contact is proved by two points, somewhat later. Whatever
//! rounding did to either, nothing is claimed that these two do not show.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.11 (motion is relative); G.
//! van den Bergen, Ray Casting against General Convex Objects with Application to Continuous
//! Collision Detection, 2004 (axis after axis).
//! Differs: both ends of the time are proved, with the rounding of each.

use crate::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
use carom_geom::FeatureId;
use carom_math::tol;
use glam::DVec3;

/// Two convex bodies, B moving along a line with respect to A, lengths scaled to about 1.
pub(crate) trait Translating {
    /// Where the bodies are nearest each other at the time `t`: an upper bound of their distance,
    /// and a proposal for an axis.
    fn nearest(&self, t: f64) -> Near;

    /// `a` and `b` such that the distance is above `a + b t` at all times `t` from 0 on, for an
    /// axis of length 1 to rounding.
    fn separation(&self, axis: DVec3) -> [f64; 2];

    /// `e` and `f`, so that rounding is at most `e + f t` at the time `t`.
    fn rounding(&self) -> [f64; 2];

    /// The bodies have a point in common at the time 0, decided exactly; asked where rounding
    /// leaves it open.
    fn touch_at_start(&self) -> bool;
}

/// What is known of the nearest points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The distance is not more than this, which is not more than 0 only where the bodies surely
    /// overlap.
    pub(crate) gap: f64,
    /// From A towards B, unit.
    pub(crate) axis: DVec3,
    pub(crate) points: [DVec3; 2],
    pub(crate) features: [FeatureId; 2],
}

/// Looks at so many times before it gives up: a touch in passing is found by halving, some 26
/// times.
const N_LOOKS: u32 = 96;

/// Halvings of the time in which bodies pass each other: to a billionth of it.
const N_HALVINGS: u32 = 30;

/// A proven bound as near the distance as this is good enough.
const NEARLY_ALL: f64 = 0.9;

/// The end of the time asked about: NaN and negative are 0, and there is an end.
pub(crate) fn sound_end(end: f64) -> f64 {
    if 0.0 < end { end.min(tol::MAX_LENGTH) } else { 0.0 }
}

/// When they first have a point in common, in the time from 0 to `end`. `hint`: when this may be,
/// or when they are nearest. `scale`: what the lengths were multiplied by.
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
    for _ in 0..N_LOOKS {
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
        // A little later, by what takes contact out of rounding; farther where that was not enough.
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

/// Bodies that surely pass each other: by how much at least. The axis of where they are nearest
/// proves it, and when that is, the sign of the speed along the axis tells.
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

/// Apart on [0, until), never nearer than `low`.
struct Apart {
    until: f64,
    low: f64,
    /// How fast they approach each other along the last axis that proved it.
    rate: f64,
}

impl Apart {
    /// With one more axis; true if they are apart up to the end.
    fn extend(&mut self, [a, b]: [f64; 2], end: f64) -> bool {
        let here = a + b * self.until;
        if !(0.0 < here) {
            return false;
        }
        // The root is rounded; the separation just before it is not relied on.
        let root = if b < 0.0 { a / -b } else { f64::INFINITY };
        if end < root {
            // Along this axis from now on, or, where that is more, all the time.
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
