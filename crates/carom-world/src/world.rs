//! The pipeline, top to bottom: boxes, pairs, contacts, response.
//!
//! [`World::step`] is the whole of it; each phase is one method, and [`World::detect`] is the first two alone. Bodies
//! are numbered as the broad phase numbers their boxes, and everything goes in the order of these numbers, so neither the
//! broad phase nor the threads can be seen in the result.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 and figure 25.2 (broad phase, mid and narrow
//! phase, response).

use crate::bodies::BodySet;
use crate::bodies::body::BodyId;
use crate::bodies::placing::Placing;
use crate::budget::BudgetState;
use crate::budget::pace::Pace;
use crate::budget::time_critical::{self, Plan};
use crate::budget::turns::Turns;
use crate::contacts::events::{ContactView, Event};
use crate::contacts::handed::{self, Handed, Part};
use crate::contacts::internal_edges;
use crate::contacts::narrow::{self, Record, Row, Scene, Tally};
use crate::contacts::records::Records;
use crate::contacts::{ContactSet, Work};
use crate::continuous::Continuous;
use crate::joint::Joints;
use crate::settings::WorldSettings;
use crate::stats::{Clock, PhaseTimes, Stats, Undone};
use crate::{JointId, WorldError};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Pair};
use carom_broad_tree::DynamicBvh;
use carom_geom::Manifold;
use carom_math::{Budget, Pose, Vec3, clock};
use carom_query::Shape;
use carom_response::{Body, BodyKind, ContactLink, Contacts, Joint, Solver, SolverSettings, StepStats};

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
    /// ([`Undone::is_held`]). Where not even one substep of all bodies fits, some are halted: they stay where they are, with their
    /// velocities, and have their turn in the steps after, the fast ones more often. So time goes by more slowly for who is held or halted;
    /// for the others, by the whole of `dt`. No energy comes of what is left out. The broad phase is always done, one pair is looked at,
    /// and at least one body, with all that hangs on it in joints, moves in a step that is not held, however small the budget; bodies that
    /// their owner moves do so in every call.
    ///
    /// A step of work is a pair of shapes looked at, or a manifold solved in one substep ([`Stats::n_steps`]); with a budget in steps the
    /// result has the same bits in every run, with any broad phase and any number of threads. A budget in seconds is kept by what the
    /// work took in the steps before; the first step on one takes a slow machine for granted. It is refused without a clock.
    pub fn step_within(&mut self, dt: f32, budget: Budget) -> Result<&Stats, WorldError> {
        if matches!(budget, Budget::Time(_)) && !clock::IS_THERE {
            return Err(WorldError::NoClock);
        }
        self.settings.solver.check(dt)?;
        self.apply_settings()?;
        let substeps = self.settings.solver.substeps;
        let mut plan = Plan::start(budget, self.budget.pace, substeps);
        self.bodies.movers.settle(&mut self.bodies.motions);
        // Broad and narrow phase: which bodies touch, and where.
        self.foresee(dt);
        self.detect_within(&mut plan, self.settings.recycled_for());
        let mut clock = Clock::start();
        if self.is_at_rest() {
            return Ok(&self.stats);
        }
        let has_length = 0.0 < dt;
        if has_length && plan.is_held(self.stats.n_tested, self.stats.undone.n_pairs) {
            self.hold(&plan, dt);
            return Ok(&self.stats);
        }
        // Response: what they do about it.
        let mut course = plan.course();
        if has_length {
            self.stop_unknown();
            self.wake_touched(dt);
            self.keep_awake(dt);
            self.note_approaching();
        } else {
            self.joints.find_moving(&self.bodies.movers, &mut self.contacts.work.joints);
        }
        self.hand_over_contacts();
        self.note_starts();
        let planned = plan.substeps(self.stats.n_tested, self.contacts.work.contacts.len());
        let World { solver, bodies, joints, contacts, .. } = self;
        let BodySet { motions, movers, .. } = bodies;
        let ContactSet { work, manifolds, rest, records, busy, .. } = contacts;
        let contacts = Contacts::Links(&work.contacts, [manifolds, rest.manifolds()]);
        let factor = if plan.is_free() { self.settings.solver.max_load_factor } else { 1 };
        *solver.settings_mut() = self.settings.solver.with_substeps(planned).with_max_load_factor(factor);
        let (joints, moving_joints) = (joints.list_mut(), &work.joints[..]);
        let mut hurry = |left| course.substeps(plan.since_start(), left);
        let solved =
            solver.step_awake(motions, movers.list(), &contacts, (joints, moving_joints), dt, &mut hurry);
        if solved.is_err() {
            handed::take_back(records, busy, &work.contacts);
        }
        self.stats.solver = solved?;
        // Mostly nobody did, and the bodies are another thread's in part.
        if 0 < self.stats.solver.n_fallen {
            movers.note_sleepers(motions);
        }
        if has_length {
            self.stats.undone.n_substeps = substeps.saturating_sub(self.stats.solver.n_substeps);
            // Fast bodies go no farther than to what they meet.
            self.tell_struck();
            self.stop_fast();
            self.guard_bodies();
            self.report_passes();
        }
        self.stats.times.response = clock.lap();
        // The boxes of what moved, so that queries see it where it is.
        self.refit_moved(plan.is_free());
        self.stats.times.refit = clock.lap();
        self.take_pace(&mut plan, &course);
        if has_length {
            self.apply_responses();
        }
        Ok(&self.stats)
    }

    /// Finds all contacts where the bodies are: [`World::contacts`] and [`World::events`]. Part of every step, which recycles contacts;
    /// this does not, and halts nobody. It moves nothing, but the steps after it begin with what it found: their bits are not those of a world
    /// that was not asked, and what began is told here and not again.
    pub fn detect(&mut self) -> &Stats {
        self.bodies.movers.settle(&mut self.bodies.motions);
        self.detect_within(&mut Plan::start(Budget::Unlimited, self.budget.pace, 0), 0.0);
        &self.stats
    }

    fn detect_within(&mut self, plan: &mut Plan, recycling: f32) {
        let mut clock = Clock::start();
        self.contacts.work.ended.clear();
        self.contacts.responses.clear();
        self.stats.n_bodies = self.bodies.n_live;
        (self.stats.n_tested, self.stats.n_recycled) = (0, 0);
        self.stats.n_steps = 0;
        self.stats.undone = Undone::default();
        self.stats.times = PhaseTimes::default();
        // What is not done counts nothing.
        self.stats.solver = StepStats::default();
        (self.stats.n_swept, self.stats.n_stopped, self.stats.n_box_tests) = (0, 0, 0);
        let had_halted = self.bodies.movers.has_halted();
        if had_halted {
            // Of who is not busy it is told what was told before.
            core::mem::swap(&mut self.contacts.events, &mut self.contacts.work.told);
        }
        if self.contacts.is_changed {
            self.find_pairs();
        }
        self.choose_movers(plan);
        self.find_swift();
        self.stats.times.broad = clock.lap();
        let mut always = 0.0;
        if self.contacts.is_changed {
            self.find_busy();
            always = clock.lap();
            self.find_contacts(plan, recycling);
            let narrow = clock.lap();
            let n_due = self.stats.n_tested + self.stats.undone.n_pairs;
            self.budget.pace.note_due(n_due, self.stats.n_recycled, plan);
            self.wake_newly_touched();
            self.budget.pace.note_around(narrow - self.budget.looking, self.contacts.busy.len(), 0.0, plan);
            self.stats.times.narrow = always + narrow;
        } else {
            self.contacts.records.iter_mut().for_each(|record| record.was_touching = record.is_touching);
        }
        if had_halted && self.bodies.movers.has_halted() {
            self.tell_events_of_busy();
        } else {
            self.tell_events();
        }
        self.budget.pace.note_around(0.0, 0, always + clock.lap(), plan);
    }

    /// Narrow phase: the contacts of all records in which something moved, or of as many as the plan allows.
    fn find_contacts(&mut self, plan: &mut Plan, recycling: f32) {
        let mut found = core::mem::take(&mut self.contacts.work.manifolds);
        // Where all are busy nothing is moved. The caches stay.
        let Records { list: mut records, mut caches } = core::mem::take(&mut self.contacts.records);
        let mut all = Vec::new();
        if self.contacts.busy.len() < records.len() {
            all = core::mem::replace(&mut records, core::mem::take(&mut self.contacts.work.busy_records));
            records.clear();
            records.extend(self.contacts.busy.iter().map(|&place| all[place as usize]));
        }
        let unit = self.settings.solver.length_unit;
        let mut scene = Scene {
            shapes: &self.bodies.shapes,
            sizes: &self.bodies.sizes,
            bodies: &self.bodies.motions,
            traits: &self.bodies.traits,
            girths: &self.bodies.girths,
            swift: &self.continuous.swift,
            movers: &self.bodies.movers,
            is_stale: &self.bodies.is_stale,
            seen: &self.bodies.seen,
            old: &self.contacts.manifolds,
            rest: &self.contacts.rest,
            allowance: plan.allowance(records.len()),
            prediction: self.settings.prediction * unit,
            slop: self.settings.solver.slop * unit,
            // Who is halted presses without end on those that move a little: recycled, a box sank deeper into the floor by a fifth of its size.
            recycling: if self.bodies.movers.has_halted() { 0.0 } else { recycling },
            dt: self.last.dt,
            smooths_internal_edges: self.settings.smooths_internal_edges,
        };
        let may_be_too_many = |n: usize| n < records.len() && !plan.is_ample(n);
        scene.allowance.note_most(records.len());
        if scene.allowance.n_pairs(records.len()).is_some_and(may_be_too_many) {
            let (n_due, n_all) = time_critical::mark(&mut records, &scene);
            let mut n = scene.allowance.n_pairs(n_due).unwrap_or(n_all);
            if plan.hold_for(n, n_all) {
                scene.allowance = plan.allowance(records.len());
                n = scene.allowance.n_pairs(n_due).unwrap_or(n_all);
            }
            scene.allowance.note_most(n);
            if n < n_all {
                time_critical::choose(&mut records, self.budget.turn, n);
            } else {
                records.iter_mut().for_each(|record| record.is_skipped = false);
            }
        }
        let mut clock = Clock::start();
        let first = self.contacts.busy.first().map_or(0, |&place| place as usize);
        let row = Row { records: &mut records, places: &self.contacts.busy, caches: &mut caches[first..] };
        #[cfg(feature = "parallel")]
        let tally = crate::par::look_at_all(&scene, row, &mut self.contacts.work.found_in, &mut found);
        #[cfg(not(feature = "parallel"))]
        let tally = narrow::look_at_all(&scene, row, &mut found);
        let Tally { n_tested, n_recycled, mut n_found, n_put_off, n_still, left, resting } = tally;
        let looking = clock.lap();
        if self.settings.smooths_internal_edges {
            n_found -= internal_edges::smooth(&scene, &mut records, &mut found, resting);
        }
        let mut undone = Undone { n_halted: self.bodies.movers.n_halted(), ..Undone::default() };
        // Mostly none are.
        let put_off = if n_put_off == 0 { &[] } else { &records[..] };
        for record in put_off {
            if record.is_put_off {
                undone.n_pairs += 1;
                undone.n_unknown += usize::from(record.is_new);
                undone.n_carried += found[record.range()].iter().map(|m| m.contacts().len()).sum::<usize>();
            }
        }
        self.budget.turn = time_critical::next_turn(put_off, self.budget.turn);
        self.budget.pace.note_pairs(looking, n_tested, undone.n_pairs + n_recycled, plan);
        self.budget.looking = looking;
        left.iter().for_each(|&(first, n)| self.contacts.rest.give_back(first, n));
        // What nothing moves is put to rest; where some are halted it is in the end most of all there is.
        if self.bodies.movers.has_halted() {
            self.contacts.rest.make_room(self.contacts.pairs.len());
        }
        let mut n_moving = n_found;
        let still = if n_still == 0 { &mut [] } else { &mut records[..] };
        for record in still {
            let waits = record.is_put_off && !self.bodies.movers.has_halted();
            if !waits && !self.bodies.movers.has(record.a.index) && !self.bodies.movers.has(record.b.index) {
                n_moving -= record.n as usize;
                self.contacts.rest.take(record, &found);
            }
        }
        self.stats.n_manifolds = n_moving + self.contacts.rest.len();
        plan.note_found(n_moving);
        self.budget.pace.note_found((n_found, records.len()), n_moving, plan);
        if !all.is_empty() {
            for (&place, record) in self.contacts.busy.iter().zip(&records) {
                all[place as usize] = *record;
            }
            self.contacts.work.busy_records = core::mem::replace(&mut records, all);
        }
        self.contacts.rest.tidy(&mut records);
        self.contacts.records = Records { list: records, caches };
        self.contacts.work.manifolds = core::mem::replace(&mut self.contacts.manifolds, found);
        trim(&mut self.contacts.manifolds);
        trim(&mut self.contacts.work.manifolds);
        trim(&mut self.contacts.work.busy_records);
        trim(&mut self.contacts.work.contacts);
        self.note_seen();
        let BodySet { moved, movers, motions, .. } = &mut self.bodies;
        moved.clear();
        moved.extend((0..motions.len() as u32).map(|body| movers.has(body)));
        // What was put off is still to be done.
        self.contacts.is_changed = 0 < undone.n_pairs || self.bodies.movers.has_halted();
        // Where some are halted it is when one of the two has moved, or moves.
        self.contacts.is_unsettled = 0 < undone.n_pairs && !self.bodies.movers.has_halted();
        self.stats.undone = undone;
        self.stats.n_steps = n_tested as u64;
        (self.stats.n_tested, self.stats.n_recycled) = (n_tested, n_recycled);
    }

    /// Where the bodies are that moved, at this detection.
    fn note_seen(&mut self) {
        let n_seen = self.bodies.seen.len();
        self.bodies.seen.extend(self.bodies.motions[n_seen..].iter().map(|body| Some(body.pose)));
        let BodySet { is_stale, motions, seen, .. } = &mut self.bodies;
        #[cfg(feature = "parallel")]
        crate::par::note_seen(is_stale, motions, seen);
        #[cfg(not(feature = "parallel"))]
        note_seen(is_stale, motions, seen);
    }

    /// Where the manifolds of a record are.
    pub(crate) fn manifolds_of(&self, record: &Record) -> &[Manifold] {
        self.contacts.rest.manifolds_of(record).unwrap_or_else(|| &self.contacts.manifolds[record.range()])
    }

    /// What began, persisted and ended, in the order of the pairs.
    fn tell_events(&mut self) {
        let ContactSet { events, records, work, .. } = &mut self.contacts;
        #[cfg(feature = "parallel")]
        let n_touching = crate::par::tell(records, events, &mut work.event_parts);
        #[cfg(not(feature = "parallel"))]
        let n_touching = crate::contacts::events::tell(records, events);
        // Those of pairs that are gone are in their order, too.
        crate::contacts::events::merge(events, &work.ended);
        self.stats.n_touching = n_touching;
    }

    /// The manifolds in which something moves, as the solver takes them.
    fn hand_over_contacts(&mut self) {
        let BodySet { motions, movers, traits, .. } = &self.bodies;
        let ContactSet { records, busy, rules, manifolds, work, .. } = &mut self.contacts;
        let Work { is_active, solved, parts, contacts, .. } = work;
        movers.tell_active(motions, is_active);
        let handed = Handed { is_active, traits, rules, n_manifolds: manifolds.len() as u32 };
        // What is there already is written over, here and below.
        solved.resize(busy.len(), 0);
        #[cfg(feature = "parallel")]
        let n_parts = crate::par::n_parts(busy.len());
        #[cfg(not(feature = "parallel"))]
        let n_parts = 1;
        parts.resize(n_parts, Part::default());
        #[cfg(feature = "parallel")]
        crate::par::choose(&handed, (records, 0), busy, solved, parts);
        #[cfg(not(feature = "parallel"))]
        parts.fill(handed.choose((records, 0), busy, solved));
        let n_contacts = parts.iter().map(|part| part.n_contacts as usize).sum();
        contacts.resize(n_contacts, ContactLink::new(0, 0, 0, 0.0, 0.0));
        #[cfg(feature = "parallel")]
        crate::par::hand_over(&handed, (records, 0), (busy, solved), (parts, 0), contacts);
        #[cfg(not(feature = "parallel"))]
        handed.hand_over((records, 0), &solved[..parts[0].n_solved as usize], 0, contacts);
    }

    /// Nothing moves, and nothing would begin to.
    fn is_at_rest(&self) -> bool {
        let is_moving = |&body: &u32| {
            let body = &self.bodies.motions[body as usize];
            match body.kind {
                BodyKind::Fixed => false,
                BodyKind::Kinematic => body.is_driven(),
                BodyKind::Dynamic => !body.is_sleeping,
            }
        };
        self.stats.n_tested + self.stats.undone.n_pairs == 0
            && !self.bodies.movers.list().iter().any(is_moving)
    }

    fn refit_moved(&mut self, is_free: bool) {
        let mut moves = core::mem::take(&mut self.contacts.work.moves);
        moves.clear();
        let placing = self.placing();
        let refit = |&body: &u32| {
            let (proxy, shape) =
                (self.bodies.proxies[body as usize]?, self.bodies.shapes[body as usize].as_ref()?);
            Some((proxy, placing.box_of(body as usize, shape)))
        };
        #[cfg(feature = "parallel")]
        crate::par::refit(self.bodies.movers.list(), &refit, &mut moves);
        #[cfg(not(feature = "parallel"))]
        moves.extend(self.bodies.movers.list().iter().filter_map(refit));
        for &body in self.bodies.movers.list() {
            self.bodies.is_stale[body as usize] = true;
        }
        self.contacts.is_changed |= !moves.is_empty();
        // Every box is sound: `boxed` sees to it.
        let updated = self.broad.update(&moves);
        debug_assert!(updated.is_ok(), "a box of the world was refused: {updated:?}");
        if is_free {
            // Otherwise the next step does, before it is chosen what is done.
            self.broad.refresh();
        }
        self.contacts.work.moves = moves;
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
                manifolds: self.manifolds_of(record),
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

    pub(crate) fn id_at(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.bodies.generations[index as usize] }
    }

    pub(crate) fn solid_at(&self, index: u32) -> Option<(BodyId, &Shape, &Pose)> {
        let shape = self.bodies.shapes.get(index as usize)?.as_ref()?;
        Some((self.id_at(index), shape, &self.bodies.motions[index as usize].pose))
    }

    pub(crate) fn motion_at(&self, index: u32) -> Option<&Body> {
        self.bodies.motions.get(index as usize)
    }
}

/// Writes where the bodies are that moved to `seen`, and that they have not moved since; mostly none or nearly all have.
pub(crate) fn note_seen(is_stale: &mut [bool], bodies: &[Body], seen: &mut [Option<Pose>]) {
    for ((is_stale, bodies), seen) in is_stale.chunks_mut(64).zip(bodies.chunks(64)).zip(seen.chunks_mut(64))
    {
        if is_stale.contains(&true) {
            for ((is_stale, body), seen) in is_stale.iter_mut().zip(bodies).zip(seen) {
                if core::mem::take(is_stale) {
                    *seen = Some(body.pose);
                }
            }
        }
    }
}

/// Gives back what a larger step needed, when it was many times as large.
pub(crate) fn trim<T>(memory: &mut Vec<T>) {
    if 1024 + 4 * memory.len() < memory.capacity() {
        memory.shrink_to(2 * memory.len());
    }
}

/// A box around the placed shape and `margin` around it, within the finite numbers: a half-space reaches to their end.
pub(crate) fn boxed(shape: &Shape, pose: &Pose, margin: f32) -> Aabb {
    clamped(&shape.aabb(pose).inflated(margin))
}

pub(crate) fn clamped(aabb: &Aabb) -> Aabb {
    // NaN, of numbers beyond all bounds, becomes the whole world.
    let low = |x: f32| if x.is_nan() { f32::MIN } else { x.clamp(f32::MIN, f32::MAX) };
    let high = |x: f32| if x.is_nan() { f32::MAX } else { x.clamp(f32::MIN, f32::MAX) };
    let (min, max) = (aabb.min, aabb.max);
    let min = Vec3::new(low(min.x), low(min.y), low(min.z));
    let max = Vec3::new(high(max.x), high(max.y), high(max.z));
    // A support map of the user's own may contradict itself.
    Aabb { min: min.min(max), max: max.max(min) }
}
