//! Puts pairs in canonical order: by the smaller index, then the larger.
//!
//! Counting by the smaller index puts every pair near its place; one pass of insertion does the rest. Long buckets, as
//! a floor under everything has, are sorted on their own first.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution counting), and
//! 5.2.1, algorithm S (straight insertion).

use crate::{Found, Pair, PairFilter, ProxyTable};
use alloc::vec::Vec;

/// A bucket longer than this is sorted before the insertion pass.
const LONG_BUCKET: u32 = 24;

/// Makes `out` the pairs `(low[i], high[i])` in canonical order, as [`BroadPhase::pairs`](crate::BroadPhase::pairs) owes them; for
/// implementors. `low[i] < high[i]`; both are as long, and every index is below `n_slots`. `counts` is memory to work in.
pub fn sort_pairs(low: &[u32], high: &[u32], n_slots: usize, counts: &mut Vec<u32>, out: &mut Vec<Pair>) {
    let n = low.len();
    out.clear();
    if n * 8 < n_slots {
        // Few pairs: the counts would cost more than the sort.
        out.extend(low.iter().zip(high).map(|(&a, &b)| Pair { a, b }));
        out.sort_unstable();
        return;
    }
    counts.clear();
    counts.resize(n_slots, 0);
    for &a in low {
        counts[a as usize] += 1;
    }
    let (mut sum, mut longest) = (0, 0);
    for count in counts.iter_mut() {
        longest = longest.max(*count);
        sum += core::mem::replace(count, sum);
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
