//! Broad phases that sort boxes along axes: the family of sweep and prune.
//!
//! ```
//! use carom_bounds::Aabb;
//! use carom_broad::{BroadPhase, Filter, Pair};
//! use carom_broad_sap::AutoBoxPruning;
//! use glam::Vec3;
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = AutoBoxPruning::new();
//! let mut ids = Vec::new();
//! let boxes: Vec<_> = (0..1000).map(|i| (cube(2.0 * i as f32), Filter::default())).collect();
//! broad.insert_batch(&boxes, &mut ids)?;
//! broad.update(&[(ids[7], cube(13.0))])?; // from 14..15 to 13..14: touches box 6, which ends at 13
//! let mut pairs = Vec::new();
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, [Pair { a: 6, b: 7 }]);
//! # Ok::<(), carom_broad::BroadPhaseError>(())
//! ```
//!
//! # Which one to use
//! All give the same pairs in the same order (test: `cliffs::all_agree_in_every_world`). They
//! differ in the worlds that make them slow.
//!
//! | broad phase | keeps between searches | use it for | slow if |
//! |---|---|---|---|
//! | [`AutoBoxPruning`] | the static boxes | any motion | few boxes move, because it sorts all of them again; boxes are nested in clusters |
//! | [`BoxPruning`] | nothing | up to a few thousand boxes | many boxes overlap along the axis |
//! | [`SweepAndPrune`] | three sorted axes, the pairs | few movers, slow motion, thousands of boxes | many boxes pass many others, or jump |
//! | [`MultiBoxPruning`] | nothing | regions known beforehand | boxes larger than regions |
//! | [`MultiSap`] | three sorted axes in each region | as above, slow motion | as above, and if boxes change regions often |
//! | [`SweepSort`] | nothing | learning how it works, and lines other than the axes | many boxes overlap along the line |
//!
//! With the feature `parallel`, all but [`SweepSort`] and [`SweepAndPrune`] use rayon threads,
//! with the same pairs (test: `threads::same_bytes_on_any_number_of_threads`).
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
// Some shared code is unused if only some algorithms are enabled.
#![cfg_attr(not(feature = "all"), allow(dead_code))]

extern crate alloc;

#[cfg(feature = "auto-box-pruning")]
mod auto_boxes;
mod axis;
#[cfg(feature = "box-pruning")]
mod box_pruning;
mod chunks;
mod columns;
mod keys;
#[cfg(any(feature = "multi-sap", feature = "sweep-and-prune"))]
mod members;
#[cfg(feature = "multi-box-pruning")]
mod multi;
#[cfg(feature = "multi-sap")]
mod multi_sap;
#[cfg(any(feature = "multi-box-pruning", feature = "multi-sap"))]
mod regions;
mod rows;
#[cfg(any(feature = "multi-sap", feature = "sweep-and-prune"))]
mod sap;
#[cfg(any(feature = "multi-sap", feature = "sweep-and-prune"))]
mod settings;
#[cfg(feature = "sweep-and-prune")]
mod sweep_and_prune;
#[cfg(feature = "sweep-sort")]
mod sweep_sort;

#[cfg(feature = "auto-box-pruning")]
pub use auto_boxes::{AutoBoxPruning, ColumnPruner};
#[cfg(feature = "box-pruning")]
pub use box_pruning::{AxisPruner, BoxPruning};
#[cfg(feature = "multi-box-pruning")]
pub use multi::{MultiBoxPruning, RegionPruner};
#[cfg(feature = "multi-sap")]
pub use multi_sap::{MultiSap, RegionAxes};
#[cfg(any(feature = "multi-box-pruning", feature = "multi-sap"))]
pub use regions::Regions;
#[cfg(any(feature = "multi-sap", feature = "sweep-and-prune"))]
pub use settings::SapSettings;
#[cfg(feature = "sweep-and-prune")]
pub use sweep_and_prune::{SortedAxes, SweepAndPrune};
#[cfg(feature = "sweep-sort")]
pub use sweep_sort::{Sweep, SweepLine, SweepSort};
