//! The warm start that one query leaves for the next one on the same pair.
//!
//! It holds the vertex numbers of the last simplex, and the last direction. The numbers stay useful
//! after any motion. If a shape is exchanged, they only make the search slower. The direction is
//! for shapes without vertices.
//!
//! Reference: G. van den Bergen, A Fast and Robust GJK Implementation for Collision Detection of
//! Convex Objects, 1999, section 5 (frame coherence).
//! Differs: it caches features, not a separating axis.

use carom_geom::NO_VERTEX;
use glam::DVec3;

/// The warm start of one pair. Keep one per pair and pass it to every query on that pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GjkCache {
    pub(crate) pairs: [(u32, u32); 4],
    pub(crate) n_pairs: u8,
    pub(crate) axis: DVec3,
}

impl GjkCache {
    /// Creates an empty cache.
    pub const fn new() -> GjkCache {
        GjkCache { pairs: [(NO_VERTEX, NO_VERTEX); 4], n_pairs: 0, axis: DVec3::ZERO }
    }

    /// Empties the cache. Call it if a shape of the pair was exchanged.
    pub fn clear(&mut self) {
        *self = GjkCache::new();
    }
}

impl Default for GjkCache {
    fn default() -> GjkCache {
        GjkCache::new()
    }
}
