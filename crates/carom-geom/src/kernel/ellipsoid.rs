//! Ellipsoids along the axes of their frame, centred.
//!
//! The ellipsoid is R times the unit ball, with R the diagonal matrix of the radii. Its support is
//! R R d / |R d|.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 3.3.2
//! (supports of affine images).

use super::super::num::{Pose, Vec3, wide, widen};
use crate::bound::around_local;
use crate::{NO_VERTEX, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::{balanced, unit};
use glam::DVec3;

/// All points with (x/rx)^2 + (y/ry)^2 + (z/rz)^2 <= 1; flat if a radius is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Ellipsoid {
    radii: Vec3,
}

unchecked!(Ellipsoid { radii: Vec3 });

impl Ellipsoid {
    /// Creates an ellipsoid from its three radii: lengths that are finite and not negative.
    pub fn new(radii: Vec3) -> Result<Ellipsoid, ShapeError> {
        check::size("radii.x", wide(radii.x))?;
        check::size("radii.y", wide(radii.y))?;
        check::size("radii.z", wide(radii.z))?;
        Ok(Ellipsoid { radii })
    }

    /// Returns the radii along x, y and z.
    #[inline]
    pub fn radii(&self) -> Vec3 {
        self.radii
    }

    /// Returns a box around the placed ellipsoid, in the parent frame of the pose, rounded
    /// outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = pose.wide();
        let r = widen(self.radii);
        let (x, y, z) = (pose.rotation.x_axis * r.x, pose.rotation.y_axis * r.y, pose.rotation.z_axis * r.z);
        let squares = x * x + y * y + z * z;
        let extent = DVec3::new(sqrt(squares.x), sqrt(squares.y), sqrt(squares.z));
        around_local(-extent, extent, r.x + r.y + r.z, &pose)
    }
}

impl SupportMap for Ellipsoid {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let r = widen(self.radii);
        // Zero if the ellipsoid is flat and the direction is normal to it: then every point is a
        // farthest one.
        let on_ball = unit(balanced(direction) * r).unwrap_or(DVec3::ZERO);
        SupportPoint { point: on_ball * r, vertex: NO_VERTEX }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn radius(&self) -> f64 {
        widen(self.radii).max_element() * (1.0 + 4.0 * f64::EPSILON)
    }
}
