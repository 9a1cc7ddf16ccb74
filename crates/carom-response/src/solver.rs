//! One step of a world of rigid bodies in contact: its phases in order.
//!
//! - `Solver::run_phases` lists the phases of a step. Each one is a method of the struct that owns
//!   its data. `step/substeps.rs` lists the phases of a substep.
//! - Impulses are cached by pair and feature for the next step (warm starting).
//! - [`Solver::islands`] reports for how long each island has been at rest.
//!   [`Sleepers`](crate::Sleepers) puts islands to sleep.
//! - The order of all operations depends only on the indices of bodies and parts.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., figure 25.2 and 25.9.

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::states::BodyStates;
use crate::contacts::contact::{ContactImpulse, ContactPair, Contacts};
use crate::contacts::step_contacts::StepContacts;
use crate::impulses::balance::Balance;
use crate::impulses::cache::ImpulseCache;
use crate::impulses::constraints::ContactConstraints;
use crate::impulses::energy::{EnergyBound, EnergyInput};
use crate::impulses::impulse_list::{CachedImpulse, ImpulseList};
use crate::impulses::load::{LoadScale, WorldLoad};
use crate::impulses::reports::ContactReports;
use crate::joints::constraints::{JointConstraints, MovingJointsMut};
use crate::joints::joint::{Joint, MovingJoints};
use crate::settings::{SolverError, SolverSettings};
use crate::sleep::island::{IslandMember, Islands};
use crate::step::backend;
use crate::step::context::StepContext;
use crate::step::substep::{OnSubstep, Substep};
use crate::step::substeps::Substeps;
use alloc::vec::Vec;
use carom_math::{Real, Vec3};

/// Counts of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SolverStats {
    /// Dynamic bodies that were moved.
    pub n_awake: usize,
    /// Islands of these bodies.
    pub n_islands: usize,
    /// Manifolds that were solved.
    pub n_manifolds: usize,
    /// Contacts in these manifolds.
    pub n_contacts: usize,
    /// Contacts that were warm started: their impulses were known from the step before.
    pub n_warm: usize,
    /// Colours of the graph colouring. Manifolds of one colour share no moving body.
    pub n_colors: usize,
    /// Substeps of this step.
    pub n_substeps: u32,
    /// Groups of bodies whose impulses were reduced because they would have added energy.
    pub n_bounded: usize,
}

/// The solver: its settings, the impulses that it caches from step to step, and its workspace.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    settings: SolverSettings,
    // The memory of the next step.
    cache: ImpulseCache,
    load: WorldLoad,
    // The input and the reports of a step. The reports are kept until the next step.
    pub(crate) contacts: StepContacts,
    active: ActiveBodies,
    islands: Islands,
    reports: ContactReports,
    // Workspace. The states are kept for `may_gain_energy`.
    bodies: BodyStates,
    constraints: ContactConstraints,
    joints: JointConstraints,
    balance: Balance,
    energy: EnergyBound,
}

/// The state that a solver carries from step to step, for snapshots.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverMemory {
    pub(crate) cached: Vec<CachedImpulse>,
    pub(crate) cache_h: Real,
    pub(crate) load: WorldLoad,
    /// Pairs of bodies that sleep or are suspended. Each entry has the body that it is stored
    /// under, the length of the substep of its impulses, and the pair.
    pub(crate) asleep: Vec<(u32, Real, CachedImpulse)>,
}

impl Solver {
    /// Returns a solver without cached impulses.
    pub fn new(settings: SolverSettings) -> Solver {
        Solver { settings, ..Solver::default() }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Returns the settings, for changes between steps. The solver does not know the bodies. If a
    /// change acts on sleeping bodies, wake them ([`Body::wake`]).
    pub fn settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings
    }

    /// Drops all cached impulses. Call it after bodies were renumbered or a scene was replaced.
    pub fn clear(&mut self) {
        self.cache.clear();
        self.reports.impulses.clear();
        self.load = WorldLoad::default();
    }

    /// Drops the cached impulses of a body. Call it if another body gets the same index.
    pub fn forget(&mut self, body: usize) {
        if let Ok(body) = u32::try_from(body) {
            self.cache.forget(body);
        }
    }

    /// Returns the state that the next step depends on.
    pub fn memory(&self) -> SolverMemory {
        SolverMemory {
            cached: self.cache.present().collect(),
            cache_h: self.cache.h,
            load: self.load,
            asleep: self.cache.sleeping.iter().collect(),
        }
    }

    /// Restores a state. With the same settings and bodies, the solver continues as the one that
    /// returned `memory`.
    pub fn restore(&mut self, memory: &SolverMemory) {
        self.reports.impulses.clear();
        self.cache.clear();
        for (body, h, cached) in &memory.asleep {
            self.cache.sleeping.put(*body, cached, *h);
        }
        self.cache.last = ImpulseList::of(memory.cached.iter().copied());
        self.cache.h = memory.cache_h;
        self.load = memory.load;
    }

    /// Returns the impulses of each contact pair of the last step, in the order of its input. They
    /// include those of bounces. Pairs in which neither body moves were not solved, and have zero.
    pub fn contact_impulses(&self) -> &[ContactImpulse] {
        &self.reports.impulses
    }

    /// Returns the force of the contacts of two bodies on B, friction included, in the world frame.
    /// It is that of the last substep in which they were solved, so sleeping bodies have it too.
    /// Zero without contacts.
    ///
    /// The bodies are found by their indices. For an index that was reused since that step, it is
    /// the force on the removed body.
    pub fn contact_force(&self, a: u32, b: u32) -> Vec3 {
        self.cache.force_on([a, b])
    }

    /// Returns the length of the substeps of the last step that moved bodies, a time; 0 before it.
    pub fn substep_length(&self) -> Real {
        self.cache.h
    }

    /// Returns the number of substeps that the next step of `dt` would have with these settings. It
    /// also depends on the lengths of the last steps, and on the load of the world.
    pub fn n_substeps(&self, settings: &SolverSettings, dt: Real) -> u32 {
        self.load.substeps(settings, dt)
    }

    /// Whether something other than gravity, forces, torques and joints may have given energy to a
    /// body in the last step: the callback before a substep, or a contact with a moving surface or
    /// a spring.
    pub fn may_gain_energy(&self, body: u32) -> bool {
        self.active.active_slot(body).is_some_and(|slot| self.bodies.may_gain_energy(slot))
    }

    /// Returns the same list to be changed, for an owner that reports other contact points than it
    /// gave to the step. No step reads it.
    pub fn contact_impulses_mut(&mut self) -> &mut [ContactImpulse] {
        &mut self.reports.impulses
    }

    /// Returns the bodies that forces moved in the last step, in ascending order, each with its
    /// island. The list is empty after a step of zero length.
    ///
    /// [`Sleepers::fall_asleep`](crate::Sleepers::fall_asleep) reads it.
    pub fn islands(&self) -> impl Iterator<Item = IslandMember> + '_ {
        self.islands.members(&self.active)
    }

    /// Advances the bodies by the time `dt`, finite and not negative. An error changes no body.
    ///
    /// `contacts` are the manifolds for the present poses of the bodies, in the world frame.
    /// Manifolds between two bodies that sleep or cannot move may be left out; their impulses stay
    /// cached. Cached impulses are matched by the indices of the bodies, the parts, and the
    /// features of the contacts.
    ///
    /// Equal input gives equal bits. Input in another order gives the same bits too, if no two
    /// pairs have the same bodies and parts.
    pub fn step(
        &mut self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &mut [Joint],
        dt: Real,
    ) -> Result<SolverStats, SolverError> {
        let contacts = &Contacts::Pairs(contacts);
        // Reuses the allocation.
        let mut all = core::mem::take(&mut self.joints.all);
        all.clear();
        all.extend(0..joints.len() as u32);
        let joints = MovingJointsMut { list: joints, indices: &all };
        let stats = self.begin(bodies, None, contacts, joints.view(), dt).map(|()| {
            self.active.select_all(bodies);
            self.advance(bodies, contacts, joints, dt, None)
        });
        self.joints.all = all;
        self.contacts.details.clear();
        stats
    }

    /// Advances the bodies like [`Solver::step`], for a world in which most bodies sleep. It reads
    /// only the bodies in `active` and those that contacts and joints connect with them. The cost
    /// does not depend on the others.
    ///
    /// - `active` are indices of bodies, ascending. They include all bodies that are dynamic and
    ///   awake, and all that their owner moves. Other bodies are not moved, asleep or not.
    /// - The list with the joints has indices of joints, ascending. They include all joints of
    ///   these bodies. Other joints are not read.
    ///
    /// The step wakes no body. If a moving body touches a sleeping one, wake that body and its
    /// island before the step ([`Sleepers`](crate::Sleepers)).
    ///
    /// `on_substep` is called before each substep, and may change the motions of the bodies that
    /// move. With a callback the thread pool is entered for each loop, so the step takes longer.
    pub fn step_awake(
        &mut self,
        bodies: &mut [Body],
        active: &[u32],
        contacts: &Contacts<'_>,
        (joints, moving_joints): (&mut [Joint], &[u32]),
        dt: Real,
        on_substep: Option<&mut dyn FnMut(Substep<'_>)>,
    ) -> Result<SolverStats, SolverError> {
        let joints = MovingJointsMut { list: joints, indices: moving_joints };
        let stats = self.begin(bodies, Some(active), contacts, joints.view(), dt).map(|()| {
            self.active.select_listed(bodies.len(), active);
            self.advance(bodies, contacts, joints, dt, on_substep)
        });
        self.contacts.details.clear();
        stats
    }

    /// Checks the input of a step, and summarizes the contacts. `listed` are the bodies that may be
    /// active; `None` is all.
    fn begin(
        &mut self,
        bodies: &[Body],
        listed: Option<&[u32]>,
        contacts: &Contacts<'_>,
        joints: MovingJoints<'_>,
        dt: Real,
    ) -> Result<(), SolverError> {
        self.settings.check(dt)?;
        if let Some(listed) = listed {
            self.active.check_listed(bodies, listed, backend::classify)?;
        } else if let Some(body) = bodies.iter().position(|body| !body.is_finite()) {
            return Err(SolverError::BodyNotFinite(body));
        }
        self.contacts.summarize(bodies.len(), contacts, &self.settings)?;
        joints.check(bodies.len())
    }

    /// Advances the active bodies. The input is checked.
    fn advance(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        joints: MovingJointsMut<'_>,
        dt: Real,
        on_substep: OnSubstep<'_>,
    ) -> SolverStats {
        self.cache.wake(&self.active);
        self.reports.begin(contacts.len());
        if dt == 0.0 {
            self.reports.set_zero();
            self.islands.clear();
            return SolverStats::default();
        }
        let n_substeps = self.load.begin(&self.settings, dt);
        let h = dt / n_substeps as Real;
        let context = &StepContext { settings: self.settings, contacts, dt, h, n_substeps };
        match on_substep {
            None => backend::inside(|| self.run_phases(context, bodies, joints, None)),
            // The callback runs on the thread of the caller.
            Some(_) => self.run_phases(context, bodies, joints, on_substep),
        }
    }

    /// Runs the phases of a step, in their order: preparation, substeps, and results.
    fn run_phases(
        &mut self,
        context: &StepContext<'_>,
        bodies: &mut [Body],
        mut joints: MovingJointsMut<'_>,
        on_substep: OnSubstep<'_>,
    ) -> SolverStats {
        let mut stats = SolverStats { n_substeps: context.n_substeps, ..SolverStats::default() };
        self.find_islands_and_colors(bodies, joints.view());
        let Solver { contacts, active, islands, cache, constraints, .. } = self;
        cache.match_contacts(context, contacts, active, bodies);
        self.bodies.load(context, bodies, active, islands);
        islands.reset_disturbed(bodies);
        (stats.n_warm, stats.n_contacts) =
            constraints.load(context, contacts, cache, active, &mut self.bodies);
        self.joints.load(bodies, joints.view(), contacts, active, islands, &mut self.bodies);

        self.run_substeps(context, bodies, &mut joints, on_substep);

        self.reports.store(&self.constraints, &self.contacts, &mut self.cache.next.impulses);
        stats.n_bounded = self.bound_energy(context, bodies);
        self.bodies.store(context, bodies, &self.active, &self.islands);
        self.finish_islands(context);
        self.cache.finish(context.h);
        self.reports.add_bounces();
        joints.reset_overflow();
        self.shrink_unused();
        self.counts(stats)
    }

    /// Finds the active contacts, their colours, and the islands.
    fn find_islands_and_colors(&mut self, bodies: &[Body], joints: MovingJoints<'_>) {
        let Solver { contacts, active, islands, constraints, .. } = self;
        contacts.select(active);
        let mut are_colored = false;
        backend::both(
            active.len(),
            || are_colored = constraints.color(contacts, active),
            || islands.find(bodies, joints, &contacts.summaries, &contacts.details.surfaces, active),
        );
        if !are_colored {
            // Some selected contacts move no body: leave them out, and colour again.
            contacts.find_active(active);
            constraints.color(contacts, active);
        }
    }

    fn run_substeps(
        &mut self,
        context: &StepContext<'_>,
        bodies: &[Body],
        joints: &mut MovingJointsMut<'_>,
        on_substep: OnSubstep<'_>,
    ) {
        let (colors, pass) = self.constraints.solver(context);
        Substeps {
            context,
            active: &self.active,
            contacts: &self.contacts,
            touches: self.islands.touches(),
            bodies: &mut self.bodies,
            colors,
            pass,
            joints: self.joints.passes(context, joints),
            balance: &mut self.balance,
            bounces: &mut self.reports.bounces,
            elapsed: 0.0,
        }
        .run(bodies, on_substep);
    }

    /// Bounds the energy that contacts add. Returns how many groups of bodies were reduced.
    fn bound_energy(&mut self, context: &StepContext<'_>, bodies: &[Body]) -> usize {
        let Solver { contacts, active, islands, reports, .. } = self;
        let BodyStates { states, masses, free, .. } = &mut self.bodies;
        let impulses = &reports.impulses;
        let input = EnergyInput { context, bodies, active, masses, free, islands, contacts, impulses };
        let n_bounded = self.energy.bound(&input, states);
        if 0 < n_bounded {
            let cached = &mut self.cache.next.impulses;
            self.energy.reduce_cached(&input, self.constraints.lanes(), cached);
        }
        n_bounded
    }

    /// Finds the rest times and the loads of islands, and the order of cached impulses.
    fn finish_islands(&mut self, context: &StepContext<'_>) {
        let Solver { contacts, active, islands, cache, constraints, .. } = self;
        backend::both(
            active.len(),
            || cache.write_order(contacts, constraints.lanes()),
            || islands.finish(active, &self.bodies.rest_times),
        );
        let jointed = self.joints.loaded_islands(islands);
        let scale = LoadScale::new(&self.settings, context.h);
        self.load.note(constraints.groups(), jointed, &scale, islands);
    }

    /// Adds the counts of the present lists.
    fn counts(&self, stats: SolverStats) -> SolverStats {
        SolverStats {
            n_awake: self.islands.n_awake,
            n_islands: self.islands.n_islands,
            n_manifolds: self.contacts.active.len(),
            n_colors: self.constraints.colors().n_colors(),
            ..stats
        }
    }

    /// Shrinks buffers that are far larger than this step needed, as after a world fell asleep.
    fn shrink_unused(&mut self) {
        self.bodies.shrink_unused();
        self.cache.shrink_unused();
        self.contacts.shrink_unused();
        self.constraints.shrink_unused();
        self.reports.shrink_unused();
    }
}
