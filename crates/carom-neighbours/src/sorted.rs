//! Points sorted by their cells: by z, then y, then x.
//!
//! - Three adjacent cells along x are one range of slots. So the neighbourhood of a cell is nine
//!   ranges.
//! - If the box of all points has few cells per point, a counting sort is used, and a table of all
//!   cells is kept.
//! - Otherwise the points are sorted by the numbers of their cells, and only cells with points are
//!   kept. So empty space costs no memory.
//! - Both sorts keep the caller's order inside a cell. So the slots depend only on the points.
//!
//! Reference: S. Green, Particle Simulation using CUDA, NVIDIA, 2010 (sorted cells); M. Ihmsen et
//! al., A Parallel SPH Implementation on Multi-Core CPUs, 2011, 3 (sorted keys).
//! Differs: ranges of three cells, and no limit of the number of cells.

use crate::cells::Cells;
use crate::error::NeighbourError;
#[cfg(feature = "parallel")]
use crate::par;
use crate::{LANES, MAX_POINTS, check_points};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// A table of all cells is used if it has at most this many cells per point.
const TABLE_CELLS_PER_POINT: u64 = 4;

/// Points in the order of their cells. A slot is an index in this order.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    /// The coordinates, and eight NaN after them, so that lanes can load past the end.
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) z: Vec<f32>,
    /// The caller's number of each point, and eight zeros after them.
    pub(crate) points: Vec<u32>,
    cells: Cells,
    /// Whether `starts` has all cells of the box, instead of `occupied` only those with points.
    has_table: bool,
    /// The least cell of the box, and its number of cells, on each axis.
    low: [i32; 3],
    size: [i64; 3],
    /// The start of the slots of each cell of the box.
    starts: Vec<u32>,
    /// The cells with points, sorted, and the start of their slots.
    occupied: Vec<u128>,
    occupied_starts: Vec<u32>,
    /// The cell of each point in the table; or, to be sorted, its cell and its number.
    keys: Vec<u32>,
    wide_keys: Vec<u128>,
}

/// The end of the last search in a list of occupied cells, for each of nine rows. It only saves
/// time.
pub(crate) type Hints = [usize; 9];

impl Sorted {
    /// Returns an empty set, in cells of a reach, which is finite and not negative.
    pub(crate) fn new(reach: f64) -> Sorted {
        Sorted {
            x: Vec::new(),
            y: Vec::new(),
            z: Vec::new(),
            points: Vec::new(),
            cells: Cells::new(reach),
            has_table: false,
            low: [0; 3],
            size: [0; 3],
            starts: Vec::new(),
            occupied: Vec::new(),
            occupied_starts: Vec::new(),
            keys: Vec::new(),
            wide_keys: Vec::new(),
        }
    }

    /// Returns the number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len().saturating_sub(LANES)
    }

    /// Returns the coordinates of the point in a slot.
    #[inline(always)]
    pub(crate) fn position(&self, slot: usize) -> [f32; 3] {
        [self.x[slot], self.y[slot], self.z[slot]]
    }

    /// Returns the cell of any finite position.
    #[inline(always)]
    pub(crate) fn cell(&self, position: [f32; 3]) -> [i32; 3] {
        position.map(|x| self.cells.cell(x))
    }

    /// Sets another reach, for the points that come next.
    pub(crate) fn set_reach(&mut self, reach: f64) {
        self.cells = Cells::new(reach);
    }

    /// Replaces the points by these, sorted. If it returns an error, nothing has changed.
    pub(crate) fn sort(&mut self, points: &[Vec3]) -> Result<(), NeighbourError> {
        let [low, high] = bounds(points)?;
        let n = points.len();
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            // Lanes after the last point have to be NaN.
            column.truncate(n);
            column.resize(n + LANES, f32::NAN);
            column[n..].fill(f32::NAN);
        }
        self.points.resize(n + LANES, 0);
        self.points[n..].fill(0);
        self.low = self.cell(low.to_array());
        let top = self.cell(high.to_array());
        let extent = |axis: usize| i64::from(top[axis]) - i64::from(self.low[axis]) + 1;
        self.size = [extent(0), extent(1), extent(2)];
        let n_cells = self.size.iter().map(|&size| size as u128).product::<u128>();
        let limit = (TABLE_CELLS_PER_POINT * n as u64).min(u64::from(u32::MAX) - 2);
        self.has_table = 0 < n && n_cells <= u128::from(limit);
        if self.has_table {
            self.sort_by_counting(points, n_cells as usize);
        } else {
            self.sort_by_keys(points);
        }
        let slots = self.points[..n].iter().zip(&mut self.x[..n]).zip(&mut self.y[..n]).zip(&mut self.z[..n]);
        for (((&point, x), y), z) in slots {
            let p = points[point as usize];
            (*x, *y, *z) = (p.x, p.y, p.z);
        }
        Ok(())
    }

    /// Sorts by counting over all cells of the box.
    fn sort_by_counting(&mut self, points: &[Vec3], n_cells: usize) {
        let Sorted { keys, starts, cells, low, size, .. } = self;
        starts.clear();
        // Counts are stored two entries later, so that they become the ends of cells while points
        // are stored.
        starts.resize(n_cells + 2, 0);
        keys.clear();
        keys.extend(points.iter().map(|p| {
            let at = |axis: usize| cells.cell(p[axis]).wrapping_sub(low[axis]) as u32;
            let key = (at(2) * size[1] as u32 + at(1)) * size[0] as u32 + at(0);
            starts[key as usize + 2] += 1;
            key
        }));
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        for (i, &key) in (0..).zip(keys.iter()) {
            let end = &mut starts[key as usize + 1];
            self.points[*end as usize] = i;
            *end += 1;
        }
    }

    /// Sorts by cells, of which there may be any number.
    fn sort_by_keys(&mut self, points: &[Vec3]) {
        let mut keys = core::mem::take(&mut self.wide_keys);
        keys.clear();
        let key = |(i, p): (u32, &Vec3)| cell_key(self.cell(p.to_array())) << 32 | u128::from(i);
        keys.extend((0..).zip(points).map(key));
        sort_keys(&mut keys);
        self.occupied.clear();
        self.occupied_starts.clear();
        for (slot, &key) in keys.iter().enumerate() {
            self.points[slot] = key as u32;
            if self.occupied.last() != Some(&(key >> 32)) {
                self.occupied.push(key >> 32);
                self.occupied_starts.push(slot as u32);
            }
        }
        self.occupied_starts.push(points.len() as u32);
        self.wide_keys = keys;
    }

    /// Returns the slots of each cell with points, in ascending order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        // The table has one spare entry at its end.
        let n_in_table = self.starts.len().saturating_sub(1);
        let starts = if self.has_table { &self.starts[..n_in_table] } else { &self.occupied_starts };
        let ranges = starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
        ranges.filter(|range| !range.is_empty())
    }

    /// Returns the slots of the cells from `first` to `last` in the row at `y` and `z`.
    #[inline]
    pub(crate) fn row(&self, first: i32, last: i32, y: i32, z: i32, hint: &mut usize) -> Range<usize> {
        if self.has_table {
            let at = |cell: i32, axis: usize| i64::from(cell) - i64::from(self.low[axis]);
            let [nx, ny, nz] = self.size;
            let (first, last) = (at(first, 0).max(0), at(last, 0).min(nx - 1));
            let (y, z) = (at(y, 1), at(z, 2));
            if last < first || y < 0 || ny <= y || z < 0 || nz <= z {
                return 0..0;
            }
            let row = (z * ny + y) * nx;
            let start = |cell: i64| self.starts[(row + cell) as usize] as usize;
            return start(first)..start(last + 1);
        }
        let from = seek(&self.occupied, *hint, cell_key([first, y, z]));
        let past = cell_key([last, y, z]);
        let mut to = from;
        while self.occupied.get(to).is_some_and(|&cell| cell <= past) {
            to += 1;
        }
        *hint = from;
        match (self.occupied_starts.get(from), self.occupied_starts.get(to)) {
            (Some(&from), Some(&to)) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// Returns the nine ranges of slots around a cell, in ascending order. The range of its own
    /// row is in the middle.
    #[inline]
    pub(crate) fn around(&self, cell: [i32; 3], hints: &mut Hints) -> [Range<usize>; 9] {
        let [x, y, z] = cell;
        core::array::from_fn(|i| {
            let (y, z) = (y + (i % 3) as i32 - 1, z + (i / 3) as i32 - 1);
            self.row(x - 1, x + 1, y, z, &mut hints[i])
        })
    }
}

/// Returns the least and the greatest coordinates; zeros for no points. Errors as
/// [`check_points`].
fn bounds(points: &[Vec3]) -> Result<[Vec3; 2], NeighbourError> {
    let Some(&first) = points.first() else { return Ok([Vec3::ZERO; 2]) };
    let (mut low, mut high, mut is_finite) = (first, first, true);
    for p in points {
        low = low.min(*p);
        high = high.max(*p);
        is_finite &= p.is_finite();
    }
    if is_finite && points.len() <= MAX_POINTS {
        return Ok([low, high]);
    }
    check_points(points).map(|()| [low, high])
}

/// Sorts distinct keys.
fn sort_keys(keys: &mut [u128]) {
    #[cfg(feature = "parallel")]
    if par::is_worth_threads(keys.len()) {
        return par::sort(keys);
    }
    keys.sort_unstable();
}

/// Returns a number of 96 bits that sorts cells by z, then y, then x.
#[inline(always)]
fn cell_key([x, y, z]: [i32; 3]) -> u128 {
    let rising = |cell: i32| u128::from(cell as u32 ^ 1 << 31);
    rising(z) << 64 | rising(y) << 32 | rising(x)
}

/// Returns the first index whose cell is not below `cell`, by galloping search from a guess.
fn seek(cells: &[u128], guess: usize, cell: u128) -> usize {
    let guess = guess.min(cells.len());
    if 0 < guess && cell <= cells[guess - 1] {
        return cells[..guess].partition_point(|&other| other < cell);
    }
    let (mut low, mut step) = (guess, 1);
    while let Some(&other) = cells.get(low + step - 1) {
        if cell <= other {
            break;
        }
        low += step;
        step *= 2;
    }
    let high = (low + step).min(cells.len());
    low + cells[low..high].partition_point(|&other| other < cell)
}

#[cfg(test)]
mod tests;
