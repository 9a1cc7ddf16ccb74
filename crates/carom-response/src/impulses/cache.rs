//! The impulses of the last step, for the warm start of the next one. Without them stacks fall.
//!
//! - Each active contact is matched with its cached pair: see [`ImpulseList`]. Below rollers it is
//!   matched across pairs: see [`Seams`].
//! - If a pair comes to rest, its impulses move to [`SleepingImpulses`].
//! - The impulses of this step replace those of the last one at its end.
//!
//! Reference: E. Catto, Iterative Dynamics with Temporal Coherence, GDC 2005 (warm starting).

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::contacts::contact::PairKey;
use crate::contacts::step_contacts::StepContacts;
use crate::contacts::summary::{NOT_MATCHED, Summary};
use crate::impulses::impulse_list::{CachedImpulse, ImpulseList};
use crate::impulses::seams::{SeamInput, Seams};
use crate::impulses::sleeping::SleepingImpulses;
use crate::step::backend;
use crate::step::context::StepContext;
use alloc::vec::Vec;
use carom_math::{Real, Vec3};

/// The impulses from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpulseCache {
    /// The pairs of the last step.
    pub(crate) last: ImpulseList,
    /// The pairs of this step; workspace.
    pub(crate) next: ImpulseList,
    /// The length of the substeps of the last step, in which its impulses acted.
    pub(crate) h: Real,
    /// The impulses of pairs at rest.
    pub(crate) sleeping: SleepingImpulses,
    /// For each active contact: its position in `last`; workspace.
    pub(crate) matched: Vec<u32>,
    /// Positions in `last` of the pairs that are no longer among the contacts; workspace.
    unmatched: Vec<u32>,
    /// Bodies that were removed since the last step. Their pairs are in `last`.
    removed: Vec<u32>,
    seams: Seams,
}

impl ImpulseCache {
    /// Drops all impulses.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
        self.sleeping.clear();
        self.removed.clear();
    }

    /// Drops the impulses of a body that is removed. Those of the last step are dropped later, for
    /// all removed bodies at once.
    pub(crate) fn forget(&mut self, body: u32) {
        self.sleeping.forget(body);
        self.removed.push(body);
    }

    /// Returns the pairs of the last step whose bodies still exist, sorted by key.
    pub(crate) fn present(&self) -> impl Iterator<Item = CachedImpulse> {
        let mut removed = self.removed.clone();
        removed.sort_unstable();
        let is_removed = move |body: &u32| removed.binary_search(body).is_ok();
        self.last.iter().filter(move |cached| !cached.manifold_key.key.bodies().iter().any(&is_removed))
    }

    /// Drops the pairs of the last step whose bodies were removed.
    fn drop_removed(&mut self) {
        if self.removed.is_empty() {
            return;
        }
        self.removed.sort_unstable();
        let is_removed = |body: u32| self.removed.binary_search(&body).is_ok();
        self.last.order.retain(|(key, _)| !key.bodies().into_iter().any(is_removed));
        self.removed.clear();
    }

    /// Returns the force of the contacts of two bodies on B: that of the last substep in which they
    /// were solved. Zero without contacts.
    pub(crate) fn force_on(&self, [a, b]: [u32; 2]) -> Vec3 {
        let known = [[a, b], [b, a]].into_iter();
        let asleep =
            known.clone().flat_map(|bodies| self.sleeping.between(bodies)).map(|(h, own)| own.force_on(b, h));
        let awake = known.flat_map(|bodies| self.last.between(bodies)).map(|own| own.force_on(b, self.h));
        asleep.chain(awake).sum()
    }

    /// Restores the impulses of bodies that slept until now.
    pub(crate) fn wake(&mut self, active: &ActiveBodies) {
        let woken = self.sleeping.take_bodies(active.indices(), self.h);
        self.last.extend(woken);
    }

    /// Finds the cached pair of each active contact. Pairs that came to rest are stored with a
    /// body, and those of sleeping bodies that are touched are restored.
    pub(crate) fn match_contacts(
        &mut self,
        context: &StepContext<'_>,
        contacts: &StepContacts,
        active: &ActiveBodies,
        bodies: &[Body],
    ) {
        self.drop_removed();
        let ImpulseCache { last, matched, unmatched, .. } = self;
        matched.resize(contacts.active.len(), NOT_MATCHED);
        unmatched.clear();
        backend::match_cached(&contacts.summaries, &contacts.active, &last.order, matched, unmatched);
        self.store_resting(active, bodies);
        if !self.sleeping.is_empty() {
            self.take_touched(contacts, active, bodies);
        }
        let ImpulseCache { last, matched, unmatched, seams, .. } = self;
        let input = SeamInput { given: context.contacts, contacts, active, bodies, dt: context.dt };
        seams.pass(&input, last, matched, unmatched);
    }

    /// Stores the impulses of each pair that does not move, with a dynamic body, until the pair
    /// moves again.
    fn store_resting(&mut self, active: &ActiveBodies, bodies: &[Body]) {
        let is_at_rest = |body: u32| (body as usize) < bodies.len() && !active.moves(body);
        for &index in &self.unmatched {
            let Some(cached) = self.last.get(index) else { continue };
            let PairKey { body_a, body_b, .. } = cached.manifold_key.key;
            let sleeper = [body_b, body_a].into_iter().find(|&body| active.is_left_out(bodies, body));
            if let Some(body) = sleeper.filter(|_| is_at_rest(body_a) && is_at_rest(body_b)) {
                self.sleeping.put(body, &cached, self.h);
            }
        }
    }

    /// Restores the impulses of sleeping bodies that an active one touches without waking them.
    fn take_touched(&mut self, contacts: &StepContacts, active: &ActiveBodies, bodies: &[Body]) {
        for (&contact, matched) in contacts.active.iter().zip(&mut self.matched) {
            let Summary { key, is_new, .. } = contacts.summaries[contact as usize];
            let has_sleeper = || key.bodies().into_iter().any(|body| active.is_left_out(bodies, body));
            if *matched != NOT_MATCHED || !has_sleeper() {
                continue;
            }
            if is_new {
                self.sleeping.forget_pair(key);
            } else if let Some(known) = self.sleeping.take_pair(key, self.h) {
                *matched = self.last.push(&known);
            }
        }
    }

    /// Writes the order of the pairs of this step. `lanes` has the lane of each active contact.
    pub(crate) fn write_order(&mut self, contacts: &StepContacts, lanes: &[u32]) {
        let order = &mut self.next.order;
        order.resize(contacts.active.len(), (PairKey::default(), 0));
        backend::write_order(&contacts.summaries, &contacts.active, lanes, order);
    }

    /// Ends a step with substeps of length `h`: its impulses become those of the last step.
    pub(crate) fn finish(&mut self, h: Real) {
        core::mem::swap(&mut self.last, &mut self.next);
        self.h = h;
    }

    /// Shrinks lists that are far larger than their contents.
    pub(crate) fn shrink_unused(&mut self) {
        self.last.shrink_unused();
        self.next.shrink_unused();
    }
}
