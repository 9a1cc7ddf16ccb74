//! Visits all leaves whose volume may touch a box.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.2.

use crate::counters::{Counters, Visit};
use crate::relative::Relative;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use carom_bounds::Aabb;
use carom_lanes::{Kernel, Simd, dispatch};
use core::borrow::Borrow as _;
use core::ops::ControlFlow;

struct Walk<'a, V: TreeVolume, N, F> {
    tree: &'a Bvh<V, N>,
    aabb: &'a Aabb,
    here: Relative,
    leaf: F,
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Calls `leaf` once for each leaf whose volume may touch the box; `leaf` may stop the visit.
    /// The box is in the tree's frame; touching counts. A box with a NaN touches nothing.
    pub fn visit_box(&self, aabb: &Aabb, leaf: impl FnMut(Leaf<'_>) -> ControlFlow<()>) -> Visit {
        let bounds = self.bounds.to_aabb();
        // The part outside the tree does not count, and may be infinite.
        let Some(inside) = aabb.intersection(&bounds) else { return Visit::default() };
        let here = Relative::identity(&inside, &bounds);
        dispatch(Walk { tree: self, aabb: &inside, here, leaf })
    }
}

impl<V, N, F> Kernel for Walk<'_, V, N, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    F: FnMut(Leaf<'_>) -> ControlFlow<()>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let mut counters = Counters::default();
        let mut stack = Stack::<u32, 64>::new(0);
        if !self.tree.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(number) = stack.pop() {
            let Some(node) = self.tree.nodes.get(number as usize) else { continue };
            let mut meets = node.opened(simd).borrow().meets_box(simd, self.aabb, &self.here) & node.used();
            node.count(&mut counters);
            while meets != 0 {
                let lane = meets.trailing_zeros() as usize;
                meets &= meets - 1;
                let child = node.child(lane);
                if child & LEAF == 0 {
                    stack.push(child);
                    continue;
                }
                let found = self.tree.leaf(child & !LEAF);
                counters.count_leaf(&found);
                if (self.leaf)(found).is_break() {
                    return Visit { stopped: true, counters };
                }
            }
        }
        Visit { stopped: false, counters }
    }
}
