//! The binary tree between a builder and the collapse into wide nodes.

use super::rows::Row;
use alloc::vec::Vec;

/// From this depth on, ranges are halved. So the depth is at most this, plus the binary logarithm
/// of the number of primitives, rounded up.
pub(crate) const MAX_DEPTH: u32 = 48;

/// A binary tree from a builder. Children are adjacent, and after their parent unless the builder
/// says otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binary {
    /// A row for each node. Its tag is the left child, or 0 for a leaf. Its count is the number of
    /// primitives below.
    pub(super) nodes: Vec<Row>,
    /// The primitives' numbers. Those of a node are contiguous, those of the left child first.
    pub(super) order: Vec<u32>,
    /// The priority of opening each node in the collapse, at least 0. If empty, the area is used.
    pub(super) worth: Vec<f32>,
}

impl Binary {
    /// Orders the nodes depth first, so that children come after their parent.
    pub(super) fn reorder_depth_first(&mut self) {
        let Some(&root) = self.nodes.first() else { return };
        let mut nodes = Vec::with_capacity(self.nodes.len());
        nodes.push(root);
        let mut stack = alloc::vec![0_usize];
        while let Some(at) = stack.pop() {
            let (left, count) = (nodes[at].tag() as usize, nodes[at].count());
            if left != 0 {
                let child = nodes.len();
                nodes.extend_from_slice(&self.nodes[left..left + 2]);
                nodes[at].set_numbers(child as u32, count);
                stack.extend([child + 1, child]);
            }
        }
        self.nodes = nodes;
    }
}
