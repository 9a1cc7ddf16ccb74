//! The manifolds of pairs in which neither body moves: both sleep, are suspended, or cannot move.
//!
//! They keep their places, so that sleeping bodies cost nothing. Manifolds of active pairs are
//! rewritten in each step (`ContactSet::manifolds`).
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (contacts of sleeping islands are
//! stored separately).

use crate::contacts::pair_state::PairState;
use alloc::vec::Vec;
use carom_geom::Manifold;

/// The list is compacted only if it has more than this number of unused manifolds.
const MIN_UNUSED: usize = 1024;

/// The longest run of unused manifolds that is reused. Longer runs belong to meshes, and there are
/// few.
const MAX_REUSED_RUN: usize = 4;

/// The manifolds of the pairs at rest. They are not in the order of the pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct SleepingManifolds {
    manifolds: Vec<Manifold>,
    /// The number of unused manifolds among them.
    n_unused: usize,
    /// By length: the first indices of unused runs. The next pair state with as many manifolds
    /// reuses one.
    free: [Vec<u32>; MAX_REUSED_RUN + 1],
}

impl SleepingManifolds {
    /// Returns the manifolds of a pair state that is at rest.
    #[inline]
    pub(crate) fn manifolds_of(&self, state: &PairState) -> Option<&[Manifold]> {
        state.is_at_rest.then(|| &self.manifolds[state.range()])
    }

    /// Returns all entries, including unused ones.
    pub(crate) fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    pub(crate) fn manifolds_mut(&mut self) -> &mut [Manifold] {
        &mut self.manifolds
    }

    /// Returns the number of manifolds in use.
    pub(crate) fn len(&self) -> usize {
        self.manifolds.len() - self.n_unused
    }

    /// Reserves memory for `n` manifolds. If the list grew by doubling, single steps would copy
    /// all of it. Most systems assign memory when it is first written; WebAssembly does at once.
    pub(crate) fn make_room(&mut self, n: usize) {
        self.manifolds.reserve(n.saturating_sub(self.manifolds.len()));
    }

    /// Returns the number of manifolds for which there is room.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.manifolds.capacity()
    }

    /// Returns the manifolds of a snapshot, all of them at rest.
    pub(crate) fn of(manifolds: &[Manifold], states: &mut [PairState]) -> SleepingManifolds {
        states.iter_mut().for_each(|state| state.is_at_rest = true);
        SleepingManifolds { manifolds: manifolds.to_vec(), ..SleepingManifolds::default() }
    }

    /// Moves the manifolds of a pair state here from the list `from`.
    pub(crate) fn take(&mut self, state: &mut PairState, from: &[Manifold]) {
        let own = &from[state.range()];
        state.is_at_rest = true;
        if let Some(first) = self.free.get_mut(own.len()).and_then(Vec::pop) {
            state.first = first;
            self.n_unused -= own.len();
            self.manifolds[state.range()].copy_from_slice(own);
            return;
        }
        state.first = self.manifolds.len() as u32;
        self.manifolds.extend_from_slice(own);
    }

    /// Releases the manifolds of a pair state that is removed.
    pub(crate) fn release_pair(&mut self, state: &PairState) {
        if state.is_at_rest {
            self.release(state.first, state.n);
        }
    }

    /// Marks a run of manifolds as unused.
    pub(crate) fn release(&mut self, first: u32, n: u32) {
        self.n_unused += n as usize;
        if let (true, Some(free)) = (0 < n, self.free.get_mut(n as usize)) {
            free.push(first);
        }
    }

    /// Compacts the list if more than half of it is unused.
    pub(crate) fn compact(&mut self, states: &mut [PairState]) {
        if self.n_unused <= MIN_UNUSED.max(self.manifolds.len() / 2) {
            return;
        }
        let mut kept = Vec::with_capacity(self.len());
        for state in states.iter_mut().filter(|state| state.is_at_rest) {
            let first = kept.len() as u32;
            kept.extend_from_slice(&self.manifolds[state.range()]);
            state.first = first;
        }
        self.manifolds = kept;
        self.n_unused = 0;
        self.free.iter_mut().for_each(Vec::clear);
    }
}
