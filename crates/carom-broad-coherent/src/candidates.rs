//! A list of pairs that may touch, kept over many frames. Each frame tests only a few of them.
//!
//! While every box stays within its fat box, only pairs of touching fat boxes can touch. The
//! signed gap v of a pair is the least overlap over the six sides. If no box has moved farther
//! than s since v was computed, v has changed by 2 s at most. So a pair is tested again only when
//! the sum of the largest move of each frame has grown by |v| / 2. If few boxes move, only their
//! pairs are tested and the sum stays.
//!
//! Reference: L. Verlet, Computer "Experiments" on Classical Fluids, 1967 (a neighbour list with a
//! skin, kept until something may have crossed it).
//! Differs: the skin is per pair, and the result is exact: the boxes themselves decide.

use crate::by_slot::BySlot;
use crate::outliers::Removed;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::Pair;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes, dispatch};
use carom_math::rounding;

/// The share of the gap that may be used up before the next test. It is less than a half by more
/// than the rounding of the product and the sum.
const GAP_SHARE: f32 = 0.49;

/// The relative error of the drift by narrowing to f32 and by the sum with the gap: four
/// roundings.
const DRIFT_SLACK: f64 = 2.5e-7;

/// Factor on the length of a move, for the rounding of its f32 difference.
const MOVE_SLACK: f64 = 1.00001;

/// The list of candidates.
///
/// Memory: 13 bytes per candidate, and 4 for each tested in a frame. If few boxes move, add 4 per
/// candidate and 8 per slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// In canonical order.
    pairs: Vec<Pair>,
    /// The drift at which a pair is tested again; NaN for a dead pair, which is not tested again.
    recheck_at: Vec<f32>,
    touches: Vec<bool>,
    due: Vec<u32>,
    /// The sum of the largest moves since the list was made, without those in `pending_drift`.
    drift: f64,
    /// The sum of the largest moves since the last test.
    pending_drift: f64,
    /// The drift at the last test of any pair; NaN before the first.
    tested: f64,
    by_slot: BySlot,
    /// Whether all pairs touch while nothing moves.
    is_exact: bool,
}

impl Candidates {
    /// Restarts the drift: nothing has moved from the present boxes.
    pub(crate) fn restart_drift(&mut self) {
        (self.drift, self.pending_drift) = (0.0, 0.0);
    }

    /// Notes that every box moved by at most this much.
    #[inline]
    pub(crate) fn add_move(&mut self, largest: f32) {
        self.pending_drift += f64::from(largest) * MOVE_SLACK;
    }

    /// Begins a new list; `fill` writes it in canonical order. `is_exact`: whether all pairs touch
    /// if nothing has moved since [`Candidates::restart_drift`].
    pub(crate) fn begin(&mut self, is_exact: bool, fill: impl FnOnce(&mut Vec<Pair>)) {
        fill(&mut self.pairs);
        self.touches.clear();
        self.touches.resize(self.pairs.len(), true);
        // Every pair is due at a drift of 0 or more.
        self.recheck_at.clear();
        self.recheck_at.resize(self.pairs.len(), 0.0);
        self.is_exact = is_exact;
        self.tested = f64::NAN;
        self.by_slot.is_current = false;
    }

    /// Returns the number of candidates.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Candidates { pairs, recheck_at, touches, due, .. } = self;
        pairs.capacity() * size_of::<Pair>()
            + 4 * (recheck_at.capacity() + due.capacity())
            + touches.capacity()
            + self.by_slot.bytes()
    }

    /// Removes the pairs of removed slots.
    pub(crate) fn remove_pairs_of(&mut self, removed: &Removed) {
        let Candidates { pairs, recheck_at, touches, by_slot, .. } = self;
        let mut bury = |number: usize| (touches[number], recheck_at[number]) = (false, f32::NAN);
        if by_slot.is_current {
            removed.slots().iter().for_each(|&slot| by_slot.numbers_of(slot).for_each(&mut bury));
            return;
        }
        for (number, pair) in pairs.iter().enumerate() {
            if removed.has(pair.a) | removed.has(pair.b) {
                bury(number);
            }
        }
    }

    /// Builds the list of candidates by slot, unless it is current.
    pub(crate) fn index_slots(&mut self, n_slots: usize) {
        if !self.by_slot.is_current {
            self.by_slot.fill(&self.pairs, n_slots);
        }
    }

    /// Removes dead pairs, and pairs with fat boxes that do not touch any more.
    pub(crate) fn keep_touching(&mut self, fat: &[Aabb]) {
        let Candidates { pairs, recheck_at, touches, .. } = self;
        let n = dispatch(Keep { pairs, recheck_at, touches, fat });
        pairs.truncate(n);
        recheck_at.truncate(n);
        touches.truncate(n);
        self.by_slot.is_current = false;
    }

    /// Tests the candidates that are due and returns their number. `moved`: the only boxes that
    /// have moved since the last test.
    pub(crate) fn recheck(&mut self, boxes: &[Aabb], moved: Option<&[u32]>) -> u64 {
        if self.is_exact {
            if self.drift + self.pending_drift == 0.0 {
                return 0;
            }
            self.is_exact = false;
        }
        match moved {
            // Only the pairs of moved boxes are tested; the others are unchanged.
            Some(moved) if self.by_slot.is_current && self.tested == self.drift => {
                let (base, mut n_tested) = (self.base(), 0);
                let Candidates { pairs, recheck_at, touches, by_slot, .. } = self;
                for number in moved.iter().flat_map(|&slot| by_slot.numbers_of(slot)) {
                    if !recheck_at[number].is_nan() {
                        let pair = pairs[number];
                        (touches[number], recheck_at[number]) = test_pair(pair, boxes, base);
                        n_tested += 1;
                    }
                }
                self.pending_drift = 0.0;
                return n_tested;
            }
            // A small move may not change a large sum. So the move itself is tested, not the sum.
            _ if self.pending_drift == 0.0 && self.tested == self.drift => return 0,
            _ => self.drift += core::mem::take(&mut self.pending_drift),
        }
        self.tested = self.drift;
        let base = self.base();
        self.due.resize(self.pairs.len() + 2 * SPARE, 0);
        let n_due = recheck(Recheck {
            reached: rounding::up(self.drift),
            base,
            pairs: &self.pairs,
            recheck_at: &mut self.recheck_at,
            touches: &mut self.touches,
            due: &mut self.due,
            boxes,
        });
        n_due as u64
    }

    /// Returns a lower bound of the drift.
    fn base(&self) -> f32 {
        rounding::down(self.drift * (1.0 - DRIFT_SLACK))
    }

    /// Makes `out` the pairs that touch, in canonical order.
    pub(crate) fn emit(&self, out: &mut Vec<Pair>) {
        if self.is_exact && self.touches.iter().all(|&touches| touches) {
            out.clear();
            out.extend_from_slice(&self.pairs);
            return;
        }
        emit(&self.pairs, &self.touches, out);
    }

    /// Checks the order, and that the list agrees with the boxes for every live pair.
    pub(crate) fn validate(&self, boxes: &[Aabb], is_current: bool) -> Result<(), String> {
        if self.pairs.is_sorted_by(|a, b| a < b)
            && self.touches.len() == self.pairs.len()
            && self.recheck_at.len() == self.pairs.len()
        {
            for (number, pair) in self.pairs.iter().enumerate().filter(|_| is_current) {
                let is_dead = self.recheck_at[number].is_nan();
                let touches = !is_dead && 0.0 <= overlap(&boxes[pair.a as usize], &boxes[pair.b as usize]);
                if touches != self.touches[number] {
                    return Err(format!("candidate {pair:?}: touches {touches}, listed otherwise"));
                }
            }
            return Ok(());
        }
        Err(String::from("candidates are not in canonical order"))
    }
}

/// Returns the least overlap of two boxes over all sides; negative is a gap, 0 is touching.
#[inline(always)]
fn overlap(a: &Aabb, b: &Aabb) -> f32 {
    let (above, below) = (a.max - b.min, b.max - a.min);
    let least = |x: f32, y: f32| if x < y { x } else { y };
    least(least(least(above.x, below.x), least(above.y, below.y)), least(above.z, below.z))
}

/// Returns whether a pair touches, and the drift at which it is tested again. The present drift is
/// at least `base`.
#[inline(always)]
fn test_pair(pair: Pair, boxes: &[Aabb], base: f32) -> (bool, f32) {
    let gap = overlap(&boxes[pair.a as usize], &boxes[pair.b as usize]);
    (0.0 <= gap, base + GAP_SHARE * gap.abs())
}

/// Number of candidates by which boxes are prefetched ahead.
const AHEAD: usize = 16;

/// Moves the pairs that are kept to the front and returns their number.
struct Keep<'a> {
    pairs: &'a mut [Pair],
    recheck_at: &'a mut [f32],
    touches: &'a mut [bool],
    fat: &'a [Aabb],
}

impl Kernel for Keep<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Keep { pairs, recheck_at, touches, fat } = self;
        let mut n = 0;
        for number in 0..pairs.len() {
            if let Some(later) = pairs.get(number + AHEAD) {
                // The first box of a pair is in the cache: it is near that of the pair before.
                simd.prefetch(fat, later.b as usize);
            }
            let (pair, at) = (pairs[number], recheck_at[number]);
            let may_touch = 0.0 <= overlap(&fat[pair.a as usize], &fat[pair.b as usize]);
            (pairs[n], recheck_at[n], touches[n]) = (pair, at, touches[number]);
            // Branchless, because both outcomes are equally likely.
            n += usize::from(may_touch & !at.is_nan());
        }
        n
    }
}

#[cfg(not(feature = "parallel"))]
use {emit_all as emit, recheck_chunk as recheck};
#[cfg(feature = "parallel")]
use {emit_in_halves as emit, recheck_in_halves as recheck};

/// Makes `out` the pairs that touch.
pub(crate) fn emit_all(pairs: &[Pair], touches: &[bool], out: &mut Vec<Pair>) {
    make_room(count(touches), out);
    emit_chunk(pairs, touches, out);
}

/// Returns how many touch.
pub(crate) fn count(touches: &[bool]) -> usize {
    touches.iter().filter(|&&touches| touches).count()
}

/// Makes room for `n` pairs; the old contents will be overwritten.
pub(crate) fn make_room(n: usize, out: &mut Vec<Pair>) {
    out.resize(n, Pair { a: 0, b: 0 });
}

/// Makes `out` the pairs that touch; its length is their number.
pub(crate) fn emit_chunk(pairs: &[Pair], touches: &[bool], out: &mut [Pair]) {
    let (mut from, mut n) = (0, 0);
    // Branchless: always write, advance only if it touches.
    while n < out.len() {
        out[n] = pairs[from];
        n += usize::from(touches[from]);
        from += 1;
    }
}

/// Tests the candidates that are due and returns their number.
pub(crate) fn recheck_chunk(chunk: Recheck<'_>) -> usize {
    dispatch(chunk)
}

/// Room beyond the candidates of a chunk, because eight are written at once.
pub(crate) const SPARE: usize = 8;

/// Candidates, some of which are due.
pub(crate) struct Recheck<'a> {
    pub(crate) reached: f32,
    pub(crate) base: f32,
    pub(crate) pairs: &'a [Pair],
    pub(crate) recheck_at: &'a mut [f32],
    pub(crate) touches: &'a mut [bool],
    /// Scratch memory, longer than the others by at least [`SPARE`].
    pub(crate) due: &'a mut [u32],
    pub(crate) boxes: &'a [Aabb],
}

impl Kernel for Recheck<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let reached = S::F32x8::splat(simd, self.reached);
        let mut n_due = 0;
        let mut start = 0;
        while start < self.recheck_at.len() {
            // The tail is filled with NaN, which is never due.
            let at = S::F32x8::load_or(simd, self.recheck_at, start, f32::NAN);
            let number = S::U32x8::splat(simd, start as u32) + S::U32x8::iota(simd);
            n_due += number.compress_store(at.le(reached), &mut self.due[n_due..]);
            start += 8;
        }
        for i in 0..n_due {
            if i + AHEAD < n_due {
                let later = self.pairs[self.due[i + AHEAD] as usize];
                simd.prefetch(self.boxes, later.a as usize);
                simd.prefetch(self.boxes, later.b as usize);
            }
            let number = self.due[i] as usize;
            let pair = self.pairs[number];
            (self.touches[number], self.recheck_at[number]) = test_pair(pair, self.boxes, self.base);
        }
        n_due
    }
}

/// More candidates than this are tested by two threads: some 50 microseconds of work each.
#[cfg(feature = "parallel")]
const CANDIDATES: usize = 1 << 15;

/// Like [`recheck_chunk`].
#[cfg(feature = "parallel")]
fn recheck_in_halves(all: Recheck<'_>) -> usize {
    if all.pairs.len() <= CANDIDATES || rayon::current_num_threads() == 1 {
        return recheck_chunk(all);
    }
    let Recheck { reached, base, pairs, recheck_at, touches, due, boxes } = all;
    let middle = pairs.len() / 2;
    let (low_pairs, high_pairs) = pairs.split_at(middle);
    let (low_at, high_at) = recheck_at.split_at_mut(middle);
    let (low_touches, high_touches) = touches.split_at_mut(middle);
    let (low_due, high_due) = due.split_at_mut(middle + SPARE);
    let recheck = |pairs, recheck_at, touches, due| {
        recheck_chunk(Recheck { reached, base, pairs, recheck_at, touches, due, boxes })
    };
    let (low, high) = rayon::join(
        || recheck(low_pairs, low_at, low_touches, low_due),
        || recheck(high_pairs, high_at, high_touches, high_due),
    );
    low + high
}

/// Like [`emit_all`].
#[cfg(feature = "parallel")]
fn emit_in_halves(pairs: &[Pair], touches: &[bool], out: &mut Vec<Pair>) {
    if pairs.len() <= CANDIDATES || rayon::current_num_threads() == 1 {
        return emit_all(pairs, touches, out);
    }
    let middle = pairs.len() / 2;
    let ((low_pairs, high_pairs), (low_touches, high_touches)) =
        (pairs.split_at(middle), touches.split_at(middle));
    let n_low = count(low_touches);
    make_room(n_low + count(high_touches), out);
    let (low_out, high_out) = out.split_at_mut(n_low);
    rayon::join(
        || emit_chunk(low_pairs, low_touches, low_out),
        || emit_chunk(high_pairs, high_touches, high_out),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// After a move of 1e25, a box of size 1 moves. The sum of the moves does not change, but the
    /// pair is tested again.
    #[test]
    fn a_small_move_after_a_huge_one_is_detected() {
        let unit = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
        let mut boxes = [unit(0.0), unit(1.5), unit(5.0)];
        let mut list = Candidates::default();
        list.begin(false, |pairs| pairs.extend([Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }]));
        let mut out = Vec::new();
        for (step, moved) in [(1e25, 5.0), (0.75, 0.75), (0.75, 1.5), (0.0, 1.5)] {
            boxes[1] = unit(moved);
            list.add_move(step);
            list.recheck(&boxes, None);
            list.emit(&mut out);
            let expected: &[Pair] = if moved <= 1.0 { &[Pair { a: 0, b: 1 }] } else { &[] };
            assert_eq!(out, expected, "after a move by {step}");
            list.validate(&boxes, true).unwrap();
        }
        assert_eq!(list.recheck(&boxes, None), 0);
    }
}
