//! Puts a box into every cell that it touches, at most eight. Cells are as large as their largest
//! boxes.
//!
//! A common size shares a level of cells with all sizes down to an eighth of it. Two touching
//! boxes of one level share a cell. A small and a large one share a cell of the large one's level,
//! which contains cells of the small one. A pair that shares several cells is found only in the
//! least of them.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.4; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.1.2 (cells as large as the largest body, a hash instead of
//! bounds).
//! Differs: the largest of the common sizes; rare sizes have cells of their own.

use crate::nodes::{Key, N_LEVELS, cell, least_level};
use crate::size::{doubling, size};
use crate::sizes::Sizes;
use crate::sparse::sealed::Sealed;
use crate::sparse::{CellSpan, Placement, SparseGrid};
use carom_bounds::Aabb;
use carom_broad::FromFinder;

/// The placement of a [`SpatialHash`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl Sealed for Hashed {
    const IS_LOOSE: bool = false;

    fn cells_of(aabb: &Aabb, sizes: &Sizes) -> CellSpan {
        cell_span(aabb, sizes)
    }
}

impl Placement for Hashed {}

/// Boxes in all cells that they touch, kept from frame to frame; for boxes of similar size in a
/// wide, empty world.
///
/// Memory: see the table of the crate.
pub type SpatialHash = FromFinder<SparseGrid<Hashed>>;

/// Returns the cells that the box touches.
#[inline]
fn cell_span(aabb: &Aabb, sizes: &Sizes) -> CellSpan {
    let mut level = sizes.level(doubling(size(aabb)), true).max(least_level(aabb));
    loop {
        let (mut at, mut span, mut is_wide) = ([0; 3], 0, false);
        for axis in 0..3 {
            at[axis] = cell(f64::from(aabb.min[axis]), level);
            let last = cell(f64::from(aabb.max[axis]), level);
            span |= u8::from(at[axis] < last) << axis;
            is_wide |= at[axis] + 1 < last;
        }
        // The extent may have been rounded down, so that the box just reaches into a third cell.
        // One level up it does not.
        if !is_wide || N_LEVELS as i32 <= level + 2 {
            return CellSpan { first: Key { level, at }, span };
        }
        level += 1;
    }
}
