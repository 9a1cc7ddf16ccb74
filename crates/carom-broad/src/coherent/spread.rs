//! A list that wears out is replaced over three frames, while it still serves.
//!
//! In the first frame fat boxes are made around where the boxes are, and an index of them; in the
//! second it is searched; in the third the candidates are sorted and take over. So each is a third
//! of the work. Where few boxes move in a frame that would still be much beside the rest of it:
//! there the index is made in parts, and the search, and the sorting, are spread over eight. Boxes
//! may move, come and go meanwhile: whatever is not within its new fat box when these take over is
//! loose from then on, so the pairs never depend on when that was. How much is done in a frame
//! follows from counts, never from a clock.
//!
//! To sort in frames of their own, between those of the search, made the renewal twice as long and
//! its longest frame no shorter: more is loose when the next list takes over (a heap of 10,000
//! boxes; EPYC, November 2026).
//!
//! To be in time, the boxes of a sample are asked in how many frames they will leave their fat
//! boxes at the pace they have.
//!
//! Reference: H. Baker, List processing in real time on a serial computer, CACM 21, 1978 (a little
//! of the next copy is made with every step of work on this one).

use super::ingest::Outside;
use super::policy::Motion;
use super::rebuild::mean_size;
use crate::{Coherent, FatIndex, ProxyTable, Residents};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::dispatch;

/// The parts of a search.
pub(super) const EIGHTHS: usize = 8;

/// Frames from the first step to the last, in half frames, and a half for rounding.
const AHEAD: usize = 5;

/// Half frames in which the lives of boxes are counted.
const HALVES: usize = 32;

/// How far the next index is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    /// There is none.
    #[default]
    None,
    /// The fat boxes are there, and so many parts of the index.
    Part(usize),
    /// It is made.
    Made,
}

/// An index on its way.
#[derive(Default)]
pub(super) struct Next<I> {
    index: I,
    /// By slot: the fat boxes that were made, [`Aabb::EMPTY`] for what is not wanted any more. They
    /// need not hold the boxes.
    fat: Vec<Aabb>,
    /// Slots that were in it and are not wanted any more.
    left: Vec<u32>,
    stage: Stage,
    /// The number of slots for which both indices have had to make room.
    pub(super) n_slots_met: usize,
    /// A static box is not what it was when this was begun.
    pub(super) have_statics_changed: bool,
}

impl<I: FatIndex> Next<I> {
    /// Bytes in use or kept.
    pub(super) fn bytes(&self) -> usize {
        self.index.bytes() + self.fat.capacity() * size_of::<Aabb>() + 4 * self.left.capacity()
    }

    /// The index, if there is one.
    pub(super) fn index(&mut self) -> Option<&mut I> {
        (self.stage == Stage::Made).then_some(&mut self.index)
    }

    /// There is one, or parts of one.
    fn is_begun(&self) -> bool {
        self.stage != Stage::None
    }

    /// Slots came.
    pub(super) fn admit(&mut self, n_slots: usize) {
        if self.is_begun() {
            self.fat.resize(n_slots, Aabb::EMPTY);
        }
    }

    /// A slot left, or is to be loose.
    pub(super) fn evict(&mut self, slot: u32) {
        if self.is_begun() && self.residents().has(slot) {
            if self.stage == Stage::Made {
                self.index.forget(slot);
            }
            self.fat[slot as usize] = Aabb::EMPTY;
            self.left.push(slot);
        }
    }

    /// There is none.
    pub(super) fn abandon(&mut self) {
        self.stage = Stage::None;
    }

    fn residents(&self) -> Residents<'_> {
        Residents { boxes: &self.fat, fat: &self.fat }
    }

    /// Checks what there is.
    pub(super) fn validate(&self, proxies: &ProxyTable) -> Result<(), String> {
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

impl<I: FatIndex> Coherent<I> {
    /// The index and the list that will replace the ones in use are being made: they take over
    /// within two frames in which something changes, or some more where few boxes move in a frame.
    pub fn is_renewing(&self) -> bool {
        self.next.is_begun()
    }

    /// Does its part, in a frame in which something has changed, to replace the list in time.
    pub(super) fn renew(&mut self) {
        if self.next.is_begun() {
            let is_stirring = self.policy.is_stirring(self.loose.len());
            if let Stage::Part(_) = self.next.stage {
                while !self.make_part() && !is_stirring {}
            } else if self.n_found < EIGHTHS && is_stirring {
                // Each frame has little to do: nor shall the search be much for one.
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
        let is_stirring = self.policy.is_stirring(self.loose.len());
        // To make a list takes longer than all the rest of frames in which few boxes move.
        let is_dear = if is_stirring {
            self.policy.is_much_stirred(self.loose.len(), n_live)
        } else {
            self.policy.is_too_wide(n_live) || self.policy.is_too_dear(n_live)
        };
        if self.policy.is_long_lived() && self.settings.spread_from <= n_live {
            if is_dear || (!is_stirring && self.wears_out()) {
                self.begin_next();
            }
        } else if is_dear {
            self.rebuild();
        }
    }

    /// Begins the next list, beside this one.
    fn begin_next(&mut self) {
        let motion = self.sample_motion();
        let Some(frames) = self.policy.plan(&self.settings, &motion, self.proxies.n_live()) else {
            return self.rebuild_here(0.0, &motion);
        };
        if 0.0 < motion.stirred_pace {
            self.fatten_next(frames, &motion);
            self.make_part();
        } else {
            self.make_next(frames, &motion);
        }
    }

    /// Makes the next index, beside this one, with room for so many frames of motion.
    pub(super) fn make_next(&mut self, frames: f64, motion: &Motion) {
        self.fatten_next(frames, motion);
        let Coherent { index, next, proxies, have_statics_changed, .. } = self;
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

    /// Makes another part of the next index; true, if there is none left to make.
    fn make_part(&mut self) -> bool {
        let Coherent { index, next, proxies, have_statics_changed, .. } = self;
        let Stage::Part(part) = next.stage else { return true };
        let is_last = next.index.rebuild_part(part, index, &next.fat, proxies, !*have_statics_changed);
        next.stage = if is_last { Stage::Made } else { Stage::Part(part + 1) };
        is_last
    }

    /// The next index is the one in use.
    pub(super) fn install_next(&mut self) {
        let Coherent { index, next, fat, .. } = self;
        core::mem::swap(index, &mut next.index);
        core::mem::swap(fat, &mut next.fat);
        index.succeed(&mut next.index);
        self.have_statics_changed = next.have_statics_changed;
        next.abandon();
    }

    /// Lets the next index take over; what is not in it any more is loose. False, and there is none
    /// any more, if that is too much, or there was none, or parts of one.
    pub(super) fn adopt(&mut self) -> bool {
        if self.next.stage != Stage::Made {
            self.next.abandon();
            return false;
        }
        let limit = self.loose_limit();
        let Coherent { next, proxies, loose, .. } = self;
        dispatch(Outside { boxes: proxies.boxes(), fat: &next.fat, limit, outside: loose });
        if limit < loose.len() {
            next.abandon();
            self.loosen_all();
            return false;
        }
        for i in 0..self.loose.len() {
            let slot = self.loose[i];
            self.next.evict(slot);
            self.place[slot as usize] = i as u32;
        }
        self.install_next();
        // Also where the margins are 0: boxes may have shrunk meanwhile.
        self.begin_life(true);
        // Those that are outside were evicted as well.
        self.next.left.iter().for_each(|&slot| self.leavers.add(slot));
        true
    }

    /// More will be loose than may be before a list that is begun now could take over.
    fn wears_out(&mut self) -> bool {
        if !self.policy.looks_ahead() {
            return false;
        }
        let boxes = self.proxies.boxes();
        let (mut n, mut leaving) = (0, [0usize; HALVES]);
        for slot in self.samples() {
            n += 1;
            let (aabb, fat, pace) = (&boxes[slot], &self.fat[slot], self.pace[slot]);
            let margin = 0.5 * (mean_size(fat) - mean_size(aabb));
            // Not of those for which a new fat box would not be wide enough either, nor of loose
            // ones, whose fat box is empty.
            if AHEAD as f32 * pace < margin && 0.0 < pace {
                let room = (aabb.min - fat.min).min(fat.max - aabb.max).min_element();
                leaving[((2.0 * room / pace) as usize).min(HALVES - 1)] += 1;
            }
        }
        let (limit, mut n_loose) = (self.loose_limit(), self.loose.len());
        for (half, leaving) in leaving.iter().enumerate().take(HALVES - 1) {
            n_loose += leaving * self.proxies.n_live() / n.max(1);
            if limit < n_loose {
                self.policy.look_again_in(half.saturating_sub(AHEAD) as u32 / 4);
                return half < AHEAD;
            }
        }
        self.policy.look_again_in((HALVES - AHEAD) as u32 / 4);
        false
    }
}
