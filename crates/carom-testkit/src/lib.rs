//! Oracles and conformance suites for the carom crates.
#![forbid(unsafe_code)]
