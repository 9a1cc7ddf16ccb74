//! All pairs of touching boxes in a grid, and between two grids.
//!
//! A box of a grid asks the rest of its own run of cells, up to where it ends itself, and of the rows of cells behind
//! it those that it or a partner may reach into: at most four. So every pair is met once. Boxes of one grid that ask
//! another ask every row in their range. First the questions of 256 boxes are written down as runs of places, without
//! branches; then each run is tested, eight boxes at a time, and what touches is written without a branch either.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.3 and 7.1.6 (half of the neighbours when all ask).
//! Differs: runs of cells instead of cells, along one axis sorted but not divided; lists of tasks.

use crate::level::Level;
use crate::packed::{PADDING, Packed};
#[cfg(feature = "parallel")]
pub(crate) use crate::par::pieces;
use alloc::vec::Vec;
use carom_broad::Found;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};

/// Boxes whose questions are written down at a time: they stay in the nearest cache.
const PIECE: usize = 256;

/// Boxes tested before there is room made for more pairs.
const BATCH: usize = 1 << 14;

/// Boxes looked at to learn which of two grids should ask the other.
const N_SAMPLES: usize = 32;

/// What was found, and what is still to be asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) found: Found,
    tasks: Tasks,
}

/// Who asks, and the run of places that is asked: at first as cells.
#[derive(Clone, Debug, Default)]
struct Tasks {
    who: Vec<u32>,
    begin: Vec<u32>,
    end: Vec<u32>,
}

impl Tasks {
    fn clear(&mut self) {
        for list in [&mut self.who, &mut self.begin, &mut self.end] {
            list.clear();
        }
    }
}

impl Search {
    /// Writes down that the box at a place asks a run of places.
    #[inline]
    pub(crate) fn push_task(&mut self, who: usize, begin: u32, end: u32) {
        self.tasks.who.push(who as u32);
        self.tasks.begin.push(begin);
        self.tasks.end.push(end);
    }

    /// Runs the tasks that are written down, and forgets them.
    pub(crate) fn run_tasks(&mut self, askers: &Packed, asked: &Packed) {
        let Search { found, tasks } = self;
        dispatch(Run { askers, asked, tasks, found });
        tasks.clear();
    }

    /// Bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Tasks { who, begin, end } = &self.tasks;
        self.found.bytes() + 4 * (who.capacity() + begin.capacity() + end.capacity())
    }
}

/// Appends the touching boxes of one grid, or of two; those at `first..last` of the first ask.
pub(crate) fn ask(askers: &Level, asked: Option<&Level>, first: usize, last: usize, out: &mut Search) {
    let Some(asked) = asked else {
        return dispatch(Within { level: askers, first, last, out });
    };
    for start in (first..last).step_by(PIECE) {
        for place in start..last.min(start + PIECE) {
            let (min, max) = askers.packed.corners(place);
            asked.runs(min, max, |begin, end| out.push_task(place, begin, end));
        }
        out.run_tasks(&askers.packed, &asked.packed);
    }
}

/// Calls `ask` with the ends of ranges that make up `0..n`.
#[cfg(not(feature = "parallel"))]
pub(crate) fn pieces(n: usize, out: &mut Search, ask: impl Fn(usize, usize, &mut Search)) {
    ask(0, n, out);
}

/// The two grids in the order in which the first should ask the second.
pub(crate) fn cheaper<'a>(a: &'a Level, b: &'a Level) -> (&'a Level, &'a Level) {
    let cost = |askers: &Level, asked: &Level| {
        let n_askers = askers.packed.n;
        let n = N_SAMPLES.min(n_askers);
        let sum: u64 = (0..n)
            .map(|i| {
                let (min, max) = askers.packed.corners(i * n_askers / n);
                asked.cost(min, max)
            })
            .sum();
        sum.saturating_mul(n_askers as u64) / n.max(1) as u64
    };
    if cost(a, b) <= cost(b, a) { (a, b) } else { (b, a) }
}

struct Within<'a> {
    level: &'a Level,
    first: usize,
    last: usize,
    out: &'a mut Search,
}

impl Kernel for Within<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Within { level, first, last, out } = self;
        let Search { found, tasks } = out;
        for list in [&mut tasks.who, &mut tasks.begin, &mut tasks.end] {
            // A run of its own and four more for each, and room for what is written past the last.
            list.resize((5 * PIECE + 8).max(list.len()), 0);
        }
        let mut start = first;
        while start < last {
            let end = last.min(start + PIECE);
            let n_tasks = own_rows(simd, level, start, end, tasks);
            for i in 0..end - start {
                tasks.who[i] = (start + i) as u32;
                tasks.begin[i] = (start + i + 1) as u32;
                tasks.end[i] = level.starts[tasks.end[i] as usize + 1];
            }
            // The lanes behind the last box ask nothing.
            let first_row = (end - start).next_multiple_of(8);
            for i in end - start..first_row {
                (tasks.who[i], tasks.begin[i], tasks.end[i]) = (start as u32, 0, 0);
            }
            for i in first_row..n_tasks {
                (tasks.begin[i], tasks.end[i]) = level.run(tasks.begin[i], tasks.end[i]);
            }
            run_batches(simd, &level.packed, &level.packed, tasks, n_tasks, found);
            start = end;
        }
        tasks.clear();
    }
}

/// Writes down the cells that the boxes at `start..end` ask: the own run of each, of which only the last cell counts,
/// then the rows behind. The answer is the number of tasks.
#[inline(always)]
fn own_rows<S: Simd>(simd: S, level: &Level, start: usize, end: usize, tasks: &mut Tasks) -> usize {
    let cells = &level.cells;
    let [x, y, z] = cells.axes;
    let (along, across, behind) = (cells.lanes(simd, x), cells.lanes(simd, y), cells.lanes(simd, z));
    let (stride_y, stride_z) = (cells.strides()[y], cells.strides()[z]);
    let splat = |x: u32| S::U32x8::splat(simd, x);
    let (row_y, row_z) = (splat(stride_y), splat(stride_z));
    let mut n_tasks = (end - start).next_multiple_of(8);
    let mut at = start;
    while at < end {
        let load = |side: usize| S::F32x8::load_or(simd, &level.packed.sides[side], at, 0.0);
        let (min_x, min_y, min_z) = (load(x), load(y), load(z));
        let (y_cell, z_cell) = (across.cell(min_y), behind.cell(min_z));
        let row = y_cell * row_y + z_cell * row_z;
        let first = row + along.cell(along.below(min_x));
        let last = row + along.cell(load(x + 3));
        if let Some(room) = tasks.end.get_mut(at - start..).and_then(|to| to.first_chunk_mut()) {
            last.store(room);
        }
        let is_there = S::Mask8::first(simd, end - at);
        let reaches_y = y_cell.lt(across.cell(load(y + 3))) & is_there;
        let reaches_z = z_cell.lt(behind.cell(load(z + 3))) & is_there;
        let is_reached_y = across.cell(across.below(min_y)).lt(y_cell);
        let place = splat(at as u32) + S::U32x8::iota(simd);
        let rows = [
            (reaches_y, row_y),
            (reaches_z, row_z),
            (reaches_y & reaches_z, row_y + row_z),
            (reaches_z & is_reached_y, row_z - row_y),
        ];
        let mut i = 0;
        while i < rows.len() {
            let (mask, offset) = rows[i];
            place.compress_store(mask, &mut tasks.who[n_tasks..]);
            (first + offset).compress_store(mask, &mut tasks.begin[n_tasks..]);
            n_tasks += (last + offset).compress_store(mask, &mut tasks.end[n_tasks..]);
            i += 1;
        }
        at += 8;
    }
    n_tasks
}

/// Runs tasks that are written down.
struct Run<'a> {
    askers: &'a Packed,
    asked: &'a Packed,
    tasks: &'a Tasks,
    found: &'a mut Found,
}

impl Kernel for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Run { askers, asked, tasks, found } = self;
        run_batches(simd, askers, asked, tasks, tasks.who.len(), found);
    }
}

/// Runs the first tasks, so many at a time that the room for all that they may find stays small.
#[inline(always)]
fn run_batches<S: Simd>(
    simd: S,
    askers: &Packed,
    asked: &Packed,
    tasks: &Tasks,
    n_tasks: usize,
    found: &mut Found,
) {
    found.nodes += n_tasks as u64;
    let mut first = 0;
    while first < n_tasks {
        let (mut last, mut length) = (first, 0);
        while last < n_tasks && length < BATCH {
            length += (tasks.end[last] - tasks.begin[last]) as usize;
            last += 1;
        }
        found.tests += length as u64;
        let (low, high) = found.room(length + PADDING);
        let n = meet(simd, askers, asked, tasks, first, last, low, high);
        found.advance(n);
        first = last;
    }
}

/// Tests each asker against its run, and writes down what touches; the answer is how many pairs.
#[inline(always)]
fn meet<S: Simd>(
    simd: S,
    askers: &Packed,
    asked: &Packed,
    tasks: &Tasks,
    first: usize,
    last: usize,
    low: &mut [u32],
    high: &mut [u32],
) -> usize {
    // One length for all: one check per step.
    let size = asked.n + PADDING;
    let [min_x, min_y, min_z, max_x, max_y, max_z] = &asked.sides;
    let (min_x, min_y, min_z) = (&min_x[..size], &min_y[..size], &min_z[..size]);
    let (max_x, max_y, max_z) = (&max_x[..size], &max_y[..size], &max_z[..size]);
    let slots = &asked.slots[..size];
    let room = low.len();
    let (low, high) = (&mut low[..room], &mut high[..room]);
    let (who, begin, end) = (&tasks.who[..last], &tasks.begin[..last], &tasks.end[..last]);
    let mut n = 0;
    for task in first..last {
        let place = who[task] as usize;
        let (low_corner, high_corner) = askers.corners(place);
        let a_min_x = S::F32x8::splat(simd, low_corner[0]);
        let a_min_y = S::F32x8::splat(simd, low_corner[1]);
        let a_min_z = S::F32x8::splat(simd, low_corner[2]);
        let a_max_x = S::F32x8::splat(simd, high_corner[0]);
        let a_max_y = S::F32x8::splat(simd, high_corner[1]);
        let a_max_z = S::F32x8::splat(simd, high_corner[2]);
        let own = S::U32x8::splat(simd, askers.slots[place]);
        let (mut at, last) = (begin[task] as usize, end[task] as usize);
        // The padding behind the last place: there are always eight. Said once, so that no step has to ask.
        if size < last + PADDING {
            break;
        }
        while at < last {
            let touches = (S::F32x8::load_or(simd, min_x, at, 0.0).le(a_max_x)
                & a_min_x.le(S::F32x8::load_or(simd, max_x, at, 0.0)))
                & (S::F32x8::load_or(simd, min_y, at, 0.0).le(a_max_y)
                    & a_min_y.le(S::F32x8::load_or(simd, max_y, at, 0.0)))
                & (S::F32x8::load_or(simd, min_z, at, 0.0).le(a_max_z)
                    & a_min_z.le(S::F32x8::load_or(simd, max_z, at, 0.0)))
                & S::Mask8::first(simd, last - at);
            let partners = S::U32x8::load_or(simd, slots, at, 0);
            own.min(partners).compress_store(touches, &mut low[n..]);
            n += own.max(partners).compress_store(touches, &mut high[n..]);
            at += 8;
        }
    }
    n
}
