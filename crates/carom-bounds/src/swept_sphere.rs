//! Swept spheres: a ball moved along a segment ([`Lss`], a capsule) or over a rectangle ([`Rss`]).
//!
//! For distances they are about as tight as oriented boxes. The distance of two of them is that of
//! their flat cores minus the radii. The computed closest points only give an axis. The lower
//! bound is the gap of the two volumes along it, minus the rounding.
//!
//! Reference: E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha, Fast Proximity Queries with Swept
//! Sphere Volumes, 1999 (PQP); J. Steiner, Ueber parallele Flaechen, 1840 (volume and area of what
//! lies within a radius of a convex set).
//! Differs: the edges of the core may be slightly non-orthogonal. The set is defined by the stored
//! numbers.

use crate::Aabb;
use crate::outward::{LENGTH, UNDERFLOW, length_up, nearest, size_of, sum_down3, sum_up, sum_up3};
use crate::swept_distance::separation;
use crate::swept_fit;
use crate::volume::{BoundingVolume, BoundsError};
use carom_math::ops::sqrt;
use carom_math::{WidePose, rounding};
use glam::{DVec3, Vec3};

/// All points within `radius` of `center + x_0 * edges[0] + ...`, `|x_i| <= 1`. A negative radius
/// means empty.
///
/// `E` is 1 or 2: take [`Lss`] or [`Rss`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweptSphere<const E: usize> {
    /// Centre.
    pub center: Vec3,
    /// Half the edges of the core.
    #[cfg_attr(feature = "serde", serde(with = "crate::array_serde"))]
    pub edges: [Vec3; E],
    /// Radius.
    pub radius: f32,
}

/// A line swept sphere: a capsule. (The shape `Capsule` is in carom-geom.)
#[doc(alias = "Capsule")]
pub type Lss = SweptSphere<1>;

/// A rectangle swept sphere: a board with round edges.
#[doc(alias = "RectangleSweptSphere")]
pub type Rss = SweptSphere<2>;

/// The rounding error of a point of the core, or of a projection, relative to the input lengths. A
/// product, three sums and a difference give 8 units of rounding; the rest is margin.
pub(crate) const CORE: f64 = 8.0 * f64::EPSILON;

impl<const E: usize> SweptSphere<E> {
    /// Returns the swept sphere with this centre, half edges and radius. Errors: a number that is
    /// not finite, a negative radius.
    pub fn new(center: Vec3, edges: [Vec3; E], radius: f32) -> Result<SweptSphere<E>, BoundsError> {
        for point in core::iter::once(&center).chain(&edges) {
            if let Some(axis) = (0..3).find(|&k| !point[k].is_finite()) {
                return Err(BoundsError::NotFinite { axis });
            }
        }
        if !(0.0 <= radius && radius.is_finite()) {
            return Err(BoundsError::Negative);
        }
        Ok(SweptSphere { center, edges, radius })
    }

    /// Whether the swept sphere is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.radius < 0.0
    }

    /// Whether the point lies in the swept sphere, up to a rounding error.
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.overlaps(&SweptSphere { center: point, edges: [Vec3::ZERO; E], radius: 0.0 })
    }

    /// Returns the edges in `f64`.
    pub(crate) fn wide_edges(&self) -> [DVec3; E] {
        self.edges.map(|e| e.as_dvec3())
    }

    /// Returns a tight upper bound of the distance of a point from the core. The point has an
    /// error of at most `room`.
    pub(crate) fn core_distance_up(&self, point: DVec3, room: f64) -> f64 {
        let from = point - self.center.as_dvec3();
        let mut rest = from;
        let mut size = from.abs().element_sum();
        for e in self.wide_edges() {
            let length_sq = e.length_squared();
            // An edge is skipped if its square underflows to 0.
            if 0.0 < length_sq {
                rest -= e * (rest.dot(e) / length_sq).clamp(-1.0, 1.0);
                size += e.abs().element_sum();
            }
        }
        // Any point of the core gives an upper bound, but its position is rounded. Beside the
        // centre there is no rounding.
        let lost = if rest == from { 0.0 } else { size * CORE + UNDERFLOW };
        length_up(rest) + lost + room
    }

    fn is_bounded(&self) -> bool {
        self.radius < f32::INFINITY
    }

    /// Returns the area and the perimeter of the core. A segment counts as a flat rectangle.
    fn core_size(&self) -> (f64, f64) {
        let e = self.wide_edges();
        let perimeter = 4.0 * e.iter().map(|e| sqrt(e.length_squared())).sum::<f64>();
        let area = if let [a, b] = *e.as_slice() { 4.0 * sqrt(a.cross(b).length_squared()) } else { 0.0 };
        (area, perimeter)
    }
}

impl<const E: usize> BoundingVolume for SweptSphere<E> {
    const EMPTY: SweptSphere<E> =
        SweptSphere { center: Vec3::ZERO, edges: [Vec3::ZERO; E], radius: f32::NEG_INFINITY };

    const EVERYTHING: SweptSphere<E> =
        SweptSphere { center: Vec3::ZERO, edges: [Vec3::ZERO; E], radius: f32::INFINITY };

    fn from_aabb(aabb: &Aabb) -> SweptSphere<E> {
        swept_fit::of_box(aabb)
    }

    /// The core lies along the principal axes, or along those of the near-optimal oriented box.
    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> SweptSphere<E> {
        swept_fit::of_points(points)
    }

    fn merged(&self, other: &SweptSphere<E>) -> SweptSphere<E> {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        if !(self.is_bounded() && other.is_bounded()) {
            return SweptSphere::EVERYTHING;
        }
        swept_fit::of_both(self, other)
    }

    fn refitted<P: Copy + Into<DVec3>>(&self, points: &[P]) -> SweptSphere<E> {
        swept_fit::of_points_along(self, points)
    }

    fn refitted_around(&self, volumes: &[SweptSphere<E>]) -> SweptSphere<E> {
        if !volumes.iter().all(|volume| volume.is_empty() || volume.is_bounded()) {
            return SweptSphere::EVERYTHING;
        }
        swept_fit::of_volumes_along(self, volumes)
    }

    fn inflated(&self, margin: f32) -> SweptSphere<E> {
        if !(0.0 < margin) || self.is_empty() {
            return *self;
        }
        SweptSphere { radius: sum_up(f64::from(self.radius), f64::from(margin)), ..*self }
    }

    fn overlaps(&self, other: &SweptSphere<E>) -> bool {
        !self.is_empty() && !other.is_empty() && separation(self, other) <= 0.0
    }

    fn distance_lower_bound(&self, other: &SweptSphere<E>) -> f32 {
        if self.is_empty() || other.is_empty() {
            return f32::INFINITY;
        }
        rounding::down(separation(self, other).max(0.0))
    }

    fn placed(&self, pose: &WidePose) -> SweptSphere<E> {
        if self.is_empty() {
            return SweptSphere::EMPTY;
        }
        let exact = pose.transform_point(self.center.as_dvec3());
        let center = nearest(exact);
        let mut lost = length_up(exact - center.as_dvec3());
        let mut size = f64::from(self.radius)
            + self.center.abs().as_dvec3().element_sum()
            + pose.translation.abs().element_sum();
        let edges = self.edges.map(|edge| {
            let exact = pose.rotation * edge.as_dvec3();
            let edge = nearest(exact);
            lost += length_up(exact - edge.as_dvec3());
            size += exact.abs().element_sum();
            edge
        });
        // The rounding of the products; the matrix is a rotation up to rounding.
        if size != 0.0 {
            lost += size * (16.0 * f64::EPSILON) + UNDERFLOW;
        }
        let radius = sum_up(f64::from(self.radius), lost * (1.0 + LENGTH));
        if radius < f32::INFINITY { SweptSphere { center, edges, radius } } else { SweptSphere::EVERYTHING }
    }

    fn to_aabb(&self) -> Aabb {
        if self.is_empty() {
            return Aabb::EMPTY;
        }
        let c = self.center.as_dvec3();
        let mut reach = DVec3::splat(f64::from(self.radius));
        for e in self.wide_edges() {
            reach += e.abs();
        }
        let reach = if E == 0 { reach } else { reach * (1.0 + LENGTH) };
        Aabb { min: sum_down3(c, -reach), max: sum_up3(c, reach) }
    }

    #[inline]
    fn center(&self) -> Vec3 {
        self.center
    }

    fn surface_area(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let (r, (area, perimeter)) = (f64::from(self.radius), self.core_size());
        let pi = core::f64::consts::PI;
        size_of(2.0 * area + pi * r * perimeter + 4.0 * pi * r * r)
    }

    fn volume(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let (r, (area, perimeter)) = (f64::from(self.radius), self.core_size());
        let pi = core::f64::consts::PI;
        size_of(2.0 * r * area + 0.5 * pi * r * r * perimeter + 4.0 / 3.0 * pi * r * r * r)
    }

    #[inline]
    fn size_key(&self) -> f32 {
        let mut reach = self.radius;
        for e in self.edges {
            reach += e.abs().max_element();
        }
        reach
    }
}
