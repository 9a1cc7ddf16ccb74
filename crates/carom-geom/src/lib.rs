//! What shape is it: primitives, support maps, hulls, meshes, exact intersection, contacts.
//!
//! Shapes live in their own frame, centred, round ones standing along y; a pose places them. Sizes are checked once,
//! in `new`. Every convex shape is a [`SupportMap`]: core plus margin.
//!
//! ```
//! use carom_geom::{Capsule, SupportMap};
//! use glam::DVec3;
//!
//! let capsule = Capsule::new(0.5, 0.25)?;
//! // The core of a capsule is a segment, its margin the radius.
//! assert_eq!(capsule.support(DVec3::new(1.0, 2.0, 0.0)).point, DVec3::new(0.0, 0.5, 0.0));
//! assert_eq!(capsule.margin(), 0.25);
//! assert!(Capsule::new(0.5, -1.0).is_err());
//! # Ok::<(), carom_geom::ShapeError>(())
//! ```
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

mod bound;
mod check;
mod chord;
pub mod closest;
mod feature_id;
mod flat;
mod hull_build;
mod hull_merge;
mod hull_scan;
mod inscribed;
pub mod line_lanes;
mod normal;
mod point_ellipsoid;
pub mod ray_mesh;
mod round;
pub mod segment_triangle;
mod shape_error;
mod support;
pub mod tri_distance;
pub mod tri_intersection;
pub mod tri_tri;
pub mod tri_tri_lanes;
pub mod winding;

pub use bound::aabb_from_support;
pub use kernel::*;
pub use shape_error::ShapeError;
pub use support::{Feature, MAX_FEATURE_POINTS, NO_VERTEX, SupportMap, SupportPoint};
