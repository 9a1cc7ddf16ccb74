//! Takes in a batch of moves: the new boxes, how far each moved, and which left their fat boxes.
//! And which of all boxes did.
//!
//! One pass without branches that depend on the boxes. It reads and writes some hundred bytes per
//! move, and at a hundred thousand boxes that is what it costs.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (fat boxes).

use crate::ProxyId;
use alloc::vec::Vec;
use carom_bounds::Aabb;
#[cfg(feature = "parallel")]
use carom_lanes::dispatch;
use carom_lanes::{Kernel, Simd};

/// How much of the pace is left one frame after a move.
const DECAY: f32 = 0.9;

/// A move that is so many times as long as was to be expected begins something.
const WOKEN: f32 = 2.0;

/// Moves noted at a time.
const CHUNK: usize = 64;

/// The moves, checked already, and what they change. The answer is the longest move among the boxes
/// that stay, and how many are much longer than those before.
pub(crate) struct Ingest<'a> {
    pub(crate) moves: &'a [(ProxyId, Aabb)],
    /// The slot of the first box.
    pub(crate) first: usize,
    pub(crate) boxes: &'a mut [Aabb],
    pub(crate) fat: &'a [Aabb],
    pub(crate) pace: &'a mut [f32],
    /// With more than this the index is given up: it does not matter then which they are.
    pub(crate) limit: usize,
    /// Becomes the slots that left their fat boxes, or more than `limit` of them; one that moved
    /// twice may be there twice.
    pub(crate) escaped: &'a mut Vec<u32>,
}

impl Kernel for Ingest<'_> {
    type Output = (f32, u64);

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> (f32, u64) {
        let n = self.boxes.len();
        // One length for all: one check per move.
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

/// Which live boxes are not within these fat boxes.
pub(crate) struct Outside<'a> {
    pub(crate) boxes: &'a [Aabb],
    pub(crate) fat: &'a [Aabb],
    /// With more than this it does not matter which they are.
    pub(crate) limit: usize,
    /// Becomes their slots, in order, or more than `limit` of them.
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
                // In a free slot there is the empty box.
                n_outside += usize::from(!holds(fat, aabb) & (aabb.min.x <= aabb.max.x));
            }
            self.outside.extend_from_slice(&outside[..n_outside]);
            if self.limit < self.outside.len() {
                break;
            }
        }
    }
}

/// The largest move of a side, finite.
#[inline(always)]
fn largest_move(old: &Aabb, new: &Aabb) -> f32 {
    let (low, high) = ((new.min - old.min).abs(), (new.max - old.max).abs());
    let larger = |x: f32, y: f32| if x < y { y } else { x };
    let largest = larger(larger(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
    if largest < f32::MAX { largest } else { f32::MAX }
}

/// The first box holds the second; without branches, since either is as likely.
#[inline(always)]
fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    (outer.min.x <= inner.min.x)
        & (outer.min.y <= inner.min.y)
        & (outer.min.z <= inner.min.z)
        & (inner.max.x <= outer.max.x)
        & (inner.max.y <= outer.max.y)
        & (inner.max.z <= outer.max.z)
}

/// More moves are taken in by two threads: some 30 microseconds of work each.
#[cfg(feature = "parallel")]
const MOVES: usize = 1 << 12;

/// Takes in moves, those of the slots below one apart from the others, where they stand apart.
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
    let place = slot as usize - first;
    let n = boxes.len();
    let (low_boxes, high_boxes) = boxes.split_at_mut(place);
    let (low_fat, high_fat) = fat[..n].split_at(place);
    let (low_pace, high_pace) = pace[..n].split_at_mut(place);
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
