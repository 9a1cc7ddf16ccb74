//! Builds the next index and list over three frames, while the old ones are still in use.
//!
//! The first frame makes new fat boxes and an index of them. The second searches the index. The
//! third sorts the candidates, and the new list takes over. So each frame does a third of the
//! work. If few boxes move per frame, even a third would take longer than the rest of the frame.
//! The index is then built in parts, and search and sort are spread over eight frames. Boxes may
//! be moved, inserted and removed meanwhile. A box outside its new fat box at takeover is an
//! outlier, so the pairs do not depend on the time of takeover. The work per frame follows from
//! counts, not from a clock.
//!
//! Tried: sorting in frames of its own; 2x longer renewal, no shorter worst frame (EPYC, 2026-11).
//!
//! The build must begin early enough. So a sample estimates in how many frames boxes will leave
//! their fat boxes at their present pace.
//!
//! Reference: H. Baker, List processing in real time on a serial computer, CACM 21, 1978 (each
//! step on this copy also makes a part of the next copy).

use crate::ingest::Outside;
use crate::policy::Motion;
use crate::rebuild::mean_size;
use crate::{FatIndex, Residents, VerletList};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::ProxyTable;
use carom_lanes::dispatch;

/// The number of parts of a search.
pub(crate) const EIGHTHS: usize = 8;

/// The half frames from the first step to the last, and one more for rounding.
const AHEAD: usize = 5;

/// The number of half frames for which leaving boxes are counted.
const HALVES: usize = 32;

/// The progress of the next index.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    /// There is no next index.
    #[default]
    None,
    /// The fat boxes are made, and this many parts of the index.
    Part(usize),
    /// The index is complete.
    Made,
}

/// The next index, under construction.
#[derive(Default)]
pub(crate) struct PendingIndex<I> {
    index: I,
    /// By slot: the new fat boxes, [`Aabb::EMPTY`] for boxes that were evicted. They need not
    /// contain the boxes.
    fat: Vec<Aabb>,
    /// Slots that were in the index and were evicted.
    left: Vec<u32>,
    stage: Stage,
    /// The largest number of slots for which both indices have memory.
    pub(crate) n_slots_met: usize,
    /// Whether a static box has changed since this was begun.
    pub(crate) have_statics_changed: bool,
}

impl<I: FatIndex> PendingIndex<I> {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        self.index.bytes() + self.fat.capacity() * size_of::<Aabb>() + 4 * self.left.capacity()
    }

    /// Returns the index, if it is complete.
    pub(crate) fn index(&mut self) -> Option<&mut I> {
        (self.stage == Stage::Made).then_some(&mut self.index)
    }

    /// Whether the index is complete or in parts.
    fn is_begun(&self) -> bool {
        self.stage != Stage::None
    }

    /// Adds slots.
    pub(crate) fn admit(&mut self, n_slots: usize) {
        if self.is_begun() {
            self.fat.resize(n_slots, Aabb::EMPTY);
        }
    }

    /// Evicts a slot that was removed or becomes an outlier.
    pub(crate) fn evict(&mut self, slot: u32) {
        if self.is_begun() && self.residents().has(slot) {
            if self.stage == Stage::Made {
                self.index.forget(slot);
            }
            self.fat[slot as usize] = Aabb::EMPTY;
            self.left.push(slot);
        }
    }

    /// Drops the next index.
    pub(crate) fn abandon(&mut self) {
        self.stage = Stage::None;
    }

    fn residents(&self) -> Residents<'_> {
        Residents { boxes: &self.fat, fat: &self.fat }
    }

    /// Checks the next index.
    pub(crate) fn validate(&self, proxies: &ProxyTable) -> Result<(), String> {
        if !self.is_begun() {
            return Ok(());
        }
        if self.fat.len() != proxies.n_slots() {
            return Err(format!("{} next fat boxes, {} slots", self.fat.len(), proxies.n_slots()));
        }
        match self.residents().slots().find(|&slot| !proxies.is_live(slot as usize)) {
            Some(slot) => Err(format!("slot {slot} is in the next index and not live")),
            None if self.stage == Stage::Made => self.index.validate(self.residents()),
            None => Ok(()),
        }
    }
}

impl<I: FatIndex> VerletList<I> {
    /// Whether the next index and list are being built. They take over after two more frames with
    /// changes, or some more if few boxes move per frame.
    pub fn is_renewing(&self) -> bool {
        self.next.is_begun()
    }

    /// Does the work of one frame with changes toward the next list.
    pub(crate) fn renew(&mut self) {
        if self.next.is_begun() {
            let is_stirring = self.policy.is_few_changing_movers(self.outliers.len());
            if let Stage::Part(_) = self.next.stage {
                while !self.make_part() && !is_stirring {}
            } else if self.n_found < EIGHTHS && is_stirring {
                // Frames have little other work, so the search takes small parts.
                self.find_until(self.n_found + 1);
                self.sort_found();
            } else if self.n_found < EIGHTHS {
                self.find_until(EIGHTHS);
            } else if !self.adopt() {
                self.rebuild();
            }
            return;
        }
        self.narrow();
        let n_live = self.proxies.n_live();
        let is_stirring = self.policy.is_few_changing_movers(self.outliers.len());
        // If few boxes move, making a list takes longer than the rest of the frame.
        let is_dear = if is_stirring {
            self.policy.has_much_motion(self.outliers.len(), n_live)
        } else {
            self.policy.is_too_wide(n_live) || self.policy.is_too_expensive(n_live)
        };
        if self.policy.is_long_lived() && self.settings.spread_from <= n_live {
            if is_dear || (!is_stirring && self.wears_out()) {
                self.begin_next();
            }
        } else if is_dear {
            self.rebuild();
        }
    }

    /// Begins the next list beside this one.
    fn begin_next(&mut self) {
        let motion = self.sample_motion();
        let Some(frames) = self.policy.plan(&self.settings, &motion, self.proxies.n_live()) else {
            return self.rebuild_here(0.0, &motion);
        };
        if 0.0 < motion.moved_pace {
            self.fatten_next(frames, &motion);
            self.make_part();
        } else {
            self.make_next(frames, &motion);
        }
    }

    /// Builds the next index beside this one, with room for this many frames of motion.
    pub(crate) fn make_next(&mut self, frames: f64, motion: &Motion) {
        self.fatten_next(frames, motion);
        let VerletList { index, next, proxies, have_statics_changed, .. } = self;
        next.index.rebuild_beside(index, &next.fat, proxies, !*have_statics_changed);
        next.stage = Stage::Made;
    }

    /// Makes the fat boxes of the next index.
    fn fatten_next(&mut self, frames: f64, motion: &Motion) {
        let mut fat = core::mem::take(&mut self.next.fat);
        self.fatten(frames, motion, &mut fat);
        let next = &mut self.next;
        next.fat = fat;
        next.left.clear();
        next.stage = Stage::Part(0);
        next.have_statics_changed = false;
        self.n_found = 0;
        self.sorted += self.proxies.n_live() as u64;
    }

    /// Builds another part of the next index; returns whether it is complete.
    fn make_part(&mut self) -> bool {
        let VerletList { index, next, proxies, have_statics_changed, .. } = self;
        let Stage::Part(part) = next.stage else { return true };
        let is_last = next.index.rebuild_part(part, index, &next.fat, proxies, !*have_statics_changed);
        next.stage = if is_last { Stage::Made } else { Stage::Part(part + 1) };
        is_last
    }

    /// Puts the next index into use.
    pub(crate) fn install_next(&mut self) {
        let VerletList { index, next, fat, .. } = self;
        core::mem::swap(index, &mut next.index);
        core::mem::swap(fat, &mut next.fat);
        index.succeed(&mut next.index);
        self.have_statics_changed = next.have_statics_changed;
        next.abandon();
    }

    /// Lets the next index take over. Boxes that are not in it become outliers. Returns false and
    /// drops the next index if there are too many outliers or if it is not complete.
    pub(crate) fn adopt(&mut self) -> bool {
        if self.next.stage != Stage::Made {
            self.next.abandon();
            return false;
        }
        let limit = self.max_outliers();
        let VerletList { next, proxies, outliers, .. } = self;
        dispatch(Outside { boxes: proxies.boxes(), fat: &next.fat, limit, outside: outliers });
        if limit < outliers.len() {
            next.abandon();
            self.drop_index();
            return false;
        }
        for i in 0..self.outliers.len() {
            let slot = self.outliers[i];
            self.next.evict(slot);
            self.indices[slot as usize] = i as u32;
        }
        self.install_next();
        // The list has margins even for 0 frames, because boxes may have shrunk meanwhile.
        self.begin_life(true);
        // Boxes outside were evicted as well.
        self.next.left.iter().for_each(|&slot| self.removed.add(slot));
        true
    }

    /// Whether the list wears out: too many boxes would be outliers before a list that is begun
    /// later takes over.
    fn wears_out(&mut self) -> bool {
        if !self.policy.predicts() {
            return false;
        }
        let boxes = self.proxies.boxes();
        let (mut n, mut leaving) = (0, [0usize; HALVES]);
        for slot in self.samples() {
            n += 1;
            let (aabb, fat, pace) = (&boxes[slot], &self.fat[slot], self.pace[slot]);
            let margin = 0.5 * (mean_size(fat) - mean_size(aabb));
            // Skips boxes for which a new fat box would also be too narrow, and outliers, which
            // have an empty fat box.
            if AHEAD as f32 * pace < margin && 0.0 < pace {
                let room = (aabb.min - fat.min).min(fat.max - aabb.max).min_element();
                leaving[((2.0 * room / pace) as usize).min(HALVES - 1)] += 1;
            }
        }
        let (limit, mut n_outliers) = (self.max_outliers(), self.outliers.len());
        for (half, leaving) in leaving.iter().enumerate().take(HALVES - 1) {
            n_outliers += leaving * self.proxies.n_live() / n.max(1);
            if limit < n_outliers {
                self.policy.test_again_in(half.saturating_sub(AHEAD) as u32 / 4);
                return half < AHEAD;
            }
        }
        self.policy.test_again_in((HALVES - AHEAD) as u32 / 4);
        false
    }
}
