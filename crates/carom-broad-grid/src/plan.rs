//! What a sample says of boxes: how long they are, and where.
//!
//! Choices that rest on it decide how fast a grid is, never what it answers.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.1 (cell size: as the largest
//! object, not more).
//! Differs: the largest of the many; the few that are larger go elsewhere.

use crate::cells::Cells;
use alloc::vec::Vec;
use carom_bounds::Aabb;

/// The least and the most boxes looked at.
const SIZES: (usize, usize) = (64, 512);

/// A crowd is worth cells of its own when they would be smaller by this factor in volume.
const PARTED: f64 = 8.0;

/// The most bins per axis in which the sample's density is looked at.
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
    /// Looks at some of the members.
    pub(crate) fn take(&mut self, boxes: &[Aabb], members: &[u32]) {
        let n = (members.len() / 8).clamp(SIZES.0, SIZES.1).min(members.len()) as u64;
        self.low.iter_mut().chain(&mut self.extent).for_each(Vec::clear);
        for i in 0..n {
            // Multiples of the golden ratio: no pattern in the numbering survives.
            let place = if n == members.len() as u64 {
                i
            } else {
                ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * members.len() as u64) >> 32
            };
            let aabb = &boxes[members[place as usize] as usize];
            for axis in 0..3 {
                self.low[axis].push(aabb.min[axis]);
                self.extent[axis].push(aabb.max[axis] - aabb.min[axis]);
            }
        }
    }

    /// The number of boxes looked at.
    pub(crate) fn len(&self) -> usize {
        self.low[0].len()
    }

    /// The extent that this share of the sample does not exceed; 0 of nothing.
    pub(crate) fn extent_quantile(&mut self, axis: usize, share: f64) -> f32 {
        quantile(&mut self.sorted, &self.extent[axis], share)
    }

    /// The parts of the axes in which nearly all least corners lie.
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

    /// How much denser than on average it is around a box of the sample, by the share of pairs that
    /// are in one bin; bins are twice as long as a box.
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

    /// Cells made for these members alone would part them better than the cells in which they are.
    pub(crate) fn would_part(&mut self, boxes: &[Aabb], members: &[u32], cells: &Cells) -> bool {
        self.take(boxes, members);
        let mut ratio = 1.0;
        for axis in 0..3 {
            let side = 1.0 / f64::from(cells.inverse[axis]);
            let extent = f64::from(self.extent_quantile(axis, 0.97));
            let wanted = if axis == cells.axes[0] { 0.5 * extent } else { extent };
            // Extents of 0 part without limit.
            ratio *= (side / wanted).max(1.0);
        }
        PARTED <= ratio
    }

    /// Bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.low.iter().chain(&self.extent).chain([&self.sorted]);
        4 * (self.bins.capacity() + lists.map(Vec::capacity).sum::<usize>())
    }
}

/// The value that this share of the values does not exceed; 0 of nothing.
fn quantile(sorted: &mut Vec<f32>, values: &[f32], share: f64) -> f32 {
    sorted.clear();
    sorted.extend_from_slice(values);
    let place = ((share * values.len() as f64) as usize).min(values.len().saturating_sub(1));
    if sorted.is_empty() {
        return 0.0;
    }
    *sorted.select_nth_unstable_by(place, f32::total_cmp).1
}

/// The longest extents of the members, by axis.
pub(crate) fn longest(boxes: &[Aabb], members: &[u32]) -> [f32; 3] {
    let mut longest = [0.0f32; 3];
    for &slot in members {
        let extents = boxes[slot as usize].extents();
        longest = [longest[0].max(extents.x), longest[1].max(extents.y), longest[2].max(extents.z)];
    }
    longest
}
