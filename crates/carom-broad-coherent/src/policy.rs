//! Decides when to keep a list of candidates, and how wide.
//!
//! A list pays if it lives for a few frames. Wide margins make it live longer and cost more in
//! each frame. A list that has cost as much as its construction is rebuilt with half the margins.
//! If a list cost little until it was replaced, the next one gets twice the margins. Only counts
//! decide, not a clock, so the work is the same in every run.
//!
//! Reference: A. Karlin, M. Manasse, L. Rudolph, D. Sleator, Competitive snoopy caching, 1988
//! (rent until the rent equals the price, then buy: at most twice the best in hindsight).

/// Settings of a [`VerletList`](crate::VerletList). The pairs do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct VerletListSettings {
    /// Whether to keep lists of candidates while motion is coherent. Otherwise the index is
    /// rebuilt for every change. Default: true.
    pub keep_lists: bool,
    /// The initial margin of a fat box, in frames of its own motion; at least 1. Later it adapts.
    /// Default: 12.
    pub margin_frames: f32,
    /// From this many boxes on, a list that wears out is replaced over three frames. This avoids
    /// one long frame. Default: 4096.
    pub spread_from: usize,
}

impl Default for VerletListSettings {
    fn default() -> VerletListSettings {
        VerletListSettings { keep_lists: true, margin_frames: 12.0, spread_from: 4096 }
    }
}

impl VerletListSettings {
    /// Returns the settings with or without lists.
    pub const fn with_keep_lists(mut self, keep_lists: bool) -> VerletListSettings {
        self.keep_lists = keep_lists;
        self
    }

    /// Returns the settings with margins for this many frames.
    pub const fn with_margin_frames(mut self, margin_frames: f32) -> VerletListSettings {
        self.margin_frames = margin_frames;
        self
    }

    /// Returns the settings with lists replaced over several frames from this many boxes on.
    pub const fn with_spread_from(mut self, spread_from: usize) -> VerletListSettings {
        self.spread_from = spread_from;
        self
    }
}

/// A list with a shorter life than this did not pay.
const SHORT_LIFE: u32 = 3;

/// A list with a shorter life than this is not replaced while in use: the next one would be old at
/// takeover. Higher and lower limits have longer worst frames (figures:
/// benches/notes/carom-broad.md).
const LONG_LIFE: u32 = 3;

/// A narrowed list has room for this many more frames, in any direction of motion.
const HORIZON: u32 = 6;

/// After this many short lives in a row, no list is made for a while.
const SHORT_LIVES: u32 = 2;

/// The number of rebuilds without a list, at first and at most.
const LISTLESS: (u32, u32) = (8, 64);

/// A box that moves more than this share of its size in a frame is fast: it leaves the widest
/// margin soon.
pub(crate) const JUMP: f64 = 0.2 / 3.0;

/// One box in this many may be outliers. If more are fast, no list is tried.
pub(crate) const OUTLIER_PART: usize = 32;

/// The same, if few boxes move per frame. Many fast boxes may move before the next list is ready,
/// and an immediate rebuild takes as long as many frames.
const BOXES_PER_OUTLIER_FEW_MOVERS: usize = 8;

/// If few boxes move per frame, the next list is begun once one box in this many is an outlier. It
/// is also begun once boxes have moved as often, on average, as the constant below says. Later,
/// many boxes would leave at once.
const MUCH_MOTION_PART: usize = 128;
const MUCH_MOTION_MOVES: u64 = 2;

/// This many useless candidates cost as much as one box in a rebuild.
const WASTE_PER_BOX: u64 = 16;

/// After this many frames, the direction of motion is known.
const SETTLED: u32 = 2;

/// Boxes drift if their displacement is at least this share of their path; otherwise they jitter.
const DRIFT: f64 = 0.5;

/// The ratio of the largest displacement of a jittering box to its typical one.
const JITTER: f64 = 1.6;

/// Margins are not made narrower if more than this share of them would be left.
const WORTH_NARROWING: f64 = 0.7;

/// The cost of an outlier per frame, in boxes of a rebuild. It is about 20, and half as much
/// again, because more boxes become outliers until the next list takes over.
const OUTLIER_COST_BOXES: u64 = 30;

/// The range of the exponent of two by which margins are scaled.
const WIDENINGS: (i32, i32) = (-2, 2);

/// The largest mean margin, as a share of the size.
const MARGIN_SHARE: f64 = 0.15;

/// A frame is quiet if at most one box in this many moves. Passes over all boxes are then too
/// expensive.
pub(crate) const FEW_MOVE: usize = 12;

/// In a list that has lived this many quiet frames, only the pairs of moved boxes are tested.
const LONG_QUIET: u32 = 4;

/// The number of moves for which a fat box has room, if the set of moving boxes changes.
const STIRRED_MOVES: f64 = 4.0;

/// The motion of the boxes in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    /// The share of boxes that are fast.
    pub(crate) fast_share: f64,
    /// The mean motion of the others as a share of the size.
    pub(crate) mean_ratio: f64,
    /// The mean motion of the others as a length.
    pub(crate) mean_pace: f64,
    /// The length of first moves, if any box may be the next to move; otherwise 0.
    pub(crate) moved_pace: f64,
}

/// The state that decides between lists and no lists.
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
    /// Outliers in the first frame of the list; a rebuild would leave them outliers.
    usual_outliers: usize,
    /// Outliers that a rebuild would have avoided, summed over the frames of this list.
    outlier_cost: u64,
    /// Whether the result of this list has already changed the next one.
    is_judged: bool,
    /// Whether this list was narrowed.
    is_narrowed: bool,
    /// The waste at which to test whether the list can be narrower.
    narrow_at: u64,
    /// The age of the list at which to test whether it wears out.
    test: u32,
    /// Frames of this list that were quiet.
    n_quiet: u32,
    /// Moves much longer than previous ones, in the frames of this list; for example of boxes at
    /// rest.
    n_accelerated: u64,
    /// Moves in its quiet frames, and those made by outliers.
    n_moves: u64,
    n_outlier_moves: u64,
    /// The length of moves, if the list was made for a changing set of moving boxes; otherwise 0.
    pub(crate) moved_pace: f64,
}

impl Policy {
    /// Whether the list has cost as much as a new, narrower one.
    fn is_wasteful(&self, n_boxes: usize) -> bool {
        n_boxes as u64 * WASTE_PER_BOX < self.waste
    }

    /// Whether the list should be rebuilt narrower, although it is still valid. False until
    /// narrowing in place was tested.
    pub(crate) fn is_too_wide(&self, n_boxes: usize) -> bool {
        let is_as_made = self.has_margins && !self.is_narrowed && HORIZON <= self.life;
        let is_as_made = is_as_made && !self.is_for_few_movers();
        is_as_made && WIDENINGS.0 < self.widening && self.is_wasteful(n_boxes)
    }

    /// Whether to test if the list can be narrowed: useless candidates have cost as much as
    /// narrowing since the last such test.
    pub(crate) fn tests_width(&mut self, n_boxes: usize, n_candidates: usize) -> bool {
        let price = (n_boxes + n_candidates) as u64;
        if !self.has_margins || self.life < SETTLED || self.waste < self.narrow_at.max(price) {
            return false;
        }
        self.narrow_at = self.waste + price;
        true
    }

    /// Whether boxes drift: `gone` is their total displacement since the list was made, `paces`
    /// the sum of their paces.
    pub(crate) fn is_drift(&self, gone: f64, paces: f64) -> bool {
        DRIFT * paces * f64::from(self.life) < gone
    }

    /// Returns how much farther boxes will have moved when the list may be replaced, at their
    /// present rate.
    pub(crate) fn outlook(&self) -> f64 {
        (f64::from(self.life.saturating_add(HORIZON)) / f64::from(self.life.max(1))).max(JITTER)
    }

    /// Notes that boxes need this share of their margins. Returns whether removing the rest pays;
    /// the caller then does so.
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

    /// Begins a frame in which something has changed. In a quiet frame, few boxes have moved.
    pub(crate) fn note_frame(&mut self, n_outliers: usize, is_quiet: bool) {
        self.life = self.life.saturating_add(1);
        self.n_quiet = self.n_quiet.saturating_add(u32::from(is_quiet));
        if self.life <= 2 {
            self.usual_outliers = n_outliers;
        }
        self.outlier_cost += n_outliers.saturating_sub(self.usual_outliers) as u64;
    }

    /// Whether the list was made for a changing set of moving boxes.
    fn has_changing_set(&self) -> bool {
        0.0 < self.moved_pace
    }

    /// Whether the list was made for a changing set of moving boxes, and most of its frames were
    /// quiet.
    fn is_for_few_movers(&self) -> bool {
        self.has_changing_set() && self.is_quiet()
    }

    /// Whether enough has moved to begin the next list, if few boxes move per frame.
    pub(crate) fn has_much_motion(&self, n_outliers: usize, n_boxes: usize) -> bool {
        let has_moved = self.has_changing_set() && MUCH_MOTION_MOVES * n_boxes as u64 <= self.n_moves;
        has_moved || (n_boxes / MUCH_MOTION_PART).max(8) < n_outliers
    }

    /// Returns n, if one box in n may be outliers.
    pub(crate) fn outlier_part(&self) -> usize {
        if self.is_for_few_movers() { BOXES_PER_OUTLIER_FEW_MOVERS } else { OUTLIER_PART }
    }

    /// Whether most frames of this list were quiet.
    pub(crate) fn is_quiet(&self) -> bool {
        self.life / 2 < self.n_quiet
    }

    /// Whether an index of the candidates by slot pays.
    pub(crate) fn queries_by_slot(&self) -> bool {
        self.is_quiet() && (LONG_QUIET <= self.life || self.has_changing_set())
    }

    /// Notes the moves of a frame: `n_accelerated` are much longer than before. The other two
    /// numbers are 0 unless few boxes moved.
    pub(crate) fn note_moves(&mut self, n_woken: u64, n_moves: usize, n_outlier_moves: usize) {
        self.n_accelerated += n_woken;
        self.n_moves += n_moves as u64;
        self.n_outlier_moves += n_outlier_moves as u64;
    }

    /// Whether few boxes move in each frame, and the set changes. If the set were fixed, outliers
    /// would move more often.
    pub(crate) fn is_few_changing_movers(&self, n_outliers: usize) -> bool {
        let n_outliers = n_outliers as u64;
        let do_others_move = 2 * self.n_outlier_moves <= self.n_moves;
        self.is_quiet()
            && do_others_move
            && (self.has_changing_set() || (0 < n_outliers && n_outliers <= 2 * self.n_accelerated))
    }

    /// Notes the useless candidates of this frame. They cost little if few boxes move.
    pub(crate) fn note_waste(&mut self, n_candidates: usize) {
        if !self.is_for_few_movers() {
            self.waste += n_candidates as u64;
        }
    }

    /// Whether the outliers have cost as much as a rebuild, which would put them into the index.
    pub(crate) fn is_too_expensive(&self, n_boxes: usize) -> bool {
        (n_boxes as u64) < self.outlier_cost * OUTLIER_COST_BOXES
    }

    /// Whether the list has lived long enough to be replaced while in use.
    pub(crate) fn is_long_lived(&self) -> bool {
        LONG_LIFE <= self.life
    }

    /// Whether to test now if the list wears out.
    pub(crate) fn predicts(&self) -> bool {
        self.test <= self.life
    }

    /// Notes that the list lasts for some frames.
    pub(crate) fn test_again_in(&mut self, frames: u32) {
        self.test = self.life.saturating_add(frames);
    }

    /// Returns the margin of a fat box until the next rebuild, in frames of its own motion; `None`
    /// if no list is to be kept.
    pub(crate) fn plan(
        &mut self,
        settings: &VerletListSettings,
        motion: &Motion,
        n_boxes: usize,
    ) -> Option<f64> {
        let has_changing_set = 0.0 < motion.moved_pace;
        // A box that moves seldom is not fast.
        let fast_share = if has_changing_set { 0.0 } else { motion.fast_share };
        if !self.decide(settings.keep_lists, fast_share, n_boxes) {
            return None;
        }
        self.moved_pace = motion.moved_pace;
        if has_changing_set {
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

    /// Begins the life of the planned list.
    pub(crate) fn begin_life(&mut self, has_margins: bool) {
        self.has_margins = has_margins;
        (self.life, self.waste, self.outlier_cost, self.test) = (0, 0, 0, 0);
        (self.is_judged, self.is_narrowed, self.narrow_at) = (false, false, 0);
        (self.n_quiet, self.n_accelerated, self.n_moves, self.n_outlier_moves) = (0, 0, 0, 0);
    }

    /// Whether the next list is worth keeping.
    fn decide(&mut self, keep_lists: bool, fast_share: f64, n_boxes: usize) -> bool {
        if self.has_margins && !self.is_judged {
            self.is_judged = true;
            // A list that costs more than its construction is too wide. One that costs a quarter
            // could have lived longer.
            if self.has_changing_set() {
                // Its width followed another rule.
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
            // One more short life after the pause doubles the next pause.
            self.short_lives = SHORT_LIVES - 1;
            self.listless_left = self.penalty.max(LISTLESS.0);
            self.penalty = (2 * self.listless_left).min(LISTLESS.1);
            return false;
        }
        keep_lists && fast_share * OUTLIER_PART as f64 <= 1.0
    }
}
