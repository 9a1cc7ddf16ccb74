//! Cells of one size, chosen so that a box has few others in its run of cells.
//!
//! A sample gives the length of nearly all boxes. A cell is at least that long across the runs,
//! and half as long along them. If boxes are sparse, cells grow until a run holds a few boxes,
//! because one step tests eight lanes anyway. The few longer boxes, and crowds of far smaller
//! ones, get grids of their own.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.1.2.
//! Differs: needs no bounds of the world and no cell size; boxes outside are in the border cells.

use crate::cells::{Cells, Wanted};
use crate::dense::sealed::Sealed;
use crate::dense::{Layout, Members};
use crate::plan::{Sample, longest};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;

/// The wanted number of boxes in a run of cells: any number from 3 to 16 is as fast.
const RUN: f64 = 6.0;

/// At most this many boxes are tested each against each.
const MAX_ALL_PAIRS_BOXES: usize = 64;

/// The layout of a [`UniformGrid`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

/// Boxes in cells of one size, rebuilt in every frame; for boxes of similar size, with any motion.
///
/// Memory: 40 bytes per slot of the table, up to 64 per box, 24 per pair while searching.
#[cfg(feature = "uniform-grid")]
pub type UniformGrid = carom_broad::FromFinder<crate::dense::DenseGrid<Uniform>>;

impl Sealed for Uniform {
    fn part(_: &[Aabb], members: &[u32], lists: &mut Members) {
        lists.push().extend_from_slice(members);
    }

    fn cells(boxes: &[Aabb], members: &[u32], sample: &mut Sample, is_last: bool) -> Cells {
        cells(boxes, members, sample, is_last)
    }
}

impl Layout for Uniform {}

/// Returns the cells for these members. The last grid accepts all of them.
fn cells(boxes: &[Aabb], members: &[u32], sample: &mut Sample, is_last: bool) -> Cells {
    if members.len() <= MAX_ALL_PAIRS_BOXES {
        return Cells::one([f32::INFINITY; 3]);
    }
    sample.take(boxes, members);
    let mut reach = if is_last { longest(boxes, members) } else { [0.0; 3] };
    for axis in (0..3).filter(|_| !is_last) {
        let many = sample.extent_quantile(axis, 0.97);
        let nearly_all = sample.extent_quantile(axis, 0.995);
        reach[axis] = if nearly_all <= 2.0 * many { 1.02 * nearly_all } else { many };
    }
    let (low, high) = sample.bulk();
    let length = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    let longest_side = length[0].max(length[1]).max(length[2]);
    // A flat world is as thick as its boxes. A world of flat boxes has a minimum thickness, so
    // that it has a volume.
    let thickness =
        [0, 1, 2].map(|axis| length[axis].max(f64::from(reach[axis])).max(longest_side / f64::from(1 << 20)));
    let n_boxes = |axis: usize| length[axis] / f64::from(reach[axis]).max(longest_side / 1024.0);
    let along = (1..3).fold(0, |best, axis| if n_boxes(best) < n_boxes(axis) { axis } else { best });
    let density = members.len() as f64 / (thickness[0] * thickness[1] * thickness[2])
        * sample.clustering(low, high, reach);
    let longest_along = f64::from(reach[along]);
    let side_along = 0.5 * longest_along;
    let mean_along = sample.extent[along].iter().map(|&x| f64::from(x).min(longest_along)).sum::<f64>()
        / sample.len() as f64;
    // A run is as long as a box, a cell and the longest partner.
    let across = sqrt(RUN / (density * (mean_along + longest_along + side_along)));
    let mut side = [across; 3];
    side[along] = side_along;
    // Without density or length, a single cell is used.
    let side = side.map(|side| if side.is_nan() { f64::INFINITY } else { side });
    let most_cells = 4 * members.len() as u64;
    Cells::new(&Wanted { along, low, high, side, reach, most_cells, growth: 1.2 })
}
