//! The pipeline, top to bottom: boxes, pairs, contacts, response.
//!
//! [`World::step`] is the whole of it; each phase is one method, and [`World::detect`] is the first two alone. Bodies
//! are numbered as the broad phase numbers their boxes, and everything goes in the order of these numbers, so neither the
//! broad phase nor the threads can be seen in the result.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad phase, mid and narrow
//! phase, response).

use crate::bodies::BodySet;
use crate::bodies::placing::Placing;
use crate::budget::BudgetState;
use crate::budget::pace::Pace;
use crate::budget::time_critical::Plan;
use crate::budget::turns::Turns;
use crate::contacts::ContactSet;
use crate::contacts::events::{ContactView, Event};
use crate::contacts::narrow;
use crate::continuous::Continuous;
use crate::joint::Joints;
use crate::settings::WorldSettings;
use crate::stats::{Clock, Stats};
use crate::{JointId, WorldError};
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_broad_tree::DynamicBvh;
use carom_math::{Budget, clock};
use carom_query::Shape;
use carom_response::{Joint, Solver, SolverSettings};

/// Bodies, and what happens to them.
///
/// `B` is the broad phase; the results do not depend on it.
pub struct World<B: BroadPhase = DynamicBvh> {
    pub(crate) settings: WorldSettings,
    pub(crate) last: LastStep,
    pub(crate) broad: B,
    pub(crate) bodies: BodySet,
    pub(crate) joints: Joints,
    pub(crate) contacts: ContactSet,
    pub(crate) solver: Solver,
    pub(crate) continuous: Continuous,
    pub(crate) budget: BudgetState,
    pub(crate) stats: Stats,
}

/// What boxes, contacts and sleep follow.
#[derive(Default)]
pub(crate) struct LastStep {
    /// The settings of the last step.
    pub(crate) settings: WorldSettings,
    /// Length of the last step in which time went by.
    pub(crate) dt: f32,
}

impl World {
    /// An empty world with gravity along -y.
    pub fn new() -> World {
        World::with_broad_phase(DynamicBvh::new(), WorldSettings::default())
    }

    /// An empty world with other settings. Settings out of their bounds are an error of each step:
    /// [`WorldSettings::check`].
    pub fn with_settings(settings: WorldSettings) -> World {
        World::with_broad_phase(DynamicBvh::new(), settings)
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl<B: BroadPhase> World<B> {
    /// An empty world on an empty broad phase.
    pub fn with_broad_phase(broad: B, settings: WorldSettings) -> World<B> {
        World {
            settings,
            last: LastStep { settings, dt: 0.0 },
            broad,
            bodies: BodySet::default(),
            joints: Joints::default(),
            contacts: ContactSet::default(),
            solver: Solver::new(settings.solver),
            continuous: Continuous::default(),
            budget: BudgetState {
                pace: Pace::default(),
                turn: Pair { a: 0, b: 0 },
                turns: Turns::default(),
                looking: 0.0,
            },
            stats: Stats::default(),
        }
    }

    /// One step: finds all contacts where the bodies are, and moves the bodies by `dt`.
    ///
    /// An error is a bad time step or settings, of which nothing is changed, or a body whose numbers have left their range; the bodies are
    /// where they were.
    pub fn step(&mut self, dt: f32) -> Result<&Stats, WorldError> {
        self.step_within(dt, Budget::Unlimited)
    }

    /// As [`World::step`], but stops working when the budget is spent, and says in [`Stats::undone`] what was not done.
    ///
    /// First pairs are looked at more seldom and substeps are longer; a response that takes longer than was planned makes its rest in
    /// fewer. A step that needs more than that is held: nothing moves, and it goes on in the next call, after 16 of them at the latest
    /// ([`crate::Undone::is_held`]). Where not even one substep of all bodies fits, some are halted: they stay where they are, with their
    /// velocities, and have their turn in the steps after, the fast ones more often. So time goes by more slowly for who is held or halted;
    /// for the others, by the whole of `dt`. No energy comes of what is left out. The broad phase is always done, one pair is looked at,
    /// and at least one body, with all that hangs on it in joints, moves in a step that is not held, however small the budget; bodies that
    /// their owner moves do so in every call.
    ///
    /// A step of work is a pair of shapes looked at, or a manifold solved in one substep ([`Stats::n_steps`]); with a budget in steps the
    /// result has the same bits in every run, with any broad phase and any number of threads. A budget in seconds is kept by what the
    /// work took in the steps before; the first step on one takes a slow machine for granted. It is refused without a clock.
    pub fn step_within(&mut self, dt: f32, budget: Budget) -> Result<&Stats, WorldError> {
        let mut plan = self.plan(dt, budget)?;
        // Broad and narrow phase: which bodies touch, and where.
        self.bodies.movers.settle(&mut self.bodies.motions);
        self.foresee(dt);
        if 0.0 < dt {
            self.foresee_deformation();
        }
        self.detect_within(&mut plan, self.settings.recycled_for());
        let mut clock = Clock::start();
        if self.stats.n_tested + self.stats.undone.n_pairs == 0
            && !self.bodies.are_moving()
            && !self.bodies.deforming.is_pending()
        {
            return Ok(&self.stats);
        }
        if 0.0 < dt && plan.is_held(self.stats.n_tested, self.stats.undone.n_pairs) {
            self.hold(&plan, dt);
            return Ok(&self.stats);
        }
        // Response: what they do about it.
        let course = self.respond(dt, &plan)?;
        if 0.0 < dt {
            self.swap_deformed();
            self.resolve_fast();
            self.end_deformation();
        }
        self.stats.times.response = clock.lap();
        // The boxes of what moved, so that queries see it where it is.
        self.refit_moved(plan.is_free());
        self.stats.times.refit = clock.lap();
        self.take_pace(&mut plan, &course);
        if 0.0 < dt {
            self.apply_responses();
        }
        Ok(&self.stats)
    }

    /// Checks the time step and the settings, which come into force, and begins to spend the budget.
    fn plan(&mut self, dt: f32, budget: Budget) -> Result<Plan, WorldError> {
        if matches!(budget, Budget::Time(_)) && !clock::IS_THERE {
            return Err(WorldError::NoClock);
        }
        self.settings.solver.check(dt)?;
        self.apply_settings()?;
        Ok(Plan::start(budget, self.budget.pace, self.settings.solver.substeps))
    }

    /// Finds all contacts where the bodies are: [`World::contacts`] and [`World::events`]. Part of every step, which recycles contacts;
    /// this does not, and halts nobody. It moves nothing, but the steps after it begin with what it found: their bits are not those of a world
    /// that was not asked, and what began is told here and not again.
    pub fn detect(&mut self) -> &Stats {
        self.bodies.movers.settle(&mut self.bodies.motions);
        self.detect_within(&mut Plan::start(Budget::Unlimited, self.budget.pace, 0), 0.0);
        &self.stats
    }

    pub(crate) fn placing(&self) -> Placing<'_> {
        Placing {
            bodies: &self.bodies.motions,
            traits: &self.bodies.traits,
            girths: &self.bodies.girths,
            prediction: self.settings.prediction * self.settings.solver.length_unit,
            dt: self.last.dt,
        }
    }

    /// The box of a body.
    pub(crate) fn box_of(&self, index: usize, shape: &Shape) -> Aabb {
        self.placing().box_of(index, shape)
    }

    /// The pair is looked at by the narrow phase.
    pub(crate) fn is_wanted(&self, pair: Pair) -> bool {
        narrow::is_wanted(pair, &self.bodies.traits, &self.bodies.motions, &self.joints)
    }

    /// What touched, or was near, at the last detection; in the order of the pairs.
    ///
    /// Of a step these are contacts where its bodies were at its start; some may be recycled. [`World::detect`] finds all anew, where the
    /// bodies are. Of more than four of a pair those are told that were told before, as [`carom_query::ManifoldCache`] says.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> {
        self.contacts.records.iter().filter(|record| 0 < record.n || record.is_touching).map(|record| {
            let first = record.first_solved as usize;
            let impulses = self.solver.contact_impulses();
            ContactView {
                a: record.a,
                b: record.b,
                is_touching: record.is_touching,
                is_sensor: record.is_sensor,
                manifolds: self.contacts.manifolds_of(record),
                impulses: impulses.get(first..first.saturating_add(record.n as usize)).unwrap_or(&[]),
            }
        })
    }

    /// What began, persisted and ended at the last detection, and what fast bodies struck and which sensors were passed in the step
    /// after it; sorted by the bodies.
    pub fn events(&self) -> &[Event] {
        &self.contacts.events
    }

    /// Counts and times of the last step or detection.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The settings.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// The settings of the solver, to be changed between steps. The next step checks them, and
    /// wakes what a change concerns.
    pub fn solver_settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings.solver
    }

    /// The broad phase, for queries of one's own.
    pub fn broad_phase(&self) -> &B {
        &self.broad
    }

    /// The joints with their handles, in the order of insertion.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &Joint)> + '_ {
        self.joints.iter()
    }

    /// A number that tells two states apart: equal for equal bits of all poses, velocities, and sleep.
    ///
    /// Fowler, Noll, Vo: FNV-1a with 64 bits.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut take = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for id in self.body_ids() {
            let body = &self.bodies.motions[id.index as usize];
            take(id.index);
            body.pose.rotation.to_array().iter().for_each(|x| take(x.to_bits()));
            for v in [body.pose.translation, body.linear_velocity, body.angular_velocity] {
                v.to_array().iter().for_each(|x| take(x.to_bits()));
            }
            take(u32::from(body.is_sleeping));
        }
        hash
    }
}
