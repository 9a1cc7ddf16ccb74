//! Optional properties of single contacts of a step, besides their manifolds: surface velocities,
//! contact settings, round surfaces. Each list is sorted by contact.
//!
//! Reference: Jolt Physics, `ContactSettings` (properties of a contact that the narrow phase does
//! not find).

use crate::contact::Contacts;
use crate::contact_settings::{self, ContactSettings};
use crate::round_contact::{self, RoundContact};
use crate::settings::SolverError;
use crate::surface::{self, SurfaceVelocity};
use alloc::vec::Vec;

/// The lists of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactDetails {
    pub(crate) surfaces: Vec<SurfaceVelocity>,
    pub(crate) settings: Vec<ContactSettings>,
    pub(crate) rounds: Vec<RoundContact>,
}

impl ContactDetails {
    pub(crate) fn clear(&mut self) {
        self.surfaces.clear();
        self.settings.clear();
        self.rounds.clear();
    }

    /// Errors: the first entry of a list that is out of its range, out of order, or not of one of
    /// the contacts.
    pub(crate) fn check(&self, contacts: &Contacts<'_>) -> Result<(), SolverError> {
        if let Some(place) = surface::find_bad(&self.surfaces, contacts.len()) {
            return Err(SolverError::SurfaceVelocity(place));
        }
        contact_settings::check(&self.settings, contacts.len())?;
        round_contact::find_bad(&self.rounds, contacts.len())
            .map_or(Ok(()), |place| Err(SolverError::RoundContact(place)))
    }
}
