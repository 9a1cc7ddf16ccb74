//! Contacts: the input of the solver, and what may be said about a single contact.

pub(crate) mod combine;
pub(crate) mod contact;
pub(crate) mod details;
pub(crate) mod round;
pub(crate) mod settings;
pub(crate) mod summary;
pub(crate) mod surface;
