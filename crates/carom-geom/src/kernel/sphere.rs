//! Balls, centred at the origin of their frame.
//!
//! As a support map a ball is its centre with the radius as margin.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3.

use super::super::num::{Pose, Real, wide};
use crate::bound::around_local;
use crate::{FeatureId, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use glam::DVec3;

/// A ball; a point if its radius is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Sphere {
    radius: Real,
}

unchecked!(Sphere { radius: Real });

impl Sphere {
    /// Creates a ball with this radius: a length, finite and not negative.
    pub fn new(radius: Real) -> Result<Sphere, ShapeError> {
        check::size("radius", wide(radius))?;
        Ok(Sphere { radius })
    }

    /// Returns the radius.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Returns a box around the placed ball, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let r = wide(self.radius);
        around_local(DVec3::splat(-r), DVec3::splat(r), r, &pose.wide())
    }
}

impl SupportMap for Sphere {
    #[inline]
    fn support(&self, _direction: DVec3) -> SupportPoint {
        SupportPoint { point: DVec3::ZERO, vertex: 0 }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number == 0).then_some(DVec3::ZERO)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline]
    fn feature_id(&self, _normal: DVec3) -> FeatureId {
        FeatureId::UNKNOWN
    }

    #[inline]
    fn margin(&self) -> f64 {
        wide(self.radius)
    }
}
