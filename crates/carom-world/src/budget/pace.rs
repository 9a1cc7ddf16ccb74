//! What work takes: the prices by which a budget in seconds is planned, measured from step to step.
//!
//! There is one set of prices, for steps in which all bodies move. Where some are halted the same work is dearer: fewer
//! pairs have two bodies that move, and impulses are put away and fetched. Both kinds of steps teach the same prices.
//!
//! Whether all fit again cannot be seen while some are halted, only guessed. A guess that fails costs a late step, so
//! after each failure twice as many steps go by before the next one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and eq. 25.2 (the terms of the cost).
//! Tried: prices for each kind of step, and a share of the budget that is learned. See `benches/notes/carom-world.md`.

use crate::budget::turns::Crowd;
use crate::stats::Stats;

/// In nanoseconds.
const SECOND: f64 = 1.0e9;

/// The part of a budget that is planned. The rest is for what takes longer than it did.
pub(crate) const SHARE: f64 = 0.8;

/// To move a body takes as long as to solve so many manifolds.
pub(crate) const BODY: f64 = 2.0;

/// What a response does before its first substep and after its last takes as long as so many substeps.
const AROUND_SUBSTEPS: f64 = 8.0;

/// To move the contacts of a pair with its bodies takes this part of looking at the pair.
pub(crate) const CARRY: f64 = 0.25;

/// What is done for a pair beside looking at it takes this part of it.
pub(crate) const BESIDE: f64 = 0.125;

/// Work is so many times as dear where some are halted. Measured: 2 to 4 times (a heap of 1,000 boxes, November 2026).
const HALTED: f64 = 3.0;

/// After so many steps in which some were halted, all may move again, at first and at most.
const FIRST_WAIT: u32 = 8;
const LONGEST_WAIT: u32 = 1024;

/// If all have moved for so many steps, the guess was right.
const LASTS: u32 = 64;

/// A measurement that is more than so many times what was known was disturbed. What has become slower is known a few
/// steps later.
const MOST_GROWTH: f64 = 1.5;

/// Seconds that pieces of work take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    /// From the start of a step until it is chosen who moves: the broad phase, all together.
    pub(crate) before: f64,
    /// What is done for all pairs, to see in which of them something moves and to tell what touches, all together.
    pub(crate) always: f64,
    /// A pair of shapes looked at.
    pub(crate) pair: f64,
    /// A manifold in one substep.
    pub(crate) solve: f64,
}

impl Prices {
    /// A slow machine.
    const SLOW: Prices = Prices { before: 0.0, always: 0.0, pair: 800.0 / SECOND, solve: 35.0 / SECOND };

    /// Seconds of a response to so many manifolds, in so many substeps.
    pub(crate) fn response(&self, load: f64, substeps: f64) -> f64 {
        self.solve * load * (AROUND_SUBSTEPS + substeps)
    }

    /// How many substeps of so many manifolds fit in so many seconds. Negative where not even the work around them does.
    pub(crate) fn substeps_in(&self, seconds: f64, load: f64) -> f64 {
        seconds / (self.solve * load) - AROUND_SUBSTEPS
    }
}

/// The work of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// What the solver does in a substep, in manifolds; bodies count as [`BODY`] of them where there is a clock.
    pub(crate) load: f64,
    /// Manifolds of bodies that move.
    pub(crate) n_manifolds: usize,
    /// Records in which something moves.
    pub(crate) n_busy: usize,
    /// The pairs of each body that moves, summed.
    pub(crate) n_links: usize,
    /// The pairs of each body that moved in the step before, summed.
    pub(crate) n_due: usize,
    /// Some bodies are halted.
    pub(crate) has_halted: bool,
    /// Seconds for what is done for all pairs.
    pub(crate) always: f64,
}

/// What pieces of work took lately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// `None`: not measured yet.
    prices: Option<Prices>,
    /// Of the pairs of each body that moved, summed, the part that has to be looked at; less than 1, for some have two
    /// such bodies.
    due: f64,
    /// Manifolds to a pair of a body that moves.
    density: f64,
    /// Pairs that were to be looked at in the last step.
    pub(crate) n_wanted: usize,
    /// Steps in a row in which nothing moved, for pairs were looked at.
    pub(crate) n_held: u32,
    /// Steps since somebody was halted first, or since all move.
    n_halting: u32,
    n_whole: u32,
    /// After so many steps in which some were halted, all may move.
    wait: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            prices: None,
            due: 1.0,
            density: 1.0,
            n_wanted: 0,
            n_held: 0,
            n_halting: 0,
            n_whole: 0,
            wait: FIRST_WAIT,
        }
    }
}

impl Pace {
    /// What work takes where some are halted, or where all move.
    pub(crate) fn prices(&self, has_halted: bool) -> Prices {
        let prices = self.prices.unwrap_or(Prices::SLOW);
        let factor = dearness(has_halted);
        Prices { pair: factor * prices.pair, solve: factor * prices.solve, ..prices }
    }

    /// Of the pairs of each body that moved, summed, the part that has to be looked at.
    pub(crate) fn due(&self) -> f64 {
        self.due
    }

    /// Manifolds to a pair of a body that moves.
    pub(crate) fn density(&self) -> f64 {
        self.density
    }

    /// The response of all fits in a budget of so many seconds, if nothing else is done in that step. Where some are halted,
    /// `is_halting`, it may be tried again, too.
    pub(crate) fn all_fit(&self, crowd: &Crowd, limit: f64, is_halting: bool) -> bool {
        let prices = self.prices(false);
        let load = self.density * crowd.n_looks as f64 + BODY * crowd.n_bodies as f64;
        let may_try = !is_halting || self.wait <= self.n_halting;
        may_try && prices.always + prices.response(load, 1.0) <= SHARE * limit
    }

    /// It was chosen who moves.
    pub(crate) fn note_choice(&mut self, has_halted: bool) {
        if has_halted {
            if 0 < self.n_whole && self.n_whole < LASTS {
                self.wait = (2 * self.wait).min(LONGEST_WAIT);
            }
            self.n_whole = 0;
            self.n_halting = self.n_halting.saturating_add(1);
        } else {
            self.n_halting = 0;
            self.n_whole = self.n_whole.saturating_add(1);
            if LASTS <= self.n_whole {
                self.wait = FIRST_WAIT;
            }
        }
    }

    /// After a step that did this work: learns from its counts and times.
    pub(crate) fn learn(&mut self, stats: &Stats, work: &Work) {
        let n_due = stats.n_tested + stats.undone.n_pairs;
        self.n_wanted = n_due;
        if 0 < work.n_links {
            let density = work.n_manifolds as f64 / work.n_links as f64;
            self.density = 0.5 * (self.density + density);
            let part = (n_due + stats.n_recycled) as f64 / work.n_due.max(1) as f64;
            self.due = (0.5 * (self.due + part)).min(1.0);
        }
        let Stats { times, .. } = stats;
        let factor = dearness(work.has_halted);
        let known = self.prices.get_or_insert(Prices::SLOW);
        blend(&mut known.before, times.broad, 1.0);
        blend(&mut known.always, work.always, 1.0);
        let n_carried = (stats.undone.n_pairs + stats.n_recycled) as f64;
        let n_looks = stats.n_tested as f64 + CARRY * n_carried + BESIDE * work.n_busy as f64;
        blend(&mut known.pair, times.narrow - work.always, factor * n_looks);
        if 0 < stats.solver.n_substeps {
            let n_solves = work.load * (AROUND_SUBSTEPS + f64::from(stats.solver.n_substeps));
            blend(&mut known.solve, times.response + times.refit, factor * n_solves);
        }
    }
}

/// How many times as dear work is.
fn dearness(has_halted: bool) -> f64 {
    if has_halted { HALTED } else { 1.0 }
}

/// Takes a new measurement, of `n` pieces of work. Half of it is what was known, and one while the system did something
/// else counts for little.
fn blend(known: &mut f64, seconds: f64, n: f64) {
    if 0.0 < n && 0.0 < seconds {
        let new = seconds / n;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new.min(MOST_GROWTH * *known)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CROWD: Crowd = Crowd { n_bodies: 100, n_looks: 1000, n_manifolds: 0, n_due: 1000 };

    /// A pace whose manifolds take so many times as long as on a slow machine.
    fn pace(times: f64) -> Pace {
        let solve = times * Prices::SLOW.solve;
        Pace { prices: Some(Prices { solve, ..Prices::SLOW }), ..Pace::default() }
    }

    #[test]
    fn a_disturbed_step_teaches_little() {
        let mut known = 1.0;
        blend(&mut known, 100.0, 1.0);
        assert_eq!(known, 1.25);
        blend(&mut known, 1.0, 1.0);
        assert_eq!(known, 1.125);
        blend(&mut known, 1.0, 0.0);
        assert_eq!(known, 1.125, "nothing was done");
    }

    #[test]
    fn steps_of_all_that_do_not_fit_are_tried_ever_more_seldom() {
        // All fit, says the guess, and then they do not.
        let (fits, mut pace) = (0.010, pace(1.0));
        assert!(pace.all_fit(&CROWD, fits, false));
        let (mut is_halting, mut trials) = (false, Vec::new());
        for step in 0..20_000 {
            let all_move = pace.all_fit(&CROWD, fits, is_halting) && is_halting;
            if all_move {
                trials.push(step);
            }
            is_halting = !all_move;
            pace.note_choice(is_halting);
        }
        let gaps: Vec<usize> = trials.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.is_sorted() && gaps[0] < 20 && gaps.last() == Some(&1025), "{gaps:?}");
        // Once it lasts, the next wait is short again.
        (0..LASTS).for_each(|_| pace.note_choice(false));
        (0..FIRST_WAIT).for_each(|_| pace.note_choice(true));
        assert!(pace.all_fit(&CROWD, fits, true));
    }

    #[test]
    fn what_does_not_fit_is_not_tried() {
        let pace = pace(100.0);
        assert!(!pace.all_fit(&CROWD, 0.010, false));
        let Prices { solve, .. } = pace.prices(false);
        assert_eq!(pace.prices(true).solve, HALTED * solve);
        let seconds = pace.prices(false).response(300.0, 4.0);
        assert!((pace.prices(false).substeps_in(seconds, 300.0) - 4.0).abs() < 1e-9);
    }
}
