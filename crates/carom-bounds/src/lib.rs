//! What surely contains it: bounding volumes in `f32`, conservative whatever rounding did.
//!
//! ```
//! use carom_bounds::{Aabb, BoundingVolume};
//! use glam::Vec3;
//!
//! let a = Aabb::new(Vec3::ZERO, Vec3::ONE)?;
//! let b = Aabb::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 1.0))?;
//! assert!(a.overlaps(&b)); // touching counts
//! assert_eq!(a.merged(&b), Aabb::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0))?);
//! # Ok::<(), carom_bounds::BoundsError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod aabb;
#[cfg(feature = "serde")]
mod array_serde;
mod frame;
mod kdop;
mod kdop_vertices;
mod moments;
mod obb;
mod obb_covariance;
mod obb_fit;
mod outward;
mod packet;
mod rectangle;
mod sphere;
mod sphere_fit;
mod swept_distance;
mod swept_fit;
mod swept_sphere;
mod volume;

pub use aabb::Aabb;
pub use kdop::{KDop, Slabs};
pub use moments::Moments;
pub use obb::Obb;
pub use packet::{Aabb8, overlaps_packets};
pub use sphere::Sphere;
pub use swept_sphere::{Lss, Rss, SweptSphere};
pub use volume::{BoundingVolume, BoundsError};
