//! The trait of all searches for neighbours within one radius.

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// A search for points within a radius of each other.
///
/// Points have the numbers of the caller's slice, from 0. Two points are neighbours if
/// [`is_within`](crate::is_within) holds for the radius; no point is a neighbour of itself. Every
/// search gives the same sets. The order of results differs between searches, and depends only on
/// the points. Sorted results are equal.
///
/// Results replace the contents of the container, and reuse its memory. If there are more pairs
/// than [`NeighbourSearch::max_pairs`], the container is empty. The error is then
/// [`NeighbourError::TooDense`].
pub trait NeighbourSearch {
    /// Returns the radius, in the unit of the points.
    fn radius(&self) -> f32;

    /// Returns the largest number of pairs of a result.
    fn max_pairs(&self) -> usize;

    /// Returns the number of points.
    fn n_points(&self) -> usize;

    /// Replaces the points. Errors, without a change: the first point that is not finite; too many
    /// points.
    fn set_points(&mut self, points: &[Vec3]) -> Result<(), NeighbourError>;

    /// Collects all pairs of neighbours, each once, the smaller number first.
    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError>;

    /// Collects the neighbours of each point.
    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError>;

    /// Collects for each of `others` the points near it, equal ones included. `others` are not
    /// kept.
    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError>;

    /// Calls `visit` once with each pair of neighbours, the smaller number first, until it breaks.
    /// It keeps no list.
    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>);

    /// Calls `visit` with each point and its neighbours, until it breaks. It does not keep the
    /// lists.
    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>);

    /// Calls `visit` with each point near any position, until it breaks. A position that is not
    /// finite is near nothing.
    fn visit_near(&self, position: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>);

    /// Collects all points near any position, sorted.
    fn collect_near(&self, position: Vec3, near: &mut Vec<u32>) {
        near.clear();
        self.visit_near(position, &mut |point| {
            near.push(point);
            ControlFlow::Continue(())
        });
        near.sort_unstable();
    }
}
