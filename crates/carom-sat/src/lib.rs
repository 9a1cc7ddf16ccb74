//! Separating axes, clipping and contact manifolds for boxes and hulls. Feature walks for hulls
//! that are apart.
//!
//! Functions that return a manifold exist twice: in `f32` at the crate root, and with the feature
//! `f64` in the module [`f64`](mod@f64). Both call the same algorithms in `f64`; `src/kernel/`
//! converts for each.
//!
//! ```
//! use carom_math::{Pose, Vec3};
//! use carom_sat::box_box;
//!
//! // A unit box rests on a slab and has sunk in by 1 mm.
//! let (slab, unit) = (Vec3::new(5.0, 0.5, 5.0), Vec3::splat(0.5));
//! let on_top = Pose::from_translation(Vec3::new(0.25, 0.999, 0.0));
//! let manifold = box_box::manifold(slab, unit, &on_top, 0.01).unwrap();
//! assert_eq!(manifold.contacts().len(), 4);
//! assert_eq!(manifold.normal(), Vec3::Y);
//! assert!((manifold.deepest().unwrap().distance + 0.001).abs() < 1e-6);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same functions for `f64`.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod box_axes;
mod box_clip;
mod box_contacts;
mod box_deepest;
mod clip;
mod clip_side;
mod closest;
mod counters;
mod feature_contacts;
pub mod feature_walk;
mod few_vertices;
mod gauss_map;
mod hull_contacts;
mod placed_box;
mod reduce;

pub use counters::{Counters, Tally};
pub use gauss_map::HullAxis;
pub use kernel::*;
pub use reduce::Chosen;
