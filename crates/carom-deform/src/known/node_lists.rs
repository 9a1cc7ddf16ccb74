//! For each node of a tree, the parameters that reach its vertices, each with a volume.
//!
//! The lists of all nodes are one vector. For a morph the volume holds the displacements of the
//! node's vertices; for a skin it holds the rest positions of those vertices that the parameter
//! reaches.
//!
//! Reference: T. Larsson, T. Akenine-Moller, Efficient Collision Detection for Models Deformed by
//! Morphing, 2003 (a volume per node and target).

use alloc::vec;
use alloc::vec::Vec;

/// The lists of nodes.
#[derive(Clone, Debug)]
pub(super) struct NodeLists<V> {
    /// The start of each node's list; one more entry at the end.
    starts: Vec<usize>,
    entries: Vec<(u32, V)>,
}

impl<V> Default for NodeLists<V> {
    fn default() -> NodeLists<V> {
        NodeLists { starts: vec![0], entries: Vec::new() }
    }
}

impl<V> NodeLists<V> {
    /// Adds the list of the next node.
    pub(super) fn push(&mut self, list: impl Iterator<Item = (u32, V)>) {
        self.entries.extend(list);
        self.starts.push(self.entries.len());
    }

    /// The list of a node.
    #[inline]
    pub(super) fn of(&self, node: usize) -> &[(u32, V)] {
        &self.entries[self.starts[node]..self.starts[node + 1]]
    }
}
