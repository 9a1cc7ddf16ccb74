//! Puts pairs in canonical order: by the smaller index, then the larger.
//!
//! A two-pass counting sort, by the larger index and then by the smaller, is used for few slots or
//! many pairs per slot. It compares nothing, so no branch is mispredicted. Otherwise its scattered
//! writes cost too much. One counting pass by the smaller index then puts each pair near its
//! place, and insertion finishes. Long buckets are sorted first.
//!
//! Tried: one pass for 8 pairs a slot, 10,000 slots; 1.2x slower (EPYC, 2026-11).
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution
//! counting), 5.2.5, algorithm R (from the last key to the first), and 5.2.1, algorithm S
//! (straight insertion).

use crate::{Pair, PairBuffer, PairFilter, ProxyTable};
use alloc::vec::Vec;

/// Up to this many slots, the counts of both indices stay in a near cache.
const FEW_SLOTS: usize = 1 << 15;

/// Up to this many slots, two passes pay off if the mean bucket reaches [`FULL`].
const MANY_SLOTS: usize = 1 << 18;

/// Mean size of the bucket of a pair from which sorting the buckets takes long.
const FULL: u64 = 4;

/// A bucket longer than this is sorted before the insertion pass.
const LONG_BUCKET: u32 = 24;

/// Makes `out` the pairs `(low[i], high[i])` in the canonical order of
/// [`BroadPhase::pairs`](crate::BroadPhase::pairs); for implementors. `low` and `high` have the
/// same length, `low[i] < high[i]`, and each index is below `n_slots`. `counts` is scratch memory.
pub fn sort_pairs(low: &[u32], high: &[u32], n_slots: usize, counts: &mut Vec<u32>, out: &mut Vec<Pair>) {
    let n = low.len();
    if n * 8 < n_slots {
        // Few pairs: the counts would cost more than the sort.
        out.clear();
        out.extend(low.iter().zip(high).map(|(&a, &b)| Pair { a, b }));
        out.sort_unstable();
        return;
    }
    if n_slots <= FEW_SLOTS {
        return distribute_twice(low, high, n_slots, counts, out);
    }
    counts.clear();
    counts.resize(n_slots, 0);
    for &a in low {
        counts[a as usize] += 1;
    }
    let (mut sum, mut longest, mut squares) = (0, 0, 0);
    for count in counts.iter_mut() {
        longest = longest.max(*count);
        squares += u64::from(*count).pow(2);
        sum += core::mem::replace(count, sum);
    }
    if n_slots <= MANY_SLOTS && FULL * n as u64 <= squares {
        return distribute_twice(low, high, n_slots, counts, out);
    }
    out.resize(n, Pair { a: 0, b: 0 });
    for (&a, &b) in low.iter().zip(high) {
        let entry = &mut counts[a as usize];
        out[*entry as usize] = Pair { a, b };
        *entry += 1;
    }
    if longest > LONG_BUCKET {
        // After the scatter a count is the end of its bucket.
        let mut start = 0;
        for &end in counts.iter() {
            if end - start > LONG_BUCKET {
                out[start as usize..end as usize].sort_unstable_by_key(|pair| pair.b);
            }
            start = end;
        }
    }
    for i in 1..out.len() {
        let pair = out[i];
        let mut index = i;
        while 0 < index && pair < out[index - 1] {
            out[index] = out[index - 1];
            index -= 1;
        }
        out[index] = pair;
    }
}

/// Makes `out` the sorted pairs without comparisons.
///
/// Two threads could each sort a half and merge from both ends. That saves a third of the time and
/// takes 8 bytes more per pair.
fn distribute_twice(low: &[u32], high: &[u32], n_slots: usize, work: &mut Vec<u32>, out: &mut Vec<Pair>) {
    let n = low.len();
    work.resize(2 * n_slots + n, 0);
    let (low_offsets, rest) = work.split_at_mut(n_slots);
    let (high_offsets, by_high) = rest.split_at_mut(n_slots);
    low_offsets.fill(0);
    high_offsets.fill(0);
    for (&a, &b) in low.iter().zip(high) {
        low_offsets[a as usize] += 1;
        high_offsets[b as usize] += 1;
    }
    let (mut low_sum, mut high_sum) = (0, 0);
    for (a, b) in low_offsets.iter_mut().zip(high_offsets.iter_mut()) {
        low_sum += core::mem::replace(a, low_sum);
        high_sum += core::mem::replace(b, high_sum);
    }
    for (&a, &b) in low.iter().zip(high) {
        let entry = &mut high_offsets[b as usize];
        by_high[*entry as usize] = a;
        *entry += 1;
    }
    // The old contents are overwritten.
    out.resize(n, Pair { a: 0, b: 0 });
    // Each entry is now the end of its bucket, which gives the larger index.
    let mut b = 0;
    for (i, &a) in by_high.iter().enumerate() {
        while high_offsets[b] as usize <= i {
            b += 1;
        }
        let entry = &mut low_offsets[a as usize];
        out[*entry as usize] = Pair { a, b: b as u32 };
        *entry += 1;
    }
}

/// Makes `out` the found pairs that pass the filters, each once and in canonical order; for
/// implementors. `may_repeat`: whether a pair may be found twice. `is_filtered`: whether some
/// filter of the table rejects something. `counts` is scratch memory.
pub fn wanted_pairs(
    found: &PairBuffer,
    may_repeat: bool,
    proxies: &ProxyTable,
    is_filtered: bool,
    pair_filter: Option<&PairFilter>,
    counts: &mut Vec<u32>,
    out: &mut Vec<Pair>,
) {
    sort_pairs(found.low(), found.high(), proxies.n_slots(), counts, out);
    if may_repeat {
        out.dedup();
    }
    if is_filtered {
        let filters = proxies.filters();
        out.retain(|pair| filters[pair.a as usize].meets(&filters[pair.b as usize]));
    }
    if let Some(keep) = pair_filter {
        out.retain(|&pair| keep(pair));
    }
}
