//! Planes in the form n.x + d = 0.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 1.2.1 and 22.3.

use super::super::num::{Real, Vec3};

/// The plane of all x with `normal . x + d = 0`. The normal points to the outside, where distances
/// are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// Unit normal.
    pub normal: Vec3,
    /// Minus the plane's distance from the origin along the normal.
    pub d: Real,
}

impl Plane {
    /// Returns the plane through `point` with the given unit normal.
    #[inline]
    pub fn from_point_normal(point: Vec3, normal: Vec3) -> Plane {
        Plane { normal, d: -normal.dot(point) }
    }

    /// Returns the plane through three points, counter-clockwise seen from outside; `None` if they
    /// lie on a line.
    pub fn from_points(a: Vec3, b: Vec3, c: Vec3) -> Option<Plane> {
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Plane::from_point_normal(a, normal))
    }

    /// Returns the signed distance of a point, positive on the side to which the normal points.
    #[inline]
    pub fn signed_distance(&self, point: Vec3) -> Real {
        self.normal.dot(point) + self.d
    }

    /// Returns the nearest point of the plane.
    #[inline]
    pub fn project(&self, point: Vec3) -> Vec3 {
        point - self.normal * self.signed_distance(point)
    }
}
