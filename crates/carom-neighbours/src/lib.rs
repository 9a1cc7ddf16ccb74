//! Which of very many points lie within a radius of each other?
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

#[macro_use]
extern crate alloc;

mod brute_force;
mod cells;
mod error;
mod grid;
mod hierarchical;
mod lists;
#[cfg(feature = "parallel")]
mod par;
mod rows;
mod search;
mod sorted;
mod tree;
mod walk;
mod within;

pub use brute_force::BruteForce;
pub use error::NeighbourError;
pub use grid::NeighbourGrid;
pub use hierarchical::{HierarchicalGrid, Reach};
pub use lists::NeighbourLists;
pub use search::NeighbourSearch;
pub use tree::NeighbourTree;
pub use within::is_within;

use glam::Vec3;

/// The most points of a search: 2^31.
pub const MAX_POINTS: usize = 1 << 31;

/// The most pairs of an answer, unless another limit is set: 2^27, whose lists take 1 GiB.
pub const DEFAULT_MAX_PAIRS: usize = 1 << 27;

/// Points that are tested at a time.
const LANES: usize = 8;

/// A radius can be used, or the error that says why not.
fn check_radius(radius: f32) -> Result<(), NeighbourError> {
    if radius.is_finite() && 0.0 <= radius { Ok(()) } else { Err(NeighbourError::BadRadius { radius }) }
}

/// All points can be used, or the error that names the first that cannot.
fn check_points(points: &[Vec3]) -> Result<(), NeighbourError> {
    if MAX_POINTS < points.len() {
        return Err(NeighbourError::TooMany);
    }
    match points.iter().position(|p| !p.is_finite()) {
        Some(point) => Err(NeighbourError::NotFinite { point }),
        None => Ok(()),
    }
}
