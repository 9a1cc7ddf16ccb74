//! Broad phases on grids: uniform, hierarchical, hashed, and loose octrees.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_broad::{BroadPhase, Filter, Pair, SpatialIndex};
//! use carom_broad_grid::UniformGrid;
//! use glam::Vec3;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = UniformGrid::new();
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
//! | broad phase | use it for | work for a box that moves | slow or large if |
//! |---|---|---|---|
//! | [`CoherentGrid`] | nearly everything: it keeps a list of candidates while motion is small | none while it stays within its margin | all boxes jump: then a little slower than the next |
//! | [`UniformGrid`] | motion without coherence, sizes alike or mixed, little memory | all boxes are sorted again | few of many boxes move |
//! | [`HierarchicalGrid`] | sizes spread evenly over decades | all boxes are sorted again | all sizes are alike; boxes are needles |
//! | [`SpatialHash`] | sizes alike in a wide, empty world; rare searches for pairs | none while it stays in its cells (up to 8) | memory is short; sizes are spread over decades; boxes jump or are needles |
//! | [`LooseOctree`] | many sizes, few movers, many queries | none while its centre stays in its cell | pairs are searched often, above all of needles |
//! | [`LooseQuadtree`] | the same, in worlds much flatter than wide | the same; its height is free | the same; boxes form towers |
//!
//! They do not need the bounds of the world. Tests per box and pair stay below a limit for boxes
//! as large as the world, crowds at one point, and nested clusters (tests:
//! `cliffs::no_world_makes_the_*_fall_off`). The quadtree is an exception: it tests all boxes of a
//! tower against each other.
//!
//! # Memory
//! Upper bounds in bytes for 20,000 boxes, in a sparse and in a dense crowd (tests: `memory`). Add
//! the table of proxies (40 per box) and the log of events (8 per pair, if events are used).
//!
//! | | per box | per pair, while searching |
//! |---|---|---|
//! | [`UniformGrid`] | 64: 28 in the grid, 12 in lists, up to 16 of cells, 8 to count in | 24 |
//! | [`CoherentGrid`] | 194: the same, and the rest for margins, motion and lists | 34: 24 once, and more for each candidate |
//! | [`HierarchicalGrid`] | 114: the same, and room to spare in each level | 24 |
//! | [`SpatialHash`] | 254: 64 in tables, the rest in cells, 1 to 4 for a box | 29 |
//! | [`LooseOctree`], [`LooseQuadtree`] | 174: 36 in tables, the rest in cells | 24 |
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
// Some shared code is unused if only some algorithms are enabled.
#![cfg_attr(not(feature = "all"), allow(dead_code, unreachable_pub))]

extern crate alloc;

#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod cell_search;
mod cells;
#[cfg(feature = "coherent-grid")]
mod coherent;
#[cfg(any(feature = "coherent-grid", feature = "hierarchical-grid", feature = "uniform-grid"))]
mod cull;
#[cfg(any(feature = "coherent-grid", feature = "hierarchical-grid", feature = "uniform-grid"))]
mod dense;
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod descend;
mod find;
#[cfg(feature = "hierarchical-grid")]
mod hierarchical;
mod level;
#[cfg(feature = "loose-octree")]
mod loose_octree;
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod nodes;
mod packed;
#[cfg(feature = "parallel")]
mod par;
mod plan;
#[cfg(any(feature = "coherent-grid", feature = "hierarchical-grid", feature = "uniform-grid"))]
mod query;
mod size;
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod sizes;
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod sparse;
#[cfg(feature = "spatial-hash")]
mod spatial_hash;
#[cfg(any(feature = "coherent-grid", feature = "uniform-grid"))]
mod uniform;
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
mod walk;

#[cfg(feature = "coherent-grid")]
pub use coherent::{CoherentGrid, FatGrids};
#[cfg(any(feature = "hierarchical-grid", feature = "uniform-grid"))]
pub use dense::{DenseGrid, Layout};
#[cfg(feature = "hierarchical-grid")]
pub use hierarchical::{Hierarchical, HierarchicalGrid};
#[cfg(feature = "loose-octree")]
pub use loose_octree::{Flat, Loose, LooseOctree, LooseQuadtree};
#[cfg(any(feature = "loose-octree", feature = "spatial-hash"))]
pub use sparse::{Placement, SparseGrid};
#[cfg(feature = "spatial-hash")]
pub use spatial_hash::{Hashed, SpatialHash};
#[cfg(feature = "uniform-grid")]
pub use uniform::{Uniform, UniformGrid};
