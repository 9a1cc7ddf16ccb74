//! The stages of a step around the substeps: preparation, loops over chunks, storing, validation.

pub(crate) mod chunks;
mod contact_lists;
#[cfg(feature = "parallel")]
pub(crate) mod par;
pub(crate) mod prepare;
pub(crate) mod store;
pub(crate) mod substep;
pub(crate) mod validate;
