//! Algorithms that were measured against those of the crates and did not win; kept so that they can
//! be measured again.

pub mod momentum;
