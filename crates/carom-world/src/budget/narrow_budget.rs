//! The share of a budget that the narrow phase may spend in a step.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 (time-critical collision
//! detection).

use crate::stats::Clock;

/// The least cost of a test beyond that of moving contacts along, as a fraction of the cost of a
/// test.
const MIN_TEST_COST_RATIO: f64 = 0.25;

/// The least number of pairs that a call with a clock tests: as many as between two reads of the
/// clock. Without a clock it is one pair.
/// Tried: none if no time is left; bodies fell through the floor.
const MIN_PAIRS: usize = PAIRS_PER_CLOCK_READ;

/// The share of a budget that the narrow phase may spend.
#[derive(Clone, Copy)]
pub(crate) struct NarrowBudget {
    /// The share of the pairs. `None`: all pairs may be tested.
    pub(super) pairs: Option<Share>,
    /// Tests stop this many seconds after the start of the step.
    pub(super) until: f64,
    pub(super) clock: Clock,
}

/// A share of a budget for pairs: a number of pairs, or seconds with the costs of a test and of a
/// deferred pair.
#[derive(Clone, Copy)]
pub(super) enum Share {
    Pairs(usize),
    Seconds { own: f64, pair: f64, carry: f64 },
}

impl NarrowBudget {
    /// Returns how many of `n_due` due pairs may be tested; `None` if all may.
    pub(crate) fn n_pairs(&self, n_due: usize) -> Option<usize> {
        Some(match self.pairs? {
            Share::Pairs(n) => n.max(1),
            // The contacts of the other pairs are moved along. The conversion saturates.
            Share::Seconds { own, pair, carry } => {
                let n =
                    ((own - carry * n_due as f64) / (pair - carry).max(MIN_TEST_COST_RATIO * pair)) as usize;
                n.max(MIN_PAIRS)
            }
        })
    }

    /// Sets that at most `n` pairs are tested. If `n` is small, the clock is not read.
    pub(crate) fn note_most(&mut self, n: usize) {
        if n <= MIN_PAIRS {
            self.until = f64::INFINITY;
        }
    }

    /// Whether the time for tests is over.
    pub(crate) fn is_over(&self) -> bool {
        self.until < f64::INFINITY && self.until <= self.clock.since_start()
    }
}

/// The number of pairs from one read of the clock to the next: about 5 microseconds.
pub(crate) const PAIRS_PER_CLOCK_READ: usize = 16;
