//! What a time of impact cost, in the terms of the cost function, counted only for whoever asks.
//!
//! A search is compiled once for a tally that counts and once for `()`, which does not: there
//! nothing is left of the counting.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.3, t = n_v c_v + n_p c_p +
//! n_u c_u.

use core::cell::Cell;

/// The cost of a time of impact in counts; they depend on nothing but the input.
///
/// Convex pairs have no trees: for them only what begins with [`ImpactCounters::searches`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImpactCounters {
    /// Nodes of trees opened: one moving volume against the eight of a node.
    pub nodes: u64,
    /// Volumes tested (n_v), in trees and of parts.
    pub volume_tests: u64,
    /// Leaves that the way of a body may meet.
    pub leaves: u64,
    /// Primitives (n_p) in them: triangles, or parts, each against a body or a part of one.
    pub primitives: u64,
    /// Volumes computed anew (n_u): boxes around a body, or a part of one, over a stretch of time.
    pub volume_updates: u64,
    /// Pairs of convex bodies or parts whose time of impact was searched for: the primitives that
    /// nothing cheaper cleared.
    pub searches: u64,
    /// Searches for nearest points, each of which proposes an axis.
    pub proposals: u64,
    /// Rounds of these, and of the search for where a straight way enters.
    pub iterations: u64,
    /// Pairs of support points computed in those rounds.
    pub supports: u64,
    /// Values of a separation along an axis: root searches, the proofs between them, and axes that
    /// rule out a triangle.
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

/// Whoever counts the work, or does not: `()`. [`Cell::from_mut`] makes a tally of counters.
pub trait Tally {
    /// Something was done.
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
