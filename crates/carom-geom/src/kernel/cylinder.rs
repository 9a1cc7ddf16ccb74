//! Cylinders along y, centred.
//!
//! Face 0 is the upper cap, 1 the lower, 2 the mantle; edge 0 is the upper rim, 1 the lower. The
//! polygon of a cap has 16 fixed corners on the rim: vertices 0 to 15 above, 16 to 31 below.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.4.

use super::super::num::{Pose, Real, wide};
use crate::bound::aabb_from_support;
use crate::round::{N_ROUND, ROUND, radial};
use crate::{Feature, FeatureId, NO_VERTEX, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::scaling::hypot;
use glam::DVec3;

/// All points within `radius` of the y axis and `half_height` of the xz plane; a disc if
/// `half_height` is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Cylinder {
    half_height: Real,
    radius: Real,
}

unchecked!(Cylinder { half_height: Real, radius: Real });

impl Cylinder {
    /// Creates a cylinder from half its height and its radius. Both are lengths, finite and not
    /// negative.
    pub fn new(half_height: Real, radius: Real) -> Result<Cylinder, ShapeError> {
        check::size("half_height", wide(half_height))?;
        check::size("radius", wide(radius))?;
        Ok(Cylinder { half_height, radius })
    }

    /// Returns half the height.
    #[inline]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// Returns the radius.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Returns a box around the placed cylinder, in the parent frame of the pose, rounded
    /// outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

impl SupportMap for Cylinder {
    /// Returns a point of a rim; the centre of a cap for a direction along the axis.
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let (h, r) = (wide(self.half_height), wide(self.radius));
        let (x, z, _) = radial(direction.x, direction.z);
        let y = if direction.y < 0.0 { -h } else { h };
        SupportPoint { point: DVec3::new(r * x, y, r * z), vertex: NO_VERTEX }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        hypot(wide(self.half_height), wide(self.radius)) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let (h, r) = (wide(self.half_height), wide(self.radius));
        let is_lower = normal.y < 0.0;
        let (x, z, horizontal) = radial(normal.x, normal.z);
        if horizontal <= sine {
            // A cap.
            cap_feature(if is_lower { -h } else { h }, r, is_lower, out);
        } else if normal.y.abs() <= sine {
            // A line of the mantle.
            out.id = FeatureId::face(2);
            out.push(DVec3::new(r * x, h, r * z), FeatureId::edge(0));
            out.push(DVec3::new(r * x, -h, r * z), FeatureId::edge(1));
        } else {
            // A point of a rim.
            out.id = FeatureId::edge(u32::from(is_lower));
            out.push(DVec3::new(r * x, if is_lower { -h } else { h }, r * z), out.id);
        }
    }
}

/// Fills in the polygon that stands for a disc at height y. Its outward normal is +y, or -y for a
/// lower cap.
pub(crate) fn cap_feature(y: f64, r: f64, is_lower: bool, out: &mut Feature) {
    out.id = FeatureId::face(u32::from(is_lower));
    out.normal = if is_lower { DVec3::NEG_Y } else { DVec3::Y };
    for i in 0..N_ROUND {
        let number = if is_lower { N_ROUND - 1 - i } else { i };
        let (x, z) = ROUND[number];
        let id = FeatureId::vertex((number + if is_lower { N_ROUND } else { 0 }) as u32);
        out.push(DVec3::new(r * x, y, r * z), id);
    }
}
