//! Sorted columns along one axis; boxes too large for a column go one level up.
//!
//! The other two axes are cut into cells at least as large as a usual box. A box is in the column
//! of its lower corner. So it can touch boxes of its own column, and of the columns around it that
//! it reaches into. In each column the candidates are a run. Boxes larger than usual go to another
//! set of columns, for a few levels.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1 (each box in one cell, half of
//! the neighbours); P. Terdiman, Box pruning revisited, 2017; the ABP of PhysX (bounds and cells
//! chosen from the boxes).
//! Differs: all choices come from a sample and affect only the speed.

use crate::axis;
use crate::chunks::work_on;
use crate::rows::{CHUNK, CHUNK_ROWS, Rows, Task, sides};
use alloc::boxed::Box;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::PairBuffer;
use carom_math::ops::sqrt;
use core::ops::Range;

/// Boxes in a sample.
const SAMPLES: usize = 512;

/// Fewer boxes than this form one column.
const MIN_COLUMN_BOXES: usize = 256;

/// Levels before the remaining boxes form one column.
const MAX_LEVELS: usize = 4;

/// Large boxes per chunk of a thread.
const CHUNK_LARGE_BOXES: usize = 128;

/// The wanted mean number of boxes in a run.
const RUN: f64 = 6.0;

/// The most bins per axis in which clustering is measured.
const MAX_BINS: f64 = 16.0;

/// The factor by which a usual box may be larger, for rounding.
const SIZE_SLACK: f32 = 1.00001;

/// Relative to a coordinate: the rounding error of a difference of two.
const POSITION_SLACK: f32 = 2.5e-7;

/// Sorted columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    plan: Plan,
    rows: Rows,
    starts: Vec<u32>,
    members: Vec<(u32, u32)>,
    /// Boxes larger than usual; they are in `next`.
    oversized: Vec<u32>,
    next: Option<Box<Columns>>,
    sample: Sample,
}

/// The layout of the columns. Sizes and cells are those of the axes after `axis`, cyclically.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    axis: usize,
    /// The largest extents of the boxes in the columns, on the axis and on the next two.
    max_extents: [f32; 3],
    low: [f32; 2],
    inverse: [f32; 2],
    n: [u32; 2],
}

impl Default for Plan {
    /// Returns the layout of one column.
    fn default() -> Plan {
        Plan { axis: 0, max_extents: [f32::INFINITY; 3], low: [0.0; 2], inverse: [0.0; 2], n: [1; 2] }
    }
}

impl Plan {
    fn new(slots: &[u32], boxes: &[Aabb], level: usize, sample: &mut Sample) -> Plan {
        let axis = axis::of_greatest_variance(slots, boxes);
        let one = Plan { axis, ..Plan::default() };
        if slots.len() < MIN_COLUMN_BOXES || MAX_LEVELS <= level {
            return one;
        }
        let step = slots.len().div_ceil(SAMPLES).max(1);
        sample.sides.clear();
        sample.sides.extend(slots.iter().step_by(step).map(|&slot| sides(&boxes[slot as usize], axis)));
        let quantile = |all: &[f32], share: f64| all[((all.len() - 1) as f64 * share) as usize];
        let (mut usual, mut mean, mut low, mut width) =
            ([0.0_f32; 3], [0.0_f64; 3], [0.0_f32; 3], [0.0_f64; 3]);
        for k in 0..3 {
            let extents = sample.sorted(|s| s[3 + k] - s[k]);
            let (most, nearly) = (quantile(extents, 0.995), quantile(extents, 0.97));
            usual[k] = if most <= 2.0 * nearly { 1.02 * most } else { nearly };
            // One giant among the usual boxes would make all seem large.
            let small = &extents[..extents.partition_point(|&e| e <= usual[k])];
            mean[k] = small.iter().map(|&e| f64::from(e)).sum::<f64>() / small.len().max(1) as f64;
            let coordinates = sample.sorted(|s| s[k]);
            let (first, last) = (quantile(coordinates, 0.01), quantile(coordinates, 0.99));
            low[k] = first;
            width[k] = f64::from(last) - f64::from(first);
        }
        if !usual.iter().chain(&low).all(|x| x.is_finite()) {
            return one;
        }
        // Boxes per volume around a box, more in clusters.
        let thick = [0, 1, 2].map(|k| width[k] + mean[k]);
        // A flat world gets some thickness, so that it has a volume.
        let least = thick[0].max(thick[1]).max(thick[2]) / 1024.0;
        let volume = thick.iter().map(|&t| t.max(least)).product::<f64>();
        let density = slots.len() as f64 / volume * sample.crowding(&low, &width, &usual);
        let side = sqrt(RUN / (density * (mean[0] + f64::from(usual[0]))));
        let mut cell = [1, 2].map(|k| side.max(1.001 * f64::from(usual[k])));
        if !cell.iter().all(|cell| 0.0 < *cell && cell.is_finite()) {
            return one;
        }
        // At most two columns per box.
        let n = |cell: &[f64; 2]| [0, 1].map(|i| (width[i + 1] / cell[i]).clamp(0.0, 1e6) as u32 + 1);
        while slots.len() as u64 * 2 < n(&cell).iter().fold(1, |all, &n| all * u64::from(n)) {
            cell = cell.map(|cell| cell * 1.2);
        }
        Plan {
            axis,
            max_extents: usual,
            low: [low[1], low[2]],
            inverse: cell.map(|cell| (1.0 / cell) as f32),
            n: n(&cell),
        }
    }

    /// Returns the cell of a coordinate on the first or second axis after the sorted one;
    /// monotone.
    #[inline(always)]
    fn cell(&self, i: usize, x: f32) -> u32 {
        let last = (self.n[i] - 1) as f32;
        let coordinate = (x - self.low[i]) * self.inverse[i];
        // Infinity times zero is NaN, which gives the first cell. That is right, because there is
        // just one cell.
        if 0.0 < coordinate { (if coordinate < last { coordinate } else { last }) as u32 } else { 0 }
    }

    #[inline(always)]
    fn fits(&self, sides: &[f32; 6]) -> bool {
        (0..3).all(|k| sides[3 + k] - sides[k] <= self.max_extents[k])
    }

    /// Returns the least begin of a box of the columns that reaches `x`, on the axis or the next
    /// two.
    #[inline(always)]
    fn before(&self, k: usize, x: f32) -> f32 {
        x - self.max_extents[k] * SIZE_SLACK - x.abs() * POSITION_SLACK
    }
}

/// A sample of the boxes, and scratch memory.
#[derive(Clone, Debug, Default)]
struct Sample {
    sides: Vec<[f32; 6]>,
    values: Vec<f32>,
    bins: Vec<u32>,
}

impl Sample {
    /// Returns a value of each sampled box, sorted.
    fn sorted(&mut self, value: impl Fn(&[f32; 6]) -> f32) -> &[f32] {
        self.values.clear();
        self.values.extend(self.sides.iter().map(value));
        self.values.sort_unstable_by(f32::total_cmp);
        &self.values
    }

    /// Returns the ratio of a box's neighbours to those in an even distribution. It is the number
    /// of bins times the share of sampled pairs within one bin.
    fn crowding(&mut self, low: &[f32; 3], width: &[f64; 3], usual: &[f32; 3]) -> f64 {
        let bins = [0, 1, 2].map(|k| {
            let room = width[k] / (2.0 * f64::from(usual[k]));
            // Zero divided by zero gives one bin.
            if 1.0 < room { room.min(MAX_BINS) as u32 } else { 1 }
        });
        let bin = |sides: &[f32; 6]| {
            (0..3).fold(0, |all, k| {
                let share = (f64::from(sides[k]) - f64::from(low[k])) / width[k];
                let own = (share * f64::from(bins[k])).clamp(0.0, f64::from(bins[k] - 1)) as u32;
                all * bins[k] + own
            })
        };
        let all = &mut self.bins;
        all.clear();
        all.extend(self.sides.iter().map(bin));
        all.sort_unstable();
        let pairs: usize = all.chunk_by(|a, b| a == b).map(|run| run.len() * (run.len() - 1)).sum();
        let n = self.sides.len();
        let factor =
            pairs as f64 / (n * (n - 1)).max(1) as f64 * bins.iter().map(|&n| f64::from(n)).product::<f64>();
        factor.max(1.0)
    }

    fn bytes(&self) -> usize {
        let Sample { sides, values, bins } = self;
        size_of::<[f32; 6]>() * sides.capacity() + 4 * (values.capacity() + bins.capacity())
    }
}

impl Columns {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Columns { rows, starts, members, oversized: large, next, sample, .. } = self;
        rows.bytes()
            + sample.bytes()
            + 4 * (starts.capacity() + large.capacity())
            + 8 * members.capacity()
            + next.as_ref().map_or(0, |next| size_of::<Columns>() + next.bytes())
    }

    /// Sorts these slots into columns. Callers outside of this file pass `level` 0.
    pub(crate) fn fill(&mut self, slots: &[u32], boxes: &[Aabb], level: usize) {
        let plan = Plan::new(slots, boxes, level, &mut self.sample);
        self.plan = plan;
        self.members.clear();
        self.oversized.clear();
        for &slot in slots {
            let sides = sides(&boxes[slot as usize], plan.axis);
            if plan.fits(&sides) {
                self.members.push((plan.cell(1, sides[2]) * plan.n[0] + plan.cell(0, sides[1]), slot));
            } else {
                self.oversized.push(slot);
            }
        }
        let n_columns = plan.n[0] as usize * plan.n[1] as usize;
        self.rows.fill_groups(plan.axis, &self.members, boxes, n_columns, &mut self.starts);
        match (&mut self.next, self.oversized.is_empty()) {
            (Some(next), _) => next.fill(&self.oversized, boxes, level + 1),
            (None, false) => {
                self.next.insert(Box::default()).fill(&self.oversized, boxes, level + 1);
            }
            (None, true) => {}
        }
    }

    /// Finds all pairs.
    pub(crate) fn pairs(&self, boxes: &[Aabb], tasks: &mut Vec<Task>, found: &mut PairBuffer) {
        let n_columns = self.starts.len().saturating_sub(1);
        // About as many columns as have one chunk of rows.
        let chunk = (CHUNK_ROWS * n_columns).div_ceil(self.members.len().max(1)).max(1);
        work_on(n_columns, chunk, tasks, found, |columns, tasks, found| {
            self.pairs_of_columns(columns, tasks, found);
        });
        if let Some(next) = self.next.as_ref().filter(|_| !self.oversized.is_empty()) {
            next.pairs(boxes, tasks, found);
            work_on(self.oversized.len(), CHUNK_LARGE_BOXES, tasks, found, |range, tasks, found| {
                for &slot in &self.oversized[range] {
                    self.pairs_with_columns(slot, &boxes[slot as usize], tasks, found);
                }
            });
        }
    }

    /// Finds the pairs of the boxes of some columns, among themselves and with later columns.
    /// Columns are ordered by z, then y.
    fn pairs_of_columns(&self, columns: Range<usize>, tasks: &mut Vec<Task>, found: &mut PairBuffer) {
        let Columns { plan, rows, .. } = self;
        tasks.clear();
        found.nodes += columns.len() as u64;
        for column in columns {
            let (y, z) = (column as u32 % plan.n[0], column as u32 / plan.n[0]);
            let (begin, end) = self.column(y, z);
            for row in begin..end {
                let sides = rows.sides_of(row);
                let slot = rows.slots[row];
                let last = rows.first_above(row, end, sides[3]);
                if row + 1 < last {
                    tasks.push(Task::new(slot, &sides, row + 1, last));
                }
                let (y1, z1) = (plan.cell(0, sides[4]), plan.cell(1, sides[5]));
                if y < y1 || z < z1 {
                    let y0 = plan.cell(0, plan.before(1, sides[1])).min(y);
                    for z_other in z..=z1 {
                        let first = if z_other == z { y + 1 } else { y0 };
                        for y_other in first..=y1 {
                            self.push_run(slot, &sides, y_other, z_other, tasks);
                        }
                    }
                }
                if CHUNK <= tasks.len() {
                    rows.run(tasks, found);
                    tasks.clear();
                }
            }
        }
        rows.run(tasks, found);
        tasks.clear();
    }

    /// Finds all pairs of a box outside the columns with boxes in them.
    pub(crate) fn pairs_with(&self, slot: u32, aabb: &Aabb, tasks: &mut Vec<Task>, found: &mut PairBuffer) {
        let mut level = Some(self);
        while let Some(columns) = level {
            columns.pairs_with_columns(slot, aabb, tasks, found);
            level = columns.next.as_deref().filter(|_| !columns.oversized.is_empty());
        }
    }

    fn pairs_with_columns(&self, slot: u32, aabb: &Aabb, tasks: &mut Vec<Task>, found: &mut PairBuffer) {
        let plan = &self.plan;
        let sides = sides(aabb, plan.axis);
        let first = |i: usize| plan.cell(i, plan.before(i + 1, sides[i + 1]));
        tasks.clear();
        for z in first(1)..=plan.cell(1, sides[5]) {
            for y in first(0)..=plan.cell(0, sides[4]) {
                self.push_run(slot, &sides, y, z, tasks);
            }
            if CHUNK <= tasks.len() {
                self.rows.run(tasks, found);
                tasks.clear();
            }
        }
        self.rows.run(tasks, found);
        tasks.clear();
    }

    #[inline(always)]
    fn column(&self, y: u32, z: u32) -> (usize, usize) {
        let column = z as usize * self.plan.n[0] as usize + y as usize;
        (self.starts[column] as usize, self.starts[column + 1] as usize)
    }

    /// Adds a task: the box against the boxes of a column that it may meet on the axis, if there
    /// are any.
    #[inline(always)]
    fn push_run(&self, slot: u32, sides: &[f32; 6], y: u32, z: u32, tasks: &mut Vec<Task>) {
        let (begin, end) = self.column(y, z);
        let reach = self.plan.before(0, sides[0]);
        let first = begin + self.rows.sides[0][begin..end].partition_point(|&low| low < reach);
        if first < end && self.rows.sides[0][first] <= sides[3] {
            let last = self.rows.first_above(first, end, sides[3]);
            tasks.push(Task::new(slot, sides, first, last));
        }
    }
}
