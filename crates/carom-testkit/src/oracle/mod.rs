//! Slow answers that are obviously right.

pub mod convex;
pub mod depth;
pub mod sat;
