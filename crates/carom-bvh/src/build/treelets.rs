//! Restructures treelets, a few nodes at a time, into their best form.
//!
//! A treelet is a node whose largest inner descendants are opened until seven subtrees hang below
//! it. Dynamic programming over the 128 subsets finds the cheapest binary tree over the seven. The
//! cost of a subset is its own area plus the cost of its cheapest split. The pass goes bottom up,
//! so the subtrees of a treelet are optimized already. Each further round skips smaller treelets,
//! which have converged.
//!
//! Reference: T. Karras, T. Aila, Fast Parallel Construction of High-Quality Bounding Volume
//! Hierarchies, 2013, 3.
//! Differs: a subtree of few primitives has the cost of the leaf that it will become.

use super::links::{Links, NONE};
use super::rows::Row;
use alloc::vec::Vec;

/// The maximum number of subtrees of a treelet, as in the paper. Each further one triples the time
/// and gains little.
const MAX_SLOTS: usize = 7;

/// A treelet, with the results for each subset of its subtrees.
struct Treelet {
    /// The subtrees, the first `n` of them used.
    indices: [u32; MAX_SLOTS],
    n: usize,
    /// The inner nodes of the treelet, the root first: `n - 1` of them.
    inner: [u32; MAX_SLOTS],
    rows: [Row; 1 << MAX_SLOTS],
    counts: [u32; 1 << MAX_SLOTS],
    costs: [f32; 1 << MAX_SLOTS],
    /// One of the two sides of a subset's split.
    sides: [u8; 1 << MAX_SLOTS],
}

/// Runs a number of rounds, or until nothing changes.
pub(crate) fn rearrange(links: &mut Links, rounds: u32, max_leaf: u32) {
    let mut costs: Vec<f32> = Vec::new();
    let (mut order, mut stack) = (Vec::new(), Vec::new());
    let mut treelet = Treelet {
        indices: [NONE; MAX_SLOTS],
        n: 0,
        inner: [NONE; MAX_SLOTS],
        rows: [Row::EMPTY; 1 << MAX_SLOTS],
        counts: [0; 1 << MAX_SLOTS],
        costs: [0.0; 1 << MAX_SLOTS],
        sides: [0; 1 << MAX_SLOTS],
    };
    let mut least = MAX_SLOTS as u32;
    for _ in 0..rounds {
        // Parents come before children; the loop below reads from the back.
        order.clear();
        stack.push(links.root);
        while let Some(node) = stack.pop() {
            order.push(node);
            if !becomes_leaf(links, node, max_leaf) {
                stack.extend(links.children[node as usize]);
            }
        }
        costs.clear();
        costs.resize(links.rows.len(), 0.0);
        let mut is_changed = false;
        for &node in order.iter().rev() {
            let (area, count) = (links.area(node), links.rows[node as usize].count());
            if becomes_leaf(links, node, max_leaf) {
                costs[node as usize] = area * (1 + count) as f32;
                continue;
            }
            let [left, right] = links.children[node as usize];
            costs[node as usize] = area + costs[left as usize] + costs[right as usize];
            if least <= count {
                treelet.open(links, node, max_leaf);
                treelet.solve(links, &costs, max_leaf);
                is_changed |= treelet.apply(links, &mut costs);
            }
        }
        if !is_changed {
            return;
        }
        least = least.saturating_mul(2);
    }
}

/// Whether the subtree is written as one leaf, whatever its splits.
fn becomes_leaf(links: &Links, node: u32, max_leaf: u32) -> bool {
    links.is_leaf(node) || links.rows[node as usize].count() <= max_leaf
}

impl Treelet {
    /// Opens the largest subtrees until all slots are used or none can be opened.
    fn open(&mut self, links: &Links, root: u32, max_leaf: u32) {
        let [left, right] = links.children[root as usize];
        (self.indices[0], self.indices[1], self.inner[0], self.n) = (left, right, root, 2);
        while self.n < MAX_SLOTS {
            let mut largest = (-1.0, 0);
            for (i, &index) in self.indices[..self.n].iter().enumerate() {
                let area = links.area(index);
                if largest.0 < area && !becomes_leaf(links, index, max_leaf) {
                    largest = (area, i);
                }
            }
            if largest.0 < 0.0 {
                return;
            }
            let opened = self.indices[largest.1];
            let [left, right] = links.children[opened as usize];
            self.indices[largest.1] = left;
            self.indices[self.n] = right;
            self.inner[self.n - 1] = opened;
            self.n += 1;
        }
    }

    /// The cheapest tree over every subset.
    fn solve(&mut self, links: &Links, costs: &[f32], max_leaf: u32) {
        for set in 1_usize..1 << self.n {
            let first = set & set.wrapping_neg();
            let rest = set ^ first;
            let index = self.indices[first.trailing_zeros() as usize] as usize;
            let row = &links.rows[index];
            if rest == 0 {
                (self.rows[set], self.counts[set], self.costs[set]) = (*row, row.count(), costs[index]);
                continue;
            }
            self.rows[set] = self.rows[rest].merged(row);
            self.counts[set] = self.counts[rest] + row.count();
            // Each split is tried once: `side` never has the first subtree.
            let mut cheapest = (f32::INFINITY, rest);
            let mut side = rest;
            while side != 0 {
                let cost = self.costs[side] + self.costs[set ^ side];
                if cost < cheapest.0 {
                    cheapest = (cost, side);
                }
                side = (side - 1) & rest;
            }
            let area = self.rows[set].half_area(links.unit);
            let is_leaf = self.counts[set] <= max_leaf;
            self.costs[set] = if is_leaf { area * (1 + self.counts[set]) as f32 } else { area + cheapest.0 };
            self.sides[set] = cheapest.1 as u8;
        }
    }

    /// Applies the best tree if it is cheaper.
    fn apply(&self, links: &mut Links, costs: &mut [f32]) -> bool {
        let all = (1_usize << self.n) - 1;
        if !(self.costs[all] < costs[self.inner[0] as usize]) {
            return false;
        }
        let mut free = self.inner[1..].iter().copied();
        let mut stack = [(0_usize, NONE); MAX_SLOTS];
        stack[0] = (all, self.inner[0]);
        let mut len = 1;
        while 0 < len {
            len -= 1;
            let (set, node) = stack[len];
            let mut row = self.rows[set];
            row.set_numbers(0, self.counts[set]);
            links.rows[node as usize] = row;
            costs[node as usize] = self.costs[set];
            let side = usize::from(self.sides[set]);
            for (i, part) in [set ^ side, side].into_iter().enumerate() {
                let child = if part.is_power_of_two() {
                    self.indices[part.trailing_zeros() as usize]
                } else {
                    // There is a node for each split subset: one fewer than subtrees.
                    let Some(child) = free.next() else { continue };
                    stack[len] = (part, child);
                    len += 1;
                    child
                };
                links.children[node as usize][i] = child;
                links.parents[child as usize] = node;
            }
        }
        true
    }
}
