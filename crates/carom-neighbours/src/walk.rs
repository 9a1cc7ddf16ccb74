//! Whole searches: write the rows of all points to lists or pairs, or visit them, in bounded
//! memory.
//!
//! - Lists grow while they are filled. Before a row is begun there is room for all its candidates.
//! - A search stops as soon as it has found more than its limit. So it also ends early if all
//!   points are equal.
//!
//! Reference: M. Ihmsen et al., A Parallel SPH Implementation on Multi-Core CPUs, 2011, 3.
//! Differs: rows have no fixed capacity.

use crate::lists::NeighbourLists;
#[cfg(feature = "parallel")]
use crate::par;
use crate::rows::{Progress, Rows, Rule, Scan, Side};
use crate::sorted::Sorted;
use alloc::vec::Vec;
use carom_lanes::dispatch;
use core::ops::{ControlFlow, Range};

/// Rows that are found before they are visited.
const ROWS_AT_ONCE: usize = 256;

/// Neighbours for which the memory of visited rows has room at first.
const ROW_MEMORY: usize = 1 << 14;

/// A search for the rows of one set of points, with points of another or the same set.
pub(crate) struct RowSearch<'a, R> {
    pub(crate) scan: Scan<'a, R>,
    /// The points with rows.
    pub(crate) queries: &'a Sorted,
    pub(crate) side: Side,
}

/// Memory for some rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowMemory {
    rows: Vec<u32>,
    ends: Vec<usize>,
}

impl<R> Clone for RowSearch<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for RowSearch<'_, R> {}

impl<R: Rule> RowSearch<'_, R> {
    /// Finds rows of some slots as long as there is room.
    pub(crate) fn run(
        &self,
        slots: Range<usize>,
        out: &mut [u32],
        first: usize,
        ends: &mut [usize],
    ) -> Progress {
        let RowSearch { scan, queries, side } = *self;
        dispatch(Rows { scan, queries, side, slots, out, first, ends })
    }

    /// Calls `visit` with the slot and the row of each query in these slots.
    pub(crate) fn visit(
        &self,
        slots: Range<usize>,
        memory: &mut RowMemory,
        mut visit: impl FnMut(usize, &[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let RowMemory { rows, ends } = memory;
        ends.resize(ROWS_AT_ONCE, 0);
        if rows.len() < ROW_MEMORY {
            rows.resize(ROW_MEMORY, 0);
        }
        let mut slot = slots.start;
        while slot < slots.end {
            let reached = self.run(slot..slots.end, rows, 0, ends);
            let mut start = 0;
            for (slot, &end) in (slot..reached.slot).zip(ends.iter()) {
                visit(slot, &rows[start..end])?;
                start = end;
            }
            if reached.slot == slot {
                rows.resize(reached.wanted, 0);
            }
            slot = reached.slot;
        }
        ControlFlow::Continue(())
    }

    /// Collects all rows. Returns false, without rows, if they have more than `limit` neighbours.
    pub(crate) fn collect_lists(&self, limit: usize, lists: &mut NeighbourLists) -> bool {
        let n = self.queries.len();
        lists.begin(&self.queries.points[..n]);
        #[cfg(feature = "parallel")]
        if par::is_worth_threads(n) {
            return par::collect_lists(self, limit, lists);
        }
        let (ends, memory) = lists.parts();
        let (mut slot, mut used) = (0, 0);
        while slot < n {
            let reached = self.run(slot..n, memory, used, &mut ends[slot..]);
            slot = reached.slot;
            used = if slot == 0 { 0 } else { ends[slot - 1] };
            if limit < used {
                lists.clear();
                return false;
            }
            if slot < n {
                let doubled = (2 * used).min(limit);
                memory.resize(doubled.max(used) + reached.wanted, 0);
            }
        }
        true
    }

    /// Adds a pair for each neighbour in each row; `pair` makes it of the two points. Returns
    /// false, and empties `pairs`, if there are more than `limit`.
    pub(crate) fn collect_pairs(
        &self,
        limit: usize,
        memory: &mut RowMemory,
        pairs: &mut Vec<[u32; 2]>,
        pair: impl Fn(u32, u32) -> [u32; 2] + Sync,
    ) -> bool {
        let n = self.queries.len();
        #[cfg(feature = "parallel")]
        if par::is_worth_threads(n) {
            return par::collect_pairs(self, limit, pairs, pair);
        }
        let done = self.visit(0..n, memory, |slot, row| {
            if limit.saturating_sub(pairs.len()) < row.len() {
                return ControlFlow::Break(());
            }
            let own = self.queries.points[slot];
            pairs.extend(row.iter().map(|&other| pair(own, other)));
            ControlFlow::Continue(())
        });
        if done.is_break() {
            pairs.clear();
        }
        done.is_continue()
    }
}

/// Returns the pair with the smaller number first.
#[inline]
pub(crate) fn in_order(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
