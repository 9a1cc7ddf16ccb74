//! A bound on the energy of bodies that are fast, bounce or overlap deep: contacts may take energy
//! and give none.
//!
//! - A few passes over the contacts do not solve them exactly, nor do bounces at several contacts;
//!   a fast body lets errors grow.
//! - In a large island only fast bodies count: one ball that bounces on a pile would pay for all
//!   that is pushed out under it.
//! - Between the velocities without contacts and those with them the energy is a convex parabola of
//!   one factor.
//! - A body that is alone with what cannot move, and deep in it, pays out of its speed for the
//!   height that it is pushed up.
//! - So there is a factor from 0 to 1, for all impulses of a group of bodies, that gives no energy.
//! - One factor for all impulses keeps the momentum and the angular momentum of the group.
//!
//! Groups with joints, with a body that its owner moves, or on a surface that moves may gain
//! energy, and are left alone.
//!
//! Reference: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, chapter 3
//! (energy of impulses).
//! Tried: bounding islands that overlap deep, and bodies alone that overlap less. Both sank under a
//! load.

use crate::body::Body;
use crate::contact::ContactImpulse;
use crate::free::{Free, gyration_sq};
use crate::island::{DisjointSets, Islands};
use crate::lane_vec::State;
use crate::mass::MassData;
use crate::rest::Touch;
use crate::summary::Summary;
use alloc::vec::Vec;
use carom_math::glam::DVec3;
use carom_math::{Real, Vec3, ops};

/// Radians per step. A group is left alone if no body of it turns farther, nor flies farther than
/// its size.
const MIN_SPIN: Real = 0.2;

/// The most bodies of an island in which those that bounce are bounded too.
const MAX_SMALL: usize = 8;

/// Square of the part of a velocity that is rounding.
const ROUNDED_CHANGE_SQ: Real = 1e-10;

/// Part of the energy that rounding may add.
const ROUNDED: f64 = 1e-6;

/// What the bound reads.
pub(crate) struct Given<'a> {
    pub(crate) bodies: &'a [Body],
    /// The numbers of the bodies, by slot.
    pub(crate) movers: &'a [u32],
    pub(crate) masses: &'a [MassData],
    pub(crate) free: &'a [Free],
    pub(crate) islands: &'a Islands,
    /// By slot.
    pub(crate) touches: &'a [Touch],
    pub(crate) summaries: &'a [Summary],
    /// The contacts that were solved, and the slots of their two bodies; those that cannot move
    /// share the last slot.
    pub(crate) active: &'a [u32],
    pub(crate) slots: &'a dyn Fn(u32) -> usize,
    /// By contact.
    pub(crate) impulses: &'a [ContactImpulse],
    pub(crate) dt: Real,
    /// Length of the last substep.
    pub(crate) h: Real,
}

impl Given<'_> {
    /// The body is fast, or is one of a few that bounce.
    fn is_rash(&self, slot: usize, state: &State) -> bool {
        let is_small = || self.islands.size(self.islands.roots()[slot]) <= MAX_SMALL;
        (self.free[slot].has_bounced() && is_small()) || self.is_fast(slot, state)
    }

    /// The body is deep in what cannot move, and touches nothing else.
    fn is_deep(&self, slot: usize) -> bool {
        self.touches[slot] == Touch::Deep
            && self.free[slot].is_loose()
            && self.islands.size(self.islands.roots()[slot]) == 1
    }

    /// The body spins fast or flies farther than its size, and contacts changed its velocities or
    /// pushed it out.
    fn is_fast(&self, slot: usize, state: &State) -> bool {
        let (free, m) = (&self.free[slot], &state.front);
        if !free.is_loose() {
            return false;
        }
        let body = &self.bodies[self.movers[slot] as usize];
        let v = Vec3::new(m[0], m[1], m[2]);
        let w = Vec3::new(m[3], m[4], m[5]);
        let spin_sq = w.length_squared().max(body.angular_velocity.length_squared());
        let speed_sq = v.length_squared().max(body.linear_velocity.length_squared());
        let dt_sq = self.dt * self.dt;
        if !(MIN_SPIN * MIN_SPIN < spin_sq * dt_sq || gyration_sq(body) < speed_sq * dt_sq) {
            return false;
        }
        let n_substeps = self.dt / self.h;
        let pushed = v - body.linear_velocity - free.dv() * n_substeps;
        let d = &state.back;
        let fallen = free.dv() * (0.5 * (n_substeps + 1.0));
        let way = Vec3::new(d[0], d[1], d[2]) - (body.linear_velocity + fallen) * self.dt;
        w != body.angular_velocity
            || ROUNDED_CHANGE_SQ * speed_sq < pushed.length_squared()
            || ROUNDED_CHANGE_SQ * speed_sq * dt_sq < way.length_squared()
    }
}

/// Groups of bodies that pushed each other in a step; memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Energies {
    pushed: DisjointSets,
    sums: Vec<Sum>,
    /// By slot: something else that moves is near, and may rest on the body.
    has_neighbour: Vec<bool>,
}

/// Of a group: the energy that it may have, and the parabola.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    is_wanted: bool,
    /// Some body of it is fast or has bounced; the impulses of others carry a load, which the next
    /// step needs.
    is_rash: bool,
    is_left_alone: bool,
    most: f64,
    at_none: f64,
    slope: f64,
    square: f64,
    factor: Option<f64>,
    scale: f64,
}

impl Energies {
    /// Bounds the velocities in `states`. Returns the number of groups whose impulses were reduced.
    pub(crate) fn bound(&mut self, given: &Given<'_>, states: &mut [State]) -> usize {
        let n = given.movers.len();
        if !(0..n).any(|slot| given.is_deep(slot) || given.is_rash(slot, &states[slot])) {
            return 0;
        }
        self.join(given);
        for slot in 0..n {
            let root = self.pushed.root(slot as u32) as usize;
            let sum = &mut self.sums[root];
            sum.is_rash |= given.is_rash(slot, &states[slot]);
            sum.is_wanted |= sum.is_rash || given.is_deep(slot) && !self.has_neighbour[slot];
            let body = &given.bodies[given.movers[slot] as usize];
            let free = &given.free[slot];
            let is_free = free.is_loose() && !free.is_driven && body.torque == Vec3::ZERO;
            self.sums[root].is_left_alone |= !is_free || !(0.0 < body.inverse_mass);
        }
        for slot in 0..n {
            let root = self.pushed.root(slot as u32) as usize;
            if self.sums[root].is_bounded() {
                self.sums[root].add(&Terms::of(given, slot, &states[slot]));
            }
        }
        let mut n_bounded = 0;
        for sum in &mut self.sums {
            sum.find_factor();
            n_bounded += usize::from(sum.factor.is_some());
        }
        for slot in if n_bounded == 0 { 0..0 } else { 0..n } {
            let sum = self.sums[self.pushed.root(slot as u32) as usize];
            let Some(factor) = sum.factor else { continue };
            let terms = Terms::of(given, slot, &states[slot]);
            let v = (terms.v + terms.dv * factor) * sum.scale - lag_of(&given.free[slot]);
            let w = (terms.w + terms.dw * factor) * sum.scale;
            let (v, w) = (v.as_vec3(), w.as_vec3());
            if v.is_finite() && w.is_finite() {
                let m = &mut states[slot].front;
                [m[0], m[1], m[2]] = v.to_array();
                [m[3], m[4], m[5]] = w.to_array();
            }
        }
        n_bounded
    }

    /// Reduces the impulses that are kept for the next step as the bound reduced those of this
    /// step. In full they would push at the next start what the bound has stopped. `places` are
    /// those of the active contacts in `kept`.
    pub(crate) fn reduce_kept(&mut self, given: &Given<'_>, places: &[u32], kept: &mut [ContactImpulse]) {
        for (&contact, &place) in given.active.iter().zip(places) {
            let key = given.summaries[contact as usize].key;
            let slots = [key.body_a, key.body_b].map(|body| (given.slots)(body));
            let Some(slot) = slots.into_iter().find(|&slot| slot < given.movers.len()) else { continue };
            let sum = self.sums[self.pushed.root(slot as u32) as usize];
            let Some(factor) = sum.factor.filter(|_| sum.is_rash) else { continue };
            let (impulse, part) = (&mut kept[place as usize], (factor * sum.scale) as Real);
            impulse.normal = impulse.normal.map(|normal| normal * part);
            impulse.friction *= part;
            impulse.twist *= part;
        }
    }

    /// Finds which bodies pushed each other.
    fn join(&mut self, given: &Given<'_>) {
        let n = given.movers.len();
        self.pushed.reset(n);
        self.sums.clear();
        self.sums.resize(n, Sum::default());
        self.has_neighbour.clear();
        self.has_neighbour.resize(n, false);
        for &contact in given.active {
            let Summary { key, touch, bounces, .. } = given.summaries[contact as usize];
            let pushes = given.impulses[contact as usize].normal.iter().any(|&impulse| impulse != 0.0);
            let (a, b) = ((given.slots)(key.body_a), (given.slots)(key.body_b));
            if !(a < n && b < n) {
                continue;
            }
            (self.has_neighbour[a], self.has_neighbour[b]) = (true, true);
            // An overlap parts them without an impulse that stays.
            if pushes || bounces || touch != Touch::Apart {
                self.pushed.join(a as u32, b as u32);
            }
        }
    }
}

/// Of a body: its velocities without contacts, and what contacts added, with the momenta of both.
struct Terms {
    v: DVec3,
    w: DVec3,
    dv: DVec3,
    dw: DVec3,
    /// Of `w` and `dw`.
    momentum: DVec3,
    more: DVec3,
    mass: f64,
    /// The energy that it may have.
    most: f64,
}

/// Semi-implicit Euler stores a velocity that lags half a substep behind its place. With this
/// added, free flight keeps its energy exactly, and a bounce that returns to its height gains none.
fn lag_of(free: &Free) -> DVec3 {
    free.dv().as_dvec3() * 0.5
}

impl Terms {
    fn of(given: &Given<'_>, slot: usize, state: &State) -> Terms {
        let body = &given.bodies[given.movers[slot] as usize];
        let (free, m) = (&given.free[slot], &state.front);
        let lag = lag_of(free);
        let (v0, w0) = (body.linear_velocity.as_dvec3() + lag, body.angular_velocity.as_dvec3());
        let n_substeps = f64::from(given.dt) / f64::from(given.h);
        let pushed = free.dv().as_dvec3() * n_substeps;
        let v = v0 + pushed;
        let [x, y, z, a, b, c] = [m[0], m[1], m[2], m[3], m[4], m[5]].map(f64::from);
        let (dv, dw) = (DVec3::new(x, y, z) + lag - v, DVec3::new(a, b, c) - w0);
        let inertia = given.masses[slot].inertia_matrix().as_dmat3().inverse();
        let inertia = if inertia.is_finite() { inertia } else { carom_math::glam::DMat3::ZERO };
        let (momentum, more) = (inertia * w0, inertia * dw);
        let mass = 1.0 / f64::from(body.inverse_mass);
        let d = &state.back;
        let way = DVec3::new(f64::from(d[0]), f64::from(d[1]), f64::from(d[2]));
        let force = pushed * (mass / f64::from(given.dt));
        let most = 0.5 * (mass * v0.length_squared() + w0.dot(momentum)) + force.dot(way);
        Terms { v, w: w0, dv, dw, momentum, more, mass, most }
    }
}

impl Sum {
    fn is_bounded(&self) -> bool {
        self.is_wanted && !self.is_left_alone
    }

    fn add(&mut self, terms: &Terms) {
        let Terms { v, w, dv, dw, momentum, more, mass, most } = *terms;
        self.most += most;
        self.at_none += 0.5 * (mass * v.length_squared() + w.dot(momentum));
        self.slope += mass * v.dot(dv) + momentum.dot(dw);
        self.square += 0.5 * (mass * dv.length_squared() + dw.dot(more));
    }

    fn energy(&self, factor: f64) -> f64 {
        self.at_none + factor * (self.slope + factor * self.square)
    }

    /// The largest factor that gives no energy. If the velocities without contacts have too much
    /// already, as for a body that was pushed out upwards, it is the one with the least energy, and
    /// there is a scale for the rest.
    fn find_factor(&mut self) {
        let most = self.most.max(0.0);
        if !self.is_bounded() || !(most * (1.0 + ROUNDED) < self.energy(1.0)) {
            return;
        }
        // Without impulses there is no parabola.
        let factor = if 0.0 < self.square {
            let lowest = -0.5 * self.slope / self.square;
            let square = lowest * lowest - (self.at_none - most) / self.square;
            (lowest + if 0.0 < square { ops::sqrt(square) } else { 0.0 }).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let energy = self.energy(factor);
        self.scale = if most < energy { ops::sqrt(most / energy) } else { 1.0 };
        self.factor = (factor.is_finite() && self.scale.is_finite()).then_some(factor);
    }
}
