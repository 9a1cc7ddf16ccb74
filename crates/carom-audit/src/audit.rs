//! The audit: what a world was before a step, what it is after it, and what is wrong about the difference.
//!
//! - `begin` reads the bodies before a step. A difference to the end of the step before is the caller's work.
//! - `end` reads them again. Bodies with a contact or a joint are joined into groups; groups that ever met share an
//!   account of energy, until all of its bodies sleep.
//! - A group is free if only its own bodies touch each other: its momentum changes by gravity and forces alone.
//! - A body that a kinematic body or a motor drives opens its account: its energy is not checked, but counted.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 1.2 (conservation in systems of particles).

use crate::groups::Groups;
use crate::settings::AuditSettings;
use crate::side;
use crate::state::State;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_query::Shape;
use carom_response::BodyKind;
use carom_world::{BodyId, Event, EventKind, JointKind, World};
use glam::DVec3;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Energy from nothing.
    Energy,
    /// A momentum that changes by itself.
    Momentum,
    /// An angular momentum that changes by itself.
    Spin,
    /// A centre that passed a surface.
    Side,
    /// An overlap beyond the limit, or one that grows without end.
    Depth,
    /// A body asleep that something pulls, or that lies deep in another.
    Sleep,
    /// Events of a pair that do not fit together.
    Events,
    /// A number that is infinite or NaN.
    Range,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// What kind of thing.
    pub kind: FaultKind,
    /// Steps since the audit began, the first is 1.
    pub step: u64,
    /// The body, or the first of a group.
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

/// The energy of the bodies that met.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Put in since it was opened: the energy at the start, and work.
    put_in: f64,
    /// The energy that changed its form or its owner.
    turned_over: f64,
    is_driven: bool,
    is_reported: bool,
}

/// How deep a pair was at its last look, and for how many seconds in a row it became deeper.
#[derive(Clone, Copy, Debug, Default)]
struct Growth {
    depth: f64,
    seconds: u32,
}

/// A pair grows without end if each of so many seconds leaves it deeper.
const MAX_GROWING_SECONDS: u32 = 10;

/// Overlap at which a body may fall asleep, in units of the slop.
const MAX_SLEEPING_SLOPS: f64 = 4.0;

/// Checks a world after each of its steps; see the head of the crate.
#[derive(Clone, Debug)]
pub struct Audit {
    settings: AuditSettings,
    step: u64,
    time: f64,
    /// Dynamic bodies and all others, by their numbers.
    bodies: Vec<Option<State>>,
    /// Bodies that met since they last slept.
    met: Groups,
    accounts: Vec<Account>,
    touching: BTreeMap<(BodyId, BodyId), bool>,
    events: Vec<Event>,
    growth: BTreeMap<(BodyId, BodyId), Growth>,
    faults: Vec<Fault>,
    n_faults: u64,
    n_left_out: u64,
}

impl Audit {
    /// An audit of a world that is seen for the first time by [`Audit::begin`].
    pub fn new(settings: AuditSettings) -> Audit {
        Audit {
            settings,
            step: 0,
            time: 0.0,
            bodies: Vec::new(),
            met: Groups::default(),
            accounts: Vec::new(),
            touching: BTreeMap::new(),
            events: Vec::new(),
            growth: BTreeMap::new(),
            faults: Vec::new(),
            n_faults: 0,
            n_left_out: 0,
        }
    }

    /// The faults so far, the first [`AuditSettings::max_faults`] of them.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many faults there were.
    pub fn n_faults(&self) -> u64 {
        self.n_faults
    }

    /// How many times a body was left out of the energy in a step, because a kinematic body or a motor drives it.
    pub fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    fn found(&mut self, kind: FaultKind, body: BodyId, other: Option<BodyId>, figures: String) {
        self.n_faults += 1;
        if self.faults.len() < self.settings.max_faults {
            self.faults.push(Fault { kind, step: self.step, body, other, figures });
        }
    }

    /// Reads the world before a step. What the caller changed since the last step is put into the accounts.
    pub fn begin<B: BroadPhase>(&mut self, world: &World<B>) {
        let now = read(world);
        for number in self.bodies.len()..now.len() {
            debug_assert_eq!(self.accounts.len(), number);
            self.accounts.push(Account::default());
        }
        let mut met = Groups::default();
        met.reset(now.len());
        for number in 0..self.bodies.len().min(now.len()) {
            let leader = self.met.leader(number);
            met.join(leader, number);
        }
        self.met = met;
        for (number, state) in now.iter().enumerate() {
            let before = self.bodies.get(number).copied().flatten();
            let is_same = matches!((&before, state), (Some(a), Some(b)) if a.id == b.id);
            let held = |state: &State| {
                if state.is_dynamic() { state.kinetic + state.force_free_potential() } else { 0.0 }
            };
            let given = match (&before, state) {
                (Some(a), Some(b)) if is_same => held(b) - held(a),
                _ => state.as_ref().map_or(0.0, held) - before.as_ref().map_or(0.0, held),
            };
            let leader = self.met.leader(number);
            let account = &mut self.accounts[leader];
            if given != 0.0 {
                account.put_in += given;
                account.turned_over += if is_same { given.abs() } else { state.map_or(0.0, |s| s.kinetic) };
            }
        }
        self.bodies = now;
        // Contacts that were found between two steps were reported there.
        if world.events() != self.events {
            self.touching.clear();
        }
    }

    /// Reads the world after the step of `dt` that followed [`Audit::begin`], and looks for faults.
    pub fn end<B: BroadPhase>(&mut self, world: &World<B>, dt: f32) {
        self.step += 1;
        let dt = f64::from(dt);
        let now = read(world);
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

    /// Energy and momenta.
    fn check_groups<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>], dt: f64) {
        let state = |id: BodyId| pairs.get(id.index() as usize).copied().flatten();
        let mut groups = Groups::default();
        groups.reset(pairs.len());
        let mut is_held = alloc::vec![false; pairs.len()];
        let mut is_driven = alloc::vec![false; pairs.len()];
        let mut links: Vec<(BodyId, BodyId, bool)> =
            world.contacts().filter(|view| !view.is_sensor).map(|view| (view.a, view.b, false)).collect();
        let all: BTreeMap<u32, BodyId> = world.body_ids().map(|id| (id.index(), id)).collect();
        for (_, joint) in world.joints() {
            let motor = match joint.kind {
                JointKind::Hinge { motor, .. } => motor.is_some(),
                _ => false,
            };
            if let (Some(a), Some(b)) = (all.get(&joint.body_a), all.get(&joint.body_b)) {
                links.push((*a, *b, motor));
            }
        }
        for (a, b, has_motor) in links {
            let (Some((_, at)), Some((_, bt))) = (state(a), state(b)) else { continue };
            let (i, j) = (a.index() as usize, b.index() as usize);
            match (at.is_dynamic(), bt.is_dynamic()) {
                (true, true) => {
                    groups.join(i, j);
                    self.met.join_accounts(&mut self.accounts, i, j);
                    is_driven[i] |= has_motor;
                }
                (true, false) => {
                    is_held[i] = true;
                    is_driven[i] |= bt.is_driven || has_motor || moved(state(b));
                }
                (false, true) => {
                    is_held[j] = true;
                    is_driven[j] |= at.is_driven || has_motor || moved(state(a));
                }
                (false, false) => {}
            }
        }
        // The sums of each group, at its leader.
        let mut sums: BTreeMap<usize, Sums> = BTreeMap::new();
        for (number, (a, b)) in pairs.iter().enumerate().filter_map(|(n, p)| p.map(|p| (n, p))) {
            if !b.is_dynamic() {
                continue;
            }
            let leader = groups.leader(number);
            let sum = sums.entry(leader).or_insert_with(|| Sums::about(a.center));
            sum.add(&a, &b, dt);
            sum.is_held |= is_held[number];
            sum.is_driven |= is_driven[number];
            let root = self.met.leader(number);
            let account = &mut self.accounts[root];
            account.is_driven |= is_driven[number];
            let path = b.center - a.center;
            let turn = (a.angular_velocity + b.angular_velocity) * (0.5 * dt);
            let work = a.force.dot(path) + a.torque.dot(turn);
            account.put_in += work;
            account.turned_over += work.abs() + (b.kinetic - a.kinetic).abs().max(a.weight.dot(path).abs());
        }
        let is_whole = world.stats().undone.n_substeps == 0
            && world.stats().undone.n_halted == 0
            && !world.stats().undone.is_held;
        let max_speed = f64::from(world.settings().solver.max_speed) * 0.999;
        for (leader, sum) in sums {
            let Some((body, _)) = pairs[leader] else { continue };
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
            if self.settings.max_spin_drift * sum.spins < off && !sum.has_torque {
                let figures =
                    format!("the angular momentum of a free group changed by {off:.4e} of {:.4e}", sum.spins);
                self.found(FaultKind::Spin, body.id, None, figures);
            }
        }
        self.check_accounts(pairs);
    }

    fn check_accounts(&mut self, pairs: &[Option<(State, State)>]) {
        let mut held: BTreeMap<usize, (f64, u64, bool)> = BTreeMap::new();
        for (number, (_, b)) in pairs.iter().enumerate().filter_map(|(n, p)| p.map(|p| (n, p))) {
            if b.is_dynamic() {
                let sum = held.entry(self.met.leader(number)).or_insert((0.0, 0, true));
                sum.0 += b.kinetic + b.force_free_potential();
                sum.1 += 1;
                sum.2 &= b.is_sleeping;
            }
        }
        let mut asleep = Vec::new();
        for (leader, (energy, n_bodies, is_asleep)) in held {
            let account = self.accounts[leader];
            if account.is_driven {
                self.n_left_out += n_bodies;
            } else if !account.is_reported {
                let gain = energy - account.put_in;
                // The potential energy is a large number with its own rounding.
                let rounding = 1e-6 * energy.abs().max(account.put_in.abs());
                if self.settings.max_gain * account.turned_over + rounding < gain {
                    self.accounts[leader].is_reported = true;
                    if let Some((body, _)) = pairs[leader] {
                        let figures = format!(
                            "the energy of {n_bodies} bodies is {gain:.4e} above what was put in; {:.4e} were turned over",
                            account.turned_over
                        );
                        self.found(FaultKind::Energy, body.id, None, figures);
                    }
                }
            }
            if is_asleep {
                asleep.push(leader);
            }
        }
        if asleep.is_empty() {
            return;
        }
        // What sleeps begins anew: each body with the energy that it has.
        let leaders: Vec<usize> = (0..pairs.len()).map(|number| self.met.leader(number)).collect();
        let mut met = Groups::default();
        met.reset(pairs.len());
        for (number, leader) in leaders.into_iter().enumerate() {
            if asleep.binary_search(&leader).is_err() {
                met.join(leader, number);
                continue;
            }
            let energy = pairs[number].map_or(0.0, |(_, b)| {
                if b.is_dynamic() { b.kinetic + b.force_free_potential() } else { 0.0 }
            });
            self.accounts[number] = Account { put_in: energy, ..Account::default() };
        }
        self.met = met;
    }

    /// Paths of centres against fixed shapes.
    fn check_sides<B: BroadPhase>(&mut self, world: &World<B>, pairs: &[Option<(State, State)>]) {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (_, joint) in world.joints() {
            joined.extend([(joint.body_a, joint.body_b), (joint.body_b, joint.body_a)]);
        }
        joined.sort_unstable();
        let fixed: Vec<(&State, &Shape)> = pairs
            .iter()
            .flatten()
            .filter(|(a, b)| b.kind == BodyKind::Fixed && a.pose == b.pose)
            .filter_map(|(_, b)| Some((b, world.shape(b.id).ok()?)))
            .collect();
        let mut passed = Vec::new();
        for (a, b) in pairs.iter().flatten().filter(|(_, b)| b.is_dynamic() && !b.is_sleeping) {
            for (wall, shape) in &fixed {
                let [p, q] = side::in_frame(&wall.pose.wide(), a.center, b.center);
                let is_joined = joined.binary_search(&(a.id.index(), wall.id.index())).is_ok();
                if !is_joined && side::passes(shape, p, q) {
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
            let distances = view.manifolds.iter().flat_map(|m| m.contacts()).map(|c| f64::from(c.distance));
            let depth = -distances.fold(f64::INFINITY, f64::min);
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
            let mut last = self.growth.get(&(view.a, view.b)).copied().unwrap_or_default();
            if is_new_second {
                last.seconds =
                    if last.depth + 0.01 * slop < depth && slop < depth { last.seconds + 1 } else { 0 };
                last.depth = depth;
                if last.seconds == MAX_GROWING_SECONDS {
                    let figures = format!("overlap {depth:.6} grew in each of {MAX_GROWING_SECONDS} seconds");
                    found.push((FaultKind::Depth, view.a, Some(view.b), figures));
                }
            }
            growth.insert((view.a, view.b), last);
        }
        self.growth = growth;
        for (_, joint) in world.joints() {
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
            // Told once: when it falls asleep.
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
            let pair = (event.a, event.b);
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
            self.found(FaultKind::Events, a, Some(b), figures);
        }
    }
}

impl State {
    /// Energy in the field of gravity, above the origin.
    fn force_free_potential(&self) -> f64 {
        -self.weight.dot(self.center)
    }
}

impl Groups {
    /// Joins the accounts of two bodies that met.
    fn join_accounts(&mut self, accounts: &mut [Account], a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        if a != b {
            let (one, other) = (accounts[a], accounts[b]);
            self.join(a, b);
            accounts[a.max(b)] = Account::default();
            accounts[a.min(b)] = Account {
                put_in: one.put_in + other.put_in,
                turned_over: one.turned_over + other.turned_over,
                is_driven: one.is_driven || other.is_driven,
                is_reported: one.is_reported || other.is_reported,
            };
        }
    }
}

/// The sums over a group, before and after a step.
struct Sums {
    origin: DVec3,
    /// Change beyond that of gravity and forces, and the sum of the lengths.
    momentum: DVec3,
    momenta: f64,
    spin: DVec3,
    spins: f64,
    speed: f64,
    is_held: bool,
    is_driven: bool,
    is_damped: bool,
    /// A body sleeps, or is about to: the solver brakes it.
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
            speed: 0.0,
            is_held: false,
            is_driven: false,
            is_damped: false,
            is_asleep: false,
            has_torque: false,
        }
    }

    fn add(&mut self, a: &State, b: &State, dt: f64) {
        let given = (b.weight + a.force) * dt;
        self.momentum += (b.velocity - a.velocity) * b.mass - given;
        self.momenta += b.mass * a.velocity.length().max(b.velocity.length()) + given.length();
        let moment = |s: &State| s.angular_momentum + (s.center - self.origin).cross(s.velocity * s.mass);
        // Half of the way gravity acts at the one end, half at the other.
        let lever = (a.center + b.center) * 0.5 - self.origin;
        self.spin += moment(b) - moment(a) - lever.cross(given);
        let orbit = |s: &State| (s.center - self.origin).length() * s.mass * s.velocity.length();
        self.spins += a.angular_momentum.length().max(b.angular_momentum.length()) + orbit(a).max(orbit(b));
        self.spins += lever.length() * given.length();
        self.speed = self.speed.max(a.velocity.length()).max(b.velocity.length());
        self.is_damped |= b.is_damped;
        self.is_asleep |= b.is_slow || a.is_slow;
        self.has_torque |= a.torque != DVec3::ZERO;
    }
}

/// Whether a body that is not dynamic changed its place.
fn moved(pair: Option<(State, State)>) -> bool {
    pair.is_some_and(|(a, b)| a.pose != b.pose)
}

fn read<B: BroadPhase>(world: &World<B>) -> Vec<Option<State>> {
    let gravity = world.settings().solver.gravity.as_dvec3();
    let mut out = Vec::new();
    for id in world.body_ids() {
        if let Ok(body) = world.motion(id) {
            let number = id.index() as usize;
            out.resize(out.len().max(number + 1), None);
            out[number] = Some(State::new(id, body, gravity));
        }
    }
    out
}
