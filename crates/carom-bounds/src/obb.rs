//! Oriented boxes: a centre, three axes, three half extents.
//!
//! The box is the set of all `center + sum of y_i * axis_i`, `|y_i| <= half_extent_i`, with the axes as they are stored,
//! orthonormal only to within rounding; every test is about that set.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 and 5; Akenine-Moller et al., Real-Time Rendering,
//! 4th ed., 22.13.5 and 25.2.4 (SAT-lite).
//! Differs: an axis need not be exact, as both boxes are projected on the very numbers that were computed, and "apart"
//! is said only beyond what rounding may have done.

use crate::volume::{BoundingVolume, BoundsError};
use crate::{Aabb, obb_fit};
use carom_math::ops::sqrt;
use carom_math::{Pose, WidePose, rounding};
use glam::{DMat3, DVec3, Mat3, Quat, Vec3};

/// A box that may stand at an angle. A negative half extent is nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// Centre.
    pub center: Vec3,
    /// The columns are the axes, orthonormal to within rounding.
    pub axes: Mat3,
    /// Half the size along each axis.
    pub half_extents: Vec3,
}

/// Relative to the lengths that go in: projections of both boxes computed in `f64` are off by less than this.
const PROJECTION: f64 = 16.0 * f64::EPSILON;

/// Relative: how far the squared length of a vector in stored axes may be above its true one, by the rounding of nine
/// numbers to `f32`.
const AXES: f64 = 1e-6;

impl Obb {
    /// A box from its centre, rotation and half extents: finite, not negative, and the rotation of a length near 1 (it is
    /// normalised).
    pub fn new(center: Vec3, rotation: Quat, half_extents: Vec3) -> Result<Obb, BoundsError> {
        if let Some(axis) = (0..3).find(|&k| !(center[k].is_finite() && half_extents[k].is_finite())) {
            return Err(BoundsError::NotFinite { axis });
        }
        if !half_extents.cmpge(Vec3::ZERO).all() {
            return Err(BoundsError::Negative);
        }
        let Ok(pose) = Pose::try_new(rotation, Vec3::ZERO) else { return Err(BoundsError::NotRotation) };
        Ok(Obb { center, axes: pose.wide().rotation.as_mat3(), half_extents })
    }

    /// The box with these axes, orthonormal to within rounding, around points; `EMPTY` for none.
    pub fn from_axes(axes: DMat3, points: &[Vec3]) -> Obb {
        if points.is_empty() {
            return Obb::EMPTY;
        }
        let narrow = axes.as_mat3();
        let axes = narrow.as_dmat3();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in points {
            let along = axes.transpose() * p.as_dvec3();
            low = low.min(along);
            high = high.max(along);
        }
        let center = (axes * ((low + high) * 0.5)).as_vec3();
        let c = center.as_dvec3();
        // From the rounded centre; the inverse of the stored axes is their transpose to 2^-22.
        let (mut half, mut reach) = (DVec3::ZERO, 0.0_f64);
        for p in points {
            let from = p.as_dvec3() - c;
            half = half.max((axes.transpose() * from).abs());
            reach = reach.max(from.abs().element_sum());
        }
        Obb {
            center,
            axes: narrow,
            half_extents: rounding::up3(half + reach * f64::from(2.0 * f32::EPSILON)),
        }
    }

    /// The box from the covariance of points and, about each of its axes, the least rectangle around their shadow: within a
    /// few percent of the least box for most data.
    pub fn from_points_fitted(points: &[Vec3]) -> Obb {
        obb_fit::fit(points, &obb_fit::point_axes(points))
    }

    /// The box of a surface: the axes come from the covariance of its area, so that fine parts count no more than coarse
    /// ones. Corners must be finite.
    pub fn from_triangles(triangles: &[[Vec3; 3]]) -> Obb {
        obb_fit::fit(triangles.as_flattened(), &obb_fit::surface_axes(triangles))
    }

    /// There is no point in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.half_extents.min_element() < 0.0
    }

    /// The eight corners, to within rounding.
    pub fn corners(&self) -> [Vec3; 8] {
        let (c, m, h) = (self.center.as_dvec3(), self.axes.as_dmat3(), self.half_extents.as_dvec3());
        core::array::from_fn(|i| {
            let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            (c + m * (h * DVec3::new(sign(0), sign(1), sign(2)))).as_vec3()
        })
    }

    /// The point lies in the box, or outside by a rounding error.
    pub fn contains_point(&self, point: Vec3) -> bool {
        let from = point.as_dvec3() - self.center.as_dvec3();
        let room = from.abs().element_sum() * f64::from(2.0 * f32::EPSILON);
        let along = (self.axes.as_dmat3().transpose() * from).abs();
        !self.is_empty() && along.cmple(self.half_extents.as_dvec3() + room).all()
    }

    /// The two may touch, judged by the six face axes alone: about one in fifteen pairs that are apart is kept, at less than
    /// half the cost of [`BoundingVolume::overlaps`].
    pub fn overlaps_lite(&self, other: &Obb) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let pair = Pair::new(self, other);
        (0..3).all(|k| !pair.is_apart_along(pair.axes_a.col(k)) && !pair.is_apart_along(pair.axes_b.col(k)))
    }

    /// This box placed by a pose in `f64`, rounded outwards.
    pub fn placed(&self, pose: &WidePose) -> Obb {
        if self.is_empty() {
            return Obb::EMPTY;
        }
        let exact = pose.transform_point(self.center.as_dvec3());
        let center = exact.as_vec3();
        let axes = (pose.rotation * self.axes.as_dmat3()).as_mat3();
        let half = self.half_extents.as_dvec3();
        // The rounded axes move a corner by 2^-24 of each coordinate, the rounded centre all of them.
        let moved = (exact - center.as_dvec3()).abs().element_sum()
            + half.element_sum() * f64::from(2.0 * f32::EPSILON)
            + (self.center.abs().as_dvec3().element_sum() + pose.translation.abs().element_sum())
                * PROJECTION;
        Obb { center, axes, half_extents: rounding::up3(half + moved) }
    }
}

/// Two boxes in `f64`.
struct Pair {
    t: DVec3,
    axes_a: DMat3,
    axes_b: DMat3,
    half_a: DVec3,
    half_b: DVec3,
    /// All lengths that go into a projection.
    size: f64,
}

impl Pair {
    fn new(a: &Obb, b: &Obb) -> Pair {
        let t = b.center.as_dvec3() - a.center.as_dvec3();
        let (half_a, half_b) = (a.half_extents.as_dvec3(), b.half_extents.as_dvec3());
        let size = t.abs().element_sum() + (half_a.element_sum() + half_b.element_sum()) * 2.0;
        Pair { t, axes_a: a.axes.as_dmat3(), axes_b: b.axes.as_dmat3(), half_a, half_b, size }
    }

    /// How far apart the two are along an axis of any length, in units of that length; negative or 0 when they are not.
    fn gap_along(&self, axis: DVec3) -> f64 {
        let radius = (self.axes_a.transpose() * axis).abs().dot(self.half_a)
            + (self.axes_b.transpose() * axis).abs().dot(self.half_b);
        self.t.dot(axis).abs() - radius - axis.abs().element_sum() * self.size * PROJECTION
    }

    fn is_apart_along(&self, axis: DVec3) -> bool {
        0.0 < self.gap_along(axis)
    }
}

impl BoundingVolume for Obb {
    const EMPTY: Obb = Obb { center: Vec3::ZERO, axes: Mat3::IDENTITY, half_extents: Vec3::NEG_INFINITY };

    fn from_aabb(aabb: &Aabb) -> Obb {
        if aabb.max.x < aabb.min.x {
            return Obb::EMPTY;
        }
        let center = aabb.center();
        let c = center.as_dvec3();
        let half = (aabb.max.as_dvec3() - c).max(c - aabb.min.as_dvec3());
        Obb { center, axes: Mat3::IDENTITY, half_extents: rounding::up3(half) }
    }

    fn from_points(points: &[Vec3]) -> Obb {
        Obb::from_points_fitted(points)
    }

    fn merged(&self, other: &Obb) -> Obb {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        let (a, b) = (self.corners(), other.corners());
        let corners: [Vec3; 16] = core::array::from_fn(|i| if i < 8 { a[i] } else { b[i - 8] });
        // Rounded corners may stand inside by half a unit of their size.
        let size = corners.iter().fold(0.0_f64, |s, c| s.max(f64::from(c.abs().max_element())));
        let room = (size * f64::from(2.0 * f32::EPSILON)) as f32;
        let mut best: Option<Obb> = None;
        for axes in [self.axes, other.axes, Mat3::IDENTITY] {
            let mut found = Obb::from_axes(axes.as_dmat3(), &corners);
            found.half_extents = rounding::up3(found.half_extents.as_dvec3() + f64::from(room));
            if best.is_none_or(|b| found.volume() < b.volume()) {
                best = Some(found);
            }
        }
        best.unwrap_or(Obb::EMPTY)
    }

    /// The fifteen axes of the separating axis test.
    fn overlaps(&self, other: &Obb) -> bool {
        if !self.overlaps_lite(other) {
            return false;
        }
        let pair = Pair::new(self, other);
        for i in 0..3 {
            for j in 0..3 {
                // Parallel edges give an axis of length 0, along which nothing is apart.
                if pair.is_apart_along(pair.axes_a.col(i).cross(pair.axes_b.col(j))) {
                    return false;
                }
            }
        }
        true
    }

    fn distance_lower_bound(&self, other: &Obb) -> f32 {
        if self.is_empty() || other.is_empty() {
            return f32::INFINITY;
        }
        let pair = Pair::new(self, other);
        let (mut from_a, mut from_b) = (0.0, 0.0);
        for k in 0..3 {
            let (a, b) =
                (pair.gap_along(pair.axes_a.col(k)).max(0.0), pair.gap_along(pair.axes_b.col(k)).max(0.0));
            from_a += a * a;
            from_b += b * b;
        }
        rounding::down(sqrt(f64::max(from_a, from_b)) * (1.0 - AXES))
    }

    fn transformed(&self, pose: &Pose) -> Obb {
        self.placed(&pose.wide())
    }

    fn to_aabb(&self) -> Aabb {
        if self.is_empty() {
            return Aabb::EMPTY;
        }
        let (c, m, h) = (self.center.as_dvec3(), self.axes.as_dmat3(), self.half_extents.as_dvec3());
        let radius = m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z;
        let radius = radius * (1.0 + PROJECTION) + c.abs() * PROJECTION;
        Aabb::around(c - radius, c + radius)
    }

    #[inline]
    fn center(&self) -> Vec3 {
        self.center
    }

    fn surface_area(&self) -> f32 {
        let h = self.half_extents.max(Vec3::ZERO);
        8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    }

    fn volume(&self) -> f32 {
        let h = self.half_extents.max(Vec3::ZERO);
        8.0 * h.x * h.y * h.z
    }

    #[inline]
    fn size_key(&self) -> f32 {
        self.half_extents.length_squared()
    }
}
