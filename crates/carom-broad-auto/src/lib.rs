//! A broad phase that chooses among the other algorithms, and reports the reason.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_broad::{BroadPhase, Filter, Pair};
//! use carom_broad_auto::{Algorithm, Auto};
//! use glam::Vec3;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = Auto::new();
//! let a = broad.insert(cube(0.0), Filter::default())?;
//! broad.insert(cube(1.0), Filter::default())?;
//! let mut pairs = Vec::new();
//! broad.pairs(&mut pairs);
//! assert_eq!(broad.choice().algorithm, Algorithm::BruteForce);
//!
//! // With a thousand more, it switches to a tree; handles, pairs and events stay the same.
//! let boxes: Vec<_> = (2..1000).map(|i| (cube(2.0 * i as f32), Filter::default())).collect();
//! broad.insert_batch(&boxes, &mut Vec::new())?;
//! broad.update(&[(a, cube(3.5))])?;
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, [Pair { a: 0, b: 2 }]);
//! assert_eq!(broad.choice().algorithm, Algorithm::Tree);
//! println!("{}", broad.choice());
//! # Ok::<(), carom_broad::BroadPhaseError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod auto;
#[cfg(feature = "catalogue")]
pub mod catalogue;
mod features;
#[cfg(feature = "kd-octree")]
mod kd_octree;
mod policy;

pub use auto::Auto;
pub use features::Features;
#[cfg(feature = "kd-octree")]
pub use kd_octree::KdOctree;
pub use policy::{Algorithm, AutoSettings, Choice};
