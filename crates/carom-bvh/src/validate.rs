//! Checks the invariants of a tree: every primitive is in one leaf, parents come before children,
//! and volumes contain their contents.

use crate::tree::{Bvh, HOLE, LEAF, TreeVolume};
use crate::wide::WideNode;
use alloc::vec;
use carom_bounds::{Aabb, BoundingVolume};

/// A violated invariant of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Defect {
    /// A primitive is in no leaf, or in more than one.
    Primitive(u32),
    /// A node is not reached exactly once, or before its parent, or has a wrong parent.
    Node(u32),
    /// A leaf is not reached exactly once, or is empty.
    Leaf(u32),
    /// The box around a child's volume does not contain the boxes of its contents: the node, and
    /// the lane.
    Volume(u32, u32),
}

impl core::fmt::Display for Defect {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Defect::Primitive(i) => write!(f, "primitive {i} is not in one leaf"),
            Defect::Node(i) => write!(f, "node {i} has not one parent before it"),
            Defect::Leaf(i) => write!(f, "leaf {i} is empty or not reached once"),
            Defect::Volume(node, lane) => {
                write!(f, "the volume of lane {lane} of node {node} does not hold its content")
            }
        }
    }
}

impl core::error::Error for Defect {}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Checks the invariants of queries against the primitives' bounds. Returns the first defect.
    ///
    /// Boxes around volumes are compared, so a wrong volume of another kind may pass.
    pub fn validate(&self, boxes: &[Aabb]) -> Result<(), Defect> {
        if boxes.len() != self.len() {
            return Err(Defect::Primitive(boxes.len().min(self.len()) as u32));
        }
        self.check(boxes.len(), |p| boxes.get(p as usize).copied())
    }

    /// [`Bvh::validate`] for numbers below `n`; only those with bounds are primitives.
    pub(crate) fn check(&self, n: usize, bounds: impl Fn(u32) -> Option<Aabb>) -> Result<(), Defect> {
        let mut counts = vec![0_u32; n];
        for &p in &self.primitives {
            match counts.get_mut(p as usize) {
                Some(n) => *n += 1,
                None => return Err(Defect::Primitive(p)),
            }
        }
        let wrong = |p: usize| counts[p] != u32::from(bounds(p as u32).is_some());
        if let Some(p) = (0..n).find(|&p| wrong(p)) {
            return Err(Defect::Primitive(p as u32));
        }
        let mut reached = vec![0_u32; self.nodes.len()];
        let mut leaves = vec![0_u32; self.n_leaves()];
        // The box around the contents of each node. Children are visited before their parents.
        let mut content = vec![Aabb::EMPTY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let len = node.n_children();
            if len == 0 && node.parent().is_none_or(|parent| parent == HOLE) {
                // No reference to it is allowed.
                reached[i] += 1;
                continue;
            }
            if len == 0 || N::WIDTH < len as usize {
                return Err(Defect::Node(i as u32));
            }
            for lane in 0..len as usize {
                let child = node.child(lane);
                let inside = if child & LEAF != 0 {
                    let leaf = self.leaf(child & !LEAF);
                    let Some(n) = leaves.get_mut(leaf.index as usize) else {
                        return Err(Defect::Leaf(leaf.index));
                    };
                    *n += 1;
                    if leaf.primitives.is_empty() {
                        return Err(Defect::Leaf(leaf.index));
                    }
                    leaf.primitives
                        .iter()
                        .filter_map(|&p| bounds(p))
                        .fold(Aabb::EMPTY, |all, b| all.merged(&b))
                } else {
                    let c = child as usize;
                    let is_other = |parent: u32| parent != (i * 8 + lane) as u32;
                    if c <= i || self.nodes.get(c).is_none_or(|n| n.parent().is_some_and(is_other)) {
                        return Err(Defect::Node(child));
                    }
                    reached[c] += 1;
                    content[c]
                };
                if !node.volume(lane).to_aabb().contains(&inside) {
                    return Err(Defect::Volume(i as u32, lane as u32));
                }
                content[i] = content[i].merged(&inside);
            }
        }
        if let Some(n) = reached.iter().skip(1).position(|&n| n != 1) {
            return Err(Defect::Node(n as u32 + 1));
        }
        if let Some(n) = leaves.iter().position(|&n| n != 1) {
            return Err(Defect::Leaf(n as u32));
        }
        match content.first() {
            Some(all) if !self.bounds.to_aabb().contains(all) => Err(Defect::Volume(0, 0)),
            _ => Ok(()),
        }
    }
}
