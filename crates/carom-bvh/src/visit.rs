//! All leaves whose volume may touch a box or a volume.
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

/// A query that is tested against eight volumes at once.
trait Probe<W: Volumes8> {
    fn meets<S: Simd>(&self, simd: S, volumes: &W, here: &Relative) -> u32;
}

struct BoxProbe<'a>(&'a Aabb);

impl<W: Volumes8> Probe<W> for BoxProbe<'_> {
    #[inline(always)]
    fn meets<S: Simd>(&self, simd: S, volumes: &W, here: &Relative) -> u32 {
        volumes.meets_box(simd, self.0, here)
    }
}

struct VolumeProbe<'a, V>(&'a V);

impl<W: Volumes8> Probe<W> for VolumeProbe<'_, W::Volume> {
    #[inline(always)]
    fn meets<S: Simd>(&self, simd: S, volumes: &W, here: &Relative) -> u32 {
        volumes.meets_here(simd, self.0, here)
    }
}

struct Walk<'a, V: TreeVolume, N, P, F> {
    tree: &'a Bvh<V, N>,
    probe: P,
    here: Relative,
    leaf: F,
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Gives each leaf whose volume may touch the box to `leaf`, once; `leaf` may stop the visit.
    /// The box is in the tree's frame; touching counts. A box of NaN touches nothing.
    pub fn visit_box(&self, aabb: &Aabb, leaf: impl FnMut(Leaf<'_>) -> ControlFlow<()>) -> Visit {
        let bounds = self.bounds.to_aabb();
        // The part outside the tree does not count, and may be infinite.
        let Some(inside) = aabb.intersection(&bounds) else { return Visit::default() };
        let here = Relative::identity(&inside, &bounds);
        dispatch(Walk { tree: self, probe: BoxProbe(&inside), here, leaf })
    }

    /// Gives each leaf whose volume may touch this volume to `leaf`, once; `leaf` may stop the
    /// visit. The volume is in the tree's frame.
    pub fn visit_volume(&self, volume: &V, leaf: impl FnMut(Leaf<'_>) -> ControlFlow<()>) -> Visit {
        let here = Relative::identity(&volume.to_aabb(), &self.bounds.to_aabb());
        dispatch(Walk { tree: self, probe: VolumeProbe(volume), here, leaf })
    }
}

impl<V, N, P, F> Kernel for Walk<'_, V, N, P, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    P: Probe<V::Volumes8>,
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
            let mut meets = self.probe.meets(simd, node.opened(simd).borrow(), &self.here) & node.used();
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
                counters.leaves += 1;
                counters.primitives += found.primitives.len() as u64;
                if (self.leaf)(found).is_break() {
                    return Visit { stopped: true, counters };
                }
            }
        }
        Visit { stopped: false, counters }
    }
}
