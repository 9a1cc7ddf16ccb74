//! The positions of a field's nodes: corners of cubes of one size, at whole multiples of that
//! size.
//!
//! A node lies at `(first + index) * cell`. The cell has 24 binary digits and the whole number 29,
//! so the product is exact in `f64`. Grids of one cell size therefore share their nodes. A mesh
//! that is moved by whole cells gets the same field, to the bit.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006, section 2.

use crate::error::SdfError;
use carom_bounds::Aabb;
use carom_math::ops::{ceil, floor};
use glam::{DVec3, IVec3, UVec3};

/// The most cells from the origin to a node, along an axis.
const MAX_INDEX: f64 = (1 << 28) as f64;

/// The largest size of a cell; its inverse is the smallest. 2^70, so that squares in `f32` neither
/// vanish nor overflow.
const MAX_CELL: f32 = f32::from_bits((127 + 70) << 23);

/// A box of cubic cells. Nodes are the corners of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    cell: f32,
    first: IVec3,
    cells: UVec3,
}

impl Grid {
    /// Returns the grid with cells of this size and this number of cells along each axis. Node 0
    /// lies at `first` cells from the origin.
    pub fn new(cell: f32, first: IVec3, cells: UVec3) -> Result<Grid, SdfError> {
        check_cell(cell)?;
        for axis in 0..3 {
            if cells[axis] == 0 {
                return Err(SdfError::NoCells { axis });
            }
            let (low, high) = (f64::from(first[axis]), f64::from(first[axis]) + f64::from(cells[axis]));
            if !(-MAX_INDEX <= low && high <= MAX_INDEX) {
                return Err(SdfError::TooFar { axis });
            }
        }
        Ok(Grid { cell, first, cells })
    }

    /// Returns the smallest grid with cells of this size around a box, with `padding` more cells
    /// on each side. It has at least one cell.
    pub fn around(min: DVec3, max: DVec3, cell: f32, padding: u32) -> Result<Grid, SdfError> {
        check_cell(cell)?;
        check_box(min, max)?;
        let padding = f64::from(padding);
        let (mut first, mut cells) = (IVec3::ZERO, UVec3::ZERO);
        for axis in 0..3 {
            let low = index_below(min[axis], cell) - padding;
            let high = (-index_below(-max[axis], cell) + padding).max(low + 1.0);
            if !(-MAX_INDEX <= low && high <= MAX_INDEX) {
                return Err(SdfError::TooFar { axis });
            }
            (first[axis], cells[axis]) = (low as i32, (high - low) as u32);
        }
        Grid::new(cell, first, cells)
    }

    /// The size of a cell, a length.
    #[inline]
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// The position of node 0, in cells from the origin.
    #[inline]
    pub fn first(&self) -> IVec3 {
        self.first
    }

    /// The number of cells along each axis.
    #[inline]
    pub fn cells(&self) -> UVec3 {
        self.cells
    }

    /// The number of nodes along each axis: one more than cells.
    #[inline]
    pub fn nodes(&self) -> UVec3 {
        self.cells + UVec3::ONE
    }

    /// The number of nodes in all.
    #[inline]
    pub fn n_nodes(&self) -> u64 {
        self.nodes().to_array().into_iter().map(u64::from).fold(1, u64::saturating_mul)
    }

    /// Returns the exact position of a node. Nodes past the last one lie beyond the grid.
    #[inline]
    pub fn node(&self, node: UVec3) -> DVec3 {
        (self.first.as_dvec3() + node.as_dvec3()) * f64::from(self.cell)
    }

    /// The box of all cells, exactly.
    #[inline]
    pub fn wide_bounds(&self) -> (DVec3, DVec3) {
        (self.node(UVec3::ZERO), self.node(self.cells))
    }

    /// The box of all cells, rounded outwards.
    pub fn aabb(&self) -> Aabb {
        let (min, max) = self.wide_bounds();
        Aabb::around(min, max)
    }

    /// Returns the index of the node in a list of all nodes, x first.
    #[inline]
    pub(crate) fn index(&self, node: UVec3) -> usize {
        let n = self.nodes();
        (node.z as usize * n.y as usize + node.y as usize) * n.x as usize + node.x as usize
    }

    /// Returns the cell that holds a point of the grid, as its lowest node. For points outside,
    /// returns the nearest cell. A coordinate that is NaN counts as the lowest.
    #[inline]
    pub(crate) fn cell_of(&self, point: DVec3) -> UVec3 {
        let position = point / f64::from(self.cell) - self.first.as_dvec3();
        // The conversion to a whole number rounds down here, and maps negative numbers and NaN to
        // 0.
        let [x, y, z] = [0, 1, 2].map(|axis| (position[axis] as u32).min(self.cells[axis] - 1));
        UVec3::new(x, y, z)
    }
}

/// Returns the greatest whole number of cells that is not above a coordinate.
pub(crate) fn index_below(coordinate: f64, cell: f32) -> f64 {
    let cell = f64::from(cell);
    let index = floor(coordinate / cell);
    // The quotient is rounded, and may have passed a whole number.
    if coordinate < index * cell {
        index - 1.0
    } else if (index + 1.0) * cell <= coordinate {
        index + 1.0
    } else {
        index
    }
}

/// Returns a cell size with which `resolution` cells cover a length: the length over the
/// resolution, rounded up to twelve binary digits. So the coordinates of nodes near the origin are
/// exact in `f32`.
pub(crate) fn cell_for(length: f64, resolution: u32) -> Result<f32, SdfError> {
    if resolution == 0 {
        return Err(SdfError::BadResolution);
    }
    if !(0.0 < length) {
        return Err(SdfError::NoExtent);
    }
    let wanted = length / f64::from(resolution);
    // Keep twelve of the 53 binary digits.
    let step = f64::from_bits(wanted.to_bits() & !((1 << 52) - 1)) / f64::from(1 << 11);
    let cell = ceil(wanted / step) * step;
    check_cell(cell as f32)?;
    Ok(cell as f32)
}

/// Checks that the corners of a box are in order along each axis, and not NaN.
pub(crate) fn check_box(min: DVec3, max: DVec3) -> Result<(), SdfError> {
    // False for NaN.
    match (0..3).find(|&axis| !(min[axis] <= max[axis])) {
        Some(axis) => Err(SdfError::BadBox { axis }),
        None => Ok(()),
    }
}

fn check_cell(cell: f32) -> Result<(), SdfError> {
    if 1.0 / MAX_CELL <= cell && cell <= MAX_CELL { Ok(()) } else { Err(SdfError::BadCell { cell }) }
}
