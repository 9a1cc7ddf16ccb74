//! Powers of two that scale numbers to near 1, so that squares neither overflow nor underflow.
//!
//! Multiplying by a power of two is exact. So results scale bit for bit with the input, and
//! directions may have any length.
//!
//! Reference: IEEE 754-2019, 3.4 (binary interchange formats: the exponent field).

use crate::ops::{greater, sqrt};
use glam::DVec3;

/// Returns a power of two whose product with the positive number `x` is in `[1, 2)`; near it at
/// the ends of the range.
///
/// Zero, infinity and NaN also give a power of two.
#[inline]
pub fn scale_of(x: f64) -> f64 {
    let exponent = x.to_bits() >> 52 & 0x7ff;
    f64::from_bits(2046_u64.saturating_sub(exponent).clamp(1, 2045) << 52)
}

/// Returns the largest absolute value of a coordinate; unspecified if one is NaN.
#[inline(always)]
pub fn largest(v: DVec3) -> f64 {
    greater(greater(v.x.abs(), v.y.abs()), v.z.abs())
}

/// Returns the vector times a power of two, its largest coordinate between 1 and 2 in absolute
/// value; zero stays zero.
#[inline]
pub fn balanced(v: DVec3) -> DVec3 {
    v * scale_of(v.abs().max_element())
}

/// Returns the unit vector along `v`, which may have any length; `None` if `v` is zero, infinite
/// or NaN.
#[inline]
pub fn unit(v: DVec3) -> Option<DVec3> {
    let b = balanced(v);
    let length_sq = b.length_squared();
    if !(0.0 < length_sq && length_sq < f64::INFINITY) {
        return None;
    }
    Some(b * (1.0 / sqrt(length_sq)))
}

/// Returns the length of a vector, without overflow or underflow of squares.
#[inline]
pub fn length(v: DVec3) -> f64 {
    let scale = scale_of(v.abs().max_element());
    sqrt((v * scale).length_squared()) / scale
}

/// Returns the length of (x, y), without overflow or underflow of squares.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    let scale = scale_of(x.abs().max(y.abs()));
    let (x, y) = (x * scale, y * scale);
    sqrt(x * x + y * y) / scale
}
