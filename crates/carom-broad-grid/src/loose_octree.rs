//! Puts a box into the one cell that contains its centre, on the level of its size. Cells are
//! loose: their boxes may reach out.
//!
//! In a flat world one axis is left out. The tree is then a quadtree: each cell has four children
//! and eight neighbours, and spans all boxes along that axis.
//!
//! A cell is at least twice as long as its boxes, so they reach out by at most a quarter of it.
//! The cell of a box follows from its size and centre alone, so a move has constant cost. A cell
//! is tested against those of its level within reach, and against cells of the levels below.
//!
//! Reference: T. Ulrich, Loose Octrees, Game Programming Gems, 2000; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 19.1.3; R. A. Finkel and J. L. Bentley, Quad Trees, Acta
//! Informatica 4, 1974.
//! Differs: cells are twice as large and half as loose. A cell then has several boxes, which suits
//! eight lanes.

use crate::nodes::{Key, cell, least_level};
use crate::size::{doubling, size};
use crate::sizes::Sizes;
use crate::sparse::sealed::Sealed;
use crate::sparse::{CellSpan, Placement, SparseGrid};
use carom_bounds::Aabb;
use carom_broad::FromFinder;

/// The placement of a [`LooseOctree`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Loose;

impl Sealed for Loose {
    const IS_LOOSE: bool = true;

    fn cells_of(aabb: &Aabb, sizes: &Sizes) -> CellSpan {
        cell_span(aabb, sizes)
    }
}

impl Placement for Loose {}

/// Boxes in one loose cell each, kept from frame to frame; for many sizes, few movers, and
/// queries.
///
/// Memory: see the table of the crate.
pub type LooseOctree = FromFinder<SparseGrid<Loose>>;

/// The placement of a [`LooseQuadtree`]: cells in a plane; one axis of the world is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat {
    left_out: usize,
}

impl Default for Flat {
    /// Leaves out the y axis, which points up in most worlds.
    fn default() -> Flat {
        Flat { left_out: 1 }
    }
}

impl Flat {
    /// Leaves out this axis: 0, 1 or 2 for x, y or z; `None` for another number.
    pub const fn without(axis: usize) -> Option<Flat> {
        if axis < 3 { Some(Flat { left_out: axis }) } else { None }
    }
}

impl Sealed for Flat {
    const IS_LOOSE: bool = true;

    fn left_out(&self) -> Option<usize> {
        Some(self.left_out)
    }

    fn cells_of(footprint: &Aabb, sizes: &Sizes) -> CellSpan {
        cell_span(footprint, sizes)
    }
}

impl Placement for Flat {}

/// Boxes in one loose cell each of a plane, kept from frame to frame. It is a [`LooseOctree`] for
/// worlds much flatter than wide.
///
/// Boxes above each other share cells. To leave out another axis than y:
/// `LooseQuadtree::with_finder(SparseGrid::with_placement(flat))`, with `flat` from
/// [`Flat::without`].
///
/// Memory: as a [`LooseOctree`]; see the table of the crate.
pub type LooseQuadtree = FromFinder<SparseGrid<Flat>>;

/// Returns the cell of the box.
#[inline]
fn cell_span(aabb: &Aabb, sizes: &Sizes) -> CellSpan {
    let size = size(aabb);
    // An extent that overflows is at most two doublings above the largest number.
    let exponent = doubling(size) + usize::from(size == f32::INFINITY);
    let level = sizes.level(exponent + 1, false).max(least_level(aabb));
    // Exact, or off by far less than the reach allows.
    let center = |axis: usize| 0.5 * (f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]));
    CellSpan { first: Key { level, at: [0, 1, 2].map(|axis| cell(center(axis), level)) }, span: 0 }
}
