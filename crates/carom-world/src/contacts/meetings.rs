//! Whom a body meets, asked for by body: what an edit of one body needs to know of all pairs.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 6.5 (retrieval on secondary keys: an inverted list).

use alloc::vec::Vec;
use carom_broad::Pair;

/// Whom each body meets: the places of the records, sorted by their second body, once many have been asked for; the first are sorted already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    by_b: Vec<u32>,
    is_known: bool,
    /// How many bodies were asked for since the records are as they are.
    n_asked: u32,
}

/// To sort takes as long as so many walks over all pairs.
const FEW: u32 = 32;

impl Meetings {
    /// The records are others now.
    pub(crate) fn forget(&mut self) {
        (self.is_known, self.n_asked) = (false, 0);
    }

    /// Calls `visit` with the place of each pair that a body is in.
    pub(crate) fn visit(&mut self, pairs: &[Pair], body: u32, mut visit: impl FnMut(usize)) {
        let first = pairs.partition_point(|pair| pair.a < body);
        let own = pairs[first..].iter().take_while(|pair| pair.a == body).count();
        (first..first + own).for_each(&mut visit);
        if !self.is_known && self.n_asked < FEW {
            self.n_asked += 1;
            // Of two the first is the smaller number.
            let others = pairs[..first].iter().enumerate().filter(|(_, pair)| pair.b == body);
            others.for_each(|(place, _)| visit(place));
            return;
        }
        if !self.is_known {
            self.is_known = true;
            self.by_b.clear();
            self.by_b.extend(0..pairs.len() as u32);
            self.by_b.sort_unstable_by_key(|&place| (pairs[place as usize].b, place));
        }
        let b_of = |place: &u32| pairs[*place as usize].b;
        let first = self.by_b.partition_point(|place| b_of(place) < body);
        self.by_b[first..]
            .iter()
            .take_while(|place| b_of(place) == body)
            .for_each(|&place| visit(place as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_a_body_are_visited_in_the_same_order_however_many_are_asked_for() {
        let mut pairs = Vec::new();
        for a in 0..40u32 {
            pairs.extend((a + 1..40).filter(|b| (a * 7 + b * 5) % 3 == 0).map(|b| Pair { a, b }));
        }
        let mut meetings = Meetings::default();
        let mut ask = |body: u32| {
            let mut visited = Vec::new();
            meetings.visit(&pairs, body, |place| visited.push(place));
            visited
        };
        let first: Vec<_> = (0..FEW).map(&mut ask).collect();
        let later: Vec<_> = (0..FEW).map(&mut ask).collect();
        assert_eq!(first, later);
        for (body, visited) in (0..).zip(first) {
            let mut places = visited.clone();
            places.sort_unstable();
            let is_of = |place: &usize| pairs[*place].a == body || pairs[*place].b == body;
            assert_eq!(places, (0..pairs.len()).filter(is_of).collect::<Vec<_>>());
        }
    }
}
