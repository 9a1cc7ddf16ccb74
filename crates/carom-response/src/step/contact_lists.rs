//! The lists with the optional properties of contacts, which the owner fills before a step.
//!
//! Reference: Jolt Physics, `ContactSettings` (properties of a contact that the narrow phase does
//! not find).

use crate::contacts::round::RoundContact;
use crate::contacts::settings::ContactSettings;
use crate::contacts::surface::SurfaceVelocity;
use crate::solver::Solver;
use alloc::vec::Vec;

impl Solver {
    /// Returns the surface velocities of the next step. Fill the list before the step, sorted by
    /// contact. The step empties it, even if it returns an error.
    pub fn surface_velocities_mut(&mut self) -> &mut Vec<SurfaceVelocity> {
        &mut self.contacts.details.surfaces
    }

    /// Returns the settings of contacts for the next step. Fill the list before the step, sorted by
    /// contact. The step empties it, even if it returns an error.
    pub fn contact_settings_mut(&mut self) -> &mut Vec<ContactSettings> {
        &mut self.contacts.details.settings
    }

    /// Returns the round contacts of the next step. Fill the list before the step, sorted by
    /// contact. The step empties it, even if it returns an error.
    pub fn round_contacts_mut(&mut self) -> &mut Vec<RoundContact> {
        &mut self.contacts.details.rounds
    }

    /// Returns the indices of the contacts that were found at an impact within the next step, not
    /// at its start. Fill the list before the step, ascending. The step empties it, even if it
    /// returns an error.
    ///
    /// In such a manifold, each point is that of the impact, moved back along the path of the
    /// centre of mass of its own body. The distance is how far the bodies approach along the
    /// normal before the impact. The impulse acts on each body at its own point.
    pub fn contacts_at_impact_mut(&mut self) -> &mut Vec<u32> {
        &mut self.contacts.details.at_impact
    }
}
