//! Any shape against any shape: do they touch, how far apart, how deep, where; rays and points.
//!
//! Every function takes two shapes with their poses in the world and answers in the world frame. Every pair of
//! [`Shape`]s has every question; shapes of your own join as [`Shape::User`].
//!
//! ```
//! use carom_geom::{Cuboid, Sphere};
//! use carom_math::{Pose, Vec3};
//! use carom_query::{Shape, contact, distance, intersects};
//!
//! let ball = Shape::Sphere(Sphere::new(0.5)?);
//! let brick = Shape::Cuboid(Cuboid::new(Vec3::new(1.0, 0.5, 0.5))?);
//! let (here, there) = (Pose::IDENTITY, Pose::from_translation(Vec3::new(0.0, 1.25, 0.0)));
//!
//! assert!(!intersects(&brick, &here, &ball, &there));
//! let gap = distance(&brick, &here, &ball, &there);
//! assert_eq!((gap.distance, gap.point_a, gap.point_b), (0.25, Vec3::Y * 0.5, Vec3::Y * 0.75));
//!
//! // Deeper by 0.3: the contact says how far B must move along the normal.
//! let deep = contact(&brick, &here, &ball, &Pose::from_translation(Vec3::Y * 0.7), 0.0).unwrap();
//! assert!((deep.contact.distance + 0.3).abs() < 1e-6 && deep.contact.normal == Vec3::Y);
//! # Ok::<(), carom_geom::ShapeError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod)] // The two-precision seam: kernel/ is compiled for f32 and again for f64.

extern crate alloc;

#[path = "kernel/mod.rs"]
mod kernel;
mod num;

/// The same queries for `f64`.
#[cfg(feature = "f64")]
#[path = "twin.rs"]
pub mod f64;

mod closest;
mod ray_convex;
mod winding_tree;
mod workspace;

pub use carom_gjk::Outcome;
pub use kernel::*;
pub use winding_tree::WindingNumber;
pub use workspace::Workspace;
