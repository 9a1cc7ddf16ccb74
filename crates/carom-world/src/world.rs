//! The pipeline, top to bottom: boxes, pairs, contacts, response.
//!
//! - [`World::step`] runs all phases, one method each. [`World::detect`] runs the first half only:
//!   boxes, pairs and contacts.
//! - The number of a body is that of its proxy in the broad phase.
//! - Everything is processed in the order of these numbers, so the result does not depend on the
//!   broad phase or on the number of threads.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad
//! phase, mid and narrow phase, response).

use crate::WorldError;
use crate::bodies::BodySet;
use crate::bodies::id::ColliderSlot;
use crate::budget::BudgetState;
use crate::budget::cost_model::CostModel;
use crate::budget::round_robin::RoundRobin;
use crate::budget::time_critical::StepBudget;
use crate::contacts::ContactSet;
use crate::contacts::events::{ContactView, Event};
use crate::contacts::pair_state::PairState;
use crate::continuous::{Continuous, ContinuousStep};
use crate::hooks::{Hooks, NoHooks};
use crate::joint::Joints;
use crate::settings::WorldSettings;
use crate::stats::{Clock, StepStats};
use crate::step_options::StepOptions;
use crate::substeps::Guarded;
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Pair};
use carom_geom::Manifold;
use carom_math::{Budget, clock};
use carom_response::{Solver, SolverSettings};

/// The broad phase of a world that names none: a tree of boxes that is kept from step to step.
#[cfg(feature = "tree")]
pub type DefaultBroadPhase = carom_broad_tree::DynamicBvh;

/// The broad phase of a world that names none. Without the feature `tree` it tests every pair.
#[cfg(not(feature = "tree"))]
pub type DefaultBroadPhase = carom_broad::BruteForce;

/// A set of bodies and joints, with all that a step keeps for the next one: contacts, cached
/// impulses, sleep.
///
/// The results do not depend on `B`, the broad phase.
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
    pub(crate) stats: StepStats,
    #[cfg(feature = "soft")]
    pub(crate) soft: crate::soft::set::Soft,
}

/// The settings and the time step of the last step, to notice changes of either.
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
        World::with_broad_phase(DefaultBroadPhase::new(), WorldSettings::default())
    }

    /// An empty world with these settings. If one is out of its bounds, each step returns an error:
    /// [`WorldSettings::check`].
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
                cost_model: CostModel::default(),
                next_pair: Pair { a: 0, b: 0 },
                round_robin: RoundRobin::default(),
            },
            stats: StepStats::default(),
            #[cfg(feature = "soft")]
            soft: crate::soft::set::Soft::default(),
        }
    }

    /// Does one step: finds all contacts at the present poses, then moves the bodies by `dt`.
    ///
    /// Errors: a time step or a setting out of its bounds, which changes nothing; or a body whose
    /// numbers leave the finite range, in which case all bodies keep their poses.
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
    /// No time passes for suspended bodies, and in deferred calls for all dynamic bodies. Otherwise
    /// all of `dt` passes. Energy does not grow (test:
    /// `budget::steps_are_counted_and_nothing_explodes`).
    ///
    /// Even the smallest budget runs the broad phase, tests one pair, and moves kinematic bodies.
    /// Unless the call is deferred, at least one dynamic body moves too, with all bodies that
    /// joints connect to it.
    ///
    /// One unit of work is a test of a pair of shapes, or a manifold in one substep
    /// ([`StepStats::n_steps`]). A budget in these units gives the same bits in every run (test:
    /// `budget::the_same_bits_with_the_same_steps`). A budget in seconds is planned from measured
    /// costs of earlier steps, and at first from the costs of a slow machine. Without a clock it is
    /// an error.
    pub fn step_with_budget(&mut self, dt: f32, budget: Budget) -> Result<&StepStats, WorldError> {
        self.step_with(dt, StepOptions::new().with_budget(budget))
    }

    /// Does one step with these options: budget, hooks, and a callback before each substep.
    /// [`World::step`] and [`World::step_with_budget`] call it.
    pub fn step_with(&mut self, dt: f32, options: StepOptions<'_>) -> Result<&StepStats, WorldError> {
        let StepOptions { budget, hooks, on_substep } = options;
        let mut on_substep = Guarded::new(on_substep);
        let is_done = self.step_all(dt, budget, hooks, &mut on_substep);
        on_substep.end();
        is_done.map(|()| &self.stats)
    }

    fn step_all(
        &mut self,
        dt: f32,
        budget: Budget,
        hooks: Option<&dyn Hooks>,
        on_substep: &mut Guarded<'_>,
    ) -> Result<(), WorldError> {
        let mut step_budget = self.start_budget(dt, budget)?;
        // Broad and narrow phase: which bodies touch, and where.
        self.bodies.active.apply_changes(&self.bodies.motions);
        if 0.0 < dt {
            self.start_for_targets(dt);
        }
        self.expand_bounds(dt);
        if 0.0 < dt {
            self.expand_bounds_of_deforming();
        }
        let filter = hooks.unwrap_or(&NoHooks);
        self.detect_within(&mut step_budget, self.settings.recycled_for(), Some(filter));
        let mut clock = Clock::start();
        let is_moving = self.bodies.are_moving()
            || self.bodies.deforming.is_pending()
            || (0.0 < dt && self.is_soft_awake());
        if self.stats.n_tested + self.stats.shortfall.n_pairs == 0 && !is_moving {
            return Ok(());
        }
        if 0.0 < dt && step_budget.is_deferred(self.stats.n_tested, self.stats.shortfall.n_pairs) {
            self.end_deferred_call(&step_budget, dt);
            return Ok(());
        }
        self.call_hooks(hooks);
        // Response: velocities and poses.
        self.respond(dt, &step_budget, on_substep)?;
        let moved = clock.lap();
        if 0.0 < dt {
            self.swap_deformed();
            self.resolve_continuous();
            self.end_deformation();
        }
        self.stats.times.continuous = clock.lap();
        self.stats.times.response = moved + self.stats.times.continuous;
        // Boxes follow the poses, so that queries find the bodies where they are.
        self.refit_moved(step_budget.is_unlimited());
        self.stats.times.refit = clock.lap();
        self.note_work(&step_budget);
        if 0.0 < dt {
            self.break_joints();
            self.apply_responses();
        }
        Ok(())
    }

    /// Whether soft things move in this step even if no body does.
    #[cfg(not(feature = "soft"))]
    fn is_soft_awake(&self) -> bool {
        false
    }

    /// Checks the time step and the settings, applies changed settings, and starts the budget.
    fn start_budget(&mut self, dt: f32, budget: Budget) -> Result<StepBudget, WorldError> {
        if matches!(budget, Budget::Time(_)) && !clock::IS_THERE {
            return Err(WorldError::NoClock);
        }
        self.settings.solver.check(dt)?;
        self.apply_settings()?;
        Ok(StepBudget::start(budget, self.budget.cost_model, self.settings.solver.substeps))
    }

    /// Finds all contacts at the present poses: see [`World::contacts`] and [`World::events`].
    ///
    /// A step does this first, but may also recycle contacts and suspend bodies. This method moves
    /// no body, but wakes those whose contacts began. It replaces recycled contacts, so the bits of
    /// later steps differ from those of a world without this call. Events that it reports are not
    /// reported again.
    pub fn detect(&mut self) -> &StepStats {
        self.bodies.active.apply_changes(&self.bodies.motions);
        self.detect_within(&mut StepBudget::start(Budget::Unlimited, self.budget.cost_model, 0), 0.0, None);
        &self.stats
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
            stats: &mut self.stats,
        }
    }

    /// Returns the pairs that touched or were near at the last detection, sorted by the numbers of
    /// their bodies. If a body has several colliders, these are pairs of colliders.
    ///
    /// After a step these are the contacts at its start, some of them recycled. [`World::detect`]
    /// finds them at the present poses. A manifold has at most four points, and points of the last
    /// detection are preferred: see [`carom_query::ManifoldCache`].
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_>> {
        let is_near = |state: &&PairState| 0 < state.n || state.is_touching || self.may_sense(state);
        self.contacts.states.iter().filter(is_near).flat_map(|state| {
            let solids = self.bodies.solids([&[], &[]]);
            let is_composite = solids.is_composite(state.a.index as usize, state.b.index as usize);
            let several = if is_composite { self.collider_contacts(state) } else { Vec::new() };
            let manifolds = self.contacts.manifolds_of(state);
            let impulses = self.solver.contact_impulses().get(state.solved_range()).unwrap_or(&[]);
            let one = (!is_composite).then_some(ContactView {
                a: state.a,
                b: state.b,
                collider_a: ColliderSlot::FIRST.on(state.a),
                collider_b: ColliderSlot::FIRST.on(state.b),
                is_touching: state.is_touching,
                is_sensor: state.is_sensor,
                manifolds,
                impulses,
            });
            one.into_iter().chain(several)
        })
    }

    /// Whether sensors of a pair may touch although its pair state does not.
    fn may_sense(&self, state: &PairState) -> bool {
        let (a, b) = (state.a.index as usize, state.b.index as usize);
        !self.contacts.touches.is_empty()
            && !state.is_gap()
            && self.bodies.solids([&[], &[]]).is_composite(a, b)
    }

    /// Returns the contacts of a pair of bodies of which one has several colliders: those with
    /// manifolds, then those that only touch.
    fn collider_contacts(&self, state: &PairState) -> Vec<ContactView<'_>> {
        let (a, b, mut views) = (state.a, state.b, Vec::new());
        let solids = self.bodies.solids([&[], &[]]);
        let slots_of = |manifold: &Manifold| solids.slots_of([a.index as usize, b.index as usize], manifold);
        let key = (a, b);
        let touches = &self.contacts.touches;
        let first = touches.partition_point(|touch| (touch.a, touch.b) < key);
        let touches = touches[first..].iter().take_while(|touch| (touch.a, touch.b) == key);
        let mut impulses = self.solver.contact_impulses().get(state.solved_range()).unwrap_or(&[]);
        let view = |slots: [ColliderSlot; 2], manifolds, impulses, is_touching, is_sensor| {
            let (collider_a, collider_b) = (slots[0].on(a), slots[1].on(b));
            ContactView { a, b, collider_a, collider_b, is_touching, is_sensor, manifolds, impulses }
        };
        for manifolds in self.contacts.manifolds_of(state).chunk_by(|x, y| slots_of(x) == slots_of(y)) {
            let (own, rest) = impulses.split_at(manifolds.len().min(impulses.len()));
            impulses = rest;
            let slots = slots_of(&manifolds[0]);
            let is_touching = touches.clone().any(|touch| touch.slots == slots);
            views.push(view(slots, manifolds, own, is_touching, false));
        }
        for touch in touches {
            let is_known =
                |known: &ContactView<'_>| [known.collider_a.slot, known.collider_b.slot] == touch.slots;
            if !views.iter().any(is_known) {
                views.push(view(touch.slots, &[], &[], true, touch.is_sensor));
            }
        }
        views
    }

    /// Returns the contacts that began, persisted and ended at the last detection, sorted by the
    /// bodies. After a step they include impacts of fast bodies, and sensors that a body passed
    /// within the step.
    pub fn events(&self) -> &[Event] {
        &self.contacts.events
    }

    /// Returns the counts and times of the last step or detection.
    pub fn stats(&self) -> &StepStats {
        &self.stats
    }

    /// The settings.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// The settings of the solver, for changes between steps. The next step checks them, and wakes
    /// the bodies that a change concerns.
    pub fn solver_settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings.solver
    }

    /// The broad phase, for queries beyond those of the world.
    pub fn broad_phase(&self) -> &B {
        &self.broad
    }

    /// A hash of all poses, velocities and sleep flags: equal bits give equal hashes. Soft things
    /// are in it, if there are any.
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
        #[cfg(feature = "soft")]
        if let Some(set) = &self.soft.set {
            for thing in set.things() {
                for v in thing.positions.iter().chain(&thing.velocities) {
                    v.to_array().iter().for_each(|x| take(x.to_bits()));
                }
            }
            take(u32::from(set.resting.is_sleeping));
        }
        hash
    }
}
