//! Puts pairs in canonical order: by the smaller index, then the larger.
//!
//! Where slots are few, or have many pairs, as a floor under everything has, pairs are distributed twice: by the larger index, then,
//! in that order, by the smaller. Nothing is compared, so nothing is guessed wrongly. Elsewhere that costs more in places far apart in
//! memory than it saves: counting by the smaller index puts every pair near its place, and one pass of insertion does the rest; long
//! buckets are sorted on their own first.
//!
//! Nanoseconds a pair, twice and once distributed, of 1.5 and 8 pairs a slot: at 1,000 slots 13, 8 and 15, 16; at 10,000 11, 9 and
//! 13, 16; at 100,000 14, 14 and 13, 20; at 1,000,000 40, 38 and 30, 34 (EPYC, November 2026).
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution counting), 5.2.5, algorithm R
//! (from the last key to the first), and 5.2.1, algorithm S (straight insertion).

use crate::{Found, Pair, PairFilter, ProxyTable};
use alloc::vec::Vec;

/// Up to so many slots the counts of both indices stay in a near cache.
const FEW_SLOTS: usize = 1 << 15;

/// Up to so many slots it pays to distribute twice when buckets are [`FULL`].
const MANY_SLOTS: usize = 1 << 18;

/// When a pair has this many in its bucket on average, itself included, to put these in order takes long.
const FULL: u64 = 4;

/// A bucket longer than this is sorted before the insertion pass.
const LONG_BUCKET: u32 = 24;

/// Makes `out` the pairs `(low[i], high[i])` in canonical order, as [`BroadPhase::pairs`](crate::BroadPhase::pairs) owes them; for
/// implementors. `low[i] < high[i]`; both are as long, and every index is below `n_slots`. `counts` is memory to work in.
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

/// Makes `out` the sorted pairs without comparing any, or, by two threads, few.
fn distribute_twice(low: &[u32], high: &[u32], n_slots: usize, work: &mut Vec<u32>, out: &mut Vec<Pair>) {
    // What is there already is written over.
    out.resize(low.len(), Pair { a: 0, b: 0 });
    #[cfg(feature = "parallel")]
    if crate::par::distribute_halves(low, high, n_slots, work, out) {
        return;
    }
    work.resize(work_size(low.len(), n_slots), 0);
    distribute(low, high, n_slots, work, |place, pair| out[place] = pair);
}

/// So many words takes the sorting of `n` pairs.
pub(crate) fn work_size(n: usize, n_slots: usize) -> usize {
    2 * n_slots + n
}

/// Tells the sorted pairs in any order, each with its place.
pub(crate) fn distribute(
    low: &[u32],
    high: &[u32],
    n_slots: usize,
    work: &mut [u32],
    mut tell: impl FnMut(usize, Pair),
) {
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
    // A place is the end of its bucket now, so it tells which larger index the bucket is of.
    let mut b = 0;
    for (i, &a) in by_high[..low.len()].iter().enumerate() {
        while high_places[b] as usize <= i {
            b += 1;
        }
        let place = &mut low_places[a as usize];
        tell(*place as usize, Pair { a, b: b as u32 });
        *place += 1;
    }
}

/// The pair with a number in a list of words, two for each, as a number that is greater for who comes later; `beyond` where there is none.
#[cfg(feature = "parallel")]
#[inline(always)]
fn key_of(words: &[[u32; 2]], number: usize, beyond: u64) -> u64 {
    words.get(number).map_or(beyond, |&[a, b]| u64::from(a) << 32 | u64::from(b))
}

#[cfg(feature = "parallel")]
#[inline(always)]
fn pair_of(key: u64) -> Pair {
    Pair { a: (key >> 32) as u32, b: key as u32 }
}

/// Makes `out` the first pairs of two sorted lists, as many as it is long, in order.
#[cfg(feature = "parallel")]
pub(crate) fn merge_first(x: &[[u32; 2]], y: &[[u32; 2]], out: &mut [Pair]) {
    let (mut i, mut j) = (0, 0);
    for out in out {
        let (x, y) = (key_of(x, i, u64::MAX), key_of(y, j, u64::MAX));
        // Not a branch: either is as likely.
        *out = pair_of(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y < x);
    }
}

/// As [`merge_first`], the last ones.
#[cfg(feature = "parallel")]
pub(crate) fn merge_last(x: &[[u32; 2]], y: &[[u32; 2]], out: &mut [Pair]) {
    let (mut i, mut j) = (x.len(), y.len());
    for out in out.iter_mut().rev() {
        let (x, y) = (key_of(x, i.wrapping_sub(1), 0), key_of(y, j.wrapping_sub(1), 0));
        *out = pair_of(x.max(y));
        i -= usize::from(y < x);
        j -= usize::from(x <= y);
    }
}

/// Makes `out` the pairs that were found and are wanted, each once and in canonical order; for implementors. `may_repeat`: some may
/// have been found more than once. `is_filtered`: some filter of the table does not want everything. `counts` is memory to work in.
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
