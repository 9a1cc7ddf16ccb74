//! A compound against any shape: part by part, over the parts whose boxes are near.
//!
//! If a distance prunes, the part with the nearest box is first. The caller passes the query of one
//! part.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 6.1 (hierarchies of parts).

use super::compound::Compound;
use super::shape::Shape;
use crate::closest::Closest;
use crate::cost::Count;
use crate::workspace::Workspace;
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::{WidePose, rounding};
use core::ops::ControlFlow;

/// Whether a part touches or overlaps B. `touches` answers for one part; it takes the pose of B in
/// the frame of the part.
pub(super) fn intersects(
    a: &Compound,
    b: &Shape,
    b_in_a: &WidePose,
    count: impl Count,
    touches: impl Fn(&Shape, &WidePose) -> bool,
) -> bool {
    let mut found = false;
    a.visit_near(&b.placed_box(b_in_a), count, |part| {
        found = touches(&a.parts()[part].shape, &b_in_a.relative_to(a.part_pose(part)));
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Returns the deepest or nearest contact of a part with B. `contact` answers for one part.
pub(super) fn contact(
    a: &Compound,
    b: &Shape,
    b_in_a: &WidePose,
    prediction: f64,
    memory: &mut Workspace,
    count: impl Count,
    contact: impl FnMut(&Shape, &WidePose, f64, &mut Workspace) -> Closest,
) -> Option<Closest> {
    let mut closest = nearest(a, b, b_in_a, prediction, memory, count, contact);
    closest.is_local = true;
    (closest.distance <= prediction).then_some(closest)
}

/// Returns the answer of the part with the least distance; stops early above `max_distance`.
/// `answer` returns that of one part, in the frame of the part, up to a limit. The part with the nearest box is tested
/// first. Then the parts whose boxes are no farther away than that answer follow, by their
/// numbers. [`Closest::NOWHERE`] if all boxes are farther away than `max_distance`. These parts
/// are listed first, because a loop over all boxes took 15 times as long for 10,000 parts.
pub(super) fn nearest(
    a: &Compound,
    b: &Shape,
    b_in_a: &WidePose,
    max_distance: f64,
    memory: &mut Workspace,
    count: impl Count,
    mut answer: impl FnMut(&Shape, &WidePose, f64, &mut Workspace) -> Closest,
) -> Closest {
    let box_b = b.placed_box(b_in_a);
    let mut best = Closest::NOWHERE;
    let mut test = |part: usize, memory: &mut Workspace| {
        let limit = best.distance.min(max_distance);
        if limit.max(0.0) < f64::from(a.part_box(part).distance_lower_bound(&box_b)) {
            return limit;
        }
        let pose = a.part_pose(part);
        let mut closest = answer(&a.parts()[part].shape, &b_in_a.relative_to(pose), limit, memory);
        closest.part_a = closest.part_a.saturating_add(a.first_number(part));
        if closest.is_before(&best) {
            best = closest.placed(pose);
        }
        best.distance.min(max_distance)
    };
    let first = a.nearest_box(&box_b, count);
    let limit = test(first, memory).max(0.0);
    // A box that is not finite may be near any part.
    let is_finite = box_b.min.is_finite() && box_b.max.is_finite();
    let near = if is_finite { box_b.inflated(rounding::up(limit)) } else { Aabb::EVERYTHING };
    let mut others = memory.casts.orders.pop().unwrap_or_default();
    others.clear();
    a.collect_near(&near, &mut others, count);
    others.iter().filter(|&&(_, part)| part as usize != first).for_each(|&(_, part)| {
        test(part as usize, memory);
    });
    memory.casts.orders.push(others);
    best
}
