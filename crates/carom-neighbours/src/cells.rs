//! The cells of an axis: points within the reach of each other are in the same cell or in adjacent
//! ones.
//!
//! - A cell is longer than the reach by more than the rounding of its number.
//! - Cells are counted from coordinate 0, not from the least point. So a far point does not reduce
//!   the accuracy of the others.
//! - From 2^24 cells on, the spacing of `f32` is larger than a cell. There each `f32` is a cell of
//!   its own. So points in one cell are near each other, and any finite `f32` has a cell (test:
//!   `cells::numbers_beyond_the_radius_do_not_crowd_a_cell`).
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.
//! Differs: beyond 2^24 each `f32` is a cell.

use carom_math::tol;

/// The number of cells, 2^24, from which on each `f32` is a cell.
const EXACT_CELL_LIMIT: f64 = 16_777_216.0;

/// 1.5 times 2^52. A sum with it is rounded to a whole number, which is in the low bits.
const ROUNDING_OFFSET: f64 = 6_755_399_441_055_744.0;

/// The least reach of a cell: 2^-149, the least positive `f32`.
const LEAST_REACH: f64 = f64::from_bits((1023 - 149) << 52);

/// The numbers of cells along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    per_length: f64,
    /// The bits of the least `f32` that is a cell of its own.
    first_exact_bits: u32,
}

impl Cells {
    /// Returns the cells for a reach, which is finite and not negative.
    pub(crate) fn new(reach: f64) -> Cells {
        let per_length = 1.0 / (reach.max(LEAST_REACH) * (1.0 + tol::NEIGHBOUR_CELL));
        let is_far = |bits: u32| EXACT_CELL_LIMIT <= f64::from(f32::from_bits(bits)) * per_length;
        let mut first_exact_bits = ((EXACT_CELL_LIMIT / per_length) as f32).to_bits();
        // The quotient was rounded, so it is corrected. Infinity is far, which ends the first
        // loop.
        while !is_far(first_exact_bits) {
            first_exact_bits += 1;
        }
        while is_far(first_exact_bits - 1) {
            first_exact_bits -= 1;
        }
        Cells { per_length, first_exact_bits }
    }

    /// Returns the cell of a finite coordinate. It is monotone in the coordinate, and less than
    /// `i32::MAX` in absolute value.
    #[inline(always)]
    pub(crate) fn cell(self, x: f32) -> i32 {
        let coordinate = f64::from(x) * self.per_length;
        if coordinate.abs() < EXACT_CELL_LIMIT {
            // This rounds down, except that whole numbers are rounded to even ones. Two numbers
            // whose difference is less than 1 are still in one cell or in adjacent ones.
            return ((coordinate - 0.5) + ROUNDING_OFFSET).to_bits() as i32;
        }
        let beyond = EXACT_CELL_LIMIT as i32 + (x.abs().to_bits() - self.first_exact_bits) as i32;
        if x < 0.0 { -beyond } else { beyond }
    }
}

#[cfg(test)]
mod tests;
