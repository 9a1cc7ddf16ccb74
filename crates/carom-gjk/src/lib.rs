//! Distance and depth of convex shapes: GJK and EPA on support maps, with bounds that hold (tests:
//! `curved::every_answer_comes_with_its_proof`, `total::a_limit_of_rounds_gives_bounds_that_hold`).
//!
//! Each function exists twice: rounded to `f32` at the crate root, and with the feature `f64` in
//! the module [`f64`](mod@f64). Both decide in `f64`, in [`wide`], which can be called directly.
//! The pose of B is given in A's frame, and answers are in A's frame.
//!
//! ```
//! use carom_geom::{SupportMap, SupportPoint};
//! use carom_gjk::{GjkSettings, Outcome, intersects, signed_distance};
//! use carom_math::{Pose, Vec3, glam::DVec3};
//!
//! /// Any convex shape can be used through its support map: here a box.
//! struct Box3(DVec3);
//! impl SupportMap for Box3 {
//!     fn support(&self, direction: DVec3) -> SupportPoint {
//!         let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
//!         let corner = DVec3::new(sign(direction.x), sign(direction.y), sign(direction.z));
//!         SupportPoint { point: corner * self.0, vertex: carom_geom::NO_VERTEX }
//!     }
//!     fn center(&self) -> DVec3 {
//!         DVec3::ZERO
//!     }
//!     fn radius(&self) -> f64 {
//!         self.0.length()
//!     }
//! }
//!
//! let (a, b) = (Box3(DVec3::ONE), Box3(DVec3::splat(0.5)));
//! let settings = GjkSettings::default();
//! let beside = Pose::from_translation(Vec3::new(2.0, 0.0, 0.0));
//! let apart = signed_distance(&a, &b, &beside, &settings, None);
//! assert_eq!((apart.distance, apart.outcome), (0.5, Outcome::Exact));
//! assert_eq!(apart.normal, Vec3::X);
//!
//! let into = Pose::from_translation(Vec3::new(1.25, 0.0, 0.0));
//! assert_eq!(signed_distance(&a, &b, &into, &settings, None).distance, -0.25);
//! assert!(intersects(&a, &b, &into, &settings, None).intersects);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same functions with answers in `f64`.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod cache;
mod epa;
mod gjk;
mod minkowski;
mod nearest;
mod outcome;
mod polytope;
mod settings;
mod simplex;
pub mod wide;

pub use cache::GjkCache;
pub use kernel::*;
pub use nearest::{NearestSimplex, nearest_simplex};
pub use outcome::{Counters, Outcome};
pub use settings::GjkSettings;
