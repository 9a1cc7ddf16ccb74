//! Searches on several threads, with the same results in the same order as on one.
//!
//! Threads take blocks of slots, and the results are joined in order. A shared count of results
//! stops a search soon after its limit.

use crate::lists::NeighbourLists;
use crate::rows::Rule;
use crate::walk::{RowMemory, RowSearch};
use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};
use core::sync::atomic::{AtomicUsize, Ordering};
use rayon::prelude::*;

/// Slots per block.
const BLOCK: usize = 2048;

/// The number of results that a thread finds before it updates the shared count.
const RESULTS_PER_UPDATE: usize = 4096;

/// Whether there are several threads, and enough work for them.
pub(crate) fn is_worth_threads(n_queries: usize) -> bool {
    2 * BLOCK <= n_queries && 1 < rayon::current_num_threads()
}

/// Returns the results of blocks of slots, in order; `None` if there are more than `limit`. `one`
/// adds the results of a row.
fn blocks<R: Rule, T: Default + Send>(
    walk: &RowSearch<'_, R>,
    limit: usize,
    one: impl Fn(usize, &[u32], &mut T) + Sync,
) -> Option<Vec<T>> {
    let (n, n_found) = (walk.queries.len(), AtomicUsize::new(0));
    let slots = |block: usize| -> Range<usize> { block * BLOCK..n.min((block + 1) * BLOCK) };
    (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map_init(RowMemory::default, |memory, block| {
            let (mut found, mut n_own) = (T::default(), 0);
            // Whether all threads together are still within the limit.
            let is_within = |n: usize| n_found.fetch_add(n, Ordering::Relaxed).saturating_add(n) <= limit;
            let done = walk.visit(slots(block), memory, |slot, row| {
                n_own += row.len();
                if RESULTS_PER_UPDATE <= n_own && !is_within(core::mem::take(&mut n_own)) {
                    return ControlFlow::Break(());
                }
                one(slot, row, &mut found);
                ControlFlow::Continue(())
            });
            (done.is_continue() && is_within(n_own)).then_some(found)
        })
        .collect()
}

/// Does the same as [`RowSearch::collect_lists`], into lists that have been begun.
pub(crate) fn collect_lists<R: Rule>(
    walk: &RowSearch<'_, R>,
    limit: usize,
    lists: &mut NeighbourLists,
) -> bool {
    let Some(blocks) = blocks(walk, limit, |_, row, (rows, ends): &mut (Vec<u32>, Vec<usize>)| {
        rows.extend_from_slice(row);
        ends.push(rows.len());
    }) else {
        lists.clear();
        return false;
    };
    let n = blocks.iter().map(|(rows, _)| rows.len()).sum();
    let (mut ends, memory) = lists.parts();
    if memory.len() < n {
        memory.resize(n, 0);
    }
    let (mut memory, mut start) = (&mut memory[..], 0);
    let mut jobs = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let (own, rest) = memory.split_at_mut(block.0.len());
        let (own_ends, rest_ends) = ends.split_at_mut(block.1.len());
        jobs.push((block, own, own_ends, start));
        start += block.0.len();
        (memory, ends) = (rest, rest_ends);
    }
    jobs.into_par_iter().for_each(|((rows, row_ends), own, own_ends, start)| {
        own.copy_from_slice(rows);
        for (end, &of_block) in own_ends.iter_mut().zip(row_ends) {
            *end = start + of_block;
        }
    });
    true
}

/// Does the same as [`RowSearch::collect_pairs`].
pub(crate) fn collect_pairs<R: Rule>(
    walk: &RowSearch<'_, R>,
    limit: usize,
    pairs: &mut Vec<[u32; 2]>,
    pair: impl Fn(u32, u32) -> [u32; 2] + Sync,
) -> bool {
    let room = limit.saturating_sub(pairs.len());
    let found = blocks(walk, room, |slot, row, found: &mut Vec<[u32; 2]>| {
        let own = walk.queries.points[slot];
        found.extend(row.iter().map(|&other| pair(own, other)));
    });
    let Some(blocks) = found else {
        pairs.clear();
        return false;
    };
    blocks.iter().for_each(|block| pairs.extend_from_slice(block));
    true
}

/// Sorts distinct numbers.
pub(crate) fn sort(keys: &mut [u128]) {
    keys.par_sort_unstable();
}
