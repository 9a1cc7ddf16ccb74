//! Convex polygons in space, over a borrowed list of corners.
//!
//! Four corners in floating point are rarely coplanar. The set is therefore defined as the fan of
//! triangles about the first corner, and every result is for that fan. It is the polygon to within
//! the rounding of the corners.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 12.2 (planarity of polygons).

use super::super::num::{Vec3, narrow, widen};
use crate::normal::polygon_normal;
use crate::{ShapeError, check};
use glam::DVec3;

/// A convex polygon as a two-sided sheet. Two corners are a segment, one is a point; collinear
/// corners are their hull. Vertex i is corner i, and edge i starts there. Face 0 is the side from
/// which corners appear counter-clockwise, face 1 the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexPolygon<'a> {
    corners: &'a [Vec3],
}

impl<'a> ConvexPolygon<'a> {
    /// Creates a polygon over its corners in order: at least one, all finite. The caller ensures
    /// that they are coplanar and convex; otherwise the fan about the first corner counts.
    pub fn new(corners: &'a [Vec3]) -> Result<ConvexPolygon<'a>, ShapeError> {
        if corners.is_empty() {
            return Err(ShapeError::Empty { what: "corners" });
        }
        for &corner in corners {
            check::point("corners", widen(corner))?;
        }
        Ok(ConvexPolygon { corners })
    }

    /// Returns the corners, as given.
    #[inline]
    pub fn corners(&self) -> &'a [Vec3] {
        self.corners
    }

    /// Returns the unit normal of the side from which the corners appear counter-clockwise; `None`
    /// if they are collinear.
    pub fn normal(&self) -> Option<Vec3> {
        self.normal_wide().map(narrow)
    }

    /// Returns a corner in `f64`.
    #[inline]
    pub(crate) fn corner_wide(&self, number: usize) -> DVec3 {
        widen(self.corners[number])
    }

    pub(crate) fn normal_wide(&self) -> Option<DVec3> {
        if self.corners.len() < 3 {
            return None;
        }
        polygon_normal(self.corners.len(), |i| self.corner_wide(i))
    }
    /// Returns the triangles of the fan as corner indices; one or two corners give one triangle
    /// without area.
    pub(crate) fn fan(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let n = self.corners.len();
        (1..n.saturating_sub(1).max(2)).map(move |i| [0, i % n, (i + 1) % n])
    }
}
