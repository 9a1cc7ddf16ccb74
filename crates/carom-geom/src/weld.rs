//! Merges corners with equal coordinates into one vertex.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 16.3 (consolidation).

use alloc::vec;
use alloc::vec::Vec;
use glam::DVec3;

/// Returns new vertex numbers, equal for equal coordinates and in coordinate order, and their
/// count.
pub(crate) fn weld(corners: &[[DVec3; 3]]) -> (Vec<[u32; 3]>, usize) {
    // Adding 0 turns -0 into 0.
    let key = |p: DVec3| (p + DVec3::ZERO).to_array().map(order);
    let mut sorted: Vec<([u64; 3], u32)> =
        (0u32..).zip(corners.iter().flatten()).map(|(i, p)| (key(*p), i)).collect();
    sorted.sort_unstable();
    let mut triangles = vec![[0; 3]; corners.len()];
    let mut number = 0;
    for (i, entry) in sorted.iter().enumerate() {
        number += u32::from(0 < i && sorted[i - 1].0 != entry.0);
        triangles[entry.1 as usize / 3][entry.1 as usize % 3] = number;
    }
    (triangles, if corners.is_empty() { 0 } else { number as usize + 1 })
}

/// Maps finite numbers to integers in the same order.
pub(crate) fn order(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
