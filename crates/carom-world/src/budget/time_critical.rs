//! A step that ends on time: what the budget allows, what is put off, and what stands in for it.
//!
//! The broad phase is always run to its end. Of the pairs that moved, those never looked at come first, then the others in
//! turn, from where the last step stopped; so every pair has its turn. Contacts of pairs that are put off move with their
//! bodies; of pairs never looked at, only the approach is stopped. Looking comes before substeps: what is left goes to the solver, in
//! fewer and longer ones, at least one. Where one substep of all does not fit, some bodies are halted ([`crate::budget::turns`]). The time that passes
//! for those that move is always the whole step.
//!
//! Nothing moves until most pairs that are due were looked at: the step is held, and goes on in the next call. A heap of
//! 1,000 boxes that falls on itself, of which a quarter of the pairs was looked at in each step, sank to five sixths of its height; of which
//! some boxes were halted, it came apart slowly, and never to rest. Nor does the response begin where it would be late, or have less than two
//! thirds of its substeps for want of time that it has in the next call: pushed once a step, a heap does not come to rest either
//! (November 2026).
//!
//! A budget in seconds is planned with what a unit of each kind of work took lately ([`crate::budget::pace`]). Pairs that take longer nevertheless
//! are cut off by the clock; a response is made as planned.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6; J. Dingliana, C. O'Sullivan, Graceful Degradation
//! of Collision Handling in Physically Based Animation, Eurographics 2000.
//! Differs: pairs are interrupted, not the tests of one pair.

use crate::budget::allowance::{Allowance, Share};
use crate::budget::pace::{BESIDE, BODY, CARRY, Pace, Prices, SHARE, Work};
use crate::budget::turns::{Chosen, Crowd, Terms};
use crate::contacts::record::Record;
use crate::contacts::scene::Scene;
use crate::stats::Clock;
use carom_broad::Pair;
use carom_math::Budget;

/// So much of the time for pairs is planned: those that the clock cuts off are always the last ones.
const CAREFUL: f64 = 0.875;

/// Rarely more than so many times as many pairs are to be looked at as in the step before.
const LIKELY: usize = 2;

/// Of the pairs that are to be looked at at least this part is, before anything moves.
const ENOUGH: f64 = 0.75;

/// In so many calls in a row nothing moves at most.
pub(crate) const MOST_HELD: u32 = 16;

/// By this part of them the manifolds may become more in a step.
const GROWTH: f64 = 1.0 / 16.0;

/// The budget of one step, while it is spent.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    budget: Budget,
    clock: Clock,
    pace: Pace,
    /// Substeps that are wanted.
    wanted: u32,
    work: Work,
    /// Nothing moves until all pairs are looked at.
    is_holding: bool,
    /// Nothing was left when it was chosen who moves: whatever is planned, it could not have been less.
    is_spent: bool,
}

impl Plan {
    /// From now on.
    pub(crate) fn start(budget: Budget, pace: Pace, wanted: u32) -> Plan {
        Plan {
            budget,
            clock: Clock::start(),
            pace,
            wanted,
            work: Work::default(),
            is_holding: false,
            is_spent: false,
        }
    }

    /// There is no budget.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self.budget, Budget::Unlimited)
    }

    /// What counts is manifolds, not seconds.
    pub(crate) fn counts_work(&self) -> bool {
        matches!(self.budget, Budget::Steps(_))
    }

    /// So many manifolds were found of bodies that move, in records in which something moves.
    pub(crate) fn note_found(&mut self, n_manifolds: usize, n_busy: usize, n_bodies: usize) {
        (self.work.n_manifolds, self.work.n_busy) = (n_manifolds, n_busy);
        self.work.load = n_manifolds as f64;
        if !self.counts_work() {
            self.work.load += BODY * n_bodies as f64;
        }
    }

    /// The work of the step, as far as it is known.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// What is done for all pairs took so many seconds more.
    pub(crate) fn note_always(&mut self, seconds: f64) {
        self.work.always += seconds;
    }

    /// The budget in seconds, if it is one.
    fn limit(&self) -> Option<f64> {
        match self.budget {
            Budget::Time(limit) => Some(limit.as_secs_f64()),
            _ => None,
        }
    }

    /// What work takes in this step.
    fn prices(&self) -> Prices {
        self.pace.prices(self.work.has_halted)
    }

    /// What there is for bodies, or none if all of them fit; `is_halting`: some were halted until now.
    pub(crate) fn terms(&mut self, crowd: &Crowd, is_halting: bool) -> Option<Terms> {
        let density = self.pace.density();
        (self.work.n_links, self.work.n_due) = (crowd.n_looks, crowd.n_due);
        self.work.load = density * crowd.n_looks as f64 + BODY * crowd.n_bodies as f64;
        match self.budget {
            Budget::Steps(n) => {
                self.work.load = crowd.n_manifolds as f64;
                let steady = n as f64;
                let now = steady - crowd.n_due as f64;
                (steady < self.work.load).then_some(Terms { body: 0.0, link: 1.0, look: 1.0, now, steady })
            }
            Budget::Time(limit) => {
                let limit = limit.as_secs_f64();
                if self.pace.all_fit(crowd, limit, is_halting) {
                    return None;
                }
                let Prices { before, always, pair, .. } = self.pace.prices(true);
                let solving = self.pace.prices(true).response(1.0, 1.0);
                // Where some are halted, others move than did, and the records of both are gone through.
                let beside = self.pace.due() * BESIDE * pair;
                let look = self.pace.due() * pair + beside;
                let link = density * solving + beside;
                let left = SHARE * limit - always;
                let now = left - self.clock.since_start() - crowd.n_due as f64 * look;
                self.is_spent = now <= 0.0;
                Some(Terms { body: BODY * solving, link, look, now, steady: left - before })
            }
            _ => None,
        }
    }

    /// These bodies move, and no others; their manifolds are so many, where they were counted.
    pub(crate) fn halt_others(&mut self, chosen: &Chosen, n_manifolds: usize) {
        self.work.has_halted = true;
        self.work.load = if self.counts_work() {
            n_manifolds as f64
        } else {
            self.work.n_links = chosen.n_links;
            self.pace.density() * chosen.n_links as f64 + BODY * chosen.n_bodies as f64
        };
    }

    /// What the narrow phase may do after the broad phase, with so many busy records: all but what the solver needs for one substep.
    ///
    /// More substeps for the solver were tried, for pairs put off: a heap on half its steps then had pairs put off in every step, and still
    /// one substep.
    pub(crate) fn allowance(&self, n_busy: usize) -> Allowance {
        let all = Allowance { pairs: None, until: f64::INFINITY, clock: self.clock };
        match self.budget {
            Budget::Steps(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                // Some more manifolds come than were there. A conversion that saturates.
                let n_manifolds = (self.work.load * (1.0 + GROWTH)) as usize + 1;
                let beside = if self.is_holding { 0 } else { n_manifolds };
                Allowance { pairs: Some(Share::Pairs(n.saturating_sub(beside))), ..all }
            }
            Budget::Time(limit) => {
                let Prices { pair, always, .. } = self.prices();
                let response = if self.is_holding { 0.0 } else { self.response() };
                let left = SHARE * limit.as_secs_f64() - self.clock.since_start();
                let own = (left - response - BESIDE * pair * n_busy as f64 - always).max(0.0);
                // Those that the clock cuts off have their turn in the next call only where the step is held for them.
                let planned = if self.is_holding { own } else { CAREFUL * own };
                Allowance {
                    pairs: Some(Share::Seconds { own: planned, pair, carry: CARRY * pair }),
                    until: self.clock.since_start() + own,
                    ..all
                }
            }
            _ => all,
        }
    }

    /// Seconds of a response of one substep, or where it may wait for the next call of as many as it should have.
    fn response(&self) -> f64 {
        let prices = self.prices();
        let alone = self.limit().map_or(0.0, |limit| SHARE * limit - prices.always);
        prices.response(self.work.load, self.goal(prices.substeps_in(alone, self.work.load)))
    }

    /// The substeps of a response that may wait for the next call, where so many fit if nothing else is done.
    fn goal(&self, n_alone: f64) -> f64 {
        let most = if self.may_hold() { self.wanted - self.wanted / 3 } else { 1 };
        // A conversion that saturates.
        f64::from((n_alone as u32).min(most).max(1))
    }

    /// Seconds after the start of the step at which the response shall be over: of what was not planned, half may be used where
    /// more is known.
    fn deadline(&self) -> f64 {
        self.limit().map_or(f64::INFINITY, |limit| 0.5 * (1.0 + SHARE) * limit)
    }

    /// So many pairs may be looked at, and that is likely to be enough: they need not be counted before.
    pub(crate) fn is_ample(&self, n: usize) -> bool {
        self.limit().is_some() && LIKELY * self.pace.n_wanted < n
    }

    /// Of so many pairs that are to be looked at only `n` can be, beside the response: nothing shall move, if that is too few, and they can be
    /// in some calls.
    pub(crate) fn hold_for(&mut self, n: usize, n_all: usize) -> bool {
        let is_of_use = match self.budget {
            Budget::Steps(steps) => n_all as u64 <= steps.saturating_mul(u64::from(MOST_HELD)),
            _ => true,
        };
        self.is_holding = is_of_use && self.may_hold() && (n as f64) < ENOUGH * n_all as f64;
        self.is_holding
    }

    /// All move, and have done so not too long ago.
    fn may_hold(&self) -> bool {
        !self.is_free() && !self.work.has_halted && self.pace.n_held < MOST_HELD
    }

    /// The call ends before anything moves, after so many pairs were looked at: others are still to be, or the response would be late.
    pub(crate) fn is_held(&self, n_looked: usize, n_put_off: usize) -> bool {
        if self.is_holding && 0 < n_put_off {
            return true;
        }
        let is_late = match self.budget {
            Budget::Steps(_) if self.work.has_halted => false,
            Budget::Steps(n) => {
                let fit = |n: u64| n as f64 / self.work.load.max(1.0);
                fit(n.saturating_sub(n_looked as u64)) < self.goal(fit(n))
            }
            _ => self.deadline() < self.clock.since_start() + self.response(),
        };
        // Where nothing was looked at, or nothing can be planned, the next call would be no better.
        is_late && 0 < n_looked && !self.is_spent && self.pace.n_held < MOST_HELD
    }

    /// How many of the substeps are made, at least one, after `n_tested` pairs were looked at. Where bodies are halted it is one: their
    /// impulses are kept, for substeps of that length.
    pub(crate) fn substeps(&self, n_tested: usize, n_manifolds: usize) -> u32 {
        let wanted = self.wanted;
        let allowed = match self.budget {
            _ if self.work.has_halted => 1,
            Budget::Steps(steps) => {
                (steps.saturating_sub(n_tested as u64) / n_manifolds.max(1) as u64).min(u64::from(wanted))
            }
            Budget::Time(_) if 0.0 < self.work.load => {
                let left = self.deadline() - self.clock.since_start();
                // A conversion that saturates.
                self.prices().substeps_in(left, self.work.load) as u64
            }
            _ => u64::from(wanted),
        };
        // A wish for none is the solver's to refuse.
        wanted.min(allowed.clamp(1, u64::from(u32::MAX)) as u32)
    }
}

/// Marks the records that are to be looked at, due and not recycled, and counts those that are due and those that are marked.
pub(crate) fn mark(records: &mut [Record], scene: &Scene<'_>) -> (usize, usize) {
    let (mut n_due, mut n_all) = (0, 0);
    for record in records.iter_mut() {
        let is_due = scene.is_due(record);
        record.is_skipped = is_due && scene.recycles(record).is_none();
        n_due += usize::from(is_due);
        n_all += usize::from(record.is_skipped);
    }
    (n_due, n_all)
}

/// Chooses which of the records that are marked are looked at, so many of them: those never seen first, then those that have lost contacts since
/// they were, then the others, from `from` on, in a ring.
pub(crate) fn choose(records: &mut [Record], from: Pair, mut n: usize) {
    let mut take = |record: &mut Record| {
        record.is_skipped = n == 0;
        n -= usize::from(0 < n);
    };
    let is_lost = |record: &Record| !record.is_new && record.has_lost;
    records.iter_mut().filter(|record| record.is_skipped && record.is_new).for_each(&mut take);
    records.iter_mut().filter(|record| record.is_skipped && is_lost(record)).for_each(&mut take);
    let first = records.partition_point(|record| record.pair() < from);
    let (front, back) = records.split_at_mut(first);
    let in_turn = back.iter_mut().chain(front);
    let waits = |record: &&mut Record| record.is_skipped && !record.is_new && !record.has_lost;
    in_turn.filter(waits).for_each(&mut take);
}

/// The pair whose turn it is in the next step.
pub(crate) fn next_turn(records: &[Record], from: Pair) -> Pair {
    let first = records.partition_point(|record| record.pair() < from);
    let mut in_turn = records[first..].iter().chain(&records[..first]);
    in_turn
        .find(|record| record.is_put_off && !record.is_new && !record.has_lost)
        .map_or(Pair { a: 0, b: 0 }, Record::pair)
}
