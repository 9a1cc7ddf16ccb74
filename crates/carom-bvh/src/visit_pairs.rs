//! All pairs of leaves of two trees, in any relative pose, whose volumes may touch.
//!
//! A pair of volumes is opened on the side of the larger one: the other is brought into its frame once and tested
//! against its eight children. Each pair of leaves comes up once.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., 25.2.2 (the surface order) and 25.2.3.
//! Differs: eight children at a time; no recursion.

use crate::counters::{Counters, Visit};
use crate::relative::Relative;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, Node8, TreeVolume};
use crate::volumes::Volumes8;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::WidePose;
use core::ops::ControlFlow;

struct Walk<'a, V: TreeVolume, F> {
    a: &'a Bvh<V>,
    b: &'a Bvh<V>,
    a_to_b: Relative,
    b_to_a: Relative,
    pair: F,
}

/// Gives every pair of leaves, of `a` and of `b` placed by `b_in_a`, whose volumes may touch, each pair once, to `pair`,
/// which may break off. A pose with a NaN, or at infinity, touches nothing.
pub fn visit_leaf_pairs<V: TreeVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    b_in_a: &WidePose,
    pair: impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
) -> Visit {
    let is_somewhere = b_in_a.rotation.is_finite() && b_in_a.translation.is_finite();
    if a.is_empty() || b.is_empty() || !is_somewhere {
        return Visit::default();
    }
    let (bounds_a, bounds_b) = (a.bounds.to_aabb(), b.bounds.to_aabb());
    let (a_to_b, b_to_a) = Relative::both(b_in_a, &bounds_a, &bounds_b);
    dispatch(Walk { a, b, a_to_b, b_to_a, pair })
}

/// Gives every pair of primitives, of `a` and of `b` placed by `b_in_a`, that lie in leaves whose volumes may touch, to
/// `pair`, which may break off. The two numbers are in the order of the trees.
pub fn visit_pairs<V: TreeVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    b_in_a: &WidePose,
    mut pair: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> Visit {
    visit_leaf_pairs(a, b, b_in_a, |leaf_a, leaf_b| {
        for &primitive_a in leaf_a.primitives {
            for &primitive_b in leaf_b.primitives {
                pair(primitive_a, primitive_b)?;
            }
        }
        ControlFlow::Continue(())
    })
}

/// A reference to a volume: its node and lane.
#[inline(always)]
pub(crate) fn resolve<W>(nodes: &[Node8<W>], reference: u32) -> Option<(&Node8<W>, usize)> {
    Some((nodes.get(reference as usize / 8)?, reference as usize % 8))
}

impl<V: TreeVolume, F: FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>> Kernel for Walk<'_, V, F> {
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let (nodes_a, nodes_b) = (&self.a.nodes[..], &self.b.nodes[..]);
        let mut counters = Counters::default();
        let mut stack = Stack::<(u32, u32), 256>::new((0, 0));
        let (Some(root_a), Some(root_b)) = (nodes_a.first(), nodes_b.first()) else {
            return Visit::default();
        };
        for lane_a in 0..root_a.len {
            let placed = root_a.volumes.placed(simd, lane_a as usize, &self.a_to_b);
            let mut meets = root_b.volumes.meets(simd, &placed, &self.a_to_b) & ((1_u32 << root_b.len) - 1);
            counters.nodes += 1;
            counters.volume_tests += u64::from(root_b.len);
            while meets != 0 {
                stack.push((lane_a, meets.trailing_zeros()));
                meets &= meets - 1;
            }
        }
        while let Some((a, b)) = stack.pop() {
            let (Some((node_a, lane_a)), Some((node_b, lane_b))) = (resolve(nodes_a, a), resolve(nodes_b, b))
            else {
                continue;
            };
            let (child_a, child_b) = (node_a.child[lane_a], node_b.child[lane_b]);
            let (leaf_a, leaf_b) = (child_a & LEAF != 0, child_b & LEAF != 0);
            if leaf_a && leaf_b {
                let (found_a, found_b) = (self.a.leaf(child_a & !LEAF), self.b.leaf(child_b & !LEAF));
                counters.leaves += 1;
                counters.primitives += found_a.primitives.len() as u64 * found_b.primitives.len() as u64;
                if (self.pair)(found_a, found_b).is_break() {
                    return Visit { stopped: true, counters };
                }
                continue;
            }
            if !leaf_b && (leaf_a || node_a.volumes.size(lane_a) <= node_b.volumes.size(lane_b)) {
                let Some(inside) = nodes_b.get(child_b as usize) else { continue };
                let placed = node_a.volumes.placed(simd, lane_a, &self.a_to_b);
                let mut meets =
                    inside.volumes.meets(simd, &placed, &self.a_to_b) & ((1_u32 << inside.len) - 1);
                counters.nodes += 1;
                counters.volume_tests += u64::from(inside.len);
                while meets != 0 {
                    stack.push((a, child_b * 8 + meets.trailing_zeros()));
                    meets &= meets - 1;
                }
            } else {
                let Some(inside) = nodes_a.get(child_a as usize) else { continue };
                let placed = node_b.volumes.placed(simd, lane_b, &self.b_to_a);
                let mut meets =
                    inside.volumes.meets(simd, &placed, &self.b_to_a) & ((1_u32 << inside.len) - 1);
                counters.nodes += 1;
                counters.volume_tests += u64::from(inside.len);
                while meets != 0 {
                    stack.push((child_a * 8 + meets.trailing_zeros(), b));
                    meets &= meets - 1;
                }
            }
        }
        Visit { stopped: false, counters }
    }
}
