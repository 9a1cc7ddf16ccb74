//! Adapters for peers, so that they do the same work as carom.

pub mod bvh;
pub mod ipctk;
pub mod obvhs;
pub mod parry;
pub mod rapier;
pub mod tree_rows;
