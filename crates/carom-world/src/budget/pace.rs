//! What work takes: the prices that a budget in seconds is divided by, learned from step to step.
//!
//! A step in which all move and one in which some are halted have prices of their own: where few move, there are fewer pairs to a body that
//! would count twice, contacts are not those of the step before, and impulses are put away and fetched. So what the one takes says little of
//! the other, and each is measured where it is made. Who would know whether all fit while some are halted has only old prices for that: they
//! become less with the time, and now and then, ever more seldom as long as it does not last, a step of all is tried.
//!
//! Not all of a budget is planned: of a step that was over the budget the share learns to be less, at once, and of one that was not to be
//! more, four thousand times more slowly, or up to twice as fast as that while all goes well. So it settles where one step in two to four
//! thousand is late, whatever the machine does beside (a stochastic approximation of that quantile).
//! Only a share that has become less than it was at first grows faster: up to 64 times as fast any share was soon so bold that
//! five to eight steps in 4,000 were late (10,000 boxes in 2 ms; November 2026).
//!
//! Reference: H. Robbins, S. Monro, A Stochastic Approximation Method, Annals of Mathematical Statistics 22(3), 1951 (the share that is
//! planned).

use crate::budget::turns::Crowd;

/// In nanoseconds.
const SECOND: f64 = 1.0e9;

/// To move a body takes as long as to solve so many manifolds.
pub(crate) const BODY: f64 = 2.0;

/// Who is halted moves again when all fit in this part of what there is: to halt all of a pile takes time by itself.
const SURE: f64 = 0.9;

/// The share of the budget that is planned, at first, and its bounds.
pub(super) const SHARE: f64 = 0.8;
pub(super) const WHOLE_SHARE: f64 = 0.9;
pub(super) const LEAST_SHARE: f64 = 0.6;
pub(super) const LEAST_WHOLE_SHARE: f64 = 0.8;
pub(super) const MOST_SHARE: f64 = 0.97;

/// After so many steps with halted bodies one of all is tried, and after twice as many when that did not last.
pub(super) const FIRST_WAIT: u32 = 8;
pub(super) const LONGEST_WAIT: u32 = 1024;

/// What is not measured is taken for so many times as dear after each wait, and never for less than this part of what it is in a step with
/// halted bodies (a heap of 1,000 boxes: 0.26; November 2026).
pub(super) const FORGETTING: f64 = 15.0 / 16.0;

/// Before a step of all was measured.
const GUESS_OF_PART: f64 = 0.5;

/// Seconds that pieces of work take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    /// From the start of a step until it is chosen who moves: the broad phase, all together.
    pub(crate) before: f64,
    /// What is done for all pairs after that: to see in which of them something moves, and to tell what touches, all together.
    pub(crate) always: f64,
    /// Of the pairs of each body that moved, summed, the part that has to be looked at; less than 1, for some have two such bodies.
    pub(crate) due: f64,
    /// A pair of shapes looked at, and one whose contacts are moved with its bodies.
    pub(crate) pair: f64,
    pub(crate) carry: f64,
    /// A record in which something moves, in the narrow phase beside.
    pub(crate) around: f64,
    /// A manifold before the first substep, in one, and after the last.
    pub(crate) lay: f64,
    pub(crate) substep: f64,
    pub(crate) store: f64,
    /// The box of a body that moved.
    pub(crate) refit: f64,
    /// The part of the budget that is planned.
    pub(crate) share: f64,
}

impl Prices {
    /// A slow machine.
    pub(super) const SLOW: Prices = Prices {
        before: 0.0,
        always: 0.0,
        due: 1.0,
        pair: 800.0 / SECOND,
        carry: 200.0 / SECOND,
        around: 100.0 / SECOND,
        lay: 180.0 / SECOND,
        substep: 30.0 / SECOND,
        store: 60.0 / SECOND,
        refit: 200.0 / SECOND,
        share: SHARE,
    };

    /// So many times as dear, but for what is not measured in one piece.
    pub(super) fn scaled(&self, factor: f64) -> Prices {
        let Prices { pair, carry, around, lay, substep, store, refit, .. } = *self;
        let all = [pair, carry, around, lay, substep, store, refit];
        let [pair, carry, around, lay, substep, store, refit] = all.map(|price| factor * price);
        Prices { pair, carry, around, lay, substep, store, refit, ..*self }
    }

    /// A manifold in a response of one substep.
    pub(crate) fn solving(&self) -> f64 {
        self.lay + self.substep + self.store
    }

    /// None less than the other's.
    pub(super) fn at_least(&self, least: &Prices) -> Prices {
        Prices {
            pair: self.pair.max(least.pair),
            carry: self.carry.max(least.carry),
            around: self.around.max(least.around),
            lay: self.lay.max(least.lay),
            substep: self.substep.max(least.substep),
            store: self.store.max(least.store),
            refit: self.refit.max(least.refit),
            ..*self
        }
    }
}

/// What pieces of work took lately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Where all move, and where some are halted; `None`: not measured yet.
    pub(super) whole: Option<Prices>,
    pub(super) part: Option<Prices>,
    /// Manifolds to a pair of a body that moves: where all move, and where some are halted.
    pub(super) whole_density: f64,
    pub(super) part_density: f64,
    /// Pairs that were to be looked at in the last step.
    pub(crate) n_wanted: usize,
    /// Some were halted until now and are not any more, or the other way about, and nothing moved since: impulses and contacts are to be put
    /// away, or fetched.
    pub(crate) is_turning: bool,
    /// Steps in a row in which nothing moved, for pairs were looked at.
    pub(crate) n_held: u32,
    /// Steps since somebody was halted first, or since all move.
    pub(super) n_halting: u32,
    pub(super) n_whole: u32,
    /// After so many a step of all is tried.
    pub(super) wait: u32,
    /// Steps since one was late.
    pub(super) n_kept: u32,
    /// Steps on a budget of time.
    pub(super) n_steps: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            whole: None,
            part: None,
            whole_density: 1.0,
            part_density: 1.0,
            n_wanted: 0,
            is_turning: false,
            n_held: 0,
            n_halting: 0,
            n_whole: 0,
            wait: FIRST_WAIT,
            n_kept: 0,
            n_steps: 0,
        }
    }
}

impl Pace {
    /// What work takes where some are halted, or where all move.
    pub(crate) fn prices(&self, has_halted: bool) -> Prices {
        if has_halted {
            self.part.or(self.whole.map(|whole| Prices { share: SHARE, ..whole })).unwrap_or(Prices::SLOW)
        } else {
            let guess = || Prices {
                share: WHOLE_SHARE,
                ..self.part.map_or(Prices::SLOW, |part| part.scaled(GUESS_OF_PART))
            };
            self.whole.unwrap_or_else(guess)
        }
    }

    /// Manifolds to a pair of a body that moves, where some are halted, or all move.
    pub(crate) fn density(&self, has_halted: bool) -> f64 {
        if has_halted { self.part_density } else { self.whole_density }
    }

    /// The response of all fits in a budget of so many seconds, if nothing else is done in that step; or is worth a trial.
    pub(crate) fn all_fit(&self, crowd: &Crowd, limit: f64, is_halting: bool) -> bool {
        let prices = self.prices(false);
        let Prices { always, refit, share, .. } = prices;
        let n_bodies = crowd.n_bodies as f64;
        let n_manifolds = self.density(false) * crowd.n_looks as f64;
        let solving = prices.solving() * (n_manifolds + BODY * n_bodies);
        let is_sure = !is_halting || self.wait <= self.n_halting;
        always + solving + refit * n_bodies <= if is_sure { share * limit } else { SURE * share * limit }
    }
}
