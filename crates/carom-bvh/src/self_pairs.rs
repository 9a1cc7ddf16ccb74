//! Visits all pairs of leaves of one tree whose volumes may touch, each once, including each leaf
//! with itself.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7 (self-intersection).

use crate::counters::{Counters, Visit};
use crate::relative::Relative;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::visit_pairs::resolve;
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use carom_lanes::{Kernel, Simd, dispatch};
use core::borrow::Borrow as _;
use core::ops::ControlFlow;

struct Walk<'a, V: TreeVolume, N, F> {
    tree: &'a Bvh<V, N>,
    pair: F,
}

/// Stands for the second reference of an entry whose first one is a node, not a volume. The
/// children of the node are tested against each other.
const ITSELF: u32 = u32::MAX;

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Calls `pair` once for each pair of leaves whose volumes may touch; `pair` may stop the
    /// visit. Two different leaves come in either order. Each leaf also comes once with itself.
    pub fn visit_self_leaf_pairs(&self, pair: impl FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>) -> Visit {
        dispatch(Walk { tree: self, pair })
    }

    /// Calls `pair` once for each pair of different primitives in leaves whose volumes may touch.
    /// The smaller number is first; `pair` may stop the visit.
    pub fn visit_self_pairs(&self, mut pair: impl FnMut(u32, u32) -> ControlFlow<()>) -> Visit {
        self.visit_self_leaf_pairs(|leaf_a, leaf_b| {
            for (i, &p) in leaf_a.primitives.iter().enumerate() {
                let from = if leaf_a.index == leaf_b.index { i + 1 } else { 0 };
                for &q in leaf_b.primitives.get(from..).unwrap_or(&[]) {
                    pair(p.min(q), p.max(q))?;
                }
            }
            ControlFlow::Continue(())
        })
    }
}

impl<V, N, F> Kernel for Walk<'_, V, N, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    F: FnMut(Leaf<'_>, Leaf<'_>) -> ControlFlow<()>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let nodes = &self.tree.nodes[..];
        let bounds = self.tree.bounds.to_aabb();
        let here = Relative::identity(&bounds, &bounds);
        let mut counters = Counters::default();
        let mut stack = Stack::<(u32, u32), 256>::new((0, 0));
        if !nodes.is_empty() {
            stack.push((0, ITSELF));
        }
        while let Some((a, b)) = stack.pop() {
            if b == ITSELF {
                let Some(node) = nodes.get(a as usize) else { continue };
                for lane in 0..node.n_children() {
                    // Lanes after this one.
                    let later = node.used() & !((2_u32 << lane) - 1);
                    let volume = node.volume(lane as usize);
                    let mut meets = node.opened(simd).borrow().meets_here(simd, &volume, &here) & later;
                    node.count(&mut counters);
                    while meets != 0 {
                        stack.push((a * 8 + lane, a * 8 + meets.trailing_zeros()));
                        meets &= meets - 1;
                    }
                    let child = node.child(lane as usize);
                    if child & LEAF == 0 {
                        stack.push((child, ITSELF));
                        continue;
                    }
                    let leaf = self.tree.leaf(child & !LEAF);
                    let n = leaf.primitives.len() as u64;
                    counters.leaves += 1;
                    counters.primitives += n * n.saturating_sub(1) / 2;
                    if (self.pair)(leaf, leaf).is_break() {
                        return Visit { stopped: true, counters };
                    }
                }
                continue;
            }
            let (Some((node_a, lane_a)), Some((node_b, lane_b))) = (resolve(nodes, a), resolve(nodes, b))
            else {
                continue;
            };
            let (child_a, child_b) = (node_a.child(lane_a), node_b.child(lane_b));
            let (leaf_a, leaf_b) = (child_a & LEAF != 0, child_b & LEAF != 0);
            if leaf_a && leaf_b {
                let (found_a, found_b) = (self.tree.leaf(child_a & !LEAF), self.tree.leaf(child_b & !LEAF));
                counters.count_leaf_pair(&found_a, &found_b);
                if (self.pair)(found_a, found_b).is_break() {
                    return Visit { stopped: true, counters };
                }
                continue;
            }
            // The larger inner volume is opened. The pair has no order, so one branch serves both.
            let open_b = !leaf_b && (leaf_a || node_a.size(lane_a) <= node_b.size(lane_b));
            let (kept, volume, opened) = if open_b {
                (a, node_a.volume(lane_a), child_b)
            } else {
                (b, node_b.volume(lane_b), child_a)
            };
            let Some(inside) = nodes.get(opened as usize) else { continue };
            let mut meets = inside.opened(simd).borrow().meets_here(simd, &volume, &here) & inside.used();
            inside.count(&mut counters);
            while meets != 0 {
                stack.push((kept, opened * 8 + meets.trailing_zeros()));
                meets &= meets - 1;
            }
        }
        Visit { stopped: false, counters }
    }
}
