//! Frustum culling of boxes. Each box caches the plane that rejected it last.
//!
//! A box is outside if its innermost corner is outside a plane. A box outside a plane in the last
//! frame is likely still outside, so that plane is tested first.
//!
//! Reference: U. Assarsson, T. Möller, Optimized View Frustum Culling Algorithms for Bounding
//! Boxes, 2000 (plane coherency); G. Gribb, K. Hartmann, Fast Extraction of Viewing Frustum Planes
//! from the World-View-Projection Matrix, 2001.
//! Differs: planes are in `f64` and not normalised. The results "outside" and "inside" include the
//! rounding.

use crate::Aabb;
use crate::volume::BoundsError;
use carom_math::Plane;
use glam::{DVec3, DVec4, Mat4};

/// Six half-spaces, whose normals point outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Face; 6],
}

/// A point is outside if `normal . x + d` is positive. The sums of the absolute values bound the
/// rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Face {
    normal: DVec3,
    d: f64,
    normal_size: DVec3,
    d_size: f64,
}

/// The depth range of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipDepth {
    /// 0 to 1, or 1 to 0 (reversed): Direct3D, Metal, Vulkan, WebGPU.
    ZeroToOne,
    /// -1 to 1: OpenGL.
    MinusOneToOne,
}

/// The position of a box relative to the frustum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culling {
    /// No point of it is in the frustum.
    Outside,
    /// It may be partly in the frustum; the planes do not decide it.
    Intersecting,
    /// Every point of it is in the frustum.
    Inside,
}

/// The plane that rejected a box last. Keep one for each box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastPlane(u8);

/// A bound of the rounding of the value at a corner, relative to the sums of absolute values. It
/// covers a sum of two, three products and three sums.
const VALUE: f64 = 8.0 * f64::EPSILON;

impl Frustum {
    /// Returns the frustum of six planes with outward normals of any length. A zero normal with d
    /// = 0 bounds nothing. The error names the first plane that is not finite.
    pub fn new(planes: [Plane; 6]) -> Result<Frustum, BoundsError> {
        if let Some(plane) = planes.iter().position(|p| !(p.normal.is_finite() && p.d.is_finite())) {
            return Err(BoundsError::Plane { plane });
        }
        let face = |plane: Plane| {
            let (normal, d) = (plane.normal.as_dvec3(), f64::from(plane.d));
            Face { normal, d, normal_size: normal.abs(), d_size: d.abs() }
        };
        Ok(Frustum { planes: planes.map(face) })
    }

    /// Returns the frustum of a matrix from world to clip space. Points inside have x and y
    /// between -w and w, and z in `depth`. A far plane at infinity bounds nothing. The error names
    /// the first column that is not finite.
    pub fn from_view_projection(matrix: &Mat4, depth: ClipDepth) -> Result<Frustum, BoundsError> {
        if let Some(column) = (0..4).find(|&k| !matrix.col(k).is_finite()) {
            return Err(BoundsError::Matrix { column });
        }
        let row = |k: usize| matrix.row(k).as_dvec4();
        let (x, y, z, w) = (row(0), row(1), row(2), row(3));
        // A point is outside if the sum is positive: a - w for a <= w, and so on.
        let face = |a: DVec4, b: DVec4| {
            let (sum, size) = (a + b, a.abs() + b.abs());
            Face { normal: sum.truncate(), d: sum.w, normal_size: size.truncate(), d_size: size.w }
        };
        let near = match depth {
            ClipDepth::ZeroToOne => face(-z, DVec4::ZERO),
            ClipDepth::MinusOneToOne => face(-z, -w),
        };
        Ok(Frustum { planes: [face(-x, -w), face(x, -w), face(-y, -w), face(y, -w), near, face(z, -w)] })
    }

    /// Classifies the box. The plane in `last` is tested first, and `last` is updated if a plane
    /// rejects the box. The result does not depend on `last`.
    pub fn classify(&self, aabb: &Aabb, last: &mut LastPlane) -> Culling {
        if !aabb.min.cmple(aabb.max).all() {
            return Culling::Outside;
        }
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let reach = low.abs().max(high.abs());
        let mut found = Culling::Inside;
        for i in 0..6_u8 {
            // The cached plane is swapped with the first.
            let at = match i {
                0 => last.0 % 6,
                i if i == last.0 % 6 => 0,
                i => i,
            };
            let Face { normal, d, normal_size, d_size } = self.planes[usize::from(at)];
            let inner = DVec3::select(normal.cmplt(DVec3::ZERO), high, low);
            let lost = (normal_size.dot(reach) + d_size) * VALUE;
            if lost < normal.dot(inner) + d {
                *last = LastPlane(at);
                return Culling::Outside;
            }
            let outer = DVec3::select(normal.cmplt(DVec3::ZERO), low, high);
            // An infinite box and a zero normal give NaN, so the box is not inside.
            let bounds_nothing = normal == DVec3::ZERO && d <= 0.0;
            if !(bounds_nothing || normal.dot(outer) + d <= -lost) {
                found = Culling::Intersecting;
            }
        }
        found
    }
}
