//! The direction in which coincident particles separate.
//!
//! Reference: none; Fibonacci hashing of the slots of the particles.

use carom_math::ops::sqrt;
use glam::Vec3;

/// Returns the direction in which the first of two coincident particles separates from the other.
/// It is opposite for the other one.
pub(crate) fn parting(slot: u32, other: u32) -> Vec3 {
    let hash = (slot.min(other).wrapping_mul(0x9e37_79b9) ^ slot.max(other)).wrapping_mul(0x85eb_ca6b);
    let part = |shift: u32| (hash >> shift & 0x3ff) as f32 - 511.5;
    let direction = Vec3::new(part(2), part(12), part(22));
    // No part is 0.
    let unit = direction / sqrt(direction.length_squared());
    if slot < other { unit } else { -unit }
}
