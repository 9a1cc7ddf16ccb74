//! Where the nodes of a field are: cubes of one size, whose corners are whole multiples of that
//! size.
//!
//! A node lies at `(first + index) * cell`. The cell has 24 digits and the whole number 29, so the
//! product is exact in `f64`. Grids of one cell size therefore share their nodes, and a mesh that
//! is moved by whole cells gets the same field, to the bit.
//!
//! Reference: M. Jones, J. Baerentzen, M. Sramek, 3D Distance Fields: A Survey of Techniques and
//! Applications, IEEE TVCG 12(4), 2006, section 2.

use crate::error::SdfError;
use carom_bounds::Aabb;
use carom_math::ops::{ceil, floor};
use glam::{DVec3, IVec3, UVec3};

/// Cells from the origin to any node, at most.
const MAX_INDEX: f64 = (1 << 28) as f64;

/// Sizes of cells are from the inverse of this to this, so that squares in `f32` neither vanish nor
/// overflow: 2^70.
const MAX_CELL: f32 = f32::from_bits((127 + 70) << 23);

/// A box of cubic cells. Nodes are the corners of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    cell: f32,
    first: IVec3,
    cells: UVec3,
}

impl Grid {
    /// The grid with cells of this size, whose node 0 lies at `first` cells from the origin, with
    /// so many cells along each axis.
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

    /// The least grid with cells of this size around a box, and `padding` more cells on each side.
    /// At least one cell.
    pub fn around(min: DVec3, max: DVec3, cell: f32, padding: u32) -> Result<Grid, SdfError> {
        check_cell(cell)?;
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

    /// Where node 0 lies, in cells from the origin.
    #[inline]
    pub fn first(&self) -> IVec3 {
        self.first
    }

    /// How many cells there are along each axis.
    #[inline]
    pub fn cells(&self) -> UVec3 {
        self.cells
    }

    /// How many nodes there are along each axis: one more than cells.
    #[inline]
    pub fn nodes(&self) -> UVec3 {
        self.cells + UVec3::ONE
    }

    /// How many nodes there are in all.
    #[inline]
    pub fn n_nodes(&self) -> u64 {
        self.nodes().to_array().into_iter().map(u64::from).fold(1, u64::saturating_mul)
    }

    /// The place of a node, exactly. Nodes past the last one lie beyond the grid.
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

    /// The number of the node in a row of all nodes, x first.
    #[inline]
    pub(crate) fn index(&self, node: UVec3) -> usize {
        let n = self.nodes();
        (node.z as usize * n.y as usize + node.y as usize) * n.x as usize + node.x as usize
    }

    /// The cell that holds a point of the grid, as its lowest node; the nearest cell for points
    /// outside. A coordinate that is NaN counts as the lowest.
    #[inline]
    pub(crate) fn cell_of(&self, point: DVec3) -> UVec3 {
        let place = point / f64::from(self.cell) - self.first.as_dvec3();
        // Conversion to a whole number rounds down here, and takes what is negative or NaN to 0.
        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] as u32).min(self.cells[axis] - 1));
        UVec3::new(x, y, z)
    }
}

/// The greatest whole number of cells that is not above a coordinate.
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

/// The size of cells of which `resolution` cover a length: at least that length over the
/// resolution, and rounded up to twelve digits, so that the coordinates of nodes near the origin
/// are numbers of `f32`.
pub(crate) fn cell_for(length: f64, resolution: u32) -> Result<f32, SdfError> {
    if resolution == 0 {
        return Err(SdfError::BadResolution);
    }
    if !(0.0 < length) {
        return Err(SdfError::NoExtent);
    }
    let wanted = length / f64::from(resolution);
    // Of 53 digits after the first one, the lower 41 are taken off.
    let step = f64::from_bits(wanted.to_bits() & !((1 << 52) - 1)) / f64::from(1 << 11);
    let cell = ceil(wanted / step) * step;
    check_cell(cell as f32)?;
    Ok(cell as f32)
}

fn check_cell(cell: f32) -> Result<(), SdfError> {
    if 1.0 / MAX_CELL <= cell && cell <= MAX_CELL { Ok(()) } else { Err(SdfError::BadCell { cell }) }
}
