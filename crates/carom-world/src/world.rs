//! A world, and the calls that step it. `step/mod.rs` has the phases of a step, in their order.
//!
//! - [`World::step`] runs all phases. [`World::detect`] runs the first half only: boxes, pairs and
//!   contacts.
//! - The number of a body is that of its proxy in the broad phase.
//! - Everything is processed in the order of these numbers, so the result does not depend on the
//!   broad phase or on the number of threads.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad
//! phase, mid and narrow phase, response).

use crate::WorldError;
use crate::bodies::BodySet;
use crate::budget::BudgetState;
use crate::budget::cost_model::CostModel;
use crate::budget::round_robin::RoundRobin;
use crate::budget::time_critical::StepBudget;
use crate::contacts::ContactSet;
use crate::continuous::{Continuous, ContinuousStep};
use crate::joints::Joints;
use crate::settings::WorldSettings;
use crate::stats::StepStats;
use crate::step::options::StepOptions;
use crate::step::substeps::Guarded;
use carom_broad::{BroadPhase, Pair};
use carom_math::Budget;
use carom_response::{Solver, SolverSettings};

/// The default broad phase of a world: a tree of boxes that is kept from step to step.
#[cfg(feature = "tree")]
pub type DefaultBroadPhase = carom_broad_tree::DynamicBvh;

/// The default broad phase of a world. Without the feature `tree` it tests every pair.
#[cfg(not(feature = "tree"))]
pub type DefaultBroadPhase = carom_broad::BruteForce;

/// The step of a world with the default broad phase, compiled with this crate. Builds with little
/// optimization share it, so crates that step a world are built in a fraction of the time.
#[cfg(debug_assertions)]
#[used]
static STEP: fn(&mut World, f32) -> Result<&StepStats, WorldError> = World::step;

/// A set of bodies and joints, and the state that a step keeps for the next one: contacts, cached
/// impulses and sleep.
///
/// `B` is the broad phase. The results do not depend on it (test: `golden::with_any_broad_phase`).
///
/// A world can be moved to another thread, and several threads may query it at once, each with a
/// [`Query`](crate::Query) of its own (test: `queries::threads_query_one_world`).
pub struct World<B: BroadPhase = DefaultBroadPhase> {
    pub(crate) settings: WorldSettings,
    pub(crate) last: LastStep,
    pub(crate) broad: B,
    pub(crate) bodies: BodySet,
    pub(crate) joints: Joints,
    pub(crate) contacts: ContactSet,
    pub(crate) solver: Solver,
    pub(crate) continuous: Continuous,
    pub(crate) budget: BudgetState,
    #[cfg(feature = "soft")]
    pub(crate) soft: crate::soft::set::Soft,
}

/// The settings and the length of the last step, to notice changes of either, and its counts.
#[derive(Default)]
pub(crate) struct LastStep {
    pub(crate) settings: WorldSettings,
    /// Length of the last step that was longer than 0.
    pub(crate) dt: f32,
    /// Counts and times of the last step or detection.
    pub(crate) stats: StepStats,
}

impl World {
    /// Returns an empty world with the default settings: metres, kilograms, seconds, and gravity
    /// of 9.81 along -y.
    pub fn new() -> World {
        World::with_broad_phase(DefaultBroadPhase::new(), WorldSettings::default())
    }

    /// Returns an empty world with these settings. If one is out of its bounds
    /// ([`WorldSettings::check`]), each step returns an error.
    pub fn with_settings(settings: WorldSettings) -> World {
        World::with_broad_phase(DefaultBroadPhase::new(), settings)
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl<B: BroadPhase> World<B> {
    /// Returns an empty world with this broad phase and these settings. The broad phase must be
    /// empty: if it has a box already, [`World::insert`] returns [`WorldError::Full`].
    pub fn with_broad_phase(broad: B, settings: WorldSettings) -> World<B> {
        World {
            settings,
            last: LastStep { settings, ..LastStep::default() },
            broad,
            bodies: BodySet::default(),
            joints: Joints::default(),
            contacts: ContactSet::default(),
            solver: Solver::new(settings.solver),
            continuous: Continuous::default(),
            budget: BudgetState {
                cost_model: CostModel::default(),
                next_pair: Pair { a: 0, b: 0 },
                round_robin: RoundRobin::default(),
            },
            #[cfg(feature = "soft")]
            soft: crate::soft::set::Soft::default(),
        }
    }

    /// Does one step: finds all contacts at the present poses, then moves the bodies by the time
    /// `dt`, which is finite and not negative.
    ///
    /// A step of 1/60 s suits scenes in metres. Bodies at rest stay so in a step of a second
    /// (test: `door::a_stack_rests_in_steps_of_a_second`). But a body that falls may pass through
    /// a floor in so long a step: clamp the times of frames, or make several steps.
    ///
    /// Errors: for a time step or a setting out of its bounds, nothing is changed. For a body
    /// whose numbers leave the finite range, all bodies keep their poses.
    pub fn step(&mut self, dt: f32) -> Result<&StepStats, WorldError> {
        self.step_with_budget(dt, Budget::Unlimited)
    }

    /// Does one step within a budget. [`StepStats::shortfall`] reports the work that was left out.
    ///
    /// Work is left out in this order:
    ///
    /// 1. Pairs are tested less often, and substeps are fewer and longer.
    /// 2. The call is deferred: nothing moves, and the next call continues the step. At most 16
    ///    calls in a row are deferred ([`crate::Shortfall::is_deferred`]).
    /// 3. If one substep of all bodies does not fit, some bodies are suspended
    ///    ([`BodyRef::is_suspended`](crate::BodyRef::is_suspended)). They move in later steps, fast
    ///    ones more often.
    ///
    /// No time passes for suspended bodies, and in a deferred call no time passes for any dynamic
    /// body. Otherwise all of `dt` passes. Energy does not grow (test:
    /// `budget::steps_are_counted_and_nothing_explodes`).
    ///
    /// Even the smallest budget runs the broad phase, tests at least one pair, and moves kinematic
    /// bodies (test: `suspension::a_lift_is_never_suspended`). Unless the call is deferred, at
    /// least one dynamic body moves too, with all bodies that joints connect to it (test:
    /// `suspension::no_time_at_all_moves_one_body_after_the_other`).
    ///
    /// One unit of work is a test of a pair of shapes, or a manifold in one substep
    /// ([`StepStats::n_steps`]). A budget in these units gives the same bits in every run (test:
    /// `budget::the_same_bits_with_the_same_steps`). A budget in seconds is converted by the
    /// measured costs of earlier steps, and at first by the costs of a slow machine.
    ///
    /// Errors: those of [`World::step`], and [`WorldError::NoClock`] for a budget in seconds
    /// without a clock.
    pub fn step_with_budget(&mut self, dt: f32, budget: Budget) -> Result<&StepStats, WorldError> {
        self.step_with(dt, StepOptions::new().with_budget(budget))
    }

    /// Does one step with these options: budget, hooks, and a callback before each substep.
    /// [`World::step`] and [`World::step_with_budget`] call it, and their docs have the errors.
    pub fn step_with(&mut self, dt: f32, options: StepOptions<'_>) -> Result<&StepStats, WorldError> {
        let StepOptions { budget, hooks, on_substep } = options;
        let mut on_substep = Guarded::new(on_substep);
        let is_done = self.run_phases(dt, budget, hooks, &mut on_substep);
        on_substep.end();
        is_done.map(|()| &self.last.stats)
    }

    /// Finds all contacts at the present poses: see [`World::contacts`] and [`World::events`].
    ///
    /// A step does this first, but may also recycle contacts and suspend bodies. This method moves
    /// no body, but wakes the bodies whose contacts began. It replaces recycled contacts, so the
    /// bits of later steps differ from those of a world without this call. No later step reports
    /// its events again. The next step applies the response rules to contacts that began in it.
    pub fn detect(&mut self) -> &StepStats {
        self.bodies.active.apply_changes(&self.bodies.motions);
        #[cfg(feature = "soft")]
        self.note_changed_bodies();
        self.detect_within(&mut StepBudget::start(Budget::Unlimited, self.budget.cost_model, 0), 0.0, None);
        &self.last.stats
    }

    /// The parts of the world that continuous detection uses: all but the budget.
    pub(crate) fn continuous_step(&mut self) -> ContinuousStep<'_, B> {
        ContinuousStep {
            settings: &self.settings,
            dt: self.last.dt,
            broad: &self.broad,
            bodies: &mut self.bodies,
            joints: &self.joints,
            contacts: &mut self.contacts,
            solver: &self.solver,
            continuous: &mut self.continuous,
            stats: &mut self.last.stats,
        }
    }

    /// Returns the counts and times of the last step or detection.
    pub fn stats(&self) -> &StepStats {
        &self.last.stats
    }

    /// Returns the settings.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Returns the settings of the solver, for changes between steps. The next step checks them,
    /// and wakes the bodies on which a change acts.
    pub fn solver_settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings.solver
    }

    /// Returns the broad phase, for queries that the world does not have.
    pub fn broad_phase(&self) -> &B {
        &self.broad
    }
}
