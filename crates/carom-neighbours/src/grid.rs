//! A grid of cells as large as the radius: the default search.
//!
//! - The points are sorted by cells in each step, without other state. So it does not matter how
//!   they move.
//! - Only cells with points cost memory, so a few far points hardly change it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 and 25.10.2; S. Green,
//! Particle Simulation using CUDA, NVIDIA, 2010.

use crate::error::NeighbourError;
use crate::lists::NeighbourLists;
use crate::rows::{NearSearch, OneRadius, Scan, Side};
use crate::search::NeighbourSearch;
use crate::sorted::Sorted;
use crate::walk::{RowMemory, RowSearch, in_order};
use crate::within::Band;
use crate::{DEFAULT_MAX_PAIRS, check_radius};
use alloc::vec::Vec;
use carom_lanes::dispatch;
use core::ops::{ControlFlow, Range};
use glam::Vec3;

/// A search for neighbours by a uniform grid.
#[derive(Clone, Debug)]
pub struct NeighbourGrid {
    radius: f32,
    max_pairs: usize,
    band: Band,
    rule: OneRadius,
    points: Sorted,
    /// Points of another set, during a search with them.
    others: Sorted,
    memory: RowMemory,
}

impl NeighbourGrid {
    /// Returns a grid for a radius, in the unit of the points. Error: a radius that is negative or
    /// not finite.
    pub fn new(radius: f32) -> Result<NeighbourGrid, NeighbourError> {
        check_radius(radius)?;
        Ok(NeighbourGrid {
            radius,
            max_pairs: DEFAULT_MAX_PAIRS,
            band: Band::between(f64::from(radius), f64::from(radius)),
            rule: OneRadius::new(radius),
            points: Sorted::new(f64::from(radius)),
            others: Sorted::new(f64::from(radius)),
            memory: RowMemory::default(),
        })
    }

    /// Sets the largest number of pairs of a result. It bounds the memory of results: 8 bytes per
    /// pair.
    #[must_use]
    pub fn with_max_pairs(self, max_pairs: usize) -> NeighbourGrid {
        NeighbourGrid { max_pairs, ..self }
    }

    /// Does the same as [`NeighbourGrid::with_max_pairs`], for a grid whose number of points
    /// grows.
    pub fn set_max_pairs(&mut self, max_pairs: usize) {
        self.max_pairs = max_pairs;
    }

    /// Returns the numbers of the points in the order of their cells.
    ///
    /// A program that keeps its arrays in this order, and passes the points in it next time,
    /// searches faster. Near points are then near in memory.
    pub fn order(&self) -> &[u32] {
        &self.points.points[..self.points.len()]
    }

    /// Returns the range of each cell in [`NeighbourGrid::order`], in ascending order. Within a
    /// range the points keep the order in which they were given.
    pub fn cells(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.points.cells()
    }

    fn scan(&self) -> Scan<'_, OneRadius> {
        Scan { candidates: &self.points, band: self.band, rule: &self.rule }
    }

    fn walk(&self, side: Side) -> RowSearch<'_, OneRadius> {
        RowSearch { scan: self.scan(), queries: &self.points, side }
    }

    fn too_dense(&self) -> NeighbourError {
        NeighbourError::TooDense { max_pairs: self.max_pairs }
    }
}

impl NeighbourSearch for NeighbourGrid {
    fn radius(&self) -> f32 {
        self.radius
    }

    fn max_pairs(&self) -> usize {
        self.max_pairs
    }

    fn n_points(&self) -> usize {
        self.points.len()
    }

    fn set_points(&mut self, points: &[Vec3]) -> Result<(), NeighbourError> {
        self.points.sort(points)
    }

    fn collect_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<(), NeighbourError> {
        pairs.clear();
        let mut memory = core::mem::take(&mut self.memory);
        let is_whole = self.walk(Side::Later).collect_pairs(self.max_pairs, &mut memory, pairs, in_order);
        self.memory = memory;
        if is_whole { Ok(()) } else { Err(self.too_dense()) }
    }

    fn collect_lists(&mut self, lists: &mut NeighbourLists) -> Result<(), NeighbourError> {
        // Each pair is in two rows.
        let limit = self.max_pairs.saturating_mul(2);
        if self.walk(Side::Others).collect_lists(limit, lists) { Ok(()) } else { Err(self.too_dense()) }
    }

    fn collect_lists_between(
        &mut self,
        others: &[Vec3],
        lists: &mut NeighbourLists,
    ) -> Result<(), NeighbourError> {
        lists.clear();
        self.others.sort(others)?;
        let walk = RowSearch { scan: self.scan(), queries: &self.others, side: Side::All };
        if walk.collect_lists(self.max_pairs, lists) { Ok(()) } else { Err(self.too_dense()) }
    }

    fn visit_pairs(&mut self, visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>) {
        let mut memory = core::mem::take(&mut self.memory);
        let _ = self.walk(Side::Later).visit(0..self.n_points(), &mut memory, |slot, row| {
            let own = self.points.points[slot];
            row.iter().try_for_each(|&other| visit(own.min(other), own.max(other)))
        });
        self.memory = memory;
    }

    fn visit_lists(&mut self, visit: &mut dyn FnMut(u32, &[u32]) -> ControlFlow<()>) {
        let mut memory = core::mem::take(&mut self.memory);
        let _ = self
            .walk(Side::Others)
            .visit(0..self.n_points(), &mut memory, |slot, row| visit(self.points.points[slot], row));
        self.memory = memory;
    }

    fn visit_near(&self, point: Vec3, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        if point.is_finite() {
            let position = point.to_array();
            let cell = self.points.cell(position);
            let cells = [cell.map(|x| x - 1), cell.map(|x| x + 1)];
            let _ = dispatch(NearSearch { scan: self.scan(), position, cells, visit });
        }
    }
}
