//! The cost of a query in the terms of the cost function: nodes opened, volumes tested, primitives
//! reported.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3, t = n_v c_v + n_p c_p +
//! n_u c_u.

use crate::tree::Leaf;

/// The cost of a query in counts. They depend only on the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Nodes opened: one volume against the eight of a node.
    pub nodes: u64,
    /// Volumes tested (n_v).
    pub volume_tests: u64,
    /// Leaves, or pairs of leaves, passed to the caller.
    pub leaves: u64,
    /// Primitives, or pairs of primitives, in them (n_p).
    pub primitives: u64,
    /// Volumes recomputed (n_u) by a refit, see [`Bvh::refit_work`](crate::Bvh::refit_work).
    /// Queries recompute none.
    pub volume_updates: u64,
}

impl Counters {
    /// Counts a leaf that is passed to the caller.
    #[inline(always)]
    pub(crate) fn count_leaf(&mut self, leaf: &Leaf<'_>) {
        self.leaves += 1;
        self.primitives += leaf.primitives.len() as u64;
    }

    /// Counts a pair of leaves that is passed to the caller.
    #[inline(always)]
    pub(crate) fn count_leaf_pair(&mut self, a: &Leaf<'_>, b: &Leaf<'_>) {
        self.leaves += 1;
        self.primitives += a.primitives.len() as u64 * b.primitives.len() as u64;
    }
}

impl core::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.nodes += other.nodes;
        self.volume_tests += other.volume_tests;
        self.leaves += other.leaves;
        self.primitives += other.primitives;
        self.volume_updates += other.volume_updates;
    }
}

/// How a visit ended, and its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Visit {
    /// Whether the caller's function stopped the visit.
    pub stopped: bool,
    /// The cost.
    pub counters: Counters,
}
