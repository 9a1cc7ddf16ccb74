//! Which level of cells a box belongs to, from the sizes of all boxes and how close they are.
//!
//! A level follows from the size of a box; but no cells are made so small that most would hold one
//! box only. How full the cells of a level would be is seen in a sample: by the share of pairs of
//! boxes that would be in one cell.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 and 7.2 (cell size); T.
//! Ulrich, Loose Octrees, Game Programming Gems, 2000 (a depth limit).
//! Differs: the limit is found, not given.

use crate::nodes::cell;
use crate::size::{doubling, size};
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// Sizes down to this many doublings below the largest share its level.
const SHARED: usize = 3;

/// A size is common when one box in so many has it.
const COMMON: u64 = 32;

/// Boxes wanted around a box in its cell, at most; and between which numbers the levels may stay as
/// they are.
const FULL: f64 = 6.0;
const FULL_ENOUGH: (f64, f64) = (1.5, 24.0);

/// The most boxes looked at.
const N_SAMPLES: usize = 2048;

/// Sizes of all boxes, as powers of two, and what follows from them.
#[derive(Clone, Debug)]
pub struct Sizes {
    counts: [u32; 256],
    /// For each size the size whose level it shares.
    shared: [u16; 256],
    /// No level below this one.
    floor: i32,
    /// The number of boxes.
    n: usize,
    /// Boxes that came, went, or changed size or cell since levels were chosen.
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
    /// A box is new.
    pub(crate) fn enter(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] += 1;
        self.n += 1;
        self.n_changes += 1;
    }

    /// A box is gone.
    pub(crate) fn leave(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] -= 1;
        self.n -= 1;
        self.n_changes += 1;
    }

    /// A box has another size, perhaps.
    #[inline]
    pub(crate) fn change(&mut self, old: &Aabb, new: &Aabb) {
        if doubling(size(old)) != doubling(size(new)) {
            self.leave(old);
            self.enter(new);
        }
    }

    /// The number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// So many boxes left their cells.
    pub(crate) fn note_moves(&mut self, n: usize) {
        self.n_changes += n;
    }

    /// The level for a size, or for the largest that shares its cells.
    #[inline]
    pub(crate) fn level(&self, exponent: usize, is_shared: bool) -> i32 {
        let exponent = match self.shared.get(exponent) {
            Some(&shared) if is_shared => i32::from(shared),
            _ => exponent as i32,
        };
        exponent.max(self.floor)
    }

    /// Chooses levels anew, when much has changed. True when they are others: every box must be
    /// placed again.
    ///
    /// `box_of` gives the box of a slot as [`Sizes::enter`] was given it; `slots` are those of all
    /// boxes.
    pub(crate) fn replan(&mut self, slots: &[u32], box_of: impl Fn(u32) -> Aabb, is_shared: bool) -> bool {
        // So seldom that placing all again costs little for each change.
        if self.n_changes * 4 <= slots.len() {
            return false;
        }
        self.n_changes = 0;
        let is_other_floor = self.find_floor(slots, box_of);
        let is_other_size = is_shared && self.share(slots.len() as u64);
        is_other_floor || is_other_size
    }

    /// Lets sizes share levels; true when some box's is another.
    fn share(&mut self, n: u64) -> bool {
        let (mut top, mut left, mut is_other) = (0, 0, false);
        for exponent in (0..self.counts.len()).rev() {
            let count = self.counts[exponent];
            // A common size begins a level when the one above is rare.
            let is_common = n <= u64::from(count) * COMMON;
            let is_rare_above = u64::from(self.counts[top]) * COMMON < n;
            if 0 < count && (left == 0 || (is_common && is_rare_above)) {
                (top, left) = (exponent, SHARED + 1);
            }
            let shared = if 0 < left { top } else { exponent } as u16;
            is_other |= 0 < count && shared != self.shared[exponent];
            self.shared[exponent] = shared;
            left = usize::saturating_sub(left, 1);
        }
        is_other
    }

    /// Chooses the floor; true when it is another.
    fn find_floor(&mut self, slots: &[u32], box_of: impl Fn(u32) -> Aabb) -> bool {
        let n_slots = slots.len() as u64;
        let n = n_slots.min(N_SAMPLES as u64);
        self.centers.clear();
        for i in 0..n {
            // Multiples of the golden ratio: no pattern in the numbering survives.
            let place =
                if n == n_slots { i } else { ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * n_slots) >> 32 };
            let aabb = box_of(slots[place as usize]);
            let center = |axis: usize| 0.5 * (f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]));
            self.centers.push([0, 1, 2].map(center));
        }
        let before = self.floor;
        if 0 < before {
            let full = self.fullness(slots.len(), before);
            if FULL_ENOUGH.0 <= full && full <= FULL_ENOUGH.1 {
                return false;
            }
        }
        // Up from the median size, as long as cells do not get too full.
        let (mut median, mut below) = (0, 0);
        while median < 255 && (below + self.counts[median] as usize) * 2 < slots.len() {
            below += self.counts[median] as usize;
            median += 1;
        }
        self.floor = 0;
        for level in (median as i32).max(1)..255 {
            if FULL < self.fullness(slots.len(), level) {
                break;
            }
            self.floor = level;
        }
        self.floor != before
    }

    /// How many others there are on average in the cell of a box, in cells of this level.
    fn fullness(&mut self, n: usize, level: i32) -> f64 {
        // What is too far away for whole numbers wraps around: it is a guess anyway.
        self.cells.clear();
        self.cells.extend(self.centers.iter().map(|center| center.map(|x| cell(x, level))));
        self.cells.sort_unstable();
        let together: usize = self.cells.chunk_by(|a, b| a == b).map(|run| run.len() * (run.len() - 1)).sum();
        let s = self.cells.len();
        n as f64 * together as f64 / (s * s.saturating_sub(1)).max(1) as f64
    }

    /// Bytes in use or kept, beside its own.
    pub(crate) fn bytes(&self) -> usize {
        self.centers.capacity() * size_of::<[f64; 3]>() + self.cells.capacity() * size_of::<[i32; 3]>()
    }
}
