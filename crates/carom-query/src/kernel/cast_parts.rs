//! Casts of compounds and clusters: only the parts that the other shape's moving box enters, sorted
//! by the time of entry.
//!
//! Without rotation the other shape's box moves in a straight line in the compound's frame. A slab
//! test with each part's box gives its earliest time of entry. With rotation, parts outside the box
//! around the whole sweep are skipped. The search ends at the earliest proved contact.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.5.8 (moving boxes).

use super::super::num::Pose;
use super::dispatch;
use super::lowest::lowest;
use super::part_list::PartList;
use super::shape::Shape;
use crate::cast_leaving::{IgnoredPlanes, Start};
use crate::impact::CastQuery;
use crate::swept_box::SweptBox;
use crate::workspace::Workspace;
use carom_ccd::{Earliest, Tally, TimeOfImpact};
use carom_math::scaling::length;

/// Returns the earliest impact of the parts of A. A part moves with A, at its pose in it. `cast`
/// answers for one part.
pub(super) fn parts<T: Tally>(
    a: &PartList<'_>,
    b: &Shape,
    query: &CastQuery<'_, T>,
    memory: &mut Workspace,
    cast: impl Fn(&Shape, &CastQuery<'_, T>, &mut Workspace) -> TimeOfImpact,
) -> TimeOfImpact {
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let one_part = CastQuery { settings: query.settings.with_distance(false), ..*query };
    let ignored = ignored_planes(a, b, query, memory);
    let mut earliest = Earliest::new();
    let mut order = memory.casts.orders.pop().unwrap_or_default();
    order.clear();
    match b.around().and_then(|around| SweptBox::new(&around, query)) {
        Some(swept) => {
            earliest.add_clear(swept.room);
            let time = end - start;
            let walk = a.parts_on_path(&swept, time, |number, part| {
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
            if ignored.hides(|n| -lowest(part, pose, -n)) {
                earliest.add_clear(0.0);
                return;
            }
            let motion_a = &query.motion_a.of_part(part_frame);
            let one_part = CastQuery { motion_a, ..one_part.with_times([start, until]) };
            let mut answer = cast(part, &one_part, memory);
            if let TimeOfImpact::Hit(impact) = &mut answer {
                impact.part_a = impact.part_a.saturating_add(first_number);
            }
            earliest.add(answer);
        });
    }
    memory.casts.orders.push(order);
    earliest.answer()
}

/// Returns the planes of the parts of A from which another shape separates.
fn ignored_planes(
    a: &PartList<'_>,
    b: &Shape,
    query: &CastQuery<'_, impl Tally>,
    memory: &mut Workspace,
) -> IgnoredPlanes {
    let mut found = IgnoredPlanes::NONE;
    if query.settings.stop_at_penetration {
        return found;
    }
    let aabb = b.aabb(&Pose::IDENTITY);
    let size = 0.5 * length(aabb.max.as_dvec3() - aabb.min.as_dvec3());
    let Some(start) = Start::new(query, size) else { return found };
    let near = a.near(b, &start.b_in_a, start.limit, &mut memory.casts, ());
    for &(_, index) in &near {
        a.with(index, |part, pose, _, _| {
            let b_in_part = start.b_in_a.relative_to(pose);
            if let Some(closest) = dispatch::contact(part, b, &b_in_part, start.limit, memory, ()) {
                found.add(&start, &closest.placed(pose), |b_in_a, n| lowest(b, b_in_a, n));
            }
        });
    }
    memory.casts.orders.push(near);
    found
}
