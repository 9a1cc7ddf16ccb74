//! Bodies: mass, pose and motion, and how a body moves in a step without contacts.
//!
//! In a step, `active` lists the bodies that move, and `states` owns their states. `load`,
//! `advance` and `store` are the loops over them.

pub(crate) mod active;
pub(crate) mod advance;
pub(crate) mod body;
pub(crate) mod free;
pub(crate) mod gyroscope;
pub(crate) mod load;
pub(crate) mod locked_axes;
pub(crate) mod mass;
pub(crate) mod motion_bounds;
pub(crate) mod states;
pub(crate) mod store;
