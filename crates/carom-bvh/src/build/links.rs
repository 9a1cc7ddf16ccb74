//! A binary tree that grows or is rearranged: nodes in any order, each with its children and its
//! parent.
//!
//! The finished tree is written in the common form of all builders. Subtrees of few primitives
//! become leaves. A subtree that is too deep, as over nested boxes, is replaced by one that halves
//! the leaves in their order. So the depth has a bound.

use super::binary::{Binary, MAX_DEPTH};
use super::rows::Row;
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use alloc::vec::Vec;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// A binary tree of linked nodes. All lists are of equal length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// The box and the number of primitives. A leaf's tag is the index of its first primitive in
    /// the order.
    pub(crate) rows: Vec<Row>,
    /// `NONE` twice for a leaf.
    pub(crate) children: Vec<[u32; 2]>,
    /// `NONE` for the root.
    pub(crate) parents: Vec<u32>,
    pub(crate) root: u32,
    /// The factor for lengths, so that areas neither overflow nor underflow.
    pub(crate) unit: f32,
}

impl Links {
    /// Sets the leaves, not yet joined to a tree. Each leaf is a row whose tag is an index in the
    /// order.
    pub(crate) fn fill(&mut self, leaves: impl Iterator<Item = Row>) {
        self.rows.clear();
        self.rows.extend(leaves);
        self.children.clear();
        self.children.resize(self.rows.len(), [NONE; 2]);
        self.parents.clear();
        self.parents.resize(self.rows.len(), NONE);
        self.root = 0;
        let all = self.rows.iter().fold(Row::EMPTY, |all, row| all.merged(row));
        let extent = (0..3).fold(0.0_f32, |e, k| e.max(all.0[k] + all.0[k + 4]));
        self.unit = inverse_power_of_two(f64::from(extent)).min(LARGEST_SCALE) as f32;
    }

    /// Reads the tree of a builder.
    pub(crate) fn read(&mut self, binary: &Binary) {
        self.fill(binary.nodes.iter().copied());
        let mut firsts: Vec<u32> = alloc::vec![0; self.rows.len()];
        for i in 0..self.rows.len() {
            let (left, count, first) = (self.rows[i].tag(), self.rows[i].count(), firsts[i]);
            if left != 0 {
                let l = left as usize;
                firsts[l] = first;
                firsts[l + 1] = first + self.rows[l].count();
                self.children[i] = [left, left + 1];
                self.parents[l] = i as u32;
                self.parents[l + 1] = i as u32;
            }
            self.rows[i].set_numbers(first, count);
        }
    }

    /// Creates a node above two nodes that have no parent.
    pub(crate) fn join(&mut self, left: u32, right: u32) -> u32 {
        let number = self.rows.len() as u32;
        self.rows.push(Row::EMPTY);
        self.children.push([left, right]);
        self.parents.push(NONE);
        self.parents[left as usize] = number;
        self.parents[right as usize] = number;
        self.refit(number);
        number
    }

    /// Computes the box of an inner node from its children.
    pub(crate) fn refit(&mut self, node: u32) {
        let [left, right] = self.children[node as usize].map(|child| self.rows[child as usize]);
        let mut row = left.merged(&right);
        row.set_numbers(0, left.count() + right.count());
        self.rows[node as usize] = row;
    }

    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        self.children[node as usize][0] == NONE
    }

    /// Half the area of a node's box, in scaled lengths.
    pub(crate) fn area(&self, node: u32) -> f32 {
        self.rows[node as usize].half_area(self.unit)
    }

    /// Half the area of the box around two nodes.
    pub(crate) fn area_of_both(&self, a: u32, b: u32) -> f32 {
        self.rows[a as usize].merged(&self.rows[b as usize]).half_area(self.unit)
    }

    /// The other child of the parent.
    pub(crate) fn sibling(&self, node: u32) -> u32 {
        let [left, right] = self.children[self.parents[node as usize] as usize];
        if left == node { right } else { left }
    }

    /// Puts `new` below `parent` in place of `old`. If `parent` is `NONE`, `new` is the root.
    pub(crate) fn replace_child(&mut self, new: u32, parent: u32, old: u32) {
        self.parents[new as usize] = parent;
        if parent == NONE {
            self.root = new;
            return;
        }
        for child in &mut self.children[parent as usize] {
            if *child == old {
                *child = new;
            }
        }
    }

    /// Writes the tree below the root. `order` has the primitives by the indices in the leaves.
    pub(crate) fn write(&self, order: &[u32], max_leaf: u32, binary: &mut Binary) {
        binary.nodes.clear();
        binary.order.clear();
        let Some(&root) = self.rows.get(self.root as usize) else { return };
        binary.nodes.push(root);
        let (mut leaves, mut below) = (Vec::new(), Vec::new());
        let mut stack = alloc::vec![(self.root, 0_u32, 0_u32)];
        while let Some((node, at, depth)) = stack.pop() {
            let count = self.rows[node as usize].count();
            binary.nodes[at as usize].set_numbers(0, count);
            if self.is_leaf(node) || count <= max_leaf || MAX_DEPTH <= depth {
                self.leaves_below(node, &mut below, &mut leaves);
                if leaves.len() == 1 || count <= max_leaf {
                    self.write_leaf(&leaves, order, binary);
                } else {
                    self.halve(&leaves, at, order, max_leaf, binary);
                }
                continue;
            }
            let child = binary.nodes.len() as u32;
            binary.nodes[at as usize].set_numbers(child, count);
            let [left, right] = self.children[node as usize];
            binary.nodes.extend([left, right].map(|node| self.rows[node as usize]));
            // The left side is popped first, because its primitives come first.
            stack.push((right, child + 1, depth + 1));
            stack.push((left, child, depth + 1));
        }
    }

    /// The leaves below a node in their order.
    fn leaves_below(&self, node: u32, stack: &mut Vec<u32>, out: &mut Vec<u32>) {
        out.clear();
        stack.push(node);
        while let Some(node) = stack.pop() {
            if self.is_leaf(node) {
                out.push(node);
            } else {
                let [left, right] = self.children[node as usize];
                stack.push(right);
                stack.push(left);
            }
        }
    }

    /// Writes leaves as one leaf.
    fn write_leaf(&self, leaves: &[u32], order: &[u32], binary: &mut Binary) {
        for &leaf in leaves {
            let row = &self.rows[leaf as usize];
            let first = row.tag() as usize;
            binary.order.extend_from_slice(order.get(first..first + row.count() as usize).unwrap_or(&[]));
        }
    }

    /// Builds a balanced tree over leaves, below the node that is written at `at`.
    fn halve(&self, leaves: &[u32], at: u32, order: &[u32], max_leaf: u32, binary: &mut Binary) {
        let from = binary.nodes.len();
        let count = |range: &[u32]| range.iter().map(|&leaf| self.rows[leaf as usize].count()).sum::<u32>();
        let mut stack = alloc::vec![(leaves, at)];
        while let Some((range, at)) = stack.pop() {
            let total = count(range);
            if total <= max_leaf || range.len() < 2 {
                let all = range.iter().fold(Row::EMPTY, |all, &leaf| all.merged(&self.rows[leaf as usize]));
                binary.nodes[at as usize] = all;
                binary.nodes[at as usize].set_numbers(0, total);
                self.write_leaf(range, order, binary);
                continue;
            }
            let child = binary.nodes.len() as u32;
            binary.nodes[at as usize].set_numbers(child, total);
            binary.nodes.extend([Row::EMPTY; 2]);
            let (left, right) = range.split_at(range.len() / 2);
            stack.push((right, child + 1));
            stack.push((left, child));
        }
        // Computes the boxes of inner nodes, children before parents.
        for i in (from..binary.nodes.len()).rev().chain([at as usize]) {
            let (child, total) = (binary.nodes[i].tag() as usize, binary.nodes[i].count());
            if child != 0 {
                binary.nodes[i] = binary.nodes[child].merged(&binary.nodes[child + 1]);
                binary.nodes[i].set_numbers(child as u32, total);
            }
        }
    }
}
