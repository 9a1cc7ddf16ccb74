//! The cost model: measured seconds per unit of work, which convert a budget in seconds to amounts
//! of work.
//!
//! There is one set of costs, for steps in which all bodies move. With suspended bodies the same
//! work costs more by a fixed factor: fewer pairs have two moving bodies, and impulses are stored
//! and restored. Both kinds of steps update the same costs.
//!
//! While some bodies are suspended, the cost of moving all of them cannot be measured. So from
//! time to time a step tries to move all. A failed try makes a step late. So after each failure
//! the number of steps until the next try doubles (exponential backoff).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6 and eq. 25.2 (the terms of
//! the cost).
//! Tried: costs for each kind of step, and a share of the budget that is learned. See
//! `benches/notes/carom-world.md`.

use crate::budget::round_robin::Demand;
use crate::stats::StepStats;

/// A second in nanoseconds.
const NANOSECONDS: f64 = 1.0e9;

/// The fraction of a budget that is planned. The rest is a reserve for work that takes longer than
/// expected.
pub(crate) const PLANNED_BUDGET_RATIO: f64 = 0.8;

/// Cost of moving a body, in solved manifolds.
pub(crate) const MANIFOLDS_PER_BODY: f64 = 2.0;

/// Cost of the response outside of its substeps, in substeps.
const OVERHEAD_SUBSTEPS: f64 = 8.0;

/// Cost of moving the contacts of a pair along, as a fraction of a test.
pub(crate) const CARRY_COST_RATIO: f64 = 0.25;

/// Cost of an active pair besides its test, as a fraction of a test.
pub(crate) const OVERHEAD_RATIO: f64 = 0.125;

/// Factor of all costs while bodies are suspended. Measured: 2 to 4.
const SUSPENDED_COST_RATIO: f64 = 3.0;

/// The least and the largest number of steps with suspended bodies before a try to move all.
const MIN_WAIT_STEPS: u32 = 8;
const MAX_WAIT_STEPS: u32 = 1024;

/// A try has succeeded after this many steps in a row in which all bodies moved.
const MIN_LASTING_STEPS: u32 = 64;

/// A measurement above this multiple of the known cost counts as disturbed. A real growth of the
/// cost is learned within a few steps.
const MAX_GROWTH_RATIO: f64 = 1.5;

/// Costs of units of work, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitCosts {
    /// Work before bodies are selected: the broad phase.
    pub(crate) before: f64,
    /// Work for all pairs: collecting the active ones, and reporting events.
    pub(crate) always: f64,
    /// One test of a pair of shapes.
    pub(crate) pair: f64,
    /// One manifold in one substep.
    pub(crate) solve: f64,
}

impl UnitCosts {
    /// The costs of a slow machine.
    const SLOW: UnitCosts =
        UnitCosts { before: 0.0, always: 0.0, pair: 800.0 / NANOSECONDS, solve: 35.0 / NANOSECONDS };

    /// Returns the seconds of a response with `load` manifolds in this many substeps.
    pub(crate) fn response(&self, load: f64, substeps: f64) -> f64 {
        self.solve * load * (OVERHEAD_SUBSTEPS + substeps)
    }

    /// Returns how many substeps with `load` manifolds fit into a time. It is negative if not even
    /// the work outside of substeps fits.
    pub(crate) fn substeps_in(&self, seconds: f64, load: f64) -> f64 {
        seconds / (self.solve * load) - OVERHEAD_SUBSTEPS
    }
}

/// The work of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepWork {
    /// Work of a substep in manifolds. With a clock, each body counts as [`MANIFOLDS_PER_BODY`] of
    /// them.
    pub(crate) load: f64,
    /// Manifolds of bodies that move.
    pub(crate) n_manifolds: usize,
    /// The number of active pairs.
    pub(crate) n_active_pairs: usize,
    /// The sum of the numbers of pairs of all moving bodies.
    pub(crate) n_manifold_ends: usize,
    /// The sum of the numbers of pairs of all bodies that moved in the step before.
    pub(crate) n_due: usize,
    /// Whether bodies are suspended.
    pub(crate) has_suspended: bool,
    /// Seconds of the work for all pairs: see [`UnitCosts::always`].
    pub(crate) always: f64,
}

/// The costs of recent steps, and the state of the tries to move all bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostModel {
    /// The costs; `None` if they were not measured yet.
    unit_costs: Option<UnitCosts>,
    /// The fraction of the pairs of moving bodies that has to be tested.
    due: f64,
    /// Manifolds for each pair of a moving body.
    density: f64,
    /// The number of due pairs in the last step.
    pub(crate) n_wanted: usize,
    /// The number of deferred calls in a row.
    pub(crate) n_deferred: u32,
    /// The number of consecutive steps with suspended bodies, and without.
    n_suspending: u32,
    n_whole: u32,
    /// The number of steps with suspended bodies before a try to move all.
    wait: u32,
}

impl Default for CostModel {
    fn default() -> CostModel {
        CostModel {
            unit_costs: None,
            due: 1.0,
            density: 1.0,
            n_wanted: 0,
            n_deferred: 0,
            n_suspending: 0,
            n_whole: 0,
            wait: MIN_WAIT_STEPS,
        }
    }
}

impl CostModel {
    /// Returns the costs with suspended bodies, or without.
    pub(crate) fn unit_costs(&self, has_suspended: bool) -> UnitCosts {
        let unit_costs = self.unit_costs.unwrap_or(UnitCosts::SLOW);
        let factor = cost_ratio(has_suspended);
        UnitCosts { pair: factor * unit_costs.pair, solve: factor * unit_costs.solve, ..unit_costs }
    }

    /// Returns the fraction of the pairs of moving bodies that has to be tested.
    pub(crate) fn due(&self) -> f64 {
        self.due
    }

    /// Returns the number of manifolds for each pair of a moving body.
    pub(crate) fn density(&self) -> f64 {
        self.density
    }

    /// Whether the response of all bodies alone fits into a budget. While bodies are suspended
    /// (`is_suspending`), a try must also be due.
    pub(crate) fn all_fit(&self, demand: &Demand, limit: f64, is_suspending: bool) -> bool {
        let unit_costs = self.unit_costs(false);
        let load = self.density * demand.n_pair_ends as f64 + MANIFOLDS_PER_BODY * demand.n_bodies as f64;
        let may_try = !is_suspending || self.wait <= self.n_suspending;
        may_try && unit_costs.always + unit_costs.response(load, 1.0) <= PLANNED_BUDGET_RATIO * limit
    }

    /// Notes whether bodies are suspended in this step.
    pub(crate) fn note_selection(&mut self, has_suspended: bool) {
        if has_suspended {
            if 0 < self.n_whole && self.n_whole < MIN_LASTING_STEPS {
                self.wait = (2 * self.wait).min(MAX_WAIT_STEPS);
            }
            self.n_whole = 0;
            self.n_suspending = self.n_suspending.saturating_add(1);
        } else {
            self.n_suspending = 0;
            self.n_whole = self.n_whole.saturating_add(1);
            if MIN_LASTING_STEPS <= self.n_whole {
                self.wait = MIN_WAIT_STEPS;
            }
        }
    }

    /// After a step: updates the costs from its counts and times.
    pub(crate) fn learn(&mut self, stats: &StepStats, work: &StepWork) {
        let n_due = stats.n_tested + stats.shortfall.n_pairs;
        self.n_wanted = n_due;
        if 0 < work.n_manifold_ends {
            let density = work.n_manifolds as f64 / work.n_manifold_ends as f64;
            self.density = 0.5 * (self.density + density);
            let part = (n_due + stats.n_recycled) as f64 / work.n_due.max(1) as f64;
            self.due = (0.5 * (self.due + part)).min(1.0);
        }
        let StepStats { times, .. } = stats;
        let factor = cost_ratio(work.has_suspended);
        let known = self.unit_costs.get_or_insert(UnitCosts::SLOW);
        blend(&mut known.before, times.broad, 1.0);
        blend(&mut known.always, work.always, 1.0);
        let n_carried = (stats.shortfall.n_pairs + stats.n_recycled) as f64;
        let n_test_units = stats.n_tested as f64
            + CARRY_COST_RATIO * n_carried
            + OVERHEAD_RATIO * work.n_active_pairs as f64;
        blend(&mut known.pair, times.narrow - work.always, factor * n_test_units);
        if 0 < stats.solver.n_substeps {
            let n_solves = work.load * (OVERHEAD_SUBSTEPS + f64::from(stats.solver.n_substeps));
            blend(&mut known.solve, times.response + times.refit, factor * n_solves);
        }
    }
}

/// Returns the factor of all costs, with suspended bodies or without.
fn cost_ratio(has_suspended: bool) -> f64 {
    if has_suspended { SUSPENDED_COST_RATIO } else { 1.0 }
}

/// Averages a new measurement of `n` units of work with the known cost. A disturbed measurement has
/// little weight.
fn blend(known: &mut f64, seconds: f64, n: f64) {
    if 0.0 < n && 0.0 < seconds {
        let new = seconds / n;
        *known = if *known == 0.0 { new } else { 0.5 * (*known + new.min(MAX_GROWTH_RATIO * *known)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMAND: Demand = Demand { n_bodies: 100, n_pair_ends: 1000, n_manifolds: 0, n_due: 1000 };

    /// A model whose manifolds cost `times` as much as on a slow machine.
    fn cost_model(times: f64) -> CostModel {
        let solve = times * UnitCosts::SLOW.solve;
        CostModel { unit_costs: Some(UnitCosts { solve, ..UnitCosts::SLOW }), ..CostModel::default() }
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
        // According to the model all fit, but they do not.
        let (fits, mut cost_model) = (0.010, cost_model(1.0));
        assert!(cost_model.all_fit(&DEMAND, fits, false));
        let (mut is_suspending, mut trials) = (false, Vec::new());
        for step in 0..20_000 {
            let all_move = cost_model.all_fit(&DEMAND, fits, is_suspending) && is_suspending;
            if all_move {
                trials.push(step);
            }
            is_suspending = !all_move;
            cost_model.note_selection(is_suspending);
        }
        let gaps: Vec<usize> = trials.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.is_sorted() && gaps[0] < 20 && gaps.last() == Some(&1025), "{gaps:?}");
        // After a success the next wait is short again.
        (0..MIN_LASTING_STEPS).for_each(|_| cost_model.note_selection(false));
        (0..MIN_WAIT_STEPS).for_each(|_| cost_model.note_selection(true));
        assert!(cost_model.all_fit(&DEMAND, fits, true));
    }

    #[test]
    fn a_step_that_does_not_fit_is_not_tried() {
        let cost_model = cost_model(100.0);
        assert!(!cost_model.all_fit(&DEMAND, 0.010, false));
        let UnitCosts { solve, .. } = cost_model.unit_costs(false);
        assert_eq!(cost_model.unit_costs(true).solve, SUSPENDED_COST_RATIO * solve);
        let seconds = cost_model.unit_costs(false).response(300.0, 4.0);
        assert!((cost_model.unit_costs(false).substeps_in(seconds, 300.0) - 4.0).abs() < 1e-9);
    }
}
