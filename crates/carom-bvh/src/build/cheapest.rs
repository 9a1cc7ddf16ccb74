//! Collapses a binary tree into a wide one at the least expected cost: it chooses the wide nodes
//! and the leaves.
//!
//! A wide node replaces a binary node by at most eight of its descendants. C(n, i) is the least
//! cost of the subtree of n if it uses at most i slots of a wide node above. For i > 1, the slots
//! are shared between the two children of n, or one stays empty. For i = 1, the slot holds a leaf,
//! if n has few enough primitives, or a wide node whose slots the children share. One bottom-up
//! pass computes all C; a top-down pass follows the choices.
//!
//! Reference: H. Ylitie, T. Karras, S. Laine, Efficient Incoherent Ray Traversal on GPUs through
//! Compressed Wide BVHs, 2017, 3.
//! Differs: a leaf costs one test for each group of primitives that is tested at once. A part of
//! the visit probability is equal for all boxes. So nodes become full even in flat and thin data,
//! whose areas are 0.

use super::binary::Binary;
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use alloc::vec::Vec;

/// The maximum number of slots of a node.
const MAX_SLOTS: usize = 8;

/// The cost of one test of a leaf's primitives, relative to a node. From 0.7 to 3, rays of the
/// bench visit the same nodes and leaves to within 1 %.
const LEAF: f32 = 1.5;

/// The part of the visit probability that does not depend on the area: 2^-24, the unit of
/// rounding. Areas are those of a tree that is scaled to a length of about 1.
const BASE_PROBABILITY: f32 = 5.960_464_5e-8;

/// The costs and choices of one binary node. Entry i - 1 is for i slots.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice {
    /// C(n, i) for i up to 7.
    cost: [f32; MAX_SLOTS],
    /// Four bits for each i. For i > 1: the slots of the left child, 0 if a slot stays empty. For
    /// i = 1: whether it is a leaf.
    share: u32,
}

impl Choice {
    fn share(self, n_slots: usize) -> usize {
        (self.share >> (4 * (n_slots - 1)) & 15) as usize
    }

    fn set_share(&mut self, n_slots: usize, share: usize) {
        self.share |= (share as u32) << (4 * (n_slots - 1));
    }
}

/// Marks in `worth` the nodes that are opened, and cuts off leaves of at most `max_leaf`
/// primitives. `lanes` primitives are tested at once; a node has `width` slots, 2 to 8. Returns
/// the least cost, in units of the tree's length.
pub(crate) fn choose(
    binary: &mut Binary,
    max_leaf: u32,
    lanes: u32,
    width: usize,
    choices: &mut Vec<Choice>,
) -> f32 {
    let Binary { nodes, worth, .. } = binary;
    let Some(root) = nodes.first() else { return 0.0 };
    let size = root.aabb().extents().max_element();
    let unit = inverse_power_of_two(f64::from(size)).min(LARGEST_SCALE) as f32;
    let width = width.clamp(2, MAX_SLOTS);
    choices.clear();
    choices.resize(nodes.len(), Choice::default());
    for n in (0..nodes.len()).rev() {
        let row = &nodes[n];
        let chance = row.half_area(unit) + BASE_PROBABILITY;
        let (left, count) = (row.tag() as usize, row.count());
        let leaf = chance * LEAF * count.div_ceil(lanes.max(1)) as f32;
        let mut chosen = Choice::default();
        if left == 0 {
            chosen.set_share(1, 1);
            chosen.cost = [leaf; MAX_SLOTS];
            choices[n] = chosen;
            continue;
        }
        let (a, b) = (choices[left].cost, choices[left + 1].cost);
        let mut shared = [f32::INFINITY; MAX_SLOTS];
        for n_slots in 2..=width {
            let mut best = 1;
            for k in 1..n_slots {
                let cost = a[k - 1] + b[n_slots - k - 1];
                if cost < shared[n_slots - 1] {
                    (shared[n_slots - 1], best) = (cost, k);
                }
            }
            chosen.set_share(n_slots, best);
        }
        let node = chance + shared[width - 1];
        chosen.cost[0] = node;
        if count <= max_leaf && leaf <= node {
            chosen.cost[0] = leaf;
            chosen.set_share(1, 1);
        }
        for n_slots in 2..width {
            chosen.cost[n_slots - 1] = shared[n_slots - 1];
            if chosen.cost[n_slots - 2] < shared[n_slots - 1] {
                chosen.cost[n_slots - 1] = chosen.cost[n_slots - 2];
                chosen.share &= !(15 << (4 * (n_slots - 1)));
            }
        }
        choices[n] = chosen;
    }
    // At first no node is marked. The root becomes a leaf only if that leaf is the whole tree.
    worth.clear();
    worth.resize(nodes.len(), -1.0);
    let mut stack = alloc::vec![(0_usize, 1_usize)];
    while let Some((n, mut n_slots)) = stack.pop() {
        let (left, chosen) = (nodes[n].tag() as usize, choices[n]);
        if left == 0 {
            continue;
        }
        while 1 < n_slots && chosen.share(n_slots) == 0 {
            n_slots -= 1;
        }
        if n_slots == 1 {
            if chosen.share(1) == 1 {
                let count = nodes[n].count();
                nodes[n].set_numbers(0, count);
                continue;
            }
            n_slots = width;
        } else {
            worth[n] = 1.0;
        }
        let share = chosen.share(n_slots);
        stack.push((left + 1, n_slots - share));
        stack.push((left, share));
    }
    choices[0].cost[0]
}

#[cfg(test)]
mod tests;
