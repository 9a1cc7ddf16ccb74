//! The order of the phases of a step, the loops that threads share, and validation.

mod callback;
pub(crate) mod chunks;
mod contact_lists;
pub(crate) mod context;
#[cfg(feature = "parallel")]
pub(crate) mod par;
pub(crate) mod substep;
pub(crate) mod substeps;
pub(crate) mod validate;

#[cfg(not(feature = "parallel"))]
pub(crate) use chunks as backend;
#[cfg(feature = "parallel")]
pub(crate) use par as backend;
