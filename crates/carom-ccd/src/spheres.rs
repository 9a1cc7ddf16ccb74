//! The time at which the bounding balls of two bodies are near. Nothing touches before and after.
//!
//! The distance of the centres is convex in time. So before and after an interval around its
//! minimum, it is at least the value at that end. The code computes and compares these values. The
//! roots of the quadratic are only proposals.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.5.5 (intersection of
//! moving spheres).

use crate::body_pair::BodyPair;
use crate::chord::UNIT;
use crate::departure::SAFE_SPEEDS;
use crate::{ImpactSettings, Motion};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{ops, scaling};
use glam::DVec3;

/// The time at which two balls are near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NearInterval {
    /// The balls are never near. The number is a lower bound of the distance of the bodies.
    Never(f64),
    /// The balls are near only from `start` to `end`. At all other times the bodies are at least
    /// `distance` apart, a length above the target.
    Between {
        /// The earliest time at which they may be near.
        start: f64,
        /// The time from which they are certainly apart again, or the end of the search.
        end: f64,
        /// A lower bound of the distance before and after. Infinite if there are no such times.
        distance: f64,
    },
}

/// A ball in the frame of a body, whose core is a point.
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

/// Returns the time at which two moving bodies may come within the target distance, by their
/// bounding balls. Each ball is given by centre and radius in the frame of its body. This costs
/// less than a search, and is a proof as well.
pub fn near_interval_of_balls(
    ball_a: (DVec3, f64),
    motion_a: &Motion,
    ball_b: (DVec3, f64),
    motion_b: &Motion,
    settings: &ImpactSettings,
) -> NearInterval {
    let settings = settings.until_departure(ball_a, motion_a, ball_b, motion_b);
    let [a, b] = [ball_a, ball_b].map(|(center, radius)| Ball { center, radius });
    let pair = BodyPair::new(&a, motion_a, &b, motion_b, settings.start_time, settings.max_time);
    near_interval(&pair, settings.target_distance.max(0.0))
}

/// Returns the time at which the bounding balls may come within the target distance.
pub(crate) fn near_interval<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    pair: &BodyPair<'_, A, B>,
    target: f64,
) -> NearInterval {
    let (mut start, mut end) = (pair.start, pair.end);
    let gap =
        |t: f64| scaling::length(pair.between_at(t)) * (1.0 - 4.0 * UNIT) - pair.radii() - pair.rounding;
    let v = pair.velocity;
    if v != DVec3::ZERO && !SAFE_SPEEDS.contains(&scaling::length(v)) {
        // The time at which the centres are nearest is not known.
        return NearInterval::Between { start, end, distance: f64::INFINITY };
    }
    let vv = v.length_squared();
    // The time at which the centres are nearest.
    let nearest = if 0.0 < vv { -pair.between.dot(v) / vv } else { start };
    let nearest = nearest.max(start).min(end);
    // The distance is at least that at the nearest time. The slack covers the rounding of that
    // time.
    let least = gap(nearest) - 16.0 * UNIT * scaling::length(v) * (nearest.abs() + (end - start));
    if target < least {
        return NearInterval::Never(least);
    }
    let mut distance = f64::INFINITY;
    let radius = pair.radii() + target + pair.rounding;
    let at_nearest = pair.between_at(nearest);
    let beside_sq = at_nearest.length_squared();
    let half = ops::sqrt(((radius * radius - beside_sq) / vv).max(0.0)) * (1.0 + 64.0 * UNIT);
    if half.is_finite() {
        let (first, last) = (nearest - half, nearest + half);
        // The balls approach until then, so they are farther apart before. False for NaN.
        if start < first && pair.between_at(first).dot(v) < 0.0 && target < gap(first) {
            start = first;
            distance = distance.min(gap(first));
        }
        if last < end && 0.0 < pair.between_at(last).dot(v) && target < gap(last) {
            end = last;
            distance = distance.min(gap(last));
        }
    }
    NearInterval::Between { start, end, distance }
}
