//! Searches on several threads: the same answers, in the same order, as on one.

use crate::counters::DeformCounters;
use crate::leaf_pairs::{CHUNK, LeafPairTest, PairTest};
use alloc::vec::Vec;
use rayon::prelude::*;

/// Chunks that a thread takes at a time.
const CHUNKS: usize = 16;

/// Whether there are several threads, and enough work for them.
pub(crate) fn is_worthwhile(n_leaf_pairs: usize) -> bool {
    4 * CHUNK * CHUNKS < n_leaf_pairs && 1 < rayon::current_num_threads()
}

/// Tests leaf pairs in blocks, and joins the answers of the blocks in their order.
pub(crate) fn test_leaf_pairs<J: PairTest>(
    test: &LeafPairTest<'_, J>,
    leaf_pairs: &[[u32; 2]],
    found: &mut Vec<J::Answer>,
    counters: &mut DeformCounters,
) {
    let blocks: Vec<(Vec<J::Answer>, DeformCounters)> = leaf_pairs
        .par_chunks(CHUNK * CHUNKS)
        .map(|block| {
            let (mut own, mut cost) = (Vec::new(), DeformCounters::default());
            test.run(block, &mut Vec::new(), &mut own, &mut cost);
            (own, cost)
        })
        .collect();
    for (own, cost) in blocks {
        found.extend(own);
        *counters += cost;
    }
}
