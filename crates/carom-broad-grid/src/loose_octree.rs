//! A box in the one cell that holds its centre, of the level that its size says; cells are loose and hold what reaches out.
//!
//! A cell is two to four times as long as its boxes, which therefore reach out by a quarter of it at most. Where a
//! box belongs follows from its size and centre alone, so a move costs the same however many boxes there are. A cell
//! asks those of its level that its boxes may reach, and those of the levels above.
//!
//! Reference: T. Ulrich, Loose Octrees, Game Programming Gems, 2000; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., 19.1.3.
//! Differs: cells twice as large and half as loose, so that a cell has several boxes, which is what eight lanes want.

use crate::find::Found;
use crate::hierarchical::{doubling, size};
use crate::nodes::{Key, Nodes, cell, least_level, side};
use crate::sparse::sealed::Sealed;
use crate::sparse::{Front, Place, Placement, SparseGrid};
use carom_bounds::{Aabb, BoundingVolume};

/// The placement of a [`LooseOctree`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Loose;

impl Sealed for Loose {
    const IS_LOOSE: bool = true;
}

impl Placement for Loose {}

/// Boxes in one loose cell each, kept from frame to frame; for many sizes, few movers, and queries.
///
/// Memory: see the table of the crate.
pub type LooseOctree = SparseGrid<Loose>;

/// Of a cell's side, how far its boxes may reach out: a quarter, and what the rounding of their extents may add.
pub(crate) const REACH: f64 = 0.250_001;

/// The cell of the box.
#[inline]
pub(crate) fn place(aabb: &Aabb) -> Place {
    let size = size(aabb);
    // An extent that overflows is up to two doublings above the largest number.
    let exponent = doubling(size) + usize::from(size == f32::INFINITY);
    let level = (exponent as i32 + 1).max(least_level(aabb));
    // Exact, or off by far less than the reach allows.
    let center = |axis: usize| 0.5 * (f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]));
    Place { first: Key { level, at: [0, 1, 2].map(|axis| cell(center(axis), level)) }, span: 0 }
}

/// Writes down what the boxes of a cell ask: the rest of the cell, the cells of its level behind it, and all of the
/// levels above that they may reach.
pub(crate) fn ask(nodes: &Nodes, front: &Front, number: u32, found: &mut Found) {
    let node = &nodes.nodes[number as usize];
    let (begin, end) = front.run(nodes, number);
    for place in begin..begin + node.n_moving {
        found.push_task(place as usize, place + 1, end);
    }
    let filled = &front.filled[number as usize];
    for &level in front.levels.iter().filter(|&&level| node.key.level <= level) {
        let reach = REACH * side(level);
        let first = [0, 1, 2].map(|axis| cell(f64::from(filled.min[axis]) - reach, level));
        let last = [0, 1, 2].map(|axis| cell(f64::from(filled.max[axis]) + reach, level));
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let at = [x, y, z];
                    // Of two cells of one level the first in order asks.
                    if level == node.key.level && at <= node.key.at {
                        continue;
                    }
                    if let Some(other) = nodes.find(Key { level, at }) {
                        ask_node(nodes, front, number, other, found);
                    }
                }
            }
        }
    }
}

/// Writes down what the boxes of a cell ask another.
fn ask_node(nodes: &Nodes, front: &Front, number: u32, other: u32, found: &mut Found) {
    let (node, other_node) = (&nodes.nodes[number as usize], &nodes.nodes[other as usize]);
    if other_node.n == 0 || (node.n_moving == 0 && other_node.n_moving == 0) {
        return;
    }
    let (begin, end) = front.run(nodes, number);
    let (other_begin, other_end) = front.run(nodes, other);
    let filled = &front.filled[other as usize];
    if !filled.overlaps(&front.filled[number as usize]) {
        return;
    }
    for place in begin..end {
        let (min, max) = front.packed.corners(place as usize);
        if filled.overlaps(&Aabb { min: min.into(), max: max.into() }) {
            found.push_task(place as usize, other_begin, other_end);
        }
    }
}
