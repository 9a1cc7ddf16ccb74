//! The audit compares a world before a step with the same world after it.
//!
//! - `begin` reads the bodies. A difference from the end of the last step is the work of the
//!   caller.
//! - `end` reads them again, and joins bodies with a contact or a joint into groups.
//! - Groups that met share an account of energy until all their bodies sleep.
//! - A group is free if it touches no body outside it. Only gravity and forces change its
//!   momentum.
//! - If a kinematic body or a motor drives a body, its account is not checked. `n_left_out` counts
//!   these bodies.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 1.2 (conservation in systems of
//! particles).

use crate::settings::AuditSettings;
use crate::side;
use crate::state::State;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Pose;
use carom_query::project_point;
use carom_response::{BodyKind, DisjointSets, Response};
use carom_world::{BodyId, ColliderId, ColliderRef, ContactView, Event, EventKind, World};
use glam::DVec3;

/// The law that a fault breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Energy from nothing.
    Energy,
    /// A momentum that changed without a force.
    Momentum,
    /// An angular momentum that changed without a torque.
    Spin,
    /// A centre that passed a surface.
    Side,
    /// An overlap beyond the limit, or one that grows without end.
    Depth,
    /// A body that sleeps while a force pulls it, or while it overlaps another body deeply.
    Sleep,
    /// An event that contradicts the last event of its pair.
    Events,
    /// A number that is infinite or NaN.
    Range,
}

/// A broken law: where, when, and by how much.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// The law.
    pub kind: FaultKind,
    /// The number of the step since the audit began; the first is 1.
    pub step: u64,
    /// The body, or the first body of a group.
    pub body: BodyId,
    /// The other body, if there is one.
    pub other: Option<BodyId>,
    /// The figures.
    pub figures: String,
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "step {}, body {}", self.step, self.body.index())?;
        if let Some(other) = self.other {
            write!(f, " and {}", other.index())?;
        }
        write!(f, ": {}", self.figures)
    }
}

/// The energy that a set of bodies may have.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// The energy at the start, and the work since.
    supplied_energy: f64,
    /// The sum of all changes between kinetic energy, potential energy and work.
    exchanged_energy: f64,
    is_driven: bool,
    is_reported: bool,
}

/// The depth of a pair at the last full second, and for how many seconds in a row it grew.
#[derive(Clone, Copy, Debug, Default)]
struct Growth {
    depth: f64,
    seconds: u32,
}

/// An overlap that grows in each of this many seconds counts as one that grows without end.
const MAX_GROWING_SECONDS: u32 = 10;

/// The deepest overlap of a body that falls asleep, in units of the slop.
const MAX_SLEEPING_SLOPS: f64 = 4.0;

/// Checks a world after each of its steps. The head of the crate lists the laws.
#[derive(Clone, Debug)]
pub struct Audit {
    settings: AuditSettings,
    step: u64,
    time: f64,
    /// The length of the last substep; 0 before the first step.
    substep: f32,
    /// All bodies, by their numbers.
    bodies: Vec<Option<State>>,
    /// By body number: whether the caller placed the body since the last step.
    is_placed: Vec<bool>,
    /// The sets of bodies that met since they last slept.
    met: DisjointSets,
    /// By the root of a set in `met`.
    accounts: Vec<Account>,
    /// Whether the last event of a pair of colliders says that they touch.
    touching: BTreeMap<(ColliderId, ColliderId), bool>,
    events: Vec<Event>,
    growth: BTreeMap<(ColliderId, ColliderId), Growth>,
    faults: Vec<Fault>,
    n_faults: u64,
    n_left_out: u64,
}

impl Audit {
    /// Creates an audit. It first reads its world in [`Audit::begin`].
    pub fn new(settings: AuditSettings) -> Audit {
        Audit {
            settings,
            step: 0,
            time: 0.0,
            substep: 0.0,
            bodies: Vec::new(),
            is_placed: Vec::new(),
            met: DisjointSets::default(),
            accounts: Vec::new(),
            touching: BTreeMap::new(),
            events: Vec::new(),
            growth: BTreeMap::new(),
            faults: Vec::new(),
            n_faults: 0,
            n_left_out: 0,
        }
    }

    /// Returns the first [`AuditSettings::max_faults`] faults.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the number of all faults.
    pub fn n_faults(&self) -> u64 {
        self.n_faults
    }

    /// Returns how often a body was left out of the check of energy. Each body in a set that a
    /// kinematic body or a motor drives counts once in each step.
    pub fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    fn found(&mut self, kind: FaultKind, body: BodyId, other: Option<BodyId>, figures: String) {
        self.n_faults += 1;
        if self.faults.len() < self.settings.max_faults {
            self.faults.push(Fault { kind, step: self.step, body, other, figures });
        }
    }

    /// Reads the world before a step. Changes since the last step are the work of the caller.
    pub fn begin<B: BroadPhase>(&mut self, world: &World<B>) {
        let now = read(world, self.substep);
        self.accounts.resize(self.accounts.len().max(now.len()), Account::default());
        let n_before = self.bodies.len();
        self.split_sets(now.len(), |number| number < n_before);
        self.is_placed.clear();
        for (number, state) in now.iter().enumerate() {
            let before = self.bodies.get(number).copied().flatten();
            let is_same = matches!((&before, state), (Some(a), Some(b)) if a.id == b.id);
            let is_left = is_same && before.map(|s| s.pose) == state.map(|s| s.pose);
            self.is_placed.push(!is_left);
            let energy = |state: &Option<State>| state.map_or(0.0, |state| state.energy.total());
            let supplied = energy(state) - energy(&before);
            let account = &mut self.accounts[self.met.root(number as u32) as usize];
            if supplied != 0.0 {
                account.supplied_energy += supplied;
                let kinetic = state.map_or(0.0, |state| state.energy.kinetic);
                account.exchanged_energy += if is_same { supplied.abs() } else { kinetic };
            }
        }
        self.bodies = now;
        // A detection between two steps reported events of its own.
        if world.events() != self.events {
            self.touching.clear();
        }
    }

    /// Rebuilds the sets for `n` body numbers. Numbers that `stays` accepts keep their sets,
    /// others are alone.
    fn split_sets(&mut self, n: usize, stays: impl Fn(usize) -> bool) {
        let mut met = DisjointSets::default();
        met.reset(n);
        for number in (0..n).filter(|number| stays(*number)) {
            met.join(self.met.root(number as u32), number as u32);
        }
        self.met = met;
    }

    /// Joins two sets of bodies, and adds up their accounts.
    fn join_accounts(&mut self, a: usize, b: usize) {
        let (a, b) = (self.met.root(a as u32), self.met.root(b as u32));
        if a == b {
            return;
        }
        self.met.join(a, b);
        let [one, other] = [a, b].map(|root| core::mem::take(&mut self.accounts[root as usize]));
        self.accounts[self.met.root(a) as usize] = Account {
            supplied_energy: one.supplied_energy + other.supplied_energy,
            exchanged_energy: one.exchanged_energy + other.exchanged_energy,
            is_driven: one.is_driven || other.is_driven,
            is_reported: one.is_reported || other.is_reported,
        };
    }

    /// Stores the length of the substeps of the last step. If it changed, the lag of the
    /// velocities changes too. The difference of the energies is put into the accounts.
    fn note_substep<B: BroadPhase>(&mut self, world: &World<B>, dt: f32) {
        let n_substeps = world.stats().solver.n_substeps;
        if n_substeps == 0 || dt / n_substeps as f32 == self.substep {
            return;
        }
        self.substep = dt / n_substeps as f32;
        let gravity = world.settings().solver.gravity;
        for (number, state) in self.bodies.iter_mut().enumerate() {
            let Some(state) = state else { continue };
            let now = state.with_substep(gravity, self.substep);
            let root = self.met.root(number as u32) as usize;
            self.accounts[root].supplied_energy += now.energy.total() - state.energy.total();
            *state = now;
        }
    }

    /// Reads the world after the step of `dt` seconds that followed [`Audit::begin`], and checks
    /// all laws.
    pub fn end<B: BroadPhase>(&mut self, world: &World<B>, dt: f32) {
        self.step += 1;
        self.note_substep(world, dt);
        let dt = f64::from(dt);
        let now = read(world, self.substep);
        let before = core::mem::take(&mut self.bodies);
        let mut pairs = Vec::with_capacity(before.len());
        for (number, state) in now.iter().enumerate() {
            pairs.push(match (before.get(number).copied().flatten(), state) {
                (Some(a), Some(b)) if a.id == b.id => Some((a, *b)),
                _ => None,
            });
        }
        let mut is_sound = true;
        for (_, state) in pairs.iter().flatten().filter(|(_, state)| !state.is_finite()) {
            is_sound = false;
            self.found(FaultKind::Range, state.id, None, format!("{state:?}"));
        }
        if is_sound {
            self.check_groups(world, &pairs, dt);
            if self.settings.checks_sides {
                self.check_sides(world, &pairs);
            }
            self.check_depths_and_sleep(world, &pairs, dt);
        }
        self.check_events(world);
        self.events = world.events().to_vec();
        self.time += dt;
        self.bodies = now;
    }

    /// Checks energy and momenta.
    fn check_groups<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>], dt: f64) {
        let mut groups = self.groups(world, pairs);
        self.credit_overlaps(world, pairs);
        let sums = self.sums(&mut groups, pairs, dt);
        let is_whole = world.stats().shortfall.n_substeps == 0
            && world.stats().shortfall.n_suspended == 0
            && !world.stats().shortfall.is_deferred;
        let max_speed = f64::from(world.settings().solver.max_speed) * 0.999;
        for (root, sum) in sums {
            let Some((body, _)) = pairs[root as usize] else { continue };
            if sum.is_held
                || sum.is_driven
                || sum.is_damped
                || sum.is_asleep
                || !is_whole
                || max_speed < sum.speed
            {
                continue;
            }
            let off = sum.momentum.length();
            if self.settings.max_drift * sum.momenta < off {
                let figures =
                    format!("the momentum of a free group changed by {off:.4e} of {:.4e}", sum.momenta);
                self.found(FaultKind::Momentum, body.id, None, figures);
                continue;
            }
            let off = sum.spin.length();
            let limit = self.settings.max_spin_drift * sum.spins + sum.lever_drift();
            if limit < off && !sum.has_torque {
                let figures =
                    format!("the angular momentum of a free group changed by {off:.4e} of {:.4e}", sum.spins);
                self.found(FaultKind::Spin, body.id, None, figures);
            }
        }
        self.check_accounts(pairs);
    }

    /// Joins the bodies that touch or have a joint, and their accounts.
    fn groups<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>]) -> Groups {
        let state = |id: BodyId| pairs.get(id.index() as usize).copied().flatten();
        let n = pairs.len();
        let mut groups = Groups {
            sets: DisjointSets::default(),
            is_held: alloc::vec![false; n],
            is_driven: alloc::vec![false; n],
        };
        groups.sets.reset(n);
        let mut links: Vec<(BodyId, BodyId, bool)> =
            world.contacts().filter(|view| !view.is_sensor).map(|view| (view.a, view.b, false)).collect();
        let all: BTreeMap<u32, BodyId> = world.body_ids().map(|id| (id.index(), id)).collect();
        for joint in world.joints().map(|joint| joint.data()) {
            let motor = joint.is_driven();
            if let (Some(a), Some(b)) = (all.get(&joint.body_a), all.get(&joint.body_b)) {
                links.push((*a, *b, motor));
            }
        }
        for (a, b, has_motor) in links {
            let (Some((_, at)), Some((_, bt))) = (state(a), state(b)) else { continue };
            let (i, j) = (a.index() as usize, b.index() as usize);
            match (at.is_dynamic(), bt.is_dynamic()) {
                (true, true) => {
                    groups.sets.join(i as u32, j as u32);
                    self.join_accounts(i, j);
                    groups.is_driven[i] |= has_motor;
                }
                (true, false) => {
                    groups.is_held[i] = true;
                    groups.is_driven[i] |= bt.is_driven || has_motor || moved(state(b));
                }
                (false, true) => {
                    groups.is_held[j] = true;
                    groups.is_driven[j] |= at.is_driven || has_motor || moved(state(a));
                }
                (false, false) => {}
            }
        }
        groups
    }

    /// Returns the sums of each group, by its root, and adds the work of forces to the accounts.
    fn sums(
        &mut self,
        groups: &mut Groups,
        pairs: &[Option<(State, State)>],
        dt: f64,
    ) -> BTreeMap<u32, Sums> {
        let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
        for (number, (a, b)) in pairs.iter().enumerate().filter_map(|(n, p)| p.map(|p| (n, p))) {
            if !b.is_dynamic() {
                continue;
            }
            let sum = sums.entry(groups.sets.root(number as u32)).or_insert_with(|| Sums::about(a.center));
            sum.add(&a, &b, dt);
            sum.is_held |= groups.is_held[number];
            sum.is_driven |= groups.is_driven[number];
            let root = self.met.root(number as u32) as usize;
            let account = &mut self.accounts[root];
            account.is_driven |= groups.is_driven[number];
            let path = b.center - a.center;
            let turn = (a.angular_velocity + b.angular_velocity) * (0.5 * dt);
            let work = a.force.dot(path) + a.torque.dot(turn);
            account.supplied_energy += work;
            account.exchanged_energy += work.abs();
            let kinetic = (b.energy.kinetic - a.energy.kinetic).abs();
            account.exchanged_energy += kinetic.max(a.weight.dot(path).abs());
        }
        sums
    }

    /// Puts the energy of overlaps that the caller made into the accounts. Push-out lifts the
    /// bodies: both may rise by the depth of each contact.
    fn credit_overlaps<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>]) {
        let is_placed = |id: BodyId| self.is_placed.get(id.index() as usize) == Some(&true);
        let mut credits = Vec::new();
        for view in world.contacts().filter(|view| !view.is_sensor) {
            if !is_placed(view.a) && !is_placed(view.b) {
                continue;
            }
            let depth = depth_of(&view);
            for number in [view.a, view.b].map(|id| id.index() as usize) {
                let state = pairs.get(number).copied().flatten().map(|(a, _)| a);
                let Some(state) = state.filter(|state| state.is_dynamic() && 0.0 < depth) else { continue };
                credits.push((number as u32, state.weight.length() * depth));
            }
        }
        for (number, credit) in credits {
            self.accounts[self.met.root(number) as usize].supplied_energy += credit;
        }
    }

    fn check_accounts(&mut self, pairs: &[Option<(State, State)>]) {
        let mut sums: BTreeMap<u32, (f64, u64, bool)> = BTreeMap::new();
        for (_, state) in pairs.iter().flatten().filter(|(_, state)| state.is_dynamic()) {
            let sum = sums.entry(self.met.root(state.id.index())).or_insert((0.0, 0, true));
            sum.0 += state.energy.total();
            sum.1 += 1;
            sum.2 &= state.is_sleeping;
        }
        let mut asleep = Vec::new();
        for (root, (energy, n_bodies, is_asleep)) in sums {
            let account = self.accounts[root as usize];
            if account.is_driven {
                self.n_left_out += n_bodies;
            } else if !account.is_reported {
                let gain = energy - account.supplied_energy;
                // The potential energy is a large number with its own rounding.
                let rounding = 1e-6 * energy.abs().max(account.supplied_energy.abs());
                if self.settings.max_gain * account.exchanged_energy + rounding < gain {
                    self.accounts[root as usize].is_reported = true;
                    if let Some((body, _)) = pairs[root as usize] {
                        let turned_over = account.exchanged_energy;
                        let figures = format!(
                            "{n_bodies} bodies have {gain:.4e} more energy than was put in; \
                             {turned_over:.4e} was turned over"
                        );
                        self.found(FaultKind::Energy, body.id, None, figures);
                    }
                }
            }
            if is_asleep {
                asleep.push(root);
            }
        }
        if asleep.is_empty() {
            return;
        }
        // Each body that sleeps opens an account of its own, with the energy that it has.
        let mut roots: Vec<u32> = Vec::with_capacity(pairs.len());
        for number in 0..pairs.len() as u32 {
            roots.push(self.met.root(number));
        }
        let is_asleep = |number: usize| asleep.binary_search(&roots[number]).is_ok();
        for number in (0..pairs.len()).filter(|number| is_asleep(*number)) {
            let put_in = pairs[number].map_or(0.0, |(_, state)| state.energy.total());
            self.accounts[number] = Account { supplied_energy: put_in, ..Account::default() };
        }
        self.split_sets(pairs.len(), |number| !is_asleep(number));
    }

    /// Tests the paths of centres against fixed shapes.
    fn check_sides<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>]) {
        // The joints whose bodies pass each other.
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for joint in world.joints().map(|joint| joint.data()).filter(|joint| !joint.has_contacts) {
            joined.extend([(joint.body_a, joint.body_b), (joint.body_b, joint.body_a)]);
        }
        joined.sort_unstable();
        let mut fixed: Vec<(&State, ColliderRef<'_, B>)> = Vec::new();
        for (_, b) in pairs.iter().flatten().filter(|(a, b)| b.kind == BodyKind::Fixed && a.pose == b.pose) {
            let colliders = world.body(b.id).into_iter().flat_map(|body| body.colliders());
            fixed.extend(colliders.filter(|collider| !collider.is_sensor()).map(|collider| (b, collider)));
        }
        let mut passed = Vec::new();
        for (a, b) in pairs.iter().flatten().filter(|(_, b)| b.is_dynamic() && !b.is_sleeping) {
            for (wall, collider) in &fixed {
                let [p, q] = side::in_frame(&wall.pose.wide(), a.center, b.center);
                let is_joined = joined.binary_search(&(a.id.index(), wall.id.index())).is_ok();
                if !is_joined
                    && side::passes(collider.shape_in_body(), p, q)
                    && world.pair_response(b.id, wall.id).is_ok_and(|response| response != Response::Pass)
                    && stops(world, b.id, collider)
                {
                    passed.push((b.id, wall.id, a.center, b.center));
                }
            }
        }
        for (body, wall, p, q) in passed {
            let figures = format!("the centre passed the surface on its way from {p:.6} to {q:.6}");
            self.found(FaultKind::Side, body, Some(wall), figures);
        }
    }

    fn check_depths_and_sleep<B: BroadPhase>(
        &mut self,
        world: &World<B>,
        pairs: &[Option<(State, State)>],
        dt: f64,
    ) {
        let solver = world.settings().solver;
        let slop = f64::from(solver.slop * solver.length_unit);
        let mut is_touched = alloc::vec![false; pairs.len()];
        let mut deepest = alloc::vec![(0.0, None); pairs.len()];
        let is_new_second = (self.time + dt).floor() != self.time.floor();
        let mut found = Vec::new();
        let mut growth = BTreeMap::new();
        for view in world.contacts().filter(|view| !view.is_sensor) {
            let depth = depth_of(&view);
            for (id, other) in [(view.a, view.b), (view.b, view.a)] {
                let k = id.index() as usize;
                is_touched[k] = true;
                if deepest[k].0 < depth {
                    deepest[k] = (depth, Some(other));
                }
            }
            if self.settings.max_depth < depth {
                let figures = format!("overlap {depth:.6}, the limit is {:.6}", self.settings.max_depth);
                found.push((FaultKind::Depth, view.a, Some(view.b), figures));
            }
            let pair = (view.collider_a, view.collider_b);
            let mut last = self.growth.get(&pair).copied().unwrap_or_default();
            if is_new_second {
                last.seconds =
                    if last.depth + 0.01 * slop < depth && slop < depth { last.seconds + 1 } else { 0 };
                last.depth = depth;
                if last.seconds == MAX_GROWING_SECONDS {
                    let figures = format!("overlap {depth:.6} grew in each of {MAX_GROWING_SECONDS} seconds");
                    found.push((FaultKind::Depth, view.a, Some(view.b), figures));
                }
            }
            growth.insert(pair, last);
        }
        self.growth = growth;
        for joint in world.joints().map(|joint| joint.data()) {
            for number in [joint.body_a, joint.body_b] {
                if let Some(touched) = is_touched.get_mut(number as usize) {
                    *touched = true;
                }
            }
        }
        for (a, b) in pairs.iter().flatten().filter(|(_, b)| b.is_dynamic() && b.is_sleeping) {
            let number = b.id.index() as usize;
            let pull = b.weight + b.force;
            if !is_touched[number] && (pull != DVec3::ZERO || b.torque != DVec3::ZERO) {
                let figures =
                    format!("asleep without a contact, while a force of {:.4e} pulls", pull.length());
                found.push((FaultKind::Sleep, b.id, None, figures));
            }
            // Once, when it falls asleep.
            let (depth, other) = deepest[number];
            if MAX_SLEEPING_SLOPS * slop < depth && !a.is_sleeping {
                found.push((FaultKind::Sleep, b.id, other, format!("asleep in an overlap of {depth:.6}")));
            }
        }
        for (kind, body, other, figures) in found {
            self.found(kind, body, other, figures);
        }
    }

    fn check_events<B: BroadPhase>(&mut self, world: &World<B>) {
        let mut found = Vec::new();
        for event in world.events() {
            let pair = (event.collider_a(), event.collider_b());
            let was = self.touching.get(&pair).copied();
            let is_right = match event.kind {
                EventKind::Began => was != Some(true),
                EventKind::Persisted | EventKind::Ended => was != Some(false),
            };
            if !is_right {
                found.push((pair, event.kind, was == Some(true)));
            }
            self.touching.insert(pair, event.kind != EventKind::Ended);
        }
        for ((a, b), kind, was) in found {
            let figures =
                format!("{kind:?} of a pair that {}", if was { "touched" } else { "did not touch" });
            self.found(FaultKind::Events, a.body(), Some(b.body()), figures);
        }
    }
}

/// The groups of bodies that touch or have a joint.
struct Groups {
    sets: DisjointSets,
    /// Whether each body touches a body that is not dynamic, or has a joint with it.
    is_held: Vec<bool>,
    /// Whether a motor or a moving body drives each body.
    is_driven: Vec<bool>,
}

/// The sums over the bodies of a group, before and after a step.
struct Sums {
    /// Angular momenta are about this point.
    origin: DVec3,
    /// The change of the momentum, without that by gravity and forces.
    momentum: DVec3,
    /// The sum of the lengths of all momenta.
    momenta: f64,
    /// The same for the angular momentum.
    spin: DVec3,
    spins: f64,
    /// The sum of the lengths of all impulses, except those of gravity and forces.
    impulses: f64,
    /// The least and the greatest coordinates of the displacements.
    displaced: [DVec3; 2],
    /// The largest speed.
    speed: f64,
    is_held: bool,
    is_driven: bool,
    is_damped: bool,
    /// Whether a body sleeps, or is slow, so that the solver brakes it.
    is_asleep: bool,
    has_torque: bool,
}

impl Sums {
    fn about(origin: DVec3) -> Sums {
        Sums {
            origin,
            momentum: DVec3::ZERO,
            momenta: 0.0,
            spin: DVec3::ZERO,
            spins: 0.0,
            impulses: 0.0,
            displaced: [DVec3::INFINITY, DVec3::NEG_INFINITY],
            speed: 0.0,
            is_held: false,
            is_driven: false,
            is_damped: false,
            is_asleep: false,
            has_torque: false,
        }
    }

    fn add(&mut self, a: &State, b: &State, dt: f64) {
        let applied = (b.weight + a.force) * dt;
        let impulse = (b.velocity - a.velocity) * b.mass - applied;
        self.momentum += impulse;
        self.impulses += impulse.length();
        let [least, greatest] = &mut self.displaced;
        let displacement = b.center - a.center;
        (*least, *greatest) = (least.min(displacement), greatest.max(displacement));
        self.momenta += b.mass * a.velocity.length().max(b.velocity.length()) + applied.length();
        let moment = |s: &State| s.angular_momentum + (s.center - self.origin).cross(s.velocity * s.mass);
        // Gravity acts along the whole path: on average at its middle.
        let lever = (a.center + b.center) * 0.5 - self.origin;
        self.spin += moment(b) - moment(a) - lever.cross(applied);
        let orbit = |s: &State| (s.center - self.origin).length() * s.mass * s.velocity.length();
        self.spins += a.angular_momentum.length().max(b.angular_momentum.length()) + orbit(a).max(orbit(b));
        self.spins += lever.length() * applied.length();
        self.speed = self.speed.max(a.velocity.length()).max(b.velocity.length());
        self.is_damped |= b.is_damped;
        self.is_asleep |= b.is_slow || a.is_slow;
        self.has_torque |= a.torque != DVec3::ZERO;
    }

    /// Returns how much the levers of contacts may change the angular momentum in a step.
    ///
    /// The solver computes levers from positions at the start of a step. If two bodies move by a
    /// distance relative to each other in the step, the levers of their impulse differ by it.
    fn lever_drift(&self) -> f64 {
        let [least, greatest] = self.displaced;
        self.impulses * (greatest - least).length()
    }
}

/// Whether a collider of a fixed body stops the centre of another body: the centre is in a solid
/// collider of its own body, and both collide. The centre of a dumbbell is in neither of its
/// balls.
fn stops<B: BroadPhase>(world: &World<B>, body: BodyId, wall: &ColliderRef<'_, B>) -> bool {
    let Ok(body) = world.body(body) else { return false };
    let center = body.motion().center_of_mass;
    let mut own = body.colliders().filter(|own| !own.is_sensor() && own.filter().meets(&wall.filter()));
    own.any(|own| {
        let on = project_point(own.shape_in_body(), &Pose::IDENTITY, center);
        on.is_some_and(|on| on.distance <= 0.0)
    })
}

/// Returns whether the pose of a body changed in the step.
fn moved(pair: Option<(State, State)>) -> bool {
    pair.is_some_and(|(a, b)| a.pose != b.pose)
}

/// Returns the greatest depth of the contacts of a pair; negative if they are apart.
fn depth_of(view: &ContactView<'_>) -> f64 {
    let distances = view.manifolds.iter().flat_map(|m| m.contacts()).map(|c| f64::from(c.distance));
    -distances.fold(f64::INFINITY, f64::min)
}

/// Reads all bodies, by their numbers.
fn read<B: BroadPhase>(world: &World<B>, substep: f32) -> Vec<Option<State>> {
    let gravity = world.settings().solver.gravity;
    let mut out = Vec::new();
    for id in world.body_ids() {
        if let Ok(body) = world.body(id).map(|body| body.motion()) {
            let number = id.index() as usize;
            out.resize(out.len().max(number + 1), None);
            out[number] = Some(State::new(id, body, gravity, substep));
        }
    }
    out
}
