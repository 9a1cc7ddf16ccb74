//! Searches for pairs on several threads. The pairs are the same as on one, because they are
//! sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel in chunks).

use crate::find::Search;
use alloc::vec::Vec;
use core::ops::Range;
use rayon::prelude::*;

/// Querying boxes per chunk: some 50 microseconds of work.
const PIECE: usize = 4096;

/// Calls `find_between` with the ends of ranges that make up `range`, and collects all results in
/// `out`.
pub(crate) fn pieces(
    range: Range<usize>,
    out: &mut Search,
    find_between: impl Fn(usize, usize, &mut Search) + Sync,
) {
    if range.len() <= PIECE || rayon::current_num_threads() == 1 {
        return find_between(range.start, range.end, out);
    }
    let pieces: Vec<Search> = (0..range.len().div_ceil(PIECE))
        .into_par_iter()
        .map(|piece| {
            let mut search = Search::default();
            let first = range.start + piece * PIECE;
            find_between(first, range.end.min(first + PIECE), &mut search);
            search
        })
        .collect();
    for piece in &pieces {
        out.found.append(&piece.found);
    }
}
