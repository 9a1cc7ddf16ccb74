//! Makes a binary tree wide at the least expected cost: which nodes become wide nodes, and what
//! becomes one leaf.
//!
//! A wide node under a binary one is the way from it to at most eight descendants. C(n, i) is the
//! least cost of everything below n when it hangs in at most i places of a wide node above: i
//! places are shared out between the two children, or one of them stays empty; in one place stands
//! a leaf, if n has few enough primitives, or a wide node that shares out eight places. All C are
//! known from the bottom up in one pass, and what was chosen is followed from the top down.
//!
//! Reference: H. Ylitie, T. Karras, S. Laine, Efficient Incoherent Ray Traversal on GPUs through
//! Compressed Wide BVHs, 2017, 3.
//! Differs: a leaf costs as often as primitives have to be tested at once; a part of the chance to
//! be visited is the same for all boxes, so that of flat and thin data, whose areas are all 0, the
//! nodes become full.

use super::Binary;
use crate::relative::{LARGEST_SCALE, inverse_power_of_two};
use alloc::vec::Vec;

/// The most places of a node.
const PLACES: usize = 8;

/// What a leaf costs for each test of its primitives, over what a node costs. From 0.7 to 3 the
/// rays of the bench visit as many nodes and leaves to within 1 %.
const LEAF: f32 = 1.5;

/// The chance to be visited that does not depend on the area, where the whole tree is about 1 long:
/// 2^-24.
const ALIKE: f32 = 5.960_464_5e-8;

/// The costs of one binary node and what was chosen. Number i - 1: in i places.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice {
    /// C(n, i) for i up to 7.
    cost: [f32; PLACES],
    /// Four bits for each i: of two places and more how many the left child gets, 0 where one place
    /// stays empty; of one place whether a leaf stands there.
    share: u32,
}

impl Choice {
    fn share(self, places: usize) -> usize {
        (self.share >> (4 * (places - 1)) & 15) as usize
    }

    fn set_share(&mut self, places: usize, share: usize) {
        self.share |= (share as u32) << (4 * (places - 1));
    }
}

/// Marks in `worth` what is opened into the wide node above, and cuts off what becomes a leaf of at
/// most `max_leaf` primitives. Of these `lanes` are tested at once; a node has `width` places, 2 to
/// 8. The least cost, for boxes as long as the tree is.
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
    let width = width.clamp(2, PLACES);
    choices.clear();
    choices.resize(nodes.len(), Choice::default());
    for n in (0..nodes.len()).rev() {
        let row = &nodes[n];
        let chance = row.half_area(unit) + ALIKE;
        let (left, count) = (row.tag() as usize, row.count());
        let leaf = chance * LEAF * count.div_ceil(lanes.max(1)) as f32;
        let mut chosen = Choice::default();
        if left == 0 {
            chosen.set_share(1, 1);
            chosen.cost = [leaf; PLACES];
            choices[n] = chosen;
            continue;
        }
        let (a, b) = (choices[left].cost, choices[left + 1].cost);
        let mut shared = [f32::INFINITY; PLACES];
        for places in 2..=width {
            let mut best = 1;
            for k in 1..places {
                let cost = a[k - 1] + b[places - k - 1];
                if cost < shared[places - 1] {
                    (shared[places - 1], best) = (cost, k);
                }
            }
            chosen.set_share(places, best);
        }
        let node = chance + shared[width - 1];
        chosen.cost[0] = node;
        if count <= max_leaf && leaf <= node {
            chosen.cost[0] = leaf;
            chosen.set_share(1, 1);
        }
        for places in 2..width {
            chosen.cost[places - 1] = shared[places - 1];
            if chosen.cost[places - 2] < shared[places - 1] {
                chosen.cost[places - 1] = chosen.cost[places - 2];
                chosen.share &= !(15 << (4 * (places - 1)));
            }
        }
        choices[n] = chosen;
    }
    // Nothing is opened, and the root is a leaf only where that is all.
    worth.clear();
    worth.resize(nodes.len(), -1.0);
    let mut stack = alloc::vec![(0_usize, 1_usize)];
    while let Some((n, mut places)) = stack.pop() {
        let (left, chosen) = (nodes[n].tag() as usize, choices[n]);
        if left == 0 {
            continue;
        }
        while 1 < places && chosen.share(places) == 0 {
            places -= 1;
        }
        if places == 1 {
            if chosen.share(1) == 1 {
                let count = nodes[n].count();
                nodes[n].set_numbers(0, count);
                continue;
            }
            places = width;
        } else {
            worth[n] = 1.0;
        }
        let share = chosen.share(places);
        stack.push((left + 1, places - share));
        stack.push((left, share));
    }
    choices[0].cost[0]
}

#[cfg(test)]
mod tests;
