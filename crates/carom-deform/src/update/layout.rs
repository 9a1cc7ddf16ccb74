//! Which features lie below each part of a tree, as ranges of one list.
//!
//! A reference names a child of a node, as in carom-bvh: `node * 8 + lane`. Children have larger numbers than their
//! parents, so one pass backwards counts what lies below, and one pass forwards hands out the ranges.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7 (each node records what is in its subtree).

use alloc::vec;
use alloc::vec::Vec;
use carom_bvh::{Bvh, Child};

/// The features below each reference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Where the range of each reference begins and ends in `order`.
    ranges: Vec<[u32; 2]>,
    /// The features, so that those of a subtree are side by side.
    pub(crate) order: Vec<u32>,
    /// The level of each node: 0 for the root.
    pub(crate) levels: Vec<u32>,
}

impl Layout {
    /// That of a tree.
    pub(crate) fn new(tree: &Bvh) -> Layout {
        let n_nodes = tree.n_nodes();
        let mut counts = vec![0_u32; n_nodes];
        for node in (0..n_nodes as u32).rev() {
            counts[node as usize] = tree
                .children(node)
                .map(|(_, child)| match child {
                    Child::Node(inner) => counts[inner as usize],
                    Child::Leaf(leaf) => leaf.primitives.len() as u32,
                })
                .sum();
        }
        let mut layout = Layout {
            ranges: vec![[0; 2]; 8 * n_nodes],
            order: vec![0; tree.len()],
            levels: vec![0; n_nodes],
        };
        let mut firsts = vec![0_u32; n_nodes];
        for node in 0..n_nodes as u32 {
            let mut first = firsts[node as usize];
            for (reference, child) in tree.children(node) {
                let begin = first;
                match child {
                    Child::Node(inner) => {
                        firsts[inner as usize] = begin;
                        layout.levels[inner as usize] = layout.levels[node as usize] + 1;
                        first += counts[inner as usize];
                    }
                    Child::Leaf(leaf) => {
                        first += leaf.primitives.len() as u32;
                        layout.order[begin as usize..first as usize].copy_from_slice(leaf.primitives);
                    }
                }
                layout.ranges[reference] = [begin, first];
            }
        }
        layout
    }

    /// The range of a reference in `order`.
    #[inline]
    pub(crate) fn range(&self, reference: usize) -> core::ops::Range<usize> {
        let [begin, end] = self.ranges[reference];
        begin as usize..end as usize
    }
}
