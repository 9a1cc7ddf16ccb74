//! A box in every cell that it touches, which are at most eight: cells are as large as the largest boxes in them.
//!
//! Sizes that many boxes have, with all down to an eighth of them, share a level of cells. Two boxes of one level that
//! touch share a cell; a small one and a large one share one of the large one's level, which is the one around each of the
//! small one's cells. A pair that shares several cells is found in each, and kept once.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.4; Akenine-Moller et al., Real-Time Rendering,
//! 4th ed., 25.1.2 (cells as large as the largest body, a hash instead of bounds).
//! Differs: the largest of the many; sizes that are rare have cells of their own.

use crate::find::Found;
use crate::hierarchical::{doubling, size};
use crate::nodes::{Key, N_LEVELS, Nodes, cell, least_level};
use crate::sparse::sealed::Sealed;
use crate::sparse::{Front, Place, Placement, SparseGrid};
use carom_bounds::Aabb;

/// The placement of a [`SpatialHash`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl Sealed for Hashed {
    const IS_LOOSE: bool = false;
}

impl Placement for Hashed {}

/// Boxes in all cells that they touch, kept from frame to frame; for boxes of like size in a wide and empty world.
///
/// Memory: see the table of the crate.
pub type SpatialHash = SparseGrid<Hashed>;

/// Sizes down to this many doublings below the largest share its cells.
const SHARED: usize = 3;

/// A size is common when one box in so many has it.
const COMMON: u32 = 32;

/// Sizes of all boxes, as powers of two, and the level of cells for each.
#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    counts: [u32; 256],
    level_of: [u16; 256],
    /// Boxes that came, went or changed their size since the levels were chosen.
    n_changes: u32,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { counts: [0; 256], level_of: core::array::from_fn(|i| i as u16), n_changes: 0 }
    }
}

impl Sizes {
    /// A box is new.
    pub(crate) fn enter(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] += 1;
        self.n_changes = self.n_changes.saturating_add(1);
    }

    /// A box is gone.
    pub(crate) fn leave(&mut self, aabb: &Aabb) {
        self.counts[doubling(size(aabb))] -= 1;
        self.n_changes = self.n_changes.saturating_add(1);
    }

    /// A box has another size, perhaps.
    #[inline]
    pub(crate) fn change(&mut self, old: &Aabb, new: &Aabb) {
        if doubling(size(old)) != doubling(size(new)) {
            self.leave(old);
            self.enter(new);
        }
    }

    /// Chooses levels anew, when the sizes have changed much. True when they are others: every box must be placed again.
    pub(crate) fn replan(&mut self, n: usize) -> bool {
        // So seldom that placing all again costs little for each change.
        if (self.n_changes as usize) * 4 <= n {
            return false;
        }
        self.n_changes = 0;
        let mut level_of = self.level_of;
        let (mut top, mut left) = (0, 0);
        for exponent in (0..256).rev() {
            let is_common = n as u64 <= u64::from(self.counts[exponent]) * u64::from(COMMON);
            // Common sizes begin a level; so do rare ones that are out of reach of the level above.
            if left == 0 && (is_common || 0 < self.counts[exponent]) {
                (top, left) = (exponent, SHARED + 1);
            }
            level_of[exponent] = if 0 < left { top } else { exponent } as u16;
            left = usize::saturating_sub(left, 1);
        }
        let is_same = (0..256).all(|i| self.counts[i] == 0 || level_of[i] == self.level_of[i]);
        self.level_of = level_of;
        !is_same
    }
}

/// The cells that the box touches.
#[inline]
pub(crate) fn place(aabb: &Aabb, sizes: &Sizes) -> Place {
    let mut level = i32::from(sizes.level_of[doubling(size(aabb))]).max(least_level(aabb));
    loop {
        let (mut at, mut span, mut is_wide) = ([0; 3], 0, false);
        for axis in 0..3 {
            at[axis] = cell(f64::from(aabb.min[axis]), level);
            let last = cell(f64::from(aabb.max[axis]), level);
            span |= u8::from(at[axis] < last) << axis;
            is_wide |= at[axis] + 1 < last;
        }
        // The extent was rounded down, and the box reaches just into a third cell. One level up it cannot.
        if !is_wide || N_LEVELS as i32 <= level + 2 {
            return Place { first: Key { level, at }, span };
        }
        level += 1;
    }
}

/// Writes down what the boxes of a cell ask: the rest of the cell, and the cells of higher levels around it.
pub(crate) fn ask(nodes: &Nodes, front: &Front, number: u32, found: &mut Found) {
    let node = &nodes.nodes[number as usize];
    let (begin, end) = front.run(nodes, number);
    for place in begin..begin + node.n_moving {
        found.push_task(place as usize, place + 1, end);
    }
    for &level in front.levels.iter().filter(|&&level| node.key.level < level) {
        let Some(other) = nodes.find(node.key.ancestor(level)) else { continue };
        let other_node = &nodes.nodes[other as usize];
        if other_node.n == 0 || (node.n_moving == 0 && other_node.n_moving == 0) {
            continue;
        }
        let (other_begin, other_end) = front.run(nodes, other);
        for place in begin..end {
            found.push_task(place as usize, other_begin, other_end);
        }
    }
}
