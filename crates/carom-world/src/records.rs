//! The records of the pairs, and beside them what the last query on each left behind for the next one.
//!
//! A cache is twice as large as a record and of use only to who looks at shapes, so it has a list of its own: records are gone through some
//! ten times a step, and mostly nine of ten pairs are not looked at. 10,000 boxes in a heap of which most are halted, 86,000 pairs: 1.58 ms a
//! step, and 2.13 with the caches in the records; where all are looked at nothing is gained or lost (EPYC, November 2026).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 13.3.1 (structures split in what is read often and what seldom).

use crate::narrow::Record;
use alloc::vec::Vec;
use carom_query::ManifoldCache;
use core::ops::{Deref, DerefMut, Range};

/// Records in the order of their pairs, each with a cache at the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) list: Vec<Record>,
    /// What is at the place of a record without one is of no meaning.
    pub(crate) caches: Vec<ManifoldCache>,
}

impl Records {
    /// Moves some of them, with their caches.
    pub(crate) fn copy_within(&mut self, from: Range<usize>, to: usize) {
        self.list.copy_within(from.clone(), to);
        self.caches.copy_within(from, to);
    }

    /// Makes them so many; those that come are like `record`.
    pub(crate) fn resize(&mut self, n: usize, record: Record) {
        self.list.resize(n, record);
        self.caches.resize(n, ManifoldCache::new());
    }
}

/// Where each stays at its place.
impl Deref for Records {
    type Target = [Record];
    fn deref(&self) -> &[Record] {
        &self.list
    }
}

impl DerefMut for Records {
    fn deref_mut(&mut self) -> &mut [Record] {
        &mut self.list
    }
}
