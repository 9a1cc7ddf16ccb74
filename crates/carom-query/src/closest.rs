//! What the pair functions answer among themselves: the nearest, or deepest, place of two shapes,
//! in `f64`.

use carom_geom::FeatureId;
use carom_gjk::Outcome;
use carom_math::WidePose;
use glam::DVec3;

/// The nearest or deepest place of two shapes, in the frame of A.
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
    /// How far the distance may be trusted.
    pub(crate) outcome: Outcome,
    /// A negative distance is that of one pair of parts: moving by it need not separate the whole
    /// bodies.
    pub(crate) is_local: bool,
}

impl Closest {
    /// Infinitely far away: where nothing has been found yet.
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

    /// An exact answer for two single shapes.
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

    /// Nearer or deeper than the other place; of two alike, with the lower part numbers: which one
    /// a search keeps.
    pub(crate) fn is_before(&self, other: &Closest) -> bool {
        let parts = |c: &Closest| (c.part_a, c.part_b);
        self.distance < other.distance || (self.distance == other.distance && parts(self) < parts(other))
    }

    /// The same place with A and B exchanged, in B's frame.
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

    /// The same place, with points and normal moved out of the frame that `frame` places.
    pub(crate) fn placed(self, frame: &WidePose) -> Closest {
        Closest {
            point_a: frame.transform_point(self.point_a),
            point_b: frame.transform_point(self.point_b),
            normal: frame.transform_vector(self.normal),
            ..self
        }
    }
}
