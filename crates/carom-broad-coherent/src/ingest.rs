//! Applies a batch of moves: stores the new boxes, measures each move, and lists the boxes that
//! left their fat boxes. `Outside` lists such boxes among all boxes.
//!
//! It is one pass without branches that depend on the boxes. Memory bandwidth limits it: it reads
//! and writes some hundred bytes per move.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (fat boxes).

use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::ProxyId;
#[cfg(feature = "parallel")]
use carom_lanes::dispatch;
use carom_lanes::{Kernel, Simd};

/// The share of the pace that is left one frame after a move.
const DECAY: f32 = 0.9;

/// A move this many times as long as expected starts new motion.
const WOKEN: f32 = 2.0;

/// Moves processed at a time.
const CHUNK: usize = 64;

/// Checked moves, and the state that they change. The kernel returns the longest move among the
/// boxes that stay, and the number of moves much longer than the previous ones.
pub(crate) struct Ingest<'a> {
    pub(crate) moves: &'a [(ProxyId, Aabb)],
    /// The slot of the first box.
    pub(crate) first: usize,
    pub(crate) boxes: &'a mut [Aabb],
    pub(crate) fat: &'a [Aabb],
    pub(crate) pace: &'a mut [f32],
    /// With more escaped boxes than this, the index is dropped, and their slots do not matter.
    pub(crate) limit: usize,
    /// Becomes the slots that left their fat boxes, or more than `limit` of them. A box that moved
    /// twice may be listed twice.
    pub(crate) escaped: &'a mut Vec<u32>,
}

impl Kernel for Ingest<'_> {
    type Output = (f32, u64);

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> (f32, u64) {
        let n = self.boxes.len();
        // Slices of equal length, so that each move needs one bounds check.
        let (boxes, fat, pace) = (&mut self.boxes[..n], &self.fat[..n], &mut self.pace[..n]);
        self.escaped.clear();
        let mut largest = 0.0f32;
        let mut n_woken = 0;
        for chunk in self.moves.chunks(CHUNK) {
            let mut escaped = [0u32; CHUNK];
            let mut n_escaped = 0;
            for (id, new) in chunk {
                let number = id.index();
                let slot = number as usize - self.first;
                let step = largest_move(&boxes[slot], new);
                let slowed = DECAY * pace[slot];
                n_woken += u64::from(WOKEN * pace[slot] < step);
                pace[slot] = if step < slowed { slowed } else { step };
                boxes[slot] = *new;
                let stays = holds(&fat[slot], new);
                escaped[n_escaped % CHUNK] = number;
                n_escaped += usize::from(!stays);
                let counted = if stays { step } else { 0.0 };
                largest = if largest < counted { counted } else { largest };
            }
            if 0 < n_escaped && self.escaped.len() <= self.limit {
                self.escaped.extend_from_slice(&escaped[..n_escaped]);
            }
        }
        (largest, n_woken)
    }
}

/// Finds the live boxes that are not within these fat boxes.
pub(crate) struct Outside<'a> {
    pub(crate) boxes: &'a [Aabb],
    pub(crate) fat: &'a [Aabb],
    /// With more boxes outside than this, their slots do not matter.
    pub(crate) limit: usize,
    /// Becomes their slots, in order, or more than `limit` slots.
    pub(crate) outside: &'a mut Vec<u32>,
}

impl Kernel for Outside<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.outside.clear();
        for (number, (boxes, fat)) in self.boxes.chunks(CHUNK).zip(self.fat.chunks(CHUNK)).enumerate() {
            let mut outside = [0u32; CHUNK];
            let mut n_outside = 0;
            for (i, (aabb, fat)) in boxes.iter().zip(fat).enumerate() {
                outside[n_outside % CHUNK] = (number * CHUNK + i) as u32;
                // A free slot holds the empty box.
                n_outside += usize::from(!holds(fat, aabb) & (aabb.min.x <= aabb.max.x));
            }
            self.outside.extend_from_slice(&outside[..n_outside]);
            if self.limit < self.outside.len() {
                break;
            }
        }
    }
}

/// Returns the largest move of a side, at most `f32::MAX`.
#[inline(always)]
fn largest_move(old: &Aabb, new: &Aabb) -> f32 {
    let (low, high) = ((new.min - old.min).abs(), (new.max - old.max).abs());
    let larger = |x: f32, y: f32| if x < y { y } else { x };
    let largest = larger(larger(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
    if largest < f32::MAX { largest } else { f32::MAX }
}

/// Whether the first box contains the second. Branchless, because both outcomes are equally
/// likely.
#[inline(always)]
fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    (outer.min.x <= inner.min.x)
        & (outer.min.y <= inner.min.y)
        & (outer.min.z <= inner.min.z)
        & (inner.max.x <= outer.max.x)
        & (inner.max.y <= outer.max.y)
        & (inner.max.z <= outer.max.z)
}

/// More moves than this are applied by two threads: some 30 microseconds of work each.
#[cfg(feature = "parallel")]
const MOVES: usize = 1 << 12;

/// Applies moves in two halves, if all slots of the first half precede those of the second.
#[cfg(feature = "parallel")]
pub(crate) fn ingest_in_halves(all: Ingest<'_>) -> (f32, u64) {
    let middle = all.moves.len() / 2;
    let is_little = all.moves.len() <= MOVES || rayon::current_num_threads() == 1;
    let (low_moves, high_moves) = all.moves.split_at(middle);
    let Some((id, _)) = high_moves.first().filter(|_| !is_little) else { return dispatch(all) };
    let slot = id.index();
    let (low_is_below, high_is_not) = rayon::join(
        || low_moves.iter().all(|(id, _)| id.index() < slot),
        || high_moves.iter().all(|(id, _)| slot <= id.index()),
    );
    if !(low_is_below && high_is_not) {
        return dispatch(all);
    }
    let Ingest { first, boxes, fat, pace, limit, escaped, .. } = all;
    let index = slot as usize - first;
    let n = boxes.len();
    let (low_boxes, high_boxes) = boxes.split_at_mut(index);
    let (low_fat, high_fat) = fat[..n].split_at(index);
    let (low_pace, high_pace) = pace[..n].split_at_mut(index);
    let mut beyond = Vec::new();
    let low =
        Ingest { moves: low_moves, first, boxes: low_boxes, fat: low_fat, pace: low_pace, limit, escaped };
    let high = Ingest {
        moves: high_moves,
        first: slot as usize,
        boxes: high_boxes,
        fat: high_fat,
        pace: high_pace,
        limit,
        escaped: &mut beyond,
    };
    let ((a, n_a), (b, n_b)) = rayon::join(|| dispatch(low), || dispatch(high));
    escaped.append(&mut beyond);
    (a.max(b), n_a + n_b)
}
