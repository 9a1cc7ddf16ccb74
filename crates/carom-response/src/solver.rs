//! One step of a world of rigid bodies in contact, top to bottom.
//!
//! Islands wake; bounces; then in every substep: velocities by forces, contacts solved with springs, places by
//! velocities, contacts relaxed. Impulses are kept by pair and feature for the next step, and islands at rest fall asleep.
//! The order of everything depends on the numbers of bodies and parts alone.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024; Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2
//! and 25.9.

use crate::body::{Body, BodyKind, inverse_of};
use crate::color::Coloring;
use crate::contact::{ContactImpulse, ContactPair, PairKey};
use crate::impact;
use crate::impulse::{Group, Pass, Stage};
use crate::integrate;
use crate::island::Islands;
use crate::joint::{Joint, JointImpulse, JointStep, Jointed, Softness};
use crate::kept::{Kept, load_lane, store_lane};
use crate::lane_vec::State;
use crate::settings::{SolverError, SolverSettings};
use alloc::vec::Vec;
use carom_math::tol;
use carom_math::{Mat3, Quat, Real, Vec3};

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
}

/// The solver: settings, what it keeps from step to step, and its workspace.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    settings: SolverSettings,
    islands: Islands,
    coloring: Coloring,
    kept: Vec<Kept>,
    /// Length of the substep that the kept impulses belong to.
    kept_h: Real,
    impulses: Vec<ContactImpulse>,
    // Workspace.
    active: Vec<u32>,
    matched: Vec<u32>,
    carried: Vec<u32>,
    next_kept: Vec<Kept>,
    places: Vec<Place>,
    groups: Vec<Group>,
    /// Where the groups of each colour begin; one more at the end.
    class_starts: Vec<u32>,
    states: Vec<State>,
    masses: Vec<MassData>,
    free: Vec<Free>,
    joint_steps: Vec<JointStep>,
    joint_pushes: Vec<(Vec3, Vec3)>,
    #[cfg(feature = "parallel")]
    shared: crate::par::SharedStates,
}

/// What a solver keeps from step to step, to be stored and put back.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverMemory {
    kept: Vec<Kept>,
    kept_h: Real,
}

/// Where a manifold is solved.
#[derive(Clone, Copy, Debug)]
struct Place {
    group: u32,
    lane: u32,
}

/// Mass of a body in the world frame, fixed for the step; zero for what does not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassData {
    pub(crate) inverse_mass: Real,
    /// xx, yy, zz, xy, xz, yz.
    pub(crate) inverse_inertia: [Real; 6],
    pub(crate) center: Vec3,
}

impl MassData {
    pub(crate) fn inertia_matrix(&self) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
    }
}

/// How a body moves when nothing touches it.
#[derive(Clone, Copy, Debug)]
struct Free {
    /// What a substep of forces adds.
    dv: Vec3,
    dw: Vec3,
    /// What damping leaves.
    keep_v: Real,
    keep_w: Real,
    /// The velocities before contacts changed them.
    v: Vec3,
    w: Vec3,
    moves: Moves,
    rotation: Quat,
    /// The inertia tensor in the body's frame; zero where there is no gyroscopic torque.
    inertia: Mat3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    Not,
    ByVelocity,
    ByForce,
}

const NOT_MATCHED: u32 = u32::MAX;

/// Metres per second: [`Pass::most_kept`]. Halves of it let a pile of 768 boxes that lands on itself sink twice as deep.
const MOST_KEPT: Real = 32.0;

/// Islands with fewer bodies are solved to the end, and come to rest without help.
const MANY_BODIES: u32 = 8;

impl Solver {
    /// A solver that remembers nothing yet.
    pub fn new(settings: SolverSettings) -> Solver {
        Solver { settings, ..Solver::default() }
    }

    /// The settings.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// The settings, to be changed between steps.
    pub fn settings_mut(&mut self) -> &mut SolverSettings {
        &mut self.settings
    }

    /// Forgets all impulses: after bodies were renumbered, or a scene was replaced.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.impulses.clear();
    }

    /// What is kept for the next step.
    pub fn memory(&self) -> SolverMemory {
        SolverMemory { kept: self.kept.clone(), kept_h: self.kept_h }
    }

    /// From here on as the solver that this memory is of, given the same settings and bodies.
    pub fn restore(&mut self, memory: &SolverMemory) {
        self.impulses.clear();
        self.kept.clone_from(&memory.kept);
        self.kept.sort_by_key(|kept| kept.key);
        self.kept_h = memory.kept_h;
    }

    /// What each contact pair of the last step did, in the order in which they were given; zero for pairs that were not
    /// solved because nothing in them moves.
    pub fn contact_impulses(&self) -> &[ContactImpulse] {
        &self.impulses
    }

    /// Wakes a body and the island it fell asleep with.
    pub fn wake(&self, bodies: &mut [Body], body: usize) {
        let Some(island) = bodies.get(body).filter(|b| b.is_sleeping).map(|b| b.island) else {
            return;
        };
        for other in bodies {
            if other.is_sleeping && other.island == island {
                other.is_sleeping = false;
                other.sleep_time = 0.0;
            }
        }
    }

    /// Advances the bodies by `dt`.
    ///
    /// `contacts` are the manifolds found for the bodies' present poses, in the world frame. Those between two bodies
    /// that are asleep or cannot move may be left out; their impulses are remembered. Impulses are known again by
    /// the numbers of the bodies, the parts, and the features of the contacts. Equal input gives equal bits;
    /// so does the input in another order, as long as no two pairs have the same bodies and parts.
    pub fn step(
        &mut self,
        bodies: &mut [Body],
        contacts: &[ContactPair],
        joints: &mut [Joint],
        dt: Real,
    ) -> Result<StepStats, SolverError> {
        self.check(bodies, contacts, joints, dt)?;
        self.impulses.clear();
        self.impulses.resize(contacts.len(), ContactImpulse::default());
        let mut stats = StepStats::default();
        if dt == 0.0 {
            return Ok(stats);
        }
        let h = dt / self.settings.substeps as Real;

        self.find_islands(bodies, contacts, joints);
        self.find_active(bodies, contacts, &mut stats);
        self.load_bodies(bodies, h);
        let n_bodies = bodies.len();
        {
            let Solver { active, masses, states, settings, .. } = self;
            let slot = |body: u32| slot(bodies, body);
            // The relaxation of the last substep looks one substep ahead; a bounce must come before it.
            let ahead = dt + 1.5 * h;
            impact::bounce_all(contacts, active, slot, masses, states, settings, ahead);
        }
        self.load_contacts(bodies, contacts, h, &mut stats);
        self.joint_steps.clear();
        for joint in joints.iter() {
            let (a, b) = (&bodies[joint.body_a as usize], &bodies[joint.body_b as usize]);
            if a.is_active() || b.is_active() {
                let slots = (slot(bodies, joint.body_a), slot(bodies, joint.body_b));
                self.joint_steps.push(JointStep::new(joint, a, b, slots));
            } else {
                self.joint_steps.push(JointStep::idle());
            }
        }

        let ratio = if 0.0 < self.kept_h { h / self.kept_h } else { 1.0 };
        let rate = 1.0 / h;
        let unit = self.settings.length_unit;
        let mut pass = Pass {
            stage: Stage::Prepare,
            inverse_h: rate,
            push_out_rate: self.settings.push_out_rate.min(0.25 * rate),
            push_out_speed: self.settings.push_out_speed * unit,
            slop: self.settings.slop * unit,
            most_kept: MOST_KEPT * unit,
        };
        let joint_softness =
            Softness::new(self.settings.joint_frequency.min(0.25 * rate), self.settings.joint_damping, h);
        self.joint_pushes.clear();
        self.joint_pushes.resize(n_bodies + 1, (Vec3::ZERO, Vec3::ZERO));
        for substep in 0..self.settings.substeps {
            let is_first = substep == 0;
            self.advance_velocities(h, is_first);
            if is_first {
                pass.stage = Stage::Prepare;
                self.run(&pass);
            }
            let ratio = if is_first { ratio } else { 1.0 };
            self.run_joints(joints, |step, joint, masses, bodies| {
                step.warm_start(joint, masses, bodies, ratio)
            });
            self.run_joints(joints, |step, joint, masses, bodies| {
                step.solve(joint, masses, bodies, joint_softness, h, true);
            });
            pass.stage = Stage::Solve;
            self.run(&pass);
            self.advance_places(h);
            self.run_joints(joints, |step, joint, masses, bodies| {
                step.solve(joint, masses, bodies, joint_softness, h, false);
            });
            pass.stage = Stage::Relax;
            self.run(&pass);
        }
        debug_assert_eq!(self.states.len(), n_bodies + 1);
        self.store_contacts(contacts, h);
        self.store_bodies(bodies, dt);
        for joint in joints.iter_mut().filter(|joint| !joint.is_finite()) {
            // Numbers ran out of their range: the joint starts anew.
            joint.impulse = JointImpulse::default();
        }
        self.islands.finish(bodies, &self.settings);
        stats.n_awake = self.islands.n_awake;
        stats.n_islands = self.islands.n_islands;
        Ok(stats)
    }

    fn check(
        &self,
        bodies: &[Body],
        contacts: &[ContactPair],
        joints: &[Joint],
        dt: Real,
    ) -> Result<(), SolverError> {
        let s = &self.settings;
        let numbers = [
            dt,
            s.push_out_rate,
            s.joint_frequency,
            s.joint_damping,
            s.push_out_speed,
            s.slop,
            s.restitution_threshold,
            s.sleep_speed,
            s.sleep_delay,
            s.settle_damping,
            s.max_speed,
        ];
        let is_good = numbers.iter().all(|&x| 0.0 <= x && x.is_finite())
            && 0.0 < s.length_unit
            && s.length_unit.is_finite()
            && s.gravity.is_finite()
            && 0 < s.substeps;
        if !is_good {
            return Err(SolverError::BadStep);
        }
        if let Some(body) = bodies.iter().position(|b| !b.is_finite()) {
            return Err(SolverError::BodyNotFinite(body));
        }
        let are_two = |a: u32, b: u32| a != b && (a as usize) < bodies.len() && (b as usize) < bodies.len();
        for (k, contact) in contacts.iter().enumerate() {
            if !are_two(contact.body_a, contact.body_b) {
                return Err(SolverError::ContactBody(k));
            }
            if !contact.is_valid() {
                return Err(SolverError::ContactNotFinite(k));
            }
        }
        for (k, joint) in joints.iter().enumerate() {
            if !are_two(joint.body_a, joint.body_b) {
                return Err(SolverError::JointBody(k));
            }
            if !joint.is_finite() {
                return Err(SolverError::JointNotFinite(k));
            }
        }
        Ok(())
    }

    /// Who is awake, and with whom.
    fn find_islands(&mut self, bodies: &mut [Body], contacts: &[ContactPair], joints: &[Joint]) {
        let slop = self.settings.slop * self.settings.length_unit;
        let touching = || {
            let touches = |c: &&ContactPair| c.manifold.contacts().iter().any(|p| p.distance <= slop);
            let pairs = contacts.iter().filter(touches).map(|c| (c.body_a, c.body_b));
            pairs.chain(joints.iter().map(|j| (j.body_a, j.body_b)))
        };
        self.islands.wake_touched(bodies, touching);
        self.islands.begin(bodies.len());
        for (a, b) in touching() {
            let (i, j) = (a as usize, b as usize);
            if bodies[i].is_active() && bodies[j].is_active() {
                self.islands.join(a, b);
            } else if bodies[i].is_driven() {
                bodies[j].sleep_time = 0.0;
            } else if bodies[j].is_driven() {
                bodies[i].sleep_time = 0.0;
            }
        }
        self.islands.count();
    }

    /// The manifolds that something moves in, in their order, and what is known of them from the step before.
    fn find_active(&mut self, bodies: &[Body], contacts: &[ContactPair], stats: &mut StepStats) {
        self.active.clear();
        for (k, contact) in contacts.iter().enumerate() {
            let (a, b) = (&bodies[contact.body_a as usize], &bodies[contact.body_b as usize]);
            if !contact.manifold.is_empty() && (a.is_active() || b.is_active()) {
                self.active.push(k as u32);
            }
        }
        let key = |k: &u32| contacts[*k as usize].key();
        if !self.active.is_sorted_by_key(key) {
            self.active.sort_by_key(key);
        }
        stats.n_manifolds = self.active.len();

        // Both lists are sorted: one walk.
        self.matched.clear();
        self.carried.clear();
        let is_at_rest = |body: u32| bodies.get(body as usize).is_some_and(|b| !b.is_active());
        let is_asleep = |body: u32| bodies.get(body as usize).is_some_and(|b| b.is_sleeping);
        let mut old = 0;
        let mut pass_over = |old: usize, kept: &[Kept]| {
            let PairKey { body_a, body_b, .. } = kept[old].key;
            let sleeps = is_asleep(body_a) || is_asleep(body_b);
            if sleeps && is_at_rest(body_a) && is_at_rest(body_b) {
                self.carried.push(old as u32);
            }
        };
        for &contact in &self.active {
            let key = contacts[contact as usize].key();
            while old < self.kept.len() && self.kept[old].key < key {
                pass_over(old, &self.kept);
                old += 1;
            }
            if old < self.kept.len() && self.kept[old].key == key {
                self.matched.push(old as u32);
                old += 1;
            } else {
                self.matched.push(NOT_MATCHED);
            }
        }
        while old < self.kept.len() {
            pass_over(old, &self.kept);
            old += 1;
        }
    }

    fn load_bodies(&mut self, bodies: &[Body], h: Real) {
        self.states.clear();
        self.masses.clear();
        self.free.clear();
        for (number, body) in bodies.iter().enumerate() {
            let mut state = State::REST;
            let mut mass =
                MassData { inverse_mass: 0.0, inverse_inertia: [0.0; 6], center: body.world_center() };
            let mut free = Free {
                dv: Vec3::ZERO,
                dw: Vec3::ZERO,
                keep_v: 1.0,
                keep_w: 1.0,
                v: body.linear_velocity,
                w: body.angular_velocity,
                moves: Moves::Not,
                rotation: body.pose.rotation,
                inertia: Mat3::ZERO,
            };
            if body.is_active() {
                let i = body.world_inverse_inertia();
                mass.inverse_mass = body.inverse_mass;
                // The mean of what should be equal, so that rounding cannot make it unsymmetric.
                let mean = |x: Real, y: Real| 0.5 * (x + y);
                mass.inverse_inertia = [
                    i.x_axis.x,
                    i.y_axis.y,
                    i.z_axis.z,
                    mean(i.x_axis.y, i.y_axis.x),
                    mean(i.x_axis.z, i.z_axis.x),
                    mean(i.y_axis.z, i.z_axis.y),
                ];
                let gravity = if 0.0 < body.inverse_mass {
                    self.settings.gravity * body.gravity_scale
                } else {
                    Vec3::ZERO
                };
                free.moves = Moves::ByForce;
                free.dv = (gravity + body.force * body.inverse_mass) * h;
                free.dw = mass.inertia_matrix() * body.torque * h;
                free.keep_v = 1.0 / (1.0 + h * body.linear_damping.max(0.0));
                free.keep_w = 1.0 / (1.0 + h * body.angular_damping.max(0.0));
                let is_slow = 0.5 * self.settings.sleep_delay < body.sleep_time;
                if is_slow && MANY_BODIES <= self.islands.size_of(number as u32) {
                    let settle = 1.0 / (1.0 + h * self.settings.settle_damping);
                    free.keep_v *= settle;
                    free.keep_w *= settle;
                }
                free.inertia = gyroscopic_inertia(&body.inverse_inertia);
            } else if body.is_driven() {
                free.moves = Moves::ByVelocity;
            }
            if free.moves != Moves::Not {
                let (v, w) = (body.linear_velocity, body.angular_velocity);
                state.motion = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
            }
            self.states.push(state);
            self.masses.push(mass);
            self.free.push(free);
        }
        // What cannot move.
        self.states.push(State::REST);
        self.masses.push(MassData { inverse_mass: 0.0, inverse_inertia: [0.0; 6], center: Vec3::ZERO });
    }

    /// Colours the manifolds and lays them out eight by eight.
    fn load_contacts(&mut self, bodies: &[Body], contacts: &[ContactPair], h: Real, stats: &mut StepStats) {
        let movable = |body: u32| bodies[body as usize].is_active().then_some(body);
        self.coloring.color(
            bodies.len(),
            self.active.iter().map(|&k| {
                let pair = &contacts[k as usize];
                (movable(pair.body_a), movable(pair.body_b))
            }),
        );
        self.places.clear();
        self.places.resize(self.active.len(), Place { group: 0, lane: 0 });
        self.class_starts.clear();
        self.class_starts.push(0);
        let mut n_groups = 0;
        let still = bodies.len() as u32;
        for class in self.coloring.classes() {
            for (k, &active) in class.iter().enumerate() {
                self.places[active as usize] =
                    Place { group: n_groups + (k / 8) as u32, lane: (k % 8) as u32 };
            }
            n_groups += class.len().div_ceil(8) as u32;
            self.class_starts.push(n_groups);
            // Lanes that stay empty are all in the last group of a colour.
            self.groups.resize(self.groups.len().max(n_groups as usize), Group::empty(still));
            if class.len() % 8 != 0 {
                self.groups[n_groups as usize - 1] = Group::empty(still);
            }
        }
        self.groups.truncate(n_groups as usize);
        for group in &mut self.groups {
            group.n_points = 0;
            group.movable_a = 0;
            group.movable_b = 0;
        }
        stats.n_colors = self.class_starts.len() - 1;
        let slop = self.settings.slop * self.settings.length_unit;
        let ratio = if 0.0 < self.kept_h { h / self.kept_h } else { 0.0 };
        for (k, &contact) in self.active.iter().enumerate() {
            let pair = &contacts[contact as usize];
            let kept = self.kept.get(self.matched[k] as usize);
            let Place { group, lane } = self.places[k];
            let group = &mut self.groups[group as usize];
            let slots = (slot(bodies, pair.body_a), slot(bodies, pair.body_b));
            stats.n_warm += load_lane(group, lane as usize, pair, kept, slots, &self.masses, ratio, slop);
            stats.n_contacts += pair.manifold.contacts().len();
            let bit = 1 << lane;
            group.movable_a |= if bodies[pair.body_a as usize].is_active() { bit } else { 0 };
            group.movable_b |= if bodies[pair.body_b as usize].is_active() { bit } else { 0 };
        }
    }

    fn run(&mut self, pass: &Pass) {
        #[cfg(feature = "parallel")]
        if crate::par::pays(self.groups.len()) {
            let Solver { shared, groups, class_starts, states, .. } = self;
            crate::par::run(shared, groups, class_starts, states, pass);
            return;
        }
        for class in self.class_starts.windows(2) {
            let groups = &mut self.groups[class[0] as usize..class[1] as usize];
            crate::impulse::run_serial(groups, &mut self.states, pass);
        }
    }

    fn run_joints(
        &mut self,
        joints: &mut [Joint],
        mut pass: impl FnMut(&JointStep, &mut Joint, &[MassData], &mut Jointed),
    ) {
        let mut bodies = Jointed { states: &mut self.states, pushes: &mut self.joint_pushes };
        for (step, joint) in self.joint_steps.iter().zip(joints) {
            pass(step, joint, &self.masses, &mut bodies);
        }
    }

    /// Forces, and, from the second substep on, what the contacts did in the one before, as a warm start.
    fn advance_velocities(&mut self, h: Real, is_first: bool) {
        for ((state, free), by_joints) in
            self.states.iter_mut().zip(&mut self.free).zip(&mut self.joint_pushes)
        {
            if free.moves != Moves::ByForce {
                continue;
            }
            // What the contacts did stays in the velocity and is done again; what the joints did only stays.
            let (v, w) = motion(state);
            let (joint_v, joint_w) = core::mem::take(by_joints);
            let (push_v, push_w) = if is_first {
                (Vec3::ZERO, Vec3::ZERO)
            } else {
                (v - free.v - joint_v, w - free.w - joint_w)
            };
            free.v = (v + free.dv) * free.keep_v;
            free.w = (w + free.dw) * free.keep_w;
            if free.inertia != Mat3::ZERO {
                let turned = delta_rotation(state) * free.rotation;
                let own = turned.conjugate() * free.w;
                // The change alone is turned back: a rounded turn of the whole would let it grow or shrink, step by step.
                free.w += turned * (integrate::gyroscopic(free.inertia, own, h) - own);
            }
            set_motion(state, free.v + push_v, free.w + push_w);
        }
    }

    fn advance_places(&mut self, h: Real) {
        for (state, free) in self.states.iter_mut().zip(&self.free) {
            if free.moves == Moves::Not {
                continue;
            }
            let (v, w) = motion(state);
            let rotation = integrate::turn(delta_rotation(state), w, h);
            let d = &mut state.delta;
            (d[0], d[1], d[2]) = (d[0] + v.x * h, d[1] + v.y * h, d[2] + v.z * h);
            [d[3], d[4], d[5], d[6]] = rotation.to_array();
        }
    }

    fn store_contacts(&mut self, contacts: &[ContactPair], h: Real) {
        self.next_kept.clear();
        let mut carried = self.carried.iter().map(|&old| self.kept[old as usize]).peekable();
        for (k, &contact) in self.active.iter().enumerate() {
            let pair = &contacts[contact as usize];
            let key = pair.key();
            while let Some(old) = carried.next_if(|old| old.key < key) {
                self.next_kept.push(old);
            }
            let Place { group, lane } = self.places[k];
            let (kept, report) = store_lane(&self.groups[group as usize], lane as usize, pair);
            self.impulses[contact as usize] = report;
            self.next_kept.push(kept);
        }
        self.next_kept.extend(carried);
        core::mem::swap(&mut self.kept, &mut self.next_kept);
        self.kept_h = h;
    }

    fn store_bodies(&mut self, bodies: &mut [Body], dt: Real) {
        let unit = self.settings.length_unit;
        let max_speed = self.settings.max_speed * unit;
        let slow = self.settings.sleep_speed * unit;
        for (k, body) in bodies.iter_mut().enumerate() {
            if self.free[k].moves == Moves::Not {
                continue;
            }
            let state = &self.states[k];
            let d = &state.delta;
            let rotation = (delta_rotation(state) * body.pose.rotation).normalize();
            let center = self.masses[k].center + Vec3::new(d[0], d[1], d[2]);
            let translation = center - rotation * body.center_of_mass;
            let (v, w) = motion(state);
            if !(rotation.is_finite() && translation.is_finite() && v.is_finite() && w.is_finite()) {
                // Numbers ran out of their range: the body stays where it was, and stops.
                body.linear_velocity = Vec3::ZERO;
                body.angular_velocity = Vec3::ZERO;
                continue;
            }
            body.pose.rotation = rotation;
            body.pose.translation = translation;
            if body.kind != BodyKind::Dynamic {
                continue;
            }
            body.linear_velocity = v.clamp_length_max(max_speed);
            body.angular_velocity = w;
            // The speed of a point at the radius of gyration.
            let trace =
                body.inverse_inertia.x_axis.x + body.inverse_inertia.y_axis.y + body.inverse_inertia.z_axis.z;
            let gyration_sq = if 0.0 < trace { 3.0 * body.inverse_mass / trace } else { 0.0 };
            let speed_sq = v.length_squared() + w.length_squared() * gyration_sq;
            // Contacts and joints that pull at each other leave a velocity behind that moves the body nowhere: how far it came counts too.
            let (way, turn) = (Vec3::new(d[0], d[1], d[2]), 2.0 * Vec3::new(d[3], d[4], d[5]));
            let way_sq = way.length_squared() + turn.length_squared() * gyration_sq;
            let speed_sq = speed_sq.min(way_sq / (dt * dt));
            body.sleep_time = if speed_sq <= slow * slow { body.sleep_time + dt } else { 0.0 };
        }
    }
}

/// The place of a body's state: fixed and sleeping bodies share one.
fn slot(bodies: &[Body], body: u32) -> usize {
    let b = &bodies[body as usize];
    if b.is_active() || b.is_driven() { body as usize } else { bodies.len() }
}

/// The inertia tensor, or zero for a body that turns about every axis alike or not at all.
fn gyroscopic_inertia(inverse: &Mat3) -> Mat3 {
    let inverse_of_one = Mat3::from_diagonal(Vec3::splat(inverse.x_axis.x));
    let size = inverse.x_axis.x.abs();
    if inverse.abs_diff_eq(inverse_of_one, tol::INERTIA_ROUND * size) {
        return Mat3::ZERO;
    }
    let inertia = inverse_of(inverse);
    if inertia.is_finite() { inertia } else { Mat3::ZERO }
}

fn motion(state: &State) -> (Vec3, Vec3) {
    let m = &state.motion;
    (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]))
}

fn set_motion(state: &mut State, v: Vec3, w: Vec3) {
    state.motion = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
}

fn delta_rotation(state: &State) -> Quat {
    let d = &state.delta;
    Quat::from_xyzw(d[3], d[4], d[5], d[6])
}
