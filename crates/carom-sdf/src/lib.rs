//! Signed distance fields.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod bake;
mod bounds;
mod bytes;
mod combine;
mod crossings;
mod dense;
mod error;
mod field;
mod function;
mod grid;
#[cfg(feature = "parallel")]
mod par;
mod project;
mod ray;
mod rebake;
mod sample;
mod settings;
mod sign;
mod sparse;
mod surface;

pub use bake::Accuracy;
pub use bounds::DistanceBounds;
pub use dense::SdfGrid;
pub use error::SdfError;
pub use field::Field;
pub use grid::Grid;
pub use project::ClosestSurfacePoint;
pub use ray::{FieldHit, FieldRay, RayOutcome};
pub use sample::Sample;
pub use settings::{BakeSettings, Spacing};
pub use sign::SignMethod;
pub use sparse::SparseSdf;
