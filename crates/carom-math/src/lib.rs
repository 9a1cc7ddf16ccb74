//! Poses, planes, rays, roots, eigenvectors, exact predicates and tolerances.
//!
//! The types of `src/kernel/` exist twice: in `f32` at the crate root, and with the feature `f64`
//! in the module [`f64`](mod@f64). Both make their decisions in `f64` ([`WidePose`],
//! [`predicates`]). They differ in the numbers that they store and return.
//!
//! ```
//! use carom_math::{Pose, Quat, Vec3};
//!
//! let a = Pose::new(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2), Vec3::new(1.0, 0.0, 0.0));
//! let b = Pose::from_translation(Vec3::new(1.0, 2.0, 0.0));
//! // The pose of b in the frame of a (eq. 25.4 of Real-Time Rendering: M_A^-1 M_B).
//! let b_in_a = b.relative_to(&a);
//! assert!((b_in_a.translation - Vec3::new(2.0, 0.0, 0.0)).length() < 1e-6);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same types and functions for `f64`.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod budget;
pub mod clock;
#[cfg(feature = "f64")]
mod convert;
pub mod double_double;
pub mod exact_number;
pub mod exact_sum;
pub mod ops;
pub mod predicates;
pub mod rounding;
pub mod scaling;
pub mod splitmix;
pub mod tol;
mod wide;

pub use budget::Budget;
pub use glam;
pub use kernel::*;
pub use num::{EPSILON, Mat3, Quat, Real, Vec3, Vec3A};
pub use wide::WidePose;
