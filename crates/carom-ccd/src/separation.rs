//! How far apart two bodies are along an axis, at any time: a lower bound of their distance,
//! whatever the axis.
//!
//! For a unit vector n from A to B the separation is `n . d(t) - h_A(n) - h_B(-n)`, h how far a
//! body reaches. No search is trusted: the distance is at least that for any n. A fixed n, seen
//! from a turning body, goes round on a cone: its three parts are found once, and every time costs
//! a sine and a cosine. An axis that turns with the feature it belongs to, a face or two crossing
//! edges, follows the contact to first order; without it an edge that rolls over an edge is
//! approached in ever smaller steps.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, TR96-024, UNC Chapel Hill, 1996. Differs:
//! over time; a bound on the second derivative for each axis, for a fixed one `w^2 |n x w| rho` of
//! either body, for one that turns at the rate omega `(|w - omega|^2 + |w x omega|) r` of either
//! body and `|n x omega| (|omega| max |d| + 2 |v|)`.

use crate::Tally;
use crate::body_pair::{BodyPair, Moment, Moving};
use crate::chord::UNIT;
use carom_geom::{NO_VERTEX, SupportMap, SupportPoint};
use carom_math::{ops, scaling};
use glam::DVec3;

/// A vector that turns about an axis at a constant rate, from a time on.
#[derive(Clone, Copy)]
struct Turning {
    along: DVec3,
    across: DVec3,
    ahead: DVec3,
    rate: f64,
    since: f64,
}

impl Turning {
    /// `v` at the time `since`, turned about the unit vector `axis`, or not at all where the rate
    /// is 0.
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

    /// Turned by the angle with this sine and cosine.
    #[inline(always)]
    fn turned(&self, (sine, cosine): (f64, f64)) -> DVec3 {
        self.along + self.across * cosine + self.ahead * sine
    }
}

/// The axis as one body sees it.
enum Seen {
    /// From the same side at all times: how far the body reaches.
    Same(f64),
    /// As a vector that turns in the body's frame.
    Around(Turning),
    /// The axis and the body turn each in its own way; the sign is that of the direction.
    Both(f64),
}

/// A unit vector from A to B, fixed or turning, and how the separation along it may bend.
pub(crate) struct Axis {
    direction: Turning,
    of_a: Seen,
    of_b: Seen,
    near_a: SupportPoint,
    near_b: SupportPoint,
    /// The largest second derivative of a vertex pair's separation.
    pub(crate) kappa: f64,
    rounding: f64,
}

const NOWHERE: SupportPoint = SupportPoint { point: DVec3::ZERO, vertex: NO_VERTEX };

/// The roundings of a second derivative bound.
const UP: f64 = 1.0 + 64.0 * UNIT;

impl Axis {
    /// An axis that stays as it is. `n` is a unit vector in the outer frame.
    pub(crate) fn fixed<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        pair: &BodyPair<'_, A, B>,
        n: DVec3,
    ) -> Axis {
        let (mut near_a, mut near_b) = (NOWHERE, NOWHERE);
        Axis {
            direction: Turning::new(n, DVec3::ZERO, 0.0, 0.0),
            of_a: seen_fixed(&pair.a, n, &mut near_a),
            of_b: seen_fixed(&pair.b, -n, &mut near_b),
            near_a,
            near_b,
            kappa: (bend_of(&pair.a, n) + bend_of(&pair.b, n)) * UP,
            rounding: pair.rounding,
        }
    }

    /// An axis that is the unit vector `n` at the time `since` and turns with the angular velocity
    /// `omega`.
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
            Seen::Same(pair.a.height(pair.a.rotation_at(since).transpose() * n, &mut near_a))
        } else {
            Seen::Both(1.0)
        };
        let of_b = if pair.b.angular() == omega {
            Seen::Same(pair.b.height(-(pair.b.rotation_at(since).transpose() * n), &mut near_b))
        } else {
            Seen::Both(-1.0)
        };
        Axis {
            direction: Turning::new(n, unit, rate, since.t),
            of_a,
            of_b,
            near_a,
            near_b,
            kappa: kappa * UP,
            rounding: pair.rounding + UNIT * more,
        }
    }

    /// What rounding can do to a separation.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The axis at the time `t`.
    pub(crate) fn at(&self, t: f64) -> DVec3 {
        self.direction.at(t)
    }

    /// A length that the distance of the bodies at that time is surely not below. NaN where a
    /// number is.
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

fn seen_fixed<S: SupportMap + ?Sized>(body: &Moving<'_, S>, n: DVec3, near: &mut SupportPoint) -> Seen {
    let to_body = body.rotation.transpose();
    if !body.turns() {
        return Seen::Same(body.height(to_body * n, near));
    }
    // Seen from the body the axis turns the other way.
    let seen = Turning::new(n, body.spin_axis, -body.spin_rate, 0.0);
    Seen::Around(Turning {
        along: to_body * seen.along,
        across: to_body * seen.across,
        ahead: to_body * seen.ahead,
        ..seen
    })
}

#[inline(always)]
fn reach_of<S: SupportMap + ?Sized>(
    body: &Moving<'_, S>,
    seen: &Seen,
    n: DVec3,
    moment: &Moment,
    near: &mut SupportPoint,
) -> f64 {
    // Seen from the body the axis turns the other way.
    let back = || {
        let (sine, cosine) = moment.turned(body);
        (-sine, cosine)
    };
    match seen {
        Seen::Same(height) => *height,
        Seen::Around(direction) => body.height(direction.turned(back()), near),
        Seen::Both(sign) => {
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

/// How much the separation along a fixed axis may bend for the turning of one body.
fn bend_of<S: SupportMap + ?Sized>(body: &Moving<'_, S>, n: DVec3) -> f64 {
    if !body.turns() {
        return 0.0;
    }
    let across = scaling::length(n.cross(body.spin_axis));
    body.spin_rate * body.spin_rate * across * body.arm
}
