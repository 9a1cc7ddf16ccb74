//! What shape is it: primitives, support maps, hulls, meshes, exact intersection, contacts.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

extern crate alloc;

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same shapes for `f64`.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod support;

pub use kernel::*;
pub use support::{Feature, MAX_FEATURE_POINTS, NO_VERTEX, SupportMap, SupportPoint};
