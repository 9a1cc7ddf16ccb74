//! Half-spaces: everything below a plane through the origin of the frame.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 3.6.

#[cfg(feature = "serde")]
use super::super::num::EPSILON;
use super::super::num::{Pose, Vec3, narrow, widen};
use crate::{ShapeError, check};
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::scaling::unit;
use glam::DVec3;

/// All points x with `normal . x <= 0`. Unbounded, so it has no support map.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct HalfSpace {
    normal: Vec3,
}

/// The data that serde reads, before they are checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked {
    normal: Vec3,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for HalfSpace {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<HalfSpace, ShapeError> {
        let half_space = HalfSpace::new(read.normal)?;
        // A stored normal was rounded, so normalising it again could change its last bit.
        let is_unit = (read.normal - half_space.normal).abs().max_element() <= EPSILON;
        Ok(if is_unit { HalfSpace { normal: read.normal } } else { half_space })
    }
}

impl HalfSpace {
    /// Creates the half-space below the plane through the origin with this outward normal. The
    /// normal has any length but zero, and is finite.
    pub fn new(normal: Vec3) -> Result<HalfSpace, ShapeError> {
        check::point("normal", widen(normal))?;
        let normal = unit(widen(normal)).ok_or(ShapeError::NoDirection { what: "normal" })?;
        Ok(HalfSpace { normal: narrow(normal) })
    }

    /// Returns the outward unit normal, as rounded for storage.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns the normal used in decisions: the stored one, normalised in `f64`.
    #[inline]
    pub fn normal_wide(&self) -> DVec3 {
        unit(widen(self.normal)).unwrap_or(DVec3::Y)
    }

    /// Returns a box around the placed half-space. It is infinite, except along the axis of an
    /// axis-aligned normal.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = pose.wide();
        let normal = pose.transform_vector(self.normal_wide());
        let nothing = <Aabb as BoundingVolume>::EMPTY;
        let (mut min, mut max) = (nothing.max, nothing.min);
        for axis in 0..3 {
            if normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0 {
                let surface = Aabb::from_center_radius(pose.translation, 0.0);
                if 0.0 < normal[axis] {
                    max[axis] = surface.max[axis];
                } else {
                    min[axis] = surface.min[axis];
                }
            }
        }
        Aabb { min, max }
    }
}
