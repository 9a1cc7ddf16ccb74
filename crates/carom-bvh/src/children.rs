//! The children of a node one by one, for callers that store data for each node or leaf.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 19.1.1.

use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::wide::WideNode;

/// A child of a node: an inner node or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Child<'a> {
    /// A node, by its number.
    Node(u32),
    /// A leaf.
    Leaf(Leaf<'a>),
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// The volume of a child by the reference from [`Bvh::children`]; `V::EMPTY` if there is none.
    #[inline]
    pub fn volume(&self, reference: usize) -> V {
        match self.nodes.get(reference / 8) {
            Some(node) if reference % 8 < node.n_children() as usize => node.volume(reference % 8),
            _ => V::EMPTY,
        }
    }

    /// The children of a node, each with its reference: an index below `8 * n_nodes`, at which a
    /// caller can store data of the child. Node 0 is the root, and children have larger numbers
    /// than their parent. Empty if no node has this number.
    #[inline]
    pub fn children(&self, node: u32) -> impl DoubleEndedIterator<Item = (usize, Child<'_>)> {
        let found = self.nodes.get(node as usize);
        let len = found.map_or(0, |node| node.n_children().min(8) as usize);
        (0..len).filter_map(move |lane| {
            let child = found?.child(lane);
            let part =
                if child & LEAF == 0 { Child::Node(child) } else { Child::Leaf(self.leaf(child & !LEAF)) };
            Some((node as usize * 8 + lane, part))
        })
    }
}
