//! Which soft things meet which bodies: those whose filter a collider of the body passes.
//!
//! Reference: Jolt Physics, `SoftBodyCreationSettings::mObjectLayer` and `mCollisionGroup`.

use crate::Filter;
use crate::bodies::BodySet;
use crate::soft::set::SoftSet;
use alloc::vec::Vec;

/// Which things meet each of the bodies near soft things.
pub(crate) struct Meetings {
    /// By body, in their order: whether it meets each thing. Empty if it meets all.
    bodies: Vec<Vec<bool>>,
    /// The thing of each particle. Empty if all meet.
    owners: Vec<u32>,
}

impl Meetings {
    pub(crate) fn of(set: &SoftSet, bodies: &BodySet, near: &[u32]) -> Meetings {
        let meetings = |&body: &u32| {
            if set.things().all(|thing| bodies.passes(body, &thing.meeting.filter)) {
                return Vec::new();
            }
            let things = set.slots.iter().map(|slot| slot.thing.as_ref());
            things.map(|thing| thing.is_some_and(|t| bodies.passes(body, &t.meeting.filter))).collect()
        };
        let met: Vec<Vec<bool>> = near.iter().map(meetings).collect();
        let is_filtered = met.iter().any(|things| !things.is_empty());
        Meetings { bodies: met, owners: if is_filtered { set.owners.clone() } else { Vec::new() } }
    }

    /// Returns whether a particle meets the body at this place in the list; `None` if all do.
    pub(crate) fn at(&self, place: usize) -> Option<impl Fn(u32) -> bool + Sync + '_> {
        let things = self.bodies.get(place).filter(|things| !things.is_empty())?;
        let owner_of = |particle: u32| self.owners.get(particle as usize);
        Some(move |particle: u32| {
            owner_of(particle).and_then(|&owner| things.get(owner as usize)).is_some_and(|meets| *meets)
        })
    }
}

impl BodySet {
    /// Whether a solid collider of a body passes a filter.
    pub(crate) fn passes(&self, body: u32, filter: &Filter) -> bool {
        match self.composite(body as usize) {
            Some(composite) => composite.colliders().any(|(_, collider)| {
                !collider.traits.is_sensor && collider.traits.user_filter().meets(filter)
            }),
            None => self.traits[body as usize].user_filter().meets(filter),
        }
    }
}
