//! Finds the pairs of one body.
//!
//! Pairs are sorted by their first body, so the pairs whose first body it is are found by
//! bisection. The pairs whose second body it is are found by a scan of all pairs, or by a list
//! that is sorted by the second body.
//!
//! - Edits of a body scan. If many edits come between two steps, the list is made.
//! - Views of a body use the list. While they are used, each step updates it by the pairs that
//!   changed, so a query does not become slower in a larger world (test:
//!   `touching::the_neighbours_of_a_body_cost_the_same_in_a_larger_world`).
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 6.5 (retrieval on secondary keys: an
//! inverted list).

use alloc::vec::Vec;
use carom_broad::Pair;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::sync::OnceLock;

/// The pairs by their second body.
#[derive(Debug, Default)]
pub(crate) struct PairsByBody {
    /// The pairs in the order of their second body, then of their first one, if they are listed.
    /// A pair that a gap of the pair states has may be listed too.
    keys: OnceLock<Vec<Key>>,
    /// The number of scans by edits since the pairs changed.
    n_scans: u32,
    /// Whether a view used the list since the pairs changed.
    is_used: AtomicBool,
    /// The number of changes of the pairs through which the list is kept.
    n_left: u32,
}

/// A value that is set once. Without the standard library there is no lock, so only the owner sets
/// it.
#[cfg(not(feature = "std"))]
#[derive(Debug)]
struct OnceLock<T>(Option<T>);

#[cfg(not(feature = "std"))]
impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock(None)
    }
}

#[cfg(not(feature = "std"))]
impl<T> OnceLock<T> {
    fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    fn set(&mut self, value: T) -> Result<(), T> {
        self.0 = Some(value);
        Ok(())
    }

    fn take(&mut self) -> Option<T> {
        self.0.take()
    }
}

/// The second body of a pair, then the first.
type Key = [u32; 2];

/// The number of scans before the list is made. Sorting takes as long as this many scans.
const MAX_SCANS: u32 = 32;

/// The number of changes of the pairs through which the list is kept without a use by a view.
const MAX_UNUSED_CHANGES: u32 = 64;

impl PairsByBody {
    /// Updates the list, before or after the pairs change. `gone` and `added` are the pairs that
    /// end and begin, each in the order of the pairs.
    pub(crate) fn change(
        &mut self,
        gone: impl Iterator<Item = Pair>,
        added: impl Iterator<Item = Pair> + Clone,
    ) {
        self.n_scans = 0;
        if core::mem::take(self.is_used.get_mut()) {
            self.n_left = MAX_UNUSED_CHANGES;
        }
        if self.n_left == 0 {
            self.keys.take();
            return;
        }
        self.n_left -= 1;
        let Some(keys) = self.keys.get_mut() else { return };
        let mut gone: Vec<Key> = gone.map(key_of).collect();
        gone.sort_unstable();
        let mut gone = gone.iter().peekable();
        keys.retain(|key| {
            while gone.next_if(|gone| *gone < key).is_some() {}
            gone.peek() != Some(&key)
        });
        // Two sorted runs, which the sort merges.
        let n_kept = keys.len();
        keys.extend(added.map(key_of));
        keys[n_kept..].sort_unstable();
        keys.sort();
        keys.dedup();
    }

    /// Makes the list if a view wants it. `pairs` are all pairs.
    #[cfg(not(feature = "std"))]
    pub(crate) fn prepare(&mut self, pairs: &[Pair]) {
        if *self.is_used.get_mut() {
            self.make(pairs);
        }
    }

    /// Makes the list, unless it is there.
    fn make(&mut self, pairs: &[Pair]) {
        if self.keys.get().is_none() {
            // It is not set, so this is not refused.
            let _ = self.keys.set(list_of(pairs));
        }
    }

    /// Calls `visit` with the place of each pair of a body, gaps included.
    pub(crate) fn visit(&mut self, pairs: &[Pair], body: u32, mut visit: impl FnMut(usize)) {
        let first = pairs.partition_point(|pair| pair.a < body);
        let own = pairs[first..].iter().take_while(|pair| pair.a == body).count();
        (first..first + own).for_each(&mut visit);
        if MAX_SCANS <= self.n_scans {
            self.make(pairs);
        }
        match self.keys.get() {
            Some(keys) => {
                for &[b, a] in of_body(keys, body) {
                    places_of(pairs, Pair { a, b }).for_each(&mut visit);
                }
            }
            None => {
                self.n_scans += 1;
                // The first body of a pair has the smaller number.
                let others = pairs[..first].iter().enumerate().filter(|(_, pair)| pair.b == body);
                others.for_each(|(index, _)| visit(index));
            }
        }
    }

    /// Returns the bodies with smaller numbers with which a body has a pair, ascending. `pairs` are
    /// all pairs. A body may be among them whose pair has ended.
    pub(crate) fn smaller_partners(&self, pairs: &[Pair], body: u32) -> Vec<u32> {
        self.is_used.store(true, Ordering::Relaxed);
        #[cfg(feature = "std")]
        let keys = Some(self.keys.get_or_init(|| list_of(pairs)));
        #[cfg(not(feature = "std"))]
        let keys = self.keys.get();
        match keys {
            Some(keys) => of_body(keys, body).iter().map(|&[_, a]| a).collect(),
            None => {
                let first = pairs.partition_point(|pair| pair.a < body);
                let mut partners: Vec<u32> =
                    pairs[..first].iter().filter(|pair| pair.b == body).map(|pair| pair.a).collect();
                partners.dedup();
                partners
            }
        }
    }
}

/// Returns the places with this pair. All but one of them are gaps.
pub(crate) fn places_of(pairs: &[Pair], pair: Pair) -> impl Iterator<Item = usize> + '_ {
    let first = pairs.partition_point(|other| *other < pair);
    (first..pairs.len()).take_while(move |&place| pairs[place] == pair)
}

fn key_of(pair: Pair) -> Key {
    [pair.b, pair.a]
}

fn list_of(pairs: &[Pair]) -> Vec<Key> {
    let mut keys: Vec<Key> = pairs.iter().copied().map(key_of).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the keys of the pairs whose second body it is.
fn of_body(keys: &[Key], body: u32) -> &[Key] {
    let first = keys.partition_point(|key| key[0] < body);
    let n = keys[first..].partition_point(|key| key[0] == body);
    &keys[first..first + n]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pairs of 40 bodies that a rule selects, sorted.
    fn pairs_with(is_pair: impl Fn(u32, u32) -> bool) -> Vec<Pair> {
        let all = (0..40).flat_map(|a| (a + 1..40).map(move |b| Pair { a, b }));
        all.filter(|pair| is_pair(pair.a, pair.b)).collect()
    }

    #[test]
    fn all_pairs_of_a_body_are_visited_in_the_same_order_however_many_are_requested() {
        let pairs = pairs_with(|a, b| (a * 7 + b * 5) % 3 == 0);
        let mut pairs_by_body = PairsByBody::default();
        let mut query = |body: u32| {
            let mut visited = Vec::new();
            pairs_by_body.visit(&pairs, body, |index| visited.push(index));
            visited
        };
        let first: Vec<_> = (0..MAX_SCANS).map(&mut query).collect();
        let later: Vec<_> = (0..MAX_SCANS).map(&mut query).collect();
        assert_eq!(first, later);
        for (body, visited) in (0..).zip(first) {
            let mut indices = visited.clone();
            indices.sort_unstable();
            let is_of = |index: &usize| pairs[*index].a == body || pairs[*index].b == body;
            assert_eq!(indices, (0..pairs.len()).filter(is_of).collect::<Vec<_>>());
        }
    }

    /// The list that is updated is the list that is made anew, and it is dropped after a while
    /// without a use.
    #[test]
    fn a_list_that_is_updated_is_as_a_new_one() {
        let mut pairs_by_body = PairsByBody::default();
        let mut old = pairs_with(|a, b| (a + b) % 4 == 0);
        for round in 1..20_u32 {
            let partners = |list: &PairsByBody, pairs: &[Pair]| -> Vec<Vec<u32>> {
                (0..40).map(|body| list.smaller_partners(pairs, body)).collect()
            };
            let found = partners(&pairs_by_body, &old);
            assert_eq!(found, partners(&PairsByBody::default(), &old), "round {round}");
            assert!(found.iter().flatten().count() == old.len() && 100 < old.len());
            let new = pairs_with(|a, b| (a * round + b * 3) % 5 < 2);
            // A pair of another body with the same number ends and begins.
            let is_other = |pair: &Pair| (pair.a + pair.b).is_multiple_of(7);
            let gone = old.iter().filter(|pair| new.binary_search(pair).is_err() || is_other(pair));
            let added = new.iter().filter(|pair| old.binary_search(pair).is_err() || is_other(pair));
            pairs_by_body.change(gone.copied(), added.copied());
            #[cfg(not(feature = "std"))]
            pairs_by_body.prepare(&new);
            old = new;
        }
        let none = || core::iter::empty();
        (0..=MAX_UNUSED_CHANGES).for_each(|_| pairs_by_body.change(none(), none()));
        let is_dropped = pairs_by_body.keys.take().is_none();
        assert!(is_dropped);
    }
}
