//! Chooses the level of cells for a box, from the sizes of all boxes and how close they are.
//!
//! A level follows from the size of a box. But cells are not made so small that most would hold
//! just one box. A sample estimates how full the cells of a level would be, by the share of pairs
//! of boxes in one cell.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 and 7.2 (cell size); T.
//! Ulrich, Loose Octrees, Game Programming Gems, 2000 (a depth limit).
//! Differs: the limit is computed, not given.

use crate::nodes::cell;
use crate::size::{doubling, size};
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// Sizes down to this many doublings below the largest share its level.
const SHARED_DOUBLINGS: usize = 3;

/// A size is common if one box in this many has it.
const MAX_BOXES_PER_COMMON: u64 = 32;

/// The most other boxes wanted in the cell of a box. Levels are kept while their number is within
/// [`NEIGHBOURS_RANGE`].
const MAX_NEIGHBOURS_IN_CELL: f64 = 6.0;
const NEIGHBOURS_RANGE: (f64, f64) = (1.5, 24.0);

/// The most boxes sampled.
const N_SAMPLES: usize = 2048;

/// Sizes of all boxes, as powers of two, and the levels for them.
#[derive(Clone, Debug)]
pub struct Sizes {
    counts: [u32; 256],
    /// For each size, the size with the level that it shares.
    shared: [u16; 256],
    /// The lowest level.
    floor: i32,
    /// The number of boxes.
    n: usize,
    /// Boxes added, removed, or changed in size or cell since levels were chosen.
    n_changes: usize,
    centers: Vec<[f64; 3]>,
    cells: Vec<[i32; 3]>,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            counts: [0; 256],
            shared: core::array::from_fn(|i| i as u16),
            floor: 0,
            n: 0,
            n_changes: 0,
            centers: Vec::new(),
            cells: Vec::new(),
        }
    }
}

impl Sizes {
    /// Adds a box.
    pub(crate) fn add(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] += 1;
        self.n += 1;
        self.n_changes += 1;
    }

    /// Removes a box.
    pub(crate) fn remove(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] -= 1;
        self.n -= 1;
        self.n_changes += 1;
    }

    /// Updates a box that may have another size.
    #[inline]
    pub(crate) fn update(&mut self, old: &Aabb, new: &Aabb) {
        if doubling(size(old)) != doubling(size(new)) {
            self.remove(old);
            self.add(new);
        }
    }

    /// Returns the number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Notes that this many boxes left their cells.
    pub(crate) fn note_moves(&mut self, n: usize) {
        self.n_changes += n;
    }

    /// Returns the level for a size, or for the largest that shares its cells.
    #[inline]
    pub(crate) fn level(&self, exponent: usize, is_shared: bool) -> i32 {
        let exponent = match self.shared.get(exponent) {
            Some(&shared) if is_shared => i32::from(shared),
            _ => exponent as i32,
        };
        exponent.max(self.floor)
    }

    /// Chooses levels again after many changes. Returns whether they differ: then every box must
    /// be placed again.
    ///
    /// `box_of` gives the box of a slot as passed to [`Sizes::add`]; `slots` are those of all
    /// boxes.
    pub(crate) fn replan(&mut self, slots: &[u32], box_of: impl Fn(u32) -> Aabb, is_shared: bool) -> bool {
        // Rare enough that placing all boxes again costs little per change.
        if self.n_changes * 4 <= slots.len() {
            return false;
        }
        self.n_changes = 0;
        let is_other_floor = self.find_floor(slots, box_of);
        let is_other_size = is_shared && self.share_levels(slots.len() as u64);
        is_other_floor || is_other_size
    }

    /// Lets sizes share levels; returns whether some box has another level.
    fn share_levels(&mut self, n: u64) -> bool {
        let (mut top, mut left, mut is_other) = (0, 0, false);
        for exponent in (0..self.counts.len()).rev() {
            let count = self.counts[exponent];
            // A common size begins a level if the size above is rare.
            let is_common = n <= u64::from(count) * MAX_BOXES_PER_COMMON;
            let is_rare_above = u64::from(self.counts[top]) * MAX_BOXES_PER_COMMON < n;
            if 0 < count && (left == 0 || (is_common && is_rare_above)) {
                (top, left) = (exponent, SHARED_DOUBLINGS + 1);
            }
            let shared = if 0 < left { top } else { exponent } as u16;
            is_other |= 0 < count && shared != self.shared[exponent];
            self.shared[exponent] = shared;
            left = usize::saturating_sub(left, 1);
        }
        is_other
    }

    /// Chooses the floor; returns whether it differs.
    fn find_floor(&mut self, slots: &[u32], box_of: impl Fn(u32) -> Aabb) -> bool {
        let n_slots = slots.len() as u64;
        let n = n_slots.min(N_SAMPLES as u64);
        self.centers.clear();
        for i in 0..n {
            // Multiples of the golden ratio avoid any pattern in the numbering.
            let index =
                if n == n_slots { i } else { ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * n_slots) >> 32 };
            let aabb = box_of(slots[index as usize]);
            let center = |axis: usize| 0.5 * (f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]));
            self.centers.push([0, 1, 2].map(center));
        }
        let before = self.floor;
        if 0 < before {
            let full = self.fullness(slots.len(), before);
            if NEIGHBOURS_RANGE.0 <= full && full <= NEIGHBOURS_RANGE.1 {
                return false;
            }
        }
        // Up from the median size, while cells are not too full.
        let (mut median, mut below) = (0, 0);
        while median < 255 && (below + self.counts[median] as usize) * 2 < slots.len() {
            below += self.counts[median] as usize;
            median += 1;
        }
        self.floor = 0;
        for level in (median as i32).max(1)..255 {
            if MAX_NEIGHBOURS_IN_CELL < self.fullness(slots.len(), level) {
                break;
            }
            self.floor = level;
        }
        self.floor != before
    }

    /// Returns the mean number of other boxes in the cell of a box, for cells of this level.
    fn fullness(&mut self, n: usize, level: i32) -> f64 {
        // Coordinates too far for integers wrap around, which is fine for an estimate.
        self.cells.clear();
        self.cells.extend(self.centers.iter().map(|center| center.map(|x| cell(x, level))));
        self.cells.sort_unstable();
        let together: usize = self.cells.chunk_by(|a, b| a == b).map(|run| run.len() * (run.len() - 1)).sum();
        let s = self.cells.len();
        n as f64 * together as f64 / (s * s.saturating_sub(1)).max(1) as f64
    }

    /// Returns the bytes in use or kept, beside its own size.
    pub(crate) fn bytes(&self) -> usize {
        self.centers.capacity() * size_of::<[f64; 3]>() + self.cells.capacity() * size_of::<[i32; 3]>()
    }
}
