//! Searches for pairs on several threads. The pairs are the same as on one, because they are
//! sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel in chunks).

use crate::find::Search;
use alloc::vec::Vec;
use core::ops::Range;
use rayon::prelude::*;

/// Querying boxes per chunk: some 50 microseconds of work.
const CHUNK_BOXES: usize = 4096;

/// Calls `find_between` with the ends of ranges that make up `range`, and collects all results in
/// `out`.
pub(crate) fn in_chunks(
    range: Range<usize>,
    out: &mut Search,
    find_between: impl Fn(usize, usize, &mut Search) + Sync,
) {
    if range.len() <= CHUNK_BOXES || rayon::current_num_threads() == 1 {
        return find_between(range.start, range.end, out);
    }
    let chunks: Vec<Search> = (0..range.len().div_ceil(CHUNK_BOXES))
        .into_par_iter()
        .map(|chunk| {
            let mut search = Search::default();
            let first = range.start + chunk * CHUNK_BOXES;
            find_between(first, range.end.min(first + CHUNK_BOXES), &mut search);
            search
        })
        .collect();
    for chunk in &chunks {
        out.found.append(&chunk.found);
    }
}
