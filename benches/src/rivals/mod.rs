//! Algorithms that were slower than those of the crates. They are kept so that they can be
//! measured again.

pub mod momentum;
