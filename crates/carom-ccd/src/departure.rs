//! The time after which two moving bodies are farther apart than at the start, for searches over a
//! time that is much longer.
//!
//! Rounding grows with the time searched, because positions do. A search over an endless time, or
//! one of a million years, could prove nothing. So it ends when a first contact is certainly past.
//!
//! - The centres of rotation are at the distance d at the start, and move with the relative speed
//!   s.
//! - All points stay within the radii r of the centres. So bodies are at most `d + r` apart at the
//!   start, and at least `s t - d - r` after the time t.
//! - After `2 (d + r) / s` they are farther apart than at the start, ever more. A contact then
//!   follows one at the start, and the distance then is no less than the least before.

use crate::{ImpactSettings, Motion};
use carom_math::scaling::length;
use core::ops::RangeInclusive;
use glam::DVec3;

/// In units of the time after which bodies only move apart: a search over less keeps its end. It
/// is small enough that the rounding of the positions is below a billionth of the distances.
const MAX_TIMES: f64 = (1_u64 << 14) as f64;

/// Length per unit of time: squares of these speeds neither overflow nor underflow.
pub(crate) const SAFE_SPEEDS: RangeInclusive<f64> = 1e-120..=1e120;

impl ImpactSettings {
    /// Returns settings for the same search that end before `max_time` if that is infinite or far
    /// in the future. At the new end the bodies have passed each other, and are farther apart than
    /// at the start.
    ///
    /// `ball_a` and `ball_b` contain the bodies, by centre and radius in the frame of the body.
    /// [`crate::time_of_impact`] and [`crate::near_interval_of_balls`] do this already.
    #[must_use]
    pub fn until_departure(
        &self,
        ball_a: (DVec3, f64),
        motion_a: &Motion,
        ball_b: (DVec3, f64),
        motion_b: &Motion,
    ) -> ImpactSettings {
        let start = self.start_time;
        let between = length(motion_b.center_at(start) - motion_a.center_at(start));
        let speed = length(motion_b.linear() - motion_a.linear());
        self.until_passed(between + reach(ball_a, motion_a) + reach(ball_b, motion_b), speed)
    }

    /// Returns settings with a bound on the time. At this speed a distance of at most `extent`
    /// changes its sign and grows to `extent` in a certain time. The bound is many times that.
    pub(crate) fn until_passed(&self, extent: f64, speed: f64) -> ImpactSettings {
        // Twice what is needed, for rounding.
        let time = 4.0 * (extent + self.target_distance.max(0.0)) / speed;
        // Bodies that do not move relative to each other keep a finite end.
        let max_time = if self.max_time == f64::INFINITY { f64::MAX } else { self.max_time };
        let end = self.start_time + time;
        // False for NaN.
        let is_late = SAFE_SPEEDS.contains(&speed)
            && MAX_TIMES * time < max_time - self.start_time
            && self.start_time < end;
        self.with_max_time(if is_late { end } else { max_time })
    }
}

/// Returns the largest distance of a point of a body from the centre of its motion.
fn reach((center, radius): (DVec3, f64), motion: &Motion) -> f64 {
    length(center - motion.local_center()) + radius
}
