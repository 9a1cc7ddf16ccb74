//! Bounds of a moving body in the frame of another moving body, over a time interval and along any
//! direction.
//!
//! A point of B moves along a fixed direction of A's frame. Its second derivative is at most
//! `(|w_B - w_A|^2 + |w_B x w_A|) r + |w_A| (|w_A| max |d| + 2 |v|)`. B's supports at both ends and
//! the chord bound then limit how far it gets in between. Six directions give the box for a query
//! of a tree. The normal of a triangle clears most of the triangles that the box touches.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. Kim, Continuous Collision Detection for Articulated
//! Models using Taylor Models and Temporal Culling, ACM SIGGRAPH 2007 (swept bounds).
//! Differs: chords, with rounding accounted for.

use crate::Motion;
use crate::body_pair::BodyPair;
use crate::chord::{UNIT, chord_bound};
use crate::plane::Origin;
use carom_geom::SupportMap;
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// The motion of B's frame in A's frame.
pub struct Sweep {
    pair: BodyPair<'static, Origin, Origin>,
    /// Bounds of second derivatives: per length from B's pivot, and for all points.
    per_reach: f64,
    for_all: f64,
    is_turning: bool,
    pivot_b: DVec3,
}

/// The motion over one time interval.
pub struct Slab {
    from: WidePose,
    to: WidePose,
    time: f64,
    per_reach: f64,
    for_all: f64,
    is_turning: bool,
    pivot_b: DVec3,
    rounding: f64,
    rounding_per_reach: f64,
}

/// The straight motion of a point of B in A's frame, if neither body rotates.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Straight {
    /// The position at the start.
    pub start: DVec3,
    /// Length per unit of time.
    pub velocity: DVec3,
    /// A length: a bound on the error of a position relative to a point of A, at any time of the
    /// search.
    pub rounding: f64,
}

static ORIGIN: Origin = Origin;

impl Sweep {
    /// Builds the motion of B's frame in A's frame, for intervals within `start` to `end`.
    pub fn new(motion_a: &Motion, motion_b: &Motion, start: f64, end: f64) -> Sweep {
        let pair = BodyPair::new(&ORIGIN, motion_a, &ORIGIN, motion_b, start, end);
        let (w_a, w_b) = (pair.a.angular(), pair.b.angular());
        let rate = scaling::length(w_a);
        let farthest = scaling::length(pair.between_at(start)).max(scaling::length(pair.between_at(end)));
        let up = 1.0 + 64.0 * UNIT;
        Sweep {
            per_reach: up * ((w_b - w_a).length_squared() + scaling::length(w_b.cross(w_a))),
            for_all: up * rate * (rate * farthest + 2.0 * scaling::length(pair.velocity)),
            is_turning: pair.a.turns() || pair.b.turns(),
            pivot_b: pair.b.pivot,
            pair,
        }
    }

    /// Returns the motion of a shape's centre, and the radius of its points around it. `None` if a
    /// body rotates, or neither moves.
    pub fn straight<B: SupportMap + ?Sized>(&self, b: &B) -> Option<Straight> {
        let pair = &self.pair;
        if self.is_turning || pair.velocity == DVec3::ZERO {
            return None;
        }
        let slab = self.slab(pair.start, pair.start);
        let reach = scaling::length(b.center() - self.pivot_b) + b.radius() + b.margin();
        Some(Straight {
            start: slab.from.transform_point(b.center()),
            velocity: pair.a.rotation.transpose() * pair.velocity,
            rounding: slab.rounding + slab.rounding_per_reach * reach,
        })
    }

    /// Returns the motion over the interval between two times within the start and the end.
    pub fn slab(&self, from: f64, to: f64) -> Slab {
        let pair = &self.pair;
        let pose_at = |t: f64| pair.b_in_a(&pair.at(t));
        let start = pose_at(from);
        let to_pose = if self.is_turning {
            pose_at(to)
        } else {
            let shift = pair.a.rotation.transpose() * (pair.velocity * (to - from));
            WidePose { translation: start.translation + shift, ..start }
        };
        let rates = 8.0 * (pair.a.spin_rate + pair.b.spin_rate) * pair.latest;
        let far = scaling::length(pair.between) + scaling::length(pair.velocity) * pair.latest;
        // The error of a separation, plus that of the matrices between the two frames.
        let per_reach = UNIT * (200.0 + 2.0 * rates);
        Slab {
            from: start,
            to: to_pose,
            time: to - from,
            per_reach: self.per_reach,
            for_all: self.for_all,
            is_turning: self.is_turning,
            pivot_b: self.pivot_b,
            rounding: 2.0 * pair.rounding
                + per_reach * (far + scaling::length(pair.a.pivot) + scaling::length(pair.b.pivot)),
            rounding_per_reach: per_reach,
        }
    }
}

impl Slab {
    /// Returns B's frame in A's frame at the start.
    pub fn start(&self) -> &WidePose {
        &self.from
    }

    /// Returns B's frame in A's frame at the end.
    pub fn end(&self) -> &WidePose {
        &self.to
    }

    /// Returns a lower bound of `n . x` over all points x of B, in A's frame, over the interval.
    /// `n` is a unit vector of A's frame.
    #[inline]
    pub fn lowest<B: SupportMap + ?Sized>(&self, b: &B, n: DVec3) -> f64 {
        let reach = scaling::length(b.center() - self.pivot_b) + b.radius();
        self.lowest_of(b, n, reach)
    }

    #[inline]
    fn lowest_of<B: SupportMap + ?Sized>(&self, b: &B, n: DVec3, reach: f64) -> f64 {
        let height = |pose: &WidePose| {
            let along = pose.rotation.transpose() * -n;
            let near = b.support(along);
            let point = if 0.0 < b.support_slack() { b.support_exact(along, near).point } else { near.point };
            n.dot(pose.translation) - along.dot(point)
        };
        let first = height(&self.from);
        let bound = if self.is_turning {
            let kappa = self.per_reach * reach * (1.0 + 16.0 * UNIT) + self.for_all;
            chord_bound(first, height(&self.to), kappa, self.time)
        } else {
            // The same point is lowest at both ends.
            first + n.dot(self.to.translation - self.from.translation).min(0.0)
        };
        let low = bound - b.margin() - self.rounding - self.rounding_per_reach * (reach + b.margin());
        // NaN, as over an endless time, bounds nothing.
        low.max(f64::NEG_INFINITY)
    }

    /// Returns a box in A's frame around B over the interval: its lower and its upper corner.
    pub fn bounds<B: SupportMap + ?Sized>(&self, b: &B) -> [DVec3; 2] {
        let reach = scaling::length(b.center() - self.pivot_b) + b.radius();
        let low = |n: DVec3| self.lowest_of(b, n, reach);
        let min = DVec3::new(low(DVec3::X), low(DVec3::Y), low(DVec3::Z));
        let max = DVec3::new(low(DVec3::NEG_X), low(DVec3::NEG_Y), low(DVec3::NEG_Z));
        [min, -max]
    }
}
