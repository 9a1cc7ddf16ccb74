//! The separation of two bodies along an axis at any time: a lower bound of their distance for any
//! axis.
//!
//! - For a unit vector n from A to B it is `n . d(t) - h_A(n) - h_B(-n)`, with h the support height
//!   of a body. No search is trusted.
//! - A fixed n, seen from a rotating body, moves on a cone. Its three components are computed once,
//!   and each time costs a sine and a cosine.
//! - An axis may turn with the feature it belongs to, a face or two crossing edges. It then follows
//!   the contact to first order. Without this, steps shrink as an edge rolls over an edge.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, TR96-024, UNC Chapel Hill, 1996. Differs:
//! over time, with a bound on the second derivative for each axis. For a fixed axis it is `w^2 |n
//! x w| rho` for each body. An axis that turns at omega has the bound `(|w - omega|^2 + |w x
//! omega|) r` for each body. The term `|n x omega| (|omega| max |d| + 2 |v|)` is added to it.

use crate::Tally;
use crate::body_pair::{BodyPair, Moment, Moving};
use crate::chord::UNIT;
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_math::{ops, scaling};
use glam::DVec3;

/// A vector that rotates about an axis at a constant rate, from a given time on.
#[derive(Clone, Copy)]
struct Turning {
    along: DVec3,
    across: DVec3,
    ahead: DVec3,
    rate: f64,
    since: f64,
}

impl Turning {
    /// Builds the vector that is `v` at the time `since` and rotates about the unit vector `axis`.
    /// At the rate 0 it is constant.
    fn new(v: DVec3, axis: DVec3, rate: f64, since: f64) -> Turning {
        let along = axis * axis.dot(v);
        Turning { along, across: v - along, ahead: axis.cross(v), rate, since }
    }

    #[inline(always)]
    fn at(&self, t: f64) -> DVec3 {
        if self.rate == 0.0 {
            return self.along + self.across;
        }
        self.turned(ops::sin_cos(self.rate * (t - self.since)))
    }

    /// Returns the vector rotated by the angle with this sine and cosine.
    #[inline(always)]
    fn turned(&self, (sine, cosine): (f64, f64)) -> DVec3 {
        self.along + self.across * cosine + self.ahead * sine
    }
}

/// The axis in the frame of one body.
enum DirectionInBody {
    /// Constant in the body's frame: the support height.
    Same(f64),
    /// A vector that rotates in the body's frame.
    Around(Turning),
    /// The axis and the body rotate differently. The sign is that of the direction.
    Both(f64),
}

/// A unit vector from A to B, fixed or turning, and the bounds of the separation along it.
pub(crate) struct Axis {
    direction: Turning,
    of_a: DirectionInBody,
    of_b: DirectionInBody,
    near_a: SupportPoint,
    near_b: SupportPoint,
    /// The largest second derivative of a vertex pair's separation.
    pub(crate) kappa: f64,
    rounding: f64,
}

const NOWHERE: SupportPoint = SupportPoint { point: DVec3::ZERO, vertex: NO_VERTEX };

/// The factor for the rounding of a second derivative bound.
const ROUNDING_FACTOR: f64 = 1.0 + 64.0 * UNIT;

impl Axis {
    /// Builds a fixed axis. `n` is a unit vector in the outer frame.
    pub(crate) fn fixed<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        pair: &BodyPair<'_, A, B>,
        n: DVec3,
    ) -> Axis {
        let (mut near_a, mut near_b) = (NOWHERE, NOWHERE);
        Axis {
            direction: Turning::new(n, DVec3::ZERO, 0.0, 0.0),
            of_a: direction_in_body(&pair.a, n, &mut near_a),
            of_b: direction_in_body(&pair.b, -n, &mut near_b),
            near_a,
            near_b,
            kappa: (bend_of(&pair.a, n) + bend_of(&pair.b, n)) * ROUNDING_FACTOR,
            rounding: pair.rounding,
        }
    }

    /// Builds an axis that is the unit vector `n` at the time `since` and turns with the angular
    /// velocity `omega`.
    pub(crate) fn turning<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        pair: &BodyPair<'_, A, B>,
        n: DVec3,
        omega: DVec3,
        since: &Moment,
    ) -> Axis {
        let rate = scaling::length(omega);
        if !(0.0 < rate) {
            return Axis::fixed(pair, n);
        }
        let unit = omega / rate;
        let bend = |spin: DVec3, reach: f64| {
            ((spin - omega).length_squared() + scaling::length(spin.cross(omega))) * reach
        };
        let farthest =
            scaling::length(pair.between_at(pair.start)).max(scaling::length(pair.between_at(pair.end)));
        let of_centers =
            scaling::length(n.cross(unit)) * rate * (rate * farthest + 2.0 * scaling::length(pair.velocity));
        let kappa = bend(pair.a.angular(), pair.a.reach) + bend(pair.b.angular(), pair.b.reach) + of_centers;
        let more = (40.0 + 8.0 * rate * 2.0 * pair.latest)
            * (pair.radii() + scaling::length(pair.between) + scaling::length(pair.velocity) * pair.latest);
        let mut near_a = NOWHERE;
        let mut near_b = NOWHERE;
        let of_a = if pair.a.angular() == omega {
            DirectionInBody::Same(pair.a.height(pair.a.rotation_at(since).transpose() * n, &mut near_a))
        } else {
            DirectionInBody::Both(1.0)
        };
        let of_b = if pair.b.angular() == omega {
            DirectionInBody::Same(pair.b.height(-(pair.b.rotation_at(since).transpose() * n), &mut near_b))
        } else {
            DirectionInBody::Both(-1.0)
        };
        Axis {
            direction: Turning::new(n, unit, rate, since.t),
            of_a,
            of_b,
            near_a,
            near_b,
            kappa: kappa * ROUNDING_FACTOR,
            rounding: pair.rounding + UNIT * more,
        }
    }

    /// Returns a bound on the rounding of a separation.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Returns the axis at the time `t`.
    pub(crate) fn at(&self, t: f64) -> DVec3 {
        self.direction.at(t)
    }

    /// Returns a proven lower bound of the distance of the bodies at that time. NaN if a number is
    /// NaN.
    #[inline]
    pub(crate) fn separation<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        &mut self,
        pair: &BodyPair<'_, A, B>,
        moment: &Moment,
        tally: &impl Tally,
    ) -> f64 {
        tally.count(|counters| counters.separations += 1);
        let n = self.direction.at(moment.t);
        let reach_a = reach_of(&pair.a, &self.of_a, n, moment, &mut self.near_a);
        let reach_b = reach_of(&pair.b, &self.of_b, n, moment, &mut self.near_b);
        n.dot(pair.between_at(moment.t)) - (reach_a + reach_b) - self.rounding
    }
}

fn direction_in_body<S: SupportMap + ?Sized>(
    body: &Moving<'_, S>,
    n: DVec3,
    near: &mut SupportPoint,
) -> DirectionInBody {
    let to_body = body.rotation.transpose();
    if !body.turns() {
        return DirectionInBody::Same(body.height(to_body * n, near));
    }
    // In the body's frame the axis turns the other way.
    let turning = Turning::new(n, body.spin_axis, -body.spin_rate, 0.0);
    DirectionInBody::Around(Turning {
        along: to_body * turning.along,
        across: to_body * turning.across,
        ahead: to_body * turning.ahead,
        ..turning
    })
}

#[inline(always)]
fn reach_of<S: SupportMap + ?Sized>(
    body: &Moving<'_, S>,
    in_body: &DirectionInBody,
    n: DVec3,
    moment: &Moment,
    near: &mut SupportPoint,
) -> f64 {
    // In the body's frame the axis turns the other way.
    let back = || {
        let (sine, cosine) = moment.turned(body);
        (-sine, cosine)
    };
    match in_body {
        DirectionInBody::Same(height) => *height,
        DirectionInBody::Around(direction) => body.height(direction.turned(back()), near),
        DirectionInBody::Both(sign) => {
            let n = n * *sign;
            let back = if body.turns() {
                Turning::new(n, body.spin_axis, -body.spin_rate, 0.0).turned(back())
            } else {
                n
            };
            body.height(body.rotation.transpose() * back, near)
        }
    }
}

/// Returns a bound on the second derivative of the separation along a fixed axis from the rotation
/// of one body.
fn bend_of<S: SupportMap + ?Sized>(body: &Moving<'_, S>, n: DVec3) -> f64 {
    if !body.turns() {
        return 0.0;
    }
    let across = scaling::length(n.cross(body.spin_axis));
    body.spin_rate * body.spin_rate * across * body.arm
}
