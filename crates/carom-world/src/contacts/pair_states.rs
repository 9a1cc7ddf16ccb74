//! The tables of pair states and of the caches of shape queries.
//!
//! A cache holds data of the last query of a pair for the next query, such as a separating axis.
//! It is twice as large as a pair state, and only tests of shapes need it. Pair states are read
//! about ten times in a step, and most pairs are not tested. So caches are in a list of their own,
//! at the same places.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 13.3.1 (hot and cold data in
//! separate structures).
//! Tried: caches within the pair states; 1.3x slower if most bodies are suspended. See
//! `benches/notes/carom-world.md`.

use crate::contacts::pair_state::PairState;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_query::ManifoldCache;
use core::ops::{Deref, DerefMut, Range};

/// A change of the places of pair states. Its places are those after the changes before it.
///
/// The first step of a large world has one change for each pair, so changes are small. A pair
/// state is created at its final place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit {
    /// Moves `n` pair states to another place, overwriting what is there.
    Move { from: u32, to: u32, n: u32 },
    /// Creates the state of this pair at a place, without a cache.
    Put { to: u32, pair: Pair },
    /// Creates a gap at a place. `pair` keeps the table sorted: the pair before it, or the removed
    /// one.
    Gap { to: u32, pair: Pair },
    /// Sets the number of pair states. Additional ones are gaps.
    Resize(u32),
}

/// Pair states in the order of their pairs, each with a cache at the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairStates {
    pub(crate) list: Vec<PairState>,
    /// The caches. The cache of a pair state without one is invalid.
    pub(crate) caches: Vec<ManifoldCache>,
}

impl PairStates {
    /// Applies edits to the pair states and to the caches, on two threads. `make` creates the state
    /// of a pair.
    pub(crate) fn edit(&mut self, edits: &[Edit], make: impl Fn(Pair) -> PairState + Sync) {
        let PairStates { list, caches } = self;
        #[cfg(feature = "parallel")]
        crate::par::both(edits.len(), || edit_list(list, edits, &make), || edit_caches(caches, edits));
        #[cfg(not(feature = "parallel"))]
        {
            edit_list(list, edits, &make);
            edit_caches(caches, edits);
        }
    }
}

fn edit_list(list: &mut Vec<PairState>, edits: &[Edit], make: &impl Fn(Pair) -> PairState) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => list.copy_within(range_of(from, n), to as usize),
            Edit::Put { to, pair } => list[to as usize] = make(pair),
            Edit::Gap { to, pair } => list[to as usize] = PairState::gap(pair),
            Edit::Resize(n) => list.resize(n as usize, PairState::BLANK),
        }
    }
}

fn edit_caches(caches: &mut Vec<ManifoldCache>, edits: &[Edit]) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => caches.copy_within(range_of(from, n), to as usize),
            Edit::Put { .. } | Edit::Gap { .. } => {}
            Edit::Resize(n) => caches.resize(n as usize, ManifoldCache::new()),
        }
    }
}

fn range_of(first: u32, n: u32) -> Range<usize> {
    first as usize..first as usize + n as usize
}

/// Gives access to the pair states. Places cannot be changed through it.
impl Deref for PairStates {
    type Target = [PairState];
    fn deref(&self) -> &[PairState] {
        &self.list
    }
}

impl DerefMut for PairStates {
    fn deref_mut(&mut self) -> &mut [PairState] {
        &mut self.list
    }
}
