//! The particles that collide with each body: those of things whose filter a collider of the body
//! passes.
//!
//! A vertex that the body holds inside of itself does not collide with it. Neither do vertices of
//! a rope that its length keeps inside, because contacts would push them out, and the rope would
//! pull them back.
//!
//! Reference: Jolt Physics, `SoftBodyCreationSettings::mObjectLayer` and `mCollisionGroup`.

use crate::Filter;
use crate::bodies::BodySet;
use crate::soft::desc::SoftBodyKind;
use crate::soft::per_thing::PerThing;
use crate::soft::set::{SoftSet, Thing};
use crate::soft::soft_body::Held;
use alloc::vec::Vec;
use carom_math::Vec3;

/// Whether each particle meets a body.
pub(crate) struct CollidingParticles {
    /// Whether each thing does; `None` if all do.
    things: Option<PerThing<bool>>,
    /// The particles that are kept inside, ascending.
    inside: Vec<u32>,
}

impl CollidingParticles {
    /// `distance` returns the distance of a point in the body's frame from the body.
    pub(crate) fn of(
        set: &SoftSet,
        bodies: &BodySet,
        body: u32,
        distance: impl Fn(Vec3) -> f32,
    ) -> CollidingParticles {
        let all = set.things().all(|thing| bodies.passes(body, &thing.collision.filter));
        let things = (!all).then(|| PerThing::of(set, |thing| bodies.passes(body, &thing.collision.filter)));
        let (id, mut inside) = (bodies.id_at(body), Vec::new());
        for thing in set.things() {
            let held = thing.soft_part().map_or(&[][..], |part| &part.held);
            for held in held.iter().filter(|held| held.body == id) {
                add_inside(thing, held, thing.radius - distance(held.point), &mut inside);
            }
        }
        inside.sort_unstable();
        CollidingParticles { things, inside }
    }

    /// Returns whether a particle meets the body; `None` if all do.
    pub(crate) fn test(&self) -> Option<impl Fn(u32) -> bool + Sync + '_> {
        if self.things.is_none() && self.inside.is_empty() {
            return None;
        }
        Some(|particle: u32| {
            let passes = self.things.as_ref().is_none_or(|things| things.at(particle) == Some(&true));
            passes && self.inside.binary_search(&particle).is_err()
        })
    }
}

/// Adds the particles of a thing that are kept in a body by one that it holds. They are nearer to
/// this one, along a rope, than its depth.
fn add_inside(thing: &Thing, held: &Held, depth: f32, out: &mut Vec<u32>) {
    let Some(part) = thing.soft_part().filter(|_| 0.0 < depth) else { return };
    out.extend(thing.particle(held.vertex as usize));
    if !matches!(part.kind, SoftBodyKind::Rope(_)) {
        return;
    }
    let (before, after) = part.rest.split_at(held.vertex as usize);
    let mut add = |vertices: &mut dyn Iterator<Item = (usize, &Vec3)>| {
        let (mut last, mut travel) = (part.rest[held.vertex as usize], 0.0);
        for (vertex, position) in vertices {
            travel += position.distance(last);
            last = *position;
            if !(travel < depth) {
                break;
            }
            out.extend(thing.particle(vertex));
        }
    };
    add(&mut before.iter().enumerate().rev());
    add(&mut (held.vertex as usize..).zip(after).skip(1));
}

impl BodySet {
    /// Whether a solid collider of an enabled body passes a filter.
    pub(crate) fn passes(&self, body: u32, filter: &Filter) -> bool {
        if !self.is_enabled(body as usize) {
            return false;
        }
        match self.composite(body as usize) {
            Some(composite) => composite.colliders().any(|(_, collider)| {
                !collider.traits.is_sensor && collider.traits.user_filter().meets(filter)
            }),
            None => self.traits[body as usize].user_filter().meets(filter),
        }
    }
}
