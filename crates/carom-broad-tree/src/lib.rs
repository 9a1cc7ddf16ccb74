//! Broad phases on trees of boxes.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_broad::{BroadPhase, Filter, Pair, SpatialIndex};
//! use carom_broad_tree::DynamicBvh;
//! use glam::Vec3;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = DynamicBvh::new();
//! let mut ids = Vec::new();
//! let boxes: Vec<_> = (0..1000).map(|i| (cube(2.0 * i as f32), Filter::default())).collect();
//! broad.insert_batch(&boxes, &mut ids)?;
//! broad.update(&[(ids[7], cube(13.0))])?; // from 14..15 to 13..14: touches box 6, which ends at 13
//! let mut pairs = Vec::new();
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, [Pair { a: 6, b: 7 }]);
//!
//! assert_eq!(broad.nearest(Vec3::new(-3.0, 0.5, 0.5), 10.0).map(|hit| hit.index), Some(0));
//! # Ok::<(), carom_broad::BroadPhaseError>(())
//! ```
//!
//! # Which one to use
//! | broad phase | keeps between searches | use it for |
//! |---|---|---|
//! | [`DynamicBvh`] | a list of candidates and the tree it came from, while motion is coherent | nearly everything |
//! | [`RebuiltBvh`] | nothing | motion without coherence, boxes that come and go, many spatial queries right after motion; less memory |
//! | [`KdTree`] | its planes, and on which side of them each box is, while they separate the boxes well | coherent motion of boxes of many sizes, unevenly spread; needles |
//!
//! The pairs are the same in the same order (tests: `dynamic::conforms_to_broad_phase`, and those
//! of `rebuilt` and `kd`). A search from scratch stays below a limit of tests per box and pair in
//! all worlds of the test `cliffs::no_world_makes_it_fall_off`. With the feature `parallel`, all
//! search on rayon threads, and the first two also build their trees there.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
// Some shared code is unused if only some algorithms are enabled.
#![cfg_attr(not(feature = "all"), allow(dead_code))]

extern crate alloc;

#[cfg(feature = "dynamic-bvh")]
mod dynamic;
mod find;
#[cfg(feature = "kd-tree")]
mod kd;
mod order;
#[cfg(feature = "parallel")]
mod par;
mod query;
#[cfg(feature = "rebuilt-bvh")]
mod rebuilt;
mod tree;

#[cfg(feature = "dynamic-bvh")]
pub use dynamic::{DynamicBvh, FatTree};
#[cfg(feature = "kd-tree")]
pub use kd::{KdTree, PlaneTree};
#[cfg(feature = "rebuilt-bvh")]
pub use rebuilt::{RebuiltBvh, TreeMaker};
