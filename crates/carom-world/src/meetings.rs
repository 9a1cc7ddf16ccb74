//! Whom a body meets, asked for by body: what an edit of one body needs to know of all pairs.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 6.5 (retrieval on secondary keys: an inverted list).

use alloc::vec::Vec;
use carom_broad::Pair;

/// Whom each body meets: the places of the records, sorted by their second body; the first are sorted already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    by_b: Vec<u32>,
    is_known: bool,
}

impl Meetings {
    /// The records are others now.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Calls `visit` with the place of each pair that a body is in.
    pub(crate) fn visit(&mut self, pairs: &[Pair], body: u32, mut visit: impl FnMut(usize)) {
        if !self.is_known {
            self.is_known = true;
            self.by_b.clear();
            self.by_b.extend(0..pairs.len() as u32);
            self.by_b.sort_unstable_by_key(|&place| (pairs[place as usize].b, place));
        }
        let first = pairs.partition_point(|pair| pair.a < body);
        let own = pairs[first..].iter().take_while(|pair| pair.a == body).count();
        (first..first + own).for_each(&mut visit);
        let b_of = |place: &u32| pairs[*place as usize].b;
        let first = self.by_b.partition_point(|place| b_of(place) < body);
        self.by_b[first..]
            .iter()
            .take_while(|place| b_of(place) == body)
            .for_each(|&place| visit(place as usize));
    }
}
