//! Visits the leaves near a point, near ones first, within a distance that may shrink on the way.
//!
//! Reference: N. Roussopoulos, S. Kelley, F. Vincent, Nearest Neighbor Queries, 1995 (depth-first
//! branch and bound, children in the order of their lower bounds).

use crate::counters::{Counters, Visit};
use crate::distance::square_up;
use crate::scale::{LARGEST_SCALE, UNIT, inverse_power_of_two, reach};
use crate::stack::{FarFirst, Stack};
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::volumes::Volumes8;
use crate::wide::WideNode;
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use core::borrow::Borrow as _;
use core::ops::ControlFlow;
use glam::DVec3;

struct Walk<'a, V: TreeVolume, N, F> {
    tree: &'a Bvh<V, N>,
    point: DVec3,
    max_distance: f64,
    leaf: F,
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Calls `leaf` for the leaves whose volume may be within `max_distance` of the point, near
    /// ones first. The point is in the tree's frame. `leaf` returns the new `max_distance`, or
    /// stops the search. Return the least distance for the closest primitive, that of the k-th for
    /// the k closest, or the old value for all. Leaves at exactly `max_distance` are still
    /// visited.
    ///
    /// Nothing is visited if the point is NaN or infinite, or if the distance is negative or NaN.
    pub fn visit_near(
        &self,
        point: DVec3,
        max_distance: f64,
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        if self.is_empty() || !point.is_finite() || !(0.0 <= max_distance) {
            return Visit::default();
        }
        dispatch(Walk { tree: self, point, max_distance, leaf })
    }

    /// Finds the primitive nearest to a point, and its distance. `distance(primitive, bound)`
    /// returns a primitive's distance, or `None` if it is not below the bound. Ties go to the
    /// lowest number.
    pub fn nearest(
        &self,
        point: DVec3,
        max_distance: f64,
        mut distance: impl FnMut(u32, f64) -> Option<f64>,
    ) -> (Option<(u32, f64)>, Counters) {
        let mut best: Option<(u32, f64)> = None;
        let visit = self.visit_near(point, max_distance, |leaf, mut bound| {
            for &primitive in leaf.primitives {
                // A slightly larger bound, so that ties are reported too.
                let Some(d) = distance(primitive, bound.next_up()) else { continue };
                let better =
                    best.is_none_or(|(number, least)| d < least || (d == least && primitive < number));
                if d <= bound && better {
                    best = Some((primitive, d));
                    bound = d;
                }
            }
            ControlFlow::Continue(bound)
        });
        (best, visit.counters)
    }
}

impl<V, N, F> Kernel for Walk<'_, V, N, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    F: FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let mut counters = Counters::default();
        // All volumes lie in the range of f32. A point beyond it is clamped, which does not
        // increase its distance.
        let range = DVec3::splat(f64::from(f32::MAX));
        let within = self.point.clamp(-range, range);
        let size = reach(&self.tree.bounds.to_aabb()) + within.abs().element_sum();
        let scale = inverse_power_of_two(size).min(LARGEST_SCALE);
        let point = within.as_vec3();
        // The rounding of the point in scaled lengths; 0 if it is a point of f32.
        let slack = if point.as_dvec3() == self.point { 0.0 } else { 2.0 * UNIT };
        let mut max_distance = self.max_distance;
        let mut limit = square_up(max_distance * scale);
        let mut stack = Stack::<(u32, f32), 64>::new((0, 0.0));
        stack.push((0, 0.0));
        while let Some((child, gap_sq)) = stack.pop() {
            if !(gap_sq <= limit) {
                continue;
            }
            if child & LEAF != 0 {
                let found = self.tree.leaf(child & !LEAF);
                counters.count_leaf(&found);
                match (self.leaf)(found, max_distance) {
                    ControlFlow::Break(()) => return Visit { stopped: true, counters },
                    ControlFlow::Continue(d) => {
                        if d < max_distance {
                            max_distance = d;
                            limit = square_up(d * scale);
                        }
                    }
                }
                continue;
            }
            let Some(node) = self.tree.nodes.get(child as usize) else { continue };
            let opened = node.opened(simd);
            let gaps = opened.borrow().gap_sq_point(simd, point, scale as f32, slack).to_array();
            node.count(&mut counters);
            let mut order = FarFirst::new();
            for lane in 0..node.n_children() as usize & 15 {
                if gaps[lane & 7] <= limit {
                    order.insert(node.child(lane), gaps[lane & 7]);
                }
            }
            order.push_onto(&mut stack);
        }
        Visit { stopped: false, counters }
    }
}
