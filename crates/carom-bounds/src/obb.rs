//! Oriented boxes: a centre, three axes, three half extents.
//!
//! The box is the set of all `center + sum of y_i * axis_i`, `|y_i| <= half_extent_i`. The stored
//! axes are orthonormal only up to rounding, and all tests refer to this set.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 and 5; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 22.13.5 and 25.2.4 (SAT-lite).
//! Differs: an axis need not be exact, because both boxes are projected on the same stored
//! numbers. "Apart" is reported only beyond the rounding.

use crate::outward::{Extent, LENGTH, UNDERFLOW, extent, length_up, nearest, size_of, sum_down3, sum_up3};
use crate::volume::{BoundingVolume, BoundsError};
use crate::{Aabb, obb_fit};
use carom_math::ops::sqrt;
use carom_math::{Pose, WidePose, rounding};
use glam::{DMat3, DVec3, Mat3, Quat, Vec3};

/// A box in any orientation. A negative half extent means empty.
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

/// The rounding error of the projections of two boxes on an axis, relative to the input lengths.
///
/// Let u = 2^-53 and a the sum of the axis' components. The difference of centres t is off by u
/// |t|, and its projection by 4 u a |t|. A half extent h is projected by way of a column of length
/// at most 1 + 2^-22. Its error is 6 u a h. The sums of two times three of them and the difference
/// add 7 u of all. So the total is less than 16 u a (|t| + sum of h), and this is 32 u. The error
/// of the axis does not matter: a gap along any axis is a proof.
const PROJECTION: f64 = 16.0 * f64::EPSILON;

/// The relative error of the squared length of a vector in stored axes, from the rounding of nine
/// numbers to `f32`.
const AXES: f64 = 1e-6;

/// The rounding error of components along stored axes, relative to a vector's length. The inverse
/// of a matrix with entries near 1 is off by 16 u, a product by 4 u. This is more than four times
/// that.
const COMPONENT_ERROR: f64 = 64.0 * f64::EPSILON;

/// If the inverse has larger entries, the axes are far from orthonormal.
const SKEWED: f64 = 4.0;

impl Obb {
    /// Returns a box with this centre, rotation and half extents. The rotation is normalised.
    /// Errors: a number that is not finite, a negative half extent, a rotation whose length is not
    /// near 1.
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

    /// Returns the box with these axes around points; `EMPTY` for none. The axes should be
    /// orthonormal up to rounding. If they are far from it, the axes of the frame are used.
    pub fn from_axes<P: Copy + Into<DVec3>>(axes: DMat3, points: &[P]) -> Obb {
        Obb { axes: axes.as_mat3(), ..Obb::EMPTY }.refitted(points)
    }

    /// Returns the box with these axes around points, each with an error of `room`.
    fn around<P: Copy + Into<DVec3>>(axes: Mat3, points: &[P], room: f64) -> Obb {
        let Some(&first) = points.first() else { return Obb::EMPTY };
        let (axes, shares) = match inverse_axes(&axes) {
            Some(shares) => (axes, shares),
            None => (Mat3::IDENTITY, DMat3::IDENTITY),
        };
        // Relative to the first point, so that points far from the origin keep their precision.
        let origin: DVec3 = first.into();
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for &p in points {
            let along = shares * (p.into() - origin);
            low = low.min(along);
            high = high.max(along);
        }
        let center = nearest(origin + axes.as_dmat3() * ((low + high) * 0.5));
        let c = center.as_dvec3();
        // From the rounded centre.
        let (mut half, mut reach) = (DVec3::ZERO, 0.0_f64);
        for &p in points {
            let from = p.into() - c;
            half = half.max((shares * from).abs());
            reach = reach.max(from.abs().element_sum());
        }
        let lost = component_error(&axes, reach) + room * 2.0;
        Obb { center, axes, half_extents: rounding::up3(half * (1.0 + LENGTH) + lost) }
    }

    /// Returns the near-optimal box of a surface, with the covariance of the surface as one more
    /// candidate. Its weights are areas, so finely divided parts do not dominate.
    pub fn from_triangles(triangles: &[[Vec3; 3]]) -> Obb {
        obb_fit::of_surface(triangles)
    }

    /// Whether the box is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.half_extents.min_element() < 0.0
    }

    /// Returns the eight corners, up to rounding.
    pub fn corners(&self) -> [Vec3; 8] {
        let (c, m, h) = (self.center.as_dvec3(), self.axes.as_dmat3(), self.half_extents.as_dvec3());
        core::array::from_fn(|i| {
            let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            (c + m * (h * DVec3::new(sign(0), sign(1), sign(2)))).as_vec3()
        })
    }

    /// Whether the point lies in the box, up to a rounding error.
    pub fn contains_point(&self, point: Vec3) -> bool {
        let from = point.as_dvec3() - self.center.as_dvec3();
        let Some(shares) = inverse_axes(&self.axes) else { return !self.is_empty() };
        let room = component_error(&self.axes, from.abs().element_sum());
        !self.is_empty() && (shares * from).abs().cmple(self.half_extents.as_dvec3() + room).all()
    }

    /// Tests the six face axes only, at less than half the cost of [`BoundingVolume::overlaps`].
    /// It reports some separated pairs: less than one in ten of random ones (test:
    /// `distance::the_six_axes_say_yes_where_the_fifteen_do`).
    pub fn overlaps_lite(&self, other: &Obb) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let pair = Pair::new(self, other);
        (0..3).all(|k| !pair.is_apart_along(pair.axes_a.col(k)) && !pair.is_apart_along(pair.axes_b.col(k)))
    }

    /// Returns the eight corners in `f64`, and their error bound in any direction.
    fn wide_corners(&self) -> ([DVec3; 8], f64) {
        let (c, m, h) = (self.center.as_dvec3(), self.axes.as_dmat3(), self.half_extents.as_dvec3());
        let corners = core::array::from_fn(|i| {
            let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            c + m * (h * DVec3::new(sign(0), sign(1), sign(2)))
        });
        (corners, (c.abs().element_sum() + h.element_sum()) * PROJECTION)
    }

    /// Whether the box is bounded in each direction.
    fn is_bounded(&self) -> bool {
        self.half_extents.max_element() < f32::INFINITY
    }

    /// Returns this box transformed by an `f64` pose, rounded outwards. The empty box stays empty,
    /// and an infinite one becomes all of space.
    pub fn placed(&self, pose: &WidePose) -> Obb {
        if self.is_empty() {
            return Obb::EMPTY;
        }
        let exact = pose.transform_point(self.center.as_dvec3());
        let center = nearest(exact);
        let turned = pose.rotation * self.axes.as_dmat3();
        let axes = turned.as_mat3();
        let half = self.half_extents.as_dvec3();
        let Some(shares) = inverse_axes(&axes) else { return Obb::EVERYTHING };
        // The rounding moves the centre, each axis times its extent, and the products. The
        // components of a rotated corner along the rounded axes change by this.
        let off = turned - axes.as_dmat3();
        let moved = (exact - center.as_dvec3()).abs()
            + off.x_axis.abs() * half.x
            + off.y_axis.abs() * half.y
            + off.z_axis.abs() * half.z;
        let size = self.center.abs().as_dvec3().element_sum()
            + pose.translation.abs().element_sum()
            + half.element_sum();
        let moved = moved + DVec3::splat(if size == 0.0 { 0.0 } else { size * COMPONENT_ERROR + UNDERFLOW });
        let grown = half + absolute(&shares) * moved * (1.0 + COMPONENT_ERROR);
        if !(self.is_bounded() && grown.is_finite()) {
            return Obb::EVERYTHING;
        }
        Obb { center, axes, half_extents: rounding::up3(grown * (1.0 + LENGTH)) }
    }
}

/// Returns the matrix that maps a vector to its components along stored axes. `None` if the axes
/// are far from orthonormal.
fn inverse_axes(axes: &Mat3) -> Option<DMat3> {
    let inverse = axes.as_dmat3().inverse();
    let largest = absolute(&inverse).to_cols_array().into_iter().fold(0.0, f64::max);
    (inverse.is_finite() && largest <= SKEWED).then_some(inverse)
}

/// Returns the error bound of the components of a vector with this sum of absolute values. It is 0
/// along the axes of the frame.
fn component_error(axes: &Mat3, reach: f64) -> f64 {
    if *axes == Mat3::IDENTITY || reach == 0.0 { 0.0 } else { reach * COMPONENT_ERROR + UNDERFLOW }
}

fn absolute(m: &DMat3) -> DMat3 {
    DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs())
}

/// Two boxes in `f64`.
struct Pair {
    t: DVec3,
    axes_a: DMat3,
    axes_b: DMat3,
    half_a: DVec3,
    half_b: DVec3,
    /// The sum of all lengths in a projection.
    size: f64,
}

impl Pair {
    fn new(a: &Obb, b: &Obb) -> Pair {
        let t = b.center.as_dvec3() - a.center.as_dvec3();
        let (half_a, half_b) = (a.half_extents.as_dvec3(), b.half_extents.as_dvec3());
        let size = t.abs().element_sum() + (half_a.element_sum() + half_b.element_sum()) * 2.0;
        Pair { t, axes_a: a.axes.as_dmat3(), axes_b: b.axes.as_dmat3(), half_a, half_b, size }
    }

    /// Returns the gap along an axis of any length, in units of that length. It is negative or 0
    /// if there is none.
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

    const EVERYTHING: Obb = Obb { center: Vec3::ZERO, axes: Mat3::IDENTITY, half_extents: Vec3::INFINITY };

    fn from_aabb(aabb: &Aabb) -> Obb {
        if aabb.max.x < aabb.min.x {
            return Obb::EMPTY;
        }
        let center = aabb.center();
        let c = center.as_dvec3();
        let c = -c;
        let half_extents = sum_up3(aabb.max.as_dvec3(), c).max(-sum_down3(aabb.min.as_dvec3(), c));
        Obb { center, axes: Mat3::IDENTITY, half_extents }
    }

    /// The box is nearly optimal: see the list at the top of the crate.
    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> Obb {
        obb_fit::of_points(points)
    }

    fn merged(&self, other: &Obb) -> Obb {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        if !(self.is_bounded() && other.is_bounded()) {
            return Obb::EVERYTHING;
        }
        let ((a, lost_a), (b, lost_b)) = (self.wide_corners(), other.wide_corners());
        let corners: [DVec3; 16] = core::array::from_fn(|i| if i < 8 { a[i] } else { b[i - 8] });
        let mut best: Option<Obb> = None;
        for axes in [self.axes, other.axes, Mat3::IDENTITY] {
            let found = Obb::around(axes, &corners, lost_a.max(lost_b));
            if best.is_none_or(|b| obb_fit::key(&found) < obb_fit::key(&b)) {
                best = Some(found);
            }
        }
        best.unwrap_or(Obb::EVERYTHING)
    }

    fn refitted<P: Copy + Into<DVec3>>(&self, points: &[P]) -> Obb {
        match extent(points) {
            Extent::Nothing => Obb::EMPTY,
            Extent::Beyond => Obb::EVERYTHING,
            Extent::Within => Obb::around(self.axes, points, 0.0),
        }
    }

    /// Each box is projected as a whole, by its centre and its extent along an axis.
    fn refitted_around(&self, volumes: &[Obb]) -> Obb {
        let present = volumes.iter().filter(|volume| !volume.is_empty());
        let Some(first) = present.clone().next() else { return Obb::EMPTY };
        if !present.clone().all(Obb::is_bounded) {
            return Obb::EVERYTHING;
        }
        let (axes, shares) = match inverse_axes(&self.axes) {
            Some(shares) => (self.axes, shares),
            None => (Mat3::IDENTITY, DMat3::IDENTITY),
        };
        let reach =
            |volume: &Obb| absolute(&(shares * volume.axes.as_dmat3())) * volume.half_extents.as_dvec3();
        let origin = first.center.as_dvec3();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for volume in present.clone() {
            let (along, reach) = (shares * (volume.center.as_dvec3() - origin), reach(volume));
            low = low.min(along - reach);
            high = high.max(along + reach);
        }
        let center = nearest(origin + axes.as_dmat3() * ((low + high) * 0.5));
        // From the rounded centre. No point of a box has components of a greater sum than twice
        // that of its extents.
        let (mut half, mut size) = (DVec3::ZERO, 0.0_f64);
        for volume in present {
            let from = volume.center.as_dvec3() - center.as_dvec3();
            half = half.max((shares * from).abs() + reach(volume));
            let extents = volume.half_extents.as_dvec3().element_sum();
            size = size.max(from.abs().element_sum() + 2.0 * extents);
        }
        let lost = component_error(&axes, size);
        Obb { center, axes, half_extents: rounding::up3(half * (1.0 + LENGTH) + lost) }
    }

    fn inflated(&self, margin: f32) -> Obb {
        if !(0.0 < margin) || self.is_empty() {
            return *self;
        }
        let Some(shares) = inverse_axes(&self.axes) else { return Obb::EVERYTHING };
        // The component of a vector of this length is at most the length of the row.
        let rows = shares.transpose();
        let longest = DVec3::new(length_up(rows.x_axis), length_up(rows.y_axis), length_up(rows.z_axis));
        let grown = longest * (f64::from(margin) * (1.0 + COMPONENT_ERROR));
        Obb { half_extents: sum_up3(self.half_extents.as_dvec3(), grown), ..*self }
    }

    /// Tests the fifteen axes of the separating axis test.
    fn overlaps(&self, other: &Obb) -> bool {
        if !self.overlaps_lite(other) {
            return false;
        }
        let pair = Pair::new(self, other);
        for i in 0..3 {
            for j in 0..3 {
                // Parallel edges give an axis of length 0, which does not separate.
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

    fn placed(&self, pose: &WidePose) -> Obb {
        Obb::placed(self, pose)
    }

    fn to_aabb(&self) -> Aabb {
        if self.is_empty() {
            return Aabb::EMPTY;
        }
        let (c, m, h) = (self.center.as_dvec3(), self.axes.as_dmat3(), self.half_extents.as_dvec3());
        let radius = m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z;
        if !self.is_bounded() {
            return Aabb::EVERYTHING;
        }
        let radius = radius * (1.0 + PROJECTION);
        Aabb { min: sum_down3(c, -radius), max: sum_up3(c, radius) }
    }

    #[inline]
    fn center(&self) -> Vec3 {
        self.center
    }

    fn surface_area(&self) -> f32 {
        let h = self.half_extents.max(Vec3::ZERO).as_dvec3();
        size_of(8.0 * (h.x * h.y + h.y * h.z + h.z * h.x))
    }

    fn volume(&self) -> f32 {
        let h = self.half_extents.max(Vec3::ZERO).as_dvec3();
        size_of(8.0 * h.x * h.y * h.z)
    }

    #[inline]
    fn size_key(&self) -> f32 {
        self.half_extents.length_squared()
    }
}
