//! Outward rounding: the nearest `f32` that is surely not above, or not below.
//!
//! Boxes are `f32` and contain what they stand for, whatever rounding did.
//!
//! Reference: IEEE 754-2019, 5.3.1 (nextUp, nextDown).

use glam::{DVec3, Vec3};

/// The largest `f32` that is not above `x`; values beyond the range give the largest finite number or -infinity.
#[inline]
pub fn down(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest as f64 <= x { nearest } else { nearest.next_down() }
}

/// The smallest `f32` that is not below `x`; values beyond the range give infinity or the least finite number.
#[inline]
pub fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if x <= nearest as f64 { nearest } else { nearest.next_up() }
}

/// [`down`] on every coordinate.
#[inline]
pub fn down3(v: DVec3) -> Vec3 {
    Vec3::new(down(v.x), down(v.y), down(v.z))
}

/// [`up`] on every coordinate.
#[inline]
pub fn up3(v: DVec3) -> Vec3 {
    Vec3::new(up(v.x), up(v.y), up(v.z))
}
