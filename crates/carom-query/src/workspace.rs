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
    pub(crate) casts: CastMemory,
}

/// The memory of casts against meshes.
#[derive(Clone, Debug, Default)]
pub(crate) struct CastMemory {
    /// Stretches of time still to be looked at, the earliest last.
    pub(crate) spans: Vec<(f64, f64)>,
    /// Triangles that may be touched during one.
    pub(crate) triangles: Vec<u32>,
    /// Parts of a tree, each with a stretch of time.
    pub(crate) parts: Vec<(TreePart, f64, f64)>,
    /// Parts of compounds, by when they may be touched: lists that are free.
    pub(crate) orders: Vec<Vec<(f64, u32)>>,
}

/// A node or a leaf of a tree, by number, with its reference where it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreePart {
    Root,
    Node { number: u32, reference: usize },
    Leaf { number: u32, reference: usize },
}

/// Two triangles that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPair {
    /// They are not nearer.
    pub(crate) at_least: f64,
    pub(crate) triangle_a: u32,
    pub(crate) triangle_b: u32,
}
