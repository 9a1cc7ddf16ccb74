//! Oracles and conformance suites for the carom crates: slow, simple and independent.
#![forbid(unsafe_code)]
// Suites fail by panicking; nothing here runs outside of tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: corpus/carom/queries.rs is compiled for f32 and again for f64.

extern crate alloc;

pub mod conform;
#[cfg(feature = "query")]
pub mod convex_pairs;
pub mod corpus;
pub mod data;
#[cfg(feature = "world")]
pub mod flights;
pub mod invariants;
pub mod meshes;
pub mod oracle;
pub mod random;
#[cfg(feature = "world")]
pub mod scene_world;
#[cfg(feature = "world")]
pub mod scoreboard;
#[cfg(feature = "query")]
pub mod solids;
#[cfg(feature = "query")]
pub mod tolerances;
pub mod triangle_pairs;
#[cfg(feature = "world")]
pub mod tumble;
#[cfg(feature = "character")]
pub mod walk;
#[cfg(all(feature = "character", feature = "world"))]
pub mod walk_world;
