//! Builds on several threads. The trees are identical to those of one thread.
//!
//! A top-down split forks at each level until the parts are small. Each small part is built in its
//! own list. The lists are joined in the order of the serial build (test:
//! `threads::one_two_and_seven_threads_build_the_same`). Searches for neighbours and positions
//! only read the tree, so they are split by index.
//!
//! Reference: I. Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007, 4
//! (parallel construction).

use super::binned::{Task, steps};
use super::rows::Row;
use alloc::boxed::Box;
use alloc::vec::Vec;
use rayon::prelude::*;

/// The chunk size in rows, for one thread: some 300 microseconds.
pub(super) const CHUNK_ROWS: usize = 4096;

/// The chunk size of [`search_all`], in nodes.
const SEARCHES: usize = 256;

/// Whether there are several threads and enough work for them.
pub(crate) fn pays(n: usize) -> bool {
    CHUNK_ROWS < n && 1 < rayon::current_num_threads()
}

/// The result of [`subtree`].
enum BuiltSubtree {
    /// Its nodes, the root first, in the serial numbering.
    Whole(Vec<Row>),
    /// The children of its root, and the subtree of each.
    Cut([Row; 2], Box<[BuiltSubtree; 2]>),
}

/// The parallel form of [`super::sah::split`] and [`super::sah::split_by_volume`].
pub(crate) fn split<const VOLUME: bool>(rows: &mut [Row], max_leaf: u32, nodes: &mut Vec<Row>) {
    let (root, task, unit) = steps::whole(rows);
    let built = subtree::<VOLUME>(rows, max_leaf, unit, task, root);
    nodes.push(root);
    // The right side is pushed first, as in the serial build.
    let mut stack = alloc::vec![(built, 0_usize)];
    while let Some((built, at)) = stack.pop() {
        let child = nodes.len() as u32;
        match built {
            BuiltSubtree::Whole(own) => {
                // Numbers begin at 1 after the root; here they begin at the first free one.
                let renumbered = |mut row: Row| {
                    if row.tag() != 0 {
                        row.set_numbers(row.tag() - 1 + child, row.count());
                    }
                    row
                };
                let mut own = own.into_iter().map(renumbered);
                if let Some(root) = own.next() {
                    nodes[at] = root;
                }
                nodes.extend(own);
            }
            BuiltSubtree::Cut(rows, below) => {
                let count = nodes[at].count();
                nodes[at].set_numbers(child, count);
                nodes.extend(rows);
                let [left, right] = *below;
                stack.push((left, child as usize));
                stack.push((right, child as usize + 1));
            }
        }
    }
}

/// Forks at each level. The recursion ends at small parts, or at the depth that all trees keep.
fn subtree<const VOLUME: bool>(
    rows: &mut [Row],
    max_leaf: u32,
    unit: f32,
    task: Task,
    node: Row,
) -> BuiltSubtree {
    if rows.len() <= CHUNK_ROWS || node.count() <= max_leaf {
        return BuiltSubtree::Whole(steps::rest::<VOLUME>(rows, max_leaf, unit, task, node));
    }
    let (cut, [task_left, task_right]) = steps::cut::<VOLUME>(rows, &task, unit);
    let (rows_left, rows_right) = rows.split_at_mut(cut.n_left);
    let (left, right) = rayon::join(
        || subtree::<VOLUME>(rows_left, max_leaf, unit, task_left, cut.rows[0]),
        || subtree::<VOLUME>(rows_right, max_leaf, unit, task_right, cut.rows[1]),
    );
    BuiltSubtree::Cut(cut.rows, Box::new([left, right]))
}

/// The parallel search of [`super::bottom_up`]: for each index, the least key with another index
/// at most `radius` away.
pub(crate) fn find_best_neighbours(
    best: &mut [u64],
    radius: usize,
    key: impl Fn(usize, usize) -> u64 + Sync,
) {
    let last = best.len() - 1;
    best.par_chunks_mut(CHUNK_ROWS).enumerate().for_each(|(chunk, best)| {
        for (i, best) in (chunk * CHUNK_ROWS..).zip(best) {
            let around = i.saturating_sub(radius)..=(i + radius).min(last);
            *best = around.filter(|&j| j != i).map(|j| key(i, j)).min().unwrap_or(u64::MAX);
        }
    });
}

/// The moves that `search` finds, in the order of the candidates.
pub(crate) fn search_all<M: Clone + Send>(
    candidates: &[u32],
    search: impl Fn(u32, &mut Vec<(f32, u32)>) -> Option<M> + Sync,
) -> Vec<M> {
    let moves: Vec<Vec<M>> = candidates
        .par_chunks(SEARCHES)
        .map_init(Vec::new, |stack, chunk| chunk.iter().filter_map(|&node| search(node, stack)).collect())
        .collect();
    moves.concat()
}
