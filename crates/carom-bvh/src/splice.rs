//! Splices rebuilt subtrees into a copy of the tree, in place of old ones.
//!
//! Builders write nodes depth first, so the nodes, leaves and primitives of a subtree are
//! contiguous. A linear copy that exchanges some of these ranges keeps that order without gaps. It
//! costs one pass over the tree.
//!
//! Reference: S. Yoon, S. Curtis, D. Manocha, Ray Tracing Dynamic Scenes using Selective
//! Restructuring, 2007.
//! Differs: whole subtrees, built by any method.

use crate::tree::{Bvh, LEAF, Node8};
use alloc::vec::Vec;
use carom_bounds::{Aabb, Aabb8};

/// A node that was not in the old tree.
pub(crate) const NEW: u32 = u32::MAX;

/// For each node, the number of the first later node that is not below it.
pub(crate) fn ends(nodes: &[Node8<Aabb8>], out: &mut Vec<u32>) {
    out.clear();
    out.extend(1..=nodes.len() as u32);
    for i in (1..nodes.len()).rev() {
        let above = nodes[i].parent as usize / 8;
        out[above] = out[above].max(out[i]);
    }
}

/// The range of the primitives below a node, given the [`ends`].
pub(crate) fn below(tree: &Bvh<Aabb>, node: u32, ends: &[u32]) -> core::ops::Range<usize> {
    let subtree = tree.nodes.get(node as usize..ends[node as usize] as usize).unwrap_or(&[]);
    let leaves = || subtree.iter().flat_map(|node| node.used_children().iter());
    let leaves = || leaves().filter(|&&child| child & LEAF != 0).map(|&child| child & !LEAF);
    // Leaves are numbered in the order of the nodes.
    let (Some(first), Some(last)) = (leaves().next(), leaves().next_back()) else { return 0..0 };
    tree.leaf_starts[first as usize] as usize..tree.leaf_starts[last as usize + 1] as usize
}

/// Copies `tree` into `out`, with the subtree of each given node replaced by its new part. The
/// nodes are in ascending order, their subtrees are disjoint, and the root is not among them. Each
/// part holds the primitives of the subtree that it replaces. For each node of the copy, `origins`
/// gets the number of its old node, or [`NEW`].
pub(crate) fn splice(
    tree: &Bvh<Aabb>,
    parts: &[(u32, Bvh<Aabb>)],
    ends: &[u32],
    out: &mut Bvh<Aabb>,
    origins: &mut Vec<u32>,
) {
    out.nodes.clear();
    out.leaf_starts.clear();
    out.primitives.clear();
    out.bounds = tree.bounds;
    out.leaf_starts.push(0);
    origins.clear();
    let mut numbers = alloc::vec![0_u32; tree.nodes.len()];
    let mut parts = parts.iter().peekable();
    let mut i = 0;
    while let Some(old) = tree.nodes.get(i) {
        let number = out.nodes.len() as u32;
        numbers[i] = number;
        // The parent has been copied before.
        let index = numbers[old.parent as usize / 8] * 8 + old.parent % 8;
        if let Some(parent) = out.nodes.get_mut(index as usize / 8) {
            parent.child[index as usize % 8] = number;
        }
        let part = parts.next_if(|part| part.0 as usize == i);
        let (from, range, shift, origin) = match part {
            Some((_, part)) => (part, 0..part.nodes.len(), number, NEW),
            None => (tree, i..i + 1, 0, i as u32),
        };
        i = if part.is_some() { ends[i] as usize } else { i + 1 };
        // References of an old node to its children are set when these are copied.
        append(&from.nodes[range], from, (index, shift), |primitive| primitive, out);
        origins.resize(out.nodes.len(), origin);
    }
}

/// Appends nodes of a tree, a parent first, to `out`. The first one has the reference `index` in
/// its parent. References to others grow by `shift`. `primitive` returns the new numbers of
/// primitives.
pub(crate) fn append(
    nodes: &[Node8<Aabb8>],
    tree: &Bvh<Aabb>,
    (index, shift): (u32, u32),
    primitive: impl Fn(u32) -> u32,
    out: &mut Bvh<Aabb>,
) {
    let number = out.nodes.len() as u32;
    for (k, &node) in nodes.iter().enumerate() {
        let mut node = node;
        node.parent = if k == 0 { index } else { node.parent + number * 8 };
        for child in node.used_children_mut() {
            if *child & LEAF == 0 {
                *child += shift;
                continue;
            }
            let leaf = tree.leaf(*child & !LEAF);
            *child = LEAF | (out.leaf_starts.len() as u32 - 1);
            out.primitives.extend(leaf.primitives.iter().map(|&number| primitive(number)));
            out.leaf_starts.push(out.primitives.len() as u32);
        }
        out.nodes.push(node);
    }
}
