//! The features below each part of a tree, as ranges of one list.
//!
//! A reference names a child of a node, as in carom-bvh: `node * 8 + lane`. Children have larger
//! numbers than their parents. So one pass backwards counts the features below each node, and one
//! pass forwards assigns the ranges.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7 (each node records what is
//! in its subtree).

use alloc::vec::Vec;
use carom_bvh::{Bvh, Child};

/// The features below each reference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The range of each reference in `order`.
    ranges: Vec<[u32; 2]>,
    /// The features, so that those of a subtree are side by side.
    pub(crate) order: Vec<u32>,
    /// The level of each node: 0 for the root.
    pub(super) levels: Vec<u32>,
    /// Memory: by node, how many features are below it, and where these begin.
    counts: Vec<u32>,
    firsts: Vec<u32>,
}

impl Layout {
    /// Returns the layout of a tree.
    pub(crate) fn new(tree: &Bvh) -> Layout {
        let mut layout = Layout::default();
        layout.set(tree);
        layout
    }

    /// Replaces the layout by that of a tree.
    pub(super) fn set(&mut self, tree: &Bvh) {
        let n_nodes = tree.n_nodes();
        let Layout { ranges, order, levels, counts, firsts } = self;
        filled(counts, n_nodes, 0);
        filled(firsts, n_nodes, 0);
        filled(levels, n_nodes, 0);
        filled(order, tree.len(), 0);
        filled(ranges, 8 * n_nodes, [0; 2]);
        for node in (0..n_nodes as u32).rev() {
            counts[node as usize] = tree
                .children(node)
                .map(|(_, child)| match child {
                    Child::Node(inner) => counts[inner as usize],
                    Child::Leaf(leaf) => leaf.primitives.len() as u32,
                })
                .sum();
        }
        for node in 0..n_nodes as u32 {
            let mut first = firsts[node as usize];
            for (reference, child) in tree.children(node) {
                let begin = first;
                match child {
                    Child::Node(inner) => {
                        firsts[inner as usize] = begin;
                        levels[inner as usize] = levels[node as usize] + 1;
                        first += counts[inner as usize];
                    }
                    Child::Leaf(leaf) => {
                        first += leaf.primitives.len() as u32;
                        order[begin as usize..first as usize].copy_from_slice(leaf.primitives);
                    }
                }
                ranges[reference] = [begin, first];
            }
        }
    }

    /// The range of a reference in `order`.
    #[inline]
    pub(crate) fn range(&self, reference: usize) -> core::ops::Range<usize> {
        let [begin, end] = self.ranges[reference];
        begin as usize..end as usize
    }
}

/// Replaces a list by `n` equal values.
pub(super) fn filled<T: Copy>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}
