//! Estimates the lengths and the distribution of boxes from a sample.
//!
//! The estimates affect the speed of a grid, not its results.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 (cell size: that of the
//! largest object).
//! Differs: the largest of the typical boxes; the few larger ones go elsewhere.

use crate::cells::Cells;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// The least and the most boxes sampled.
const SIZES: (usize, usize) = (64, 512);

/// A crowd is moved to another grid if its cells would be smaller there by this factor in volume.
const MIN_VOLUME_RATIO: f64 = 8.0;

/// The most bins per axis for the density of the sample.
const MAX_BINS: usize = 16;

/// Corners and extents of a sample, by axis.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub(crate) low: [Vec<f32>; 3],
    pub(crate) extent: [Vec<f32>; 3],
    sorted: Vec<f32>,
    bins: Vec<u32>,
}

impl Sample {
    /// Samples the members.
    pub(crate) fn take(&mut self, boxes: &[Aabb], members: &[u32]) {
        let n = (members.len() / 8).clamp(SIZES.0, SIZES.1).min(members.len()) as u64;
        self.low.iter_mut().chain(&mut self.extent).for_each(Vec::clear);
        for i in 0..n {
            // Multiples of the golden ratio avoid any pattern in the numbering.
            let index = if n == members.len() as u64 {
                i
            } else {
                ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * members.len() as u64) >> 32
            };
            let aabb = &boxes[members[index as usize] as usize];
            for axis in 0..3 {
                self.low[axis].push(aabb.min[axis]);
                self.extent[axis].push(aabb.max[axis] - aabb.min[axis]);
            }
        }
    }

    /// Returns the number of boxes sampled.
    pub(crate) fn len(&self) -> usize {
        self.low[0].len()
    }

    /// Returns the extent that this share of the sample does not exceed; 0 for an empty sample.
    pub(crate) fn extent_quantile(&mut self, axis: usize, share: f64) -> f32 {
        quantile(&mut self.sorted, &self.extent[axis], share)
    }

    /// Returns the ranges of the axes in which nearly all least corners lie.
    pub(crate) fn bulk(&mut self) -> ([f64; 3], [f64; 3]) {
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            low[axis] = f64::from(quantile(&mut self.sorted, &self.low[axis], 0.01));
            high[axis] = f64::from(quantile(&mut self.sorted, &self.low[axis], 0.99));
            let margin = 0.02 * (high[axis] - low[axis]);
            low[axis] -= margin;
            high[axis] += margin;
        }
        (low, high)
    }

    /// Returns how much denser than the average it is around a box of the sample. It is computed
    /// from the share of pairs within one bin; bins are twice as long as a box.
    pub(crate) fn clustering(&mut self, low: [f64; 3], high: [f64; 3], extent: [f32; 3]) -> f64 {
        let n_bins = [0, 1, 2].map(|axis| {
            let n = (high[axis] - low[axis]) / (2.0 * f64::from(extent[axis]));
            // A length of 0 by an extent of 0 is one bin.
            if 1.0 < n { (n as usize).min(MAX_BINS) } else { 1 }
        });
        self.bins.clear();
        self.bins.resize(n_bins.iter().product(), 0);
        let n = self.len();
        for i in 0..n {
            let bin = [0, 1, 2].map(|axis| {
                let share = (f64::from(self.low[axis][i]) - low[axis]) / (high[axis] - low[axis]);
                ((share * n_bins[axis] as f64) as usize).min(n_bins[axis] - 1)
            });
            self.bins[(bin[2] * n_bins[1] + bin[1]) * n_bins[0] + bin[0]] += 1;
        }
        let pairs = |n: u64| (n * n.saturating_sub(1)) as f64;
        let together: f64 = self.bins.iter().map(|&count| pairs(u64::from(count))).sum();
        (self.bins.len() as f64 * together / pairs(n as u64).max(1.0)).max(1.0)
    }

    /// Whether cells made for these members alone would separate them better than their present
    /// cells.
    pub(crate) fn would_part(&mut self, boxes: &[Aabb], members: &[u32], cells: &Cells) -> bool {
        self.take(boxes, members);
        let mut ratio = 1.0;
        for axis in 0..3 {
            let side = 1.0 / f64::from(cells.inverse[axis]);
            let extent = f64::from(self.extent_quantile(axis, 0.97));
            let wanted = if axis == cells.axes[0] { 0.5 * extent } else { extent };
            // Extents of 0 can be separated without limit.
            ratio *= (side / wanted).max(1.0);
        }
        MIN_VOLUME_RATIO <= ratio
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.low.iter().chain(&self.extent).chain([&self.sorted]);
        4 * (self.bins.capacity() + lists.map(Vec::capacity).sum::<usize>())
    }
}

/// Returns the value that this share of the values does not exceed; 0 for no values.
fn quantile(sorted: &mut Vec<f32>, values: &[f32], share: f64) -> f32 {
    sorted.clear();
    sorted.extend_from_slice(values);
    let index = ((share * values.len() as f64) as usize).min(values.len().saturating_sub(1));
    if sorted.is_empty() {
        return 0.0;
    }
    *sorted.select_nth_unstable_by(index, f32::total_cmp).1
}

/// Returns the longest extents of the members, by axis.
pub(crate) fn longest(boxes: &[Aabb], members: &[u32]) -> [f32; 3] {
    let mut longest = [0.0f32; 3];
    for &slot in members {
        let extents = boxes[slot as usize].extents();
        longest = [longest[0].max(extents.x), longest[1].max(extents.y), longest[2].max(extents.z)];
    }
    longest
}
