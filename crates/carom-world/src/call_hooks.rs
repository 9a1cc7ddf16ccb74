//! The step in which hooks are called: after detection, before anything moves.
//!
//! Reference: rapier 0.36, `PhysicsHooks::modify_solver_contacts`.

use crate::World;
use crate::bodies::BodySet;
use crate::contacts::ContactSet;
use crate::contacts::rules::set;
use crate::hooks::{ContactMut, Hooks};
use carom_broad::{BroadPhase, Pair};

impl<B: BroadPhase> World<B> {
    /// Calls the hooks: which pairs are left out in this step, and what material the others have.
    pub(crate) fn call_hooks(&mut self, hooks: Option<&dyn Hooks>) {
        self.contacts.hooked.materials.clear();
        if self.bodies.n_hooked == 0 {
            return;
        }
        // Pairs of which a body is removed, or that are apart, are new when they meet again.
        let ContactSet { hooked, pairs, .. } = &mut self.contacts;
        hooked.memory.retain(|&([a, b], _)| pairs.binary_search(&Pair { a, b }).is_ok());
        for number in 0..self.contacts.active_pairs.len() {
            self.call_hooks_of(self.contacts.active_pairs[number], hooks);
        }
    }

    fn call_hooks_of(&mut self, place: u32, hooks: Option<&dyn Hooks>) {
        let BodySet { traits, motions, .. } = &self.bodies;
        let record = &self.contacts.records[place as usize];
        let pair = [record.a.index as usize, record.b.index as usize];
        if record.is_sensor || !record.is_wanted || !pair.iter().any(|&index| traits[index].has_hooks) {
            return;
        }
        let goes_far = |&index: &usize| {
            traits[index].is_fast || self.continuous.swift.get(index).is_some_and(|is_swift| *is_swift)
        };
        let has_contacts = 0 < record.n;
        let mut is_enabled = true;
        let key = [record.a.index, record.b.index];
        let mut memory = None;
        if let Some(hooks) = hooks.filter(|_| has_contacts || pair.iter().any(goes_far)) {
            let known = &self.contacts.hooked.memory;
            let known = known.binary_search_by_key(&key, |(key, _)| *key).map_or(0, |at| known[at].1);
            let [a, b] = pair.map(|index| &traits[index]);
            let mixed = a.mixed_with(b);
            let mut contact = ContactMut {
                a: record.a,
                b: record.b,
                bodies: pair.map(|index| &motions[index]),
                user_data: [a.user_data, b.user_data],
                manifolds: self.contacts.manifolds_of(record),
                memory: if has_contacts { known } else { 0 },
                friction: mixed[0],
                restitution: mixed[1],
                is_enabled: true,
            };
            hooks.modify_contact(&mut contact);
            let is_amount = |x: f32| 0.0 <= x && x < f32::INFINITY;
            let wanted = [contact.friction, contact.restitution];
            let material = [0, 1].map(|k| if is_amount(wanted[k]) { wanted[k] } else { mixed[k] });
            is_enabled = contact.is_enabled;
            memory = Some(contact.memory).filter(|memory| has_contacts && *memory != 0);
            if material != mixed {
                self.contacts.hooked.materials.push((place, material));
            }
        }
        let ContactSet { hooked, records, .. } = &mut self.contacts;
        set(&mut hooked.memory, key, memory);
        records[place as usize].is_disabled = !is_enabled;
    }

    /// After the contacts were handed over: the friction and restitution that hooks gave some of
    /// them.
    pub(crate) fn hand_over_materials(&mut self) {
        let ContactSet { hooked, records, scratch, .. } = &mut self.contacts;
        for &(place, [friction, restitution]) in &hooked.materials {
            let own = records[place as usize].solved_range();
            for link in scratch.contacts.get_mut(own).unwrap_or_default() {
                (link.friction, link.restitution) = (friction, restitution);
            }
        }
    }
}
