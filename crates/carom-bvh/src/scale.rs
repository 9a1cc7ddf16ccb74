//! The sizes of trees, and the powers of two that scale lengths.

use carom_bounds::Aabb;
use carom_math::WidePose;

/// 2^-24, half the distance from 1 to the next larger `f32`.
pub(crate) const UNIT: f32 = f32::EPSILON * 0.5;

/// S: the sum of the largest coordinates of both trees and of the translation seen from either.
pub(crate) fn size(b_in_a: &WidePose, bounds_a: &Aabb, bounds_b: &Aabb) -> f64 {
    let far = b_in_a.translation.abs().element_sum().max(b_in_a.inverse().translation.abs().element_sum());
    reach(bounds_a) + reach(bounds_b) + far
}

/// The sum of the largest coordinates of a box; 0 for the empty box.
pub(crate) fn reach(b: &Aabb) -> f64 {
    if b.max.x < b.min.x { 0.0 } else { b.min.abs().max(b.max.abs()).as_dvec3().element_sum() }
}

/// 2^126: the upper bound of the scales of `f32` lengths.
pub(crate) const LARGEST_SCALE: f64 = 8.507_059_173_023_462e37;

/// The power of two that scales a normal `size` into [0.5, 1). It is 1 for 0 and for values that
/// are not finite.
#[inline]
pub(crate) fn inverse_power_of_two(size: f64) -> f64 {
    if !(0.0 < size && size.is_finite()) {
        return 1.0;
    }
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    f64::from_bits(((1022 - exponent).clamp(1, 2046) as u64) << 52)
}
