//! The state of a pair of bodies whose boxes overlap, kept from step to step.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.2 (data of a pair that is
//! kept from frame to frame).

use crate::bodies::id::BodyId;
use carom_broad::Pair;

/// The state of a pair of bodies whose boxes overlap.
///
/// A pair is *due* if it is wanted, and a body moved or changed since the last test
/// (`Scene::is_due`). A due pair is tested, recycled, or deferred by a budget.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairState {
    pub(crate) a: BodyId,
    pub(crate) b: BodyId,
    /// The index of its first manifold, and their number. They are in `ContactSet::manifolds`, or
    /// in `ContactSet::sleeping` if `is_at_rest`.
    pub(crate) first: u32,
    pub(crate) n: u32,
    /// The index of its first manifold in the input of the last solver step, or `NOT_SOLVED` if
    /// the pair was not solved.
    pub(crate) first_solved: u32,
    /// Whether the narrow phase tests the pair: see `narrow::is_wanted`.
    pub(crate) is_wanted: bool,
    pub(crate) is_sensor: bool,
    /// Whether a hook disabled it in the last step, so that its bodies pass each other.
    pub(crate) is_disabled: bool,
    pub(crate) is_touching: bool,
    pub(crate) was_touching: bool,
    /// Whether the cache at its place is valid: its shapes were tested before.
    pub(crate) has_cache: bool,
    /// Whether its shapes were not tested yet, or have to be tested as if the pair were new.
    pub(crate) is_new: bool,
    /// Whether it was not solved yet. Impulses that the solver has cached for the numbers of its
    /// bodies then belong to removed bodies.
    pub(crate) is_unsolved: bool,
    /// Whether it was due at the last detection, and a budget deferred it.
    pub(crate) is_deferred: bool,
    /// Whether contacts were dropped while it was deferred, because its bodies slid, rolled or
    /// separated.
    pub(crate) has_lost: bool,
    /// Whether a budget defers it in this detection. Before the selection: whether it is a
    /// candidate for a test.
    pub(crate) is_skipped: bool,
    /// How far its bodies have moved relative to each other since the last test, plus an amount for
    /// each step: see `recycling`.
    pub(crate) drift: f32,
    /// Whether its manifolds are in `ContactSet::sleeping`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) is_at_rest: bool,
}

/// The value of `first_solved` if the pair was not solved.
pub(crate) const NOT_SOLVED: u32 = u32::MAX;

impl PairState {
    pub(crate) const fn new(a: BodyId, b: BodyId, is_wanted: bool, is_sensor: bool) -> PairState {
        PairState {
            a,
            b,
            first: 0,
            n: 0,
            first_solved: NOT_SOLVED,
            is_wanted,
            is_sensor,
            is_disabled: false,
            is_touching: false,
            was_touching: false,
            has_cache: false,
            is_new: true,
            is_unsolved: true,
            is_deferred: false,
            has_lost: false,
            is_skipped: false,
            drift: 0.0,
            is_at_rest: false,
        }
    }

    /// Sets whether the narrow phase tests the pair. Returns whether this is a change, which makes
    /// the pair due as if it were new.
    pub(crate) fn set_wanted(&mut self, is_wanted: bool) -> bool {
        let is_changed = self.is_wanted != is_wanted;
        if is_changed {
            self.is_wanted = is_wanted;
            self.forget();
        }
        is_changed
    }

    /// Makes the pair due as if it were new. It keeps its manifolds and, for events, whether it
    /// touched.
    pub(crate) fn forget(&mut self) {
        self.has_cache = false;
        self.first_solved = NOT_SOLVED;
        self.is_new = true;
        self.is_deferred = false;
        self.is_skipped = false;
    }

    /// Whether its bodies may push each other: the pair is tested, is not a sensor pair, and is
    /// not disabled by a hook.
    pub(crate) fn may_push(&self) -> bool {
        self.is_wanted && !self.is_sensor && !self.is_disabled
    }

    pub(crate) fn pair(&self) -> Pair {
        Pair { a: self.a.index, b: self.b.index }
    }

    /// Returns the indices of its manifolds in the input of the solver; out of range if it was not
    /// solved.
    pub(crate) fn solved_range(&self) -> core::ops::Range<usize> {
        let first = self.first_solved as usize;
        first..first.saturating_add(self.n as usize)
    }

    /// Returns the indices of its manifolds in the list that has them.
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..self.first as usize + self.n as usize
    }
}

impl PairState {
    /// A gap whose pair is not set yet.
    pub(crate) const BLANK: PairState = PairState::gap(Pair { a: 0, b: 0 });

    /// Returns a gap: an unused pair state, whose pair keeps the table sorted.
    pub(crate) const fn gap(pair: Pair) -> PairState {
        // No living body has this generation.
        let (a, b) = (BodyId { index: pair.a, generation: 0 }, BodyId { index: pair.b, generation: 0 });
        let mut state = PairState::new(a, b, false, false);
        state.is_new = false;
        state
    }

    /// Whether it is a gap.
    #[inline]
    pub(crate) fn is_gap(&self) -> bool {
        self.a.generation == 0
    }
}
