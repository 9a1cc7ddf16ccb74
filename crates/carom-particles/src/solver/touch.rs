//! The contacts of a step, and those that began or ended in it.
//!
//! - Contacts are collected in each substep. After the step, equal ones are merged, and their
//!   impulses are summed.
//! - Events are the difference of the sorted contacts of two steps.
//! - Two particles of the same group are not reported, because a heap would have too many
//!   contacts.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.5.1 (pairs that persist).

use alloc::vec::Vec;
use core::cmp::Ordering;
use glam::Vec3;

/// The other side of a contact of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactTarget {
    /// A plane, by its number.
    Plane(u32),
    /// A field, by its index in the surroundings.
    Field(u32),
    /// A body, by its index in the surroundings.
    Body(u32),
    /// A particle of another group, with a larger number.
    Particle(u32),
}

/// A contact of a particle in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParticleContact {
    /// The particle.
    pub particle: u32,
    /// The other side of the contact.
    pub touched: ContactTarget,
    /// The sum of the impulses along the normal in the step, in mass times speed. A liquid also
    /// presses on walls and bodies by its density, which is not in it.
    pub impulse: f32,
    /// The contact point: a radius from the middle of the particle.
    pub point: Vec3,
    /// The unit vector from the other side to the particle.
    pub normal: Vec3,
}

/// A contact began or ended in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParticleEvent {
    /// This particle and this did not touch in the step before.
    Began(u32, ContactTarget),
    /// They touched in the step before, and no more.
    Ended(u32, ContactTarget),
}

/// The impulse of a particle on a body in a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyImpulse {
    /// The body, by its index in the surroundings.
    pub body: u32,
    /// The particle.
    pub particle: u32,
    /// The point of the impulse, in the world: the contact point, or the middle of a liquid
    /// particle that presses from a distance.
    pub point: Vec3,
    /// The impulse on the body, in mass times speed: contact, friction and pressure of a liquid.
    pub impulse: Vec3,
}

/// The contacts of two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    /// Each contact once, sorted.
    pub(crate) now: Vec<ParticleContact>,
    before: Vec<ParticleContact>,
    pub(crate) events: Vec<ParticleEvent>,
    pub(crate) impulses: Vec<BodyImpulse>,
    impulses_before: Vec<BodyImpulse>,
}

/// The order of contacts in [`Touches::now`].
pub(crate) fn order(a: &ParticleContact, b: &ParticleContact) -> Ordering {
    (a.particle, a.touched).cmp(&(b.particle, b.touched))
}

impl Touches {
    /// Begins a step.
    pub(crate) fn begin(&mut self) {
        core::mem::swap(&mut self.now, &mut self.before);
        core::mem::swap(&mut self.impulses, &mut self.impulses_before);
        self.now.clear();
        self.impulses.clear();
        self.events.clear();
    }

    /// Takes a step back that failed.
    pub(crate) fn undo(&mut self) {
        core::mem::swap(&mut self.now, &mut self.before);
        core::mem::swap(&mut self.impulses, &mut self.impulses_before);
        self.events.clear();
    }

    /// Adds a contact of a substep.
    pub(crate) fn add(&mut self, contact: ParticleContact) {
        self.now.push(contact);
    }

    /// Ends a step: merges contacts, and finds the events.
    pub(crate) fn finish(&mut self) {
        self.now.sort_unstable_by(|a, b| order(a, b).then(a.impulse.total_cmp(&b.impulse)));
        self.now.dedup_by(|later, first| {
            let is_same = order(later, first) == Ordering::Equal;
            if is_same {
                // The point and the normal of the greatest impulse stay.
                *first = ParticleContact { impulse: first.impulse + later.impulse, ..*later };
            }
            is_same
        });
        let (mut old, mut new) = (self.before.iter().peekable(), self.now.iter().peekable());
        loop {
            let which = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => order(a, b),
            };
            if which != Ordering::Greater
                && let Some(contact) = old.next()
                && which == Ordering::Less
            {
                self.events.push(ParticleEvent::Ended(contact.particle, contact.touched));
            }
            if which != Ordering::Less
                && let Some(contact) = new.next()
                && which == Ordering::Greater
            {
                self.events.push(ParticleEvent::Began(contact.particle, contact.touched));
            }
        }
    }
}
