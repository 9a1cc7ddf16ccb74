//! Treats bodies as points while they are far from all others; only those near another are boxes.
//!
//! The edge s of the unit box scales the world. A body is the point centre / s. Two bodies are
//! tested as boxes if, on all three axes, their points are nearer than L. The restore distance L
//! is (half extent + half extent) / s. A sweep along one axis finds the bodies with such a
//! neighbour. Only these go to the inner finder.
//!
//! Reference: the point conversion and restore distance of a study that extends X. Shi, L. Qiao,
//! Z. Zhu, Collision Detection Algorithm Based on Improved OBB, Journal of Hunan University, 2014
//! (eq. 2 to 10 there: point, restore distance, gap of points).
//! Differs: distances are widened by their rounding, so that no touching body stays a point; a
//! sweep replaces the test of all against all.

use crate::proxy::ProxyTable;
use crate::{Filter, PairBuffer, PairFinder, ProxyChanges, ProxyId};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use glam::DVec3;

/// A finder that passes on only bodies near another one. It pays if most bodies are far from all
/// others.
///
/// `FromFinder::with_finder(PointFilter::new(finder))` is the broad phase.
///
/// Memory: 64 bytes per slot and 4 per restored body, beside that of the inner finder.
#[derive(Clone, Debug, Default)]
pub struct PointFilter<F> {
    behind: F,
    unit: Option<f32>,
    points: Vec<Point>,
    extents: Vec<f64>,
    restored: Vec<u32>,
    n_points: usize,
}

/// A body as a point.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Centre / s.
    at: DVec3,
    /// Half extents / s: its part of the restore distance.
    reach: DVec3,
    slot: u32,
    is_restored: bool,
}

/// Relative rounding of a half, a sum and a quotient, for both centres and both half extents.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl<F> PointFilter<F> {
    /// Wraps this finder. The edge s of the unit box is the median of the largest extents.
    pub fn new(behind: F) -> PointFilter<F> {
        PointFilter {
            behind,
            unit: None,
            points: Vec::new(),
            extents: Vec::new(),
            restored: Vec::new(),
            n_points: 0,
        }
    }

    /// Sets the edge s of the unit box, positive and finite; other values mean the default.
    #[must_use]
    pub fn with_unit(mut self, edge: f32) -> PointFilter<F> {
        self.unit = (0.0 < edge && edge.is_finite()).then_some(edge);
        self
    }

    /// Returns how many bodies the last search restored to boxes.
    pub fn n_restored(&self) -> usize {
        self.restored.len()
    }

    /// Returns how many bodies the last search left as points.
    pub fn n_points(&self) -> usize {
        self.n_points - self.restored.len()
    }

    /// Returns the inner finder.
    pub fn inner(&self) -> &F {
        &self.behind
    }
}

/// Returns s: the given one, or the median of the largest extents.
fn unit_edge(fixed_edge: Option<f32>, slots: &[u32], boxes: &[Aabb], extents: &mut Vec<f64>) -> f64 {
    if let Some(edge) = fixed_edge {
        return f64::from(edge);
    }
    let extent = |&slot: &u32| {
        let aabb = &boxes[slot as usize];
        (aabb.max.as_dvec3() - aabb.min.as_dvec3()).max_element()
    };
    extents.clear();
    extents.extend(slots.iter().map(extent));
    let middle = extents.len() / 2;
    if extents.is_empty() {
        return 1.0;
    }
    let (_, &mut median, _) = extents.select_nth_unstable_by(middle, f64::total_cmp);
    // Bodies without extent are points already; any scale will do.
    if 0.0 < median { median } else { 1.0 }
}

impl<F: PairFinder> PairFinder for PointFilter<F> {
    const MAY_REPEAT: bool = F::MAY_REPEAT;
    const SKIPS_STATICS: bool = F::SKIPS_STATICS;
    const MAX_SLOTS: usize = F::MAX_SLOTS;

    // A persistent inner finder gets all boxes, and finds the pairs among all of them.
    fn on_insert(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        self.behind.on_insert(slot, aabb, filter);
    }

    fn take_moves(&mut self, proxies: &mut ProxyTable, moves: &[(ProxyId, Aabb)]) {
        self.behind.take_moves(proxies, moves);
    }

    fn on_filter_change(&mut self, slot: u32, aabb: &Aabb, old: &Filter, new: &Filter) {
        self.behind.on_filter_change(slot, aabb, old, new);
    }

    fn on_remove(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        self.behind.on_remove(slot, aabb, filter);
    }

    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let PointFilter { behind, unit, points, extents, restored, n_points } = self;
        let boxes = proxies.boxes();
        let s = unit_edge(*unit, slots, boxes, extents);
        points.clear();
        for &slot in slots {
            let (min, max) = (boxes[slot as usize].min.as_dvec3(), boxes[slot as usize].max.as_dvec3());
            let at = (min + max) * 0.5 / s;
            // The rounding of the coordinates widens the restore distance.
            let reach = (max - min) * 0.5 / s
                + (min.abs() + max.abs()) / s * ROUNDING
                + DVec3::splat(f64::MIN_POSITIVE);
            points.push(Point { at, reach, slot, is_restored: false });
        }
        // Sorted by the lower end of the reach, so that one long reach does not keep others from
        // an early end. The rounding of the ends is less than a tenth of the widening.
        let ends = |point: &Point| (point.at.x - point.reach.x, point.at.x + point.reach.x);
        points.sort_unstable_by(|a, b| ends(a).0.total_cmp(&ends(b).0).then(a.slot.cmp(&b.slot)));
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                let (a, b) = (points[i], points[j]);
                // All later points are too far on this axis.
                if ends(&a).1 < ends(&b).0 {
                    break;
                }
                if a.is_restored && b.is_restored {
                    continue;
                }
                found.tests += 1;
                let gap = (a.at - b.at).abs();
                if gap.cmple(a.reach + b.reach).all() {
                    points[i].is_restored = true;
                    points[j].is_restored = true;
                }
            }
        }
        restored.clear();
        restored.extend(points.iter().filter(|point| point.is_restored).map(|point| point.slot));
        restored.sort_unstable();
        *n_points = points.len();
        found.rebuilds += behind.refresh(proxies, restored, ProxyChanges::ALL);
        behind.find(proxies, restored, found);
    }

    fn bytes(&self) -> usize {
        self.behind.bytes()
            + self.points.capacity() * size_of::<Point>()
            + 8 * self.extents.capacity()
            + 4 * self.restored.capacity()
    }
}
