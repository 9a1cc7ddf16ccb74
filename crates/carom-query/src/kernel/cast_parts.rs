//! Casts of compounds and clusters: only the parts that the other shape's moving box enters, sorted
//! by the time of entry.
//!
//! Without rotation the other shape's box moves in a straight line in the compound's frame. A slab
//! test with each part's box gives its earliest time of entry. With rotation, parts outside the box
//! around the whole sweep are skipped. The search ends at the earliest proved contact.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, ACM SIGGRAPH 1986 (slabs); C. Ericson,
//! Real-Time Collision Detection, 2005, 5.5.8 (moving boxes).

use super::super::num::{Pose, widen, widen_quat};
use super::cast;
use super::cast_leaving::IgnoredPlanes;
use super::cluster::{self, Cluster};
use super::compound::Compound;
use super::shape::{Shape, ShapeKind};
use crate::cost::Count;
use crate::impact::CastQuery;
use crate::workspace::{CastMemory, Workspace};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Counters;
use carom_ccd::{Earliest, Sweep, Tally, TimeOfImpact};
use carom_geom::{SupportMap, SupportPoint};
use carom_math::{WidePose, rounding};
use core::ops::ControlFlow;
use glam::{DQuat, DVec3};

/// Rounding of slab tests and of the sums before them, relative to each length.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Shapes that move as one.
pub(super) enum PartList<'a> {
    Compound(&'a Compound),
    Cluster(&'a dyn Cluster),
}

impl<'a> PartList<'a> {
    /// Returns the parts of a compound or a cluster; `None` for any other shape.
    pub(super) fn of(shape: &'a Shape) -> Option<PartList<'a>> {
        match shape.kind() {
            ShapeKind::Compound(a) => Some(PartList::Compound(a)),
            ShapeKind::Cluster(a) => Some(PartList::Cluster(a)),
            _ => None,
        }
    }

    fn len(&self) -> u32 {
        match self {
            PartList::Compound(a) => a.parts().len() as u32,
            PartList::Cluster(a) => a.n_parts(),
        }
    }

    /// Visits the parts that a moving box may touch, as index and box; see
    /// [`Compound::parts_on_path`].
    fn parts_on_path(
        &self,
        origin: DVec3,
        half: DVec3,
        direction: DVec3,
        end: f64,
        mut part: impl FnMut(u32, &Aabb),
    ) -> Counters {
        match self {
            PartList::Compound(a) => a.parts_on_path(origin, half, direction, end, part),
            PartList::Cluster(a) => {
                let walk = a.tree().visit_moving_box(origin, half, direction, 0.0, end, |leaf, until| {
                    leaf.primitives.iter().for_each(|&number| part(number, &a.part_box(number)));
                    ControlFlow::Continue(until)
                });
                walk.counters
            }
        }
    }

    /// Returns the indices of the parts that may be within `limit` of B, in a list of `memory`
    /// that the caller gives back. Those of a compound are sorted. Those of a cluster are in the
    /// order of its tree.
    pub(super) fn near(
        &self,
        b: &Shape,
        b_in_a: &WidePose,
        limit: f64,
        memory: &mut CastMemory,
        count: impl Count,
    ) -> Vec<(f64, u32)> {
        let mut near = memory.orders.pop().unwrap_or_default();
        near.clear();
        match self {
            PartList::Compound(a) => {
                let around = b.placed_box(b_in_a).inflated(rounding::up(limit));
                a.collect_near(&around, &mut near, count);
            }
            PartList::Cluster(a) => cluster::visit_near(*a, b, b_in_a, limit, count, &mut |number| {
                near.push((0.0, number));
                ControlFlow::Continue(())
            }),
        }
        near
    }

    /// Calls `use_part` with a part, its pose as matrix and as rotation and translation, and its
    /// first number. `None` if there is no such part.
    pub(super) fn with<T>(
        &self,
        index: u32,
        use_part: impl FnOnce(&Shape, &WidePose, (DQuat, DVec3), u32) -> T,
    ) -> Option<T> {
        match self {
            PartList::Compound(a) => {
                let (index, part) = (index as usize, a.parts().get(index as usize)?);
                let part_frame = (widen_quat(part.pose.rotation), widen(part.pose.translation));
                Some(use_part(&part.shape, a.part_pose(index), part_frame, a.first_number(index)))
            }
            PartList::Cluster(a) => {
                let (shape, center) = (index < a.n_parts()).then(|| a.part(index))?;
                Some(use_part(&shape, &cluster::at(center), (DQuat::IDENTITY, center), index))
            }
        }
    }
}

/// Returns the earliest impact of the parts of A. A part moves with A, at its pose in it.
pub(super) fn parts(
    a: PartList<'_>,
    b: &Shape,
    query: &CastQuery<'_, impl Tally>,
    memory: &mut Workspace,
) -> TimeOfImpact {
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let one_part = CastQuery { settings: query.settings.with_distance(false), ..*query };
    let ignored = IgnoredPlanes::of_parts(&a, b, query, memory);
    let mut earliest = Earliest::new();
    let mut order = memory.casts.orders.pop().unwrap_or_default();
    order.clear();
    match SweptBox::new(b, query) {
        Some(swept) => {
            earliest.add_clear(swept.room);
            let time = end - start;
            let walk = a.parts_on_path(swept.center, swept.half, swept.velocity, time, |number, part| {
                order.extend(swept.enters(part, time).map(|enters| (enters, number)));
            });
            query.count_walk(&walk);
        }
        // B is unbounded, so it may touch any part.
        None => order.extend((0..a.len()).map(|number| (0.0, number))),
    }
    order.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    for &(enters, number) in &order {
        let until = earliest.until(end);
        if until < start + enters {
            break;
        }
        a.with(number, |part, pose, part_frame, first_number| {
            if ignored.hides_part(part, pose) {
                earliest.add_clear(0.0);
                return;
            }
            let motion_a = &query.motion_a.of_part(part_frame);
            let one_part = CastQuery { motion_a, ..one_part.with_times([start, until]) };
            let one_part = cast::until_departure(part, b, &one_part);
            let mut answer = cast::pair(part, b, &one_part, memory);
            if let TimeOfImpact::Hit(impact) = &mut answer {
                impact.part_a = impact.part_a.saturating_add(first_number);
            }
            earliest.add(answer);
        });
    }
    memory.casts.orders.push(order);
    earliest.answer()
}

/// The motion of a box around B in A's frame.
struct SweptBox {
    /// Its centre at the start, and its half extents plus the room. With rotation: the box around
    /// the whole sweep.
    center: DVec3,
    half: DVec3,
    /// Length per unit of time; zero with rotation.
    velocity: DVec3,
    /// The distance beyond which parts are ignored.
    room: f64,
}

impl SweptBox {
    /// `None` for an unbounded shape.
    fn new(b: &Shape, query: &CastQuery<'_, impl Tally>) -> Option<SweptBox> {
        let settings = &query.settings;
        let (start, end) = (settings.start_time, settings.max_time);
        let around = Around::new(b)?;
        // A little above the target, so that ignored parts are surely apart.
        let target = query.target();
        let room =
            (target + settings.tolerance.max(0.0) * around.radius()).max(target * (1.0 + 4.0 * f64::EPSILON));
        let sweep = Sweep::new(query.motion_a, query.motion_b, start, end);
        let straight = sweep.straight(&around);
        let slab = sweep.slab(start, if straight.is_some() { start } else { end });
        query.count_volume();
        let [low, high] = slab.bounds(&around);
        let (velocity, rounding) =
            straight.map_or((DVec3::ZERO, 0.0), |swept| (swept.velocity, swept.rounding));
        let center = low * 0.5 + high * 0.5;
        let half = (high - center).max(center - low) + room + rounding;
        let is_somewhere = center.is_finite() && half.is_finite() && velocity.is_finite();
        is_somewhere.then_some(SweptBox { center, half, velocity, room })
    }

    /// Returns a lower bound of the time, counted from the start, at which the box of a part is
    /// entered. `None` if it is not entered within `time`.
    fn enters(&self, part: &Aabb, time: f64) -> Option<f64> {
        let (min, max) = (part.min.as_dvec3(), part.max.as_dvec3());
        let reach = self.center.abs() + min.abs().max(max.abs()) + self.half;
        let half = self.half + reach * ROUNDING;
        let (low, high) = (min - half - self.center, max + half - self.center);
        let (mut enters, mut leaves) = (0.0_f64, time);
        for ((low, high), rate) in
            low.to_array().into_iter().zip(high.to_array()).zip(self.velocity.to_array())
        {
            if rate == 0.0 {
                if !(low <= 0.0 && 0.0 <= high) {
                    return None;
                }
                continue;
            }
            let (near, far) = if 0.0 < rate { (low / rate, high / rate) } else { (high / rate, low / rate) };
            enters = enters.max(near - near.abs() * ROUNDING);
            leaves = leaves.min(far + far.abs() * ROUNDING);
        }
        (enters <= leaves).then_some(enters)
    }
}

/// A box around a shape, in its frame.
pub(super) struct Around {
    center: DVec3,
    half: DVec3,
}

impl Around {
    /// `None` for an unbounded shape.
    pub(super) fn new(shape: &Shape) -> Option<Around> {
        let aabb = shape.aabb(&Pose::IDENTITY);
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let is_somewhere = min.is_finite() && max.is_finite();
        is_somewhere.then(|| Around { center: (min + max) * 0.5, half: (max - min) * 0.5 })
    }

    /// Returns the half extents.
    pub(super) fn half(&self) -> DVec3 {
        self.half
    }
}

impl SupportMap for Around {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let side = DVec3::ONE.copysign(direction);
        SupportPoint { point: self.center + self.half * side, vertex: 0 }
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        self.half.length() * (1.0 + ROUNDING)
    }
}
