//! Optional properties of single contacts of a step, besides their manifolds: surface velocities,
//! contact settings, round surfaces, impacts. Each list is sorted by contact.
//!
//! Reference: Jolt Physics, `ContactSettings` (properties of a contact that the narrow phase does
//! not find).

use crate::contacts::contact::Contacts;
use crate::contacts::round::RoundContact;
use crate::contacts::settings::{self, ContactSettings};
use crate::contacts::surface::SurfaceVelocity;
use crate::settings::SolverError;
use alloc::vec::Vec;

/// The lists of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactDetails {
    pub(crate) surfaces: Vec<SurfaceVelocity>,
    pub(crate) settings: Vec<ContactSettings>,
    pub(crate) rounds: Vec<RoundContact>,
    /// The contacts that were found at the poses of an impact: see
    /// [`at_impact`](crate::contacts::at_impact).
    pub(crate) at_impact: Vec<u32>,
}

impl ContactDetails {
    pub(crate) fn clear(&mut self) {
        self.surfaces.clear();
        self.settings.clear();
        self.rounds.clear();
        self.at_impact.clear();
    }

    /// Checks the lists. The error names the first entry that is out of its range, out of order,
    /// or of a contact that does not exist.
    pub(crate) fn check(&self, contacts: &Contacts<'_>) -> Result<(), SolverError> {
        let n = contacts.len();
        if let Some(index) = find_bad(&self.surfaces, n, |one| (one.contact, one.is_finite())) {
            return Err(SolverError::SurfaceVelocity(index));
        }
        settings::check(&self.settings, n)?;
        if let Some(index) = find_bad(&self.at_impact, n, |&contact| (contact, true)) {
            return Err(SolverError::ContactAtImpact(index));
        }
        find_bad(&self.rounds, n, |one| (one.contact, one.is_sound()))
            .map_or(Ok(()), |index| Err(SolverError::RoundContact(index)))
    }

    /// Whether the contact was found at the poses of an impact.
    pub(crate) fn is_at_impact(&self, contact: u32) -> bool {
        self.at_impact.binary_search(&contact).is_ok()
    }

    pub(crate) fn surface(&self, contact: u32) -> Option<&SurfaceVelocity> {
        of_contact(&self.surfaces, contact, |surface| surface.contact)
    }

    pub(crate) fn settings(&self, contact: u32) -> Option<&ContactSettings> {
        of_contact(&self.settings, contact, |settings| settings.contact)
    }

    pub(crate) fn round(&self, contact: u32) -> Option<&RoundContact> {
        of_contact(&self.rounds, contact, |round| round.contact)
    }
}

/// Returns the entry of a contact.
fn of_contact<T>(list: &[T], contact: u32, key: impl Fn(&T) -> u32) -> Option<&T> {
    list.binary_search_by_key(&contact, key).ok().map(|index| &list[index])
}

/// Returns the first entry that is unsound, out of order, or not of one of `n_contacts` contacts.
/// `read` returns the contact of an entry, and whether it is sound.
fn find_bad<T>(list: &[T], n_contacts: usize, read: impl Fn(&T) -> (u32, bool)) -> Option<usize> {
    let mut next = 0;
    list.iter().position(|entry| {
        let (contact, is_sound) = read(entry);
        let is_good = is_sound && next <= contact && (contact as usize) < n_contacts;
        next = contact.saturating_add(1);
        !is_good
    })
}
