//! Impulse events: how hard two colliders pushed each other in a step.
//!
//! A collider has a threshold
//! ([`ColliderDesc::impulse_threshold`](crate::ColliderDesc::impulse_threshold)). A pair is
//! reported if the sum of its normal impulses in a step is above the lower threshold of the two.
//! The speed of approach is recorded before the solver changes the velocities. The impulse of each
//! pair with a threshold is recorded too, for [`BodyRef::pushes`](crate::BodyRef::pushes), and that
//! of each pair of a body that records pushes.
//!
//! Reference: E. Catto, Box2D 3.1, `b2ContactHitEvent`, 2025; rapier 0.36, `ContactForceEvent`.

use crate::World;
use crate::bodies::id::ColliderSlot;
use crate::bodies::traits::Traits;
use crate::contacts::events::{Approach, ImpulseEvent};
use crate::contacts::pair_state::PairState;
use crate::contacts::pushes::PairPush;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_geom::{Contact, Manifold};
use carom_math::Vec3;
use carom_response::ContactImpulse;

impl<B: BroadPhase> World<B> {
    /// Before the solver: lists the pairs whose impulses are recorded, each with its speed of
    /// approach.
    pub(crate) fn note_approach_speeds(&mut self) {
        let mut approaches = core::mem::take(&mut self.contacts.approaches);
        approaches.clear();
        if 0 < self.bodies.n_recording {
            for &index in &self.contacts.active_pairs {
                let state = &self.contacts.states[index as usize];
                if 0 < state.n && state.may_push() && self.traits_of(state).any(Traits::records_impulses) {
                    self.note_approaches(index, state, &mut approaches);
                }
            }
        }
        self.contacts.approaches = approaches;
    }

    /// Returns the traits of the two bodies.
    fn traits_of(&self, state: &PairState) -> impl Iterator<Item = &Traits> {
        [state.a, state.b].into_iter().map(|body| &self.bodies.traits[body.index as usize])
    }

    /// Appends the pairs of colliders of a pair state that have contacts, and whose impulses are
    /// recorded.
    fn note_approaches(&self, index: u32, state: &PairState, out: &mut Vec<Approach>) {
        let [a, b] = [state.a, state.b].map(|body| &self.bodies.motions[body.index as usize]);
        let indices = [state.a.index as usize, state.b.index as usize];
        let solids = self.bodies.solids([&[], &[]]);
        let first = out.len();
        let are_recorded = self.traits_of(state).any(|traits| traits.records_pushes);
        for manifold in self.contacts.manifolds_of(state) {
            let slots = solids.slots_of(indices, manifold);
            let of = |side: usize| solids.traits_of(indices[side], slots[side]).impulse_threshold;
            let threshold = of(0).min(of(1));
            if !(are_recorded || threshold < f32::MAX) {
                continue;
            }
            let mut speed = 0.0_f32;
            for contact in manifold.contacts() {
                let velocity = b.velocity_at(contact.point_b) - a.velocity_at(contact.point_a);
                speed = speed.max(-velocity.dot(manifold.normal()));
            }
            match out[first..].iter_mut().find(|known| known.slots == slots) {
                Some(known) => known.speed = known.speed.max(speed),
                None => out.push(Approach { index, slots, threshold, speed }),
            }
        }
    }

    /// After the solver: reports the listed pairs whose impulses were above the threshold.
    pub(crate) fn report_impulses(&mut self) {
        let mut events = core::mem::take(&mut self.contacts.impulse_events);
        let mut recorded = Vec::new();
        let (contacts, impulses) = (&self.contacts, self.solver.contact_impulses());
        let solids = self.bodies.solids([&[], &[]]);
        for &Approach { index, slots, threshold, speed } in &contacts.approaches {
            let state = &contacts.states[index as usize];
            let Some(own) = impulses.get(state.solved_range()) else { continue };
            let indices = [state.a.index as usize, state.b.index as usize];
            let pushes = contacts.manifolds_of(state).iter().zip(own);
            let pushes = pushes.filter(|(manifold, _)| solids.slots_of(indices, manifold) == slots);
            let is_at_impact = self.continuous.at_impact.binary_search(&index).is_ok();
            let [a, b] = indices.map(|index| self.bodies.motions[index].inverse_mass);
            let acts_at = |contact: &Contact| match is_at_impact {
                false => contact.middle(),
                // The points of the two bodies are apart. The heavier body moves less until then.
                true if b < a => contact.point_b,
                true => contact.point_a,
            };
            recorded.extend(push_of(state, pushes.clone(), speed, acts_at));
            let event = event_of(state, slots, pushes, speed, acts_at);
            events.extend(Some(event).filter(|event| threshold < event.total));
        }
        self.contacts.impulse_events = events;
        self.contacts.pushes.record(recorded);
    }
}

/// Returns the impulse of a pair of colliders; `None` if they did not push each other.
fn push_of<'a>(
    state: &PairState,
    pushes: impl Iterator<Item = (&'a Manifold, &'a ContactImpulse)>,
    approach_speed: f32,
    acts_at: impl Fn(&Contact) -> Vec3,
) -> Option<PairPush> {
    let (mut impulse, mut weighted, mut total) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for (manifold, pushed) in pushes {
        impulse -= manifold.normal() * pushed.total_normal() + pushed.friction;
        for (contact, &normal) in manifold.contacts().iter().zip(&pushed.normal) {
            weighted += acts_at(contact) * normal;
            total += normal;
        }
    }
    let (a, b, point) = (state.a, Some(state.b), weighted / total);
    (0.0 < total && point.is_finite() && impulse.is_finite()).then_some(PairPush {
        a,
        b,
        impulse,
        point,
        approach_speed,
        age: 0,
        #[cfg(feature = "soft")]
        thing: None,
    })
}

/// Sums up the impulses of a pair of colliders.
fn event_of<'a>(
    state: &PairState,
    slots: [ColliderSlot; 2],
    pushes: impl Iterator<Item = (&'a Manifold, &'a ContactImpulse)>,
    approach_speed: f32,
    acts_at: impl Fn(&Contact) -> Vec3,
) -> ImpulseEvent {
    let (a, b) = (state.a, state.b);
    let (total, largest, point, normal) = (0.0, 0.0, Vec3::ZERO, Vec3::Y);
    let [collider_a, collider_b] = [slots[0].on(a), slots[1].on(b)];
    let mut event =
        ImpulseEvent { a, b, collider_a, collider_b, total, largest, point, normal, approach_speed };
    for (manifold, impulse) in pushes {
        event.total += impulse.total_normal();
        for (contact, &impulse) in manifold.contacts().iter().zip(&impulse.normal) {
            if event.largest < impulse {
                (event.largest, event.point, event.normal) = (impulse, acts_at(contact), manifold.normal());
            }
        }
    }
    event
}
