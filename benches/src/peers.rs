//! What peers need around them to do the same work as carom.

pub mod bvh;
pub mod ipctk;
pub mod obvhs;
pub mod parry;
pub mod rapier;
pub mod tree_rows;
