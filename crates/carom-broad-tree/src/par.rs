//! The search for pairs on several threads; the same pairs as on one, because they are sorted afterwards.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.5 (parallel traversal by pieces of the front).

use crate::find::{self, Found};
use crate::tree::Tree;
use alloc::vec::Vec;
use rayon::prelude::*;

/// Pairs of blocks per piece: some 50 microseconds of work.
const PIECE: usize = 512;

/// As [`find::open_leaves`].
pub(crate) fn open_leaves(tree: &Tree, pairs: &[(u32, u32)], out: &mut Found) {
    if pairs.len() <= PIECE || rayon::current_num_threads() == 1 {
        return find::open_leaves(tree, pairs, out);
    }
    let pieces: Vec<Found> = pairs
        .par_chunks(PIECE)
        .map(|piece| {
            let mut found = Found::default();
            find::open_leaves(tree, piece, &mut found);
            found
        })
        .collect();
    let n = pieces.iter().map(|piece| piece.n).sum();
    if out.low.len() < n {
        out.low.resize(n, 0);
        out.high.resize(n, 0);
    }
    for piece in &pieces {
        let range = out.n..out.n + piece.n;
        out.low[range.clone()].copy_from_slice(&piece.low[..piece.n]);
        out.high[range].copy_from_slice(&piece.high[..piece.n]);
        out.n += piece.n;
        out.tests += piece.tests;
    }
}
