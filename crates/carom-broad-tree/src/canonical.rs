//! Puts pairs in canonical order: by the smaller index, then the larger.
//!
//! Counting by the smaller index puts every pair near its place; one pass of insertion does the rest. Long buckets, as
//! a floor under everything has, are sorted on their own first.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D (distribution counting), and
//! 5.2.1, algorithm S (straight insertion).

use crate::find::Found;
use alloc::vec::Vec;
use carom_broad::Pair;

/// A bucket longer than this is sorted before the insertion pass.
const LONG_BUCKET: u32 = 24;

/// Makes `out` the found pairs in order; all indices are below `n_slots`.
pub(crate) fn sort(found: &Found, n_slots: usize, counts: &mut Vec<u32>, out: &mut Vec<Pair>) {
    let (low, high) = (&found.low[..found.n], &found.high[..found.n]);
    out.clear();
    if found.n * 8 < n_slots {
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
    out.resize(found.n, Pair { a: 0, b: 0 });
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
