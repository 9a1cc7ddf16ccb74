//! The records of the pairs, and beside them what the last query on each left behind for the next one.
//!
//! A cache is twice as large as a record and of use only to who looks at shapes, so it has a list of its own: records are gone through some
//! ten times a step, and mostly nine of ten pairs are not looked at. 10,000 boxes in a heap of which most are halted, 86,000 pairs: 1.58 ms a
//! step, and 2.13 with the caches in the records; where all are looked at nothing is gained or lost (EPYC, November 2026).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 13.3.1 (structures split in what is read often and what seldom).

use crate::contacts::record::Record;
use alloc::vec::Vec;
use carom_broad::Pair;
use carom_query::ManifoldCache;
use core::ops::{Deref, DerefMut, Range};

/// A change of where records stand; each is of the places that those before it left.
///
/// A full world begins with one for each pair, so they are small: a record is made where it comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit {
    /// So many from one place on to another one, whatever was there.
    Move { from: u32, to: u32, n: u32 },
    /// A record of this pair comes to a place, without a cache.
    Put { to: u32, pair: Pair },
    /// A record of nobody, at the place of this pair.
    Gap { to: u32, pair: Pair },
    /// So many are left; those that come are nobody's.
    Resize(u32),
}

/// Records in the order of their pairs, each with a cache at the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) list: Vec<Record>,
    /// What is at the place of a record without one is of no meaning.
    pub(crate) caches: Vec<ManifoldCache>,
}

impl Records {
    /// Does all that is asked for, for records and for caches: neither waits for the other, and half of the time goes to each. `make` makes
    /// a record.
    pub(crate) fn edit(&mut self, edits: &[Edit], make: impl Fn(Pair) -> Record + Sync) {
        let Records { list, caches } = self;
        #[cfg(feature = "parallel")]
        crate::par::both(edits.len(), || edit_list(list, edits, &make), || edit_caches(caches, edits));
        #[cfg(not(feature = "parallel"))]
        {
            edit_list(list, edits, &make);
            edit_caches(caches, edits);
        }
    }
}

fn edit_list(list: &mut Vec<Record>, edits: &[Edit], make: &impl Fn(Pair) -> Record) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => list.copy_within(places(from, n), to as usize),
            Edit::Put { to, pair } => list[to as usize] = make(pair),
            Edit::Gap { to, pair } => list[to as usize] = Record::gap(pair),
            Edit::Resize(n) => list.resize(n as usize, Record::NOBODYS),
        }
    }
}

fn edit_caches(caches: &mut Vec<ManifoldCache>, edits: &[Edit]) {
    for edit in edits {
        match *edit {
            Edit::Move { from, to, n } => caches.copy_within(places(from, n), to as usize),
            Edit::Put { .. } | Edit::Gap { .. } => {}
            Edit::Resize(n) => caches.resize(n as usize, ManifoldCache::new()),
        }
    }
}

fn places(first: u32, n: u32) -> Range<usize> {
    first as usize..first as usize + n as usize
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
