//! The soft things that each body meets: those whose filter a collider of the body passes.
//!
//! Reference: Jolt Physics, `SoftBodyCreationSettings::mObjectLayer` and `mCollisionGroup`.

use crate::Filter;
use crate::bodies::BodySet;
use crate::soft::per_thing::PerThing;
use crate::soft::set::SoftSet;

/// Whether each thing meets a body; `None` if all do.
pub(crate) struct Meetings(Option<PerThing<bool>>);

impl Meetings {
    pub(crate) fn of(set: &SoftSet, bodies: &BodySet, body: u32) -> Meetings {
        let all = set.things().all(|thing| bodies.passes(body, &thing.meeting.filter));
        Meetings((!all).then(|| PerThing::of(set, |thing| bodies.passes(body, &thing.meeting.filter))))
    }

    /// Returns whether a particle meets the body; `None` if all do.
    pub(crate) fn test(&self) -> Option<impl Fn(u32) -> bool + Sync + '_> {
        let things = self.0.as_ref()?;
        Some(|particle: u32| things.at(particle) == Some(&true))
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
