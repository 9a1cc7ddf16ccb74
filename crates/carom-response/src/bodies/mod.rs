//! Bodies: mass, pose and motion, which of them a step moves, and how each moves without contacts.

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
