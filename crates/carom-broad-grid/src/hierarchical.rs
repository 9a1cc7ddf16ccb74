//! Grids with cells that double from level to level; each box is in the one just above its size.
//!
//! The boxes of one level are tested as in a uniform grid. For each two levels, one queries the
//! other. Small boxes query the few large cells around them. A few large boxes query the small
//! cells instead. Levels with few boxes are joined with the next larger one.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.2 (hierarchical grids);
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.2.
//! Differs: each level is sorted in every frame instead of hashed; either level of two may query.

use crate::cells::{Cells, Wanted};
use crate::dense::sealed::Sealed;
use crate::dense::{DenseGrid, Layout, Members};
use crate::plan::Sample;
use crate::size::{doubling, size};
use carom_bounds::Aabb;
use carom_broad::FromFinder;

/// The least number of boxes of a level, and the least share as a divisor. Smaller levels are
/// joined with the next, unless that is [`GAP`] doublings away.
const FEWEST: (usize, usize) = (64, 12);
const GAP: usize = 3;

/// The most levels at the start.
const MAX_CLASSES: usize = 12;

/// The layout of a [`HierarchicalGrid`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Hierarchical;

/// Boxes in cells as large as they are, rebuilt in every frame; for boxes of many sizes.
///
/// Memory: 40 bytes per slot of the table, up to 114 per box, 24 per pair while searching.
pub type HierarchicalGrid = FromFinder<DenseGrid<Hierarchical>>;

impl Sealed for Hierarchical {
    fn part(boxes: &[Aabb], members: &[u32], lists: &mut Members) {
        classify(boxes, members, lists);
    }

    fn cells(boxes: &[Aabb], members: &[u32], sample: &mut Sample, _: bool) -> Cells {
        cells(boxes, members, sample)
    }
}

impl Layout for Hierarchical {}

/// Partitions the members into levels, each of which starts a grid.
fn classify(boxes: &[Aabb], members: &[u32], classes: &mut Members) {
    let mut counts = [0usize; 256];
    for &slot in members {
        counts[doubling(size(&boxes[slot as usize]))] += 1;
    }
    let fewest = FEWEST.0.max(members.len() / FEWEST.1);
    let mut class_of = [0u8; 256];
    let (mut class, mut n, mut last) = (0, 0, 0);
    for (exponent, &count) in counts.iter().enumerate() {
        if 0 < count {
            if 0 < n && (fewest <= n || last + GAP < exponent) && class + 1 < MAX_CLASSES {
                (class, n) = (class + 1, 0);
            }
            (n, last) = (n + count, exponent);
        }
        class_of[exponent] = class as u8;
    }
    let first = classes.len();
    (0..=class).for_each(|_| classes.push().clear());
    let lists = classes.since(first);
    for &slot in members {
        lists[usize::from(class_of[doubling(size(&boxes[slot as usize]))])].push(slot);
    }
}

/// Returns the cells for these members, which all fit into them.
fn cells(boxes: &[Aabb], members: &[u32], sample: &mut Sample) -> Cells {
    let largest = members.iter().map(|&slot| size(&boxes[slot as usize])).fold(0.0, f32::max);
    let reach = f32::from_bits((doubling(largest) as u32) << 23);
    sample.take(boxes, members);
    let (low, high) = sample.bulk();
    let along = (1..3).fold(
        0,
        |best, axis| {
            if high[best] - low[best] < high[axis] - low[axis] { axis } else { best }
        },
    );
    Cells::new(&Wanted {
        along,
        low,
        high,
        side: [f64::from(reach); 3],
        reach: [reach; 3],
        most_cells: 4 * members.len() as u64,
        growth: 2.0,
    })
}
