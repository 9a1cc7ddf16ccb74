//! Boxes of voxels in whole cells: a grid merged to few boxes, and the boxes of an octree.
//!
//! - A box is a first and a last cell on each axis, in 16 bits. So neighbours share their faces
//!   exactly, and a box needs 12 bytes.
//! - A grid is merged greedily: each box grows from its first cell along z, then y, then x, as long
//!   as all cells are occupied and in no other box.
//! - An octree splits a cube of cells until each part is full or empty.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.3.2 (octrees).

use alloc::vec;
use alloc::vec::Vec;

/// The most cells along an axis: 2^16.
pub(crate) const MAX_CELLS: usize = 1 << 16;

/// The most boxes: a tree numbers its primitives in 28 bits.
pub(crate) const MAX_BOXES: usize = (1 << 28) - 1;

/// A box of occupied cells, with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VoxelBox {
    /// The number of its first cell on each axis.
    pub first: [u16; 3],
    /// The number of its last cell on each axis, not below the first.
    pub last: [u16; 3],
}

impl VoxelBox {
    /// Returns the box of one cell.
    pub fn cell(cell: [u16; 3]) -> VoxelBox {
        VoxelBox { first: cell, last: cell }
    }

    /// Returns the number of its cells.
    pub fn n_cells(&self) -> u64 {
        let n = |axis: usize| u64::from(self.last[axis].saturating_sub(self.first[axis])) + 1;
        n(0) * n(1) * n(2)
    }

    /// Returns the box with the flagged axes reversed, for a grid whose last cell is `last`.
    pub(crate) fn mirrored(&self, is_mirrored: [bool; 3], last: [u16; 3]) -> VoxelBox {
        let mut made = *self;
        for axis in (0..3).filter(|&axis| is_mirrored[axis]) {
            made.first[axis] = last[axis] - self.last[axis];
            made.last[axis] = last[axis] - self.first[axis];
        }
        made
    }
}

/// Why voxels were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VoxelsError {
    /// No cell is occupied.
    Empty,
    /// A size of the cells is zero, negative, NaN or infinite.
    BadCellSize,
    /// The origin is NaN or infinite.
    BadOrigin,
    /// The number of flags is not that of the cells.
    WrongCount {
        /// The number of cells.
        expected: usize,
        /// The number of flags.
        given: usize,
    },
    /// There are more than 65,536 cells along an axis, or 2^28 boxes or more, too many for a tree.
    TooMany,
    /// The box with this index ends before it begins.
    Inverted(usize),
    /// The box with this index reaches beyond the coordinate 2^100, or beyond the range of the
    /// numbers.
    TooFar(usize),
    /// The mesh has no inside, so that it cannot be filled.
    NoInside,
}

impl core::fmt::Display for VoxelsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            VoxelsError::Empty => write!(f, "no cell is occupied"),
            VoxelsError::BadCellSize => write!(f, "the size of a cell must be finite and above 0"),
            VoxelsError::BadOrigin => write!(f, "the origin is NaN or infinite"),
            VoxelsError::WrongCount { expected, given } => {
                write!(f, "{given} flags for {expected} cells")
            }
            VoxelsError::TooMany => {
                write!(f, "more than 65536 cells along an axis, or more than 2^28 boxes")
            }
            VoxelsError::Inverted(index) => write!(f, "box {index} ends before it begins"),
            VoxelsError::TooFar(index) => write!(f, "box {index} is too far from the origin"),
            VoxelsError::NoInside => write!(f, "the mesh has no inside, so it cannot be filled"),
        }
    }
}

impl core::error::Error for VoxelsError {}

/// Returns the occupied cells of a grid as boxes that do not overlap. The flag of a cell has the
/// index `(x * n_y + y) * n_z + z`.
pub(crate) fn merge(n: [usize; 3], is_occupied: &[bool]) -> Result<Vec<VoxelBox>, VoxelsError> {
    if n.iter().any(|&n| MAX_CELLS < n) {
        return Err(VoxelsError::TooMany);
    }
    let expected = n[0].checked_mul(n[1]).and_then(|area| area.checked_mul(n[2]));
    let Some(expected) = expected else { return Err(VoxelsError::TooMany) };
    if expected != is_occupied.len() {
        return Err(VoxelsError::WrongCount { expected, given: is_occupied.len() });
    }
    let [n_x, n_y, n_z] = n;
    let index = |x: usize, y: usize, z: usize| (x * n_y + y) * n_z + z;
    let mut is_taken = vec![false; expected];
    let mut boxes = Vec::new();
    for start in 0..expected {
        if !is_occupied[start] || is_taken[start] {
            continue;
        }
        let (x, y, z) = (start / (n_y * n_z), start / n_z % n_y, start % n_z);
        let is_free = |i: usize| is_occupied[i] && !is_taken[i];
        let mut end_z = z + 1;
        while end_z < n_z && is_free(index(x, y, end_z)) {
            end_z += 1;
        }
        let is_row = |x: usize, y: usize| (z..end_z).all(|z| is_free(index(x, y, z)));
        let mut end_y = y + 1;
        while end_y < n_y && is_row(x, end_y) {
            end_y += 1;
        }
        let mut end_x = x + 1;
        while end_x < n_x && (y..end_y).all(|y| is_row(end_x, y)) {
            end_x += 1;
        }
        for x in x..end_x {
            for y in y..end_y {
                is_taken[index(x, y, z)..index(x, y, end_z)].fill(true);
            }
        }
        // The numbers of cells are below 2^16.
        let numbers = |x: usize, y: usize, z: usize| [x as u16, y as u16, z as u16];
        boxes.push(VoxelBox { first: numbers(x, y, z), last: numbers(end_x - 1, end_y - 1, end_z - 1) });
    }
    if MAX_BOXES < boxes.len() { Err(VoxelsError::TooMany) } else { Ok(boxes) }
}

/// The content of a cube of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// All of it is occupied.
    Full,
    /// None of it is occupied.
    Empty,
    /// Not known before it is split. A single cell is then occupied.
    Mixed,
}

/// Returns the boxes of an octree over the cells up to `last`. `fill` takes a box of cells.
pub(crate) fn split(
    last: [u16; 3],
    mut fill: impl FnMut(&VoxelBox) -> Fill,
) -> Result<Vec<VoxelBox>, VoxelsError> {
    let size = 1 + last.iter().fold(0, |most, &n| most.max(u32::from(n)));
    let mut waiting = vec![([0_u32; 3], size.next_power_of_two())];
    let mut boxes = Vec::new();
    while let Some((first, size)) = waiting.pop() {
        if (0..3).any(|axis| u32::from(last[axis]) < first[axis]) {
            continue;
        }
        // Cubes at the end are cut at the last cell.
        let end = |axis: usize| (first[axis] + size - 1).min(u32::from(last[axis])) as u16;
        let cube = VoxelBox { first: first.map(|k| k as u16), last: [end(0), end(1), end(2)] };
        match fill(&cube) {
            Fill::Empty => {}
            Fill::Mixed if 1 < size => {
                let half = size / 2;
                waiting.extend((0..8).rev().map(|child: u32| {
                    let step = |axis: usize| first[axis] + half * (child >> axis & 1);
                    ([step(0), step(1), step(2)], half)
                }));
            }
            Fill::Full | Fill::Mixed => {
                if MAX_BOXES <= boxes.len() {
                    return Err(VoxelsError::TooMany);
                }
                boxes.push(cube);
            }
        }
    }
    Ok(boxes)
}
