//! When do two moving bodies touch: certified times of impact, rotation included.
//!
//! ```
//! use carom_ccd::Motion;
//! use carom_math::glam::{DQuat, DVec3};
//!
//! // Half a turn a second about z, while the centre goes two metres along x.
//! let (velocity, spin) = (DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 0.0, core::f64::consts::PI));
//! let motion = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, velocity, spin).unwrap();
//! let tip = motion.pose_at(1.0).transform_point(DVec3::X);
//! assert!((tip - DVec3::X).length() < 1e-15);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod impact;
mod motion;

pub use impact::{Clear, Impact, Proof, TimeOfImpact, Undecided, Why};
pub use motion::{Motion, MotionError};
