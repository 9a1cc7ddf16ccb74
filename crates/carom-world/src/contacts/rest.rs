//! The manifolds of records in which nothing moves: they stay where they are, so that what sleeps is not carried from step to step.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (contacts of sleeping islands are put away).

use crate::contacts::record::Record;
use alloc::vec::Vec;
use carom_geom::Manifold;

/// Fewer manifolds that nobody needs any more are left where they are.
const FEW: usize = 1024;

/// So many manifolds of a record find a place that was left; those of more, of meshes, are few.
const MOST: usize = 4;

/// Manifolds in no order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    manifolds: Vec<Manifold>,
    /// How many of them belong to no record any more.
    n_left: usize,
    /// Where so many of those begin that lie together: the next record with as many takes them.
    free: [Vec<u32>; MOST + 1],
}

impl Rest {
    /// Those of a record that is at rest.
    #[inline]
    pub(crate) fn manifolds_of(&self, record: &Record) -> Option<&[Manifold]> {
        record.is_at_rest.then(|| &self.manifolds[record.range()])
    }

    /// All of them, also those that belong to nobody.
    pub(crate) fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// The number of those that belong to records.
    pub(crate) fn len(&self) -> usize {
        self.manifolds.len() - self.n_left
    }

    /// Room for so many, once for all: memory of which nothing is used yet costs nothing. Where the list doubled when it was full, to copy
    /// 8192 manifolds to fresh memory took 1.1 to 1.4 ms of one step (EPYC, November 2026).
    pub(crate) fn make_room(&mut self, n: usize) {
        self.manifolds.reserve(n.saturating_sub(self.manifolds.len()));
    }

    /// For so many there is room.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.manifolds.capacity()
    }

    /// All the manifolds of these records, as a snapshot has them.
    pub(crate) fn of(manifolds: &[Manifold], records: &mut [Record]) -> Rest {
        records.iter_mut().for_each(|record| record.is_at_rest = true);
        Rest { manifolds: manifolds.to_vec(), ..Rest::default() }
    }

    /// Takes those of a record, which were in `from`.
    pub(crate) fn take(&mut self, record: &mut Record, from: &[Manifold]) {
        let own = &from[record.range()];
        record.is_at_rest = true;
        if let Some(first) = self.free.get_mut(own.len()).and_then(Vec::pop) {
            record.first = first;
            self.n_left -= own.len();
            self.manifolds[record.range()].copy_from_slice(own);
            return;
        }
        record.first = self.manifolds.len() as u32;
        self.manifolds.extend_from_slice(own);
    }

    /// A record is gone.
    pub(crate) fn leave(&mut self, record: &Record) {
        if record.is_at_rest {
            self.give_back(record.first, record.n);
        }
    }

    /// So many manifolds from here on belong to nobody any more.
    pub(crate) fn give_back(&mut self, first: u32, n: u32) {
        self.n_left += n as usize;
        if let (true, Some(free)) = (0 < n, self.free.get_mut(n as usize)) {
            free.push(first);
        }
    }

    /// Gives room back when half of it is of no use.
    pub(crate) fn tidy(&mut self, records: &mut [Record]) {
        if self.n_left <= FEW.max(self.manifolds.len() / 2) {
            return;
        }
        let mut kept = Vec::with_capacity(self.len());
        for record in records.iter_mut().filter(|record| record.is_at_rest) {
            let first = kept.len() as u32;
            kept.extend_from_slice(&self.manifolds[record.range()]);
            record.first = first;
        }
        self.manifolds = kept;
        self.n_left = 0;
        self.free.iter_mut().for_each(Vec::clear);
    }
}
