//! The size of a box, and the doubling that it is within.
//!
//! Reference: IEEE 754 (the exponent of a number is its upper bits).

use carom_bounds::Aabb;

/// The exponent of the least power of two that is at least the size, as floats have it: 0 for 0,
/// 255 for more than all. Not for -0.
#[inline]
pub(crate) fn doubling(size: f32) -> usize {
    ((size.to_bits() + ((1 << 23) - 1)) >> 23) as usize
}

/// The largest extent, whose sign is positive for a sound box: from 0 to -0 is 0. Infinite where
/// the difference overflows.
#[inline]
pub(crate) fn size(aabb: &Aabb) -> f32 {
    let extents = aabb.extents();
    extents.x.max(extents.y).max(extents.z) + 0.0
}
