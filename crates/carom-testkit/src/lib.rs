//! Oracles and conformance suites for the carom crates: slow and right.
#![forbid(unsafe_code)]

pub mod data;
pub mod oracle;
