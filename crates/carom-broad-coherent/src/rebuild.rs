//! Builds fat boxes, the index of them, and the list of candidates found in it.
//!
//! A fat box has room for some frames of motion of its own box. `policy.rs` decides how many.
//!
//! Reference: L. Verlet, Computer "Experiments" on Classical Fluids, 1967 (a neighbour list with a
//! skin).

use crate::Work;
use crate::incremental_rebuild::EIGHTHS;
use crate::policy::{self, Motion};
use crate::{FatIndex, VerletList};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Mobility, sort_pairs};
use glam::Vec3;

/// Boxes sampled to estimate the motion.
pub(crate) const N_SAMPLES: u64 = 1024;

/// Room beyond a whole number of frames, so that rounding does not change the number of frames.
const REST: f32 = 0.25;

impl<I: FatIndex> VerletList<I> {
    /// Returns the slots of a sample, the same for the same number of slots.
    pub(crate) fn samples(&self) -> impl Iterator<Item = usize> + '_ {
        let n_slots = self.proxies.n_slots() as u64;
        (0..N_SAMPLES.min(n_slots))
            .map(move |i| {
                // Multiples of the golden ratio avoid any pattern in the numbering.
                let index = ((i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff) * n_slots) >> 32;
                (if n_slots <= N_SAMPLES { i } else { index }) as usize
            })
            .filter(|&slot| self.proxies.is_live(slot))
    }

    /// Returns the motion of a sample of the boxes.
    pub(crate) fn sample_motion(&self) -> Motion {
        let (mut n, mut n_fast, mut ratios, mut paces) = (0, 0, 0.0f64, 0.0f64);
        for slot in self.samples() {
            n += 1;
            if 0.0 < self.pace[slot] {
                let (pace, size) =
                    (f64::from(self.pace[slot]), f64::from(mean_size(&self.proxies.boxes()[slot])));
                if policy::JUMP * size < pace {
                    n_fast += 1;
                } else {
                    ratios += pace / size;
                    paces += pace;
                }
            }
        }
        let n_slow = f64::from((n - n_fast).max(1));
        Motion {
            fast_share: f64::from(n_fast) / f64::from(n.max(1)),
            mean_ratio: ratios / n_slow,
            mean_pace: paces / n_slow,
            moved_pace: self.moved_pace(),
        }
    }

    /// Returns the length of the moves by which boxes leave their fat boxes, if few boxes move and
    /// the set changes.
    fn moved_pace(&self) -> f64 {
        let n = self.outliers.len();
        if !self.policy.is_few_changing_movers(n) {
            return 0.0;
        }
        // If all are outliers, the previous value stays.
        let sum = self.outliers.iter().map(|&slot| f64::from(self.pace[slot as usize])).sum::<f64>();
        if n == 0 { self.policy.moved_pace } else { sum / n as f64 }
    }

    /// Rebuilds the index at once.
    pub(crate) fn rebuild(&mut self) {
        let (n_live, motion) = (self.proxies.n_live(), self.sample_motion());
        match self.policy.plan(&self.settings, &motion, n_live) {
            Some(frames) if self.settings.spread_from <= n_live => {
                let n_slots = self.proxies.n_slots();
                // If there are many more slots than ever before, both indices are built now. Fresh
                // memory is slow at first use, and later frames should be short.
                let n_times = if 2 * self.next.n_slots_met < n_slots { 2 } else { 1 };
                for _ in 0..n_times {
                    self.make_next(frames, &motion);
                    self.install_next();
                }
                self.next.n_slots_met = self.next.n_slots_met.max((n_times - 1) * n_slots);
                self.outliers.clear();
                self.begin_life(0.0 < frames);
            }
            frames => self.rebuild_here(frames.unwrap_or(0.0), &motion),
        }
    }

    /// Rebuilds the index in place and at once, with room for this many frames of motion; 0 for
    /// exact boxes.
    pub(crate) fn rebuild_here(&mut self, frames: f64, motion: &Motion) {
        self.next.abandon();
        let mut fat = core::mem::take(&mut self.fat);
        self.fatten(frames, motion, &mut fat);
        self.fat = fat;
        self.index.rebuild(&self.fat, &self.proxies, !self.have_statics_changed);
        self.have_statics_changed = false;
        self.sorted += self.proxies.n_live() as u64;
        self.n_found = 0;
        self.outliers.clear();
        self.begin_life(0.0 < frames);
    }

    /// Resets the state after the index and `outliers` have changed. A box that no longer moves
    /// counts as slower the next time.
    pub(crate) fn begin_life(&mut self, has_margins: bool) {
        self.policy.begin_life(has_margins);
        self.are_all_outliers = false;
        self.needs_list = true;
        self.removed.clear();
        if self.policy.moved_pace == 0.0 {
            self.pace.iter_mut().for_each(slow_down);
        }
        self.candidates.restart_drift();
        self.counters.rebuilds += 1;
    }

    /// Makes `fat` the boxes with room for this many frames of motion.
    pub(crate) fn fatten(&self, frames: f64, motion: &Motion, fat: &mut Vec<Aabb>) {
        let VerletList { proxies, pace, has_statics, .. } = self;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        fat.clear();
        if frames == 0.0 {
            fat.extend_from_slice(boxes);
            return;
        }
        let limit = Vec3::splat(f32::MAX);
        // If any box may be the next to move, each has room, even one that has not moved yet.
        let has_changing_set = 0.0 < motion.moved_pace;
        let least = if has_changing_set { motion.moved_pace } else { 0.5 * motion.mean_pace } as f32;
        let frames = frames as f32 + REST;
        fat.extend(boxes.iter().zip(pace).enumerate().map(|(slot, (aabb, &pace))| {
            let margin = (frames * if pace < least { least } else { pace }).min(0.25 * mean_size(aabb));
            // Static boxes have no margin, so an index may keep its data for them. Boxes that
            // never moved usually have none. Branchless, because it is unpredictable which boxes
            // move.
            let is_static = *has_statics && filters[slot].mobility == Mobility::Fixed;
            let margin = if (0.0 < pace || has_changing_set) && !is_static { margin } else { 0.0 };
            // Rounding to nearest is monotone, so the fat box contains the box.
            Aabb { min: (aabb.min - margin).max(-limit), max: (aabb.max + margin).min(limit) }
        }));
    }

    /// Finds the candidates in the index, or the rest of them.
    pub(crate) fn find_list(&mut self) {
        self.find_until(EIGHTHS);
        if 0 < self.n_sorted {
            self.sort_found();
        }
        let VerletList { work, candidates, proxies, has_groups, removed, sorted, n_sorted, .. } = self;
        let found = &work.found;
        candidates.begin(!self.policy.has_margins, |pairs| {
            if 0 < core::mem::take(n_sorted) {
                core::mem::swap(pairs, &mut work.sorted);
            } else {
                *sorted += found.len() as u64;
                sort_pairs(found.low(), found.high(), proxies.n_slots(), &mut work.counts, pairs);
            }
            if *has_groups || !removed.is_empty() {
                let filters = proxies.filters();
                pairs.retain(|pair| {
                    !(removed.has(pair.a) | removed.has(pair.b))
                        && (!*has_groups || filters[pair.a as usize].meets(&filters[pair.b as usize]))
                });
            }
        });
        removed.clear();
        self.needs_list = false;
    }

    /// Continues the search, in the index or the next one, up to this many eighths.
    pub(crate) fn find_until(&mut self, eighths: usize) {
        let VerletList { index, next, work, n_found, n_sorted, counters, .. } = self;
        let found = &mut work.found;
        if *n_found == 0 {
            found.clear();
            *n_sorted = 0;
        }
        let before = (found.nodes, found.tests);
        match next.index() {
            Some(next) => next.find(Some(index), *n_found..eighths, found),
            None => index.find(None, *n_found..eighths, found),
        }
        counters.nodes += found.nodes - before.0;
        counters.tests += found.tests - before.1;
        *n_found = eighths;
    }
}

impl<I> VerletList<I> {
    /// Merges the newly found pairs into the sorted ones.
    pub(crate) fn sort_found(&mut self) {
        let VerletList { work, proxies, n_sorted, sorted: count, .. } = self;
        let Work { found, counts, sorted, part, .. } = work;
        *count += (found.len() - *n_sorted) as u64;
        if *n_sorted == 0 {
            sorted.clear();
        }
        let (low, high) = (&found.low()[*n_sorted..], &found.high()[*n_sorted..]);
        sort_pairs(low, high, proxies.n_slots(), counts, part);
        *n_sorted = found.len();
        let (mut n, mut left) = (sorted.len(), part.len());
        sorted.extend_from_slice(part);
        while 0 < n && 0 < left {
            // From the last on; branchless, because both outcomes are equally likely.
            let is_other = sorted[n - 1] < part[left - 1];
            sorted[n + left - 1] = if is_other { part[left - 1] } else { sorted[n - 1] };
            left -= usize::from(is_other);
            n -= usize::from(!is_other);
        }
        // The rest precedes all others.
        sorted[..left].copy_from_slice(&part[..left]);
    }
}

/// Halves a pace. The next move of the box sets it again.
#[inline(always)]
fn slow_down(pace: &mut f32) {
    let half = 0.5 * *pace;
    // Subnormal sums are slow, so a pace that would underflow counts as rest.
    *pace = if half < f32::MIN_POSITIVE { 0.0 } else { half };
}

/// Returns the mean of the three extents, finite; negative for the empty box.
#[inline]
pub(crate) fn mean_size(aabb: &Aabb) -> f32 {
    let extents = (aabb.max - aabb.min) * (1.0 / 3.0);
    (extents.x + extents.y + extents.z).min(f32::MAX)
}
