//! Capsules along y, centred: all points within a radius of a segment.
//!
//! As a support map a capsule is its segment with the radius as margin.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 2.3.

use super::super::num::{Pose, Real, wide};
use super::segment::segment_feature;
use crate::bound::around_local;
use crate::{Feature, FeatureId, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::tol;
use glam::DVec3;

/// All points within `radius` of the segment from (0, -`half_height`, 0) to (0, `half_height`, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Capsule {
    half_height: Real,
    radius: Real,
}

unchecked!(Capsule { half_height: Real, radius: Real });

impl Capsule {
    /// Creates a capsule from half the length of its segment, without caps, and its radius. Both
    /// must be finite and not negative.
    pub fn new(half_height: Real, radius: Real) -> Result<Capsule, ShapeError> {
        check::size("half_height", wide(half_height))?;
        check::size("radius", wide(radius))?;
        Ok(Capsule { half_height, radius })
    }

    /// Returns half the length of the segment, without the caps.
    #[inline]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// Returns the radius about the segment.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Returns a box around the placed capsule, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (h, r) = (wide(self.half_height), wide(self.radius));
        let pose = pose.wide();
        let extent = pose.rotation.y_axis.abs() * h + r;
        around_local(-extent, extent, h + r, &pose)
    }
}

impl SupportMap for Capsule {
    /// Returns an end of the segment. Vertex 0 is the upper end, vertex 1 the lower.
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let h = wide(self.half_height);
        if 0.0 <= direction.y {
            SupportPoint { point: DVec3::new(0.0, h, 0.0), vertex: 0 }
        } else {
            SupportPoint { point: DVec3::new(0.0, -h, 0.0), vertex: 1 }
        }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        let h = wide(self.half_height);
        match number {
            0 => Some(DVec3::new(0.0, h, 0.0)),
            1 => Some(DVec3::new(0.0, -h, 0.0)),
            _ => None,
        }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        wide(self.half_height)
    }

    #[inline]
    fn margin(&self) -> f64 {
        wide(self.radius)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        let h = wide(self.half_height);
        segment_feature(DVec3::new(0.0, h, 0.0), DVec3::new(0.0, -h, 0.0), normal, sine, out);
    }

    #[inline]
    fn feature_id(&self, normal: DVec3) -> FeatureId {
        if 0.0 < self.half_height && normal.y.abs() <= tol::FEATURE_SINE {
            FeatureId::edge(0)
        } else {
            // Without length it is a point with the id of the upper end.
            FeatureId::vertex(u32::from(0.0 < self.half_height && normal.y < 0.0))
        }
    }
}
