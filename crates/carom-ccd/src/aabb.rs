//! Moving axis-aligned boxes that may also grow and shrink: when they touch, and whether they can.
//!
//! - On each axis the boxes overlap for one interval of time. The boxes touch once all three
//!   intervals have begun and none has ended.
//! - Sides may move at different speeds, as in a box around deforming or rotating bodies. The
//!   interval then comes from two lines instead of one.
//! - The swept boxes are polytopes in space and time. They do not meet if the common interval is
//!   empty.
//!
//! Reference: S. Cameron, Collision Detection by Four-Dimensional Intersection Testing, IEEE
//! Transactions on Robotics and Automation 6(3), 1990; C. Ericson, Real-Time Collision Detection,
//! 2005, 5.5.8 (moving boxes).
//! Differs: times are brackets. Boxes that only touch count, even if they slide along each other.

use crate::translate::sound_end;
use crate::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
use carom_geom::{FeatureId, ShapeError, check};
use carom_math::double_double::DoubleDouble;
use glam::DVec3;

/// An axis-aligned box that moves, or whose sides move, along straight lines from the time 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingAabb {
    min: DVec3,
    max: DVec3,
    min_velocity: DVec3,
    max_velocity: DVec3,
    /// Bounds of the rounding of these velocities.
    min_error: DVec3,
    max_error: DVec3,
}

impl MovingAabb {
    /// Builds a box that moves as a whole.
    pub fn new(min: DVec3, max: DVec3, velocity: DVec3) -> Result<MovingAabb, ShapeError> {
        MovingAabb::with_sides(min, max, velocity, velocity)
    }

    /// Builds a box whose lower and upper sides move at different speeds. It is valid only until
    /// the sides pass each other.
    pub fn with_sides(
        min: DVec3,
        max: DVec3,
        min_velocity: DVec3,
        max_velocity: DVec3,
    ) -> Result<MovingAabb, ShapeError> {
        check::point("the lower corner of the box", min)?;
        check::point("the upper corner of the box", max)?;
        check::point("the velocity of the box", min_velocity)?;
        check::point("the velocity of the box", max_velocity)?;
        let least = (max - min).min_element();
        if least < 0.0 {
            return Err(ShapeError::Negative { what: "a side of the box", value: least });
        }
        let exact = DVec3::ZERO;
        Ok(MovingAabb { min, max, min_velocity, max_velocity, min_error: exact, max_error: exact })
    }

    /// Builds a box around points that move along straight lines from `start` at the time 0 to
    /// `end` at the time 1. It is valid in this time. Empty lists, and lists of different lengths,
    /// are errors.
    pub fn around(start: &[DVec3], end: &[DVec3]) -> Result<MovingAabb, ShapeError> {
        if start.is_empty() || start.len() != end.len() {
            return Err(ShapeError::Empty { what: "the points, or their ends" });
        }
        let bounds = |points: &[DVec3]| {
            points
                .iter()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
        };
        for &point in start.iter().chain(end) {
            check::point("a point", point)?;
        }
        let ((min, max), (min_end, max_end)) = (bounds(start), bounds(end));
        let sides = MovingAabb::with_sides(min, max, min_end - min, max_end - max)?;
        // The side at the time 1 is reached to within rounding, which the answers account for.
        let error = |start: DVec3, end: DVec3| {
            DVec3::from_array([0, 1, 2].map(|k| DoubleDouble::difference(end[k], start[k]).low.abs()))
        };
        Ok(MovingAabb { min_error: error(min, min_end), max_error: error(max, max_end), ..sides })
    }

    /// Returns the lower and the upper corner of the box at the time `t`.
    #[inline]
    pub fn at(&self, t: f64) -> [DVec3; 2] {
        [self.min + self.min_velocity * t, self.max + self.max_velocity * t]
    }

    /// Returns the times from 0 to `end` at which the boxes may meet, rounded outwards. `None` if
    /// they certainly do not: their swept volumes in space and time are apart.
    #[inline]
    pub fn may_meet(&self, other: &MovingAabb, end: f64) -> Option<[f64; 2]> {
        let (mut first, mut last) = (0.0, sound_end(end));
        for gap in self.gaps(other) {
            let [from, to] = gap.outer();
            if first < from {
                first = from;
            }
            if to < last {
                last = to;
            }
            if !(first <= last) {
                return None;
            }
        }
        Some([first, last])
    }

    /// Returns the time at which this box, A, first touches the other, B, from 0 to `end`.
    ///
    /// The normal is that of the side that is reached last. If the boxes touch at the start, it is
    /// the axis of least overlap.
    pub fn time_of_impact(&self, other: &MovingAabb, end: f64) -> TimeOfImpact {
        let end = sound_end(end);
        let gaps = self.gaps(other);
        // The boxes are certainly apart before `first_lo` and after `last_hi`. They certainly
        // overlap from `first_hi` to `last_lo`.
        let (mut first_lo, mut first_hi, mut last_lo, mut last_hi) = (0.0_f64, 0.0_f64, end, end);
        let mut side = 0;
        for (i, gap) in gaps.iter().enumerate() {
            let ([from, to], [begun, ended]) = (gap.outer(), gap.inner());
            if first_lo < from {
                (first_lo, side) = (from, i);
            }
            first_hi = first_hi.max(begun);
            last_hi = if to < last_hi { to } else { last_hi };
            last_lo = last_lo.min(ended);
        }
        if !(first_lo <= last_hi) {
            let low = gaps.iter().map(|gap| gap.least(end)).fold(0.0, f64::max);
            return TimeOfImpact::Clear(Clear::new(low));
        }
        if first_lo == 0.0 {
            // The nearest side, with its axis.
            side = (0..6).fold(0, |best, i| if gaps[best].value < gaps[i].value { i } else { best });
        }
        let normal = if side < 3 { DVec3::AXES[side] } else { -DVec3::AXES[side - 3] };
        if !(first_hi <= last_lo) {
            let [a, b] = [self.at(first_lo), other.at(first_lo)];
            let apart = (b[0] - a[1]).max(a[0] - b[1]).max(DVec3::ZERO);
            return TimeOfImpact::Undecided(Undecided::new(first_lo, apart.length(), Why::WithinRounding));
        }
        let [a, b] = [self.at(first_hi), other.at(first_hi)];
        let middle = (a[0].max(b[0]) + a[1].min(b[1])) * 0.5;
        let (mut point_a, mut point_b) = (middle, middle);
        let axis = side % 3;
        (point_a[axis], point_b[axis]) =
            if side < 3 { (a[1][axis], b[0][axis]) } else { (a[0][axis], b[1][axis]) };
        let mut impact = Impact::new([first_lo, first_hi], [point_a, point_b], normal, Proof::Overlap);
        impact.feature_a = FeatureId::face(side as u32);
        impact.feature_b = FeatureId::face(((side + 3) % 6) as u32);
        TimeOfImpact::Hit(impact)
    }

    /// Returns how far B is above A on each axis, and then how far below.
    fn gaps(&self, other: &MovingAabb) -> [Gap; 6] {
        core::array::from_fn(|i| {
            let k = i % 3;
            let [low, high] = if i < 3 { [self, other] } else { [other, self] };
            let velocities = [low.max_velocity[k], high.min_velocity[k]];
            Gap::new([low.max[k], high.min[k]], velocities, low.max_error[k] + high.min_error[k])
        })
    }
}

/// The gap between two sides over time, `value + rate * t`. The boxes are apart while it is
/// positive.
#[derive(Clone, Copy)]
struct Gap {
    value: f64,
    rate: f64,
    /// Bounds the rounding of `value`; `rate_error` is that of `rate`.
    value_error: f64,
    rate_error: f64,
    /// Bounds the error of the two velocities.
    velocity_error: f64,
}

impl Gap {
    fn new(sides: [f64; 2], velocities: [f64; 2], velocity_error: f64) -> Gap {
        let [value, rate] = [sides, velocities].map(|[low, high]| high - low);
        // A difference is rounded by half a unit in its last place, and its sign is exact.
        Gap {
            value,
            rate,
            value_error: 0.5 * f64::EPSILON * value.abs(),
            rate_error: 0.5 * f64::EPSILON * rate.abs(),
            velocity_error,
        }
    }

    /// Returns the times at which the gap may be 0 or less, rounded outwards. Empty if the first is
    /// above the second.
    fn outer(&self) -> [f64; 2] {
        self.times(1.0)
    }

    /// Returns the times at which the gap is certainly 0 or less.
    fn inner(&self) -> [f64; 2] {
        self.times(-1.0)
    }

    fn times(&self, outwards: f64) -> [f64; 2] {
        // The least rate that the velocities allow, or the largest.
        let rate = self.rate - outwards * self.velocity_error;
        if rate == 0.0 {
            return if self.value <= 0.0 {
                [f64::NEG_INFINITY, f64::INFINITY]
            } else {
                [f64::INFINITY, f64::NEG_INFINITY]
            };
        }
        let root = (-self.value / rate).clamp(-f64::MAX, f64::MAX);
        // A rounded quotient of two rounded differences: 3 u, 2^-53 each. With another rate: 4 u.
        let share = if self.velocity_error == 0.0 { 2.0 } else { 3.0 } * f64::EPSILON;
        let off = share * root.abs() + if root == 0.0 { 0.0 } else { f64::MIN_POSITIVE };
        if rate < 0.0 {
            [root - outwards * off, f64::INFINITY]
        } else {
            [f64::NEG_INFINITY, root + outwards * off]
        }
    }

    /// Returns a lower bound of the gap until `end`.
    fn least(&self, end: f64) -> f64 {
        let start = self.value - self.value_error;
        let at_end = self.value + self.rate * end;
        let rounding = 2.0 * f64::EPSILON * (self.value.abs() + self.rate.abs() * end);
        start.min(at_end - rounding - (self.rate_error + self.velocity_error) * end)
    }
}
