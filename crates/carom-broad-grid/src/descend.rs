//! Box, ray and point queries on the kept cells, from the top level down.
//!
//! A cell is entered if the query meets the bounds that its boxes, and those of its descendants,
//! may fill. Near cells come first. The exact box decides the result, as in every other structure.
//!
//! Reference: T. Ulrich, Loose Octrees, Game Programming Gems, 2000 (queries by loose bounds).

use crate::nodes::{Node, REACH};
use crate::sparse::{Placement, SparseGrid};
use carom_bounds::{Aabb, BoundingVolume, Culling};
use carom_broad::{
    BoxHit, FinderIndex, ProxyTable, point_box_distance, ray_box_entry, scan_box, scan_culled, scan_near,
    scan_ray,
};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

/// Stack of nodes. Up to seven wait on each level; very deep worlds spill to the heap.
type Stack<T> = SmallVec<[T; 128]>;

type Visit<'a> = &'a mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>;

impl<P: Placement> SparseGrid<P> {
    /// Returns the bounds that the boxes at home in a node, and in its descendants, may fill. A
    /// box in several cells is at home in that of its least corner. Along an axis that is left
    /// out, these are the bounds of all boxes.
    fn bounds(&self, node: &Node) -> Aabb {
        let (corner, side) = node.key.corner();
        let (below, above) = if P::IS_LOOSE { (REACH, 1.0 + REACH) } else { (0.0, 2.0) };
        let corner = DVec3::from_array(corner);
        let mut bounds = Aabb::around(corner - below * side, corner + above * side);
        if let Some((axis, (low, high))) = self.height() {
            (bounds.min[axis], bounds.max[axis]) = (low, high);
        }
        bounds
    }

    /// Calls `visit` with the depth of every node below the top, and its bounds.
    pub(crate) fn visit_nodes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let mut nodes: Stack<(usize, u32)> = self.nodes.roots.iter().map(|&root| (0, root)).collect();
        while let Some((depth, number)) = nodes.pop() {
            let node = &self.nodes.nodes[number as usize];
            visit(depth, &self.bounds(node));
            nodes.extend(self.nodes.children(node).map(|child| (depth + 1, child)));
        }
    }

    /// Returns the members that are at home in a node.
    fn residents(&self, node: &Node) -> impl Iterator<Item = u32> {
        self.nodes.members(node).filter(|&slot| P::IS_LOOSE || self.spans[slot as usize].first == node.key)
    }

    /// Returns the slots that wait for a cell.
    fn unsettled(&self) -> impl Iterator<Item = u32> {
        // A slot may be listed twice, so `spans` decides, not the list.
        let n = if self.pending.is_empty() { 0 } else { self.spans.len() as u32 };
        (0..n).filter(|&slot| self.spans[slot as usize].is_waiting())
    }

    /// Descends into nodes with a distance `reaches` within the end, nearest first; `open` returns
    /// the new end.
    fn descend(
        &self,
        mut end: f32,
        reaches: impl Fn(&Aabb, f32) -> Option<f32>,
        mut open: impl FnMut(&Node, f32) -> ControlFlow<(), f32>,
    ) -> ControlFlow<(), f32> {
        let mut stack: Stack<(f32, u32)> = SmallVec::new();
        let push = |stack: &mut Stack<(f32, u32)>, children: &mut dyn Iterator<Item = u32>, end: f32| {
            let first = stack.len();
            for child in children {
                if let Some(at) = reaches(&self.bounds(&self.nodes.nodes[child as usize]), end) {
                    stack.push((at, child));
                }
            }
            // The nearest ends on top of the stack.
            stack[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        };
        push(&mut stack, &mut self.nodes.roots.iter().copied(), end);
        while let Some((at, number)) = stack.pop() {
            if end < at {
                continue;
            }
            let node = &self.nodes.nodes[number as usize];
            end = open(node, end)?;
            push(&mut stack, &mut self.nodes.children(node), end);
        }
        ControlFlow::Continue(end)
    }
}

impl<P: Placement> FinderIndex for SparseGrid<P> {
    fn visit_box(&self, proxies: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let boxes = proxies.boxes();
        let flow = self.descend(
            0.0,
            |bounds, _| bounds.overlaps(query).then_some(0.0),
            |node, end| match scan_box(self.residents(node), boxes, query, visit) {
                ControlFlow::Continue(()) => ControlFlow::Continue(end),
                ControlFlow::Break(()) => ControlFlow::Break(()),
            },
        );
        if flow.is_continue() {
            let _ = scan_box(self.unsettled(), boxes, query, visit);
        }
    }

    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let boxes = proxies.boxes();
        let mut stack: Stack<(u32, bool)> = self.nodes.roots.iter().map(|&root| (root, false)).collect();
        while let Some((number, is_inside)) = stack.pop() {
            let mut node = &self.nodes.nodes[number as usize];
            // A cell with nothing but one child gives no more information than the child.
            while let (0, Some(child)) = (node.n, self.nodes.only_child(node)) {
                node = &self.nodes.nodes[child as usize];
            }
            let culling = if is_inside { Culling::Inside } else { classify(&self.bounds(node)) };
            let flow = match culling {
                Culling::Outside => continue,
                Culling::Inside => self.residents(node).try_for_each(&mut *visit),
                Culling::Intersecting => scan_culled(self.residents(node), boxes, classify, visit),
            };
            if flow.is_break() {
                return;
            }
            stack.extend(self.nodes.children(node).map(|child| (child, culling == Culling::Inside)));
        }
        let _ = scan_culled(self.unsettled(), boxes, classify, visit);
    }

    fn visit_ray(&self, proxies: &ProxyTable, ray: &Ray, interval: Interval, visit: Visit<'_>) {
        let boxes = proxies.boxes();
        let until = |end: f32| Interval::new(interval.min, end);
        // A query that meets a box also meets all that contains the box: rounding is monotone.
        let flow = self.descend(
            interval.max,
            |bounds, end| ray_box_entry(ray, bounds, until(end)),
            |node, end| scan_ray(self.residents(node), boxes, ray, until(end), visit),
        );
        if let ControlFlow::Continue(end) = flow {
            let _ = scan_ray(self.unsettled(), boxes, ray, until(end), visit);
        }
    }

    fn visit_near(&self, proxies: &ProxyTable, point: Vec3, max_distance: f32, visit: Visit<'_>) {
        let boxes = proxies.boxes();
        if !point.is_finite() {
            return;
        }
        let flow = self.descend(
            max_distance,
            |bounds, end| Some(point_box_distance(point, bounds)).filter(|&at| at <= end),
            |node, end| scan_near(self.residents(node), boxes, point, end, visit),
        );
        if let ControlFlow::Continue(end) = flow {
            let _ = scan_near(self.unsettled(), boxes, point, end, visit);
        }
    }
}
