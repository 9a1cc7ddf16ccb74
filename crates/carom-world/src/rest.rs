//! The manifolds of records in which nothing moves: they stay where they are, so that what sleeps is not carried from step to step.
//!
//! Reference: E. Catto, Simulation Islands, box2d.org, 2023 (contacts of sleeping islands are put away).

use crate::narrow::Record;
use alloc::vec::Vec;
use carom_geom::Manifold;

/// Fewer manifolds that nobody needs any more are left where they are.
const FEW: usize = 1024;

/// Manifolds in no order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    manifolds: Vec<Manifold>,
    /// How many of them belong to no record any more.
    pub(crate) n_left: usize,
}

impl Rest {
    /// Those of a record that is at rest.
    #[inline]
    pub(crate) fn manifolds_of(&self, record: &Record) -> Option<&[Manifold]> {
        record.is_at_rest.then(|| &self.manifolds[record.range()])
    }

    /// The number of those that belong to records.
    pub(crate) fn len(&self) -> usize {
        self.manifolds.len() - self.n_left
    }

    /// Takes those of a record, which were in `from`.
    pub(crate) fn take(&mut self, record: &mut Record, from: &[Manifold]) {
        let first = self.manifolds.len() as u32;
        self.manifolds.extend_from_slice(&from[record.range()]);
        record.first = first;
        record.is_at_rest = true;
    }

    /// A record is gone.
    pub(crate) fn leave(&mut self, record: &Record) {
        if record.is_at_rest {
            self.n_left += record.n as usize;
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
    }
}
