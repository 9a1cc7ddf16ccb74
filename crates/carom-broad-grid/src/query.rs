//! Box, ray and point queries on the grids.
//!
//! A grid is a stack of layers, a layer a set of rows, a row a run of cells. A query visits the
//! layers in its range, their rows, and the run of each row, so that every box is tested once. The
//! exact box decides the result, as in every other structure.
//!
//! Reference: J. Amanatides and A. Woo, A Fast Voxel Traversal Algorithm for Ray Tracing, 1987; C.
//! Ericson, Real-Time Collision Detection, 2005, 7.1 and 7.4.2.
//! Differs: by layers and rows instead of cells, since a box may reach out of its cell.

use crate::dense::{DenseGrid, Layout};
use crate::level::Level;
use crate::packed::WIDTH;
use carom_bounds::{Aabb, BoundingVolume, Culling};
use carom_broad::{BoxHit, FinderIndex, ProxyTable, point_box_distance, ray_box_entry};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use carom_math::{Interval, Ray, rounding};
use core::ops::ControlFlow;
use glam::Vec3;

type Visit<'a> = &'a mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>;

impl<L: Layout> FinderIndex for DenseGrid<L> {
    fn visit_box(&self, proxies: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let boxes = proxies.boxes();
        let _ = self.levels().try_for_each(|level| level.visit_box(boxes, |_| true, query, visit));
    }

    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let boxes = proxies.boxes();
        let _ = self.levels().try_for_each(|level| level.visit_culled(boxes, |_| true, classify, visit));
    }

    fn visit_ray(&self, proxies: &ProxyTable, ray: &Ray, mut interval: Interval, visit: Visit<'_>) {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return;
        }
        for level in self.levels() {
            match level.visit_ray(proxies.boxes(), |_| true, ray, interval, visit) {
                ControlFlow::Continue(end) => interval.max = end,
                ControlFlow::Break(()) => return,
            }
        }
    }

    fn visit_near(&self, proxies: &ProxyTable, point: Vec3, mut max_distance: f32, visit: Visit<'_>) {
        if !point.is_finite() {
            return;
        }
        for level in self.levels() {
            match level.visit_near(proxies.boxes(), |_| true, point, max_distance, visit) {
                ControlFlow::Continue(end) => max_distance = end,
                ControlFlow::Break(()) => return,
            }
        }
    }
}

impl Level {
    /// Returns the slots between these indices; none for NaN, because such runs are reversed.
    pub(crate) fn slots_between(&self, begin: u32, end: u32) -> &[u32] {
        self.packed.slots.get(begin as usize..end as usize).unwrap_or(&[])
    }

    /// Visits each slot that `counts` accepts and whose box touches the query. `boxes` holds the
    /// box of each slot, which lies within its box in the grid.
    pub(crate) fn visit_box(
        &self,
        boxes: &[Aabb],
        counts: impl Fn(u32) -> bool,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        dispatch(BoxVisit { level: self, boxes, counts, query, visit })
    }

    /// Like [`Level::visit_box`], for boxes that the ray meets; returns the end of the interval.
    pub(crate) fn visit_ray(
        &self,
        boxes: &[Aabb],
        counts: impl Fn(u32) -> bool,
        ray: &Ray,
        mut interval: Interval,
        visit: Visit<'_>,
    ) -> ControlFlow<(), f32> {
        let [x, y, z] = self.cells.axes;
        let strides = self.cells.strides();
        let path = |interval: Interval| Path::new(ray, interval);
        let Some(range) = path(interval).cells(self, z) else { return ControlFlow::Continue(interval.max) };
        // Cells are visited in the direction of the ray, so that the interval shrinks early.
        for z_cell in Walk::new(range, ray.direction[z]) {
            let Some(in_layer) = path(interval).within(self, z, z_cell) else { continue };
            let Some(range) = in_layer.cells(self, y) else { continue };
            for y_cell in Walk::new(range, ray.direction[y]) {
                // The interval may have shrunk since.
                let Some(in_layer) = path(interval).within(self, z, z_cell) else { break };
                let Some(in_row) = in_layer.within(self, y, y_cell) else { continue };
                let Some((first, last)) = in_row.cells(self, x) else { continue };
                let row = z_cell * strides[z] + y_cell * strides[y];
                let (begin, end) = self.run(row + first, row + last);
                for &slot in self.slots_between(begin, end).iter().filter(|&&slot| counts(slot)) {
                    if let Some(at) = ray_box_entry(ray, &boxes[slot as usize], interval) {
                        interval.max = visit(BoxHit { index: slot, at })?;
                    }
                }
            }
        }
        ControlFlow::Continue(interval.max)
    }

    /// Like [`Level::visit_box`], for boxes near the point; returns the largest distance that
    /// still counts.
    pub(crate) fn visit_near(
        &self,
        boxes: &[Aabb],
        counts: impl Fn(u32) -> bool,
        point: Vec3,
        mut max_distance: f32,
        visit: Visit<'_>,
    ) -> ControlFlow<(), f32> {
        let [x, y, z] = self.cells.axes;
        let strides = self.cells.strides();
        let center = [0, 1, 2].map(|axis| self.cells.cell(axis, point[axis]));
        // Rows are visited in rings around the row of the point, so that the distance shrinks
        // early.
        let mut ring = 0;
        loop {
            let reached = |axis: usize, distance: f32| {
                // The distance of a box is rounded down by a few units, so the search goes that
                // much farther.
                let far = distance * 1.000_01;
                let (low, high) = (point[axis] - far, point[axis] + far);
                let slack = point[axis].abs() * 2.5e-7; // rounding of the two
                self.cells.range(axis, low - slack, high + slack)
            };
            let ((y0, y1), (z0, z1)) = (reached(y, max_distance), reached(z, max_distance));
            let outermost = |(first, last): (u32, u32), axis: usize| {
                center[axis].saturating_sub(first).max(last.saturating_sub(center[axis]))
            };
            if outermost((y0, y1), y).max(outermost((z0, z1), z)) < ring {
                return ControlFlow::Continue(max_distance);
            }
            for z_cell in center[z].saturating_sub(ring).max(z0)..=center[z].saturating_add(ring).min(z1) {
                let is_whole = z_cell.abs_diff(center[z]) == ring;
                // The first and last layer of the ring have all their rows, the others only the
                // outermost two.
                let (first, last) = (center[y].checked_sub(ring), center[y].saturating_add(ring));
                let whole = first.unwrap_or(0)..=last;
                let ends = [first, Some(last).filter(|_| 0 < ring)];
                let rows = whole
                    .take_while(|&row| is_whole && row <= y1)
                    .chain(ends.into_iter().flatten().filter(|_| !is_whole));
                for y_cell in rows.filter(|row| y0 <= *row && *row <= y1) {
                    let (first, last) = reached(x, max_distance);
                    let row = z_cell * strides[z] + y_cell * strides[y];
                    let (begin, end) = self.run(row + first, row + last);
                    for &slot in self.slots_between(begin, end).iter().filter(|&&slot| counts(slot)) {
                        let at = point_box_distance(point, &boxes[slot as usize]);
                        if at <= max_distance {
                            max_distance = visit(BoxHit { index: slot, at })?;
                        }
                    }
                }
            }
            ring += 1;
        }
    }
}

/// Implements [`Level::visit_box`]; a run is tested eight boxes at once.
struct BoxVisit<'a, C> {
    level: &'a Level,
    boxes: &'a [Aabb],
    counts: C,
    query: &'a Aabb,
    visit: &'a mut dyn FnMut(u32) -> ControlFlow<()>,
}

impl<C: Fn(u32) -> bool> Kernel for BoxVisit<'_, C> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ControlFlow<()> {
        let BoxVisit { level, boxes, counts, query, visit } = self;
        let splat = |x: f32| S::F32x8::splat(simd, x);
        let min = [splat(query.min.x), splat(query.min.y), splat(query.min.z)];
        let max = [splat(query.max.x), splat(query.max.y), splat(query.max.z)];
        let [x, y, z] = level.cells.axes;
        let strides = level.cells.strides();
        let (x0, x1) = level.cells.range(x, query.min[x], query.max[x]);
        let (y0, y1) = level.cells.range(y, query.min[y], query.max[y]);
        let (z0, z1) = level.cells.range(z, query.min[z], query.max[z]);
        let slots = level.packed.slots.as_chunks::<WIDTH>().0;
        for z_cell in z0..=z1 {
            for y_cell in y0..=y1 {
                let row = z_cell * strides[z] + y_cell * strides[y];
                // A query with NaN has a reversed run, which is empty.
                let (begin, end) = level.run(row + x0, row + x1);
                let (mut at, end) = (begin as usize, end as usize);
                while at < end {
                    let (number, before) = (at / WIDTH, at % WIDTH);
                    let behind = (end - number * WIDTH).min(WIDTH);
                    let meant = (u32::MAX << before) & !(u32::MAX << behind);
                    let mut bits = level.packed.blocks[number].touching(simd, min, max) & meant;
                    while bits != 0 {
                        let slot = slots[number][bits.trailing_zeros() as usize % WIDTH];
                        bits &= bits - 1;
                        if counts(slot) && boxes[slot as usize].overlaps(query) {
                            visit(slot)?;
                        }
                    }
                    at = (number + 1) * WIDTH;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Iterates over the cells of a range, from the last if the direction is negative.
struct Walk {
    first: u32,
    last: u32,
    is_down: bool,
    left: u32,
}

impl Walk {
    fn new((first, last): (u32, u32), direction: f32) -> Walk {
        Walk { first, last, is_down: direction < 0.0, left: last - first + 1 }
    }
}

impl Iterator for Walk {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        Some(if self.is_down { self.first + self.left } else { self.last - self.left })
    }
}

/// A part of a ray, in f64 and rounded outwards.
#[derive(Clone, Copy)]
struct Path<'a> {
    ray: &'a Ray,
    start: f64,
    end: f64,
}

/// Relative widening of f64 results from f32 input; far more than any rounding, far less than a
/// cell.
const WIDEN: f64 = 1e-6;

impl<'a> Path<'a> {
    fn new(ray: &'a Ray, interval: Interval) -> Path<'a> {
        let widened = |t: f32, by: f64| {
            if t.is_finite() { f64::from(t) + f64::from(t.abs()) * by } else { f64::from(t) }
        };
        // The entry into a box is rounded down: above `f32::MAX` it becomes `f32::MAX`, below
        // `f32::MIN` it becomes minus infinity.
        let last = match interval.max {
            f32::NEG_INFINITY => f32::MIN,
            f32::MAX => f32::INFINITY,
            max => max,
        };
        // A hit one unit of f32 after the end still counts. The least normal number covers an end
        // of 0.
        let end = widened(last, WIDEN) + f64::from(f32::MIN_POSITIVE);
        Path { ray, start: widened(interval.min, -WIDEN), end }
    }

    /// Returns the extent of the path on this axis, limited to the range of f32; `None` for an
    /// empty path.
    fn span(&self, axis: usize) -> Option<(f64, f64)> {
        if !(self.start <= self.end) {
            return None;
        }
        let (origin, direction) = (f64::from(self.ray.origin[axis]), f64::from(self.ray.direction[axis]));
        if direction == 0.0 {
            return Some((origin, origin));
        }
        let (a, b) = (origin + direction * self.start, origin + direction * self.end);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let slack = |x: f64| (origin.abs() + x.abs()) * WIDEN;
        // Infinity minus infinity is NaN, which the comparisons below treat as no limit.
        let (low, high) = (low - slack(low), high + slack(high));
        let limit = f64::from(f32::MAX);
        Some((if -limit < low { low } else { -limit }, if high < limit { high } else { limit }))
    }

    /// Returns the cells of the least corners of boxes that the path may meet.
    fn cells(&self, level: &Level, axis: usize) -> Option<(u32, u32)> {
        let (low, high) = self.span(axis)?;
        Some(level.cells.range(axis, rounding::down(low), rounding::up(high)))
    }

    /// Returns the part of the path that may meet boxes with their least corner in this cell.
    fn within(&self, level: &Level, axis: usize, cell: u32) -> Option<Path<'a>> {
        let cells = &level.cells;
        let side = 1.0 / f64::from(cells.inverse[axis]);
        let edge = |cell: u32| f64::from(cells.low[axis]) + f64::from(cell) * side;
        let far = f64::from(cells.low[axis]).abs() + f64::from(cells.dims[axis]) * side;
        let reach = f64::from(cells.reach[axis]) * (1.0 + WIDEN);
        // Coordinates clamped into the border cells may be anywhere beyond.
        let low = if cell == 0 { f64::NEG_INFINITY } else { edge(cell) - far * WIDEN };
        let high =
            if cell + 1 == cells.dims[axis] { f64::INFINITY } else { edge(cell + 1) + reach + far * WIDEN };
        let (origin, direction) = (f64::from(self.ray.origin[axis]), f64::from(self.ray.direction[axis]));
        if direction == 0.0 {
            return (low <= origin && origin <= high).then_some(*self);
        }
        let (a, b) = ((low - origin) / direction, (high - origin) / direction);
        let (near, far) = if a < b { (a, b) } else { (b, a) };
        let slack = |t: f64| (t.abs() + origin.abs() / direction.abs()) * WIDEN;
        let start = if near.is_finite() { self.start.max(near - slack(near)) } else { self.start };
        let end = if far.is_finite() { self.end.min(far + slack(far)) } else { self.end };
        (start <= end).then_some(Path { ray: self.ray, start, end })
    }
}
