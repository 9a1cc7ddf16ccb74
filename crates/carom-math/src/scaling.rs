//! Powers of two that bring numbers to a middling size, so that squares neither overflow nor
//! vanish.
//!
//! Multiplying by a power of two is exact, so what is computed from balanced numbers scales bit for
//! bit with its input, and a direction of any length does.
//!
//! Reference: IEEE 754-2019, 3.4 (binary interchange formats: the exponent field).

use crate::ops::{greater, sqrt};
use glam::DVec3;

/// A power of two that brings the positive number `x` into `[1, 2)`; nearly so at the very ends of
/// the range.
///
/// Zero, infinity and NaN give some power of two as well.
#[inline]
pub fn scale_of(x: f64) -> f64 {
    let exponent = x.to_bits() >> 52 & 0x7ff;
    f64::from_bits(2046_u64.saturating_sub(exponent).clamp(1, 2045) << 52)
}

/// The largest coordinate in absolute value; of a vector with NaN any or NaN.
#[inline(always)]
pub fn largest(v: DVec3) -> f64 {
    greater(greater(v.x.abs(), v.y.abs()), v.z.abs())
}

/// The vector times a power of two, its largest coordinate between 1 and 2 in absolute value; zero
/// stays zero.
#[inline]
pub fn balanced(v: DVec3) -> DVec3 {
    v * scale_of(v.abs().max_element())
}

/// The unit vector along `v`, whatever its length; `None` for zero, infinite and NaN.
#[inline]
pub fn unit(v: DVec3) -> Option<DVec3> {
    let b = balanced(v);
    let length_sq = b.length_squared();
    if !(0.0 < length_sq && length_sq < f64::INFINITY) {
        return None;
    }
    Some(b * (1.0 / sqrt(length_sq)))
}

/// Length of a vector, without overflow or loss in between.
#[inline]
pub fn length(v: DVec3) -> f64 {
    let scale = scale_of(v.abs().max_element());
    sqrt((v * scale).length_squared()) / scale
}

/// Length of (x, y), without overflow or loss in between.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    let scale = scale_of(x.abs().max(y.abs()));
    let (x, y) = (x * scale, y * scale);
    sqrt(x * x + y * y) / scale
}
