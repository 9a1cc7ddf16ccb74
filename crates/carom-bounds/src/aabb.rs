//! Axis-aligned boxes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.2 and 25.1; J. Arvo,
//! Transforming Axis-Aligned Bounding Boxes, Graphics Gems, 1990 (the box of a rotated box from
//! the signs of the matrix entries).

use crate::outward::{LENGTH, UNDERFLOW, length_up, nearest, range, size_of, sum_down3, sum_up3};
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
    /// Returns the box with these corners. A flat box is allowed. Error: a corner that is not
    /// finite, or an inverted axis.
    pub fn new(min: Vec3, max: Vec3) -> Result<Aabb, BoundsError> {
        let aabb = Aabb { min, max };
        aabb.check()?;
        Ok(aabb)
    }

    /// Checks that the box is finite and not inverted. The error names the first bad axis.
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

    /// Returns the box around one point.
    #[inline]
    pub const fn from_point(point: Vec3) -> Aabb {
        Aabb { min: point, max: point }
    }

    /// Returns the least `f32` box around an `f64` box, rounded outwards; all of space if a
    /// coordinate is NaN.
    #[inline]
    pub fn around(min: DVec3, max: DVec3) -> Aabb {
        Aabb { min: rounding::down3(min), max: rounding::up3(max) }.or_everything()
    }

    /// Returns a box around a ball, rounded outwards; all of space if the ball may be anywhere, as
    /// with a coordinate that is NaN.
    #[inline]
    pub fn from_center_radius(center: DVec3, radius: f64) -> Aabb {
        let radius = DVec3::splat(radius);
        Aabb { min: sum_down3(center, -radius), max: sum_up3(center, radius) }.or_everything()
    }

    /// Returns all of space if a coordinate is NaN: such a box would overlap nothing.
    #[inline]
    fn or_everything(self) -> Aabb {
        if self.min.is_nan() || self.max.is_nan() { Aabb::EVERYTHING } else { self }
    }

    /// Returns half the size on each axis.
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        (self.max - self.min) * 0.5
    }

    /// Returns the size on each axis.
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.max - self.min
    }

    /// Whether the point lies in the closed box.
    #[inline]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether the other box lies in this one, boundary included.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Returns the intersection of both boxes, or `None` if they do not touch.
    #[inline]
    pub fn intersection(&self, other: &Aabb) -> Option<Aabb> {
        self.overlaps(other).then(|| Aabb { min: self.min.max(other.min), max: self.max.min(other.max) })
    }

    /// Returns the box grown by `margin` on each side, rounded outwards. A negative margin shrinks
    /// and may invert it. NaN adds nothing, and no margin makes the empty box larger.
    #[inline]
    pub fn inflated(&self, margin: f32) -> Aabb {
        let margin = DVec3::splat(f64::from(margin));
        let grown =
            Aabb { min: sum_down3(self.min.as_dvec3(), -margin), max: sum_up3(self.max.as_dvec3(), margin) };
        if grown.min.is_nan() || grown.max.is_nan() { *self } else { grown }
    }

    /// Returns the box swept along `displacement`; all of space if that is NaN.
    #[inline]
    pub fn swept(&self, displacement: Vec3) -> Aabb {
        if displacement.is_nan() {
            return Aabb::EVERYTHING;
        }
        let d = displacement.as_dvec3();
        Aabb {
            min: sum_down3(self.min.as_dvec3(), d.min(DVec3::ZERO)),
            max: sum_up3(self.max.as_dvec3(), d.max(DVec3::ZERO)),
        }
    }

    /// Returns the interval of t in which `origin + t * direction` may lie in the box, clipped to
    /// the given one. `None` if the ray misses. It is computed in `f64` and widened by the
    /// rounding. So a ray that touches the box is not reported as a miss.
    ///
    /// With a direction of zero the ray is a point. A ray with a NaN misses.
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
            // Rounding of a difference and a quotient: half a unit each. A subnormal quotient is
            // off by one smallest number.
            near = near.max(widened(first, -1.0));
            far = far.min(widened(last, 1.0));
        }
        (t_min <= t_max && near <= far).then_some((near, far))
    }

    /// Returns a cube that contains the box in all orientations of its body (25.1). The box is
    /// relative to the body's origin, which is the cube's centre. An infinite box gives all of
    /// space.
    pub fn any_orientation(&self) -> Aabb {
        if self.max.x < self.min.x {
            return Aabb::EMPTY;
        }
        if !(self.min.is_finite() && self.max.is_finite()) {
            return Aabb::EVERYTHING;
        }
        // Twice the bound on rounding: once for the length, once for a matrix that is a rotation
        // up to rounding.
        let radius = length_up(self.min.abs().max(self.max.abs()).as_dvec3()) * (1.0 + LENGTH);
        Aabb::from_center_radius(DVec3::ZERO, radius)
    }

    /// Returns a box around this one transformed by an `f64` pose, rounded outwards. The empty box
    /// stays empty. An infinite box, or a pose that is not finite, gives all of space.
    pub fn placed(&self, pose: &WidePose) -> Aabb {
        if self.max.x < self.min.x {
            return Aabb::EMPTY;
        }
        if !(self.min.is_finite() && self.max.is_finite()) {
            return Aabb::EVERYTHING;
        }
        let (mut min, mut max) = (pose.translation, pose.translation);
        for axis in 0..3 {
            // By columns: the sign decides whether the product with the minimum is the new minimum
            // or maximum.
            let column = pose.rotation.col(axis);
            let low = column * f64::from(self.min[axis]);
            let high = column * f64::from(self.max[axis]);
            min += low.min(high);
            max += low.max(high);
        }
        // Rounding, with u = 2^-53: three products and three sums per coordinate. Each is off by u
        // of at most 3 |x| + |t|: 15 u.
        let size = (self.min.abs().max(self.max.abs()).as_dvec3().max_element()
            + pose.translation.abs().max_element())
            * (16.0 * f64::EPSILON);
        let lost = if size == 0.0 { 0.0 } else { size + UNDERFLOW };
        let (min, max) = (min - lost, max + lost);
        if !(min.is_finite() && max.is_finite()) {
            // With a pose that is not finite, the box may be anywhere.
            return Aabb::EVERYTHING;
        }
        Aabb::around(min, max)
    }

    /// Returns a box around a body in motion. `self` is its box in its own frame, about its centre
    /// of rotation. The body starts at `start`, moves by `displacement` and rotates by at most
    /// `angle` radians about any axes. The sign of the angle is ignored; NaN means a full turn. An
    /// infinite box gives all of space.
    pub fn over_motion(&self, start: &Pose, displacement: Vec3, angle: f32) -> Aabb {
        if self.max.x < self.min.x {
            return Aabb::EMPTY;
        }
        if !(self.min.is_finite() && self.max.is_finite()) {
            return Aabb::EVERYTHING;
        }
        // A point at this radius moves at most by the arc, and at most by the diameter.
        let radius = length_up(self.min.abs().max(self.max.abs()).as_dvec3());
        let angle = f64::from(angle.abs());
        let arc = if angle < 2.0 { radius * angle } else { radius * 2.0 };
        let pose = start.wide();
        let turned = self.placed(&pose).swept(displacement);
        let (low, high) = (turned.min.as_dvec3() - arc, turned.max.as_dvec3() + arc);
        // Rounding: radius times angle and a sum.
        let lost = (low.abs().max(high.abs()).max_element() + arc) * LENGTH;
        let turned = Aabb::around(low - lost, high + lost);
        let cube = Aabb::from_center_radius(
            pose.translation,
            radius * (1.0 + LENGTH) + pose.translation.abs().max_element() * LENGTH,
        );
        turned.intersection(&cube.swept(displacement)).unwrap_or(turned)
    }
}

/// Moves a parameter to one side by more than its rounding.
fn widened(t: f64, side: f64) -> f64 {
    if t.is_finite() { t + side * (t.abs() * (4.0 * f64::EPSILON) + f64::MIN_POSITIVE) } else { t }
}

impl BoundingVolume for Aabb {
    const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    const EVERYTHING: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    #[inline]
    fn from_aabb(aabb: &Aabb) -> Aabb {
        *aabb
    }

    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> Aabb {
        let (low, high, is_finite) = range(points);
        // A point beyond f32 gives a box with an infinite side.
        if is_finite { Aabb::around(low, high) } else { Aabb::EVERYTHING }
    }

    #[inline]
    fn merged(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn inflated(&self, margin: f32) -> Aabb {
        // Calls the inherent method, which can also shrink.
        if 0.0 < margin { Aabb::inflated(self, margin) } else { *self }
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
    fn placed(&self, pose: &WidePose) -> Aabb {
        Aabb::placed(self, pose)
    }

    #[inline]
    fn to_aabb(&self) -> Aabb {
        *self
    }

    #[inline]
    fn center(&self) -> Vec3 {
        let middle = self.min * 0.5 + self.max * 0.5;
        // The box is empty or infinite.
        if middle.is_finite() {
            middle
        } else {
            nearest(self.min.as_dvec3()) * 0.5 + nearest(self.max.as_dvec3()) * 0.5
        }
    }

    #[inline]
    fn surface_area(&self) -> f32 {
        let e = (self.max.as_dvec3() - self.min.as_dvec3()).max(DVec3::ZERO);
        size_of(2.0 * (e.x * e.y + e.y * e.z + e.z * e.x))
    }

    #[inline]
    fn volume(&self) -> f32 {
        let e = (self.max.as_dvec3() - self.min.as_dvec3()).max(DVec3::ZERO);
        size_of(e.x * e.y * e.z)
    }

    #[inline]
    fn size_key(&self) -> f32 {
        (self.max - self.min).length_squared()
    }
}
