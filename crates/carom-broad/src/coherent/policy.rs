//! When to keep a list of candidates, and how wide.
//!
//! A list is worth making when it lives for a few frames. Wide margins make it live longer and cost
//! more in each frame; so a list that has cost as much as its making is made anew with half the
//! margins, and one that died cheap gets twice the margins next. Only counts decide, never a clock:
//! the work is the same in every run.
//!
//! Reference: A. Karlin, M. Manasse, L. Rudolph, D. Sleator, Competitive snoopy caching, 1988 (pay
//! as much in rent as the purchase costs, then buy: at most twice the best in hindsight).

/// How a [`Coherent`](crate::Coherent) goes about it. The pairs do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoherentSettings {
    /// Keep lists of candidates while motion is coherent. Without, the index is made anew for every
    /// change.
    pub keep_lists: bool,
    /// For how many frames of its own motion a fat box has room at first; at least 1. Later as it
    /// proves best.
    pub margin_frames: f32,
    /// With so many boxes or more a list that wears out is replaced over three frames, of which
    /// none takes much longer than others.
    pub spread_from: usize,
}

impl Default for CoherentSettings {
    fn default() -> CoherentSettings {
        CoherentSettings { keep_lists: true, margin_frames: 12.0, spread_from: 4096 }
    }
}

impl CoherentSettings {
    /// With lists, or without.
    pub const fn with_keep_lists(mut self, keep_lists: bool) -> CoherentSettings {
        self.keep_lists = keep_lists;
        self
    }

    /// With room for this many frames.
    pub const fn with_margin_frames(mut self, margin_frames: f32) -> CoherentSettings {
        self.margin_frames = margin_frames;
        self
    }

    /// With lists replaced over some frames from so many boxes on.
    pub const fn with_spread_from(mut self, spread_from: usize) -> CoherentSettings {
        self.spread_from = spread_from;
        self
    }
}

/// A list that lived shorter than this was not worth making.
const SHORT_LIFE: u32 = 3;

/// A list that lives shorter than this is not replaced while it serves: the next one would be old
/// when it takes over. 100,000 boxes that move 0.03 of their size a frame, whose lists live for
/// five frames: the worst frame takes 10.5 ms, 16 where only lists of six frames or more are
/// replaced so, and 4 percent more time goes by; from one or two frames on it is half as much
/// again. At 0.04 and more lists die before, whatever is tried (EPYC, loaded, November 2026).
const LONG_LIFE: u32 = 3;

/// A list that is made narrower shall serve for so many frames more, wherever its boxes go.
const HORIZON: u32 = 6;

/// After this many short lives in a row no list is made for a while.
const SHORT_LIVES: u32 = 2;

/// For how many rebuilds, at first and at most.
const LISTLESS: (u32, u32) = (8, 64);

/// A box that moves more than this share of its size in a frame is fast: the widest margin would
/// not hold it for long.
pub(super) const JUMP: f64 = 0.2 / 3.0;

/// One box of so many may be loose; when more are fast, a list is not even tried.
pub(super) const LOOSE_PART: usize = 32;

/// Where few boxes move it is more: while the next list is on its way it may be the turn of many
/// that are fast, and to make a list at once takes as long as many frames.
const STIRRED_LOOSE_PART: usize = 8;

/// The next list is begun there when one of so many is loose, or each has moved so often on
/// average: later many would leave at a time.
const MUCH_STIRRED_PART: usize = 128;
const MUCH_STIRRED_MOVES: u64 = 2;

/// So many candidates carried for nothing cost as much as one box in a rebuild.
const WASTE_PER_BOX: u64 = 16;

/// After so many frames it is seen where boxes move to.
const SETTLED: u32 = 2;

/// Boxes that have got this part of as far as they would have in a straight line drift; others
/// jitter about a place.
const DRIFT: f64 = 0.5;

/// What jitters gets this much farther from its place than most are at a time.
const JITTER: f64 = 1.6;

/// Margins are not made narrower where more than this share of them would be left.
const WORTH_NARROWING: f64 = 0.7;

/// A loose box costs in a frame as much as so many boxes in a rebuild (1.5 microseconds beside 70
/// nanoseconds; EPYC, November 2026), and half as much again, because more become loose until the
/// next list takes over.
const RENT: u64 = 30;

/// Margins are this many times halved or doubled at most.
const WIDENINGS: (i32, i32) = (-2, 2);

/// The most that a mean margin may be, as a share of the size.
const MARGIN_SHARE: f64 = 0.15;

/// When at most one box of so many moves, a frame is quiet: what is done for all boxes is too much.
pub(super) const FEW_MOVE: usize = 12;

/// A list that has lived so long in quiet frames is told of each box that moves, instead of how far
/// any may have.
const LONG_QUIET: u32 = 4;

/// Where now these boxes move and now those, a fat box has room for so many moves.
const STIRRED_MOVES: f64 = 4.0;

/// How boxes move in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    /// The part of them that is fast.
    pub(super) fast_share: f64,
    /// Of the others: the mean motion as a share of the size.
    pub(super) mean_ratio: f64,
    /// Of the others: the mean motion as a length.
    pub(super) mean_pace: f64,
    /// How far those move that begin to, where any may be the next; otherwise 0.
    pub(super) stirred_pace: f64,
}

/// What decides between lists and none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policy {
    /// Frames since the rebuild.
    pub(crate) life: u32,
    pub(crate) has_margins: bool,
    short_lives: u32,
    listless_left: u32,
    penalty: u32,
    /// The settings' margin is multiplied by two to this power.
    widening: i32,
    /// Candidates that did not touch, summed over the frames of this list.
    waste: u64,
    /// Loose boxes in the first frame of the list: they would be loose again.
    loose_anyway: usize,
    /// Loose boxes that a rebuild would have spared, summed over the frames of this list.
    rent: u64,
    /// What this list was worth has had its effect on the next.
    is_judged: bool,
    /// This list was made narrower.
    is_narrowed: bool,
    /// The waste at which it is to be seen whether the list can be narrower.
    narrow_at: u64,
    /// At this age of the list it is to be seen whether it wears out.
    look_at: u32,
    /// Frames of this list that were quiet.
    n_quiet: u32,
    /// Moves much longer than those before, of boxes at rest for example, in the frames of this
    /// list.
    n_woken: u64,
    /// Moves in its quiet frames, and those of them that loose boxes made.
    n_moves: u64,
    n_loose_moves: u64,
    /// Where the list was made for boxes of which now these move and now those: how far they do;
    /// otherwise 0.
    pub(super) stirred_pace: f64,
}

impl Policy {
    /// Carrying the list has cost as much as making another, which could be narrower.
    fn is_wasteful(&self, n_boxes: usize) -> bool {
        n_boxes as u64 * WASTE_PER_BOX < self.waste
    }

    /// The list should be made anew, narrower, although it still serves; not before it is seen
    /// whether it can be made narrower where it stands.
    pub(crate) fn is_too_wide(&self, n_boxes: usize) -> bool {
        let is_as_made = self.has_margins && !self.is_narrowed && HORIZON <= self.life;
        let is_as_made = is_as_made && !self.serves_few();
        is_as_made && WIDENINGS.0 < self.widening && self.is_wasteful(n_boxes)
    }

    /// The candidates carried for nothing have cost as much as it does to make the list narrower
    /// where it stands, since that was last seen to.
    pub(crate) fn looks_at_width(&mut self, n_boxes: usize, n_candidates: usize) -> bool {
        let price = (n_boxes + n_candidates) as u64;
        if !self.has_margins || self.life < SETTLED || self.waste < self.narrow_at.max(price) {
            return false;
        }
        self.narrow_at = self.waste + price;
        true
    }

    /// Boxes that have gone so far, summed, from where they were when the list was made, at these
    /// paces, will go farther.
    pub(crate) fn is_drift(&self, gone: f64, paces: f64) -> bool {
        DRIFT * paces * f64::from(self.life) < gone
    }

    /// How much farther boxes will have moved when the list may be replaced, if they go on as
    /// before.
    pub(crate) fn outlook(&self) -> f64 {
        (f64::from(self.life.saturating_add(HORIZON)) / f64::from(self.life.max(1))).max(JITTER)
    }

    /// Boxes need this share of their margins: true, if it is worth taking the rest away, as is
    /// done then.
    pub(crate) fn narrows_to(&mut self, share: f64) -> bool {
        if WORTH_NARROWING < share {
            return false;
        }
        (self.waste, self.narrow_at) = (0, 0);
        self.is_narrowed = true;
        if share <= 0.5 {
            self.widening = (self.widening - 1).max(WIDENINGS.0);
        }
        true
    }

    /// Another frame in which something has changed begins; in a quiet one few boxes have moved.
    pub(crate) fn note_frame(&mut self, n_loose: usize, is_quiet: bool) {
        self.life = self.life.saturating_add(1);
        self.n_quiet = self.n_quiet.saturating_add(u32::from(is_quiet));
        if self.life <= 2 {
            self.loose_anyway = n_loose;
        }
        self.rent += n_loose.saturating_sub(self.loose_anyway) as u64;
    }

    /// The list was made for boxes of which now these move and now those.
    fn is_stirred(&self) -> bool {
        0.0 < self.stirred_pace
    }

    /// It was, and most of its frames were quiet.
    fn serves_few(&self) -> bool {
        self.is_stirred() && self.is_quiet()
    }

    /// So much has moved since the list was made that the next one is begun, where few boxes move
    /// in a frame.
    pub(crate) fn is_much_stirred(&self, n_loose: usize, n_boxes: usize) -> bool {
        let has_moved = self.is_stirred() && MUCH_STIRRED_MOVES * n_boxes as u64 <= self.n_moves;
        has_moved || (n_boxes / MUCH_STIRRED_PART).max(8) < n_loose
    }

    /// One box of so many may be loose.
    pub(crate) fn loose_part(&self) -> usize {
        if self.serves_few() { STIRRED_LOOSE_PART } else { LOOSE_PART }
    }

    /// Most frames of this list were quiet.
    pub(crate) fn is_quiet(&self) -> bool {
        self.life / 2 < self.n_quiet
    }

    /// It is worth knowing in which candidates each box is.
    pub(crate) fn asks_by_slot(&self) -> bool {
        self.is_quiet() && (LONG_QUIET <= self.life || self.is_stirred())
    }

    /// Boxes moved, some of them much farther than before; where few did it is known how many of
    /// these were loose.
    pub(crate) fn note_moves(&mut self, n_woken: u64, n_moves: usize, n_loose_moves: usize) {
        self.n_woken += n_woken;
        self.n_moves += n_moves as u64;
        self.n_loose_moves += n_loose_moves as u64;
    }

    /// In each frame few boxes move, and not always the same: then those that are loose would move
    /// more often.
    pub(crate) fn is_stirring(&self, n_loose: usize) -> bool {
        let n_loose = n_loose as u64;
        let do_others_move = 2 * self.n_loose_moves <= self.n_moves;
        self.is_quiet()
            && do_others_move
            && (self.is_stirred() || (0 < n_loose && n_loose <= 2 * self.n_woken))
    }

    /// So many candidates were carried for nothing in this frame. Where few boxes move that costs
    /// little.
    pub(crate) fn note_waste(&mut self, n_candidates: usize) {
        if !self.serves_few() {
            self.waste += n_candidates as u64;
        }
    }

    /// The loose boxes have cost as much as a rebuild, after which they would not be loose.
    pub(crate) fn is_too_dear(&self, n_boxes: usize) -> bool {
        (n_boxes as u64) < self.rent * RENT
    }

    /// The list has lived long enough to be replaced while it serves.
    pub(crate) fn is_long_lived(&self) -> bool {
        LONG_LIFE <= self.life
    }

    /// It is time to see whether the list wears out.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.look_at <= self.life
    }

    /// The list will not wear out for some frames.
    pub(crate) fn look_again_in(&mut self, frames: u32) {
        self.look_at = self.life.saturating_add(frames);
    }

    /// For how many frames of its own motion a fat box should have room until the next rebuild;
    /// none for no list.
    pub(crate) fn plan(
        &mut self,
        settings: &CoherentSettings,
        motion: &Motion,
        n_boxes: usize,
    ) -> Option<f64> {
        let is_stirred = 0.0 < motion.stirred_pace;
        // Of what moves seldom none is fast.
        let fast_share = if is_stirred { 0.0 } else { motion.fast_share };
        if !self.decide(settings.keep_lists, fast_share, n_boxes) {
            return None;
        }
        self.stirred_pace = motion.stirred_pace;
        if is_stirred {
            return Some(STIRRED_MOVES);
        }
        if motion.mean_ratio <= 0.0 {
            return Some(0.0);
        }
        let factor = if self.widening < 0 { 0.5 } else { 2.0 };
        let mut frames = f64::from(settings.margin_frames);
        (0..self.widening.abs()).for_each(|_| frames *= factor);
        Some(frames.max(1.0).min(MARGIN_SHARE / motion.mean_ratio))
    }

    /// What was planned is made.
    pub(crate) fn begin_life(&mut self, has_margins: bool) {
        self.has_margins = has_margins;
        (self.life, self.waste, self.rent, self.look_at) = (0, 0, 0, 0);
        (self.is_judged, self.is_narrowed, self.narrow_at) = (false, false, 0);
        (self.n_quiet, self.n_woken, self.n_moves, self.n_loose_moves) = (0, 0, 0, 0);
    }

    /// Whether the next list is worth keeping.
    fn decide(&mut self, keep_lists: bool, fast_share: f64, n_boxes: usize) -> bool {
        if self.has_margins && !self.is_judged {
            self.is_judged = true;
            // A list that costs more than its making is too wide; one that costs a quarter could
            // have lived longer.
            if self.is_stirred() {
                // Its width was another.
            } else if self.is_wasteful(n_boxes) {
                self.widening = (self.widening - 1).max(WIDENINGS.0);
            } else if !self.is_narrowed && self.waste * 4 < n_boxes as u64 * WASTE_PER_BOX {
                self.widening = (self.widening + 1).min(WIDENINGS.1);
            }
            self.short_lives = if self.life < SHORT_LIFE { self.short_lives + 1 } else { 0 };
            if self.short_lives == 0 {
                self.penalty = LISTLESS.0;
            }
        }
        if 0 < self.listless_left {
            self.listless_left -= 1;
            return false;
        }
        if SHORT_LIVES <= self.short_lives {
            // One more short life after the pause, and the next pause is twice as long.
            self.short_lives = SHORT_LIVES - 1;
            self.listless_left = self.penalty.max(LISTLESS.0);
            self.penalty = (2 * self.listless_left).min(LISTLESS.1);
            return false;
        }
        keep_lists && fast_share * LOOSE_PART as f64 <= 1.0
    }
}
