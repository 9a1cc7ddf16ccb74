//! Oracles and conformance suites for the carom crates: slow and right.
#![forbid(unsafe_code)]

extern crate alloc;

pub mod conform;
pub mod data;
pub mod meshes;
pub mod oracle;
pub mod random;
