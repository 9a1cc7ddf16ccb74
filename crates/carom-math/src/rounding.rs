//! Outward rounding: the nearest `f32` that is not above, or not below, an `f64`.
//!
//! Boxes are `f32`, and contain their contents because their sides are rounded outwards.
//!
//! Reference: IEEE 754-2019, 5.3.1 (nextUp, nextDown).

use glam::{DVec3, Vec3};

/// Returns the largest `f32` that is not above `x`; values beyond the range give the largest
/// finite number or -infinity.
#[inline]
pub fn down(x: f64) -> f32 {
    let nearest = x as f32;
    // NaN compares false, so it is returned.
    let is_above = u32::from(x < nearest as f64);
    f32::from_bits(nearest.to_bits().wrapping_sub(away(nearest).wrapping_mul(is_above)))
}

/// Returns the smallest `f32` that is not below `x`; values beyond the range give infinity or the
/// least finite number.
#[inline]
pub fn up(x: f64) -> f32 {
    let nearest = x as f32;
    let is_below = u32::from((nearest as f64) < x);
    f32::from_bits(nearest.to_bits().wrapping_add(away(nearest).wrapping_mul(is_below)))
}

/// Returns the increment of the bits that makes a number larger. It is branchless, because the
/// direction of rounding is unpredictable. A number that rounds to zero keeps its sign; with the
/// other sign the increment would give NaN.
#[inline]
fn away(nearest: f32) -> u32 {
    ((nearest.to_bits() as i32 >> 31) | 1) as u32
}

/// Returns [`down`] on every coordinate.
#[inline]
pub fn down3(v: DVec3) -> Vec3 {
    Vec3::new(down(v.x), down(v.y), down(v.z))
}

/// Returns [`up`] on every coordinate.
#[inline]
pub fn up3(v: DVec3) -> Vec3 {
    Vec3::new(up(v.x), up(v.y), up(v.z))
}
