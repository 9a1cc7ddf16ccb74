//! Events of colliders, which replace those of their bodies if a body has several colliders.
//!
//! Reference: E. Catto, Box2D 3.1, sensor.c, 2025 (overlaps of the last step and of this one).

use crate::contacts::events::{Event, EventKind};
use crate::contacts::touches::{Touch, find_touches};
use crate::{BodyId, World};
use alloc::vec::Vec;
use carom_broad::BroadPhase;

impl<B: BroadPhase> World<B> {
    /// Runs after the events of pairs of bodies. Replaces those of bodies with several colliders
    /// by the events of their colliders. `has_detected` says whether this detection tested any
    /// pair.
    pub(crate) fn report_colliders(&mut self, has_detected: bool) {
        if self.bodies.composites.is_empty() && self.contacts.touches.is_empty() {
            return;
        }
        let old = core::mem::take(&mut self.contacts.touches);
        let solids = self.bodies.solids([&self.contacts.hooked.apart, &[]]);
        let is_live = |id: BodyId| self.bodies.index_of(id).is_ok();
        let is_composite = |id: BodyId| is_live(id) && solids.traits[id.index as usize].is_composite;
        let mut new = Vec::new();
        let slop = self.settings.solver.slop * self.settings.solver.length_unit;
        let mut active = self.contacts.active_pairs.iter().peekable();
        for (index, state) in (0_u32..).zip(self.contacts.states.iter()) {
            let is_active = has_detected && active.next_if_eq(&&index).is_some();
            let is_its = |id: BodyId| is_composite(id);
            if state.is_gap() || !state.is_wanted || !(is_its(state.a) || is_its(state.b)) {
                continue;
            }
            let key = (state.a, state.b);
            let known = &old[old.partition_point(|touch| (touch.a, touch.b) < key)..];
            let known = &known[..known.partition_point(|touch| (touch.a, touch.b) == key)];
            if is_active {
                let found = (self.contacts.manifolds_of(state), known);
                find_touches(state, found, &solids, &self.bodies.motions, slop, &mut new);
            } else {
                new.extend(known);
            }
        }
        let was_composite =
            |event: &Event| old.binary_search_by(|touch| (touch.a, touch.b).cmp(&(event.a, event.b))).is_ok();
        let is_of_bodies =
            |event: &Event| !(is_composite(event.a) || is_composite(event.b) || was_composite(event));
        let mut events = core::mem::take(&mut self.contacts.events);
        events.retain(is_of_bodies);
        for touch in &new {
            let was = old.binary_search(touch).is_ok();
            events.push(touch.event(if was { EventKind::Persisted } else { EventKind::Began }));
        }
        let has_ended = |touch: &&Touch| new.binary_search(touch).is_err();
        events.extend(old.iter().filter(has_ended).map(|touch| touch.event(EventKind::Ended)));
        events.sort_unstable();
        (self.contacts.events, self.contacts.touches) = (events, new);
    }
}
