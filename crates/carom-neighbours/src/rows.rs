//! Rows of neighbours: for each point of one set, the nearby points of another or of the same set.
//!
//! - The neighbours of a point are in nine ranges of slots around its cell. Points of one cell
//!   share them.
//! - Eight candidates are tested at a time. Those in reach are moved to the front of eight lanes,
//!   and all lanes are written. So there is no branch on the result of a test.
//! - Outside of a narrow band of distances, lanes decide in `f32`. Inside it the rule in `f64`
//!   decides for each candidate.
//! - A row is begun only if there is room for all its candidates. So nothing is written past the
//!   end, and a search can resume with more memory.
//!
//! Reference: S. Green, Particle Simulation using CUDA, NVIDIA, 2010.
//! Differs: ranges of three cells, and eight candidates at a time.

use crate::LANES;
use crate::sorted::{Hints, Sorted};
use crate::within::{Band, distance_sq};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes};
use core::ops::{ControlFlow, Range};

/// The points that belong to a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    /// Queries and candidates are one set: all points except the querying one.
    Others,
    /// Queries and candidates are one set: points in later slots, so that each pair is found once.
    Later,
    /// Queries and candidates are two sets: all points.
    All,
}

/// Decides the pairs that lanes cannot decide.
pub(crate) trait Rule: Sync {
    /// Whether a slot of the queries and one of the candidates are a pair. `distance_sq` is the
    /// square of their distance.
    fn holds(&self, slot: usize, candidate: usize, distance_sq: f64) -> bool;
}

/// One radius for all points, stored as its exact square.
#[derive(Clone, Debug)]
pub(crate) struct OneRadius(pub(crate) f64);

impl OneRadius {
    pub(crate) fn new(radius: f32) -> OneRadius {
        OneRadius(f64::from(radius) * f64::from(radius))
    }
}

impl Rule for OneRadius {
    #[inline(always)]
    fn holds(&self, _: usize, _: usize, distance_sq: f64) -> bool {
        distance_sq <= self.0
    }
}

/// Candidates, and the rule that decides whether they are near.
#[derive(Debug)]
pub(crate) struct Scan<'a, R> {
    /// The points that rows may contain, sorted into cells of at least the radius.
    pub(crate) candidates: &'a Sorted,
    pub(crate) band: Band,
    pub(crate) rule: &'a R,
}

impl<R> Clone for Scan<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Scan<'_, R> {}

/// A search for rows.
pub(crate) struct Rows<'a, R> {
    pub(crate) scan: Scan<'a, R>,
    /// The points with rows.
    pub(crate) queries: &'a Sorted,
    pub(crate) side: Side,
    /// The slots of the queries.
    pub(crate) slots: Range<usize>,
    /// Receives the rows, one after the other, from index `first` on.
    pub(crate) out: &'a mut [u32],
    pub(crate) first: usize,
    /// Receives the end of each row in `out`. Its length limits the number of rows.
    pub(crate) ends: &'a mut [usize],
}

/// The progress of a search.
pub(crate) struct Progress {
    /// The slot of the first row that was not begun.
    pub(crate) slot: usize,
    /// The room that this row needs in `out`; 0 if there was room.
    pub(crate) wanted: usize,
}

impl<R: Rule> Kernel for Rows<'_, R> {
    type Output = Progress;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Progress {
        let Rows { scan, queries, side, slots, out, first, ends } = self;
        let (mut slot, mut n, mut n_rows) = (slots.start, first, 0);
        // Slots below this one are in the cell whose surroundings are `ranges`.
        let mut cell_end = slot;
        let (mut ranges, mut hints): ([Range<usize>; 9], Hints) = (core::array::from_fn(|_| 0..0), [0; 9]);
        let (mut n_candidates, mut cell) = (0, [0; 3]);
        while slot < slots.end && n_rows < ends.len() {
            let position = queries.position(slot);
            if cell_end <= slot {
                let own = scan.candidates.cell(position);
                if slot == slots.start || own != cell {
                    cell = own;
                    ranges = scan.candidates.around(cell, &mut hints);
                    n_candidates = ranges.iter().map(|range| range.len()).sum();
                }
                cell_end = slot + 1;
                if side != Side::All {
                    let own_slots = scan.candidates.row(cell[0], cell[0], cell[1], cell[2], &mut hints[4]);
                    cell_end = own_slots.end.max(cell_end);
                }
            }
            // All eight lanes are written, so there must be room for them.
            let wanted = n_candidates + LANES;
            if out.len() - n < wanted {
                return Progress { slot, wanted };
            }
            let before = if side == Side::Later { 4..4 } else { 0..4 };
            for range in &ranges[before] {
                n = scan.near(simd, slot, position, range.clone(), out, n);
            }
            let middle = ranges[4].clone();
            match side {
                Side::All => n = scan.near(simd, slot, position, middle, out, n),
                Side::Later => n = scan.near(simd, slot, position, slot + 1..middle.end, out, n),
                Side::Others => {
                    n = scan.near(simd, slot, position, middle.start..slot, out, n);
                    n = scan.near(simd, slot, position, slot + 1..middle.end, out, n);
                }
            }
            for range in &ranges[5..] {
                n = scan.near(simd, slot, position, range.clone(), out, n);
            }
            ends[n_rows] = n;
            n_rows += 1;
            slot += 1;
        }
        Progress { slot, wanted: 0 }
    }
}

impl<R: Rule> Scan<'_, R> {
    /// Writes the candidates of a range that are near a position to `out[n..]`. Returns the new
    /// end. `slot` is the slot of the position among the queries, for the rule.
    #[inline(always)]
    pub(crate) fn near<S: Simd>(
        &self,
        simd: S,
        slot: usize,
        position: [f32; 3],
        range: Range<usize>,
        out: &mut [u32],
        mut n: usize,
    ) -> usize {
        let n_blocks = range.len().div_ceil(LANES);
        let points = blocks(&self.candidates.points, range.start, n_blocks);
        let x = blocks(&self.candidates.x, range.start, n_blocks);
        let y = blocks(&self.candidates.y, range.start, n_blocks);
        let z = blocks(&self.candidates.z, range.start, n_blocks);
        let [own_x, own_y, own_z] = position.map(|x| S::F32x8::splat(simd, x));
        let sure_sq = S::F32x8::splat(simd, self.band.sure);
        let possible_sq = S::F32x8::splat(simd, self.band.possible);
        for block in 0..n_blocks {
            let dx = own_x - S::F32x8::load(simd, &x[block]);
            let dy = own_y - S::F32x8::load(simd, &y[block]);
            let dz = own_z - S::F32x8::load(simd, &z[block]);
            let distance_sq = dx * dx + dy * dy + dz * dz;
            let n_left = range.len() - block * LANES;
            let in_range = u32::MAX >> (32 - n_left.min(LANES) as u32);
            let mut near = distance_sq.le(possible_sq).bits() & in_range;
            let sure = distance_sq.le(sure_sq).bits() & in_range;
            if near != sure {
                near = self.decide(slot, position, range.start + block * LANES, near, sure);
            }
            let lanes = S::U32x8::load(simd, &points[block]).compress_bits(simd, near);
            if let Some(room) = out.get_mut(n..).and_then(|out| out.first_chunk_mut()) {
                lanes.store(room);
            }
            n += near.count_ones() as usize;
        }
        n
    }

    /// Returns the lanes of `near` that are in reach. Those in `sure` are known to be.
    #[cold]
    #[inline(never)]
    fn decide(&self, slot: usize, position: [f32; 3], at: usize, near: u32, sure: u32) -> u32 {
        let (mut open, mut decided) = (near & !sure, sure);
        while open != 0 {
            let lane = open.trailing_zeros();
            let candidate = at + lane as usize;
            let distance_sq = distance_sq(position, self.candidates.position(candidate));
            decided |= u32::from(self.rule.holds(slot, candidate, distance_sq)) << lane;
            open &= open - 1;
        }
        decided
    }
}

/// Returns blocks of a column from a slot on. The last one may include lanes after the last point.
#[inline(always)]
fn blocks<T>(column: &[T], start: usize, n_blocks: usize) -> &[[T; LANES]] {
    let (blocks, _) = column[start..start + n_blocks * LANES].as_chunks();
    &blocks[..n_blocks]
}

/// A search around one position, which need not be a point.
pub(crate) struct NearSearch<'a, R, F> {
    pub(crate) scan: Scan<'a, R>,
    pub(crate) position: [f32; 3],
    /// The least and the greatest cell, on each axis, that can have candidates.
    pub(crate) cells: [[i32; 3]; 2],
    /// Called with each point that is near, until it breaks.
    pub(crate) visit: F,
}

/// Candidates that are tested before the near ones among them are visited.
const NEAR_CANDIDATES: usize = 64;

impl<R: Rule, F: FnMut(u32) -> ControlFlow<()>> Kernel for NearSearch<'_, R, F> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> ControlFlow<()> {
        let [low, high] = self.cells;
        let n = self.scan.candidates.len();
        let n_rows = [1, 2].map(|axis| (i64::from(high[axis]) - i64::from(low[axis]) + 1) as u128);
        if n as u128 <= n_rows[0] * n_rows[1] {
            return self.range(simd, 0..n);
        }
        let mut hint = 0;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = self.scan.candidates.row(low[0], high[0], y, z, &mut hint);
                self.range(simd, row)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl<R: Rule, F: FnMut(u32) -> ControlFlow<()>> NearSearch<'_, R, F> {
    /// Visits the neighbours in a range of slots.
    #[inline(always)]
    fn range<S: Simd>(&mut self, simd: S, range: Range<usize>) -> ControlFlow<()> {
        let mut found = [0; NEAR_CANDIDATES + LANES];
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min(from + NEAR_CANDIDATES);
            let n = self.scan.near(simd, 0, self.position, from..to, &mut found, 0);
            for &point in &found[..n] {
                (self.visit)(point)?;
            }
            from = to;
        }
        ControlFlow::Continue(())
    }
}
