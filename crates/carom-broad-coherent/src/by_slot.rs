//! Lists the candidates of each slot, for frames in which few boxes move.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution
//! counting), 6.5 (inverted lists).

use alloc::vec::Vec;
use carom_broad::Pair;

/// Candidates by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct BySlot {
    /// By slot: the end of the run of candidates whose smaller slot it is.
    ends_low: Vec<u32>,
    /// By slot: the end of its range in `numbers`.
    ends_high: Vec<u32>,
    /// The candidates by their larger index.
    numbers: Vec<u32>,
    /// Whether this index belongs to the current list.
    pub(crate) is_current: bool,
}

impl BySlot {
    /// Rebuilds the index from these candidates, which are in canonical order.
    pub(crate) fn fill(&mut self, pairs: &[Pair], n_slots: usize) {
        let BySlot { ends_low, ends_high, numbers, is_current } = self;
        for ends in [&mut *ends_low, &mut *ends_high] {
            ends.clear();
            ends.resize(n_slots, 0);
        }
        for pair in pairs {
            ends_low[pair.a as usize] += 1;
            ends_high[pair.b as usize] += 1;
        }
        let (mut end_low, mut start_high) = (0, 0);
        for (low, high) in ends_low.iter_mut().zip(ends_high.iter_mut()) {
            end_low += *low;
            *low = end_low;
            start_high += core::mem::replace(high, start_high);
        }
        numbers.resize(pairs.len(), 0);
        for (number, pair) in (0..).zip(pairs) {
            // Afterwards each entry is the start of the next range.
            let entry = &mut ends_high[pair.b as usize];
            numbers[*entry as usize] = number;
            *entry += 1;
        }
        *is_current = true;
    }

    /// Returns the candidates that contain a slot.
    pub(crate) fn numbers_of(&self, slot: u32) -> impl Iterator<Item = usize> + '_ {
        let part = |ends: &[u32]| match ends.get(slot as usize) {
            Some(&end) => {
                let start = slot.checked_sub(1).map_or(0, |before| ends[before as usize]);
                start as usize..end as usize
            }
            // The slot is newer than the list.
            None => 0..0,
        };
        part(&self.ends_low).chain(self.numbers[part(&self.ends_high)].iter().map(|&number| number as usize))
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.ends_low.capacity() + self.ends_high.capacity() + self.numbers.capacity())
    }
}
