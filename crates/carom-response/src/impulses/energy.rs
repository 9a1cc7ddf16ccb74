//! A bound on the energy of bodies that are fast, bounce or overlap deeply: contacts must not add
//! energy.
//!
//! - One iteration does not solve contacts exactly, nor bounces at several contacts. For a fast
//!   body these errors may add much energy.
//! - One factor from 0 to 1 scales all impulses of a group of bodies, so linear and angular
//!   momentum are kept. The energy is a convex quadratic function of the factor. The largest
//!   factor that adds no energy is used.
//! - In a large island only fast bodies are bounded. Otherwise the energy of all push-out below a
//!   ball that bounces on a pile would be taken from the ball.
//! - A body that touches only bodies that cannot move, and overlaps deeply, is pushed up. The
//!   energy for that height is taken from its speed.
//! - A body that bounced late in a step still has a corner in the surface, and is pushed out. If
//!   it is alone, it counts as a body that bounces until it is out.
//!
//! Groups with joints, kinematic bodies, moving surfaces or contact springs may gain energy. They
//! are not bounded.
//!
//! Reference: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, chapter 3
//! (energy of impulses).
//! Tried: bounding islands that overlap deeply, and single bodies that overlap less. Both sank
//! under a load.

use crate::bodies::active::ActiveBodies;
use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, displacement, gyration_sq, motion, set_motion};
use crate::bodies::mass::MassData;
use crate::contacts::contact::ContactImpulse;
use crate::contacts::step_contacts::StepContacts;
use crate::contacts::summary::Summary;
use crate::impulses::lane_vec::State;
use crate::sleep::island::{DisjointSets, Islands};
use crate::sleep::rest::Touch;
use crate::step::context::StepContext;
use alloc::vec::Vec;
use carom_math::glam::DVec3;
use carom_math::{Real, Vec3, ops};

/// Radians per step. A group is not bounded if all its bodies turn less than this, and travel less
/// than their size.
const MIN_SPIN: Real = 0.2;

/// The largest number of bodies of an island in which bouncing bodies are bounded too.
const MAX_SMALL: usize = 8;

/// Square of the relative change of a velocity that counts as rounding.
const VELOCITY_ROUNDING_SQ: Real = 1e-10;

/// Relative increase of the energy that counts as rounding.
const ENERGY_ROUNDING: f64 = 1e-6;

/// The input of the bound.
pub(crate) struct EnergyInput<'a> {
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) bodies: &'a [Body],
    pub(crate) active: &'a ActiveBodies,
    pub(crate) masses: &'a [MassData],
    pub(crate) free: &'a [FreeMotion],
    pub(crate) islands: &'a Islands,
    pub(crate) contacts: &'a StepContacts,
    /// The impulses of each contact.
    pub(crate) impulses: &'a [ContactImpulse],
}

impl EnergyInput<'_> {
    /// Returns the body in a slot, as it was at the start of the step.
    fn body(&self, slot: usize) -> &Body {
        &self.bodies[self.active.indices()[slot] as usize]
    }

    /// Returns the number of substeps.
    fn n_substeps(&self) -> Real {
        self.context.dt / self.context.h
    }

    /// Whether the body is fast, bounced in a small island, or bounced alone and has not left the
    /// body that it met.
    fn is_energetic(&self, slot: usize, state: &State) -> bool {
        let free = &self.free[slot];
        let leaves = || free.is_loose() && self.body(slot).rest.is_bouncing();
        (free.has_bounced() && self.island_size(slot) <= MAX_SMALL)
            || (leaves() && self.island_size(slot) == 1)
            || self.is_fast(slot, state)
    }

    /// Returns the number of bodies in the island of a body.
    fn island_size(&self, slot: usize) -> usize {
        self.islands.size(self.islands.roots()[slot])
    }

    /// Whether the body overlaps deeply with bodies that cannot move, and touches no others.
    fn is_deep(&self, slot: usize) -> bool {
        self.islands.touches()[slot] == Touch::Deep
            && self.free[slot].is_loose()
            && self.island_size(slot) == 1
    }

    /// Whether the body spins fast or travels farther than its size, and contacts changed its
    /// velocities or position.
    fn is_fast(&self, slot: usize, state: &State) -> bool {
        let free = &self.free[slot];
        if !free.is_loose() {
            return false;
        }
        let body = self.body(slot);
        let (v, w) = motion(state);
        let spin_sq = w.length_squared().max(body.angular_velocity.length_squared());
        let speed_sq = v.length_squared().max(body.linear_velocity.length_squared());
        let dt = self.context.dt;
        let dt_sq = dt * dt;
        if !(MIN_SPIN * MIN_SPIN < spin_sq * dt_sq || gyration_sq(body) < speed_sq * dt_sq) {
            return false;
        }
        let n_substeps = self.n_substeps();
        let pushed = v - body.linear_velocity - free.dv * n_substeps;
        let fallen = free.dv * (0.5 * (n_substeps + 1.0));
        let pushed_by = displacement(state) - (body.linear_velocity + fallen) * dt;
        w != body.angular_velocity
            || VELOCITY_ROUNDING_SQ * speed_sq < pushed.length_squared()
            || VELOCITY_ROUNDING_SQ * speed_sq * dt_sq < pushed_by.length_squared()
    }
}

/// Groups of bodies that pushed each other in a step, with workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnergyBound {
    pushed: DisjointSets,
    sums: Vec<Sum>,
    /// By slot: whether another moving body is near, and may rest on this one.
    has_neighbour: Vec<bool>,
}

/// The energy bound of a group, and its energy as a function of the factor.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    is_wanted: bool,
    /// Whether a body of the group is fast or bounced. Cached impulses of other groups are kept,
    /// because they carry a load that the next step needs.
    is_energetic: bool,
    is_exempt: bool,
    max_energy: f64,
    constant: f64,
    slope: f64,
    square: f64,
    factor: Option<f64>,
    scale: f64,
}

impl EnergyBound {
    /// Bounds the velocities in `states`. Returns the number of groups whose impulses were reduced.
    pub(crate) fn bound(&mut self, input: &EnergyInput<'_>, states: &mut [State]) -> usize {
        let n = input.active.len();
        if !(0..n).any(|slot| input.is_deep(slot) || input.is_energetic(slot, &states[slot])) {
            return 0;
        }
        self.join(input);
        for slot in 0..n {
            let root = self.pushed.root(slot as u32) as usize;
            let sum = &mut self.sums[root];
            sum.is_energetic |= input.is_energetic(slot, &states[slot]);
            sum.is_wanted |= sum.is_energetic || input.is_deep(slot) && !self.has_neighbour[slot];
            let body = input.body(slot);
            let free = &input.free[slot];
            let is_free = free.is_loose() && !free.may_be_given_energy() && body.torque == Vec3::ZERO;
            self.sums[root].is_exempt |= !is_free || !(0.0 < body.inverse_mass);
        }
        for slot in 0..n {
            let root = self.pushed.root(slot as u32) as usize;
            if self.sums[root].is_bounded() {
                self.sums[root].add(&Terms::of(input, slot, &states[slot]));
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
            let terms = Terms::of(input, slot, &states[slot]);
            let v = (terms.v + terms.dv * factor) * sum.scale - lag_of(&input.free[slot]);
            let w = (terms.w + terms.dw * factor) * sum.scale;
            let (v, w) = (v.as_vec3(), w.as_vec3());
            if v.is_finite() && w.is_finite() {
                set_motion(&mut states[slot], v, w);
            }
        }
        n_bounded
    }

    /// Scales the cached impulses as the bound scaled the impulses of this step. Otherwise the
    /// next warm start would add the energy that was removed. `lanes` has the position of each
    /// active contact in `cached`.
    pub(crate) fn reduce_cached(
        &mut self,
        input: &EnergyInput<'_>,
        lanes: &[u32],
        cached: &mut [ContactImpulse],
    ) {
        for (&contact, &lane) in input.contacts.active.iter().zip(lanes) {
            let key = input.contacts.summaries[contact as usize].key;
            let slots = key.bodies().map(|body| input.active.slot(body));
            let Some(slot) = slots.into_iter().find(|&slot| slot < input.active.len()) else { continue };
            let sum = self.sums[self.pushed.root(slot as u32) as usize];
            let Some(factor) = sum.factor.filter(|_| sum.is_energetic) else { continue };
            let (impulse, part) = (&mut cached[lane as usize], (factor * sum.scale) as Real);
            impulse.normal = impulse.normal.map(|normal| normal * part);
            impulse.friction *= part;
            impulse.twist *= part;
        }
    }

    /// Finds which bodies pushed each other.
    fn join(&mut self, input: &EnergyInput<'_>) {
        let n = input.active.len();
        self.pushed.reset(n);
        self.sums.clear();
        self.sums.resize(n, Sum::default());
        self.has_neighbour.clear();
        self.has_neighbour.resize(n, false);
        for &contact in &input.contacts.active {
            let Summary { key, touch, bounces, .. } = input.contacts.summaries[contact as usize];
            let pushes = input.impulses[contact as usize].normal.iter().any(|&impulse| impulse != 0.0);
            let [a, b] = key.bodies().map(|body| input.active.slot(body));
            if !(a < n && b < n) {
                continue;
            }
            (self.has_neighbour[a], self.has_neighbour[b]) = (true, true);
            // Push-out separates bodies without leaving an impulse.
            if pushes || bounces || touch != Touch::Apart {
                self.pushed.join(a as u32, b as u32);
            }
        }
    }
}

/// The velocities of a body without contacts, the changes by contacts, and the angular momenta of
/// these two.
struct Terms {
    v: DVec3,
    w: DVec3,
    dv: DVec3,
    dw: DVec3,
    /// Angular momenta of `w` and `dw`.
    momentum: DVec3,
    momentum_change: DVec3,
    mass: f64,
    /// The largest energy that is allowed.
    max_energy: f64,
}

/// Half of the velocity that forces add in a substep. Semi-implicit Euler stores a velocity that
/// lags half a substep behind the position. With this added, free flight keeps its energy exactly,
/// and a bounce back to its height gains none.
fn lag_of(free: &FreeMotion) -> DVec3 {
    free.dv.as_dvec3() * 0.5
}

impl Terms {
    fn of(input: &EnergyInput<'_>, slot: usize, state: &State) -> Terms {
        let body = input.body(slot);
        let free = &input.free[slot];
        let lag = lag_of(free);
        let (v0, w0) = (body.linear_velocity.as_dvec3() + lag, body.angular_velocity.as_dvec3());
        let n_substeps = f64::from(input.context.dt) / f64::from(input.context.h);
        let pushed = free.dv.as_dvec3() * n_substeps;
        let v = v0 + pushed;
        let (new_v, new_w) = motion(state);
        let (dv, dw) = (new_v.as_dvec3() + lag - v, new_w.as_dvec3() - w0);
        let inertia = input.masses[slot].inertia_matrix().as_dmat3().inverse();
        let inertia = if inertia.is_finite() { inertia } else { carom_math::glam::DMat3::ZERO };
        let (momentum, momentum_change) = (inertia * w0, inertia * dw);
        let mass = 1.0 / f64::from(body.inverse_mass);
        let force = pushed * (mass / f64::from(input.context.dt));
        let max_energy =
            0.5 * (mass * v0.length_squared() + w0.dot(momentum)) + force.dot(displacement(state).as_dvec3());
        Terms { v, w: w0, dv, dw, momentum, momentum_change, mass, max_energy }
    }
}

impl Sum {
    fn is_bounded(&self) -> bool {
        self.is_wanted && !self.is_exempt
    }

    fn add(&mut self, terms: &Terms) {
        let Terms { v, w, dv, dw, momentum, momentum_change, mass, max_energy } = *terms;
        self.max_energy += max_energy;
        self.constant += 0.5 * (mass * v.length_squared() + w.dot(momentum));
        self.slope += mass * v.dot(dv) + momentum.dot(dw);
        self.square += 0.5 * (mass * dv.length_squared() + dw.dot(momentum_change));
    }

    fn energy(&self, factor: f64) -> f64 {
        self.constant + factor * (self.slope + factor * self.square)
    }

    /// Finds the largest factor that adds no energy. The velocities without contacts may already
    /// have too much, as for a body that was pushed upwards. Then the factor has the least energy,
    /// and `scale` removes the rest.
    fn find_factor(&mut self) {
        let max_energy = self.max_energy.max(0.0);
        if !self.is_bounded() || !(max_energy * (1.0 + ENERGY_ROUNDING) < self.energy(1.0)) {
            return;
        }
        // Without impulses the factor has no effect.
        let factor = if 0.0 < self.square {
            let minimum = -0.5 * self.slope / self.square;
            let discriminant = minimum * minimum - (self.constant - max_energy) / self.square;
            (minimum + if 0.0 < discriminant { ops::sqrt(discriminant) } else { 0.0 }).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let energy = self.energy(factor);
        self.scale = if max_energy < energy { ops::sqrt(max_energy / energy) } else { 1.0 };
        self.factor = (factor.is_finite() && self.scale.is_finite()).then_some(factor);
    }
}
