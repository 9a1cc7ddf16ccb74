//! Box, ray and point queries on the tree.
//!
//! The boxes of a node are tested eight at once and conservatively. The exact box of each slot
//! decides the result, as in every other structure.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.7 (slabs), 25.1.3; N.
//! Roussopoulos et al., Nearest Neighbor Queries, 1995 (branch and bound, near children first).

use crate::tree::{Block, NO_SLOT, Tree, WIDTH, next_lane};
use carom_bounds::{Aabb, BoundingVolume, Culling};
use carom_broad::{BoxHit, point_box_distance, ray_box_entry};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// Room for all siblings on the path: 8 blocks on each of at most 11 levels.
const STACK: usize = 96;

/// Relative widening of f32 results: a difference, a quotient, a product, a square, each with a
/// rounding of 6e-8.
const WIDEN: f32 = 1e-6;

/// A block to visit: its begin along the query, its level and number.
#[derive(Clone, Copy)]
struct Entry {
    at: f32,
    level: u32,
    block: u32,
}

/// Visits the slots with boxes that touch the query.
pub(crate) fn visit_box(
    tree: &Tree,
    boxes: &[Aabb],
    query: &Aabb,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    dispatch(BoxVisit { tree, boxes, query, visit })
}

/// Visits the slots with boxes that `classify` does not call outside.
pub(crate) fn visit_culled(
    tree: &Tree,
    boxes: &[Aabb],
    classify: &mut dyn FnMut(&Aabb) -> Culling,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(top) = tree.levels.len().checked_sub(1) else { return ControlFlow::Continue(()) };
    let mut stack = [(0, 0, false); STACK];
    stack[0] = (top, 0, false);
    let mut n = 1;
    while 0 < n {
        n -= 1;
        let (level, number, is_inside) = stack[n];
        let block = &tree.levels[level][number];
        for lane in 0..WIDTH {
            let slot = if level == 0 { tree.slots[number][lane] } else { NO_SLOT };
            let aabb = match boxes.get(slot as usize) {
                Some(aabb) => *aabb,
                None => block.get(lane),
            };
            if aabb.max.x < aabb.min.x {
                continue;
            }
            let culling = if is_inside { Culling::Inside } else { classify(&aabb) };
            if culling == Culling::Outside {
                continue;
            }
            if level == 0 {
                visit(slot)?;
            } else {
                stack[n] = (level - 1, number * WIDTH + lane, culling == Culling::Inside);
                n += 1;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Visits the slots with boxes that the ray meets, and returns the end of the interval.
pub(crate) fn visit_ray(
    tree: &Tree,
    boxes: &[Aabb],
    ray: &Ray,
    interval: Interval,
    visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
) -> ControlFlow<(), f32> {
    if !(ray.origin.is_finite() && ray.direction.is_finite()) {
        return ControlFlow::Continue(interval.max);
    }
    dispatch(OrderedVisit {
        tree,
        boxes,
        range: RayRange::new(ray, interval.min),
        end: interval.max,
        exact: |aabb: &Aabb, end: f32| ray_box_entry(ray, aabb, Interval::new(interval.min, end)),
        visit,
    })
}

/// Visits the slots with boxes near the point, and returns the largest distance that still counts.
pub(crate) fn visit_near(
    tree: &Tree,
    boxes: &[Aabb],
    point: Vec3,
    max_distance: f32,
    visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
) -> ControlFlow<(), f32> {
    if !point.is_finite() {
        return ControlFlow::Continue(max_distance);
    }
    dispatch(OrderedVisit {
        tree,
        boxes,
        range: PointRange { point },
        end: max_distance,
        exact: |aabb: &Aabb, end: f32| Some(point_box_distance(point, aabb)).filter(|&at| at <= end),
        visit,
    })
}

struct BoxVisit<'a> {
    tree: &'a Tree,
    boxes: &'a [Aabb],
    query: &'a Aabb,
    visit: &'a mut dyn FnMut(u32) -> ControlFlow<()>,
}

impl Kernel for BoxVisit<'_> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<()> {
        let tree = self.tree;
        let mut stack = [(0u32, 0u32); STACK];
        let mut n = 0;
        if !tree.levels.is_empty() {
            stack[0].0 = tree.levels.len() as u32 - 1;
            n = 1;
        }
        while 0 < n {
            n -= 1;
            let (level, block) = stack[n];
            let mut bits = tree.levels[level as usize][block as usize].touching(simd, self.query).bits();
            while bits != 0 {
                let lane = next_lane(&mut bits);
                if 0 < level {
                    stack[n] = (level - 1, block * WIDTH as u32 + lane as u32);
                    n += 1;
                } else {
                    let slot = tree.slots[block as usize][lane];
                    if self.boxes[slot as usize].overlaps(self.query) {
                        (self.visit)(slot)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Gives lower bounds of the begins of eight boxes along a query, and the mask of those that begin
/// before the end.
pub(crate) trait Range {
    fn begins<S: Simd>(&self, simd: S, block: &Block, end: f32) -> (S::F32x8, S::Mask8);
}

/// Visits near blocks first, and skips blocks that begin after the end.
struct OrderedVisit<'a, R, E> {
    tree: &'a Tree,
    boxes: &'a [Aabb],
    range: R,
    end: f32,
    exact: E,
    visit: &'a mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
}

impl<R: Range, E: Fn(&Aabb, f32) -> Option<f32>> Kernel for OrderedVisit<'_, R, E> {
    type Output = ControlFlow<(), f32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<(), f32> {
        let OrderedVisit { tree, boxes, range, mut end, exact, visit } = self;
        let mut stack = [Entry { at: f32::NEG_INFINITY, level: 0, block: 0 }; STACK];
        let mut n = 0;
        if !tree.levels.is_empty() {
            stack[0].level = tree.levels.len() as u32 - 1;
            n = 1;
        }
        while 0 < n {
            n -= 1;
            let Entry { at, level, block } = stack[n];
            if end < at {
                continue;
            }
            let (begins, mask) = range.begins(simd, &tree.levels[level as usize][block as usize], end);
            let begins = begins.to_array();
            let mut bits = mask.bits();
            if level == 0 {
                while bits != 0 {
                    let slot = tree.slots[block as usize][next_lane(&mut bits)];
                    if slot == NO_SLOT {
                        continue;
                    }
                    if let Some(at) = exact(&boxes[slot as usize], end) {
                        end = visit(BoxHit { index: slot, at })?;
                    }
                }
                continue;
            }
            let first = n;
            while bits != 0 {
                let lane = next_lane(&mut bits);
                let entry =
                    Entry { at: begins[lane], level: level - 1, block: block * WIDTH as u32 + lane as u32 };
                // The nearest ends on top of the stack.
                let mut index = n;
                while first < index && stack[index - 1].at < entry.at {
                    stack[index] = stack[index - 1];
                    index -= 1;
                }
                stack[index] = entry;
                n += 1;
            }
        }
        ControlFlow::Continue(end)
    }
}

/// Slabs in f32.
pub(crate) struct RayRange {
    origin: Vec3,
    direction: Vec3,
    inverse: Vec3,
    start: f32,
    /// Whether the inverse direction is accurate.
    is_usual: bool,
}

impl RayRange {
    pub(crate) fn new(ray: &Ray, start: f32) -> RayRange {
        // Beyond this the reciprocal or its products overflow or underflow.
        let is_usual =
            ray.direction.to_array().iter().all(|d| *d == 0.0 || (1e-37..=1e37).contains(&d.abs()));
        RayRange {
            origin: ray.origin,
            direction: ray.direction,
            inverse: ray.direction.recip(),
            start,
            is_usual,
        }
    }
}

impl Range for RayRange {
    #[inline(always)]
    fn begins<S: Simd>(&self, simd: S, block: &Block, end: f32) -> (S::F32x8, S::Mask8) {
        let splat = |x: f32| S::F32x8::splat(simd, x);
        let mut near = splat(f32::NEG_INFINITY);
        let min_x = S::F32x8::load(simd, &block.min[0]);
        let mut mask = min_x.le(S::F32x8::load(simd, &block.max[0]));
        if !self.is_usual {
            // The direction is too long or short for f32: every box may be met.
            return (near, mask);
        }
        let mut far = splat(f32::INFINITY);
        let (widen, least, limit) = (splat(WIDEN), splat(f32::MIN_POSITIVE), splat(f32::MAX));
        for axis in 0..3 {
            let min = S::F32x8::load(simd, &block.min[axis]);
            let max = S::F32x8::load(simd, &block.max[axis]);
            let origin = splat(self.origin[axis]);
            if self.direction[axis] == 0.0 {
                // Parallel to the slab: inside it or outside.
                mask = mask & min.le(origin) & origin.le(max);
                continue;
            }
            let inverse = splat(self.inverse[axis]);
            let (t0, t1) = ((min - origin) * inverse, (max - origin) * inverse);
            // Avoids infinity less infinity, which would be NaN.
            let low = t0.min(t1).min(limit).max(-limit);
            let high = t0.max(t1).min(limit).max(-limit);
            near = near.max(low - (low.abs() * widen + least));
            far = far.min(high + (high.abs() * widen + least));
        }
        (near, mask & near.le(far) & near.le(splat(end)) & splat(self.start).le(far))
    }
}

/// Distances from a point, in f32.
pub(crate) struct PointRange {
    pub(crate) point: Vec3,
}

impl Range for PointRange {
    #[inline(always)]
    fn begins<S: Simd>(&self, simd: S, block: &Block, end: f32) -> (S::F32x8, S::Mask8) {
        let splat = |x: f32| S::F32x8::splat(simd, x);
        let zero = splat(0.0);
        let (mut sum, mut widest) = (zero, zero);
        for axis in 0..3 {
            let point = splat(self.point[axis]);
            let below = S::F32x8::load(simd, &block.min[axis]) - point;
            let above = point - S::F32x8::load(simd, &block.max[axis]);
            let gap = below.max(above).max(zero);
            sum = sum + gap * gap;
            widest = widest.max(gap);
        }
        // The empty box is infinitely far. Squares may underflow below the least normal number, so
        // the bound allows for that.
        let is_there = S::F32x8::load(simd, &block.min[0]).le(S::F32x8::load(simd, &block.max[0]));
        let distance = (sum * splat(1.0 - WIDEN) - splat(f32::MIN_POSITIVE)).max(zero).sqrt();
        // If squares overflow, the widest gap is a valid lower bound.
        let distance = S::F32x8::select(sum.le(splat(f32::MAX)), distance, widest) * splat(1.0 - WIDEN);
        (distance, is_there & distance.le(splat(end)))
    }
}
