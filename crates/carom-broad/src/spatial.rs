//! Spatial queries on a set of boxes: box, ray, point, frustum.
//!
//! Every structure tests the exact boxes, so a query has the same results in all of them. Only the
//! order of visits differs.
//!
//! Reference: T. L. Kay and J. T. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs).
//! Differs: slabs in f64, widened by their rounding error, so that no hit is missed.

use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume, Culling, Frustum, LastPlane};
use carom_math::{Interval, Ray, rounding};
use core::ops::ControlFlow;
use glam::Vec3;

/// A box that a ray meets, or that is near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxHit {
    /// The index of the proxy.
    pub index: u32,
    /// The parameter at which the ray enters, or the distance. It is a lower bound, less than the
    /// true value by a rounding only.
    pub at: f32,
}

/// A set of boxes with spatial queries.
///
/// A query with a NaN in it, or an infinite ray or point, meets nothing.
pub trait SpatialIndex {
    /// Calls `visit` once with the index of every box that touches `query`, in no particular
    /// order, until it breaks.
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>);

    /// Calls `visit` with every box that the ray meets within the interval, in no particular
    /// order. `visit` continues with the new upper end of the interval: the old end for all hits,
    /// the parameter of a hit for the closest. A box entered exactly at the end is still visited.
    fn visit_ray(&self, ray: &Ray, interval: Interval, visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>);

    /// Calls `visit` with every box that is at most `max_distance` from the point, in no
    /// particular order. `visit` continues with the new `max_distance`. A box at exactly that
    /// distance is still visited.
    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    );

    /// Calls `visit` once with the index of every box that `classify` does not call
    /// [`Culling::Outside`], in no particular order, until it breaks. If `classify` calls a box
    /// outside, it must call all boxes within it outside, and likewise for inside. So it may be
    /// called for the bounds of many boxes, instead of each box.
    fn visit_culled(
        &self,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    );

    /// Calls `visit` once with the index of every box that [`Frustum::classify`] does not call
    /// outside, in no particular order, until it breaks.
    fn visit_frustum(&self, frustum: &Frustum, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        // The result for a box holds for all boxes within it, even with rounding: rounding is
        // monotone, and the larger box has the larger tolerance. Consecutive boxes are near each
        // other, so the last plane is tested first.
        let mut last = LastPlane::default();
        self.visit_culled(&mut |aabb| frustum.classify(aabb, &mut last), visit);
    }

    /// Makes `out` the sorted indices of all boxes that may touch the frustum.
    fn in_frustum(&self, frustum: &Frustum, out: &mut Vec<u32>) {
        out.clear();
        self.visit_frustum(frustum, &mut |index| {
            out.push(index);
            ControlFlow::Continue(())
        });
        out.sort_unstable();
    }

    /// Makes `out` the sorted indices of all boxes that touch `query`.
    fn overlapping(&self, query: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        self.visit_box(query, &mut |index| {
            out.push(index);
            ControlFlow::Continue(())
        });
        out.sort_unstable();
    }

    /// Makes `out` all boxes that the ray meets within the interval, sorted by entry, then index.
    fn ray_hits(&self, ray: &Ray, interval: Interval, out: &mut Vec<BoxHit>) {
        out.clear();
        self.visit_ray(ray, interval, &mut |hit| {
            out.push(hit);
            ControlFlow::Continue(interval.max)
        });
        out.sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.index.cmp(&b.index)));
    }

    /// Returns the box that the ray meets first within the interval; ties go to the smallest
    /// index.
    fn first_hit(&self, ray: &Ray, interval: Interval) -> Option<BoxHit> {
        let mut best: Option<BoxHit> = None;
        self.visit_ray(ray, interval, &mut |hit| {
            keep_best(&mut best, hit);
            ControlFlow::Continue(best.map_or(interval.max, |b| b.at))
        });
        best
    }

    /// Returns the box nearest to the point and at most `max_distance` away; ties go to the
    /// smallest index.
    fn nearest(&self, point: Vec3, max_distance: f32) -> Option<BoxHit> {
        let mut best: Option<BoxHit> = None;
        self.visit_near(point, max_distance, &mut |hit| {
            keep_best(&mut best, hit);
            ControlFlow::Continue(best.map_or(max_distance, |b| b.at))
        });
        best
    }
}

/// Keeps the best hit; ties go to the smallest index.
fn keep_best(best: &mut Option<BoxHit>, hit: BoxHit) {
    if best.is_none_or(|b| hit.at < b.at || hit.at == b.at && hit.index < b.index) {
        *best = Some(hit);
    }
}

/// Returns the parameter at which the ray enters the box within the interval, rounded down, or
/// `None` if it surely misses.
///
/// A box missed by a few units in the last place of f64 may count as hit. A box entered less than
/// a unit in the last place of f32 after the end of the interval counts as hit, which keeps ties.
/// A direction of zero is a point. A ray with NaN or infinity misses everything.
#[inline]
pub fn ray_box_entry(ray: &Ray, aabb: &Aabb, interval: Interval) -> Option<f32> {
    // Three roundings, of a difference, a quotient and the widening itself.
    const WIDEN: f64 = 4.0 * f64::EPSILON;
    if !(ray.origin.is_finite() && ray.direction.is_finite()) {
        return None;
    }
    let (mut enter, mut leave) = (f64::from(interval.min), f64::INFINITY);
    for axis in 0..3 {
        let (origin, direction) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let (min, max) = (f64::from(aabb.min[axis]) - origin, f64::from(aabb.max[axis]) - origin);
        if direction == 0.0 {
            // Parallel to the slab: inside it or outside.
            if !(min <= 0.0 && 0.0 <= max) {
                return None;
            }
            continue;
        }
        let (t0, t1) = (min / direction, max / direction);
        let (near, far) = if t0 <= t1 { (t0, t1) } else { (t1, t0) };
        enter = enter.max(near - near.abs() * WIDEN);
        leave = leave.min(far + far.abs() * WIDEN);
    }
    let entry = rounding::down(enter);
    (enter <= leave && entry <= interval.max && interval.min <= interval.max).then_some(entry)
}

/// Returns a lower bound of the distance of the finite point from the box, less by a rounding
/// only.
#[inline]
pub fn point_box_distance(point: Vec3, aabb: &Aabb) -> f32 {
    Aabb::from_point(point).distance_lower_bound(aabb)
}

/// Does [`SpatialIndex::visit_box`] for these slots, without an index.
pub fn scan_box(
    slots: impl Iterator<Item = u32>,
    boxes: &[Aabb],
    query: &Aabb,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for slot in slots {
        if boxes[slot as usize].overlaps(query) {
            visit(slot)?;
        }
    }
    ControlFlow::Continue(())
}

/// Does [`SpatialIndex::visit_culled`] for these slots, without an index.
pub fn scan_culled(
    slots: impl Iterator<Item = u32>,
    boxes: &[Aabb],
    classify: &mut dyn FnMut(&Aabb) -> Culling,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for slot in slots {
        if classify(&boxes[slot as usize]) != Culling::Outside {
            visit(slot)?;
        }
    }
    ControlFlow::Continue(())
}

/// Does [`SpatialIndex::visit_ray`] for these slots, without an index. It continues with the new
/// end of the interval.
pub fn scan_ray(
    slots: impl Iterator<Item = u32>,
    boxes: &[Aabb],
    ray: &Ray,
    mut interval: Interval,
    visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
) -> ControlFlow<(), f32> {
    for slot in slots {
        if let Some(at) = ray_box_entry(ray, &boxes[slot as usize], interval) {
            interval.max = visit(BoxHit { index: slot, at })?;
        }
    }
    ControlFlow::Continue(interval.max)
}

/// Does [`SpatialIndex::visit_near`] for these slots, without an index. It continues with the new
/// `max_distance`.
pub fn scan_near(
    slots: impl Iterator<Item = u32>,
    boxes: &[Aabb],
    point: Vec3,
    mut max_distance: f32,
    visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
) -> ControlFlow<(), f32> {
    if !point.is_finite() {
        return ControlFlow::Continue(max_distance);
    }
    for slot in slots {
        let at = point_box_distance(point, &boxes[slot as usize]);
        if at <= max_distance {
            max_distance = visit(BoxHit { index: slot, at })?;
        }
    }
    ControlFlow::Continue(max_distance)
}
