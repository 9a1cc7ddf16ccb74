//! The work of a time of impact, in the terms of the cost function, counted only on request.
//!
//! A search is compiled once for a tally that counts and once for `()`, which counts nothing. The
//! search for `()` has no code for counting.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3, t = n_v c_v + n_p c_p +
//! n_u c_u.

use core::cell::Cell;

/// The work of a time of impact in counts. They depend only on the input.
///
/// Convex pairs have no trees. For them only the counts from [`ImpactCounters::searches`] on are
/// used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImpactCounters {
    /// Nodes of trees opened: one moving volume against the eight of a node.
    pub nodes: u64,
    /// Volumes tested (n_v), in trees and of parts.
    pub volume_tests: u64,
    /// Leaves that the sweep of a body may meet.
    pub leaves: u64,
    /// Primitives (n_p) in the leaves: triangles, or parts, each against a body or a part of one.
    pub primitives: u64,
    /// Volumes recomputed (n_u): boxes around a body, or a part of one, over a time interval.
    pub volume_updates: u64,
    /// Searches for the time of impact of convex bodies or parts: the primitives that no cheaper
    /// test cleared.
    pub searches: u64,
    /// Searches for nearest points, each of which proposes an axis.
    pub proposals: u64,
    /// Iterations of these searches, and of the search for the entry of a straight path.
    pub iterations: u64,
    /// Pairs of support points computed in these iterations.
    pub supports: u64,
    /// Evaluations of a separation along an axis: for roots, for the proofs between them, and for
    /// axes that exclude a triangle.
    pub separations: u64,
}

impl core::ops::AddAssign for ImpactCounters {
    fn add_assign(&mut self, other: ImpactCounters) {
        self.nodes += other.nodes;
        self.volume_tests += other.volume_tests;
        self.leaves += other.leaves;
        self.primitives += other.primitives;
        self.volume_updates += other.volume_updates;
        self.searches += other.searches;
        self.proposals += other.proposals;
        self.iterations += other.iterations;
        self.supports += other.supports;
        self.separations += other.separations;
    }
}

/// A counter of work. `()` counts nothing. [`Cell::from_mut`] makes a tally of counters.
pub trait Tally {
    /// Adds work that was done.
    fn count(&self, add: impl FnOnce(&mut ImpactCounters));
}

impl Tally for () {
    #[inline(always)]
    fn count(&self, _add: impl FnOnce(&mut ImpactCounters)) {}
}

impl Tally for Cell<ImpactCounters> {
    #[inline]
    fn count(&self, add: impl FnOnce(&mut ImpactCounters)) {
        let mut counters = self.get();
        add(&mut counters);
        self.set(counters);
    }
}
