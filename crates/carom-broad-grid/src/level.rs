//! The boxes of one grid, sorted by cell, as a structure of arrays.
//!
//! A counting sort by cell makes the boxes of a cell, and of a run of cells, contiguous. Their
//! sides are stored so that a run is tested eight boxes at a time. Boxes too long for the cells
//! are returned. So are those in crowded cells, if they are so small that finer cells would
//! separate them.
//!
//! Reference: S. Green, Particle Simulation using CUDA, 2010 (particles sorted by cell, with the
//! begin and end of each); D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2, algorithm D
//! (distribution counting).

use crate::cells::Cells;
use crate::packed::{Packed, WIDTH};
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use glam::Vec3;

/// A cell with more boxes than this, plus `CROWD_RATIO` times the mean, is a crowd.
const MIN_CROWD_BOXES: usize = 64;

/// The multiple of the mean number of boxes in a cell in the limit of a crowd.
const CROWD_RATIO: usize = 8;

/// A grid and its boxes.
///
/// Memory: 28 bytes per box (slot 4, sides 24) and 4 per cell; there are up to 4 cells per box.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) cells: Cells,
    /// The start of each cell; one more at the end, and one spare.
    pub(crate) starts: Vec<u32>,
    /// The boxes in the order of the cells.
    pub(crate) packed: Packed,
    /// The bounds of all boxes, and of those in crowds that were returned.
    pub(crate) filled: Aabb,
}

impl Default for Level {
    fn default() -> Level {
        Level { cells: Cells::default(), starts: Vec::new(), packed: Packed::default(), filled: Aabb::EMPTY }
    }
}

/// Scratch memory of the build.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuildWork {
    slots: Vec<u32>,
    cells: Vec<u32>,
}

impl BuildWork {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.cells.capacity())
    }
}

impl Level {
    /// Builds the grid of the members. Those longer than the cells' reach are appended to `long`.
    /// Those in crowded cells are appended to `crowd`, if `would_separate` says that other cells
    /// would separate them.
    pub(crate) fn build(
        &mut self,
        cells: Cells,
        boxes: &[Aabb],
        members: &[u32],
        work: &mut BuildWork,
        long: &mut Vec<u32>,
        crowd: &mut Vec<u32>,
        would_separate: impl FnOnce(&Cells, &[u32]) -> bool,
    ) {
        self.cells = cells;
        let BuildWork { slots, cells } = work;
        slots.resize(members.len() + WIDTH, 0);
        cells.resize(members.len() + WIDTH, 0);
        let mut n;
        (n, self.filled) =
            dispatch(Assign { cells: &self.cells, boxes, members, slots, numbers: cells, long });
        // Counts are stored two entries ahead. After the prefix sum and the scatter, each is the
        // start of its cell.
        let n_cells = self.cells.n_cells();
        self.starts.clear();
        self.starts.resize(n_cells + 2, 0);
        count(&mut self.starts, &cells[..n]);
        let limit = MIN_CROWD_BOXES + CROWD_RATIO * n / n_cells;
        if limit < n && self.starts.iter().any(|&count| limit < count as usize) {
            let is_crowded = |cell: u32| limit < self.starts[cell as usize + 2] as usize;
            let before = crowd.len();
            crowd.extend((0..n).filter(|&i| is_crowded(cells[i])).map(|i| slots[i]));
            if would_separate(&self.cells, &crowd[before..]) {
                let mut kept = 0;
                for i in 0..n {
                    (slots[kept], cells[kept]) = (slots[i], cells[i]);
                    kept += usize::from(!is_crowded(cells[i]));
                }
                n = kept;
                self.starts.fill(0);
                count(&mut self.starts, &cells[..n]);
            } else {
                crowd.truncate(before);
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.packed.slots.resize(n.next_multiple_of(WIDTH), 0);
        for (&cell, &slot) in cells[..n].iter().zip(&*slots) {
            let entry = &mut self.starts[cell as usize + 1];
            self.packed.slots[*entry as usize] = slot;
            *entry += 1;
        }
        self.packed.gather(boxes, n);
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.starts.capacity() + self.packed.bytes()
    }

    /// Returns the range of boxes of a run of cells; a reversed run gives a reversed range.
    #[inline(always)]
    pub(crate) fn run(&self, first: u32, last: u32) -> (u32, u32) {
        (self.starts[first as usize], self.starts[last as usize + 1])
    }

    /// Calls `visit` with the ranges of all boxes that may reach from `min` to `max`, run by run;
    /// empty ones are skipped.
    #[inline(always)]
    pub(crate) fn runs(&self, min: [f32; 3], max: [f32; 3], mut visit: impl FnMut(u32, u32)) {
        let [x, y, z] = self.cells.axes;
        let strides = self.cells.strides();
        let range = |axis: usize| self.cells.range(axis, min[axis], max[axis]);
        let ((x0, x1), (y0, y1), (z0, z1)) = (range(x), range(y), range(z));
        for z_cell in z0..=z1 {
            for y_cell in y0..=y1 {
                let row = z_cell * strides[z] + y_cell * strides[y];
                let (begin, end) = self.run(row + x0, row + x1);
                if begin < end {
                    visit(begin, end);
                }
            }
        }
    }

    /// Estimates the cost to find the partners of a box: one per row of cells, one per eight
    /// boxes.
    pub(crate) fn cost(&self, min: [f32; 3], max: [f32; 3]) -> u64 {
        let wide = [0, 1, 2].map(|axis| {
            let (first, last) = self.cells.range(axis, min[axis], max[axis]);
            u64::from(last - first) + 1
        });
        let rows = wide[self.cells.axes[1]] * wide[self.cells.axes[2]];
        let share = rows * wide[self.cells.axes[0]] * self.packed.n as u64 / self.cells.n_cells() as u64;
        rows + share / 8
    }
}

/// Counts the members of each cell, two entries ahead.
fn count(starts: &mut [u32], cells: &[u32]) {
    for &cell in cells {
        starts[cell as usize + 2] += 1;
    }
}

/// A kernel that finds the cell of every member. It returns how many are not too long, and their
/// bounds.
struct Assign<'a> {
    cells: &'a Cells,
    boxes: &'a [Aabb],
    members: &'a [u32],
    slots: &'a mut [u32],
    numbers: &'a mut [u32],
    long: &'a mut Vec<u32>,
}

impl Kernel for Assign<'_> {
    type Output = (usize, Aabb);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, Aabb) {
        let Assign { cells, boxes, members, slots, numbers, long } = self;
        // Without a closure, which would be compiled without the instruction set.
        let (x, y, z) = (cells.lanes(simd, 0), cells.lanes(simd, 1), cells.lanes(simd, 2));
        let reach_x = S::F32x8::splat(simd, cells.reach[0]);
        let reach_y = S::F32x8::splat(simd, cells.reach[1]);
        let reach_z = S::F32x8::splat(simd, cells.reach[2]);
        let strides = cells.strides();
        let stride_x = S::U32x8::splat(simd, strides[0]);
        let stride_y = S::U32x8::splat(simd, strides[1]);
        let stride_z = S::U32x8::splat(simd, strides[2]);
        let mut n = 0;
        let nowhere = [S::F32x8::splat(simd, f32::INFINITY), S::F32x8::splat(simd, f32::NEG_INFINITY)];
        let (mut low, mut high) = ([nowhere[0]; 3], [nowhere[1]; 3]);
        for members in members.chunks(8) {
            let mut min = [[0.0; 8]; 3];
            let mut max = [[0.0; 8]; 3];
            for (lane, &slot) in members.iter().enumerate() {
                let aabb = &boxes[slot as usize];
                for axis in 0..3 {
                    min[axis][lane] = aabb.min[axis];
                    max[axis][lane] = aabb.max[axis];
                }
            }
            let min_x = S::F32x8::load(simd, &min[0]);
            let min_y = S::F32x8::load(simd, &min[1]);
            let min_z = S::F32x8::load(simd, &min[2]);
            let max_x = S::F32x8::load(simd, &max[0]);
            let max_y = S::F32x8::load(simd, &max[1]);
            let max_z = S::F32x8::load(simd, &max[2]);
            let fits =
                (max_x - min_x).le(reach_x) & (max_y - min_y).le(reach_y) & (max_z - min_z).le(reach_z);
            let is_there = S::Mask8::first(simd, members.len());
            let (mins, maxs) = ([min_x, min_y, min_z], [max_x, max_y, max_z]);
            for axis in 0..3 {
                let (min, max) = (mins[axis], maxs[axis]);
                low[axis] = low[axis].min(S::F32x8::select(fits & is_there, min, nowhere[0]));
                high[axis] = high[axis].max(S::F32x8::select(fits & is_there, max, nowhere[1]));
            }
            let number = x.cell(min_x) * stride_x + y.cell(min_y) * stride_y + z.cell(min_z) * stride_z;
            number.compress_store(fits & is_there, &mut numbers[n..]);
            n += S::U32x8::load_or(simd, members, 0, 0).compress_store(fits & is_there, &mut slots[n..]);
            let mut bits = (!fits & is_there).bits();
            while bits != 0 {
                long.push(members[bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        let min = Vec3::new(low[0].reduce_min(), low[1].reduce_min(), low[2].reduce_min());
        let max = Vec3::new(high[0].reduce_max(), high[1].reduce_max(), high[2].reduce_max());
        (n, Aabb { min, max })
    }
}
