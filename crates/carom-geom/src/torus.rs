//! The signed distance of a torus: a ball swept along a circle.
//!
//! With rho the distance of a point from the axis, the distance from the circle is
//! hypot(rho - R, y), and that from the surface is less by r. Three facts carry the queries:
//!
//! - **Lower bound in a box.** In a half-plane through the axis the distance is convex. Around the
//!   axis it bends downwards by at most 1 / rho. So a tangent plane, lowered by the horizontal half
//!   diagonal squared over 2 rho, is a linear lower bound. A box that holds part of the axis has
//!   the constant bound of its ranges of rho and y.
//! - **Line.** It crosses the surface at the roots of a quartic. The extrema of the quartic
//!   separate its roots, and the extrema lie between the roots of its second derivative. The sign
//!   of the distance itself, which has no cancellation, locates the roots by bisection.
//! - **Degenerate points.** On the axis each direction to the circle is equally near, and on the
//!   circle each direction across it. One is chosen.
//!
//! Reference: J. Hart, Sphere Tracing, The Visual Computer 12(10), 1996, appendix A (the distance);
//! J. Hanrahan, Ray Tracing Algebraic Surfaces, SIGGRAPH 1983 (the quartic).

use crate::distance_field::{Crossing, DistanceSample, LinearFloor};
use carom_math::ops::sqrt;
use carom_math::scaling::{hypot, length, unit};
use core::ops::ControlFlow;
use glam::DVec3;

/// Halvings of an interval with a root: all digits of `f64`.
const N_HALVINGS: u32 = 64;

/// Per reach of a torus: a distance from the centre at which a line is surely outside.
const CLEARANCE_RATIO: f64 = 1.0625;

/// The radii of a torus: that of the circle and that of the ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Radii {
    pub(crate) major: f64,
    pub(crate) minor: f64,
}

impl Radii {
    /// Returns the distance of the farthest point from the centre.
    pub(crate) fn reach(&self) -> f64 {
        self.major + self.minor
    }

    /// Bounds the rounding of a distance.
    fn slack(&self) -> f64 {
        16.0 * f64::EPSILON * self.reach()
    }

    /// Returns the nearest point of the circle.
    fn on_circle(&self, point: DVec3) -> DVec3 {
        let out = unit(DVec3::new(point.x, 0.0, point.z)).unwrap_or(DVec3::X);
        out * self.major
    }

    /// Returns the signed distance of a point and its gradient.
    pub(crate) fn sample(&self, point: DVec3) -> DistanceSample {
        let rho = hypot(point.x, point.z);
        let distance = hypot(rho - self.major, point.y) - self.minor;
        let gradient = unit(point - self.on_circle(point)).unwrap_or(DVec3::Y);
        DistanceSample { distance, gradient }
    }

    /// Returns the nearest point of the surface and the signed distance.
    pub(crate) fn nearest(&self, point: DVec3) -> (DVec3, f64) {
        let DistanceSample { distance, gradient } = self.sample(point);
        (self.on_circle(point) + gradient * self.minor, distance)
    }

    /// Returns lower bounds of the distance in a box. Whether each of its points has a sample is
    /// left to the caller.
    pub(crate) fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor {
        let (x, z) = (center.x.abs(), center.z.abs());
        let least_rho = hypot((x - half.x).max(0.0), (z - half.z).max(0.0));
        let greatest_rho = hypot(x + half.x, z + half.z);
        let across = (least_rho - self.major).max(self.major - greatest_rho).max(0.0);
        let along = (center.y.abs() - half.y).max(0.0);
        let least = hypot(across, along) - self.minor - self.slack();
        let constant = LinearFloor { value: least, gradient: DVec3::ZERO, least, is_whole: true };
        let bend = (half.x * half.x + half.z * half.z) / (2.0 * least_rho);
        // False on the axis, where it is infinite or NaN.
        if !(bend < self.reach()) {
            return constant;
        }
        let DistanceSample { distance, gradient } = self.sample(center);
        let value = distance - bend - self.slack();
        LinearFloor { value, gradient, least, is_whole: true }
    }

    /// Visits the crossings of a line and the surface, for parameters from `from` to `to`, in
    /// order.
    pub(crate) fn visit_crossings(
        &self,
        [origin, direction]: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    ) {
        let (speed, Some(along)) = (length(direction), unit(direction)) else { return };
        if !(origin.is_finite() && speed.is_finite()) {
            return;
        }
        // From the point of the line that is nearest to the centre, in lengths.
        let start = origin - along * origin.dot(along);
        // The ends are clear of the surface, which a line in the middle plane leaves at the reach.
        let reach = CLEARANCE_RATIO * self.reach();
        let left = reach * reach - start.length_squared();
        if !(0.0 <= left) {
            return;
        }
        let position_of = |s: f64| start + along * s;
        let distance = |s: f64| self.sample(position_of(s)).distance;
        let (mut low, mut is_in) = (-sqrt(left), false);
        for high in self.extrema(start, along, sqrt(left)) {
            if (distance(high) < 0.0) == is_in {
                low = high;
                continue;
            }
            let s = root(low, high, |s| (distance(s) < 0.0) == is_in);
            let t = (s - origin.dot(along)) / speed;
            let crossing = Crossing { t, normal: self.sample(position_of(s)).gradient, is_leaving: is_in };
            if from <= t && t <= to && visit(crossing).is_break() {
                return;
            }
            (low, is_in) = (high, !is_in);
        }
    }

    /// Returns the extrema of the quartic of a line between `-end` and `end`, then `end`, in order.
    /// A unit direction is given, and the point of the line that is nearest to the centre.
    fn extrema(&self, start: DVec3, along: DVec3, end: f64) -> impl Iterator<Item = f64> {
        // (s^2 + k)^2 - 4 R^2 rho(s)^2 is s^4 + a s^2 + b s and a constant; half its derivative is
        // 2 s^3 + a s + b / 2.
        let k = start.length_squared() + self.major * self.major - self.minor * self.minor;
        let four = 4.0 * self.major * self.major;
        let a = 2.0 * k - four * (along.x * along.x + along.z * along.z);
        let half_b = -four * (start.x * along.x + start.z * along.z);
        let slope = move |s: f64| (2.0 * s * s + a) * s + half_b;
        let bend = sqrt((-a / 6.0).max(0.0)).min(end);
        let ends = [-end, -bend, bend, end];
        let mut extrema = [end; 4];
        let mut n = 0;
        for [low, high] in [[ends[0], ends[1]], [ends[1], ends[2]], [ends[2], ends[3]]] {
            let is_rising = slope(low) < 0.0;
            if low < high && is_rising != (slope(high) < 0.0) {
                extrema[n] = root(low, high, |s| (slope(s) < 0.0) == is_rising);
                n += 1;
            }
        }
        extrema.into_iter().take(n + 1)
    }
}

/// Returns the place between `low` and `high` at which the condition ends to hold.
fn root(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}
