//! Queries of a point, a ball or a frustum; the k nearest primitives; pairs closer than a
//! tolerance.
//!
//! Point and ball queries are distance queries with a fixed bound. In a frustum query, children of
//! a volume that is wholly inside are not tested. The plane that rejected a child last is tested
//! first the next time.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 19.4 (frustum culling in a
//! hierarchy) and 25.2; U. Assarsson, T. Möller, Optimized View Frustum Culling Algorithms for
//! Bounding Boxes, 2000 (plane coherency); N. Roussopoulos, S. Kelley, F. Vincent, Nearest
//! Neighbor Queries, 1995 (the k nearest: prune by the k-th).

use crate::counters::{Counters, Visit};
use crate::distance::PairSearch;
use crate::stack::Stack;
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::wide::WideNode;
use alloc::vec::Vec;
use carom_bounds::{Culling, Frustum, LastPlane};
use carom_math::WidePose;
use core::ops::ControlFlow;
use glam::DVec3;

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Calls `leaf` for each leaf whose volume may contain the point; `leaf` may stop the visit.
    /// The point is in the tree's frame. A point that is NaN or infinite finds nothing.
    pub fn visit_point(&self, point: DVec3, leaf: impl FnMut(Leaf<'_>) -> ControlFlow<()>) -> Visit {
        self.visit_sphere(point, 0.0, leaf)
    }

    /// Calls `leaf` for each leaf whose volume may touch the ball, those near the centre first.
    /// `leaf` may stop the visit. The ball is in the tree's frame. It touches nothing if the
    /// centre is NaN or infinite, or the radius is negative or NaN.
    pub fn visit_sphere(
        &self,
        center: DVec3,
        radius: f64,
        mut leaf: impl FnMut(Leaf<'_>) -> ControlFlow<()>,
    ) -> Visit {
        self.visit_near(center, radius, |found, radius| match leaf(found) {
            ControlFlow::Continue(()) => ControlFlow::Continue(radius),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        })
    }

    /// Writes the `k` primitives nearest to a point, within `max_distance`, to `found` as number
    /// and distance. The nearest is first; ties go to the lowest number.
    /// `distance(primitive, bound)` returns a primitive's distance, or `None` if it is above the
    /// bound. `found` is cleared first, and allocates only to grow.
    pub fn k_nearest(
        &self,
        point: DVec3,
        k: usize,
        max_distance: f64,
        found: &mut Vec<(u32, f64)>,
        mut distance: impl FnMut(u32, f64) -> Option<f64>,
    ) -> Counters {
        found.clear();
        if k == 0 {
            return Counters::default();
        }
        let visit = self.visit_near(point, max_distance, |leaf, mut bound| {
            for &primitive in leaf.primitives {
                let Some(d) = distance(primitive, bound) else { continue };
                if !(d <= bound) {
                    continue;
                }
                let index =
                    found.partition_point(|&(number, near)| near < d || (near == d && number < primitive));
                if k <= index {
                    continue;
                }
                if found.len() == k {
                    found.pop();
                }
                found.insert(index, (primitive, d));
                if let Some(&(_, last)) = found.get(k - 1) {
                    bound = last;
                }
            }
            ControlFlow::Continue(bound)
        });
        visit.counters
    }
}

impl PairSearch {
    /// Calls `pair` for the candidates of a clearance check, roughly the nearest first. They are
    /// pairs of a primitive of `a` and one of `b`, in leaves that may be within `max_distance`.
    /// `b_in_a` is the pose of `b` in the frame of `a`. `pair` may stop the search. If no
    /// candidate is closer than `max_distance`, no pair of primitives is.
    pub fn visit_closer_pairs<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        mut pair: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Visit {
        self.visit_near_leaf_pairs(a, b, b_in_a, max_distance, |leaf_a, leaf_b, within| {
            for &primitive_a in leaf_a.primitives {
                for &primitive_b in leaf_b.primitives {
                    if pair(primitive_a, primitive_b).is_break() {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(within)
        })
    }
}

/// The memory of frustum culling: for each child of a tree, the plane that rejected it last. If
/// one is kept for each tree and view, culling does not allocate. The result does not depend on
/// it.
#[derive(Clone, Debug, Default)]
pub struct FrustumSearch {
    last: Vec<LastPlane>,
}

/// Marks an entry of the stack whose whole subtree is inside the frustum.
const INSIDE: u32 = LEAF;

impl FrustumSearch {
    /// Calls `leaf` once for each leaf whose volume may be in the frustum, with whether it is
    /// surely inside. `leaf` may stop the visit. The frustum is in the tree's frame.
    pub fn visit<V: TreeVolume, N: WideNode<V::Volumes8>>(
        &mut self,
        tree: &Bvh<V, N>,
        frustum: &Frustum,
        mut leaf: impl FnMut(Leaf<'_>, bool) -> ControlFlow<()>,
    ) -> Visit {
        self.last.resize(8 * tree.nodes.len(), LastPlane::default());
        let mut counters = Counters::default();
        let mut stack = Stack::<u32, 64>::new(0);
        if !tree.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(entry) = stack.pop() {
            let (number, is_inside) = ((entry & !INSIDE) as usize, entry & INSIDE != 0);
            let Some(node) = tree.nodes.get(number) else { continue };
            counters.nodes += 1;
            for lane in 0..node.n_children() as usize & 15 {
                let mut culling = Culling::Inside;
                if !is_inside && let Some(last) = self.last.get_mut(number * 8 + lane) {
                    counters.volume_tests += 1;
                    culling = frustum.classify(&node.volume(lane).to_aabb(), last);
                }
                if culling == Culling::Outside {
                    continue;
                }
                let (child, is_inside) = (node.child(lane), culling == Culling::Inside);
                if child & LEAF == 0 {
                    stack.push(if is_inside { child | INSIDE } else { child });
                    continue;
                }
                let found = tree.leaf(child & !LEAF);
                counters.count_leaf(&found);
                if leaf(found, is_inside).is_break() {
                    return Visit { stopped: true, counters };
                }
            }
        }
        Visit { stopped: false, counters }
    }
}
