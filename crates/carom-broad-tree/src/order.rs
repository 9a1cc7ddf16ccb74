//! Sorts boxes so that neighbours in space are neighbours in the list.
//!
//! The key of a box is its size class, then the position of its centre on a Hilbert curve. A radix
//! sort orders the keys. Each interval of the curve is one connected region; a Morton interval may
//! be two far regions. Tried: Morton; 3x more groups of 64 met each other. If many boxes share one
//! cell, that run is sorted by finer cells of its own, recursively. So neither outliers nor nested
//! clusters put many boxes into one cell. Much larger boxes than the median, and static boxes,
//! come last, each class separately. So one giant does not enlarge the bounds of a group of
//! neighbours.
//!
//! Reference: J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 2004
//! (from cell to place); C. Lauterbach et al., Fast BVH Construction on GPUs, 2009, 3.1 (a tree
//! from sorted places).
//! Differs: only as many bits as the number of boxes needs, and crowded cells are divided again.

use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes, dispatch};

/// The class of a free slot.
pub(crate) const NO_CLASS: u8 = u8::MAX;

/// The bit of a class that says "static".
pub(crate) const STATIC_CLASS: u8 = 8;

/// A longer run of equal keys is sorted again.
const MAX_RUN: usize = 48;

/// Bits per axis of the cells of a crowded run.
const RUN_CELL_BITS: u32 = 10;

/// Size of the sample that gives the range of most centres, and outliers dropped on each side.
const N_SAMPLES: usize = 64;
const N_DROPPED: usize = 2;

/// Workspace and result of the ordering.
///
/// Memory: 36 bytes per slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpatialOrder {
    /// Key above, slot below; sorted.
    entries: Vec<u64>,
    scratch: Vec<u64>,
    /// By axis and slot: a quarter of min + max, which cannot overflow.
    centers: [Vec<f32>; 3],
    /// The exponent of the largest extent, then the class, by slot.
    classes: Vec<u8>,
    keys: Vec<u32>,
    crowds: Vec<(usize, usize)>,
    /// Bits per axis of a position on the curve, and bits of a class.
    axis_bits: u32,
    class_bits: u32,
}

impl SpatialOrder {
    /// Computes the position on the curve of each live slot's box.
    pub(crate) fn assign_keys(
        &mut self,
        boxes: &[Aabb],
        is_live: impl Fn(usize) -> bool,
        is_static: impl Fn(usize) -> bool,
    ) {
        let n_slots = boxes.len();
        for axis in &mut self.centers {
            axis.resize(n_slots, 0.0);
        }
        self.classes.resize(n_slots, 0);
        let [x, y, z] = &mut self.centers;
        let range = measure(boxes, [x, y, z], &mut self.classes);
        self.class_bits = self.classify(&is_live, &is_static);
        let range = self.bulk_range(&range);

        let n_bits = u64::BITS - (n_slots as u64).leading_zeros();
        self.axis_bits = ((n_bits + 3).div_ceil(3)).clamp(3, 9);
        self.keys.resize(n_slots, 0);
        let [x, y, z] = &self.centers;
        find_keys([x, y, z], &self.classes, &range, self.axis_bits, &mut self.keys);
        self.entries.resize(n_slots, 0);
        let mut n = 0;
        for slot in 0..n_slots {
            self.entries[n] = u64::from(self.keys[slot]) << 32 | slot as u64;
            n += usize::from(self.classes[slot] != NO_CLASS);
        }
        self.entries.truncate(n);
    }

    /// Sorts the placed slots; calls `segment` with each class in turn and its entries. The low 32
    /// bits of an entry are the slot.
    pub(crate) fn sort(&mut self, mut segment: impl FnMut(u8, &[u64])) {
        let key_bits = 3 * self.axis_bits;
        sort_entries(&mut self.entries, &mut self.scratch, key_bits + self.class_bits);

        let class_of = |entry: u64| (entry >> (32 + key_bits)) as u8;
        let mut start = 0;
        while start < self.entries.len() {
            let class = class_of(self.entries[start]);
            let len = self.entries[start..].partition_point(|&entry| class_of(entry) == class);
            self.divide_crowds(start, start + len);
            segment(class, &self.entries[start..start + len]);
            start += len;
        }
    }

    /// Returns how many slots were placed.
    #[cfg(test)]
    pub(crate) fn n_placed(&self) -> usize {
        self.entries.len()
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let SpatialOrder { entries, scratch, centers, classes, keys, crowds, .. } = self;
        8 * (entries.capacity() + scratch.capacity())
            + 4 * (centers.iter().map(Vec::capacity).sum::<usize>() + keys.capacity())
            + classes.capacity()
            + crowds.capacity() * size_of::<(usize, usize)>()
    }

    /// Turns exponents into classes; returns how many bits they need.
    fn classify(&mut self, is_live: impl Fn(usize) -> bool, is_static: impl Fn(usize) -> bool) -> u32 {
        // The median exponent of a sample.
        let n_slots = self.classes.len();
        let mut histogram = [0u32; 256];
        let mut n_samples = 0;
        let stride = (n_slots / 4096).max(1);
        for slot in (0..n_slots).step_by(stride).filter(|&slot| is_live(slot)) {
            histogram[usize::from(self.classes[slot])] += 1;
            n_samples += 1;
        }
        let (mut median, mut below) = (0, 0);
        while median < 255 && (below + histogram[median]) * 2 < n_samples {
            below += histogram[median];
            median += 1;
        }
        // Sizes up to four times the median are one class; then there is one class per factor of
        // four.
        let mut class_of = [0; 256];
        for (exponent, class) in class_of.iter_mut().enumerate() {
            *class = (exponent.saturating_sub(median) / 2).min(7) as u8;
        }
        let mut used = 0;
        for slot in 0..n_slots {
            let mut class: u8 = class_of[usize::from(self.classes[slot])];
            if is_static(slot) {
                class |= STATIC_CLASS;
            }
            if is_live(slot) {
                used |= class;
            } else {
                class = NO_CLASS;
            }
            self.classes[slot] = class;
        }
        u8::BITS - used.leading_zeros()
    }

    /// Returns the range of most centres, extended by its length on each side. One far box, or the
    /// centre of a half-space, would enlarge the cells so much that the others share one. Almost
    /// all boxes would then form a crowd, which takes long to divide.
    fn bulk_range(&self, range: &Range) -> Range {
        let n_slots = self.classes.len();
        let stride = (n_slots / N_SAMPLES).max(1);
        let mut samples = [[0.0; N_SAMPLES]; 3];
        let mut n = 0;
        // Boxes of usual size.
        let is_usual = |slot: &usize| self.classes[*slot] & !STATIC_CLASS == 0;
        for slot in (0..n_slots).step_by(stride).filter(is_usual).take(N_SAMPLES) {
            (0..3).for_each(|axis| samples[axis][n] = self.centers[axis][slot]);
            n += 1;
        }
        if n == 0 {
            return *range;
        }
        let beyond = N_DROPPED * n / N_SAMPLES;
        let most = samples.map(|coordinates| {
            let low = least(coordinates[..n].iter().copied())[beyond];
            [low, -least(coordinates[..n].iter().map(|x| -x))[beyond]]
        });
        let size = most.iter().map(|r| r[1] - r[0]).fold(0.0, f32::max);
        if size == 0.0 {
            // Most centres coincide; the others must separate themselves.
            return *range;
        }
        let within = |axis: usize| {
            let ([low, high], [least, greatest]) = (most[axis], range[axis]);
            [least.max(low - size), greatest.min(high + size)]
        };
        [within(0), within(1), within(2)]
    }

    /// Sorts runs of equal keys within `start..end` by finer cells.
    fn divide_crowds(&mut self, start: usize, end: usize) {
        let SpatialOrder { entries, centers, crowds, .. } = self;
        crowds.clear();
        let mut from = start;
        while let Some((first, last)) = next_long_run(&entries[..end], from) {
            crowds.push((first, last));
            from = last;
        }
        divide_all(entries, 0, crowds, centers);
    }
}

/// Returns the least numbers, in order. For so few, a selection algorithm is slower.
fn least(numbers: impl Iterator<Item = f32>) -> [f32; N_DROPPED + 1] {
    let mut least = [f32::INFINITY; N_DROPPED + 1];
    for mut x in numbers {
        if x < least[N_DROPPED] {
            for coordinate in &mut least {
                if x < *coordinate {
                    core::mem::swap(&mut x, coordinate);
                }
            }
        }
    }
    least
}

/// Returns the next run of equal keys, from `start` on, that is too long.
fn next_long_run(entries: &[u64], start: usize) -> Option<(usize, usize)> {
    let mut i = start;
    while i + MAX_RUN < entries.len() {
        let key = entries[i] >> 32;
        // Most runs are short, so one test ahead decides.
        if entries[i + MAX_RUN] >> 32 == key {
            return Some((i, i + entries[i..].partition_point(|&entry| entry >> 32 == key)));
        }
        i += 1;
    }
    None
}

/// Divides each of these crowds, given as ranges of a list in which these entries begin at
/// `first`.
pub(crate) fn divide_runs(
    entries: &mut [u64],
    first: usize,
    crowds: &[(usize, usize)],
    centers: &[Vec<f32>; 3],
) {
    for &(start, end) in crowds {
        divide_run(&mut entries[start - first..end - first], centers);
    }
}

/// Sorts a run of equal keys by finer cells, recursively.
fn divide_run(run: &mut [u64], centers: &[Vec<f32>; 3]) {
    let mut range = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    for entry in run.iter() {
        for (axis, range) in range.iter_mut().enumerate() {
            let center = centers[axis][*entry as u32 as usize];
            *range = [range[0].min(center), range[1].max(center)];
        }
    }
    let scale = cell_scale(&range, RUN_CELL_BITS);
    if range.iter().all(|r| r[0] == r[1]) {
        // All centres coincide: there is no order.
        return;
    }
    for entry in run.iter_mut() {
        let slot = *entry as u32;
        let cell = [0, 1, 2].map(|axis| {
            let cell = (centers[axis][slot as usize] - range[axis][0]) * scale;
            (cell as u32).min((1 << RUN_CELL_BITS) - 1)
        });
        *entry = u64::from(hilbert(cell, RUN_CELL_BITS)) << 32 | u64::from(slot);
    }
    run.sort_unstable();
    if run.first().map(|e| e >> 32) == run.last().map(|e| e >> 32) {
        // The centres are too close for finer cells.
        return;
    }
    let mut from = 0;
    while let Some((start, end)) = next_long_run(run, from) {
        divide_run(&mut run[start..end], centers);
        from = end;
    }
}

/// Returns cells per unit of length, the same on all axes, so that cells are cubes.
fn cell_scale(range: &Range, axis_bits: u32) -> f32 {
    let size = range.iter().map(|r| r[1] - r[0]).fold(0.0, f32::max);
    if 0.0 < size { ((1u32 << axis_bits) as f32 / size).min(f32::MAX) } else { 0.0 }
}

/// Returns the ten low bits, each followed by two zeros.
#[inline]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Returns the position of a cell on the curve.
fn hilbert(mut x: [u32; 3], axis_bits: u32) -> u32 {
    for bit in (1..axis_bits).rev() {
        let lower = (1 << bit) - 1;
        for i in 0..3 {
            if x[i] >> bit & 1 == 1 {
                x[0] ^= lower;
            } else {
                let swapped = (x[0] ^ x[i]) & lower;
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut turned = 0;
    for bit in 1..axis_bits {
        if x[2] >> bit & 1 == 1 {
            turned ^= (1 << bit) - 1;
        }
    }
    spread(x[0] ^ turned) << 2 | spread(x[1] ^ turned) << 1 | spread(x[2] ^ turned)
}

/// Computes [`hilbert`] for eight cells at once.
#[inline(always)]
fn hilbert_lanes<S: Simd>(simd: S, mut x: [S::U32x8; 3], axis_bits: u32) -> S::U32x8 {
    let zero = S::U32x8::splat(simd, 0);
    for bit in (1..axis_bits).rev() {
        let lower = S::U32x8::splat(simd, (1 << bit) - 1);
        let bit = S::U32x8::splat(simd, 1 << bit);
        for i in 0..3 {
            let is_clear = (x[i] & bit).eq(zero);
            let flipped = S::U32x8::select(is_clear, zero, lower);
            let swapped = (x[0] ^ x[i]) & (lower ^ flipped);
            x[0] = x[0] ^ swapped ^ flipped;
            x[i] = if i == 0 { x[0] } else { x[i] ^ swapped };
        }
    }
    x[1] = x[1] ^ x[0];
    x[2] = x[2] ^ x[1];
    let mut turned = zero;
    for bit in 1..axis_bits {
        let lower = S::U32x8::splat(simd, (1 << bit) - 1);
        let is_clear = (x[2] & S::U32x8::splat(simd, 1 << bit)).eq(zero);
        turned = turned ^ S::U32x8::select(is_clear, zero, lower);
    }
    let mut key = zero;
    for x in x {
        let x = x ^ turned;
        let x = (x | x.shl::<16>()) & S::U32x8::splat(simd, 0x0300_00ff);
        let x = (x | x.shl::<8>()) & S::U32x8::splat(simd, 0x0300_f00f);
        let x = (x | x.shl::<4>()) & S::U32x8::splat(simd, 0x030c_30c3);
        let x = (x | x.shl::<2>()) & S::U32x8::splat(simd, 0x0924_9249);
        key = key.shl::<1>() | x;
    }
    key
}

#[cfg(feature = "parallel")]
use crate::par::{divide_all, find_keys, measure, sort_entries};
#[cfg(not(feature = "parallel"))]
use {
    divide_runs as divide_all, keys_of_chunk as find_keys, measure_chunk as measure,
    radix_sort as sort_entries,
};

/// The least and the greatest coordinate on each axis.
pub(crate) type Range = [[f32; 2]; 3];

/// Writes the centres of boxes and the exponents of their largest extents; returns the range of
/// the centres.
pub(crate) fn measure_chunk(boxes: &[Aabb], centers: [&mut [f32]; 3], exponents: &mut [u8]) -> Range {
    dispatch(Measure { boxes, centers, exponents })
}

/// Writes the class and the position on the curve of each centre.
pub(crate) fn keys_of_chunk(
    centers: [&[f32]; 3],
    classes: &[u8],
    range: &Range,
    axis_bits: u32,
    keys: &mut [u32],
) {
    dispatch(Keys { centers, classes, range, axis_bits, keys });
}

/// Sorts by the bits `32..32 + n_bits`, least significant digit first; stable.
pub(crate) fn radix_sort(entries: &mut Vec<u64>, scratch: &mut Vec<u64>, n_bits: u32) {
    let n_passes = n_bits.div_ceil(11).max(1);
    let digit_bits = n_bits.div_ceil(n_passes);
    let mask = (1usize << digit_bits) - 1;
    scratch.resize(entries.len(), 0);
    let mut counts = [0u32; 1 << 11];
    for pass in 0..n_passes {
        let shift = 32 + pass * digit_bits;
        counts[..=mask].fill(0);
        for entry in entries.iter() {
            counts[(entry >> shift) as usize & mask] += 1;
        }
        let mut sum = 0;
        for count in &mut counts[..=mask] {
            sum += core::mem::replace(count, sum);
        }
        for &entry in entries.iter() {
            let slot = &mut counts[(entry >> shift) as usize & mask];
            scratch[*slot as usize] = entry;
            *slot += 1;
        }
        core::mem::swap(entries, scratch);
    }
}

/// Computes centres, their range, and the exponents of the largest extents.
struct Measure<'a> {
    boxes: &'a [Aabb],
    centers: [&'a mut [f32]; 3],
    exponents: &'a mut [u8],
}

impl Kernel for Measure<'_> {
    type Output = Range;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Range {
        let quarter = S::F32x8::splat(simd, 0.25);
        let mut low = [S::F32x8::splat(simd, f32::INFINITY); 3];
        let mut high = [S::F32x8::splat(simd, f32::NEG_INFINITY); 3];
        let n = self.boxes.len();
        let mut start = 0;
        while start < n {
            let rows = &self.boxes[start..n.min(start + 8)];
            // Free slots, and lanes after the end, hold the empty box. Its centre is NaN, which
            // minima ignore.
            let mut min = [[f32::INFINITY; 8]; 3];
            let mut max = [[f32::NEG_INFINITY; 8]; 3];
            for (lane, aabb) in rows.iter().enumerate() {
                for axis in 0..3 {
                    min[axis][lane] = aabb.min[axis];
                    max[axis][lane] = aabb.max[axis];
                }
            }
            let mut size = S::F32x8::splat(simd, 0.0);
            for axis in 0..3 {
                let (a, b) = (S::F32x8::load(simd, &min[axis]), S::F32x8::load(simd, &max[axis]));
                let center = a * quarter + b * quarter;
                low[axis] = center.min(low[axis]);
                high[axis] = center.max(high[axis]);
                size = (b - a).max(size);
                let lanes = center.to_array();
                self.centers[axis][start..start + rows.len()].copy_from_slice(&lanes[..rows.len()]);
            }
            let exponents = size.to_bits().shr::<23>().to_array();
            for (lane, exponent) in self.exponents[start..start + rows.len()].iter_mut().enumerate() {
                *exponent = exponents[lane] as u8;
            }
            start += 8;
        }
        let mut range = [[0.0; 2]; 3];
        for axis in 0..3 {
            range[axis] = [low[axis].reduce_min(), high[axis].reduce_max()];
        }
        range
    }
}

/// Computes positions of centres on the curve, with the class above.
struct Keys<'a> {
    centers: [&'a [f32]; 3],
    classes: &'a [u8],
    range: &'a Range,
    axis_bits: u32,
    keys: &'a mut [u32],
}

impl Kernel for Keys<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let scale = S::F32x8::splat(simd, cell_scale(self.range, self.axis_bits));
        let last = S::F32x8::splat(simd, ((1u32 << self.axis_bits) - 1) as f32);
        let low = [0, 1, 2].map(|axis| S::F32x8::splat(simd, self.range[axis][0]));
        let n = self.keys.len();
        let mut start = 0;
        while start < n {
            let mut cell = [S::U32x8::splat(simd, 0); 3];
            for axis in 0..3 {
                let center = S::F32x8::load_or(simd, self.centers[axis], start, 0.0);
                cell[axis] = ((center - low[axis]) * scale).min(last).trunc_to_u32();
            }
            let key = hilbert_lanes(simd, cell, self.axis_bits);
            let key = key.to_array();
            let len = (n - start).min(8);
            for lane in 0..len {
                let class = u32::from(self.classes[start + lane]) & 15;
                self.keys[start + lane] = key[lane] | class << (3 * self.axis_bits);
            }
            start += 8;
        }
    }
}

#[cfg(test)]
mod tests;
