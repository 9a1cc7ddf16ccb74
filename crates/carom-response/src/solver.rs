//! One step of a world of rigid bodies in contact, top to bottom.
//!
//! Each substep adds the forces, lets bodies bounce, solves joints and contacts, moves the bodies,
//! and relaxes the joints; after the last one, bodies bounce again and contacts are relaxed.
//! Impulses are kept by pair and feature for the next step. [`Solver::islands`] says who may fall
//! asleep; [`Sleepers`](crate::Sleepers) does the rest. The order of everything depends on the
//! numbers of bodies and parts alone.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024; Akenine-Moller et al., Real-Time Rendering, 4th
//! ed., figure 25.2 and 25.9.

use crate::body::Body;
use crate::classes::Classes;
use crate::color::Coloring;
use crate::contact::scale_for;
use crate::contact::{ContactImpulse, ContactPair, Contacts, PairKey};
use crate::energy::{self, Energies};
use crate::free::{Free, Moves, slot_of};
use crate::group::{Drive, Group, Pass, Stage};
use crate::impact::{self, Bouncers, Moment};
use crate::island::Islands;
use crate::joint::{Joint, JointImpulse, JointStep, Jointed, MovingJoints, Softness, Substep};
use crate::joint_mass::JointMasses;
use crate::kept::{Kept, KeptList, Stowed};
use crate::lane_vec::{REST, State};
use crate::load::{LoadScale, WorldLoad};
use crate::memory;
#[cfg(feature = "parallel")]
use crate::par as loops;
#[cfg(not(feature = "parallel"))]
use crate::pieces as loops;
use crate::pieces::{Advance, Begun, Forces, Limits, Manifolds, Moved};
use crate::prepare::Given;
use crate::rest::Touch;
use crate::settings::{SolverError, SolverSettings};
use crate::summary::Summary;
use crate::surface::{self, Driven, SurfaceVelocity};
use crate::take_back;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use carom_math::{Real, Vec3};

use crate::mass::MassData;

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StepStats {
    /// Dynamic bodies that were moved.
    pub n_awake: usize,
    /// Groups of them that touch each other.
    pub n_islands: usize,
    /// Manifolds that were solved.
    pub n_manifolds: usize,
    /// Contacts in them.
    pub n_contacts: usize,
    /// Contacts whose impulse was known from the step before.
    pub n_warm: usize,
    /// Classes of manifolds that share no moving body.
    pub n_colors: usize,
    /// Substeps that were made.
    pub n_substeps: u32,
    /// Groups of bodies with a fast one, whose impulses were reduced, because they would have given
    /// energy.
    pub n_bounded: usize,
}

/// A body that a step moved, and the bodies that it touched, directly or through others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandMember {
    /// The number of the body.
    pub body: u32,
    /// The lowest number of a body of its island.
    pub island: u32,
    /// For how long all of its island has been at rest, in units of time.
    pub rest_time: Real,
}

/// The solver: settings, what it keeps from step to step, and its workspace.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    settings: SolverSettings,
    islands: Islands,
    coloring: Coloring,
    /// The pairs of the last step.
    kept: KeptList,
    /// Those between bodies of which none moves and one sleeps or is halted: under its number, of
    /// two the larger.
    asleep: BTreeMap<u32, Stowed>,
    /// Length of the substep that the kept impulses belong to.
    kept_h: Real,
    load: WorldLoad,
    impulses: Vec<ContactImpulse>,
    /// Who moves in this step, ascending: a body's place here is the slot of its state.
    movers: Vec<u32>,
    /// Per body its slot; [`STILL`] for who does not move.
    slots: Vec<u32>,
    /// Of contacts of the next step, in their order.
    surfaces: Vec<SurfaceVelocity>,
    // Workspace.
    drives: Vec<Drive>,
    summaries: Vec<Summary>,
    /// As [`Verdict::are_plain`](crate::summary::Verdict) says.
    are_plain: bool,
    active: Vec<u32>,
    bouncing: Vec<u32>,
    matched: Vec<u32>,
    /// Places of kept pairs that are not among the contacts any more.
    left: Vec<u32>,
    /// The pairs of this step.
    solved: KeptList,
    /// By place among the lanes of all groups.
    reports: Vec<ContactImpulse>,
    classes: Classes,
    groups: Vec<Group>,
    states: Vec<State>,
    masses: Vec<MassData>,
    free: Vec<Free>,
    is_active: Vec<bool>,
    settles: Vec<bool>,
    /// By slot, for how long a body has been at rest.
    rest_times: Vec<Real>,
    /// By slot, what supports a body.
    touches: Vec<Touch>,
    /// Of the movers that were given, how they move.
    moves: Vec<Moves>,
    stirred: Vec<u32>,
    all_joints: Vec<u32>,
    joint_steps: Vec<JointStep>,
    joint_masses: JointMasses,
    joint_pushes: Vec<(Vec3, Vec3)>,
    energies: Energies,
}

/// What a solver keeps from step to step, to be stored and put back.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverMemory {
    pub(crate) kept: Vec<Kept>,
    pub(crate) kept_h: Real,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) load: WorldLoad,
    /// Those of who sleeps or is halted, with the number of the body under which they are, and the
    /// length of the substep that they belong to.
    pub(crate) asleep: Vec<(u32, Real, Kept)>,
}

/// The slot of who does not move.
const STILL: u32 = u32::MAX;

impl Solver {
    /// A solver that remembers nothing yet.
    pub fn new(settings: SolverSettings) -> Solver {
        Solver { settings, ..Solver::default() }
    }

    /// The settings.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// The settings, to be changed between steps. The solver does not know the bodies: where a
    /// change concerns bodies that sleep, wake them ([`Body::wake`]).
    pub fn settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings
    }

    /// The surface velocities of the next step, to be filled before it, sorted by their contacts;
    /// the step empties the list, even if it is refused.
    pub fn surface_velocities_mut(&mut self) -> &mut Vec<SurfaceVelocity> {
        &mut self.surfaces
    }

    /// Forgets all impulses: after bodies were renumbered, or a scene was replaced.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.asleep.clear();
        self.impulses.clear();
        self.load = WorldLoad::default();
    }

    /// Forgets what is kept of a body that slept: its number will be that of another one.
    pub fn forget(&mut self, body: usize) {
        if let Ok(body) = u32::try_from(body) {
            self.asleep.remove(&body);
        }
    }

    /// What is kept for the next step.
    pub fn memory(&self) -> SolverMemory {
        let of = |(&body, stowed): (&u32, &Stowed)| {
            let h = stowed.h;
            stowed.own.iter().map(move |&kept| (body, h, kept)).collect::<Vec<_>>()
        };
        let asleep = self.asleep.iter().flat_map(of).collect();
        SolverMemory { kept: self.kept.iter().collect(), kept_h: self.kept_h, load: self.load, asleep }
    }

    /// From here on as the solver that this memory is of, given the same settings and bodies.
    pub fn restore(&mut self, memory: &SolverMemory) {
        self.impulses.clear();
        self.asleep.clear();
        for (body, h, kept) in &memory.asleep {
            self.asleep.entry(*body).or_default().put(kept, *h);
        }
        self.kept = KeptList::of(memory.kept.iter().copied());
        self.kept_h = memory.kept_h;
        self.load = memory.load;
    }

    /// What each contact pair of the last step did, in the order in which they were given; zero for
    /// pairs that were not solved because nothing in them moves.
    pub fn contact_impulses(&self) -> &[ContactImpulse] {
        &self.impulses
    }

    /// Whom the last step moved by forces, by their numbers, and with whom; none after a step of no
    /// time.
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

    /// Advances the bodies by `dt`.
    ///
    /// `contacts` are the manifolds found for the bodies' present poses, in the world frame. Those
    /// between two bodies that are asleep or cannot move may be left out; their impulses are
    /// remembered. Impulses are known again by the numbers of the bodies, the parts, and the
    /// features of the contacts. Equal input gives equal bits; so does the input in another order,
    /// as long as no two pairs have the same bodies and parts.
    pub fn step(
        &mut self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &mut [Joint],
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        let stats = self.step_checked(bodies, contacts, joints, dt);
        self.surfaces.clear();
        stats
    }

    fn step_checked(
        &mut self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &mut [Joint],
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        self.settings.check(dt)?;
        if let Some(body) = bodies.iter().position(|b| !b.is_finite()) {
            return Err(SolverError::BodyNotFinite(body));
        }
        let contacts = &Contacts::Pairs(contacts);
        self.summarize(bodies.len(), contacts)?;
        // In memory that is kept.
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
    ) -> Result<StepStats, SolverError> {
        check_joints(bodies.len(), MovingJoints { list: joints, places: all })?;
        self.take_movers(bodies.len(), (0..).zip(bodies.iter().map(Moves::of)));
        self.advance(bodies, contacts, (joints, all), dt)
    }

    /// As [`Solver::step`] in a world of which most sleeps: only the bodies in `movers` are looked
    /// at, and those that contacts and joints name with them, so that others cost nothing.
    ///
    /// `movers` are numbers of bodies, ascending; all that are dynamic and awake are among them,
    /// and all that their owner moves. With the joints come numbers of joints, ascending; all those
    /// of such bodies are among them, and no other is looked at. Others are not moved, whether they
    /// sleep or not. Nobody is woken: whom something moving touches should be awake, with those it
    /// fell asleep with ([`Sleepers`](crate::Sleepers)).
    pub fn step_awake(
        &mut self,
        bodies: &mut [Body],
        movers: &[u32],
        contacts: &Contacts<'_>,
        (joints, moving_joints): (&mut [Joint], &[u32]),
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        let stats = self.step_awake_checked(bodies, movers, contacts, (joints, moving_joints), dt);
        self.surfaces.clear();
        stats
    }

    fn step_awake_checked(
        &mut self,
        bodies: &mut [Body],
        movers: &[u32],
        contacts: &Contacts<'_>,
        (joints, moving_joints): (&mut [Joint], &[u32]),
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        self.settings.check(dt)?;
        let mut next = 0;
        for (place, &mover) in movers.iter().enumerate() {
            if mover < next || bodies.len() <= mover as usize {
                return Err(SolverError::Mover(place));
            }
            next = mover + 1;
        }
        self.moves.resize(movers.len(), Moves::Not);
        if !loops::look_over(bodies, movers, &mut self.moves) {
            let bad = movers.iter().find(|&&mover| !bodies[mover as usize].is_finite());
            return Err(SolverError::BodyNotFinite(bad.map_or(0, |&mover| mover as usize)));
        }
        self.summarize(bodies.len(), contacts)?;
        check_joints(bodies.len(), MovingJoints { list: joints, places: moving_joints })?;
        let moves = core::mem::take(&mut self.moves);
        self.take_movers(bodies.len(), movers.iter().copied().zip(moves.iter().copied()));
        self.moves = moves;
        self.advance(bodies, contacts, (joints, moving_joints), dt)
    }

    /// Gives those who move their slots, and takes up what was kept of those who slept until now.
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
        // What cannot move.
        self.is_active.push(false);
        self.slots.resize(n_bodies, STILL);
        let mut woken = Vec::new();
        for (slot, &mover) in self.movers.iter().enumerate() {
            self.slots[mover as usize] = slot as u32;
            if !self.asleep.is_empty() {
                let own = self.asleep.remove(&mover).into_iter();
                woken.extend(own.flat_map(|own| own.take_all(self.kept_h)));
            }
        }
        self.kept.extend(woken);
    }

    fn advance(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        joints: (&mut [Joint], &[u32]),
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        // Those of the step before are written over.
        memory::renew(&mut self.impulses, contacts.len(), ContactImpulse::default());
        if dt == 0.0 {
            self.impulses.fill(ContactImpulse::default());
            self.islands.begin(0);
            return Ok(StepStats::default());
        }
        Ok(loops::inside(|| self.advance_by(bodies, contacts, joints, dt)))
    }

    fn advance_by(
        &mut self,
        bodies: &mut [Body],
        contacts: &Contacts<'_>,
        (joints, moving): (&mut [Joint], &[u32]),
        dt: Real,
    ) -> StepStats {
        let mut stats = StepStats::default();
        let n_substeps = self.load.substeps(&self.settings, dt);
        let h = dt / n_substeps as Real;
        self.prepare(bodies, MovingJoints { list: joints, places: moving }, (dt, h), &mut stats);
        self.load_contacts(contacts, h, &mut stats);
        self.load_joints(bodies, MovingJoints { list: joints, places: moving });

        // Kept apart while the groups are changed.
        let (drives, surfaces) = (core::mem::take(&mut self.drives), core::mem::take(&mut self.surfaces));
        let first = Pass { drives: &drives, ..Pass::new(&self.settings, h) };
        let mut elapsed = 0.0;
        let SolverSettings { joint_frequency, joint_damping, .. } = self.settings;
        let softness = Softness::new(joint_frequency.min(0.25 * (1.0 / h)), joint_damping, h);
        let substep = Substep { h, softness, slop: first.slop };
        self.joint_pushes.clear();
        if !moving.is_empty() {
            self.joint_pushes.resize(self.states.len(), (Vec3::ZERO, Vec3::ZERO));
        }
        let Solver { settings, groups, classes, states, free, masses, joint_steps, joint_pushes, .. } = self;
        let are_loaded = groups.iter().any(|group| group.is_loaded);
        let Solver { bouncing, slots, movers, .. } = self;
        let still = movers.len() as u32;
        let slot = |body: u32| slot_of(slots, body, still) as usize;
        let mut colors = loops::Colors::new(groups, classes);
        // The length of a substep that is ended where the next one begins.
        let mut ended = None;
        for number in 0..n_substeps {
            let (is_first, is_last) = (number == 0, number + 1 == n_substeps);
            for (step, &place) in joint_steps.iter_mut().zip(moving) {
                step.begin(&mut joints[place as usize], masses, states, h);
            }
            let begun = Some(Begun { h, is_first });
            loops::advance(states, free, joint_pushes, &Advance { ended: ended.take(), begun, dt });
            if is_first {
                colors.run(states, &first);
            }
            if !bouncing.is_empty() {
                let mut bodies = Bouncers { states, free, masses, surfaces: &surfaces };
                let moment = Moment { h, next_h: h, elapsed, has_begun: true };
                impact::bounce_all(contacts, bouncing, slot, &mut bodies, settings, moment);
            }
            let mut bodies = Jointed { states, pushes: joint_pushes };
            for (step, &place) in joint_steps.iter().zip(moving) {
                step.warm_start(&mut joints[place as usize], masses, &mut bodies, &substep);
            }
            for (step, &place) in joint_steps.iter().zip(moving) {
                step.solve(&mut joints[place as usize], masses, &mut bodies, &substep, true);
            }
            colors.run(states, &Pass { stage: Stage::Solve, elapsed, ..first });
            elapsed += h;
            if moving.is_empty() && !are_loaded && !is_last {
                ended = Some(h);
                continue;
            }
            loops::advance(states, free, joint_pushes, &Advance { ended: Some(h), begun: None, dt });
            if is_last {
                for _ in 0..take_back::PASSES {
                    colors.run(states, &Pass { stage: Stage::TakeBack, ..first });
                }
            } else if are_loaded {
                colors.run(states, &Pass { stage: Stage::RelaxLoaded, elapsed, ..first });
            }
            let mut bodies = Jointed { states, pushes: joint_pushes };
            for (step, &place) in joint_steps.iter().zip(moving) {
                step.solve(&mut joints[place as usize], masses, &mut bodies, &substep, false);
            }
        }
        if !bouncing.is_empty() {
            // The relaxation looks one substep ahead; a bounce must come before it.
            let mut bodies = Bouncers { states, free, masses, surfaces: &surfaces };
            let moment = Moment { h, next_h: 1.0 / first.inverse_h, elapsed, has_begun: false };
            impact::bounce_all(contacts, bouncing, slot, &mut bodies, settings, moment);
        }
        colors.run(states, &Pass { stage: Stage::Relax, elapsed, ..first });
        stats.n_substeps = n_substeps;
        (self.drives, self.surfaces) = (drives, surfaces);
        stats.n_bounded = self.store(bodies, contacts.len(), h, dt);
        for &place in moving {
            let joint = &mut joints[place as usize];
            if !joint.is_finite() {
                // Numbers ran out of their range: the joint starts anew.
                joint.impulse = JointImpulse::default();
            }
        }
        self.trim();
        stats.n_awake = self.islands.n_awake;
        stats.n_islands = self.islands.n_islands;
        stats
    }

    /// A world that falls asleep gives its memory back.
    fn trim(&mut self) {
        trim(&mut self.groups);
        trim(&mut self.states);
        trim(&mut self.masses);
        trim(&mut self.free);
        for kept in [&mut self.kept, &mut self.solved] {
            trim(&mut kept.order);
            trim(&mut kept.traces);
            trim(&mut kept.impulses);
        }
        trim(&mut self.summaries);
        trim(&mut self.impulses);
        trim(&mut self.reports);
        trim(&mut self.joint_pushes);
    }

    /// Looks at every contact once, for all that is asked of it before it is solved.
    fn summarize(&mut self, n_bodies: usize, contacts: &Contacts<'_>) -> Result<(), SolverError> {
        let slop = self.settings.slop * self.settings.length_unit;
        memory::renew(&mut self.summaries, contacts.len(), Summary::default());
        let verdict = loops::summarize(contacts, 0, n_bodies, slop, &mut self.summaries);
        self.are_plain = verdict.are_plain;
        if verdict.are_good {
            let bad = surface::find_bad(&self.surfaces, contacts.len());
            return bad.map_or(Ok(()), |place| Err(SolverError::SurfaceVelocity(place)));
        }
        for k in 0..contacts.len() {
            if !contacts.is_whole(k) {
                return Err(SolverError::ContactManifold(k));
            }
            let contact = contacts.get(k);
            if !contact.is_between(n_bodies) {
                return Err(SolverError::ContactBody(k));
            }
            if !contact.is_valid() {
                return Err(SolverError::ContactNotFinite(k));
            }
        }
        Ok(())
    }

    /// All that is to be known before the manifolds are loaded.
    ///
    /// Bodies are loaded by all threads, each the half that it goes on with, and not by one of two
    /// beside what the other does for manifolds: where that was so, and for storing too, threads
    /// whose cores have no cache in common took 0.5 of 11 milliseconds more for a step of 10,000
    /// boxes.
    fn prepare(
        &mut self,
        bodies: &mut [Body],
        joints: MovingJoints<'_>,
        (dt, h): (Real, Real),
        stats: &mut StepStats,
    ) {
        let n = self.movers.len();
        self.states.resize(n + 1, REST);
        self.masses.resize(n + 1, MassData::NONE);
        self.free.resize(n + 1, Free::NONE);
        let Solver { islands, coloring, kept, asleep, movers, active, bouncing, matched, left, .. } = self;
        let Solver { settles, stirred, touches, classes, states, masses, free, .. } = self;
        let (summaries, slots, is_active, kept_h) =
            (&self.summaries, &self.slots, &self.is_active, self.kept_h);
        let surfaces = &self.surfaces[..];
        let given = Given { bodies, joints, summaries, surfaces, slots, is_active };
        let forces = Forces {
            bodies,
            gravity: self.settings.gravity,
            calm_from: 0.5 * self.settings.sleep_delay,
            braked: self.settings.settle_braking * self.settings.length_unit * dt,
            h,
            dt,
        };
        if self.are_plain {
            // Mostly there is nothing to leave out.
            active.clear();
            active.extend(0..summaries.len() as u32);
            bouncing.clear();
        } else {
            given.find_active(active, bouncing);
        }
        let mut is_laid_out = false;
        loops::both(
            n,
            || is_laid_out = given.lay_out(active, coloring, classes),
            || given.find_islands(islands, settles, stirred, touches),
        );
        if !is_laid_out {
            // There was.
            given.find_active(active, bouncing);
            given.lay_out(active, coloring, classes);
        }
        given.match_kept(active, (kept, kept_h), asleep, matched, left);
        loops::load_bodies(&forces, movers, settles, &mut states[..n], &mut masses[..n], &mut free[..n]);
        // What cannot move.
        (self.states[n], self.masses[n], self.free[n]) = (REST, MassData::NONE, Free::NONE);
        for &body in &self.stirred {
            bodies[body as usize].rest.begin_anew();
        }
        stats.n_manifolds = self.active.len();
        stats.n_colors = self.classes.n_colors();
    }

    fn load_contacts(&mut self, contacts: &Contacts<'_>, h: Real, stats: &mut StepStats) {
        let still = self.movers.len() as u32;
        let n_groups = self.coloring.n_groups();
        memory::renew(&mut self.groups, n_groups, Group::empty(still));
        // What is left of the step before the last is written over.
        self.solved.resize(n_groups);
        let from = Manifolds {
            contacts,
            active: &self.active,
            matched: &self.matched,
            kept: &self.kept,
            order: self.coloring.order(),
            slots: &self.slots,
            is_active: &self.is_active,
            masses: &self.masses,
            ratio: scale_for(h, self.kept_h),
            slop: self.settings.slop * self.settings.length_unit,
            load: LoadScale::new(&self.settings, h),
        };
        (stats.n_warm, stats.n_contacts) =
            loops::load_groups(&from, &self.classes, 0, &mut self.groups, &mut self.solved.traces);
        let Solver { surfaces, active, coloring, masses, groups, drives, free, .. } = self;
        let driven = Driven { surfaces, contacts, active, places: coloring.places(), masses };
        driven.load(groups, drives, |slots| {
            slots.into_iter().for_each(|slot| free[slot as usize].is_driven = true);
        });
    }

    /// Writes what a step has to know of each joint.
    fn load_joints(&mut self, bodies: &[Body], joints: MovingJoints<'_>) {
        self.joint_steps.clear();
        let still = self.movers.len() as u32;
        let Solver { slots, masses, free, joint_steps, joint_masses, is_active, .. } = self;
        let slots_of = |joint: &Joint| {
            let slot = |body: u32| slot_of(slots, body, still) as usize;
            (slot(joint.body_a), slot(joint.body_b))
        };
        if !joints.places.is_empty() {
            joint_masses.find(masses, joints.iter().map(slots_of));
        }
        for joint in joints.iter() {
            let (a, b) = (&bodies[joint.body_a as usize], &bodies[joint.body_b as usize]);
            let (slot_a, slot_b) = slots_of(joint);
            let movable = (is_active[slot_a], is_active[slot_b]);
            if !(movable.0 || movable.1) {
                joint_steps.push(JointStep::idle());
                continue;
            }
            let scales = (joint_masses.scale(masses, slot_a), joint_masses.scale(masses, slot_b));
            joint_steps.push(JointStep::new(joint, a, b, (slot_a, slot_b), scales, movable));
            free[slot_a].join();
            free[slot_b].join();
        }
    }

    /// States into bodies, impulses into what is kept and what is told; the islands that are at
    /// rest fall asleep.
    ///
    /// Returns for how many groups of bodies impulses were reduced.
    fn store(&mut self, bodies: &mut [Body], n_contacts: usize, h: Real, dt: Real) -> usize {
        let n = self.active.len();
        let Solver {
            settings, islands, movers, is_active, states, masses, free, touches, rest_times, ..
        } = self;
        let Solver { kept, solved, active, summaries, classes, coloring, groups, impulses, reports, .. } =
            self;
        let places = coloring.places();
        // Each is written over.
        memory::renew(reports, 8 * groups.len(), ContactImpulse::default());
        loops::store_groups(classes, groups, &mut solved.impulses, reports);
        let is_all = n == n_contacts && active.iter().zip(0..).all(|(&contact, k)| contact == k);
        if is_all {
            loops::sort_reports(places, reports, impulses);
        } else {
            impulses.fill(ContactImpulse::default());
            for (&contact, &place) in active.iter().zip(places) {
                impulses[contact as usize] = reports[place as usize];
            }
        }
        let still = movers.len() as u32;
        let given = energy::Given {
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
        let n_bounded = self.energies.bound(&given, states);
        if 0 < n_bounded {
            self.energies.reduce_kept(&given, places, &mut solved.impulses);
        }
        let unit = settings.length_unit;
        let (max_speed, sleep_speed) = (settings.max_speed * unit, settings.sleep_speed * unit);
        let moved = Moved { movers, states, masses, free, touches };
        rest_times.resize(movers.len(), 0.0);
        let limits = Limits { max_speed, sleep_speed, dt };
        loops::store_bodies(&limits, 0, bodies, &moved, rest_times);
        solved.order.resize(n, (PairKey::default(), 0));
        loops::both(
            movers.len(),
            || loops::note_order(summaries, active, places, &mut solved.order),
            || islands.finish(is_active, rest_times),
        );
        self.load.note(groups, &LoadScale::new(settings, h), islands);
        core::mem::swap(kept, solved);
        self.kept_h = h;
        n_bounded
    }
}

/// Gives back what a larger step needed, when it was many times as large.
fn trim<T>(memory: &mut Vec<T>) {
    if 1024 + 4 * memory.len() < memory.capacity() {
        memory.shrink_to(2 * memory.len());
    }
}

fn check_joints(n_bodies: usize, joints: MovingJoints<'_>) -> Result<(), SolverError> {
    let are_two = |a: u32, b: u32| a != b && (a as usize) < n_bodies && (b as usize) < n_bodies;
    let mut next = 0;
    for (place, &number) in joints.places.iter().enumerate() {
        let Some(joint) = joints.list.get(number as usize).filter(|_| next <= number) else {
            return Err(SolverError::MovingJoint(place));
        };
        next = number + 1;
        if !are_two(joint.body_a, joint.body_b) {
            return Err(SolverError::JointBody(number as usize));
        }
        if !joint.is_finite() {
            return Err(SolverError::JointNotFinite(number as usize));
        }
    }
    Ok(())
}
