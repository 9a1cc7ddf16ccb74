//! Bodies: mass, pose and motion, and how a body moves in a step without contacts.

pub(crate) mod body;
pub(crate) mod free;
pub(crate) mod gyroscope;
pub(crate) mod locked_axes;
pub(crate) mod mass;
pub(crate) mod motion_bounds;
