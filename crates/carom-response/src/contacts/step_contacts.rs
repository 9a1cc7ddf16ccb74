//! The contacts of a step: checks, summaries, and the choice of those that are solved.
//!
//! A contact is *active* if it has points and moves one of its bodies. The active contacts are
//! solved in the order of their keys.
//!
//! Reference: E. Catto, Simulation Islands and Solver2D, box2d.org, 2023 and 2024.

use crate::bodies::active::ActiveBodies;
use crate::contacts::contact::{Contacts, PairKey};
use crate::contacts::details::ContactDetails;
use crate::contacts::summary::Summary;
use crate::memory;
use crate::settings::{SolverError, SolverSettings};
use crate::step::backend;
use alloc::vec::Vec;

/// The contacts of a step, with the optional properties that the caller gave them.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepContacts {
    /// The optional details of contacts. Each step empties them.
    pub(crate) details: ContactDetails,
    /// One for each contact of the caller.
    pub(crate) summaries: Vec<Summary>,
    /// Whether all contacts are plain:
    /// [`Verdict::are_plain`](crate::contacts::summary::Verdict::are_plain).
    are_plain: bool,
    /// The indices of the active contacts, sorted by key.
    pub(crate) active: Vec<u32>,
    /// Those of them that bounce.
    pub(crate) bouncing: Vec<u32>,
}

impl StepContacts {
    /// Reads every contact once: validates it, and writes its summary.
    pub(crate) fn summarize(
        &mut self,
        n_bodies: usize,
        contacts: &Contacts<'_>,
        settings: &SolverSettings,
    ) -> Result<(), SolverError> {
        memory::renew(&mut self.summaries, contacts.len(), Summary::default());
        let verdict = backend::summarize(contacts, 0, n_bodies, settings.slop_length(), &mut self.summaries);
        self.are_plain = verdict.are_plain;
        if !verdict.are_good {
            return first_fault(n_bodies, contacts);
        }
        self.details.check(contacts)?;
        for settings in &self.details.settings {
            settings.apply_to(&mut self.summaries[settings.contact as usize]);
        }
        Ok(())
    }

    /// Selects the active contacts. Plain contacts are all selected, even those that move no body:
    /// the colouring finds these, and [`StepContacts::find_active`] then leaves them out.
    pub(crate) fn select(&mut self, bodies: &ActiveBodies) {
        if !self.are_plain {
            return self.find_active(bodies);
        }
        self.active.clear();
        self.active.extend(0..self.summaries.len() as u32);
        self.bouncing.clear();
    }

    /// Finds the active contacts, sorted by key, and those of them that bounce.
    pub(crate) fn find_active(&mut self, bodies: &ActiveBodies) {
        let StepContacts { summaries, active, bouncing, .. } = self;
        active.clear();
        for (k, summary) in summaries.iter().enumerate() {
            let PairKey { body_a, body_b, .. } = summary.key;
            if 0 < summary.n_contacts && (bodies.moves(body_a) || bodies.moves(body_b)) {
                active.push(k as u32);
            }
        }
        let key = |k: &u32| summaries[*k as usize].key;
        if !active.is_sorted_by_key(key) {
            active.sort_by_key(key);
        }
        bouncing.clear();
        bouncing.extend(active.iter().copied().filter(|k| summaries[*k as usize].bounces));
    }

    /// Whether every contact is active, in the order of the caller.
    pub(crate) fn are_all_active(&self) -> bool {
        let in_order = || self.active.iter().zip(0..).all(|(&contact, k)| contact == k);
        self.active.len() == self.summaries.len() && in_order()
    }

    /// Shrinks a list that is far larger than its contents.
    pub(crate) fn shrink_unused(&mut self) {
        memory::shrink_unused(&mut self.summaries);
    }
}

/// Returns the first fault of a contact.
fn first_fault(n_bodies: usize, contacts: &Contacts<'_>) -> Result<(), SolverError> {
    for k in 0..contacts.len() {
        if !contacts.is_whole(k) {
            return Err(SolverError::ContactManifold(k));
        }
        let contact = contacts.get(k);
        if !contact.key().is_between(n_bodies) {
            return Err(SolverError::ContactBody(k));
        }
        if let Some((what, value)) = contact.bad_number() {
            return Err(SolverError::ContactNumber { contact: k, what, value });
        }
    }
    Ok(())
}
