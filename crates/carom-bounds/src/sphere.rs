//! Spheres: the volume that does not mind rotations.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.3 and 25.1; J. Ritter, An Efficient Bounding
//! Sphere, Graphics Gems, 1990; E. Welzl, Smallest Enclosing Disks (Balls and Ellipsoids), 1991.
//! Differs: centre and radius are found in `f64`; the radius is then measured from the rounded centre and rounded up.

use crate::Aabb;
use crate::sphere_fit;
use crate::volume::{BoundingVolume, BoundsError};
use carom_math::ops::sqrt;
use carom_math::{Pose, rounding};
use glam::{DVec3, Vec3};

/// The closed ball of all points within `radius` of `center`; a negative radius is nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius.
    pub radius: f32,
}

/// Relative: a length computed from three differences of `f32` in `f64` is off by less than this.
const LENGTH: f64 = 4.0 * f64::EPSILON;

impl Sphere {
    /// A sphere from its centre and radius: finite, and not negative.
    pub fn new(center: Vec3, radius: f32) -> Result<Sphere, BoundsError> {
        if let Some(axis) = (0..3).find(|&k| !center[k].is_finite()) {
            return Err(BoundsError::NotFinite { axis });
        }
        if !(0.0 <= radius && radius.is_finite()) {
            return Err(BoundsError::Negative);
        }
        Ok(Sphere { center, radius })
    }

    /// The smallest sphere around points (Welzl), to 1e-6 of its radius; `EMPTY` for none. Every point must be finite.
    /// Takes time in proportion to the number of points.
    pub fn smallest(points: &[Vec3]) -> Sphere {
        // Both contain the points; where numbers are against Welzl, Ritter may be the smaller.
        let exact = Sphere::around(sphere_fit::welzl(points), points);
        let quick = Sphere::ritter(points);
        if quick.radius < exact.radius { quick } else { exact }
    }

    /// A sphere around points in two passes, at most a fifth larger than the smallest, usually a twentieth (Ritter);
    /// `EMPTY` for none. Every point must be finite.
    pub fn ritter(points: &[Vec3]) -> Sphere {
        Sphere::around(sphere_fit::ritter(points), points)
    }

    /// The centre rounded, and the radius that then holds the points.
    fn around(center: DVec3, points: &[Vec3]) -> Sphere {
        if points.is_empty() {
            return Sphere::EMPTY;
        }
        let center = center.as_vec3();
        let c = center.as_dvec3();
        let farthest_sq = points.iter().fold(0.0_f64, |d, p| d.max((p.as_dvec3() - c).length_squared()));
        Sphere { center, radius: radius_up(sqrt(farthest_sq)) }
    }

    /// The point lies in the closed ball, or outside by a rounding error of `f64`.
    pub fn contains_point(&self, point: Vec3) -> bool {
        let r = f64::from(self.radius);
        0.0 <= r && (point.as_dvec3() - self.center.as_dvec3()).length_squared() <= r * r * (1.0 + LENGTH)
    }

    /// It may touch a box.
    pub fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        let c = self.center.as_dvec3();
        let outside = (aabb.min.as_dvec3() - c).max(c - aabb.max.as_dvec3()).max(DVec3::ZERO);
        let r = f64::from(self.radius);
        0.0 <= r && outside.length_squared() * (1.0 - LENGTH) <= r * r
    }

    /// It may reach the half-space `normal . x <= offset`; the normal need not be a unit vector.
    pub fn overlaps_half_space(&self, normal: Vec3, offset: f32) -> bool {
        let n = normal.as_dvec3();
        let (along, r) = (n.dot(self.center.as_dvec3()) - f64::from(offset), f64::from(self.radius));
        let size = n.abs().dot(self.center.as_dvec3().abs()) + f64::from(offset).abs();
        0.0 <= r && along - r * sqrt(n.length_squared()) <= (size + r) * (8.0 * f64::EPSILON)
    }
}

/// A radius rounded up, with what its computation may have lost.
fn radius_up(radius: f64) -> f32 {
    rounding::up(radius * (1.0 + LENGTH))
}

impl BoundingVolume for Sphere {
    const EMPTY: Sphere = Sphere { center: Vec3::ZERO, radius: f32::NEG_INFINITY };

    fn from_aabb(aabb: &Aabb) -> Sphere {
        if aabb.max.x < aabb.min.x {
            return Sphere::EMPTY;
        }
        let center = aabb.center();
        let c = center.as_dvec3();
        let half = (aabb.max.as_dvec3() - c).max(c - aabb.min.as_dvec3());
        Sphere { center, radius: radius_up(sqrt(half.length_squared())) }
    }

    fn from_points(points: &[Vec3]) -> Sphere {
        Sphere::smallest(points)
    }

    fn merged(&self, other: &Sphere) -> Sphere {
        let (ra, rb) = (f64::from(self.radius), f64::from(other.radius));
        if rb < 0.0 || ra < 0.0 {
            return if rb < 0.0 { *self } else { *other };
        }
        let (a, b) = (self.center.as_dvec3(), other.center.as_dvec3());
        let distance = sqrt((b - a).length_squared());
        let reach = distance * (1.0 + LENGTH);
        // One holds the other.
        if reach + rb <= ra {
            return *self;
        }
        if reach + ra <= rb {
            return *other;
        }
        let center = (a + (b - a) * (((rb - ra) / distance + 1.0) * 0.5)).as_vec3();
        let c = center.as_dvec3();
        let needed = (sqrt((a - c).length_squared()) + ra).max(sqrt((b - c).length_squared()) + rb);
        Sphere { center, radius: radius_up(needed) }
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

    fn transformed(&self, pose: &Pose) -> Sphere {
        if self.radius < 0.0 {
            return Sphere::EMPTY;
        }
        let exact = pose.wide().transform_point(self.center.as_dvec3());
        let center = exact.as_vec3();
        let size = self.center.abs().as_dvec3().element_sum() + pose.wide().translation.abs().element_sum();
        // What the centre lost in rounding, and in the nine products.
        let lost = sqrt((exact - center.as_dvec3()).length_squared()) + size * (16.0 * f64::EPSILON);
        Sphere { center, radius: radius_up(f64::from(self.radius) + lost) }
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
        let r = self.radius.max(0.0);
        4.0 * core::f32::consts::PI * r * r
    }

    fn volume(&self) -> f32 {
        let r = self.radius.max(0.0);
        4.0 / 3.0 * core::f32::consts::PI * r * r * r
    }

    #[inline]
    fn size_key(&self) -> f32 {
        self.radius
    }
}
