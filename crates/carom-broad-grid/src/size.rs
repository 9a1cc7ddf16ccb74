//! The size of a box, and the power of two above it.
//!
//! Reference: IEEE 754 (the exponent of a number is its upper bits).

use carom_bounds::Aabb;

/// Returns the biased exponent of the least power of two that is at least the size: 0 for 0, 255
/// for infinity. Not valid for -0.
#[inline]
pub(crate) fn doubling(size: f32) -> usize {
    ((size.to_bits() + ((1 << 23) - 1)) >> 23) as usize
}

/// Returns the largest extent. A valid box gives no -0: from 0 to -0 is 0. Infinite if the
/// difference overflows.
#[inline]
pub(crate) fn size(aabb: &Aabb) -> f32 {
    let extents = aabb.extents();
    extents.x.max(extents.y).max(extents.z) + 0.0
}
