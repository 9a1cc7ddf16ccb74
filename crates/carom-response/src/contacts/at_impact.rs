//! Contacts found at the poses of an impact within the step.
//!
//! The normal of a speculative contact is that of the start of the step. If a body meets a round
//! body or an edge later in the step, the normal of the impact is another one. The owner of the
//! bodies may therefore find a manifold at the poses of the impact, and move its points back:
//!
//! - Each point moves back along the path of the centre of mass of its own body. So each body
//!   keeps the lever arm that it has at the impact.
//! - The distance is what the bodies approach along the normal until then.
//! - The two points of a contact are opposite each other only at the impact. So each body is
//!   pushed at its own point, not at the point between the two.
//!
//! Reference: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, chapter 3
//! (a collision acts at the poses of its time).

use crate::contacts::contact::Contacts;
use crate::impulses::group::Group;
use crate::impulses::lane_vec::Lanes;
use carom_math::Vec3;

/// Moves the anchors of these contacts to the points of their own bodies, in loaded groups.
/// `active` are the contacts that are solved, `lanes` their lanes among those of all groups.
pub(crate) fn load(
    at_impact: &[u32],
    contacts: &Contacts<'_>,
    (active, lanes): (&[u32], &[u32]),
    groups: &mut [Group],
) {
    if at_impact.is_empty() {
        return;
    }
    for (&contact, &index) in active.iter().zip(lanes) {
        if at_impact.binary_search(&contact).is_err() {
            continue;
        }
        let (group, lane) = (&mut groups[index as usize / 8], index as usize % 8);
        let points = contacts.get(contact as usize).manifold.contacts();
        // Friction acts at the centre of pressure, which lies between the points too, unless it
        // acts on the surfaces already.
        let is_middle = group.on_surfaces >> lane & 1 == 0;
        let ends = [&mut group.friction_a, &mut group.friction_b];
        if let Some(first) = points.first().filter(|_| is_middle) {
            move_to_ends(ends, lane, first.point_b - first.point_a);
        }
        for (point, c) in group.points.iter_mut().zip(points) {
            move_to_ends([&mut point.anchor_a, &mut point.anchor_b], lane, c.point_b - c.point_a);
        }
    }
}

/// Moves two anchors at the middle of a gap to its ends.
fn move_to_ends([a, b]: [&mut [Lanes; 3]; 2], lane: usize, gap: Vec3) {
    for ((a, b), gap) in a.iter_mut().zip(b).zip(gap.to_array()) {
        a[lane] -= 0.5 * gap;
        b[lane] += 0.5 * gap;
    }
}
