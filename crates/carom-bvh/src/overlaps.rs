//! An iterator over the leaves in a box, and queries of many boxes at once.
//!
//! The iterator opens one node at a time, so leaves that are not requested cost nothing.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2.

use crate::relative::Relative;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, Node8, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::{Kernel, Simd, dispatch};
use core::borrow::Borrow as _;
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// The leaves whose volumes may touch a box, each once; the iterator of [`Bvh::in_box`].
pub struct InBox<'a, V: TreeVolume, N = Node8<<V as TreeVolume>::Volumes8>> {
    tree: &'a Bvh<V, N>,
    aabb: Aabb,
    here: Relative,
    stack: Stack<u32, 64>,
    /// The current node, and a mask of its remaining children.
    node: u32,
    left: u32,
}

struct Open<'a, W, N> {
    node: &'a N,
    aabb: &'a Aabb,
    here: &'a Relative,
    opened: PhantomData<W>,
}

impl<W: Volumes8, N: WideNode<W>> Kernel for Open<'_, W, N> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.node.opened(simd).borrow().meets_box(simd, self.aabb, self.here)
    }
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// The leaves that [`Bvh::visit_box`] visits, one by one.
    pub fn in_box(&self, aabb: &Aabb) -> InBox<'_, V, N> {
        use carom_bounds::BoundingVolume as _;
        let bounds = self.bounds.to_aabb();
        let mut stack = Stack::new(0);
        // The part outside the tree does not count, and may be infinite.
        let inside = aabb.intersection(&bounds);
        if inside.is_some() && !self.nodes.is_empty() {
            stack.push(0);
        }
        let inside = inside.unwrap_or(Aabb::EMPTY);
        let here = Relative::identity(&inside, &bounds);
        InBox { tree: self, aabb: inside, here, stack, node: 0, left: 0 }
    }

    /// [`Bvh::visit_box`] for many boxes. The candidates of box i are
    /// `found[starts[i]..starts[i + 1]]`, in no order. The two vectors are cleared first, and
    /// allocate only to grow. Neighbouring boxes should be adjacent in the list, so that their
    /// nodes are in the cache.
    pub fn in_boxes(&self, boxes: &[Aabb], starts: &mut Vec<usize>, found: &mut Vec<u32>) {
        starts.clear();
        found.clear();
        starts.push(0);
        for aabb in boxes {
            self.visit_box(aabb, |leaf| {
                found.extend_from_slice(leaf.primitives);
                ControlFlow::Continue(())
            });
            starts.push(found.len());
        }
    }
}

impl<'a, V: TreeVolume, N: WideNode<V::Volumes8>> Iterator for InBox<'a, V, N> {
    type Item = Leaf<'a>;

    fn next(&mut self) -> Option<Leaf<'a>> {
        loop {
            while self.left != 0 {
                let lane = self.left.trailing_zeros() as usize & 7;
                self.left &= self.left - 1;
                let child = self.tree.nodes.get(self.node as usize)?.child(lane);
                if child & LEAF != 0 {
                    return Some(self.tree.leaf(child & !LEAF));
                }
                self.stack.push(child);
            }
            self.node = self.stack.pop()?;
            let node = self.tree.nodes.get(self.node as usize)?;
            let open = Open { node, aabb: &self.aabb, here: &self.here, opened: PhantomData };
            self.left = dispatch(open) & node.used();
        }
    }
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> core::iter::FusedIterator for InBox<'_, V, N> {}
