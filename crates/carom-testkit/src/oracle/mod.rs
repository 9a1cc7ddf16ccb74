//! Slow answers that are obviously right.

pub mod convex;
pub mod depth;
pub mod pairs;
pub mod rational;
pub mod sat;
pub mod triangle;
