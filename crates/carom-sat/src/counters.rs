//! The work of a test of separating axes or of a feature walk, counted only on request.
//!
//! A search is compiled once for a tally that counts and once for `()`, which counts nothing. The
//! ordinary search has no code for counting.

use core::cell::Cell;

/// The work of a query, in counts. They depend only on the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Axes along which both bodies were projected. A search ends at the first axis with a gap.
    ///
    /// Boxes project onto the face normals one by one, three of A, then three of B. The nine cross
    /// products of edges are done together. Hulls skip axes that cannot have the least overlap.
    pub axes: u32,
    /// Pairs of features that a walk compared.
    pub feature_pairs: u32,
}

/// A counter of work. `()` counts nothing.
pub trait Tally: Copy {
    /// Adds work that was done.
    fn count(self, add: impl FnOnce(&mut Counters));
}

impl Tally for () {
    #[inline(always)]
    fn count(self, _add: impl FnOnce(&mut Counters)) {}
}

impl Tally for &Cell<Counters> {
    #[inline]
    fn count(self, add: impl FnOnce(&mut Counters)) {
        let mut counters = self.get();
        add(&mut counters);
        self.set(counters);
    }
}
