//! What went and what came between two sorted lists of pairs, and the records that follow: only those behind a change are moved, within
//! their own memory.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming 3, 5.2.4 (merging).

use crate::narrow::Record;
use alloc::vec::Vec;
use carom_broad::Pair;

/// Pairs that are compared at once.
const BLOCK: usize = 32;

/// Places in the old list and in the new one, ascending.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) gone: Vec<u32>,
    pub(crate) added: Vec<u32>,
    /// Runs of what stays: from where, to where, how many.
    runs: Vec<[usize; 3]>,
}

impl Changes {
    /// The difference of two lists; a pair that stays at an old place is another one unless `is_same` says that it is not. Where that need
    /// not be asked, what stays is passed over in blocks.
    pub(crate) fn find(
        &mut self,
        old: &[Pair],
        new: &[Pair],
        may_be_other: bool,
        is_same: impl Fn(usize) -> bool,
    ) {
        self.gone.clear();
        self.added.clear();
        let (mut at, mut to) = (0, 0);
        while at < old.len() || to < new.len() {
            if let (false, Some(block)) = (may_be_other, old.get(at..at + BLOCK))
                && new.get(to..to + BLOCK) == Some(block)
            {
                (at, to) = (at + BLOCK, to + BLOCK);
                continue;
            }
            let is_gone = to == new.len() || at < old.len() && old[at] < new[to];
            let is_added = at == old.len() || to < new.len() && new[to] < old[at];
            let is_other = !is_gone && !is_added && may_be_other && !is_same(at);
            if is_gone || is_other {
                self.gone.push(at as u32);
            }
            if is_added || is_other {
                self.added.push(to as u32);
            }
            at += usize::from(!is_added);
            to += usize::from(!is_gone);
        }
    }

    /// The lists are the same.
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.added.is_empty()
    }

    /// Makes the records of the old list those of the new one; `make` makes one for a place in it.
    pub(crate) fn apply(&mut self, records: &mut Vec<Record>, make: impl Fn(usize) -> Record) {
        let Changes { gone, added, runs } = self;
        let n_new = records.len() + added.len() - gone.len();
        runs.clear();
        let (mut at, mut to) = (0, 0);
        let (mut gone, mut coming) = (gone.iter().peekable(), added.iter().peekable());
        while at < records.len() {
            if gone.next_if(|&&place| place as usize == at).is_some() {
                at += 1;
            } else if coming.next_if(|&&place| place as usize == to).is_some() {
                to += 1;
            } else {
                let until_gone = gone.peek().map_or(records.len(), |&&place| place as usize) - at;
                let until_added = coming.peek().map_or(usize::MAX, |&&place| place as usize) - to;
                let n = until_gone.min(until_added);
                runs.push([at, to, n]);
                (at, to) = (at + n, to + n);
            }
        }
        if let Some(&any) = added.first() {
            records.resize(n_new.max(records.len()), make(any as usize));
        }
        // No run that moves forwards covers one that moves backwards, for both keep their order.
        for &[from, to, n] in runs.iter().filter(|[from, to, _]| to < from) {
            records.copy_within(from..from + n, to);
        }
        for &[from, to, n] in runs.iter().rev().filter(|[from, to, _]| from < to) {
            records.copy_within(from..from + n, to);
        }
        records.truncate(n_new);
        for &place in added.iter() {
            records[place as usize] = make(place as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyId;

    fn record(pair: Pair, generation: u32) -> Record {
        let id = |index| BodyId { index, generation };
        Record::new(id(pair.a), id(pair.b), true, false)
    }

    /// The records of all lists of pairs become those of all others, old ones where the pair stays.
    #[test]
    fn records_follow_their_pairs() {
        let all: Vec<Pair> = (0..7).map(|k| Pair { a: k, b: k + 1 }).collect();
        let chosen = |bits: u32| -> Vec<Pair> {
            all.iter().zip(0..).filter(|(_, k)| bits >> k & 1 == 1).map(|(pair, _)| *pair).collect()
        };
        let mut changes = Changes::default();
        for bits in 0..128 {
            for (others, replaced) in (0..128).flat_map(|others| [(others, 9), (others, 3)]) {
                let (old, new) = (chosen(bits), chosen(others));
                let is_same = |place: usize| old[place].a != replaced;
                changes.find(&old, &new, replaced == 3, is_same);
                let mut records: Vec<Record> = old.iter().map(|&pair| record(pair, 1)).collect();
                changes.apply(&mut records, |place| record(new[place], 3));
                assert_eq!(records.iter().map(Record::pair).collect::<Vec<_>>(), new);
                for record in &records {
                    let stays = bits >> record.a.index & 1 == 1 && record.a.index != replaced;
                    assert_eq!(record.a.generation, if stays { 1 } else { 3 }, "{bits:b} {others:b}");
                }
                assert_eq!(changes.is_empty(), bits == others && (replaced == 9 || bits >> 3 & 1 == 0));
            }
        }
    }
}
