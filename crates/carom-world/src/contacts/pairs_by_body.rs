//! Finds the pairs of one body, for edits of that body.
//!
//! Pairs are sorted by their first body, so the pairs whose first body it is are found by
//! bisection. For the pairs whose second body it is, the first few queries scan all pairs. Later
//! queries use an index.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 6.5 (retrieval on secondary keys: an
//! inverted list).

use alloc::vec::Vec;
use carom_broad::Pair;

/// An index of the pairs by their second body, built after a few queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairsByBody {
    by_b: Vec<u32>,
    is_indexed: bool,
    /// The number of queries since the pair states changed.
    n_queries: u32,
}

/// The number of queries before the index is built. Sorting takes as long as this many scans.
const MAX_SCANS: u32 = 32;

impl PairsByBody {
    /// Drops the index: the pair states changed.
    pub(crate) fn forget(&mut self) {
        (self.is_indexed, self.n_queries) = (false, 0);
    }

    /// Calls `visit` with the place of each pair of a body.
    pub(crate) fn visit(&mut self, pairs: &[Pair], body: u32, mut visit: impl FnMut(usize)) {
        let first = pairs.partition_point(|pair| pair.a < body);
        let own = pairs[first..].iter().take_while(|pair| pair.a == body).count();
        (first..first + own).for_each(&mut visit);
        if !self.is_indexed && self.n_queries < MAX_SCANS {
            self.n_queries += 1;
            // The first body of a pair has the smaller number.
            let others = pairs[..first].iter().enumerate().filter(|(_, pair)| pair.b == body);
            others.for_each(|(index, _)| visit(index));
            return;
        }
        if !self.is_indexed {
            self.is_indexed = true;
            self.by_b.clear();
            self.by_b.extend(0..pairs.len() as u32);
            self.by_b.sort_unstable_by_key(|&index| (pairs[index as usize].b, index));
        }
        let b_of = |index: &u32| pairs[*index as usize].b;
        let first = self.by_b.partition_point(|index| b_of(index) < body);
        self.by_b[first..]
            .iter()
            .take_while(|index| b_of(index) == body)
            .for_each(|&index| visit(index as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_a_body_are_visited_in_the_same_order_however_many_are_requested() {
        let mut pairs = Vec::new();
        for a in 0..40u32 {
            pairs.extend((a + 1..40).filter(|b| (a * 7 + b * 5) % 3 == 0).map(|b| Pair { a, b }));
        }
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
}
