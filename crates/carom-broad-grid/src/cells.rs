//! A grid of cells: the cell of a coordinate, and the cells of all boxes that may touch a box.
//!
//! A box is kept in the one cell of its least corner. No box of the grid is longer than `reach`.
//! So a partner of a box from `min` to `max` has its least corner between the cells of `min -
//! reach` and `max`. Coordinates outside are clamped into the border cells. Each step from
//! coordinate to cell is monotone. So rounding may shift a box to the next cell, but not a partner
//! out of the range.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.3 (objects in the cell of one
//! corner).
//! Differs: a query covers whole runs of cells along one axis, so their number along it does not
//! matter.

use carom_lanes::{F32Lanes, Simd};

/// The most cells along the axes across the runs. A coordinate in cells is then off by less than
/// 2^-11 after three roundings.
const MAX_ACROSS: u32 = 2048;

/// The most cells along the runs: still exact as a float.
const MAX_ALONG: u32 = 1 << 23;

/// The ratio of a cell to the longest box, across the runs: a box reaches at most into the next
/// cell.
const ROOM: f64 = 1.002;

/// The grid of cells.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The axes of the world: first the one of the runs, which are contiguous in memory, then the
    /// two across.
    pub(crate) axes: [usize; 3],
    /// By axis of the world: the begin of cell 0.
    pub(crate) low: [f32; 3],
    /// By axis of the world: cells per length, finite and above 0.
    pub(crate) inverse: [f32; 3],
    /// By axis of the world: the number of cells.
    pub(crate) dims: [u32; 3],
    /// By axis of the world: the length of the longest box.
    pub(crate) reach: [f32; 3],
}

/// The wanted grid; lengths by axis of the world.
pub(crate) struct Wanted {
    /// The axis of the runs of cells.
    pub(crate) along: usize,
    /// The part of space to divide.
    pub(crate) low: [f64; 3],
    pub(crate) high: [f64; 3],
    /// The side of a cell; may be infinite.
    pub(crate) side: [f64; 3],
    /// The extents of the longest box.
    pub(crate) reach: [f32; 3],
    /// If there are more cells than this, all are enlarged by `growth`.
    pub(crate) most_cells: u64,
    pub(crate) growth: f64,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells::one([f32::INFINITY; 3])
    }
}

impl Cells {
    /// Returns a single cell for all of space.
    pub(crate) const fn one(reach: [f32; 3]) -> Cells {
        Cells { axes: [0, 1, 2], low: [0.0; 3], inverse: [f32::MIN_POSITIVE; 3], dims: [1; 3], reach }
    }

    /// Returns the wanted cells, enlarged if correctness needs it.
    pub(crate) fn new(wanted: &Wanted) -> Cells {
        let axes = [wanted.along, (wanted.along + 1) % 3, (wanted.along + 2) % 3];
        // Half of the largest number, so that a difference overflows only for coordinates outside.
        let limit = f64::from(f32::MAX) / 2.0;
        let low = wanted.low.map(|x| f64::from(x.clamp(-limit, limit) as f32));
        let length: [f64; 3] = [0, 1, 2].map(|a| (wanted.high[a].min(limit) - low[a]).max(0.0));
        let mut side = wanted.side;
        for (i, &axis) in axes.iter().enumerate() {
            let most = if i == 0 { MAX_ALONG } else { MAX_ACROSS };
            side[axis] = side[axis].max(length[axis] / f64::from(most - 1));
            if 0 < i {
                // The second term is twice the slack that `below` adds for the rounding of
                // coordinates far from the origin.
                let far = low[axis].abs().max((low[axis] + length[axis]).abs());
                side[axis] = side[axis].max(ROOM * f64::from(wanted.reach[axis]) + 3.6e-7 * far);
            }
        }
        // A length of 0 is one cell, even if the side is 0.
        let count = |side: f64, length: f64| if length < side { 1 } else { (length / side) as u64 + 1 };
        let cells =
            |side: &[f64; 3]| [0, 1, 2].map(|a| if length[a] == 0.0 { 1 } else { count(side[a], length[a]) });
        let mut dims = cells(&side);
        while wanted.most_cells < dims.iter().product() {
            side = side.map(|side| side * wanted.growth);
            dims = cells(&side);
        }
        Cells {
            axes,
            low: low.map(|x| x as f32),
            inverse: side.map(|side| ((1.0 / side) as f32).clamp(f32::MIN_POSITIVE, f32::MAX)),
            dims: dims.map(|dim| dim as u32),
            reach: wanted.reach,
        }
    }

    /// Returns the number of cells.
    pub(crate) fn n_cells(&self) -> usize {
        self.dims.iter().map(|&dim| dim as usize).product()
    }

    /// Returns the stride of cell numbers along each axis of the world.
    #[inline(always)]
    pub(crate) fn strides(&self) -> [u32; 3] {
        let [x, y, z] = self.axes;
        let mut strides = [0; 3];
        strides[x] = 1;
        strides[y] = self.dims[x];
        strides[z] = self.dims[x] * self.dims[y];
        strides
    }

    /// Returns the cell of a coordinate; the last for NaN.
    #[inline(always)]
    pub(crate) fn cell(&self, axis: usize, x: f32) -> u32 {
        let last = (self.dims[axis] - 1) as f32;
        let t = (x - self.low[axis]) * self.inverse[axis];
        let t = if t < last { t } else { last };
        (if 0.0 < t { t } else { 0.0 }) as u32
    }

    /// Returns a lower bound of the least corners of all boxes that reach `min`.
    #[inline(always)]
    pub(crate) fn below(&self, axis: usize, min: f32) -> f32 {
        // An extent and two differences, each off by a rounding of 2^-24 = 6e-8.
        min - self.reach[axis] * 1.000_01 - min.abs() * 1.8e-7
    }

    /// Returns the first and last cell, along one axis, of the least corners of all boxes that may
    /// reach from `min` to `max`.
    #[inline(always)]
    pub(crate) fn range(&self, axis: usize, min: f32, max: f32) -> (u32, u32) {
        (self.cell(axis, self.below(axis, min)), self.cell(axis, max))
    }

    /// Returns one axis of the cells, for eight coordinates at once.
    #[inline(always)]
    pub(crate) fn lanes<S: Simd>(&self, simd: S, axis: usize) -> AxisLanes<S> {
        let splat = |x: f32| S::F32x8::splat(simd, x);
        AxisLanes {
            low: splat(self.low[axis]),
            inverse: splat(self.inverse[axis]),
            last: splat((self.dims[axis] - 1) as f32),
            reach: splat(self.reach[axis] * 1.000_01),
            // As in `below`: rounding.
            slack: splat(1.8e-7),
            zero: splat(0.0),
        }
    }
}

/// One axis of [`Cells`], in lanes.
#[derive(Clone, Copy)]
pub(crate) struct AxisLanes<S: Simd> {
    low: S::F32x8,
    inverse: S::F32x8,
    last: S::F32x8,
    reach: S::F32x8,
    slack: S::F32x8,
    zero: S::F32x8,
}

impl<S: Simd> AxisLanes<S> {
    /// Like [`Cells::cell`].
    #[inline(always)]
    pub(crate) fn cell(&self, x: S::F32x8) -> S::U32x8 {
        ((x - self.low) * self.inverse).min(self.last).max(self.zero).trunc_to_u32()
    }

    /// Like [`Cells::below`].
    #[inline(always)]
    pub(crate) fn below(&self, min: S::F32x8) -> S::F32x8 {
        min - self.reach - min.abs() * self.slack
    }
}
