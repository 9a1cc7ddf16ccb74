//! Contacts: the input of the solver, and the optional properties of single contacts.

pub(crate) mod at_impact;
pub(crate) mod combine;
pub(crate) mod contact;
pub(crate) mod details;
pub(crate) mod round;
pub(crate) mod settings;
pub(crate) mod step_contacts;
pub(crate) mod summary;
pub(crate) mod surface;
