//! The trait of all searches for neighbours within one radius.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.10.2 (any spatial structure
//! will do).

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// A search for points within a radius of each other.
///
/// Points have the numbers of the caller's slice, from 0. Two points are neighbours if
/// [`is_within`](crate::is_within) holds for the radius; no point is a neighbour of itself. Every
/// search gives the same sets. The order of answers differs between searches, and depends only on
/// the points; sorted answers are equal.
///
/// Answers replace what is in the container, and reuse its memory. If there are more pairs than
/// [`NeighbourSearch::max_pairs`], they are empty, and the error is [`NeighbourError::TooDense`].
pub trait NeighbourSearch {
    /// Returns the radius, in the unit of the points.
    fn radius(&self) -> f32;

    /// Returns the limit of pairs of an answer.
    fn max_pairs(&self) -> usize;

    /// Returns the number of points.
    fn n_points(&self) -> usize;

    /// Takes these points in place of those before. Refused points change nothing; the error names
    /// the first.
    fn set_points(&mut self, points: &[Vec3]) -> Result<(), NeighbourError>;

    /// Collects all pairs of neighbours, each once, the smaller number first.
    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError>;

    /// Collects the neighbours of each point.
    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError>;

    /// Collects for each of other points, which are not kept, the points near it. A point at its
    /// place counts.
    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError>;

    /// Gives each pair of neighbours once to `visit`, the smaller number first, without a list.
    /// `visit` may break off.
    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>);

    /// Gives each point with its neighbours to `visit`, without lists of all. `visit` may break
    /// off.
    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>);

    /// Gives all points near any place to `visit`, which may break off. A place that is not finite
    /// is near nothing.
    fn visit_near(&self, place: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>);

    /// Collects all points near any place, sorted.
    fn collect_near(&self, place: Vec3, near: &mut Vec<u32>) {
        near.clear();
        self.visit_near(place, &mut |point| {
            near.push(point);
            ControlFlow::Continue(())
        });
        near.sort_unstable();
    }
}
