//! Time-critical steps: divides a budget among the phases, and selects the pairs that are tested.
//!
//! The budget is spent in this order:
//!
//! 1. The broad phase always runs to its end.
//! 2. If one substep of all bodies does not fit, some bodies are suspended
//!    ([`crate::budget::round_robin`]).
//! 3. Due pairs are tested. Pairs that were never tested come first, then those that lost contacts.
//!    The others follow cyclically, from where the last step stopped.
//! 4. The contacts of deferred pairs are moved along with their bodies. If a pair was never tested,
//!    the approach of its bodies is stopped.
//! 5. The solver gets the remaining budget: fewer and longer substeps, at least one. For the
//!    bodies that move, the whole time step passes.
//!
//! A call is *deferred* (only kinematic bodies move, and the next call continues the step) in two
//! cases:
//!
//! - Less than [`MIN_TESTED_RATIO`] of the due pairs can be tested.
//! - The response would end too late, or would have less than two thirds of the substeps that
//!   would fit into a call without tests.
//!
//! A budget in seconds is planned with the costs of recent steps ([`crate::budget::cost_model`]).
//! If tests take longer than planned, the clock ends them. Once the solver runs, the number of
//! substeps is not changed.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6; J. Dingliana, C.
//! O'Sullivan, Graceful Degradation of Collision Handling in Physically Based Animation,
//! Eurographics 2000.
//! Differs: the sequence of pairs is interrupted, not the test of one pair.
//! Tried: moving bodies before most pairs are tested; heaps sink or never rest. See
//! `benches/notes/carom-world.md`.

use crate::budget::cost_model::{
    CARRY_COST_RATIO, CostModel, MANIFOLDS_PER_BODY, OVERHEAD_RATIO, PLANNED_BUDGET_RATIO, StepWork,
    UnitCosts,
};
use crate::budget::narrow_budget::{NarrowBudget, Share};
use crate::budget::round_robin::{Costs, Demand, Selection};
use crate::contacts::pair_state::PairState;
use crate::contacts::scene::Scene;
use crate::stats::{Clock, Shortfall, StepStats};
use carom_broad::Pair;
use carom_geom::Manifold;
use carom_math::Budget;

/// The fraction of the time for pairs that is planned. If the clock ended the tests, it would
/// always be the last pairs that are left out.
const PLANNED_TIME_RATIO: f64 = 0.875;

/// The largest likely ratio of the due pairs of a step to those of the step before.
const LIKELY_PAIR_RATIO: usize = 2;

/// The least fraction of the due pairs that is tested before anything moves.
const MIN_TESTED_RATIO: f64 = 0.75;

/// The largest number of calls in a row that are deferred.
pub(crate) const MAX_DEFERRED_CALLS: u32 = 16;

/// The largest fraction by which the number of manifolds may grow in a step.
const MANIFOLD_GROWTH_RATIO: f64 = 1.0 / 16.0;

/// The budget of one step, and how much of it is spent.
#[derive(Clone, Copy)]
pub(crate) struct StepBudget {
    budget: Budget,
    clock: Clock,
    cost_model: CostModel,
    /// The number of substeps of the settings.
    wanted: u32,
    work: StepWork,
    /// Whether the call ends before the response if a pair is deferred.
    may_end_early: bool,
    /// Whether no time was left when bodies were selected. Then a deferred call would not help.
    is_spent: bool,
}

impl StepBudget {
    /// Starts a budget now.
    pub(crate) fn start(budget: Budget, cost_model: CostModel, wanted: u32) -> StepBudget {
        StepBudget {
            budget,
            clock: Clock::start(),
            cost_model,
            wanted,
            work: StepWork::default(),
            may_end_early: false,
            is_spent: false,
        }
    }

    /// Whether there is no budget.
    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self.budget, Budget::Unlimited)
    }

    /// Whether the budget is in steps of work, not in seconds.
    pub(crate) fn counts_work(&self) -> bool {
        matches!(self.budget, Budget::Steps(_))
    }

    /// Records how many manifolds of moving bodies were found, in how many active pairs.
    pub(crate) fn note_found(&mut self, n_manifolds: usize, n_active_pairs: usize, n_bodies: usize) {
        (self.work.n_manifolds, self.work.n_active_pairs) = (n_manifolds, n_active_pairs);
        self.work.load = n_manifolds as f64;
        if !self.counts_work() {
            self.work.load += MANIFOLDS_PER_BODY * n_bodies as f64;
        }
    }

    /// Returns the work of the step, as far as it is known.
    pub(crate) fn work(&self) -> &StepWork {
        &self.work
    }

    /// Adds seconds of work that is done for all pairs.
    pub(crate) fn note_always(&mut self, seconds: f64) {
        self.work.always += seconds;
    }

    /// Returns the budget in seconds, if it is in seconds.
    fn limit(&self) -> Option<f64> {
        match self.budget {
            Budget::Time(limit) => Some(limit.as_secs_f64()),
            _ => None,
        }
    }

    /// Returns the costs of work in this step.
    fn unit_costs(&self) -> UnitCosts {
        self.cost_model.unit_costs(self.work.has_suspended)
    }

    /// Returns the costs of bodies and the amounts to spend on them; `None` if all fit.
    /// `is_suspending` says whether some were suspended until now.
    pub(crate) fn costs(&mut self, demand: &Demand, is_suspending: bool) -> Option<Costs> {
        let density = self.cost_model.density();
        (self.work.n_manifold_ends, self.work.n_due) = (demand.n_pair_ends, demand.n_due);
        self.work.load = density * demand.n_pair_ends as f64 + MANIFOLDS_PER_BODY * demand.n_bodies as f64;
        match self.budget {
            Budget::Steps(n) => {
                self.work.load = demand.n_manifolds as f64;
                let steady = n as f64;
                let now = steady - demand.n_due as f64;
                (steady < self.work.load).then_some(Costs {
                    body: 0.0,
                    manifold_now: 1.0,
                    pair_later: 1.0,
                    now,
                    steady,
                })
            }
            Budget::Time(limit) => {
                let limit = limit.as_secs_f64();
                if self.cost_model.all_fit(demand, limit, is_suspending) {
                    return None;
                }
                let UnitCosts { before, always, pair, .. } = self.cost_model.unit_costs(true);
                let solving = self.cost_model.unit_costs(true).response(1.0, 1.0);
                // If bodies are suspended, other bodies move than in the last step, and the pair
                // states of both are active.
                let beside = self.cost_model.due() * OVERHEAD_RATIO * pair;
                let pair_later = self.cost_model.due() * pair + beside;
                let manifold_now = density * solving + beside;
                let left = PLANNED_BUDGET_RATIO * limit - always;
                let now = left - self.clock.since_start() - demand.n_due as f64 * pair_later;
                self.is_spent = now <= 0.0;
                Some(Costs {
                    body: MANIFOLDS_PER_BODY * solving,
                    manifold_now,
                    pair_later,
                    now,
                    steady: left - before,
                })
            }
            _ => None,
        }
    }

    /// Records that only these bodies move. `n_manifolds` is the number of their manifolds if they
    /// were counted.
    pub(crate) fn suspend_others(&mut self, chosen: &Selection, n_manifolds: usize) {
        self.work.has_suspended = true;
        self.work.load = if self.counts_work() {
            n_manifolds as f64
        } else {
            self.work.n_manifold_ends = chosen.n_manifold_ends;
            self.cost_model.density() * chosen.n_manifold_ends as f64
                + MANIFOLDS_PER_BODY * chosen.n_bodies as f64
        };
    }

    /// Returns the share of the narrow phase: all that is left, except for one substep of the
    /// solver.
    ///
    /// Tried: leaving more substeps for the solver; a heap on half its steps then deferred pairs in
    /// every step, and still had one substep.
    pub(crate) fn narrow_budget(&self, n_active_pairs: usize) -> NarrowBudget {
        let all = NarrowBudget { pairs: None, until: f64::INFINITY, clock: self.clock };
        match self.budget {
            Budget::Steps(n) => {
                let n = usize::try_from(n).unwrap_or(usize::MAX);
                // A reserve for new manifolds. The conversion saturates.
                let n_manifolds = (self.work.load * (1.0 + MANIFOLD_GROWTH_RATIO)) as usize + 1;
                let beside = if self.may_end_early { 0 } else { n_manifolds };
                NarrowBudget { pairs: Some(Share::Pairs(n.saturating_sub(beside))), ..all }
            }
            Budget::Time(limit) => {
                let UnitCosts { pair, always, .. } = self.unit_costs();
                let response = if self.may_end_early { 0.0 } else { self.response() };
                let left = PLANNED_BUDGET_RATIO * limit.as_secs_f64() - self.clock.since_start();
                let own = (left - response - OVERHEAD_RATIO * pair * n_active_pairs as f64 - always).max(0.0);
                // Pairs that the clock cuts off continue in the next call only if this one is
                // deferred.
                let planned = if self.may_end_early { own } else { PLANNED_TIME_RATIO * own };
                NarrowBudget {
                    pairs: Some(Share::Seconds { own: planned, pair, carry: CARRY_COST_RATIO * pair }),
                    until: self.clock.since_start() + own,
                    ..all
                }
            }
            _ => all,
        }
    }

    /// Returns the seconds of a response with the least number of substeps: see `goal`.
    fn response(&self) -> f64 {
        let unit_costs = self.unit_costs();
        let alone = self.limit().map_or(0.0, |limit| PLANNED_BUDGET_RATIO * limit - unit_costs.always);
        unit_costs.response(self.work.load, self.goal(unit_costs.substeps_in(alone, self.work.load)))
    }

    /// Returns the least number of substeps, if `n_alone` fit into a call that does nothing else.
    fn goal(&self, n_alone: f64) -> f64 {
        let most = if self.may_defer_call() { self.wanted - self.wanted / 3 } else { 1 };
        // The conversion saturates.
        f64::from((n_alone as u32).min(most).max(1))
    }

    /// Returns the seconds after the start of the step at which the response should end. The
    /// response may use half of the reserve, because the costs are better known by then.
    fn deadline(&self) -> f64 {
        self.limit().map_or(f64::INFINITY, |limit| 0.5 * (1.0 + PLANNED_BUDGET_RATIO) * limit)
    }

    /// Whether `n` pairs are probably enough, so that due pairs need not be counted.
    pub(crate) fn is_ample(&self, n: usize) -> bool {
        self.limit().is_some() && LIKELY_PAIR_RATIO * self.cost_model.n_wanted < n
    }

    /// Decides whether the call may be deferred, if only `n` of `n_all` due pairs can be tested
    /// before the response. It may be if that is too few, and if a few calls would suffice for
    /// all.
    pub(crate) fn decide_deferral(&mut self, n: usize, n_all: usize) -> bool {
        let is_of_use = match self.budget {
            Budget::Steps(steps) => n_all as u64 <= steps.saturating_mul(u64::from(MAX_DEFERRED_CALLS)),
            _ => true,
        };
        self.may_end_early =
            is_of_use && self.may_defer_call() && (n as f64) < MIN_TESTED_RATIO * n_all as f64;
        self.may_end_early
    }

    /// Whether a call may be deferred: all bodies move, and not too many calls were deferred in a
    /// row.
    fn may_defer_call(&self) -> bool {
        !self.is_unlimited() && !self.work.has_suspended && self.cost_model.n_deferred < MAX_DEFERRED_CALLS
    }

    /// Whether the call ends before anything moves: pairs are still due, or the response would be
    /// late.
    pub(crate) fn is_deferred(&self, stats: &StepStats) -> bool {
        let n_tested = stats.n_tested;
        if self.may_end_early && 0 < stats.shortfall.n_pairs {
            return true;
        }
        let is_late = match self.budget {
            Budget::Steps(_) if self.work.has_suspended => false,
            Budget::Steps(n) => {
                let fit = |n: u64| n as f64 / self.work.load.max(1.0);
                fit(n.saturating_sub(n_tested as u64)) < self.goal(fit(n))
            }
            _ => self.deadline() < self.clock.since_start() + self.response(),
        };
        // If no pair was tested, or the time was used up early, the next call would be no better.
        is_late && 0 < n_tested && !self.is_spent && self.cost_model.n_deferred < MAX_DEFERRED_CALLS
    }

    /// Returns how many substeps are made, at least one, after `n_tested` pairs were tested. With
    /// suspended bodies it is one, because their impulses are stored for substeps of that length.
    pub(crate) fn substeps(&self, n_tested: usize, n_manifolds: usize) -> u32 {
        let wanted = self.wanted;
        let allowed = match self.budget {
            _ if self.work.has_suspended => 1,
            Budget::Steps(steps) => {
                (steps.saturating_sub(n_tested as u64) / n_manifolds.max(1) as u64).min(u64::from(wanted))
            }
            Budget::Time(_) if 0.0 < self.work.load => {
                let left = self.deadline() - self.clock.since_start();
                // The conversion saturates.
                self.unit_costs().substeps_in(left, self.work.load) as u64
            }
            _ => u64::from(wanted),
        };
        // The solver refuses a setting of no substeps.
        wanted.min(allowed.clamp(1, u64::from(u32::MAX)) as u32)
    }
}

/// If a budget may not suffice for all: selects the pair states that are tested, beginning at the
/// pair `from`. Then decides whether the call may be deferred.
pub(crate) fn plan_tests(
    states: &mut [PairState],
    scene: &mut Scene<'_>,
    step_budget: &mut StepBudget,
    from: Pair,
) {
    scene.narrow_budget.note_most(states.len());
    let may_be_too_many = |n: usize| n < states.len() && !step_budget.is_ample(n);
    if !scene.narrow_budget.n_pairs(states.len()).is_some_and(may_be_too_many) {
        return;
    }
    let (n_due, n_all) = mark_candidates(states, scene);
    let mut n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
    if step_budget.decide_deferral(n, n_all) {
        scene.narrow_budget = step_budget.narrow_budget(states.len());
        n = scene.narrow_budget.n_pairs(n_due).unwrap_or(n_all);
    }
    scene.narrow_budget.note_most(n);
    if n < n_all {
        select_pairs(states, from, n);
    } else {
        states.iter_mut().for_each(|state| state.is_skipped = false);
    }
}

/// Marks the candidates for a test: due and not recycled. Returns how many are due, and how many
/// are marked.
fn mark_candidates(states: &mut [PairState], scene: &Scene<'_>) -> (usize, usize) {
    let (mut n_due, mut n_all) = (0, 0);
    for state in states.iter_mut() {
        let is_due = scene.is_due(state);
        state.is_skipped = is_due && scene.recycles(state).is_none();
        n_due += usize::from(is_due);
        n_all += usize::from(state.is_skipped);
    }
    (n_due, n_all)
}

/// Selects `n` of the marked pair states. The others keep the mark and are deferred. Pair states
/// that were never tested come first, and then those that lost contacts. The others follow
/// cyclically from `from`.
fn select_pairs(states: &mut [PairState], from: Pair, mut n: usize) {
    let mut take = |state: &mut PairState| {
        state.is_skipped = n == 0;
        n -= usize::from(0 < n);
    };
    let is_lost = |state: &PairState| !state.is_new && state.has_lost;
    states.iter_mut().filter(|state| state.is_skipped && state.is_new).for_each(&mut take);
    states.iter_mut().filter(|state| state.is_skipped && is_lost(state)).for_each(&mut take);
    let first = states.partition_point(|state| state.pair() < from);
    let (front, back) = states.split_at_mut(first);
    let in_turn = back.iter_mut().chain(front);
    let waits = |state: &&mut PairState| state.is_skipped && !state.is_new && !state.has_lost;
    in_turn.filter(waits).for_each(&mut take);
}

/// Returns the pair with which the selection begins in the next step.
pub(crate) fn next_pair(states: &[PairState], from: Pair) -> Pair {
    let first = states.partition_point(|state| state.pair() < from);
    let mut in_turn = states[first..].iter().chain(&states[..first]);
    in_turn
        .find(|state| state.is_deferred && !state.is_new && !state.has_lost)
        .map_or(Pair { a: 0, b: 0 }, PairState::pair)
}

/// Counts the deferred pair states, and the contacts in `found` that were moved along with bodies.
pub(crate) fn shortfall(states: &[PairState], found: &[Manifold], n_suspended: usize) -> Shortfall {
    let mut shortfall = Shortfall { n_suspended, ..Shortfall::default() };
    for state in states.iter().filter(|state| state.is_deferred) {
        shortfall.n_pairs += 1;
        shortfall.n_unknown += usize::from(state.is_new);
        shortfall.n_carried += found[state.range()].iter().map(|m| m.contacts().len()).sum::<usize>();
    }
    shortfall
}
