//! When the balls around two bodies are near: nothing happens before and after.
//!
//! The distance of the centres is convex in time, so it is above what it is at the ends of the time
//! between, where it is evaluated and compared: the roots of the quadratic are only proposals.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.5.5 (intersection of
//! moving spheres).

use crate::body_pair::BodyPair;
use crate::chord::UNIT;
use crate::{ImpactSettings, Motion};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{ops, scaling};
use glam::DVec3;

/// When balls are near enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meeting {
    /// Never: the bodies are at least so far apart.
    Never(f64),
    /// Not before the first and not after the second time, when the bodies are at least `distance`
    /// apart, a length above the target.
    Between {
        /// When they may come near, at the earliest.
        start: f64,
        /// When they are surely apart again.
        end: f64,
        /// How far apart at least before and after; infinite where that is never.
        distance: f64,
    },
}

/// A ball in the frame of a body: what has only a margin.
struct Ball {
    center: DVec3,
    radius: f64,
}

impl SupportMap for Ball {
    fn support(&self, _direction: DVec3) -> SupportPoint {
        SupportPoint { point: self.center, vertex: 0 }
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        0.0
    }

    fn margin(&self) -> f64 {
        self.radius
    }
}

/// When two moving bodies may come within the target distance of each other, as far as balls around
/// them tell: middle and radius of each, in the frame of its body. It costs less than any search,
/// and what it says is as certain.
pub fn meeting_of_balls(
    ball_a: (DVec3, f64),
    motion_a: &Motion,
    ball_b: (DVec3, f64),
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> Meeting {
    let [a, b] = [ball_a, ball_b].map(|(center, radius)| Ball { center, radius });
    let pair = BodyPair::new(&a, motion_a, &b, motion_b, settings.start_time, settings.max_time);
    meeting(&pair, settings.target_distance.max(0.0))
}

/// When the balls around the bodies may be as near as the target distance.
pub(crate) fn meeting<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    target: f64,
) -> Meeting {
    let (mut start, mut end) = (pair.start, pair.end);
    let gap =
        |t: f64| scaling::length(pair.between_at(t)) * (1.0 - 4.0 * UNIT) - pair.radii() - pair.rounding;
    let v = pair.velocity;
    let vv = v.length_squared();
    // Where the centres are nearest.
    let nearest = if 0.0 < vv { -pair.between.dot(v) / vv } else { start };
    let nearest = nearest.max(start).min(end);
    // The distance is at least that of the nearest time, which the roundings of that time change by
    // less than the slack.
    let least = gap(nearest) - 16.0 * UNIT * scaling::length(v) * (nearest.abs() + (end - start));
    if target < least {
        return Meeting::Never(least);
    }
    let mut distance = f64::INFINITY;
    let radius = pair.radii() + target + pair.rounding;
    let at_nearest = pair.between_at(nearest);
    let beside_sq = at_nearest.length_squared();
    let half = ops::sqrt(((radius * radius - beside_sq) / vv).max(0.0)) * (1.0 + 64.0 * UNIT);
    if half.is_finite() {
        let (first, last) = (nearest - half, nearest + half);
        // Approaching until then, so farther apart before. Not so for NaN.
        if start < first && pair.between_at(first).dot(v) < 0.0 && target < gap(first) {
            start = first;
            distance = distance.min(gap(first));
        }
        if last < end && 0.0 < pair.between_at(last).dot(v) && target < gap(last) {
            end = last;
            distance = distance.min(gap(last));
        }
    }
    Meeting::Between { start, end, distance }
}
