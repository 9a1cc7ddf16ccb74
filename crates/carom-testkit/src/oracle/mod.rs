//! Oracles: slow answers that are obviously right.

#[cfg(feature = "bsp")]
pub mod brush;
pub mod certificate;
pub mod contain;
pub mod convex;
pub mod depth;
pub mod impact;
pub mod integer;
pub mod moving;
pub mod pairs;
pub mod rational;
pub mod sat;
pub mod solid;
pub mod tetrahedra;
pub mod triangle;
