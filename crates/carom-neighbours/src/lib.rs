//! Finds which of very many points lie within a radius of each other.
//!
//! A [`NeighbourGrid`] has one radius. In each step, pass the points, then search. A search gives
//! all pairs, the neighbours of each point, or calls a closure without a list.
//!
//! ```
//! use carom_neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch};
//! use glam::Vec3;
//!
//! let points: Vec<Vec3> = (0..1000)
//!     .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) * 0.5)
//!     .collect();
//! let mut grid = NeighbourGrid::new(0.5)?; // The radius, in the unit of the points.
//! grid.set_points(&points)?; // In each step.
//!
//! let mut pairs = Vec::new(); // Memory, kept from step to step.
//! grid.collect_pairs(&mut pairs)?;
//! assert_eq!(pairs.len(), 2700); // Each pair once, the smaller number first.
//!
//! let mut lists = NeighbourLists::default();
//! grid.collect_lists(&mut lists)?;
//! lists.sort();
//! assert_eq!(lists.of(555), [455, 545, 554, 556, 565, 655]);
//! # Ok::<(), carom_neighbours::NeighbourError>(())
//! ```
//!
//! # The rule
//! Two points are neighbours if their distance is at most the radius. [`is_within`] decides by one
//! expression in `f64`, in each search (test: `tree::answers_are_those_of_brute_force`). So it is
//! symmetric to the bit, for large and small `f32` too. Equal points are neighbours, even with
//! radius 0. No point is a neighbour of itself.
//!
//! # Bounded memory and time
//! The memory of a grid depends on the number of its points, not on their positions (test:
//! `grid::strays_cost_no_memory_and_crowd_no_cell`). If a result has more than
//! [`max_pairs`](NeighbourSearch::max_pairs) pairs, the search ends early. The error is
//! [`TooDense`](NeighbourError::TooDense) (test: `grid::equal_points_end_by_the_limit`). A warm
//! search does not allocate (test: `warm::searches_do_not_allocate`).
//!
//! ```
//! use carom_neighbours::{NeighbourError, NeighbourGrid, NeighbourSearch};
//! use glam::Vec3;
//!
//! let mut grid = NeighbourGrid::new(0.1)?.with_max_pairs(10_000);
//! grid.set_points(&vec![Vec3::ONE; 1_000_000])?;
//! let mut pairs = Vec::new();
//! assert_eq!(grid.collect_pairs(&mut pairs), Err(NeighbourError::TooDense { max_pairs: 10_000 }));
//! # Ok::<(), carom_neighbours::NeighbourError>(())
//! ```
//!
//! # Without lists, other places, several sets
//! [`visit_pairs`](NeighbourSearch::visit_pairs) and [`visit_lists`](NeighbourSearch::visit_lists)
//! keep no lists. Lists pay if two or more passes over the neighbours follow.
//! [`visit_near`](NeighbourSearch::visit_near) searches around any position, and
//! [`collect_lists_between`](NeighbourSearch::collect_lists_between) around all points of another
//! set. For several sets, make a grid for each, and search the pairs of sets that matter. A set
//! that does not move needs no new `set_points`.
//!
//! ```
//! use carom_neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch};
//! use core::ops::ControlFlow;
//! use glam::Vec3;
//!
//! let (mut wall, mut water) = (NeighbourGrid::new(1.0)?, NeighbourGrid::new(1.0)?);
//! let drops = [Vec3::new(0.5, 0.5, 0.0), Vec3::new(9.0, 9.0, 9.0)];
//! wall.set_points(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0])?; // Once.
//! water.set_points(&drops)?; // In each step.
//! let mut touching = NeighbourLists::default();
//! wall.collect_lists_between(&drops, &mut touching)?;
//! assert_eq!((touching.of(0), touching.of(1)), (&[0, 1][..], &[][..]));
//!
//! // The density of each drop, without a list.
//! let mut density = [0.0; 2];
//! water.visit_lists(&mut |drop, near| {
//!     density[drop as usize] = 1.0 + near.len() as f32;
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(density, [1.0, 1.0]);
//! # Ok::<(), carom_neighbours::NeighbourError>(())
//! ```
//!
//! # Several radii
//! In a [`HierarchicalGrid`] each point has a radius. Two are a pair if their distance is at most
//! the sum of their radii, or the larger one: [`Reach`].
//!
//! ```
//! use carom_neighbours::{HierarchicalGrid, Reach};
//! use glam::Vec3;
//!
//! let mut grid = HierarchicalGrid::new(Reach::Sum);
//! grid.set_points(&[Vec3::ZERO, Vec3::X * 3.0, Vec3::X * 3.5], &[2.5, 0.5, 0.25])?;
//! let mut pairs = Vec::new();
//! grid.collect_pairs(&mut pairs)?;
//! pairs.sort_unstable();
//! assert_eq!(pairs, [[0, 1], [1, 2]]);
//! # Ok::<(), carom_neighbours::NeighbourError>(())
//! ```
//!
//! # Which search when
//! All give the same sets. Each has its own order, which depends only on the points; sorted
//! results are equal. With the feature `parallel` threads share a search, and give the same result
//! in the same order (test: `threads::any_number_of_threads_gives_the_same`).
//! - [`NeighbourGrid`] for points with one radius. It is fastest if the points are kept in its
//!   [`order`](NeighbourGrid::order).
//! - [`HierarchicalGrid`] for points with radii of their own.
//! - [`NeighbourTree`] for comparison: the tree of boxes of Real-Time Rendering, 25.10.2.
//! - [`BruteForce`] for a few points. It is the executable specification.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

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

/// The largest number of points of a search: 2^31.
pub const MAX_POINTS: usize = 1 << 31;

/// The largest number of pairs of a result, unless another limit is set: 2^27, whose lists take 1
/// GiB.
pub const DEFAULT_MAX_PAIRS: usize = 1 << 27;

/// Points that are tested at a time.
const LANES: usize = 8;

/// Checks that a radius is finite and not negative.
fn check_radius(radius: f32) -> Result<(), NeighbourError> {
    if radius.is_finite() && 0.0 <= radius { Ok(()) } else { Err(NeighbourError::BadRadius { radius }) }
}

/// Checks the number of points, and that all are finite. The error names the first that is not.
fn check_points(points: &[Vec3]) -> Result<(), NeighbourError> {
    if MAX_POINTS < points.len() {
        return Err(NeighbourError::TooMany);
    }
    match points.iter().position(|p| !p.is_finite()) {
        Some(point) => Err(NeighbourError::NotFinite { point }),
        None => Ok(()),
    }
}
