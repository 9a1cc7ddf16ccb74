//! Puts pairs in canonical order: by the smaller index, then the larger.
//!
//! Where slots are few, or have many pairs, as a floor under everything has, pairs are distributed
//! twice: by the larger index, then, in that order, by the smaller. Nothing is compared, so nothing
//! is guessed wrongly. Elsewhere that costs more in places far apart in memory than it saves:
//! counting by the smaller index puts every pair near its place, and one pass of insertion does the
//! rest; long buckets are sorted on their own first.
//!
//! Nanoseconds a pair, twice and once distributed, of 1.5 and 8 pairs a slot: at 1,000 slots 13, 8
//! and 15, 16; at 10,000 11, 9 and 13, 16; at 100,000 14, 14 and 13, 20; at 1,000,000 40, 38 and
//! 30, 34 (EPYC, November 2026).
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution
//! counting), 5.2.5, algorithm R (from the last key to the first), and 5.2.1, algorithm S (straight
//! insertion).

use crate::{Found, Pair, PairFilter, ProxyTable};
use alloc::vec::Vec;

/// Up to so many slots the counts of both indices stay in a near cache.
const FEW_SLOTS: usize = 1 << 15;

/// Up to so many slots it pays to distribute twice when buckets are [`FULL`].
const MANY_SLOTS: usize = 1 << 18;

/// When a pair has this many in its bucket on average, itself included, to put these in order takes
/// long.
const FULL: u64 = 4;

/// A bucket longer than this is sorted before the insertion pass.
const LONG_BUCKET: u32 = 24;

/// Makes `out` the pairs `(low[i], high[i])` in canonical order, as
/// [`BroadPhase::pairs`](crate::BroadPhase::pairs) owes them; for implementors. `low[i] < high[i]`;
/// both are as long, and every index is below `n_slots`. `counts` is memory to work in.
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
        let place = &mut counts[a as usize];
        out[*place as usize] = Pair { a, b };
        *place += 1;
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
        let mut place = i;
        while 0 < place && pair < out[place - 1] {
            out[place] = out[place - 1];
            place -= 1;
        }
        out[place] = pair;
    }
}

/// Makes `out` the sorted pairs without comparing any.
///
/// Two threads that sort a half each, which they merge from both ends, save a third of it, and take
/// 8 bytes a pair more.
fn distribute_twice(low: &[u32], high: &[u32], n_slots: usize, work: &mut Vec<u32>, out: &mut Vec<Pair>) {
    let n = low.len();
    work.resize(2 * n_slots + n, 0);
    let (low_places, rest) = work.split_at_mut(n_slots);
    let (high_places, by_high) = rest.split_at_mut(n_slots);
    low_places.fill(0);
    high_places.fill(0);
    for (&a, &b) in low.iter().zip(high) {
        low_places[a as usize] += 1;
        high_places[b as usize] += 1;
    }
    let (mut low_sum, mut high_sum) = (0, 0);
    for (a, b) in low_places.iter_mut().zip(high_places.iter_mut()) {
        low_sum += core::mem::replace(a, low_sum);
        high_sum += core::mem::replace(b, high_sum);
    }
    for (&a, &b) in low.iter().zip(high) {
        let place = &mut high_places[b as usize];
        by_high[*place as usize] = a;
        *place += 1;
    }
    // What is there already is written over.
    out.resize(n, Pair { a: 0, b: 0 });
    // A place is the end of its bucket now, so it tells which larger index the bucket is of.
    let mut b = 0;
    for (i, &a) in by_high.iter().enumerate() {
        while high_places[b] as usize <= i {
            b += 1;
        }
        let place = &mut low_places[a as usize];
        out[*place as usize] = Pair { a, b: b as u32 };
        *place += 1;
    }
}

/// Makes `out` the pairs that were found and are wanted, each once and in canonical order; for
/// implementors. `may_repeat`: some may have been found more than once. `is_filtered`: some filter
/// of the table does not want everything. `counts` is memory to work in.
pub fn wanted_pairs(
    found: &Found,
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
