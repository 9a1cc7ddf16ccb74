//! The memory of queries on pairs of meshes.
//!
//! Reference: none needed.

use alloc::vec::Vec;
use carom_bvh::PairSearch;

/// The memory of searches for nearest triangles: keep one, and queries do not allocate once it has grown. Answers do not depend
/// on what was asked before.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(crate) search: PairSearch,
    pub(crate) near: Vec<NearPair>,
}

/// Two triangles that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPair {
    /// They are not nearer.
    pub(crate) at_least: f64,
    pub(crate) triangle_a: u32,
    pub(crate) triangle_b: u32,
}
