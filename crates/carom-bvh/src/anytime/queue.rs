//! The waiting entries of an anytime search: a FIFO, a LIFO or a priority queue, with a maximum
//! size.
//!
//! If the queue is full, new entries go onto a stack. The search stays with the stack until it is
//! empty, because depth first needs little memory.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and fig. 25.19.

use super::settings::AnytimeOrder;
use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A pair of volumes whose contents are not decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// A lower bound of their distance, as the square of a scaled length.
    pub(crate) gap_sq: f64,
    /// The number of the pair of trees.
    pub(crate) pair: u32,
    /// The number of nodes opened on the path from the roots.
    pub(crate) level: u32,
    /// References to the volumes.
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// An entry with its priority and its number. Among equal priorities the oldest entry comes first.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    key: f64,
    number: u64,
    entry: Entry,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        self.key.total_cmp(&other.key).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// Entries in the order of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    order: AnytimeOrder,
    max: usize,
    line: VecDeque<Entry>,
    heap: BinaryHeap<Ranked>,
    /// Entries that are taken before those of `line` and `heap`.
    stack: Vec<Entry>,
    n_ranked: u64,
}

impl Queue {
    pub(crate) fn start(&mut self, order: AnytimeOrder, max: usize) {
        (self.order, self.max, self.n_ranked) = (order, max, 0);
        self.line.clear();
        self.heap.clear();
        self.stack.clear();
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.line.len() + self.heap.len() + self.stack.len()
    }

    /// Whether the next pair of trees may begin before the waiting entries. False while the search
    /// goes depth first.
    #[inline(always)]
    pub(crate) fn lets_begin(&self) -> bool {
        self.stack.is_empty()
    }

    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<Entry> {
        let next = self.stack.last().or(self.line.front());
        next.or_else(|| self.heap.peek().map(|ranked| &ranked.entry)).copied()
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        if self.stack.pop().is_none() && self.line.pop_front().is_none() {
            self.heap.pop();
        }
    }

    /// Pushes the children of one entry, near ones first, each with its priority.
    #[inline(always)]
    pub(crate) fn push(&mut self, entries: &[Entry], keys: &[f64; 8]) {
        let is_full = self.max < self.line.len() + self.heap.len() + entries.len();
        if self.order == AnytimeOrder::DepthFirst || is_full {
            for entry in entries.iter().rev() {
                self.stack.push(*entry);
            }
        } else if self.order == AnytimeOrder::Priority {
            for (entry, &key) in entries.iter().zip(keys) {
                // NaN comes last, and both zeros are equal.
                let key = if key.is_nan() { f64::NEG_INFINITY } else { key + 0.0 };
                self.heap.push(Ranked { key, number: self.n_ranked, entry: *entry });
                self.n_ranked += 1;
            }
        } else {
            for entry in entries {
                self.line.push_back(*entry);
            }
        }
    }

    /// All waiting entries, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        let ranked = self.heap.iter().map(|ranked| &ranked.entry);
        self.stack.iter().chain(&self.line).chain(ranked)
    }
}
