//! One step of a world of rigid bodies in contact: all stages in order.
//!
//! - Each substep applies forces and restitution, solves joints and contacts, and integrates the
//!   poses. Then it relaxes the joints, applies restitution again, and relaxes the contacts.
//!   Jointed bodies that land are relaxed again: see `joints/passes.rs`.
//! - Impulses are cached by pair and feature for the next step (warm starting).
//! - [`Solver::islands`] reports for how long each island has been at rest.
//!   [`Sleepers`](crate::Sleepers) puts islands to sleep.
//! - The order of all operations depends only on the indices of bodies and parts.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., figure 25.2 and 25.9.

use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, Moves, slot_of};
use crate::bodies::gyroscope::Gyroscope;
use crate::bodies::mass::MassData;
use crate::bodies::motion_bounds::MotionBounds;
use crate::contacts::contact::{ContactImpulse, ContactPair, Contacts, PairKey, scale_for};
use crate::contacts::details::ContactDetails;
use crate::contacts::summary::Summary;
use crate::impulses::balance::Balance;
use crate::impulses::cache::{CachedImpulse, ImpulseCache, SleepingImpulses};
use crate::impulses::classes::Classes;
use crate::impulses::color::Coloring;
use crate::impulses::damping::Damping;
use crate::impulses::energy::{self, Energies};
use crate::impulses::group::{Group, GroupDetails, Pass, Round, Stage};
use crate::impulses::group_details::DetailsLoader;
use crate::impulses::impact::{self, Bouncers, Moment};
use crate::impulses::lane_vec::{REST, State};
use crate::impulses::load::{LoadScale, WorldLoad};
use crate::impulses::take_back;
use crate::joints::joint::{Joint, MovingJoints};
use crate::joints::mass::JointMasses;
use crate::joints::passes::{JointPasses, Landings, MAX_PARTING_SPEED, MAX_REPEATS};
use crate::joints::rows::{JointStep, Jointed, Substep as JointSubstep};
use crate::joints::softness::Softness;
use crate::memory::{self, shrink_unused};
use crate::settings::{SolverError, SolverSettings};
use crate::sleep::island::{IslandMember, Islands};
use crate::sleep::rest::Touch;
#[cfg(not(feature = "parallel"))]
use crate::step::chunks as backend;
use crate::step::chunks::{Advance, Forces, Limits, Manifolds, Moved};
#[cfg(feature = "parallel")]
use crate::step::par as backend;
use crate::step::prepare::StepInput;
use crate::step::substep::{self, BodyMotion, OnSubstep, Substep};
use alloc::collections::BTreeMap;
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
    islands: Islands,
    coloring: Coloring,
    /// The pairs of the last step.
    cached: ImpulseCache,
    /// Cached impulses of pairs in which no body moves and one sleeps or is suspended. The key is
    /// the index of that body, or the larger index if both do.
    asleep: BTreeMap<u32, SleepingImpulses>,
    /// Length of the substeps of the last step, in which the cached impulses acted.
    cache_h: Real,
    load: WorldLoad,
    impulses: Vec<ContactImpulse>,
    /// Bodies that move in this step, ascending. The position of a body here is the slot of its
    /// state.
    movers: Vec<u32>,
    /// The slot of each body; [`STILL`] for a body that does not move.
    slots: Vec<u32>,
    /// The optional details of contacts. Each step empties them.
    pub(crate) details: ContactDetails,
    // Workspace.
    group_details: Vec<GroupDetails>,
    rounds: Vec<Round>,
    summaries: Vec<Summary>,
    /// Whether all contacts are plain: [`Verdict::are_plain`](crate::contacts::summary::Verdict).
    are_plain: bool,
    active: Vec<u32>,
    bouncing: Vec<u32>,
    /// The impulses of the bounces of this step, by contact.
    bounces: Vec<(u32, ContactImpulse)>,
    matched: Vec<u32>,
    /// Positions of cached pairs that are no longer among the contacts.
    unmatched: Vec<u32>,
    /// The pairs of this step.
    solved: ImpulseCache,
    /// Indexed by lane: lane `k` of group `g` is at `8 * g + k`.
    reports: Vec<ContactImpulse>,
    classes: Classes,
    groups: Vec<Group>,
    states: Vec<State>,
    masses: Vec<MassData>,
    free: Vec<FreeMotion>,
    is_active: Vec<bool>,
    settles: Vec<bool>,
    /// By slot: for how long a body has been at rest.
    rest_times: Vec<Real>,
    /// By slot: how a body is supported.
    touches: Vec<Touch>,
    /// How each body that the caller listed moves.
    moves: Vec<Moves>,
    disturbed: Vec<u32>,
    all_joints: Vec<u32>,
    joint_steps: Vec<JointStep>,
    gyroscopes: Vec<Gyroscope>,
    joint_masses: JointMasses,
    landings: Landings,
    balance: Balance,
    joint_pushes: Vec<(Vec3, Vec3)>,
    motion_bounds: MotionBounds,
    energies: Energies,
    substep_motions: Vec<BodyMotion>,
}

/// The state that a solver carries from step to step, for snapshots.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverMemory {
    #[cfg_attr(feature = "serde", serde(rename = "kept"))]
    pub(crate) cached: Vec<CachedImpulse>,
    #[cfg_attr(feature = "serde", serde(rename = "kept_h"))]
    pub(crate) cache_h: Real,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) load: WorldLoad,
    /// Pairs of bodies that sleep or are suspended. Each entry has the body that it is stored
    /// under, the length of the substep of its impulses, and the pair.
    pub(crate) asleep: Vec<(u32, Real, CachedImpulse)>,
}

/// The slot of a body that does not move.
const STILL: u32 = u32::MAX;

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
        self.cached.clear();
        self.asleep.clear();
        self.impulses.clear();
        self.load = WorldLoad::default();
    }

    /// Drops the cached impulses of a sleeping body. Call it if another body gets the same index.
    pub fn forget(&mut self, body: usize) {
        if let Ok(body) = u32::try_from(body) {
            self.asleep.remove(&body);
        }
    }

    /// Returns the state that the next step depends on.
    pub fn memory(&self) -> SolverMemory {
        let of = |(&body, sleeping): (&u32, &SleepingImpulses)| {
            let h = sleeping.h;
            sleeping.own.iter().map(move |&cached| (body, h, cached)).collect::<Vec<_>>()
        };
        let asleep = self.asleep.iter().flat_map(of).collect();
        SolverMemory { cached: self.cached.iter().collect(), cache_h: self.cache_h, load: self.load, asleep }
    }

    /// Restores a state. With the same settings and bodies, the solver continues as the one that
    /// returned `memory`.
    pub fn restore(&mut self, memory: &SolverMemory) {
        self.impulses.clear();
        self.asleep.clear();
        for (body, h, cached) in &memory.asleep {
            self.asleep.entry(*body).or_default().put(cached, *h);
        }
        self.cached = ImpulseCache::of(memory.cached.iter().copied());
        self.cache_h = memory.cache_h;
        self.load = memory.load;
    }

    /// Returns the impulses of each contact pair of the last step, in the order of its input. They
    /// include those of bounces. Pairs in which neither body moves were not solved, and have zero.
    pub fn contact_impulses(&self) -> &[ContactImpulse] {
        &self.impulses
    }

    /// Returns the length of the substeps of the last step that moved bodies, a time; 0 before it.
    pub fn substep_length(&self) -> Real {
        self.cache_h
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
        let slot = self.slots.get(body as usize).filter(|&&slot| slot != STILL);
        slot.and_then(|&slot| self.free.get(slot as usize)).is_some_and(FreeMotion::may_be_given_energy)
    }

    /// Returns the same list to be changed, for an owner that reports other contact points than it
    /// gave to the step. No step reads it.
    pub fn contact_impulses_mut(&mut self) -> &mut [ContactImpulse] {
        &mut self.impulses
    }

    /// Returns the bodies that forces moved in the last step, in ascending order, each with its
    /// island. The list is empty after a step of zero length.
    ///
    /// [`Sleepers::fall_asleep`](crate::Sleepers::fall_asleep) reads it.
    pub fn islands(&self) -> impl Iterator<Item = IslandMember> + '_ {
        let members = self.movers.iter().zip(&self.is_active).zip(self.islands.roots());
        members.filter(|((_, is_active), _)| **is_active).map(|((&body, _), &root)| IslandMember {
            body,
            island: self.movers[root as usize],
            rest_time: self.islands.rest_time(root),
        })
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
        let stats = self.step_checked(bodies, contacts, joints, dt);
        self.details.clear();
        stats
    }

    fn step_checked(
        &mut self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &mut [Joint],
        dt: Real,
    ) -> Result<SolverStats, SolverError> {
        self.settings.check(dt)?;
        if let Some(body) = bodies.iter().position(|b| !b.is_finite()) {
            return Err(SolverError::BodyNotFinite(body));
        }
        let contacts = &Contacts::Pairs(contacts);
        self.summarize(bodies.len(), contacts)?;
        // Reuses the allocation.
        let mut all = core::mem::take(&mut self.all_joints);
        all.clear();
        all.extend(0..joints.len() as u32);
        let stats = self.step_all(bodies, contacts, (joints, &all), dt);
        self.all_joints = all;
        stats
    }

    fn step_all(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        (joints, all): (&mut [Joint], &[u32]),
        dt: Real,
    ) -> Result<SolverStats, SolverError> {
        MovingJoints { list: joints, indices: all }.check(bodies.len())?;
        self.take_movers(bodies.len(), (0..).zip(bodies.iter().map(Moves::of)));
        self.advance(bodies, contacts, (joints, all), dt, None)
    }

    /// Advances the bodies like [`Solver::step`], for a world in which most bodies sleep. It reads
    /// only the bodies in `movers` and those that contacts and joints connect with them. The cost
    /// does not depend on the others.
    ///
    /// - `movers` are indices of bodies, ascending. They include all bodies that are dynamic and
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
        movers: &[u32],
        contacts: &Contacts<'_>,
        (joints, moving_joints): (&mut [Joint], &[u32]),
        dt: Real,
        on_substep: Option<&mut dyn FnMut(Substep<'_>)>,
    ) -> Result<SolverStats, SolverError> {
        let joints = (joints, moving_joints);
        let stats = self.step_awake_checked(bodies, movers, contacts, joints, dt, on_substep);
        self.details.clear();
        stats
    }

    fn step_awake_checked(
        &mut self,
        bodies: &mut [Body],
        movers: &[u32],
        contacts: &Contacts<'_>,
        (joints, moving_joints): (&mut [Joint], &[u32]),
        dt: Real,
        on_substep: OnSubstep<'_>,
    ) -> Result<SolverStats, SolverError> {
        self.settings.check(dt)?;
        let mut next = 0;
        for (index, &mover) in movers.iter().enumerate() {
            if mover < next || bodies.len() <= mover as usize {
                return Err(SolverError::Mover(index));
            }
            next = mover + 1;
        }
        self.moves.resize(movers.len(), Moves::Not);
        if !backend::classify_movers(bodies, movers, &mut self.moves) {
            let bad = movers.iter().find(|&&mover| !bodies[mover as usize].is_finite());
            return Err(SolverError::BodyNotFinite(bad.map_or(0, |&mover| mover as usize)));
        }
        self.summarize(bodies.len(), contacts)?;
        MovingJoints { list: joints, indices: moving_joints }.check(bodies.len())?;
        let moves = core::mem::take(&mut self.moves);
        self.take_movers(bodies.len(), movers.iter().copied().zip(moves.iter().copied()));
        self.moves = moves;
        self.advance(bodies, contacts, (joints, moving_joints), dt, on_substep)
    }

    /// Assigns slots to the bodies that move, and restores the cached impulses of bodies that slept
    /// until now.
    fn take_movers(&mut self, n_bodies: usize, movers: impl Iterator<Item = (u32, Moves)>) {
        for &mover in &self.movers {
            if let Some(slot) = self.slots.get_mut(mover as usize) {
                *slot = STILL;
            }
        }
        self.movers.clear();
        self.is_active.clear();
        for (mover, moves) in movers.filter(|(_, moves)| *moves != Moves::Not) {
            self.movers.push(mover);
            self.is_active.push(moves == Moves::ByForce);
        }
        // The slot of bodies that cannot move.
        self.is_active.push(false);
        self.slots.resize(n_bodies, STILL);
        let mut woken = Vec::new();
        for (slot, &mover) in self.movers.iter().enumerate() {
            self.slots[mover as usize] = slot as u32;
            if !self.asleep.is_empty() {
                let own = self.asleep.remove(&mover).into_iter();
                woken.extend(own.flat_map(|own| own.take_all(self.cache_h)));
            }
        }
        self.cached.extend(woken);
    }

    fn advance(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        joints: (&mut [Joint], &[u32]),
        dt: Real,
        on_substep: OnSubstep<'_>,
    ) -> Result<SolverStats, SolverError> {
        // The values of the step before are overwritten.
        memory::renew(&mut self.impulses, contacts.len(), ContactImpulse::default());
        if dt == 0.0 {
            self.impulses.fill(ContactImpulse::default());
            self.islands.begin(0);
            return Ok(SolverStats::default());
        }
        Ok(match on_substep {
            None => backend::inside(|| self.advance_by(bodies, contacts, joints, dt, None)),
            // The callback runs on the thread of the caller.
            Some(_) => self.advance_by(bodies, contacts, joints, dt, on_substep),
        })
    }

    fn advance_by(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        (joints, moving): (&mut [Joint], &[u32]),
        dt: Real,
        mut on_substep: OnSubstep<'_>,
    ) -> SolverStats {
        let n_substeps = self.load.substeps(&self.settings, dt);
        self.load.note_length(dt);
        let mut stats = SolverStats { n_substeps, ..SolverStats::default() };
        let h = dt / n_substeps as Real;
        self.prepare(bodies, MovingJoints { list: joints, indices: moving }, (dt, h), &mut stats);
        self.load_contacts(contacts, (dt, h), &mut stats);
        self.load_joints(bodies, MovingJoints { list: joints, indices: moving });
        // Moved out of `self` while the groups are borrowed.
        let group_details = core::mem::take(&mut self.group_details);
        let rounds = core::mem::take(&mut self.rounds);
        let details = core::mem::take(&mut self.details);
        let first = Pass { details: &group_details, rounds: &rounds, ..Pass::new(&self.settings, h) };
        let mut elapsed = 0.0;
        let SolverSettings { joint_frequency, joint_damping, .. } = self.settings;
        let softness = Softness::new(joint_frequency.min(0.25 * (1.0 / h)), joint_damping, h);
        let substep = JointSubstep { h, softness, slop: first.slop };
        self.joint_pushes.clear();
        let n_pushes = if moving.is_empty() { 0 } else { self.states.len() };
        self.joint_pushes.resize(n_pushes, (Vec3::ZERO, Vec3::ZERO));
        let Solver { settings, groups, classes, states, free, masses, touches, .. } = self;
        let Solver { joint_steps: steps, joint_pushes, gyroscopes, landings, joint_masses, .. } = self;
        let Solver { bouncing, bounces, slots, movers, motion_bounds, substep_motions, balance, .. } = self;
        bounces.clear();
        let still = movers.len() as u32;
        let slot = |body: u32| slot_of(slots, body, still) as usize;
        let mut colors = backend::Colors::new(groups, classes);
        let mut passes =
            JointPasses { steps, joints, indices: moving, masses: joint_masses, landings, substep };
        let max_parting_speed = MAX_PARTING_SPEED * settings.length_unit;
        for number in 0..n_substeps {
            let (is_first, is_last) = (number == 0, number + 1 == n_substeps);
            if let Some(call) = &mut on_substep {
                substep::read(bodies, movers, states, (free, masses), substep_motions);
                let (index, count, motions) = (number, n_substeps, &mut substep_motions[..]);
                call(Substep { index, count, dt: h, movers, motions });
                substep::write(bodies, movers, (states, free), substep_motions, h);
            }
            passes.begin(states, is_first);
            backend::advance(states, free, joint_pushes, Advance::Begin { is_first });
            balance.begin(is_first, touches);
            if is_first {
                balance.measure(states, |states| colors.run(states, &first));
            }
            if !bouncing.is_empty() {
                let mut bodies = Bouncers { states, free, masses, details: &details, bounces };
                let moment = Moment { h, elapsed, has_begun: true };
                impact::bounce_all(contacts, bouncing, slot, &mut bodies, settings, moment);
            }
            let pushes = &mut joint_pushes[..];
            balance.measure(states, |states| passes.warm_start(&mut Jointed { states, pushes }));
            passes.solve(&mut Jointed { states, pushes: joint_pushes });
            let unbalanced = balance.find(masses, touches, settings.length_unit);
            if !unbalanced.is_empty() {
                colors.run(states, &Pass { stage: Stage::Reduce, unbalanced, ..first });
            }
            colors.run(states, &Pass { stage: Stage::Solve, elapsed, ..first });
            elapsed += h;
            motion_bounds.apply(states);
            backend::advance(states, free, joint_pushes, Advance::End { h, dt });
            gyroscopes.iter().for_each(|gyroscope| gyroscope.turn(states, joint_pushes, h));
            if is_last {
                for _ in 0..take_back::PASSES {
                    colors.run(states, &Pass { stage: Stage::TakeBack, ..first });
                }
            }
            passes.relax(&mut Jointed { states, pushes: joint_pushes });
            if !bouncing.is_empty() {
                // The relaxation predicts one substep ahead, so bounces are applied before it.
                let mut bodies = Bouncers { states, free, masses, details: &details, bounces };
                let moment = Moment { h, elapsed, has_begun: false };
                impact::bounce_all(contacts, bouncing, slot, &mut bodies, settings, moment);
            }
            let stage = if is_last { Stage::Relax } else { Stage::RelaxBetween };
            colors.run(states, &Pass { stage, elapsed, ..first });
            for _ in 0..MAX_REPEATS {
                if !passes.repeat(&mut Jointed { states, pushes: joint_pushes }, max_parting_speed) {
                    break;
                }
                let marks = passes.landings.marks();
                colors.run(states, &Pass { stage: Stage::Repeat, elapsed, marks, ..first });
            }
            passes.add_loads(states);
            motion_bounds.apply(states);
        }
        (self.group_details, self.rounds, self.details) = (group_details, rounds, details);
        stats.n_bounded = self.store(bodies, contacts.len(), h, dt);
        for (contact, bounce) in &self.bounces {
            self.impulses[*contact as usize].add(bounce);
        }
        for &joint in moving {
            joints[joint as usize].reset_overflow();
        }
        self.shrink_buffers();
        stats.n_awake = self.islands.n_awake;
        stats.n_islands = self.islands.n_islands;
        stats
    }

    /// Shrinks buffers that are far larger than this step needed, as after a world fell asleep.
    fn shrink_buffers(&mut self) {
        shrink_unused(&mut self.groups);
        shrink_unused(&mut self.states);
        shrink_unused(&mut self.masses);
        shrink_unused(&mut self.free);
        self.cached.shrink_unused();
        self.solved.shrink_unused();
        shrink_unused(&mut self.summaries);
        shrink_unused(&mut self.impulses);
        shrink_unused(&mut self.reports);
        shrink_unused(&mut self.joint_pushes);
    }

    /// Reads every contact once: validates it, and writes its summary.
    fn summarize(&mut self, n_bodies: usize, contacts: &Contacts<'_>) -> Result<(), SolverError> {
        let slop = self.settings.slop * self.settings.length_unit;
        memory::renew(&mut self.summaries, contacts.len(), Summary::default());
        let verdict = backend::summarize(contacts, 0, n_bodies, slop, &mut self.summaries);
        self.are_plain = verdict.are_plain;
        if verdict.are_good {
            self.details.check(contacts)?;
            for settings in &self.details.settings {
                settings.apply_to(&mut self.summaries[settings.contact as usize]);
            }
            return Ok(());
        }
        for k in 0..contacts.len() {
            if !contacts.is_whole(k) {
                return Err(SolverError::ContactManifold(k));
            }
            let contact = contacts.get(k);
            if !contact.is_between(n_bodies) {
                return Err(SolverError::ContactBody(k));
            }
            if let Some((what, value)) = contact.bad_number() {
                return Err(SolverError::ContactNumber { contact: k, what, value });
            }
        }
        Ok(())
    }

    /// Computes all that is needed before the manifolds are loaded.
    ///
    /// All threads load bodies, each the half that it processes later. This keeps bodies in the
    /// cache of one core. Tried: one thread for bodies and one for manifolds; 5 % slower.
    fn prepare(
        &mut self,
        bodies: &mut [Body],
        joints: MovingJoints<'_>,
        (dt, h): (Real, Real),
        stats: &mut SolverStats,
    ) {
        let n = self.movers.len();
        self.states.resize(n + 1, REST);
        self.masses.resize(n + 1, MassData::NONE);
        self.free.resize(n + 1, FreeMotion::NONE);
        let Solver {
            islands, coloring, cached, asleep, movers, active, bouncing, matched, unmatched, ..
        } = self;
        let Solver { settles, disturbed, touches, classes, states, masses, free, .. } = self;
        let (summaries, slots, is_active, cache_h) =
            (&self.summaries, &self.slots, &self.is_active, self.cache_h);
        let surfaces = &self.details.surfaces[..];
        let input = StepInput { bodies, joints, summaries, surfaces, slots, is_active };
        let forces = Forces {
            bodies,
            gravity: self.settings.gravity,
            rest_from: 0.5 * self.settings.sleep_delay,
            rest_brake: self.settings.settle_braking * self.settings.length_unit * dt,
            h,
            dt,
        };
        if self.are_plain {
            // The usual case: every contact is active.
            active.clear();
            active.extend(0..summaries.len() as u32);
            bouncing.clear();
        } else {
            input.find_active(active, bouncing);
        }
        let mut has_groups = false;
        backend::both(
            n,
            || has_groups = input.build_groups(active, coloring, classes),
            || input.find_islands(islands, settles, disturbed, touches),
        );
        if !has_groups {
            // Some contacts are inactive: filter them and colour again.
            input.find_active(active, bouncing);
            input.build_groups(active, coloring, classes);
        }
        input.match_cached(active, (cached, cache_h), asleep, matched, unmatched);
        backend::load_bodies(&forces, movers, settles, &mut states[..n], &mut masses[..n], &mut free[..n]);
        // The slot of bodies that cannot move.
        (self.states[n], self.masses[n], self.free[n]) = (REST, MassData::NONE, FreeMotion::NONE);
        self.motion_bounds.find(bodies, &self.movers);
        for &body in &self.disturbed {
            bodies[body as usize].rest.begin_anew();
        }
        stats.n_manifolds = self.active.len();
        stats.n_colors = self.classes.n_colors();
    }

    fn load_contacts(&mut self, contacts: &Contacts<'_>, (dt, h): (Real, Real), stats: &mut SolverStats) {
        let still = self.movers.len() as u32;
        let n_groups = self.coloring.n_groups();
        memory::renew(&mut self.groups, n_groups, Group::empty(still));
        // The values of the step before the last are overwritten.
        self.solved.resize(n_groups);
        let from = Manifolds {
            contacts,
            active: &self.active,
            matched: &self.matched,
            cached: &self.cached,
            order: self.coloring.order(),
            slots: &self.slots,
            is_active: &self.is_active,
            masses: &self.masses,
            ratio: scale_for(h, self.cache_h),
            damping: Damping::new(dt, h),
            slop: self.settings.slop * self.settings.length_unit,
            load: LoadScale::new(&self.settings, h),
        };
        (stats.n_warm, stats.n_contacts) =
            backend::load_groups(&from, &self.classes, 0, &mut self.groups, &mut self.solved.manifold_keys);
        let Solver { details, active, coloring, masses, groups, group_details, rounds, free, .. } = self;
        let (indices, substep) = (coloring.indices(), (h, h / dt));
        details.load_impacts(contacts, (active, indices), groups);
        let loader = DetailsLoader { contact_details: details, contacts, active, indices, masses, substep };
        loader.load(groups, group_details, |slots| {
            slots.into_iter().for_each(|slot| free[slot as usize].may_gain_energy = true);
        });
        details.load_rounds((active, indices), groups, rounds);
    }

    /// Prepares each joint for this step.
    fn load_joints(&mut self, bodies: &[Body], joints: MovingJoints<'_>) {
        self.joint_steps.clear();
        self.gyroscopes.clear();
        let still = self.movers.len() as u32;
        let Solver { slots, masses, states, free, joint_steps, joint_masses, is_active, .. } = self;
        let Solver { active, summaries, islands, landings, gyroscopes, .. } = self;
        let slot = |body: u32| slot_of(slots, body, still) as usize;
        for joint in joints.iter().filter(|joint| joint.torsion_spring.is_some()) {
            joint.bodies().for_each(|body| free[slot(body)].is_sprung = true);
        }
        let mut join = |slot, body| gyroscopes.extend(Gyroscope::join(&mut free[slot], slot, body));
        let pair = |[a, b]: [u32; 2]| (slot(a), slot(b));
        let slots_of = |joint: &Joint| pair([joint.body_a, joint.body_b]);
        for joint in joints.iter() {
            let (a, b) = (&bodies[joint.body_a as usize], &bodies[joint.body_b as usize]);
            let (slot_a, slot_b) = slots_of(joint);
            let movable = (is_active[slot_a], is_active[slot_b]);
            if !(movable.0 || movable.1) {
                joint_steps.push(JointStep::idle());
                continue;
            }
            let mut step = JointStep::new(joint, a, b, (slot_a, slot_b), movable);
            if let Some(gear) = &joint.gear {
                let mounts = gear.mounts.map(slot);
                step.mount(gear, bodies, [a, b], mounts);
                for (slot, body) in mounts.into_iter().zip(gear.mounts) {
                    join(slot, &bodies[body as usize]);
                }
            }
            joint_steps.push(step);
            join(slot_a, a);
            join(slot_b, b);
        }
        joint_masses.begin();
        if !joints.indices.is_empty() {
            let links = joints.iter().filter(|joint| joint.gear.is_none()).map(slots_of);
            let contacts = active.iter().map(|&contact| pair(summaries[contact as usize].key.bodies()));
            let steps = joint_steps.iter().zip(joints.iter());
            let levers = steps.flat_map(|(step, joint)| step.levers(joint, masses));
            joint_masses.find(masses, islands.roots(), links, contacts.clone(), levers);
            landings.find(joint_masses, masses.len(), contacts);
            joint_masses.load(masses, joints.iter().flat_map(Joint::bodies).map(slot));
        }
        for (step, joint) in joint_steps.iter_mut().zip(joints.iter()) {
            step.follow(&joint.kind, joint_masses.present(), states);
        }
        landings.find_joints(joint_steps);
    }

    /// Writes states back to bodies and impulses to the cache and the reports, and finds the rest
    /// times of the islands.
    ///
    /// Returns the number of groups of bodies whose impulses were reduced.
    fn store(&mut self, bodies: &mut [Body], n_contacts: usize, h: Real, dt: Real) -> usize {
        let n = self.active.len();
        let Solver {
            settings, islands, movers, is_active, states, masses, free, touches, rest_times, ..
        } = self;
        let Solver {
            cached, solved, active, summaries, classes, coloring, groups, impulses, reports, ..
        } = self;
        let indices = coloring.indices();
        // All entries are overwritten.
        memory::renew(reports, 8 * groups.len(), ContactImpulse::default());
        backend::store_groups(classes, groups, &mut solved.impulses, reports);
        let is_all = n == n_contacts && active.iter().zip(0..).all(|(&contact, k)| contact == k);
        if is_all {
            backend::sort_reports(indices, reports, impulses);
        } else {
            impulses.fill(ContactImpulse::default());
            for (&contact, &index) in active.iter().zip(indices) {
                impulses[contact as usize] = reports[index as usize];
            }
        }
        let still = movers.len() as u32;
        let input = energy::EnergyInput {
            bodies,
            movers,
            masses,
            free,
            islands,
            touches,
            summaries,
            active,
            slots: &|body| slot_of(&self.slots, body, still) as usize,
            impulses,
            dt,
            h,
        };
        let n_bounded = self.energies.bound(&input, states);
        if 0 < n_bounded {
            self.energies.reduce_cached(&input, indices, &mut solved.impulses);
        }
        let unit = settings.length_unit;
        let (max_speed, sleep_speed) = (settings.max_speed * unit, settings.sleep_speed * unit);
        let moved = Moved { movers, states, masses, free, touches };
        rest_times.resize(movers.len(), 0.0);
        let limits = Limits { max_speed, sleep_speed, dt };
        backend::store_bodies(&limits, 0, bodies, &moved, rest_times);
        solved.order.resize(n, (PairKey::default(), 0));
        backend::both(
            movers.len(),
            || backend::note_order(summaries, active, indices, &mut solved.order),
            || islands.finish(is_active, rest_times),
        );
        let jointed = self.joint_masses.scaled().map(|slot| islands.roots()[slot as usize]);
        self.load.note(groups, jointed, &LoadScale::new(settings, h), islands);
        core::mem::swap(cached, solved);
        self.cache_h = h;
        n_bounded
    }
}
