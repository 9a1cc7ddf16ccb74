//! Answers of the pair queries, in the world frame.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1 (closest points as the common
//! answer).

use super::super::num::geom::Contact;
use super::super::num::{Real, Vec3, narrow, narrow_real, widen_real};
use crate::closest::Closest;
use carom_gjk::Outcome;
use carom_math::WidePose;

/// The distance of two shapes and their nearest points. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// The distance, a length; 0 if the shapes touch or overlap.
    pub distance: Real,
    /// The point of A nearest to B; a common point if they touch or overlap.
    pub point_a: Vec3,
    /// The point of B nearest to A; a common point if they touch or overlap.
    pub point_b: Vec3,
    /// Unit vector from A to B; zero if they touch or overlap.
    pub normal: Vec3,
    /// The part number in A: that of a triangle, of a point or box of a cluster, or as
    /// [`Compound::locate`](super::Compound::locate) takes it. 0 for a single shape.
    pub part_a: u32,
    /// The part number in B: that of a triangle, of a point or box of a cluster, or as
    /// [`Compound::locate`](super::Compound::locate) takes it. 0 for a single shape.
    pub part_b: u32,
    /// The accuracy of the distance.
    pub outcome: Outcome,
}

/// The deepest contact of two shapes, or their nearest points. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairContact {
    /// Points, normal and signed distance, a length. A negative distance is minus the depth.
    pub contact: Contact,
    /// Whether the depth is that of one pair of parts of concave bodies. Moving by it may not
    /// separate the bodies.
    pub is_local: bool,
    /// The accuracy of the distance.
    pub outcome: Outcome,
}

impl Distance {
    /// The answer if a pose is not finite.
    pub(super) const UNDECIDED: Distance = Distance {
        distance: 0.0,
        point_a: Vec3::ZERO,
        point_b: Vec3::ZERO,
        normal: Vec3::ZERO,
        part_a: 0,
        part_b: 0,
        outcome: Outcome::Undecided,
    };

    /// Returns a lower bound of the true distance, up to the rounding of [`Real`]. A bound above 0
    /// proves that the shapes are apart; `None` if no bound is proved, see [`Outcome::Undecided`].
    pub fn at_least(&self) -> Option<Real> {
        match self.outcome {
            Outcome::Exact => Some(self.distance),
            Outcome::Within(error) => Some(narrow_real((widen_real(self.distance) - error).max(0.0))),
            _ => None,
        }
    }

    /// Transforms an answer by `frame`: the pose of its frame in the world.
    #[inline]
    pub(super) fn placed(c: &Closest, frame: &WidePose) -> Distance {
        let (point_a, point_b) = (frame.transform_point(c.point_a), frame.transform_point(c.point_b));
        let (point_a, point_b, normal) = if 0.0 < c.distance {
            (narrow(point_a), narrow(point_b), narrow(frame.transform_vector(c.normal)))
        } else {
            let middle = narrow(point_a * 0.5 + point_b * 0.5);
            (middle, middle, Vec3::ZERO)
        };
        Distance {
            distance: narrow_real(c.distance.max(0.0)),
            point_a,
            point_b,
            normal,
            part_a: c.part_a,
            part_b: c.part_b,
            outcome: c.outcome,
        }
    }
}

impl PairContact {
    /// The answer if a pose is not finite.
    pub(super) const UNDECIDED: PairContact = PairContact {
        contact: Contact::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0),
        is_local: false,
        outcome: Outcome::Undecided,
    };

    /// Transforms an answer by `frame`: the pose of its frame in the world.
    #[inline]
    pub(super) fn placed(c: &Closest, frame: &WidePose) -> PairContact {
        let contact = Contact::new(
            narrow(frame.transform_point(c.point_a)),
            narrow(frame.transform_point(c.point_b)),
            narrow(frame.transform_vector(c.normal)),
            narrow_real(c.distance),
        );
        PairContact {
            contact: contact.with_parts(c.part_a, c.part_b).with_features(c.feature_a, c.feature_b),
            is_local: c.is_local && c.distance < 0.0,
            outcome: c.outcome,
        }
    }
}
