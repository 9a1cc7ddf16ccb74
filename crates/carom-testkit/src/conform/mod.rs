//! One conformance suite per trait. Each implementation of the trait runs it.

pub mod bounding_volume;
pub mod broad_phase;
pub mod bvh;
pub mod cliffs;
pub mod dice;
pub mod element_ccd;
#[cfg(feature = "deform")]
pub mod following_tree;
pub mod memory;
#[cfg(feature = "neighbours")]
pub mod neighbour_search;
pub mod renewal;
pub mod spatial_index;
pub mod support_map;
pub mod threads;
