//! Two moving bodies relative to A's centre, without A's rotation. All bounds are computed in this
//! frame.
//!
//! Only the difference of the two centres is used, `d(t) = d + v t`, so no accuracy is lost far
//! from the origin. For a body that does not rotate, the pivot is moved to the middle of its shape.
//! The ball around it is then small.
//!
//! Rounding is one number per search, subtracted from every separation. Per vertex at the distance
//! r from the centre, in units of u = 2^-53:
//!
//! - rotation matrix, nine entries of about ten roundings: 30
//! - Rodrigues' formula with a rounded axis: 25
//! - sine and cosine: 2
//! - the angle, a product with a rounded rate, doubled: 4 |w| t
//! - products with a unit vector: 8
//! - the centres: 10 times their distance
//!
//! Checked with 60 digits, the worst error was 0.06 of the bound.
//!
//! Reference: N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3 (bounds
//! for inner products).

use crate::chord::UNIT;
use crate::{Motion, Proposal};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{WidePose, ops};
use core::cell::Cell;
use glam::{DMat3, DVec3};

/// One of the two bodies.
pub(crate) struct Moving<'s, S: ?Sized> {
    pub(crate) shape: &'s S,
    /// The point about which the body rotates, in its own frame.
    pub(crate) pivot: DVec3,
    /// The orientation at the time 0.
    pub(crate) rotation: DMat3,
    /// A unit vector, or zero if the body does not rotate.
    pub(crate) spin_axis: DVec3,
    /// Radians per unit of time.
    pub(crate) spin_rate: f64,
    /// The largest distance of a point of the core from the pivot.
    pub(crate) reach: f64,
    /// The largest distance of a point of the core from the rotation axis.
    pub(crate) arm: f64,
    pub(crate) margin: f64,
    /// Whether `support` is rounded, so that the exact support has to climb from it.
    pub(crate) climbs: bool,
    /// The offset of the pivot from the centre of the motion, in the outer frame.
    offset: DVec3,
    /// 0 for A, 1 for B.
    number: usize,
}

impl<'s, S: SupportMap + ?Sized> Moving<'s, S> {
    fn new(shape: &'s S, motion: &Motion, number: usize) -> Moving<'s, S> {
        let rotation = WidePose::from_quat(motion.rotation(), DVec3::ZERO).rotation;
        let angular = motion.angular();
        let center = shape.center();
        // The rounding of lengths and of the sum.
        let up = 1.0 + 16.0 * UNIT;
        if angular == DVec3::ZERO {
            let reach = shape.radius() * up;
            return Moving {
                shape,
                pivot: center,
                rotation,
                spin_axis: DVec3::ZERO,
                spin_rate: 0.0,
                reach,
                arm: reach,
                margin: shape.margin(),
                climbs: 0.0 < shape.support_slack(),
                offset: rotation * (center - motion.local_center()),
                number,
            };
        }
        let spin_rate = carom_math::scaling::length(angular);
        let turns = 0.0 < spin_rate;
        let spin_axis = if turns { angular / spin_rate } else { DVec3::ZERO };
        let pivot = if turns { motion.local_center() } else { center };
        let offset = if turns { DVec3::ZERO } else { rotation * (center - motion.local_center()) };
        let out = center - pivot;
        let beside = spin_axis.cross(rotation * out);
        Moving {
            shape,
            pivot,
            rotation,
            spin_axis,
            spin_rate,
            reach: (carom_math::scaling::length(out) + shape.radius()) * up,
            arm: (carom_math::scaling::length(beside) + shape.radius()) * up
                + 64.0 * UNIT * carom_math::scaling::length(out),
            margin: shape.margin(),
            climbs: 0.0 < shape.support_slack(),
            offset,
            number,
        }
    }

    pub(crate) fn turns(&self) -> bool {
        0.0 < self.spin_rate
    }

    /// Returns the angular velocity.
    pub(crate) fn angular(&self) -> DVec3 {
        self.spin_axis * self.spin_rate
    }

    /// Returns the largest distance of a point of the body, margin included, from the pivot.
    pub(crate) fn radius(&self) -> f64 {
        self.reach + self.margin
    }

    /// Returns the orientation at that time.
    pub(crate) fn rotation_at(&self, moment: &Moment) -> DMat3 {
        if !self.turns() {
            return self.rotation;
        }
        let (sine, cosine) = moment.turned(self);
        let w = self.spin_axis;
        let column = |v: DVec3| v * cosine + w.cross(v) * sine + w * (w.dot(v) * (1.0 - cosine));
        let turn = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        turn * self.rotation
    }

    /// Returns the support height along a unit direction of the body's frame, from the pivot.
    /// `near` is the support point of the last call, and is updated.
    #[inline(always)]
    pub(crate) fn height(&self, direction: DVec3, near: &mut SupportPoint) -> f64 {
        let farthest = if !self.climbs {
            self.shape.support(direction)
        } else if near.vertex == carom_geom::NO_VERTEX {
            self.shape.support_exact(direction, self.shape.support(direction))
        } else {
            self.shape.support_exact(direction, *near)
        };
        *near = farthest;
        (farthest.point - self.pivot).dot(direction) + self.margin
    }

    /// Returns an exact support point of the core along a direction of the body's frame.
    pub(crate) fn farthest(&self, direction: DVec3) -> DVec3 {
        let near = self.shape.support(direction);
        if self.climbs { self.shape.support_exact(direction, near).point } else { near.point }
    }
}

/// Two bodies with their motions.
pub(crate) struct BodyPair<'s, A: ?Sized, B: ?Sized> {
    pub(crate) a: Moving<'s, A>,
    pub(crate) b: Moving<'s, B>,
    /// From A's pivot to B's at the time 0.
    pub(crate) between: DVec3,
    /// Velocity of B's pivot less that of A's.
    pub(crate) velocity: DVec3,
    /// The start and the end of the search.
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// A bound on the rounding of a separation along a fixed axis, and of the position of a point
    /// relative to another.
    pub(crate) rounding: f64,
    /// The largest absolute value of the times.
    pub(crate) latest: f64,
    base_a: DVec3,
    linear_a: DVec3,
}

/// A time, and the sine and cosine of each body's angle at that time. They are computed on first
/// use and shared by all axes. Together they are a tenth of the cost of a search, and nearly a
/// third of them are reused.
pub(crate) struct Moment {
    pub(crate) t: f64,
    turned: [Cell<Option<(f64, f64)>>; 2],
}

impl Moment {
    pub(crate) const fn new(t: f64) -> Moment {
        Moment { t, turned: [const { Cell::new(None) }; 2] }
    }

    /// Returns the sine and cosine of the angle of one of the two bodies.
    #[inline]
    pub(crate) fn turned<S: ?Sized>(&self, body: &Moving<'_, S>) -> (f64, f64) {
        let known = &self.turned[body.number];
        if let Some(known) = known.get() {
            return known;
        }
        let turned = ops::sin_cos(body.spin_rate * self.t);
        known.set(Some(turned));
        turned
    }
}

/// The poses of both bodies at one time.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) rotation_a: DMat3,
    pub(crate) rotation_b: DMat3,
    /// From A's pivot to B's.
    pub(crate) between: DVec3,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> BodyPair<'s, A, B> {
    pub(crate) fn new(
        shape_a: &'s A,
        motion_a: &Motion,
        shape_b: &'s B,
        motion_b: &Motion,
        start: f64,
        end: f64,
    ) -> BodyPair<'s, A, B> {
        let (a, b) = (Moving::new(shape_a, motion_a, 0), Moving::new(shape_b, motion_b, 1));
        let between = (motion_b.center_at(0.0) - motion_a.center_at(0.0)) + (b.offset - a.offset);
        let velocity = motion_b.linear() - motion_a.linear();
        let latest = start.abs().max(end.abs());
        let length = |v: DVec3| carom_math::scaling::length(v);
        let of_body =
            |rate: f64, radius: f64, offset: f64| (80.0 + 8.0 * rate * latest) * radius + 40.0 * offset;
        let sum = of_body(a.spin_rate, a.radius(), length(a.offset))
            + of_body(b.spin_rate, b.radius(), length(b.offset))
            + 16.0 * (length(between) + length(velocity) * latest);
        BodyPair {
            base_a: motion_a.center_at(0.0) + a.offset,
            linear_a: motion_a.linear(),
            a,
            b,
            between,
            velocity,
            start,
            end,
            rounding: UNIT * sum,
            latest,
        }
    }

    /// Returns the sum of the radii.
    pub(crate) fn radii(&self) -> f64 {
        self.a.radius() + self.b.radius()
    }

    pub(crate) fn margins(&self) -> f64 {
        self.a.margin + self.b.margin
    }

    /// Returns the vector from A's pivot to B's at the time `t`.
    pub(crate) fn between_at(&self, t: f64) -> DVec3 {
        self.between + self.velocity * t
    }

    /// Returns the poses of both bodies at the time `t`.
    pub(crate) fn at(&self, t: f64) -> Placed {
        self.placed(&Moment::new(t))
    }

    /// Returns the poses of both bodies at that moment.
    pub(crate) fn placed(&self, moment: &Moment) -> Placed {
        Placed {
            rotation_a: self.a.rotation_at(moment),
            rotation_b: self.b.rotation_at(moment),
            between: self.between_at(moment.t),
        }
    }

    /// Returns B's frame in A's frame, as a search for nearest points takes it.
    pub(crate) fn b_in_a(&self, placed: &Placed) -> WidePose {
        let to_a = placed.rotation_a.transpose();
        let rotation = to_a * placed.rotation_b;
        WidePose { rotation, translation: to_a * placed.between + self.a.pivot - rotation * self.b.pivot }
    }

    /// Transforms a point of A's frame to a vector from A's pivot.
    #[inline]
    pub(crate) fn offset_a(&self, placed: &Placed, point: DVec3) -> DVec3 {
        placed.rotation_a * (point - self.a.pivot)
    }

    /// Transforms a point of B's frame to a vector from A's pivot.
    #[inline]
    pub(crate) fn offset_b(&self, placed: &Placed, point: DVec3) -> DVec3 {
        placed.between + placed.rotation_b * (point - self.b.pivot)
    }

    /// Transforms a vector from A's pivot to the frame of the motions.
    pub(crate) fn in_world(&self, t: f64, point: DVec3) -> DVec3 {
        self.base_a + self.linear_a * t + point
    }

    /// Returns two heights along a unit vector, from A's pivot: the highest point of A and the
    /// lowest point of B.
    pub(crate) fn heights(&self, placed: &Placed, normal: DVec3) -> [f64; 2] {
        let of_a = self.a.farthest(placed.rotation_a.transpose() * normal);
        let of_b = self.b.farthest(placed.rotation_b.transpose() * -normal);
        [
            normal.dot(self.offset_a(placed, of_a)) + self.a.margin,
            normal.dot(self.offset_b(placed, of_b)) - self.b.margin,
        ]
    }

    /// Returns the nearest points of the cores in a proposal, from A's pivot. If the cores meet, it
    /// is a common point, computed from either core.
    pub(crate) fn witness(&self, placed: &Placed, proposal: &Proposal) -> Option<(DVec3, DVec3)> {
        let differences = || {
            core::array::from_fn(|i| {
                self.offset_b(placed, proposal.points_b[i]) - self.offset_a(placed, proposal.points_a[i])
            })
        };
        let [a, b] = proposal.nearest([self.a.pivot, self.b.pivot], differences)?;
        Some((placed.rotation_a * a, placed.between + placed.rotation_b * b))
    }
}
