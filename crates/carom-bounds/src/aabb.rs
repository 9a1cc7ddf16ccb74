//! Axis-aligned boxes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.2 and 25.1; J. Arvo, Transforming Axis-Aligned
//! Bounding Boxes, Graphics Gems, 1990 (the box of a turned box from the signs of the matrix entries).

use crate::volume::{BoundingVolume, BoundsError};
use carom_math::rounding;
use carom_math::{Pose, WidePose};
use glam::{DVec3, Vec3};

/// The closed box of all points between `min` and `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Least coordinates.
    pub min: Vec3,
    /// Greatest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// A box from its corners: finite, and not inverted on any axis; a flat box is fine.
    pub fn new(min: Vec3, max: Vec3) -> Result<Aabb, BoundsError> {
        let aabb = Aabb { min, max };
        aabb.check()?;
        Ok(aabb)
    }

    /// Finite and not inverted, or the first axis that is not.
    pub fn check(&self) -> Result<(), BoundsError> {
        for axis in 0..3 {
            if !(self.min[axis].is_finite() && self.max[axis].is_finite()) {
                return Err(BoundsError::NotFinite { axis });
            }
            if self.max[axis] < self.min[axis] {
                return Err(BoundsError::Inverted { axis });
            }
        }
        Ok(())
    }

    /// The box around one point.
    #[inline]
    pub const fn from_point(point: Vec3) -> Aabb {
        Aabb { min: point, max: point }
    }

    /// The least `f32` box around an `f64` box, rounded outwards.
    #[inline]
    pub fn around(min: DVec3, max: DVec3) -> Aabb {
        Aabb { min: rounding::down3(min), max: rounding::up3(max) }
    }

    /// A box around a ball, rounded outwards.
    #[inline]
    pub fn from_center_radius(center: DVec3, radius: f64) -> Aabb {
        Aabb::around(center - radius, center + radius)
    }

    /// Half the size on each axis.
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        (self.max - self.min) * 0.5
    }

    /// The size on each axis.
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.max - self.min
    }

    /// The point lies in the closed box.
    #[inline]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The other box lies in this one, boundary included.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// The box that both share, when they touch.
    #[inline]
    pub fn intersection(&self, other: &Aabb) -> Option<Aabb> {
        self.overlaps(other).then(|| Aabb { min: self.min.max(other.min), max: self.max.min(other.max) })
    }

    /// Moved outwards by `margin` on every side, rounded outwards; a negative margin shrinks and may invert.
    #[inline]
    pub fn inflated(&self, margin: f32) -> Aabb {
        let margin = f64::from(margin);
        Aabb::around(self.min.as_dvec3() - margin, self.max.as_dvec3() + margin)
    }

    /// This box and everywhere it is on its way along `displacement`.
    #[inline]
    pub fn swept(&self, displacement: Vec3) -> Aabb {
        let d = displacement.as_dvec3();
        Aabb::around(self.min.as_dvec3() + d.min(DVec3::ZERO), self.max.as_dvec3() + d.max(DVec3::ZERO))
    }

    /// The interval of t in which `origin + t * direction` may lie in the box, cut to the given one; `None` when it misses.
    /// Computed in `f64` and widened by what rounding did: a ray that touches the box is never said to miss.
    ///
    /// A direction of zero stays at its origin; a NaN misses.
    pub fn ray_interval(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
    ) -> Option<(f64, f64)> {
        if origin.is_nan() || direction.is_nan() {
            return None;
        }
        let (mut near, mut far) = (t_min, t_max);
        for k in 0..3 {
            let (low, high) = (f64::from(self.min[k]), f64::from(self.max[k]));
            if direction[k] == 0.0 {
                // The ray stays between the planes or outside, for all t.
                if !(low <= origin[k] && origin[k] <= high) {
                    return None;
                }
                continue;
            }
            let (t0, t1) = ((low - origin[k]) / direction[k], (high - origin[k]) / direction[k]);
            let (first, last) = if t0 <= t1 { (t0, t1) } else { (t1, t0) };
            // A difference and a quotient, each off by half a unit; a subnormal quotient by one smallest number.
            near = near.max(widened(first, -1.0));
            far = far.min(widened(last, 1.0));
        }
        (t_min <= t_max && near <= far).then_some((near, far))
    }

    /// The cube that holds a box, given about its body's origin, in every orientation of that body (25.1); the body's
    /// origin is then at the cube's centre.
    pub fn any_orientation(&self) -> Aabb {
        let farthest = self.min.abs().max(self.max.abs()).as_dvec3();
        let radius = carom_math::ops::sqrt(farthest.length_squared()) * (1.0 + 4.0 * f64::EPSILON);
        Aabb::from_center_radius(DVec3::ZERO, radius)
    }

    /// A box around this one placed by a pose in `f64`, rounded outwards; the empty box stays empty.
    pub fn placed(&self, pose: &WidePose) -> Aabb {
        if self.max.x < self.min.x {
            return Aabb::EMPTY;
        }
        let (mut min, mut max) = (pose.translation, pose.translation);
        for axis in 0..3 {
            // Column by column: the product with the least coordinate is the least or the greatest by its sign.
            let column = pose.rotation.col(axis);
            let low = column * f64::from(self.min[axis]);
            let high = column * f64::from(self.max[axis]);
            min += low.min(high);
            max += low.max(high);
        }
        // Nine products and nine sums in f64, each within half a unit of the largest number met.
        let size = (self.min.abs().max(self.max.abs()).as_dvec3().max_element()
            + pose.translation.abs().max_element())
            * (16.0 * f64::EPSILON);
        Aabb::around(min - size, max + size)
    }
}

/// A parameter moved towards one side by more than rounding did.
fn widened(t: f64, side: f64) -> f64 {
    if t.is_finite() { t + side * (t.abs() * (4.0 * f64::EPSILON) + f64::MIN_POSITIVE) } else { t }
}

impl BoundingVolume for Aabb {
    const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    #[inline]
    fn from_aabb(aabb: &Aabb) -> Aabb {
        *aabb
    }

    fn from_points(points: &[Vec3]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |b, &p| Aabb { min: b.min.min(p), max: b.max.max(p) })
    }

    #[inline]
    fn merged(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    #[inline]
    fn distance_lower_bound(&self, other: &Aabb) -> f32 {
        let gap = (other.min.as_dvec3() - self.max.as_dvec3())
            .max(self.min.as_dvec3() - other.max.as_dvec3())
            .max(DVec3::ZERO);
        // The sum of three squares rounds by less than two units in the last place of f64.
        rounding::down(carom_math::ops::sqrt(gap.length_squared()) * (1.0 - 4.0 * f64::EPSILON))
    }

    #[inline]
    fn transformed(&self, pose: &Pose) -> Aabb {
        self.placed(&pose.wide())
    }

    #[inline]
    fn to_aabb(&self) -> Aabb {
        *self
    }

    #[inline]
    fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    #[inline]
    fn surface_area(&self) -> f32 {
        let e = (self.max - self.min).max(Vec3::ZERO);
        2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
    }

    #[inline]
    fn volume(&self) -> f32 {
        let e = (self.max - self.min).max(Vec3::ZERO);
        e.x * e.y * e.z
    }

    #[inline]
    fn size_key(&self) -> f32 {
        (self.max - self.min).length_squared()
    }
}
