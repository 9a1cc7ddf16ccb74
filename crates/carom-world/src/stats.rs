//! Counts and times of a step.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (the phases) and eq.
//! 25.2 (the terms of the cost).

use carom_math::clock::Moment;
use carom_response::SolverStats;

/// Counts and times of the last [`World::step`](crate::World::step) or
/// [`World::detect`](crate::World::detect).
///
/// The counts are the same in every run (test: `budget::the_same_bits_with_the_same_steps`),
/// unless a budget is in seconds. The times are not.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct StepStats {
    /// Bodies in the world.
    pub n_bodies: usize,
    /// Pairs of boxes that overlap.
    pub n_pairs: usize,
    /// Pairs of boxes that were left out, because thousands of bodies are at one point and all
    /// pairs would need too much memory. Both bodies of such a pair have many other pairs. A pair
    /// is considered again when other bodies have parted.
    pub n_crowded: usize,
    /// Pairs of shapes that were tested. The other pairs hardly moved or rested, or a budget
    /// deferred them ([`Shortfall::n_pairs`]).
    pub n_tested: usize,
    /// Pairs that hardly moved, so that their contacts were moved along with the bodies
    /// ([`WorldSettings::recycling`](crate::WorldSettings::recycling)).
    pub n_recycled: usize,
    /// Pairs of shapes that touch.
    pub n_touching: usize,
    /// Manifolds of all pairs.
    pub n_manifolds: usize,
    /// Pairs for which continuous detection computed a time of impact.
    pub n_swept: usize,
    /// Bodies that continuous detection stopped before the end of the step. They move on in the
    /// next step. A body that spins fast beside a wall may be stopped in every step.
    pub n_stopped: usize,
    /// Tests of boxes against boxes.
    pub n_box_tests: u64,
    /// Bodies that fell asleep at the end of the step.
    pub n_fallen: usize,
    /// Counts of the solver.
    pub solver: SolverStats,
    /// Work that was done, in the units of [`Budget::Steps`](carom_math::Budget::Steps). Each
    /// tested pair of shapes is one, and so is each manifold in each substep.
    pub n_steps: u64,
    /// Work that was left out because the budget was spent.
    pub shortfall: Shortfall,
    /// Seconds in each phase.
    pub times: PhaseTimes,
}

/// Work that a step left out because its [`Budget`](carom_math::Budget) was spent. All counts are
/// zero without a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Shortfall {
    /// Pairs of shapes whose test was left out. Later steps test them.
    pub n_pairs: usize,
    /// Pairs of `n_pairs` that were never tested before, so their contacts are unknown.
    pub n_unknown: usize,
    /// Pairs of `n_unknown` whose approach was stopped or scattered
    /// ([`WorldSettings::scatter`](crate::WorldSettings::scatter)), along the axis on which their
    /// boxes overlap least.
    pub n_stopped: usize,
    /// Contacts of the pairs of `n_pairs` that were tested before. They are those of the last
    /// test, moved along with their bodies.
    pub n_carried: usize,
    /// Substeps that the solver left out. The remaining ones were longer. In a deferred call these
    /// are all substeps.
    pub n_substeps: u32,
    /// Bodies that were suspended, because one substep of all bodies did not fit the budget. They
    /// keep poses and velocities, and move in later steps:
    /// [`BodyRef::is_suspended`](crate::BodyRef::is_suspended).
    ///
    /// In a deferred call this is the number of awake dynamic bodies, although none of them is
    /// suspended.
    pub n_suspended: usize,
    /// Whether the call was deferred: only kinematic bodies moved, because pairs are still to be
    /// tested, or the response would have been late. The next call continues the step. Until then
    /// contacts and events are those known so far.
    pub is_deferred: bool,
}

/// Seconds in each phase; zero without a clock ([`carom_math::clock`]). The time of the step is
/// the sum of `broad`, `narrow`, `response` and `refit`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct PhaseTimes {
    /// Finding the pairs of boxes that overlap.
    pub broad: f64,
    /// Finding the contacts of shapes.
    pub narrow: f64,
    /// Changing velocities and poses: soft things, the solver, continuous detection.
    pub response: f64,
    /// The part of `response` in which soft things moved; 0 without any.
    pub soft: f64,
    /// The part of `response` in which continuous detection ran.
    pub continuous: f64,
    /// Updating the boxes of the bodies that moved.
    pub refit: f64,
}

impl PhaseTimes {
    /// Returns the seconds of the whole step.
    pub fn total(&self) -> f64 {
        self.broad + self.narrow + self.response + self.refit
    }
}

/// A stopwatch for consecutive phases.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    start: Moment,
    last: Moment,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        let now = Moment::now();
        Clock { start: now, last: now }
    }

    /// Returns the seconds since the start; 0 without a clock.
    pub(crate) fn since_start(&self) -> f64 {
        self.start.elapsed()
    }

    /// Returns the seconds since the start or the last lap; 0 without a clock.
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Moment::now();
        let lap = now.seconds_since(self.last);
        self.last = now;
        lap
    }
}
