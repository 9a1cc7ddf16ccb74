//! Query-driven build: parts that queries often reach are shallow, and rarely reached parts may be
//! deep.
//!
//! In the cost of a split (eq. 25.2) the number of primitives is replaced by the number of times
//! that queries reached them. Each primitive also has a small base weight. So a split that
//! separates a tight, often reached box is cheapest, however uneven the numbers of primitives. The
//! collapse opens the most reached nodes first.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (unbalanced trees); J.
//! Bittner, V. Havran, RDH: Ray Distribution Heuristics for Construction of Spatial Data
//! Structures, 2009.

use super::rows::Row;
use super::top_down;
use crate::scale::{LARGEST_SCALE, inverse_power_of_two};
use alloc::vec::Vec;

const BINS: usize = 16;

/// The share of the total weight that is spread evenly over all primitives.
const UNUSED: f64 = 0.125;

/// Builds the tree over rows of single primitives. `uses` has the number of times that each
/// primitive was reached. Writes to `worth` the priority of opening each node.
pub(crate) fn split(
    rows: &mut [Row],
    uses: &[u32],
    max_leaf: u32,
    nodes: &mut Vec<Row>,
    worth: &mut Vec<f32>,
) {
    let total: f64 =
        rows.iter().map(|row| f64::from(uses.get(row.tag() as usize).copied().unwrap_or(0))).sum();
    let share = UNUSED / rows.len().max(1) as f64;
    let scale = if total == 0.0 { 0.0 } else { (1.0 - UNUSED) / total };
    let weight = |row: &Row| share + scale * f64::from(uses.get(row.tag() as usize).copied().unwrap_or(0));
    top_down::split(rows, max_leaf, u32::MAX, nodes, |rows| cheapest(rows, weight));
    // The weight of a leaf is the sum over its rows, which are in the order of the leaves. The
    // weights of inner nodes follow, children before parents.
    let mut firsts: Vec<u32> = alloc::vec![0; nodes.len()];
    for i in 0..nodes.len() {
        let left = nodes[i].tag() as usize;
        if left != 0 {
            firsts[left] = firsts[i];
            firsts[left + 1] = firsts[i] + nodes[left].count();
        }
    }
    worth.clear();
    worth.resize(nodes.len(), 0.0);
    for i in (0..nodes.len()).rev() {
        let left = nodes[i].tag() as usize;
        worth[i] = if left != 0 {
            worth[left] + worth[left + 1]
        } else {
            let first = firsts[i] as usize;
            let range = rows.get(first..first + nodes[i].count() as usize).unwrap_or(&[]);
            range.iter().map(&weight).sum::<f64>() as f32
        };
    }
}

/// The box, the weight and the number of rows of a bin, or of several.
#[derive(Clone, Copy)]
struct Bin {
    row: Row,
    weight: f64,
    n: usize,
}

impl Bin {
    const EMPTY: Bin = Bin { row: Row::EMPTY, weight: 0.0, n: 0 };

    fn merged(&self, other: &Bin) -> Bin {
        Bin { row: self.row.merged(&other.row), weight: self.weight + other.weight, n: self.n + other.n }
    }

    fn cost(&self, unit: f32) -> f64 {
        if self.n == 0 { 0.0 } else { f64::from(self.row.half_area(unit)) * self.weight }
    }
}

/// Partitions the rows at the least area times weight, over bins of the centres on three axes.
fn cheapest(rows: &mut [Row], weight: impl Fn(&Row) -> f64) -> Option<usize> {
    let all = rows.iter().fold(Row::EMPTY, |all, row| all.merged(row));
    let extent = (0..3).fold(0.0_f32, |e, k| e.max(all.0[k] + all.0[k + 4]));
    let unit = inverse_power_of_two(f64::from(extent)).min(LARGEST_SCALE) as f32;
    let mut best = (f64::INFINITY, usize::MAX, 0, 0);
    let mut scales = [(0.0_f32, 0.0_f32); 3];
    for axis in 0..3 {
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for row in rows.iter() {
            low = low.min(row.center2(axis));
            high = high.max(row.center2(axis));
        }
        if !(low < high) {
            continue;
        }
        scales[axis] = (low, BINS as f32 / (high - low));
        let mut bins = [Bin::EMPTY; BINS];
        for row in rows.iter() {
            let bin = &mut bins[bin_of(row, axis, scales[axis])];
            *bin = bin.merged(&Bin { row: *row, weight: weight(row), n: 1 });
        }
        let mut right = [Bin::EMPTY; BINS + 1];
        for i in (0..BINS).rev() {
            right[i] = right[i + 1].merged(&bins[i]);
        }
        let mut left = Bin::EMPTY;
        for i in 0..BINS - 1 {
            left = left.merged(&bins[i]);
            let other = &right[i + 1];
            if left.n == 0 || other.n == 0 {
                continue;
            }
            let cost = left.cost(unit) + other.cost(unit);
            // Ties go to the most even split, because flat and thin data have areas of 0.
            let uneven = left.n.abs_diff(other.n);
            if cost < best.0 || (cost == best.0 && uneven < best.1) {
                best = (cost, uneven, axis, i);
            }
        }
    }
    let (cost, _, axis, last) = best;
    // All centres are equal.
    if cost == f64::INFINITY {
        return None;
    }
    Some(top_down::part_by(rows, |row| bin_of(row, axis, scales[axis]) <= last))
}

/// The bin of a row on an axis. Binning and partitioning use this expression; otherwise a side
/// could be empty.
fn bin_of(row: &Row, axis: usize, (low, scale): (f32, f32)) -> usize {
    (((row.center2(axis) - low) * scale) as usize).min(BINS - 1)
}
