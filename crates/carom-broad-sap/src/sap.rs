//! The sorted ends of all boxes on three axes, and the set of pairs that overlap on all of them.
//!
//! An overlap begins or ends only if two ends trade places in an insertion sort. If a lower end
//! passes below an upper one, an overlap begins on that axis, and the boxes decide the other axes.
//! If an upper end passes below a lower one, the overlap ends. With coherent motion there are few
//! trades, and a frame costs O(n + s) for s trades. If there are too many, everything is sorted
//! from scratch.
//!
//! Reference: D. Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, PhD thesis, Cornell,
//! 1992; P. Terdiman, Sweep-and-prune, 2007 (arrays, the kind of end inside the key); D. Tracy, S.
//! Buss, B. Woods, Efficient Large-Scale Sweep and Prune Methods with AABB Insertion and Removal,
//! 2009 (boxes come and go in batches).
//! Differs: the boxes move first and the ends after them. So every test at a trade uses the final
//! boxes, and the order of the trades does not matter.

use crate::axis;
use crate::columns::Columns;
use crate::keys::{ordered, sort_by_upper_half};
use crate::rows::Task;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::PairBuffer;
use hashbrown::HashSet;

/// Set in the key of an upper end. The coordinate is in the bits above, the box in those below.
const UPPER: u64 = 1 << 31;

/// The most boxes: their numbers leave the bit [`UPPER`] free.
pub(crate) const MAX_BOXES: usize = UPPER as usize;

/// If fewer than one box in this many moved, each is moved individually, and the others are not
/// visited.
const MIN_BOXES_PER_MOVE: usize = 16;

/// No box at this number.
const ABSENT: u32 = u32::MAX;

/// Sorted ends and overlapping pairs of boxes. The caller gives the boxes small numbers.
///
/// Memory: 96 bytes per number (72 with an axis left out), 9 to 18 per pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sap {
    /// The axis on which nothing is sorted.
    left_out: Option<usize>,
    boxes: Vec<Aabb>,
    ends: [Vec<u64>; 3],
    /// The positions of the lower and the upper end of each box; [`ABSENT`] for no box.
    end_positions: [Vec<[u32; 2]>; 3],
    pairs: HashSet<u64>,
    n_boxes: usize,
    moved: Vec<u32>,
    scratch: Vec<u64>,
    work: Work,
    pub(crate) counts: Counts,
}

/// Counts of the work since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Ends that traded places, the s of O(n + s).
    pub(crate) trades: u64,
    /// Boxes tested.
    pub(crate) tests: u64,
    /// Ends visited.
    pub(crate) ends: u64,
    /// Number of sorts from scratch.
    pub(crate) rebuilds: u64,
}

impl Counts {
    /// Adds the work since `before`.
    pub(crate) fn report(&self, before: &Counts, found: &mut PairBuffer) {
        found.tests += self.tests - before.tests;
        found.nodes += self.ends - before.ends + self.trades - before.trades;
        found.rebuilds += self.rebuilds - before.rebuilds;
    }

    /// Returns the sum of both.
    pub(crate) fn plus(&self, other: &Counts) -> Counts {
        Counts {
            trades: self.trades + other.trades,
            tests: self.tests + other.tests,
            ends: self.ends + other.ends,
            rebuilds: self.rebuilds + other.rebuilds,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Work {
    numbers: Vec<u32>,
    flat: Vec<Aabb>,
    columns: Columns,
    tasks: Vec<Task>,
    found: PairBuffer,
    /// Old boxes that the sweep is in, and new ones.
    active: [Vec<u32>; 2],
    indices: Vec<u32>,
    is_new: Vec<bool>,
}

/// Returns the key of an end: the coordinate, the kind of end, the box. Lower ends come first
/// among equal coordinates, because touching counts.
#[inline]
fn key(at: f32, is_upper: bool, number: u32) -> u64 {
    u64::from(ordered(at)) << 32 | if is_upper { UPPER } else { 0 } | u64::from(number)
}

#[inline]
fn number_of(key: u64) -> u32 {
    key as u32 & (UPPER as u32 - 1)
}

#[inline]
fn is_upper(key: u64) -> bool {
    key & UPPER != 0
}

#[inline]
fn pair_key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

impl Sap {
    /// Creates an empty structure; one axis, 0 to 2, may be left out. Another number leaves out
    /// none.
    pub(crate) fn new(left_out: Option<usize>) -> Sap {
        Sap { left_out: left_out.filter(|&axis| axis < 3), ..Sap::default() }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Sap { boxes, ends, end_positions, pairs, moved, scratch, work, .. } = self;
        let Work { numbers, flat, columns, tasks, found, active, indices, is_new } = work;
        // An entry of the set is a key and a byte, and one in eight is free.
        let of_set = pairs.capacity() * 8 / 7 * 9;
        (boxes.capacity() + flat.capacity()) * size_of::<Aabb>()
            + 8 * (ends.iter().map(Vec::capacity).sum::<usize>() + scratch.capacity())
            + 8 * end_positions.iter().map(Vec::capacity).sum::<usize>()
            + 4 * (moved.capacity() + numbers.capacity() + indices.capacity())
            + 4 * active.iter().map(Vec::capacity).sum::<usize>()
            + is_new.capacity()
            + tasks.capacity() * size_of::<Task>()
            + columns.bytes()
            + found.bytes()
            + of_set
    }

    fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let left_out = self.left_out;
        (0..3).filter(move |&axis| Some(axis) != left_out)
    }

    /// Whether boxes were moved since [`Sap::exchange`].
    pub(crate) fn is_unsettled(&self) -> bool {
        !self.moved.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.n_boxes
    }

    /// Whether there is a box with this number.
    #[inline]
    pub(crate) fn has(&self, number: u32) -> bool {
        let axis = usize::from(self.left_out == Some(0));
        self.end_positions[axis].get(number as usize).is_some_and(|indices| indices[0] != ABSENT)
    }

    /// Returns the pairs of boxes that overlap on all axes, also on an axis that is left out, in
    /// no particular order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.candidates().filter(|&(a, b)| {
            self.left_out.is_none_or(|k| {
                let (a, b) = (&self.boxes[a as usize], &self.boxes[b as usize]);
                a.min[k] <= b.max[k] && b.min[k] <= a.max[k]
            })
        })
    }

    /// Returns the pairs that overlap on the kept axes.
    fn candidates(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pairs.iter().map(|&pair| ((pair >> 32) as u32, pair as u32))
    }

    /// Returns how many pairs overlap on the kept axes.
    pub(crate) fn n_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Moves an existing box; [`Sap::exchange`] sorts its ends. Two calls for one box are allowed.
    #[inline]
    pub(crate) fn set_box(&mut self, number: u32, aabb: Aabb) {
        self.boxes[number as usize] = aabb;
        self.moved.push(number);
    }

    /// Whether the boxes overlap on the kept axes.
    #[inline]
    fn overlap(boxes: &[Aabb], left_out: Option<usize>, a: u32, b: u32) -> bool {
        let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
        (0..3).all(|k| Some(k) == left_out || (a.min[k] <= b.max[k] && b.min[k] <= a.max[k]))
    }

    /// Removes existing boxes, sorts moved ends, and then inserts boxes with free numbers.
    /// `max_trades` is the number of trades per box after which everything is sorted from scratch.
    pub(crate) fn exchange(&mut self, going: &[u32], coming: &[(u32, Aabb)], max_trades: u32) {
        self.remove(going);
        self.settle(max_trades);
        self.insert(coming);
    }

    /// Sorts the ends of all moved boxes.
    fn settle(&mut self, max_trades: u32) {
        let moved = core::mem::take(&mut self.moved);
        let limit = self.counts.trades + u64::from(max_trades) * self.n_boxes as u64;
        let is_settled = if moved.len() * MIN_BOXES_PER_MOVE < self.n_boxes {
            moved.iter().all(|&number| self.sort_ends_of(number) && self.counts.trades <= limit)
        } else {
            moved.is_empty() || self.settle_all(&moved, limit)
        };
        if !is_settled {
            self.rebuild();
        }
        self.moved = moved;
        self.moved.clear();
    }

    /// Sorts the ends of one box; always true.
    fn sort_ends_of(&mut self, number: u32) -> bool {
        for axis in self.axes() {
            let aabb = self.boxes[number as usize];
            let [low, high] = self.end_positions[axis][number as usize].map(|index| index as usize);
            let (new_low, new_high) = (key(aabb.min[axis], false, number), key(aabb.max[axis], true, number));
            let ends = &mut self.ends[axis];
            let old_low = core::mem::replace(&mut ends[low], new_low);
            let old_high = core::mem::replace(&mut ends[high], new_high);
            // The end that moves outwards goes first, so that the ends of one box do not collide.
            if old_high < new_high {
                self.rise(axis, high);
            }
            if new_low < old_low {
                self.sink(axis, low);
            }
            if new_high < old_high {
                let high = self.end_positions[axis][number as usize][1];
                self.sink(axis, high as usize);
            }
            if old_low < new_low {
                let low = self.end_positions[axis][number as usize][0];
                self.rise(axis, low as usize);
            }
            self.counts.ends += 2;
        }
        true
    }

    /// Does one insertion pass per axis; false if it stopped after too many trades.
    fn settle_all(&mut self, moved: &[u32], limit: u64) -> bool {
        for axis in self.axes() {
            let (ends, boxes) = (&mut self.ends[axis], &self.boxes);
            for &number in moved {
                let [low, high] = self.end_positions[axis][number as usize];
                let aabb = &boxes[number as usize];
                ends[low as usize] = key(aabb.min[axis], false, number);
                ends[high as usize] = key(aabb.max[axis], true, number);
            }
            let n = ends.len();
            self.counts.ends += n as u64;
            for at in 1..n {
                if self.ends[axis][at] < self.ends[axis][at - 1] {
                    self.sink(axis, at);
                    if limit < self.counts.trades {
                        return false;
                    }
                }
            }
        }
        true
    }

    #[inline]
    fn note_position(&mut self, axis: usize, end: u64, at: usize) {
        self.end_positions[axis][number_of(end) as usize][usize::from(is_upper(end))] = at as u32;
    }

    /// Moves the end at an index down to its sorted position.
    fn sink(&mut self, axis: usize, mut at: usize) {
        let end = self.ends[axis][at];
        while 0 < at && end < self.ends[axis][at - 1] {
            let other = self.ends[axis][at - 1];
            self.trade(end, other, !is_upper(end));
            self.ends[axis][at] = other;
            self.note_position(axis, other, at);
            at -= 1;
        }
        self.ends[axis][at] = end;
        self.note_position(axis, end, at);
    }

    /// Moves the end at an index up to its sorted position.
    fn rise(&mut self, axis: usize, mut at: usize) {
        let end = self.ends[axis][at];
        while at + 1 < self.ends[axis].len() && self.ends[axis][at + 1] < end {
            let other = self.ends[axis][at + 1];
            self.trade(end, other, is_upper(end));
            self.ends[axis][at] = other;
            self.note_position(axis, other, at);
            at += 1;
        }
        self.ends[axis][at] = end;
        self.note_position(axis, end, at);
    }

    /// Trades two ends. If their kinds differ, an overlap on the axis begins if `begins`, else
    /// ends.
    #[inline]
    fn trade(&mut self, end: u64, other: u64, begins: bool) {
        self.counts.trades += 1;
        if is_upper(end) == is_upper(other) {
            return;
        }
        let (a, b) = (number_of(end), number_of(other));
        if !begins {
            self.pairs.remove(&pair_key(a, b));
            return;
        }
        self.counts.tests += 1;
        if Sap::overlap(&self.boxes, self.left_out, a, b) {
            self.pairs.insert(pair_key(a, b));
        }
    }

    /// Removes existing boxes, in one pass over the ends.
    fn remove(&mut self, numbers: &[u32]) {
        if numbers.is_empty() {
            return;
        }
        for axis in self.axes() {
            for &number in numbers {
                self.end_positions[axis][number as usize] = [ABSENT; 2];
            }
            let (ends, positions) = (&mut self.ends[axis], &mut self.end_positions[axis]);
            self.counts.ends += ends.len() as u64;
            ends.retain(|&end| positions[number_of(end) as usize][0] != ABSENT);
            for (at, &end) in ends.iter().enumerate() {
                positions[number_of(end) as usize][usize::from(is_upper(end))] = at as u32;
            }
        }
        self.n_boxes -= numbers.len();
        let axis = usize::from(self.left_out == Some(0));
        let positions = &self.end_positions[axis];
        self.pairs.retain(|pair| {
            positions[(pair >> 32) as usize][0] != ABSENT && positions[*pair as u32 as usize][0] != ABSENT
        });
        self.moved.retain(|&number| positions[number as usize][0] != ABSENT);
    }

    /// Adds boxes with free numbers. Their ends are sorted and merged into the others from the
    /// back, in O(n + m log m). All moved boxes must be settled.
    fn insert(&mut self, new: &[(u32, Aabb)]) {
        if new.is_empty() {
            return;
        }
        for &(number, aabb) in new {
            let number = number as usize;
            if self.boxes.len() <= number {
                self.boxes.resize(number + 1, Aabb::EMPTY);
                for axis in self.axes() {
                    self.end_positions[axis].resize(number + 1, [ABSENT; 2]);
                }
            }
            self.boxes[number] = aabb;
        }
        let n_old = self.n_boxes;
        self.n_boxes += new.len();
        for axis in self.axes() {
            let Sap { scratch: added, ends, end_positions, .. } = self;
            added.clear();
            for &(number, aabb) in new {
                added.push(key(aabb.min[axis], false, number));
                added.push(key(aabb.max[axis], true, number));
            }
            added.sort_unstable();
            let (ends, positions) = (&mut ends[axis], &mut end_positions[axis]);
            let (mut old, mut fresh) = (ends.len(), added.len());
            ends.resize(old + fresh, 0);
            self.counts.ends += ends.len() as u64;
            for at in (0..ends.len()).rev() {
                let takes_old = 0 < old && (fresh == 0 || added[fresh - 1] < ends[old - 1]);
                let end = if takes_old { ends[old - 1] } else { added[fresh - 1] };
                if takes_old {
                    old -= 1;
                } else {
                    fresh -= 1;
                }
                ends[at] = end;
                positions[number_of(end) as usize][usize::from(is_upper(end))] = at as u32;
            }
        }
        // More new boxes than old ones: all pairs are found from scratch.
        if n_old < new.len() {
            self.find_pairs();
        } else {
            self.find_pairs_of(new);
        }
    }

    /// Sorts everything from scratch.
    fn rebuild(&mut self) {
        self.counts.rebuilds += 1;
        for axis in self.axes() {
            let Sap { scratch, ends, end_positions, boxes, .. } = self;
            let (ends, positions) = (&mut ends[axis], &mut end_positions[axis]);
            ends.clear();
            // Lower ends first, each kind in the order of the numbers; the stable sort keeps this
            // for equal keys.
            for upper in [false, true] {
                for (number, aabb) in boxes.iter().enumerate() {
                    if positions[number][0] != ABSENT {
                        let at = if upper { aabb.max[axis] } else { aabb.min[axis] };
                        ends.push(key(at, upper, number as u32));
                    }
                }
            }
            self.counts.ends += ends.len() as u64;
            sort_by_upper_half(ends, scratch);
            for (at, &end) in ends.iter().enumerate() {
                positions[number_of(end) as usize][usize::from(is_upper(end))] = at as u32;
            }
        }
        self.find_pairs();
    }

    /// Finds all pairs from scratch.
    fn find_pairs(&mut self) {
        let mut work = core::mem::take(&mut self.work);
        let Work { numbers, flat, columns, tasks, found, .. } = &mut work;
        numbers.clear();
        numbers.extend((0..self.boxes.len() as u32).filter(|&number| self.has(number)));
        flat.clear();
        flat.extend_from_slice(&self.boxes);
        if let Some(axis) = self.left_out {
            for aabb in flat.iter_mut() {
                (aabb.min[axis], aabb.max[axis]) = (0.0, 0.0);
            }
        }
        columns.fill(numbers, flat, 0);
        found.clear();
        columns.pairs(flat, tasks, found);
        self.counts.tests += found.tests;
        self.pairs.clear();
        self.pairs.extend(found.low().iter().zip(found.high()).map(|(&a, &b)| pair_key(a, b)));
        self.work = work;
    }

    /// Finds the pairs of new boxes, among themselves and with the others, by a sweep. A new box
    /// is tested against all active boxes, an old one against the active new ones.
    fn find_pairs_of(&mut self, new: &[(u32, Aabb)]) {
        let mut work = core::mem::take(&mut self.work);
        let Work { numbers, active, indices, is_new, .. } = &mut work;
        numbers.clear();
        numbers.extend(new.iter().map(|&(number, _)| number));
        let mut axis = axis::of_greatest_variance(numbers, &self.boxes);
        if Some(axis) == self.left_out {
            axis = (axis + 1) % 3;
        }
        is_new.clear();
        is_new.resize(self.boxes.len(), false);
        indices.resize(self.boxes.len(), 0);
        numbers.iter().for_each(|&number| is_new[number as usize] = true);
        active.iter_mut().for_each(Vec::clear);
        for &end in &self.ends[axis] {
            let number = number_of(end);
            let list = usize::from(is_new[number as usize]);
            if is_upper(end) {
                let (list, at) = (&mut active[list], indices[number as usize]);
                list.swap_remove(at as usize);
                if let Some(&moved) = list.get(at as usize) {
                    indices[moved as usize] = at;
                }
                continue;
            }
            for others in &active[1 - list..] {
                self.counts.tests += others.len() as u64;
                for &other in others {
                    if Sap::overlap(&self.boxes, self.left_out, number, other) {
                        self.pairs.insert(pair_key(number, other));
                    }
                }
            }
            indices[number as usize] = active[list].len() as u32;
            active[list].push(number);
        }
        self.work = work;
    }

    /// Checks the position of every end, and every pair.
    pub(crate) fn validate(&self) -> Result<(), String> {
        for axis in self.axes() {
            let ends = &self.ends[axis];
            if ends.len() != 2 * self.n_boxes {
                return Err(format!("axis {axis}: {} ends of {} boxes", ends.len(), self.n_boxes));
            }
            if let Some(at) = (1..ends.len()).find(|&at| ends[at] <= ends[at - 1]) {
                return Err(format!("axis {axis}: ends {} and {at} are not in order", at - 1));
            }
            for (at, &end) in ends.iter().enumerate() {
                let number = number_of(end);
                let aabb = &self.boxes[number as usize];
                let value = if is_upper(end) { aabb.max[axis] } else { aabb.min[axis] };
                if end != key(value, is_upper(end), number) {
                    return Err(format!("axis {axis}: end {at} is not that of box {number}"));
                }
                if self.end_positions[axis][number as usize][usize::from(is_upper(end))] as usize != at {
                    return Err(format!("axis {axis}: box {number} does not know of its end {at}"));
                }
            }
        }
        match self
            .pairs()
            .find(|&(a, b)| !self.has(a) || !self.has(b) || !Sap::overlap(&self.boxes, self.left_out, a, b))
        {
            Some((a, b)) => Err(format!("{a} and {b} are a pair and do not overlap")),
            None => Ok(()),
        }
    }
}
