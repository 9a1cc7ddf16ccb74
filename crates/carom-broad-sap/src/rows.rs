//! Boxes sorted by their lower ends on one axis, coordinate by coordinate; and the test of one box
//! against a run of them.
//!
//! In sorted order the possible partners of a box are a run, up to its upper end. Boxes of a run
//! are tested eight at a time. Those that touch are written without a branch.
//!
//! Reference: P. Terdiman, Box pruning revisited, 2017 (a sorted list, coordinates apart, several
//! boxes per instruction).
//! Differs: runs are found first, then tested, so that the inner loop neither grows a list nor
//! searches its end.

use crate::chunks::work_on;
use crate::keys::{ordered, sort_by_upper_half};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::PairBuffer;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use core::ops::Range;

/// Runs tested at a time.
pub(crate) const CHUNK: usize = 256;

/// Rows per chunk of a thread.
pub(crate) const CHUNK_ROWS: usize = 4096;

/// Boxes in the order of their lower ends on `axis`.
///
/// Memory: 44 bytes per box.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) axis: usize,
    pub(crate) slots: Vec<u32>,
    /// Lower ends on the axis, then on the next two (cyclically), then the upper ends in the same
    /// order.
    pub(crate) sides: [Vec<f32>; 6],
    keys: Vec<u64>,
    scratch: Vec<u64>,
}

/// A box against a run of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) slot: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
    /// Like [`Rows::sides`], without the upper end on the axis, which the end of the run replaces.
    sides: [f32; 5],
}

/// Returns the six sides of a box, `axis` first.
#[inline(always)]
pub(crate) fn sides(aabb: &Aabb, axis: usize) -> [f32; 6] {
    let (low, high) = (aabb.min.to_array(), aabb.max.to_array());
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    [low[axis % 3], low[b], low[c], high[axis % 3], high[b], high[c]]
}

impl Task {
    #[inline(always)]
    pub(crate) fn new(slot: u32, sides: &[f32; 6], begin: usize, end: usize) -> Task {
        let &[a, b, c, _, upper_b, upper_c] = sides;
        Task { slot, begin: begin as u32, end: end as u32, sides: [a, b, c, upper_b, upper_c] }
    }
}

impl Rows {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Rows { slots, sides, keys, scratch, .. } = self;
        4 * (slots.capacity() + sides.iter().map(Vec::capacity).sum::<usize>())
            + 8 * (keys.capacity() + scratch.capacity())
    }

    /// Sorts these slots into rows. Equal ends keep the given order.
    pub(crate) fn fill(&mut self, axis: usize, slots: &[u32], boxes: &[Aabb]) {
        self.sort(axis, slots.iter().map(|&slot| &boxes[slot as usize]));
        self.slots.clear();
        self.slots.extend(self.keys.iter().map(|&key| slots[key as u32 as usize]));
        self.gather(boxes);
    }

    /// Sorts slots into rows, by group and then by lower end. `members` holds pairs of group and
    /// slot; groups are numbers below `n_groups`. `starts` becomes the start of each group, and
    /// the end of the last.
    pub(crate) fn fill_groups(
        &mut self,
        axis: usize,
        members: &[(u32, u32)],
        boxes: &[Aabb],
        n_groups: usize,
        starts: &mut Vec<u32>,
    ) {
        // All are sorted, then distributed to the groups in that order.
        self.sort(axis, members.iter().map(|&(_, slot)| &boxes[slot as usize]));
        starts.clear();
        starts.resize(n_groups + 2, 0);
        for &(group, _) in members {
            starts[group as usize + 2] += 1;
        }
        for group in 2..starts.len() {
            starts[group] += starts[group - 1];
        }
        self.slots.clear();
        self.slots.resize(members.len(), 0);
        // The start of a group is stored one entry later. It advances to the end of the group,
        // which is the start of the next.
        for &key in &self.keys {
            let (group, slot) = members[key as u32 as usize];
            let entry = &mut starts[group as usize + 1];
            self.slots[*entry as usize] = slot;
            *entry += 1;
        }
        starts.pop();
        self.gather(boxes);
    }

    /// Makes `keys` the sorted numbers of the boxes, in the lower half.
    fn sort<'a>(&mut self, axis: usize, boxes: impl Iterator<Item = &'a Aabb>) {
        self.axis = axis;
        self.keys.clear();
        let key = |(i, aabb): (usize, &Aabb)| u64::from(ordered(aabb.min[axis % 3])) << 32 | i as u64;
        self.keys.extend(boxes.enumerate().map(key));
        sort_by_upper_half(&mut self.keys, &mut self.scratch);
    }

    fn gather(&mut self, boxes: &[Aabb]) {
        for column in &mut self.sides {
            column.clear();
            column.resize(self.slots.len(), 0.0);
        }
        for (row, &slot) in self.slots.iter().enumerate() {
            let sides = sides(&boxes[slot as usize], self.axis);
            for (column, side) in self.sides.iter_mut().zip(sides) {
                column[row] = side;
            }
        }
    }

    /// Returns the sides of a row.
    #[inline(always)]
    pub(crate) fn sides_of(&self, row: usize) -> [f32; 6] {
        core::array::from_fn(|side| self.sides[side][row])
    }

    /// Returns the first of the rows from `begin` to `end` that begins above `limit`, by galloping
    /// search.
    #[inline]
    pub(crate) fn first_above(&self, begin: usize, end: usize, limit: f32) -> usize {
        let lows = &self.sides[0][..end];
        let (mut inside, mut step) = (begin, 1);
        while inside + step < end && lows[inside + step] <= limit {
            inside += step;
            step *= 2;
        }
        let far = end.min(inside + step);
        inside + lows[inside..far].partition_point(|&low| low <= limit)
    }

    /// Finds all pairs among the rows from `begin` to `end`.
    pub(crate) fn pairs_within(
        &self,
        begin: usize,
        end: usize,
        tasks: &mut Vec<Task>,
        found: &mut PairBuffer,
    ) {
        work_on(end - begin, CHUNK_ROWS, tasks, found, |range, tasks, found| {
            self.pairs_from(begin + range.start..begin + range.end, end, tasks, found);
        });
    }

    /// Finds the pairs of some rows with those after them, up to `end`.
    fn pairs_from(&self, rows: Range<usize>, end: usize, tasks: &mut Vec<Task>, found: &mut PairBuffer) {
        let mut row = rows.start;
        while row < rows.end {
            tasks.clear();
            let stop = rows.end.min(row + CHUNK);
            while row < stop {
                let sides = self.sides_of(row);
                let last = self.first_above(row, end, sides[3]);
                if row + 1 < last {
                    tasks.push(Task::new(self.slots[row], &sides, row + 1, last));
                }
                row += 1;
            }
            self.run(tasks, found);
        }
    }

    /// Tests the boxes of the tasks against their runs.
    pub(crate) fn run(&self, tasks: &[Task], found: &mut PairBuffer) {
        dispatch(Runs { rows: self, tasks, found });
    }
}

struct Runs<'a> {
    rows: &'a Rows,
    tasks: &'a [Task],
    found: &'a mut PairBuffer,
}

impl Kernel for Runs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut total = 0;
        for task in self.tasks {
            total += (task.end - task.begin) as usize;
        }
        self.found.tests += total as u64;
        let (low, high) = self.found.room(total + 8);
        let [_, low_b, low_c, high_a, high_b, high_c] = &self.rows.sides;
        let slots = &self.rows.slots[..];
        let mut n = 0;
        for task in self.tasks {
            let [a, b, c, upper_b, upper_c] = task.sides;
            let slot = S::U32x8::splat(simd, task.slot);
            let (a, b, c) = (S::F32x8::splat(simd, a), S::F32x8::splat(simd, b), S::F32x8::splat(simd, c));
            let (upper_b, upper_c) = (S::F32x8::splat(simd, upper_b), S::F32x8::splat(simd, upper_c));
            let (mut row, end) = (task.begin as usize, task.end as usize);
            while row < end {
                let mut meets = S::F32x8::load_or(simd, high_a, row, f32::NAN).ge(a);
                meets = meets & S::F32x8::load_or(simd, low_b, row, f32::NAN).le(upper_b);
                meets = meets & S::F32x8::load_or(simd, high_b, row, f32::NAN).ge(b);
                meets = meets & S::F32x8::load_or(simd, low_c, row, f32::NAN).le(upper_c);
                meets = meets & S::F32x8::load_or(simd, high_c, row, f32::NAN).ge(c);
                meets = meets & S::Mask8::first(simd, end - row);
                let others = S::U32x8::load_or(simd, slots, row, 0);
                let count = slot.min(others).compress_store(meets, &mut low[n..]);
                slot.max(others).compress_store(meets, &mut high[n..]);
                n += count;
                row += 8;
            }
        }
        self.found.advance(n);
    }
}
