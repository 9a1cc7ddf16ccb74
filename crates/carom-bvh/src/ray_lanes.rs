//! A ray in lanes, and its test against eight boxes.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs); T. Ize, Robust BVH Ray
//! Traversal, 2013 (error of the slabs).

use crate::scale::UNIT;
use carom_lanes::{F32Lanes, MaskLanes, Simd};

/// The relative rounding error of a plane's parameter is 5 u: subtraction, direction, reciprocal,
/// its widening, product.
pub(crate) const SLABS: f32 = 8.0 * UNIT;

/// The relative amount by which a key of the stack may exceed the entry parameter of a child: less
/// than 8 ulps.
pub(crate) const KEYS: f32 = 16.0 * UNIT;

/// A ray as eight lanes of each of its numbers, in scaled parameters.
#[derive(Clone, Copy, Debug)]
pub struct RayLanes<S: Simd> {
    /// For each axis: whether the near plane is that of the maximum.
    pub(crate) is_backward: [bool; 3],
    /// The origin, rounded so that the near plane is met early.
    pub(crate) origin_near: [S::F32x8; 3],
    /// The origin, rounded so that the far plane is met late.
    pub(crate) origin_far: [S::F32x8; 3],
    /// One over the direction. If only t of at least 0 counts, this one is lowered by the slab
    /// error and the next one is raised by it. Products with them are then conservative as they
    /// are.
    pub(crate) inverse_near: [S::F32x8; 3],
    pub(crate) inverse_far: [S::F32x8; 3],
    /// Whether `t_min` is at least 0, so that only t of at least 0 counts.
    pub(crate) is_forward: bool,
    pub(crate) t_min: S::F32x8,
    /// The unscaled origin and the scaled direction, to the nearest `f32`. They are used only for
    /// rotated boxes.
    pub(crate) origin: [S::F32x8; 3],
    pub(crate) direction: [S::F32x8; 3],
    /// The sum of the largest coordinates of the tree and of the origin. Inside the tree |t| is
    /// below it.
    pub(crate) size: f32,
}

impl<S: Simd> RayLanes<S> {
    /// The entry and exit parameters of the ray for eight boxes with these corners.
    /// [`RayLanes::meets`] widens them before the comparison.
    #[inline(always)]
    pub(crate) fn slabs(
        &self,
        simd: S,
        low: &[S::F32x8; 3],
        high: &[S::F32x8; 3],
        t_max: f32,
    ) -> (S::F32x8, S::F32x8) {
        let (mut near, mut far) = (self.t_min, S::F32x8::splat(simd, t_max));
        for k in 0..3 {
            let (first, second) = if self.is_backward[k] { (high[k], low[k]) } else { (low[k], high[k]) };
            // A ray in the plane gives 0 times infinity, which is NaN. `max` and `min` then keep
            // the old value.
            near = ((first - self.origin_near[k]) * self.inverse_near[k]).max(near);
            far = ((second - self.origin_far[k]) * self.inverse_far[k]).min(far);
        }
        (near, far)
    }

    /// Bit i: the i-th interval may be non-empty, with rounding included. Also returns lower
    /// bounds of the starts.
    #[inline(always)]
    pub(crate) fn meets(simd: S, near: S::F32x8, far: S::F32x8) -> (u32, S::F32x8) {
        let (slabs, tiny) = (S::F32x8::splat(simd, SLABS), S::F32x8::splat(simd, f32::MIN_POSITIVE));
        let near_low = near - (near.abs() * S::F32x8::splat(simd, SLABS + KEYS) + tiny);
        let far_high = far + (far.abs() * slabs + tiny);
        (near_low.le(far_high).bits(), near_low)
    }
}
