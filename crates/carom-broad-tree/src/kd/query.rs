//! Box, ray and point queries on the kd-tree. They descend into subtrees with bounds that the
//! query meets, nearest first.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.7, 25.1.3; N. Roussopoulos
//! et al., Nearest Neighbor Queries, 1995.

use super::PlaneTree;
use super::planes::MAX_DEPTH;
use crate::query::{PointRange, Range, RayRange};
use crate::tree::{NO_SLOT, next_lane};
use carom_bounds::{Aabb, BoundingVolume, Culling};
use carom_broad::{BoxHit, FinderIndex, ProxyTable, point_box_distance, ray_box_entry, scan_culled};
use carom_lanes::{Kernel, MaskLanes, Simd, dispatch};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

impl FinderIndex for PlaneTree {
    fn visit_box(&self, _: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let _ = dispatch(BoxWalk { tree: self, query, visit });
    }

    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let _ = self.walk_culled(proxies.boxes(), classify, visit);
    }

    fn visit_ray(
        &self,
        proxies: &ProxyTable,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let exact = |aabb: &Aabb, end: f32| ray_box_entry(ray, aabb, Interval::new(interval.min, end));
        let (range, boxes) = (RayRange::new(ray, interval.min), proxies.boxes());
        let _ = dispatch(NearFirst { tree: self, boxes, range, end: interval.max, exact, visit });
    }

    fn visit_near(
        &self,
        proxies: &ProxyTable,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        if !point.is_finite() {
            return;
        }
        let exact = |aabb: &Aabb, end: f32| Some(point_box_distance(point, aabb)).filter(|&at| at <= end);
        let (range, boxes) = (PointRange { point }, proxies.boxes());
        let _ = dispatch(NearFirst { tree: self, boxes, range, end: max_distance, exact, visit });
    }
}

impl PlaneTree {
    fn walk_culled(
        &self,
        boxes: &[Aabb],
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let PlaneTree { planes, .. } = self;
        let mut stack = Stack::new(planes.sequence.first().copied());
        while let Some(number) = stack.pop() {
            let node = &planes.nodes[number as usize];
            if node.population == 0 {
                continue;
            }
            let begin = node.begin as usize;
            match classify(&node.filled) {
                Culling::Outside => {}
                Culling::Inside => {
                    let all = &planes.order[begin..begin + node.population as usize];
                    all.iter().try_for_each(|&slot| visit(slot))?;
                }
                Culling::Intersecting => {
                    let own = planes.order[begin..begin + node.n as usize].iter().copied();
                    scan_culled(own, boxes, classify, visit)?;
                    if !node.is_leaf() {
                        node.children.into_iter().for_each(|child| stack.push(child));
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Stack of nodes: at most one per level, and one more.
struct Stack<T> {
    entries: [Option<T>; MAX_DEPTH as usize + 2],
    n: usize,
}

impl<T: Copy> Stack<T> {
    #[inline(always)]
    fn new(first: Option<T>) -> Stack<T> {
        let mut entries = [None; MAX_DEPTH as usize + 2];
        entries[0] = first;
        Stack { entries, n: 1 }
    }

    #[inline(always)]
    fn push(&mut self, entry: T) {
        self.entries[self.n] = Some(entry);
        self.n += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.n = self.n.checked_sub(1)?;
        self.entries[self.n]
    }
}

struct BoxWalk<'a> {
    tree: &'a PlaneTree,
    query: &'a Aabb,
    visit: &'a mut dyn FnMut(u32) -> ControlFlow<()>,
}

impl Kernel for BoxWalk<'_> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<()> {
        let BoxWalk { tree: PlaneTree { planes, packed, .. }, query, visit } = self;
        let mut stack = Stack::new(planes.sequence.first().copied());
        while let Some(number) = stack.pop() {
            let node = &planes.nodes[number as usize];
            if node.population == 0 || !node.filled.overlaps(query) {
                continue;
            }
            for list in node.lists() {
                // Sorted along the axis: boxes before the first end before the query begins. Boxes
                // from a later one on begin after it.
                let (low, high) = (query.min[list.axis], query.max[list.axis]);
                let reaches = &packed.reaches[list.begin..list.end];
                let first = list.begin + reaches.partition_point(|&reach| reach < low);
                for block in first..list.end {
                    if high < packed.begins[block] {
                        break;
                    }
                    let mut bits = packed.blocks[block].touching(simd, query).bits();
                    while bits != 0 {
                        visit(packed.slots[block][next_lane(&mut bits)])?;
                    }
                }
            }
            if !node.is_leaf() {
                node.children.into_iter().for_each(|child| stack.push(child));
            }
        }
        ControlFlow::Continue(())
    }
}

/// `exact` gives the distance at which a box begins, if before the end. It also applies to the
/// bounds of a subtree.
struct NearFirst<'a, R, E> {
    tree: &'a PlaneTree,
    boxes: &'a [Aabb],
    range: R,
    end: f32,
    exact: E,
    visit: &'a mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
}

impl<R: Range, E: Fn(&Aabb, f32) -> Option<f32>> Kernel for NearFirst<'_, R, E> {
    type Output = ControlFlow<(), f32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<(), f32> {
        let NearFirst { tree: PlaneTree { planes, packed, .. }, boxes, range, mut end, exact, visit } = self;
        let begin = |number: u32, end: f32| {
            let node = &planes.nodes[number as usize];
            if node.population == 0 { None } else { exact(&node.filled, end).map(|at| (at, number)) }
        };
        let mut stack = Stack::new(planes.sequence.first().and_then(|&root| begin(root, end)));
        while let Some((at, number)) = stack.pop() {
            if end < at {
                continue;
            }
            let node = &planes.nodes[number as usize];
            for list in node.lists() {
                for block in list.begin..list.end {
                    let (_, mask) = range.begins(simd, &packed.blocks[block], end);
                    let mut bits = mask.bits();
                    while bits != 0 {
                        let slot = packed.slots[block][next_lane(&mut bits)];
                        if slot == NO_SLOT {
                            continue;
                        }
                        if let Some(at) = exact(&boxes[slot as usize], end) {
                            end = visit(BoxHit { index: slot, at })?;
                        }
                    }
                }
            }
            if !node.is_leaf() {
                let [left, right] = node.children.map(|child| begin(child, end));
                // The nearer child ends on top of the stack.
                let is_left_nearer = match (left, right) {
                    (Some(left), Some(right)) => left.0 <= right.0,
                    _ => true,
                };
                let (near, far) = if is_left_nearer { (left, right) } else { (right, left) };
                far.into_iter().chain(near).for_each(|entry| stack.push(entry));
            }
        }
        ControlFlow::Continue(end)
    }
}
