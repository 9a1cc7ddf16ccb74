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
use carom_math::WidePose;
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
    a.boxes().visit_near(&b.placed_box(b_in_a), count, |part| {
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
/// `answer` returns that of one part, in the frame of the part, up to a limit.
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
    let nearest = a.boxes().nearest(&box_b, max_distance, memory, count, |part, limit, memory| {
        let b_in_part = b_in_a.relative_to(a.part_pose(part));
        let mut closest = answer(&a.parts()[part].shape, &b_in_part, limit, memory);
        closest.part_a = closest.part_a.saturating_add(a.first_number(part));
        closest
    });
    nearest.map_or(Closest::NOWHERE, |(closest, part)| closest.placed(a.part_pose(part)))
}
