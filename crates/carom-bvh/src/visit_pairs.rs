//! Visits all pairs of leaves of two trees, in any relative pose, whose volumes may touch.
//!
//! The larger volume of a pair is opened. The smaller one is transformed once into the frame of
//! the larger one's tree, and tested against all eight children. Each pair of leaves is reported
//! once.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.2.2 (the surface order) and 25.2.3.
//! Differs: eight children at a time; no recursion.

use crate::counters::{Counters, Visit};
use crate::descent::{
    BoxAxes, CallerSettings, DefaultSettings, Descent, OPENS_B_NEXT, PairSettings, SettingsSource,
};
use crate::relative::Relative;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::WidePose;
use core::borrow::Borrow as _;
use core::ops::ControlFlow;

struct Walk<'a, V: TreeVolume, N, C, F> {
    a: &'a Bvh<V, N>,
    b: &'a Bvh<V, N>,
    a_to_b: Relative<<V::Volumes8 as Volumes8>::Turn>,
    b_to_a: Relative<<V::Volumes8 as Volumes8>::Turn>,
    choice: C,
    pair: F,
}

/// Calls `pair` once for each pair of leaves whose volumes may touch: a leaf of `a`, then one of
/// `b`. `b_in_a` is the pose of `b` in the frame of `a`. `pair` may stop the visit. With a pose
/// that is NaN or infinite nothing touches.
pub fn visit_leaf_pairs<V: TreeVolume, N: WideNode<V::Volumes8>>(
    a: &Bvh<V, N>,
    b: &Bvh<V, N>,
    b_in_a: &WidePose,
    pair: impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
) -> Visit {
    walk(a, b, b_in_a, DefaultSettings, pair)
}

/// [`visit_leaf_pairs`] with settings. With any settings, all pairs of leaves whose contents touch
/// are reported. The settings change only which other pairs are reported.
pub fn visit_leaf_pairs_with<V: TreeVolume, N: WideNode<V::Volumes8>>(
    a: &Bvh<V, N>,
    b: &Bvh<V, N>,
    b_in_a: &WidePose,
    settings: &PairSettings,
    pair: impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
) -> Visit {
    walk(a, b, b_in_a, CallerSettings(*settings), pair)
}

#[inline]
fn walk<V: TreeVolume, N: WideNode<V::Volumes8>>(
    a: &Bvh<V, N>,
    b: &Bvh<V, N>,
    b_in_a: &WidePose,
    choice: impl SettingsSource,
    pair: impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
) -> Visit {
    let is_somewhere = b_in_a.rotation.is_finite() && b_in_a.translation.is_finite();
    if a.is_empty() || b.is_empty() || !is_somewhere {
        return Visit::default();
    }
    let (bounds_a, bounds_b) = (a.bounds.to_aabb(), b.bounds.to_aabb());
    let (a_to_b, b_to_a) = Relative::both_of::<V::Volumes8>(b_in_a, &bounds_a, &bounds_b);
    dispatch(Walk { a, b, a_to_b, b_to_a, choice, pair })
}

/// Calls `pair` for each pair of primitives in leaves whose volumes may touch: a primitive of `a`,
/// then one of `b`. Otherwise as [`visit_leaf_pairs`].
pub fn visit_pairs<V: TreeVolume, N: WideNode<V::Volumes8>>(
    a: &Bvh<V, N>,
    b: &Bvh<V, N>,
    b_in_a: &WidePose,
    pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> Visit {
    visit_leaf_pairs(a, b, b_in_a, each(pair))
}

/// [`visit_pairs`] with settings, as [`visit_leaf_pairs_with`].
pub fn visit_pairs_with<V: TreeVolume, N: WideNode<V::Volumes8>>(
    a: &Bvh<V, N>,
    b: &Bvh<V, N>,
    b_in_a: &WidePose,
    settings: &PairSettings,
    pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> Visit {
    visit_leaf_pairs_with(a, b, b_in_a, settings, each(pair))
}

/// A callback for leaves that calls `pair` for every pair of their primitives.
fn each(
    mut pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()> {
    move |leaf_a, leaf_b| {
        for &primitive_a in leaf_a.primitives {
            for &primitive_b in leaf_b.primitives {
                pair(primitive_a, primitive_b)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The node and the lane that a reference to a volume stands for.
#[inline(always)]
pub(crate) fn resolve<N>(nodes: &[N], reference: u32) -> Option<(&N, usize)> {
    Some((nodes.get(reference as usize / 8)?, reference as usize % 8))
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>, C: SettingsSource, F> Walk<'_, V, N, C, F> {
    /// Bit i: the volume in a lane of `node`, transformed by `relative`, may touch volume i of the
    /// opened node `inside`.
    #[inline(always)]
    fn meets<S: Simd>(
        &self,
        simd: S,
        node: &N,
        lane: usize,
        relative: &Relative<<V::Volumes8 as Volumes8>::Turn>,
        inside: &N,
    ) -> u32 {
        let placed = node.placed(simd, lane, relative);
        let opened = inside.opened(simd);
        let volumes: &V::Volumes8 = opened.borrow();
        let meets = match self.choice.settings().axes {
            BoxAxes::Faces => volumes.meets(simd, &placed, relative),
            BoxAxes::FacesAndEdges => volumes.meets_by_edges(simd, &placed, relative),
        };
        meets & inside.used()
    }
}

impl<V, N, C, F> Kernel for Walk<'_, V, N, C, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    C: SettingsSource,
    F: FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let (nodes_a, nodes_b) = (&self.a.nodes[..], &self.b.nodes[..]);
        let mut counters = Counters::default();
        let mut stack = Stack::<(u32, u32), 256>::new((0, 0));
        let (Some(root_a), Some(root_b)) = (nodes_a.first(), nodes_b.first()) else {
            return Visit::default();
        };
        let descent = self.choice.settings().descent;
        let alternates = descent == Descent::Alternate;
        let b_begins = alternates && self.a.bounds.size_key() <= self.b.bounds.size_key();
        let turn = if b_begins { OPENS_B_NEXT } else { 0 };
        for lane_a in 0..root_a.n_children() {
            let mut meets = self.meets(simd, root_a, lane_a as usize, &self.a_to_b, root_b);
            root_b.count(&mut counters);
            while meets != 0 {
                stack.push((lane_a | turn, meets.trailing_zeros()));
                meets &= meets - 1;
            }
        }
        while let Some((entry_a, b)) = stack.pop() {
            let a = if alternates { entry_a & !OPENS_B_NEXT } else { entry_a };
            let (Some((node_a, lane_a)), Some((node_b, lane_b))) = (resolve(nodes_a, a), resolve(nodes_b, b))
            else {
                continue;
            };
            let (child_a, child_b) = (node_a.child(lane_a), node_b.child(lane_b));
            let (leaf_a, leaf_b) = (child_a & LEAF != 0, child_b & LEAF != 0);
            if leaf_a && leaf_b {
                let (found_a, found_b) = (self.a.leaf(child_a & !LEAF), self.b.leaf(child_b & !LEAF));
                counters.count_leaf_pair(&found_a, &found_b);
                if (self.pair)(found_a, found_b).is_break() {
                    return Visit { stopped: true, counters };
                }
                continue;
            }
            let opens_b =
                !leaf_b && (leaf_a || descent.opens_b(entry_a, node_a.size(lane_a), node_b.size(lane_b)));
            // If sides alternate, the other one is next.
            let next = if alternates && !opens_b { OPENS_B_NEXT } else { 0 };
            if opens_b {
                let Some(inside) = nodes_b.get(child_b as usize) else { continue };
                let mut meets = self.meets(simd, node_a, lane_a, &self.a_to_b, inside);
                inside.count(&mut counters);
                while meets != 0 {
                    stack.push((a | next, child_b * 8 + meets.trailing_zeros()));
                    meets &= meets - 1;
                }
            } else {
                let Some(inside) = nodes_a.get(child_a as usize) else { continue };
                let mut meets = self.meets(simd, node_b, lane_b, &self.b_to_a, inside);
                inside.count(&mut counters);
                while meets != 0 {
                    stack.push(((child_a * 8 + meets.trailing_zeros()) | next, b));
                    meets &= meets - 1;
                }
            }
        }
        Visit { stopped: false, counters }
    }
}
