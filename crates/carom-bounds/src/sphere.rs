//! Spheres: the volume that is invariant under rotation.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.3 and 25.1; J. Ritter, An
//! Efficient Bounding Sphere, Graphics Gems, 1990; E. Welzl, Smallest Enclosing Disks (Balls and
//! Ellipsoids), 1991.
//! Differs: centre and radius are computed in `f64`. The radius is then measured from the rounded
//! centre and rounded up.

use crate::Aabb;
use crate::outward::{Extent, LENGTH, UNDERFLOW, extent, length_up, nearest, range, size_of, sum_up};
use crate::sphere_fit;
use crate::volume::{BoundingVolume, BoundsError};
use carom_math::ops::sqrt;
use carom_math::{WidePose, rounding, scaling};
use glam::{DVec3, Vec3};

/// The closed ball of all points within `radius` of `center`. A negative radius means empty.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
}

impl Sphere {
    /// Returns the sphere with this centre and radius. Errors: a number that is not finite, a
    /// negative radius.
    pub fn new(center: Vec3, radius: f32) -> Result<Sphere, BoundsError> {
        if let Some(axis) = (0..3).find(|&k| !center[k].is_finite()) {
            return Err(BoundsError::NotFinite { axis });
        }
        if !(0.0 <= radius && radius.is_finite()) {
            return Err(BoundsError::Negative);
        }
        Ok(Sphere { center, radius })
    }

    /// Returns the smallest sphere around points (Welzl), to 1e-6 of its radius; `EMPTY` for none.
    /// Expected linear time.
    pub fn smallest<P: Copy + Into<DVec3>>(points: &[P]) -> Sphere {
        // Both contain the points. In degenerate cases Ritter's sphere may be smaller than
        // Welzl's.
        let quick = Sphere::ritter(points);
        if !quick.radius.is_finite() || quick.radius <= 0.0 {
            return quick;
        }
        let exact = Sphere::about(sphere_fit::welzl(points), points);
        if quick.radius < exact.radius { quick } else { exact }
    }

    /// Returns a sphere around points in two passes (Ritter); `EMPTY` for none. It is usually 5 to
    /// 20 % larger than the smallest.
    pub fn ritter<P: Copy + Into<DVec3>>(points: &[P]) -> Sphere {
        match extent(points) {
            Extent::Nothing => Sphere::EMPTY,
            Extent::Beyond => Sphere::EVERYTHING,
            Extent::Within => Sphere::about(sphere_fit::ritter(points), points),
        }
    }

    /// Returns the smallest sphere around points with this centre (rounded to `f32`). With the
    /// centre of rotation of a rigid body, it contains the body in all orientations.
    pub fn about<P: Copy + Into<DVec3>>(center: DVec3, points: &[P]) -> Sphere {
        if points.is_empty() {
            return Sphere::EMPTY;
        }
        let center = nearest(center);
        let c = center.as_dvec3();
        let mut radius = 0.0_f64;
        for &p in points {
            let p: DVec3 = p.into();
            let distance = length_up(p - c);
            // Rejects NaN, which `max` would drop, and a point so far away that its square
            // overflows.
            if !(distance < f64::INFINITY) {
                return Sphere::EVERYTHING;
            }
            radius = radius.max(distance);
        }
        Sphere { center, radius: rounding::up(radius) }
    }

    /// Whether the sphere is bounded.
    fn is_bounded(&self) -> bool {
        self.radius < f32::INFINITY
    }

    /// Whether the point lies in the closed ball, up to a rounding error of `f64`.
    pub fn contains_point(&self, point: Vec3) -> bool {
        let r = f64::from(self.radius);
        0.0 <= r && (point.as_dvec3() - self.center.as_dvec3()).length_squared() <= r * r * (1.0 + LENGTH)
    }

    /// Whether the sphere may touch a box.
    pub fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        let c = self.center.as_dvec3();
        let outside = (aabb.min.as_dvec3() - c).max(c - aabb.max.as_dvec3()).max(DVec3::ZERO);
        let r = f64::from(self.radius);
        0.0 <= r && outside.length_squared() * (1.0 - LENGTH) <= r * r
    }

    /// Whether the sphere may touch the half-space `normal . x <= offset`; the normal may have any
    /// length.
    pub fn overlaps_half_space(&self, normal: Vec3, offset: f32) -> bool {
        let n = normal.as_dvec3();
        let along = n.dot(self.center.as_dvec3()) - f64::from(offset);
        let reach = f64::from(self.radius) * sqrt(n.length_squared());
        let size = n.abs().dot(self.center.as_dvec3().abs()) + f64::from(offset).abs() + reach;
        // Infinite radii count as touching, and so do normals so short that the product is NaN.
        0.0 <= self.radius && !(size * (8.0 * f64::EPSILON) < along - reach)
    }

    /// Returns the interval of t in which `origin + t * direction` may lie in the ball, clipped to
    /// the given one. `None` if the ray misses. It is computed in `f64` and widened by the
    /// rounding. So a ray that touches the ball is not reported as a miss.
    ///
    /// With a direction of zero the ray is a point. A ray with a NaN misses.
    pub fn ray_interval(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
    ) -> Option<(f64, f64)> {
        if origin.is_nan() || direction.is_nan() || !(t_min <= t_max) || !(0.0 <= self.radius) {
            return None;
        }
        let to_center = self.center.as_dvec3() - origin;
        let r = f64::from(self.radius);
        let scale = scaling::scale_of(direction.abs().max_element());
        let d = direction * scale;
        let length_sq = d.length_squared();
        if !(0.0 < length_sq) {
            // The ray stays inside or outside, for all t.
            let outside = sqrt(to_center.length_squared()) * (1.0 - LENGTH) - r;
            return (outside <= 0.0).then_some((t_min, t_max));
        }
        let middle = d.dot(to_center) / length_sq;
        // Rounding moves the point of closest approach by less than this, along the ray and across
        // it.
        let lost = to_center.abs().element_sum() * (16.0 * f64::EPSILON) + UNDERFLOW;
        let across = sqrt((to_center - d * middle).length_squared()) * (1.0 - LENGTH) - lost;
        if r < across {
            return None;
        }
        let across = across.max(0.0);
        let along = sqrt((r - across) * (r + across)) * (1.0 + LENGTH) + lost;
        let along = along / sqrt(length_sq) * (1.0 + LENGTH);
        let (near, far) = ((middle - along) * scale, (middle + along) * scale);
        let room = (near.abs() + far.abs()) * LENGTH;
        let (near, far) = (t_min.max(near - room), t_max.min(far + room));
        (near <= far).then_some((near, far))
    }
}

impl BoundingVolume for Sphere {
    const EMPTY: Sphere = Sphere { center: Vec3::ZERO, radius: f32::NEG_INFINITY };

    const EVERYTHING: Sphere = Sphere { center: Vec3::ZERO, radius: f32::INFINITY };

    fn from_aabb(aabb: &Aabb) -> Sphere {
        if aabb.max.x < aabb.min.x {
            return Sphere::EMPTY;
        }
        let center = aabb.center();
        let c = center.as_dvec3();
        let half = (aabb.max.as_dvec3() - c).max(c - aabb.min.as_dvec3());
        Sphere { center, radius: rounding::up(length_up(half)) }
    }

    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> Sphere {
        Sphere::smallest(points)
    }

    fn merged(&self, other: &Sphere) -> Sphere {
        let (ra, rb) = (f64::from(self.radius), f64::from(other.radius));
        if rb < 0.0 || ra < 0.0 {
            return if rb < 0.0 { *self } else { *other };
        }
        if !(self.is_bounded() && other.is_bounded()) {
            return Sphere::EVERYTHING;
        }
        let (a, b) = (self.center.as_dvec3(), other.center.as_dvec3());
        let reach = length_up(b - a);
        // One contains the other. The rounding of the difference of radii is less than the last
        // factor.
        if reach <= (ra - rb) * (1.0 - LENGTH) {
            return *self;
        }
        if reach <= (rb - ra) * (1.0 - LENGTH) {
            return *other;
        }
        let share = if 0.0 < reach { ((rb - ra) / reach + 1.0) * 0.5 } else { 0.5 };
        let center = nearest(a + (b - a) * share.clamp(0.0, 1.0));
        let c = center.as_dvec3();
        let needed = sum_up(length_up(a - c), ra).max(sum_up(length_up(b - c), rb));
        Sphere { center, radius: needed }
    }

    /// Returns a sphere about the centre of the points' box.
    fn refitted<P: Copy + Into<DVec3>>(&self, points: &[P]) -> Sphere {
        let (low, high, _) = range(points);
        Sphere::about((low + high) * 0.5, points)
    }

    /// Returns a sphere about the centre of the spheres' box, so a tree of spheres stays tight
    /// towards its root.
    fn refitted_around(&self, volumes: &[Sphere]) -> Sphere {
        let present = volumes.iter().filter(|sphere| 0.0 <= sphere.radius);
        if !present.clone().all(Sphere::is_bounded) {
            return Sphere::EVERYTHING;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for sphere in present.clone() {
            low = low.min(sphere.center.as_dvec3() - f64::from(sphere.radius));
            high = high.max(sphere.center.as_dvec3() + f64::from(sphere.radius));
        }
        if high.x < low.x {
            return Sphere::EMPTY;
        }
        let center = nearest((low + high) * 0.5);
        let reach = |sphere: &Sphere| {
            let aside = length_up(sphere.center.as_dvec3() - center.as_dvec3());
            sum_up(aside, f64::from(sphere.radius))
        };
        Sphere { center, radius: present.map(reach).fold(0.0, f32::max) }
    }

    fn inflated(&self, margin: f32) -> Sphere {
        if !(0.0 < margin) || self.radius < 0.0 {
            return *self;
        }
        Sphere { center: self.center, radius: sum_up(f64::from(self.radius), f64::from(margin)) }
    }

    #[inline]
    fn overlaps(&self, other: &Sphere) -> bool {
        let (ra, rb) = (f64::from(self.radius), f64::from(other.radius));
        let reach = ra + rb;
        let apart_sq = (other.center.as_dvec3() - self.center.as_dvec3()).length_squared();
        0.0 <= ra && 0.0 <= rb && apart_sq * (1.0 - 2.0 * LENGTH) <= reach * reach
    }

    fn distance_lower_bound(&self, other: &Sphere) -> f32 {
        let (ra, rb) = (f64::from(self.radius), f64::from(other.radius));
        if !(0.0 <= ra && 0.0 <= rb) {
            return f32::INFINITY;
        }
        let apart = sqrt((other.center.as_dvec3() - self.center.as_dvec3()).length_squared());
        rounding::down((apart * (1.0 - LENGTH) - (ra + rb) * (1.0 + LENGTH)).max(0.0))
    }

    fn placed(&self, pose: &WidePose) -> Sphere {
        if self.radius < 0.0 {
            return Sphere::EMPTY;
        }
        let exact = pose.transform_point(self.center.as_dvec3());
        let center = nearest(exact);
        let size = f64::from(self.radius)
            + self.center.abs().as_dvec3().element_sum()
            + pose.translation.abs().element_sum();
        // The rounding of the centre and of the nine products; the matrix is a rotation up to
        // rounding.
        let lost = if size == 0.0 { 0.0 } else { size * (16.0 * f64::EPSILON) + UNDERFLOW };
        let radius = sum_up(f64::from(self.radius), length_up(exact - center.as_dvec3()) + lost);
        if radius < f32::INFINITY { Sphere { center, radius } } else { Sphere::EVERYTHING }
    }

    fn to_aabb(&self) -> Aabb {
        if self.radius < 0.0 {
            return Aabb::EMPTY;
        }
        Aabb::from_center_radius(self.center.as_dvec3(), f64::from(self.radius))
    }

    #[inline]
    fn center(&self) -> Vec3 {
        self.center
    }

    fn surface_area(&self) -> f32 {
        let r = f64::from(self.radius.max(0.0));
        size_of(4.0 * core::f64::consts::PI * r * r)
    }

    fn volume(&self) -> f32 {
        let r = f64::from(self.radius.max(0.0));
        size_of(4.0 / 3.0 * core::f64::consts::PI * r * r * r)
    }

    #[inline]
    fn size_key(&self) -> f32 {
        self.radius
    }
}
