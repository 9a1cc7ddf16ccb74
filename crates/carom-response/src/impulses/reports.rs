//! The impulses that a step reports for the contacts of the caller.

use crate::contacts::contact::ContactImpulse;
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::constraints::ContactConstraints;
use crate::memory;
use crate::step::backend;
use alloc::vec::Vec;

/// The impulses that a step reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactReports {
    /// By contact of the caller.
    pub(crate) impulses: Vec<ContactImpulse>,
    /// By lane: lane `k` of group `g` is at `8 * g + k`. Workspace.
    by_lane: Vec<ContactImpulse>,
    /// The impulses of the bounces of the step, by contact, in the order in which they happened.
    pub(crate) bounces: Vec<(u32, ContactImpulse)>,
}

impl ContactReports {
    /// Begins a step with this number of contacts. Their impulses are overwritten later.
    pub(crate) fn begin(&mut self, n_contacts: usize) {
        memory::renew(&mut self.impulses, n_contacts, ContactImpulse::default());
        self.bounces.clear();
    }

    /// Reports that no contact has an impulse.
    pub(crate) fn set_zero(&mut self) {
        self.impulses.fill(ContactImpulse::default());
    }

    /// Reads solved constraints. `cached` gets the impulses of one substep, by lane.
    pub(crate) fn store(
        &mut self,
        constraints: &ContactConstraints,
        contacts: &StepContacts,
        cached: &mut [ContactImpulse],
    ) {
        let ContactReports { impulses, by_lane, .. } = self;
        let (groups, lanes) = (constraints.groups(), constraints.lanes());
        // All entries are overwritten.
        memory::renew(by_lane, 8 * groups.len(), ContactImpulse::default());
        backend::store_groups(constraints.colors(), groups, cached, by_lane);
        if contacts.are_all_active() {
            return backend::sort_reports(lanes, by_lane, impulses);
        }
        impulses.fill(ContactImpulse::default());
        for (&contact, &lane) in contacts.active.iter().zip(lanes) {
            impulses[contact as usize] = by_lane[lane as usize];
        }
    }

    /// Adds the impulses of bounces.
    pub(crate) fn add_bounces(&mut self) {
        for (contact, bounce) in &self.bounces {
            self.impulses[*contact as usize].add(bounce);
        }
    }

    /// Shrinks lists that are far larger than their contents.
    pub(crate) fn shrink_unused(&mut self) {
        memory::shrink_unused(&mut self.impulses);
        memory::shrink_unused(&mut self.by_lane);
    }
}
