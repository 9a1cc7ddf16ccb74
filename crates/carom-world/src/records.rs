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
use core::ops::{Deref, DerefMut};

/// A change of where records stand; each is of the places that those before it left.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit {
    /// So many from one place on to another one, whatever was there.
    Move { from: usize, to: usize, n: usize },
    /// A record without a cache comes to a place.
    Put { to: usize, record: Record },
    /// So many are left; those that come are nobody's.
    Resize(usize),
}

/// Records in the order of their pairs, each with a cache at the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) list: Vec<Record>,
    /// What is at the place of a record without one is of no meaning.
    pub(crate) caches: Vec<ManifoldCache>,
}

impl Records {
    /// Does all that is asked for, for records and for caches: neither waits for the other, and half of the time goes to each.
    pub(crate) fn edit(&mut self, edits: &[Edit]) {
        let Records { list, caches } = self;
        #[cfg(feature = "parallel")]
        crate::par::both(edits.len(), || edit_list(list, edits), || edit_caches(caches, edits));
        #[cfg(not(feature = "parallel"))]
        {
            edit_list(list, edits);
            edit_caches(caches, edits);
        }
    }
}

fn edit_list(list: &mut Vec<Record>, edits: &[Edit]) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => list.copy_within(from..from + n, to),
            Edit::Put { to, record } => list[to] = record,
            Edit::Resize(n) => list.resize(n, Record::NOBODYS),
        }
    }
}

fn edit_caches(caches: &mut Vec<ManifoldCache>, edits: &[Edit]) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => caches.copy_within(from..from + n, to),
            Edit::Put { .. } => {}
            Edit::Resize(n) => caches.resize(n, ManifoldCache::new()),
        }
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
