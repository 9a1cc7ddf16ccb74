//! What one query leaves behind for the next one on the same pair.
//!
//! The vertices of the last simplex, as numbers, and the last direction. The numbers survive any
//! motion; they are worthless only when a shape is exchanged, and then merely slow. The direction
//! serves shapes without vertices.
//!
//! Reference: G. van den Bergen, A Fast and Robust GJK Implementation for Collision Detection of
//! Convex Objects, 1999, section 5 (frame coherence). Differs: no separating axis is kept, the
//! features are.

use carom_geom::NO_VERTEX;
use glam::DVec3;

/// Warm start of one pair: keep one per pair, give it to every query on that pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GjkCache {
    pub(crate) pairs: [(u32, u32); 4],
    pub(crate) n_pairs: u8,
    pub(crate) axis: DVec3,
}

impl GjkCache {
    /// Knows nothing yet.
    pub const fn new() -> GjkCache {
        GjkCache { pairs: [(NO_VERTEX, NO_VERTEX); 4], n_pairs: 0, axis: DVec3::ZERO }
    }

    /// Forgets everything: for a pair whose shapes were exchanged.
    pub fn clear(&mut self) {
        *self = GjkCache::new();
    }
}

impl Default for GjkCache {
    fn default() -> GjkCache {
        GjkCache::new()
    }
}
