//! Collapses a binary tree into wide nodes. Inner children are opened until all slots of a node
//! are used: the largest child first, or in the order of [`Binary::worth`].
//!
//! Nodes and the primitives of leaves are in depth-first order, parents before children. So a
//! subtree is contiguous in memory.
//!
//! Reference: H. Dammertz, J. Hanika, A. Keller, Shallow Bounding Volume Hierarchies, 2008.

use super::binary::Binary;
use super::rows::Row;
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use crate::tree::{Bvh, LEAF, Node8, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// A binary node that becomes the next wide node, with the index of its first primitive and its
/// reference in its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    binary: u32,
    first: u32,
    parent: u32,
}

/// A binary node that may become a child.
#[derive(Clone, Copy)]
struct Candidate {
    binary: u32,
    first: u32,
    /// The priority of opening an inner node, by default half its area. -1 for nodes that are not
    /// opened, such as leaves.
    worth: f32,
}

/// Fills the tree from a binary one. `fit` returns the volume of a subtree from its box and the
/// index and number of its primitives.
pub(crate) fn collapse<V: TreeVolume, N: WideNode<V::Volumes8>>(
    binary: &Binary,
    stack: &mut Vec<Task>,
    tree: &mut Bvh<V, N>,
    mut fit: impl FnMut(&Aabb, usize, usize) -> V,
) {
    tree.nodes.clear();
    tree.leaf_starts.clear();
    tree.primitives.clear();
    tree.bounds = V::EMPTY;
    let Some(root) = binary.nodes.first() else { return };
    tree.leaf_starts.push(0);
    tree.primitives.reserve(binary.order.len());
    let size = root.aabb().extents().max_element();
    let unit = inverse_power_of_two(f64::from(size)).min(LARGEST_SCALE) as f32;
    let candidate = |number: u32, row: &Row, first: u32| Candidate {
        binary: number,
        first,
        worth: if row.tag() == 0 {
            -1.0
        } else {
            binary.worth.get(number as usize).copied().unwrap_or_else(|| row.half_area(unit))
        },
    };
    stack.clear();
    stack.push(Task { binary: 0, first: 0, parent: 0 });
    tree.bounds = fit(&root.aabb(), 0, binary.order.len());
    while let Some(task) = stack.pop() {
        let Some(row) = binary.nodes.get(task.binary as usize) else { continue };
        let mut children = [Candidate { binary: 0, first: 0, worth: -1.0 }; 8];
        let mut n = 1;
        children[0] = candidate(task.binary, row, task.first);
        while n < N::WIDTH {
            let mut largest = 0;
            for i in 1..n {
                if children[largest].worth < children[i].worth {
                    largest = i;
                }
            }
            let open = children[largest];
            let left = binary.nodes[open.binary as usize].tag();
            if left == 0 || (open.worth < 0.0 && 1 < n) {
                break;
            }
            let (row_left, row_right) = (&binary.nodes[left as usize], &binary.nodes[left as usize + 1]);
            children[largest] = candidate(left, row_left, open.first);
            children[n] = candidate(left + 1, row_right, open.first + row_left.count());
            n += 1;
        }
        // A node is written when it is popped. Its parent gets its number then.
        let mut node = Node8::<V::Volumes8>::EMPTY;
        let number = tree.nodes.len() as u32;
        if let Some(parent) = tree.nodes.get_mut(task.parent as usize / 8) {
            parent.set_child(task.parent as usize % 8, number);
        }
        (node.parent, node.len) = (task.parent, n as u32);
        let from = stack.len();
        for lane in 0..n {
            let child = children[lane];
            let row = &binary.nodes[child.binary as usize];
            let (first, end) = (child.first as usize, (child.first + row.count()) as usize);
            let primitives = binary.order.get(first..end).unwrap_or(&[]);
            node.volumes.set(lane, &fit(&row.aabb(), first, primitives.len()));
            node.child[lane] = if row.tag() == 0 {
                tree.primitives.extend_from_slice(primitives);
                tree.leaf_starts.push(tree.primitives.len() as u32);
                LEAF | (tree.leaf_starts.len() as u32 - 2)
            } else {
                let parent = number * 8 + lane as u32;
                stack.push(Task { binary: child.binary, first: child.first, parent });
                0
            };
        }
        // The first to be visited is popped first.
        stack[from..].reverse();
        tree.nodes.push(N::pack(&node));
    }
}
