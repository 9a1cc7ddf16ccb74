//! The data of a step that no phase changes: settings, contacts, and lengths.
//!
//! Reference: Box2D 3.2, `b2StepContext`.

use crate::contacts::contact::Contacts;
use crate::settings::SolverSettings;
use carom_math::Real;

/// The settings and the contacts of a step, with the lengths of the step and of its substeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepContext<'a> {
    pub(crate) settings: SolverSettings,
    /// The contacts of the caller.
    pub(crate) contacts: &'a Contacts<'a>,
    /// The length of the step, a time.
    pub(crate) dt: Real,
    /// The length of a substep.
    pub(crate) h: Real,
    pub(crate) n_substeps: u32,
}
