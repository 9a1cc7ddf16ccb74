//! The internal result of the pair queries: the nearest or deepest points of two shapes, in `f64`.

use carom_geom::FeatureId;
use carom_gjk::Outcome;
use carom_math::WidePose;
use glam::DVec3;

/// The nearest or deepest points of two shapes, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Signed: negative when the shapes overlap.
    pub(crate) distance: f64,
    /// On A.
    pub(crate) point_a: DVec3,
    /// On B.
    pub(crate) point_b: DVec3,
    /// Unit vector from A to B.
    pub(crate) normal: DVec3,
    /// Triangle or part of A.
    pub(crate) part_a: u32,
    /// Triangle or part of B.
    pub(crate) part_b: u32,
    /// Feature of A.
    pub(crate) feature_a: FeatureId,
    /// Feature of B.
    pub(crate) feature_b: FeatureId,
    /// The accuracy of the distance.
    pub(crate) outcome: Outcome,
    /// Whether a negative distance is that of one pair of parts. Moving by it may not separate the
    /// bodies.
    pub(crate) is_local: bool,
}

impl Closest {
    /// Infinitely far away: the initial value of a search.
    pub(crate) const NOWHERE: Closest = Closest {
        distance: f64::INFINITY,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
        normal: DVec3::ZERO,
        part_a: u32::MAX,
        part_b: u32::MAX,
        feature_a: FeatureId::UNKNOWN,
        feature_b: FeatureId::UNKNOWN,
        outcome: Outcome::Exact,
        is_local: false,
    };

    /// Creates an exact result for two single shapes.
    pub(crate) fn new(distance: f64, point_a: DVec3, point_b: DVec3, normal: DVec3) -> Closest {
        Closest {
            distance,
            point_a,
            point_b,
            normal,
            part_a: 0,
            part_b: 0,
            feature_a: FeatureId::UNKNOWN,
            feature_b: FeatureId::UNKNOWN,
            outcome: Outcome::Exact,
            is_local: false,
        }
    }

    /// Whether a search prefers this result: it is nearer or deeper than the other. Ties go to the
    /// lower part numbers.
    pub(crate) fn is_before(&self, other: &Closest) -> bool {
        let parts = |c: &Closest| (c.part_a, c.part_b);
        self.distance < other.distance || (self.distance == other.distance && parts(self) < parts(other))
    }

    /// Returns the same result with A and B swapped, in B's frame.
    pub(crate) fn swapped(self, b_in_a: &WidePose) -> Closest {
        Closest {
            distance: self.distance,
            point_a: b_in_a.inverse_transform_point(self.point_b),
            point_b: b_in_a.inverse_transform_point(self.point_a),
            normal: -b_in_a.inverse_transform_vector(self.normal),
            part_a: self.part_b,
            part_b: self.part_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            outcome: self.outcome,
            is_local: self.is_local,
        }
    }

    /// Transforms the result by `frame`: the pose of its frame in an outer one.
    pub(crate) fn placed(self, frame: &WidePose) -> Closest {
        Closest {
            point_a: frame.transform_point(self.point_a),
            point_b: frame.transform_point(self.point_b),
            normal: frame.transform_vector(self.normal),
            ..self
        }
    }
}
