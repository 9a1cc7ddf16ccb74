//! Finds all pairs of touching boxes in a grid, and between two grids.
//!
//! A box tests the rest of its own run of cells, up to its own end. It also tests at most four
//! later rows, into which it or a partner may reach. So every pair is found once. If one grid
//! queries another, each box tests every row in its range. First the queries of 256 boxes are
//! listed as runs, without branches. Then each run is tested, eight boxes at a time, and touching
//! boxes are written without a branch.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.3 and 7.1.6 (half of the
//! neighbours if all boxes query).
//! Differs: runs of cells instead of cells, sorted but not divided along one axis; lists of tasks.

use crate::level::Level;
use crate::packed::{Packed, WIDTH};
#[cfg(feature = "parallel")]
pub(crate) use crate::par::in_chunks;
use alloc::vec::Vec;
use carom_broad::PairBuffer;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
#[cfg(not(feature = "parallel"))]
use core::ops::Range;

/// Boxes with queries listed at a time: they stay in the nearest cache.
const CHUNK_BOXES: usize = 256;

/// The least room for pairs that is reserved at a time.
const ROOM: usize = 1 << 10;

/// Boxes sampled to decide which of two grids should query the other.
const N_SAMPLES: usize = 32;

/// The pairs found, and the queries that are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) found: PairBuffer,
    tasks: Tasks,
}

/// Querying boxes, and the run of boxes that each tests.
#[derive(Clone, Debug, Default)]
struct Tasks {
    query: Vec<u32>,
    begin: Vec<u32>,
    end: Vec<u32>,
}

impl Tasks {
    fn clear(&mut self) {
        for list in [&mut self.query, &mut self.begin, &mut self.end] {
            list.clear();
        }
    }
}

impl Search {
    /// Lists the query of a box on a run of boxes.
    #[inline]
    pub(crate) fn push_task(&mut self, query: usize, begin: u32, end: u32) {
        self.tasks.query.push(query as u32);
        self.tasks.begin.push(begin);
        self.tasks.end.push(end);
    }

    /// Runs the listed tasks, and clears them.
    pub(crate) fn run_tasks(&mut self, queries: &Packed, targets: &Packed) {
        let Search { found, tasks } = self;
        let Tasks { query, begin, end } = &*tasks;
        dispatch(Run { queries, targets, query, begin, end, found });
        tasks.clear();
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Tasks { query, begin, end } = &self.tasks;
        self.found.bytes() + 4 * (query.capacity() + begin.capacity() + end.capacity())
    }
}

/// Appends the touching boxes of one grid, or of two grids. The boxes `first..last` of `queries`
/// make the queries.
pub(crate) fn find_between(
    queries: &Level,
    targets: Option<&Level>,
    first: usize,
    last: usize,
    out: &mut Search,
) {
    let Some(targets) = targets else {
        return dispatch(Within { level: queries, first, last, out });
    };
    for start in (first..last).step_by(CHUNK_BOXES) {
        for index in start..last.min(start + CHUNK_BOXES) {
            let (min, max) = queries.packed.corners(index);
            targets.runs(min, max, |begin, end| out.push_task(index, begin, end));
        }
        out.run_tasks(&queries.packed, &targets.packed);
    }
}

/// Calls `find_between` with the ends of ranges that make up `range`.
#[cfg(not(feature = "parallel"))]
pub(crate) fn in_chunks(
    range: Range<usize>,
    out: &mut Search,
    find_between: impl Fn(usize, usize, &mut Search),
) {
    find_between(range.start, range.end, out);
}

/// Returns the two grids, first the one that should query the other.
pub(crate) fn order_by_cost<'a>(a: &'a Level, b: &'a Level) -> (&'a Level, &'a Level) {
    let cost = |queries: &Level, targets: &Level| {
        let n_queries = queries.packed.n;
        let n = N_SAMPLES.min(n_queries);
        let sum: u64 = (0..n)
            .map(|i| {
                let (min, max) = queries.packed.corners(i * n_queries / n);
                targets.cost(min, max)
            })
            .sum();
        sum.saturating_mul(n_queries as u64) / n.max(1) as u64
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
        let found = &mut out.found;
        // For each box: its own run and up to four others.
        let [mut query, mut begin, mut end] = [[0; 5 * CHUNK_BOXES]; 3];
        let mut rows = Rows::NONE;
        let mut start = first;
        while start < last {
            let n = (last - start).min(CHUNK_BOXES);
            let n_rows = rows.find(simd, level, start, n);
            for i in 0..n {
                let after = (start + i) as u32 + 1;
                query[i] = after - 1;
                begin[i] = after;
                end[i] = level.starts[rows.last[i] as usize + 1];
            }
            for i in 0..n_rows {
                let (number, offset) = rows.others(i);
                let (first, last) = (rows.first[number], rows.last[number]);
                let (first, last) = level.run(first.wrapping_add(offset), last.wrapping_add(offset));
                query[n + i] = (start + number) as u32;
                begin[n + i] = first;
                end[n + i] = last;
            }
            let n_tasks = n + n_rows;
            let run = Run {
                queries: &level.packed,
                targets: &level.packed,
                query: &query[..n_tasks],
                begin: &begin[..n_tasks],
                end: &end[..n_tasks],
                found,
            };
            run.run(simd);
            start += n;
        }
    }
}

/// The rows of cells that the boxes of a chunk query.
struct Rows {
    /// The own run of each, as cells; the first counts only for the other rows.
    first: [u32; CHUNK_BOXES],
    last: [u32; CHUNK_BOXES],
    /// The querying box of each later row, plus [`CHUNK_BOXES`] times the number of the row.
    others: [u32; 4 * CHUNK_BOXES + WIDTH],
    /// The cell offsets of the other rows.
    offsets: [u32; 4],
}

impl Rows {
    const NONE: Rows = Rows {
        first: [0; CHUNK_BOXES],
        last: [0; CHUNK_BOXES],
        others: [0; 4 * CHUNK_BOXES + WIDTH],
        offsets: [0; 4],
    };

    /// Lists the queries of the `n` boxes from `start` on; the first begins a block. Returns the
    /// number of rows other than their own.
    #[inline(always)]
    fn find<S: Simd>(&mut self, simd: S, level: &Level, start: usize, n: usize) -> usize {
        let cells = &level.cells;
        let [x, y, z] = cells.axes;
        let (along, across, behind) = (cells.lanes(simd, x), cells.lanes(simd, y), cells.lanes(simd, z));
        let (row_y, row_z) = (cells.strides()[y], cells.strides()[z]);
        self.offsets = [row_y, row_z, row_y.wrapping_add(row_z), row_z.wrapping_sub(row_y)];
        let (row_y, row_z) = (S::U32x8::splat(simd, row_y), S::U32x8::splat(simd, row_z));
        let next = S::U32x8::splat(simd, CHUNK_BOXES as u32);
        let mut n_others = 0;
        for at in (0..n).step_by(WIDTH) {
            let sides = &level.packed.blocks[(start + at) / WIDTH].sides;
            let min_x = S::F32x8::load(simd, &sides[x]);
            let min_y = S::F32x8::load(simd, &sides[y]);
            let min_z = S::F32x8::load(simd, &sides[z]);
            let (y_cell, z_cell) = (across.cell(min_y), behind.cell(min_z));
            let row = y_cell * row_y + z_cell * row_z;
            let first = row + along.cell(along.below(min_x));
            let last = row + along.cell(S::F32x8::load(simd, &sides[x + 3]));
            if let Some(to) = self.first[at..].first_chunk_mut() {
                first.store(to);
            }
            if let Some(to) = self.last[at..].first_chunk_mut() {
                last.store(to);
            }
            let is_there = S::Mask8::first(simd, n - at);
            let reaches_y = y_cell.lt(across.cell(S::F32x8::load(simd, &sides[y + 3]))) & is_there;
            let reaches_z = z_cell.lt(behind.cell(S::F32x8::load(simd, &sides[z + 3]))) & is_there;
            let is_reached_y = across.cell(across.below(min_y)).lt(y_cell);
            let masks = [reaches_y, reaches_z, reaches_y & reaches_z, reaches_z & is_reached_y];
            let mut number = S::U32x8::splat(simd, at as u32) + S::U32x8::iota(simd);
            for which in 0..4 {
                n_others += number.compress_store(masks[which], &mut self.others[n_others..]);
                number = number + next;
            }
        }
        n_others
    }

    /// Returns the querying box, by its number in the chunk, and the cell offset from its own row.
    #[inline(always)]
    fn others(&self, i: usize) -> (usize, u32) {
        let other = self.others[i] as usize;
        (other % CHUNK_BOXES, self.offsets[other / CHUNK_BOXES % 4])
    }
}

/// Tests each querying box against its run, and writes the touching pairs.
struct Run<'a> {
    queries: &'a Packed,
    targets: &'a Packed,
    query: &'a [u32],
    begin: &'a [u32],
    end: &'a [u32],
    found: &'a mut PairBuffer,
}

impl Kernel for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Run { queries, targets, query, begin, end, found } = self;
        let n_tasks = query.len();
        found.nodes += n_tasks as u64;
        let mut first = 0;
        while first < n_tasks {
            let length = (end[first] - begin[first]) as usize;
            let (low, high) = found.room((length + WIDTH).max(ROOM));
            let (n, tests, next) =
                run_while_room(simd, queries, targets, [query, begin, end], first, low, high);
            found.advance(n);
            found.tests += tests;
            first = next;
        }
    }
}

/// Runs tasks from the first on, while there is room for all pairs of the next one. Returns the
/// number of pairs, of boxes tested, and the next task.
#[inline(always)]
fn run_while_room<S: Simd>(
    simd: S,
    queries: &Packed,
    targets: &Packed,
    [query, begin, end]: [&[u32]; 3],
    first: usize,
    low: &mut [u32],
    high: &mut [u32],
) -> (usize, u64, usize) {
    // Slices of equal length, so that each step needs one bounds check.
    let (begin, end) = (&begin[..query.len()], &end[..query.len()]);
    let room = low.len().min(high.len());
    let (low, high) = (&mut low[..room], &mut high[..room]);
    let slots = targets.slots.as_chunks::<WIDTH>().0;
    let blocks = &targets.blocks[..slots.len()];
    let (mut n, mut tests) = (0, 0);
    let mut task = first;
    while task < query.len() {
        let index = query[task] as usize;
        let (begin, end) = (begin[task] as usize, end[task] as usize);
        if room < n + (end - begin) + WIDTH {
            break;
        }
        task += 1;
        tests += (end - begin) as u64;
        let (min, max) = queries.corners(index);
        let min_x = S::F32x8::splat(simd, min[0]);
        let min_y = S::F32x8::splat(simd, min[1]);
        let min_z = S::F32x8::splat(simd, min[2]);
        let max_x = S::F32x8::splat(simd, max[0]);
        let max_y = S::F32x8::splat(simd, max[1]);
        let max_z = S::F32x8::splat(simd, max[2]);
        let own = S::U32x8::splat(simd, queries.slots[index]);
        let mut number = begin / WIDTH;
        // Masks the lanes before the run, in its first block.
        let mut meant = u32::MAX << (begin % WIDTH);
        while number * WIDTH < end {
            let behind = (end - number * WIDTH).min(WIDTH);
            let touching = blocks[number].touching(simd, [min_x, min_y, min_z], [max_x, max_y, max_z]);
            let bits = touching & meant & !(u32::MAX << behind);
            let partners = S::U32x8::load(simd, &slots[number]);
            let (Some(low), Some(high)) = (low[n..].first_chunk_mut(), high[n..].first_chunk_mut()) else {
                break;
            };
            // Branchless: always write, advance only if it touches.
            own.store(low);
            partners.compress_bits(simd, bits).store(high);
            n += bits.count_ones() as usize;
            meant = u32::MAX;
            number += 1;
        }
    }
    // The smaller index first.
    for (low, high) in low[..n].iter_mut().zip(&mut high[..n]) {
        (*low, *high) = if *low < *high { (*low, *high) } else { (*high, *low) };
    }
    (n, tests, task)
}
