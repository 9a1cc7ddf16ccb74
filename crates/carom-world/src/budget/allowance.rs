//! What the narrow phase may do in a step on a budget.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision detection).

use crate::stats::Clock;

/// To look at a pair instead of moving its contacts takes at least this part of looking at it.
const LEAST_PART: f64 = 0.25;

/// With a clock at least so many pairs are looked at in every call, whatever it says: as many as go by between two looks at it. Without one it
/// is one pair, as one body moves at least. Where none was, and all there was to spend was nothing, what fell went through the floor.
const LEAST_PAIRS: usize = PAIRS_PER_LOOK;

/// What the narrow phase may do.
#[derive(Clone, Copy)]
pub(crate) struct Allowance {
    /// Pairs to be looked at, or seconds for them and how many one takes; `None`: all.
    pub(super) pairs: Option<Share>,
    /// Seconds after the start of the step at which it stops.
    pub(super) until: f64,
    pub(super) clock: Clock,
}

/// What there is for pairs.
#[derive(Clone, Copy)]
pub(super) enum Share {
    Pairs(usize),
    Seconds { own: f64, pair: f64, carry: f64 },
}

impl Allowance {
    /// How many pairs may be looked at, where so many are due; `None`: all, whichever are.
    pub(crate) fn n_pairs(&self, n_due: usize) -> Option<usize> {
        Some(match self.pairs? {
            Share::Pairs(n) => n.max(1),
            // The others are carried. A conversion that saturates.
            Share::Seconds { own, pair, carry } => {
                let n = ((own - carry * n_due as f64) / (pair - carry).max(LEAST_PART * pair)) as usize;
                n.max(LEAST_PAIRS)
            }
        })
    }

    /// At most so many are looked at: where they are few the clock is not asked.
    pub(crate) fn note_most(&mut self, n: usize) {
        if n <= LEAST_PAIRS {
            self.until = f64::INFINITY;
        }
    }

    /// Time is out.
    pub(crate) fn is_over(&self) -> bool {
        self.until < f64::INFINITY && self.until <= self.clock.since_start()
    }
}

/// Pairs from one look at the clock to the next: some 5 microseconds.
pub(crate) const PAIRS_PER_LOOK: usize = 16;
