//! Impulse events: how hard two bodies pushed each other in a step.
//!
//! A body has a threshold ([`BodyDesc::impulse_threshold`](crate::BodyDesc::impulse_threshold)).
//! A pair is reported if the sum of its normal impulses in a step is above the lower threshold of
//! the two. The speed of approach is noted before the solver changes the velocities.
//!
//! Reference: E. Catto, Box2D 3.1, `b2ContactHitEvent`, 2025; rapier 0.36, `ContactForceEvent`.

use crate::contacts::events::{Approach, ImpulseEvent};
use crate::contacts::record::Record;
use crate::{BodyId, World};
use carom_broad::BroadPhase;
use carom_geom::Manifold;
use carom_math::Vec3;
use carom_response::ContactImpulse;

impl<B: BroadPhase> World<B> {
    /// Returns the pairs that pushed each other in the last step by more than a threshold, sorted
    /// by the bodies. Not a part of a snapshot.
    ///
    /// A fast body that strikes something is stopped there; the impulse acts in the next step.
    pub fn impulse_events(&self) -> &[ImpulseEvent] {
        &self.contacts.impulse_events
    }

    /// Before the solver: lists the pairs with a threshold, and the speed at which each approaches.
    pub(crate) fn note_approach_speeds(&mut self) {
        let mut approaches = core::mem::take(&mut self.contacts.approaches);
        approaches.clear();
        if 0 < self.bodies.n_with_threshold {
            for &place in &self.contacts.active_pairs {
                let record = &self.contacts.records[place as usize];
                let threshold = self.impulse_threshold(record);
                if 0 < record.n && record.may_push() && threshold < f32::MAX {
                    approaches.push(Approach { place, threshold, speed: self.approach_speed(record) });
                }
            }
        }
        self.contacts.approaches = approaches;
    }

    /// Returns the lower threshold of two bodies.
    fn impulse_threshold(&self, record: &Record) -> f32 {
        let of = |body: BodyId| self.bodies.traits[body.index as usize].impulse_threshold;
        of(record.a).min(of(record.b))
    }

    /// Returns the largest speed at which two bodies come together at a contact; 0 if they do not.
    fn approach_speed(&self, record: &Record) -> f32 {
        let [a, b] = [record.a, record.b].map(|body| &self.bodies.motions[body.index as usize]);
        let mut speed = 0.0_f32;
        for manifold in self.contacts.manifolds_of(record) {
            for contact in manifold.contacts() {
                let point = contact.middle();
                speed = speed.max(-(b.velocity_at(point) - a.velocity_at(point)).dot(manifold.normal()));
            }
        }
        speed
    }

    /// After the solver: reports those of these pairs whose impulses were above the threshold.
    pub(crate) fn report_impulses(&mut self) {
        let mut events = core::mem::take(&mut self.contacts.impulse_events);
        let (contacts, impulses) = (&self.contacts, self.solver.contact_impulses());
        for &Approach { place, threshold, speed } in &contacts.approaches {
            let record = &contacts.records[place as usize];
            let Some(own) = impulses.get(record.solved_range()) else { continue };
            let event = event_of(record, contacts.manifolds_of(record), own, speed);
            events.extend(Some(event).filter(|event| threshold < event.total));
        }
        self.contacts.impulse_events = events;
    }
}

/// Sums up the impulses of a pair.
fn event_of(
    record: &Record,
    manifolds: &[Manifold],
    impulses: &[ContactImpulse],
    approach_speed: f32,
) -> ImpulseEvent {
    let (a, b) = (record.a, record.b);
    let (total, largest, point, normal) = (0.0, 0.0, Vec3::ZERO, Vec3::Y);
    let mut event = ImpulseEvent { a, b, total, largest, point, normal, approach_speed };
    for (manifold, impulse) in manifolds.iter().zip(impulses) {
        event.total += impulse.total_normal();
        for (contact, &impulse) in manifold.contacts().iter().zip(&impulse.normal) {
            if event.largest < impulse {
                (event.largest, event.point, event.normal) = (impulse, contact.middle(), manifold.normal());
            }
        }
    }
    event
}
