//! Outliers: each queries the index, and a sweep finds the pairs among them.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.5 (sort and sweep).

use crate::Work;
use crate::{FatIndex, Residents, VerletList};
use alloc::vec::Vec;
use carom_bounds::BoundingVolume;
use carom_broad::Pair;
use core::ops::ControlFlow;

/// Removed slots with pairs that are still in the list. One bit per slot keeps lookups in little
/// memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removed {
    bits: Vec<u64>,
    /// The slots with bits that are set.
    slots: Vec<u32>,
}

impl Removed {
    /// Adds a slot.
    pub(crate) fn add(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (slot % 64);
        self.slots.push(slot);
    }

    /// Whether no slot was removed.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether this slot was removed.
    #[inline]
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.bits.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Returns all of them; some may be listed twice.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.bits[slot as usize / 64] = 0;
        }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.bits.capacity() + 4 * self.slots.capacity()
    }
}

impl<I: FatIndex> VerletList<I> {
    /// Finds the pairs of outliers, sorted.
    pub(crate) fn find_outlier_pairs(&mut self) {
        let VerletList { index, work, proxies, fat, outliers, counters, .. } = self;
        let Work { sweep, outlier_pairs, .. } = work;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        let residents = Residents { boxes, fat };
        outlier_pairs.clear();
        for &slot in &*outliers {
            let _ = index.visit_box(residents, &boxes[slot as usize], &mut |other| {
                if filters[slot as usize].meets(&filters[other as usize]) {
                    outlier_pairs.push(Pair::new(slot, other));
                }
                ControlFlow::Continue(())
            });
        }
        // Outliers among themselves: sorted along x and swept, as a structure of arrays.
        sweep.clear();
        sweep.extend(outliers.iter().map(|&slot| (boxes[slot as usize], slot)));
        sweep.sort_unstable_by(|(a, i), (b, j)| a.min.x.total_cmp(&b.min.x).then(i.cmp(j)));
        for (rank, &(aabb, i)) in sweep.iter().enumerate() {
            for (other, j) in &sweep[rank + 1..] {
                if aabb.max.x < other.min.x {
                    break;
                }
                counters.tests += 1;
                if aabb.overlaps(other) && filters[i as usize].meets(&filters[*j as usize]) {
                    outlier_pairs.push(Pair::new(i, *j));
                }
            }
        }
        outlier_pairs.sort_unstable();
    }
}

/// Merges sorted `extra` into sorted `out`, from the back and in whole runs.
pub(crate) fn merge(out: &mut Vec<Pair>, extra: &[Pair]) {
    let mut kept = out.len();
    out.resize(kept + extra.len(), Pair { a: 0, b: 0 });
    let mut end = out.len();
    for &pair in extra.iter().rev() {
        // The position is near the last one: galloping search, then bisection.
        let mut step = 1;
        while step <= kept && pair < out[kept - step] {
            step *= 2;
        }
        let from = kept.saturating_sub(step);
        let first = from + out[from..kept].partition_point(|&other| other < pair);
        let n = kept - first;
        out.copy_within(first..kept, end - n);
        end -= n;
        kept = first;
        end -= 1;
        out[end] = pair;
    }
}
