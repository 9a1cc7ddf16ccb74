//! Corrects the velocities of bodies that were moved back on their path, so that momentum is kept
//! and no energy is gained.
//!
//! - A body keeps its angular momentum, so its angular velocity changes with its orientation.
//! - The solver accelerated the body by gravity and force along its whole path, but the body falls
//!   only along a part of it. If the body and the dynamic bodies beside it have gained energy in
//!   the step, the energy of the remaining height is removed. For a body that is only beside
//!   fixed ones, all gained energy is removed. It stays if something else than gravity and force
//!   may give energy ([`Solver::may_gain_energy`](carom_response::Solver::may_gain_energy)).
//! - A force is constant within a step, as gravity is. So it has a potential, and below *fall*
//!   means motion along the sum of both.
//! - The energy is taken from the velocity along the fall first, then from the rotation, then from
//!   the velocity across it. The callback of substeps, a belt or a spring may have given the body
//!   energy. Then it is taken from the velocity along the fall alone.
//! - If the body gave all its speed to another body, the remaining energy is taken from that body.
//!
//! Semi-implicit Euler stores a velocity that lags half a substep behind the pose. All energies
//! here are those at the pose.
//!
//! Reference: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996, chapter 3
//! (energy of impulses).

use crate::continuous::ContinuousStep;
use crate::continuous::flight::{Rotor, twice_energy};
use crate::continuous::state::{Attachment, Sweeps};
use carom_broad::BroadPhase;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Vec3, ops};
use carom_response::{Body, BodyKind};

/// The effect of gravity and force on a body in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fall {
    /// The acceleration by both.
    acceleration: DVec3,
    /// The direction of the acceleration; zero without one.
    down: DVec3,
    /// The stored speed along this direction lags behind that at the pose by this much.
    lag: f64,
}

impl Fall {
    fn new(acceleration: DVec3, substep: f64) -> Fall {
        let size = ops::sqrt(acceleration.length_squared());
        let down = if 0.0 < size { acceleration * (1.0 / size) } else { DVec3::ZERO };
        Fall { acceleration, down, lag: 0.5 * substep * size }
    }

    /// Returns the potential energy per mass that a displacement gains; negative if it leads down.
    fn potential(&self, displacement: DVec3) -> f64 {
        -displacement.dot(self.acceleration)
    }

    /// Removes kinetic energy from a body. Returns the part of it that the body did not have.
    fn remove_energy(&self, body: &mut Body, excess: f64) -> f64 {
        let mass = 1.0 / f64::from(body.inverse_mass);
        let missing = self.remove_along(body, excess / mass);
        let missing = remove_from_spin(body, mass * missing);
        mass * self.remove_across(body, missing / mass)
    }

    /// Removes an energy per mass from the velocity of a body along its fall. Returns the part of
    /// it that the body did not have.
    fn remove_along(&self, body: &mut Body, excess: f64) -> f64 {
        if !(0.0 < excess) {
            return 0.0;
        }
        let speed = body.linear_velocity.as_dvec3().dot(self.down);
        let there = speed + self.lag;
        let (left, excess) = reduced(there * there, excess);
        let change = ops::sqrt(left).copysign(there) - there;
        body.linear_velocity += (self.down * change).as_vec3();
        excess
    }

    /// Removes an energy per mass from the stored velocity of a body along its fall, down to rest.
    /// So a body that a contact holds stays at rest.
    fn slow_down(&self, body: &mut Body, excess: f64) {
        let speed = body.linear_velocity.as_dvec3().dot(self.down);
        if 0.0 < speed {
            let (left, _) = reduced(speed * speed, excess);
            body.linear_velocity += (self.down * (ops::sqrt(left) - speed)).as_vec3();
        }
    }

    /// Removes an energy per mass from the velocity of a body across its fall. Returns the part of
    /// it that the body did not have.
    fn remove_across(&self, body: &mut Body, excess: f64) -> f64 {
        let velocity = body.linear_velocity.as_dvec3();
        let along = self.down * velocity.dot(self.down);
        let across = velocity - along;
        let square = across.length_squared();
        let (left, missing) = reduced(square, excess);
        if left < square {
            body.linear_velocity = (along + across * ops::sqrt(left / square)).as_vec3();
        }
        missing
    }
}

/// Returns the square of a speed after an energy per mass was removed, and the energy that was
/// missing. It also applies to twice a kinetic energy and an energy.
fn reduced(square: f64, excess: f64) -> (f64, f64) {
    let left = (square - 2.0 * excess.max(0.0)).max(0.0);
    (left, excess - 0.5 * (square - left))
}

impl<B: BroadPhase> ContinuousStep<'_, B> {
    /// Returns how gravity and force pulled a body in this step.
    pub(crate) fn fall_of(&self, index: usize) -> Fall {
        let Body { gravity_scale, force, inverse_mass, .. } = self.bodies.motions[index];
        let gravity = self.settings.solver.gravity.as_dvec3() * f64::from(gravity_scale);
        Fall::new(gravity + force.as_dvec3() * f64::from(inverse_mass), f64::from(self.substep()))
    }

    /// After a body was moved back: removes the energy of the height that it did not fall, from its
    /// velocity along the fall. The rest is taken from its other motion, up to the energy that it
    /// gained.
    pub(crate) fn remove_fall_energy(&mut self, index: usize, shift: DVec3) {
        let fall = self.fall_of(index);
        let mass = 1.0 / f64::from(self.bodies.motions[index].inverse_mass);
        let missing = mass * fall.remove_along(&mut self.bodies.motions[index], fall.potential(shift));
        let due = missing.min(self.removable_gain(index, &self.continuous.sweeps.starts));
        if 0.0 < due {
            fall.remove_energy(&mut self.bodies.motions[index], due);
        }
    }

    /// Before the solver: stores the velocities of the moving bodies, if some may be moved back.
    pub(crate) fn note_starts(&mut self) {
        self.continuous.sweeps.starts.clear();
        if !self.continuous.fast.is_empty() || self.continuous.swift.contains(&true) {
            let bodies = &self.bodies.motions;
            let start = |&number: &u32| {
                let body = &bodies[number as usize];
                (number, [body.linear_velocity, body.angular_velocity])
            };
            self.continuous.sweeps.starts.extend(self.bodies.active.moving().iter().map(start));
        }
    }

    /// Corrects the velocities of all bodies that were moved back.
    pub(crate) fn settle_velocities(&mut self, sweeps: &mut Sweeps) {
        self.find_beside(sweeps);
        let Sweeps { put_back, flights, rotations, attachments, starts, beside, beside_gains, .. } = sweeps;
        for &index in &*put_back {
            let index = index as usize;
            let Some(flight) = &flights[index] else { continue };
            let path = flight.rotations(rotations);
            let ends = [path[0], path[path.len() - 1]];
            let body = &mut self.bodies.motions[index];
            match &flight.last {
                Some(rotor) if attachments[index] == Attachment::Free => keep_momentum(body, rotor, ends),
                Some(rotor) => limit_spin(body, rotor, ends, body.angular_velocity.as_dvec3()),
                None => {}
            }
        }
        for &number in &*put_back {
            let index = number as usize;
            let Some(flight) = &flights[index] else { continue };
            let fall = self.fall_of(index);
            let body = &self.bodies.motions[index];
            let mass = 1.0 / f64::from(body.inverse_mass);
            let excess = mass * fall.potential(body.world_center().as_dvec3() - flight.center_at(1.0));
            if self.solver.may_gain_energy(number) {
                fall.slow_down(&mut self.bodies.motions[index], excess / mass);
                continue;
            }
            let first = beside.partition_point(|(a, _)| *a < number);
            let others = beside[first..].iter().take_while(|(a, _)| *a == number).map(|(_, b)| *b as usize);
            let is_dynamic = |other: &usize| self.bodies.motions[*other].kind == BodyKind::Dynamic;
            // Contacts move energy between these bodies.
            let gain_of = |other: usize| (other, self.removable_gain(other, starts));
            beside_gains.clear();
            beside_gains.push(gain_of(index));
            beside_gains.extend(others.clone().filter(is_dynamic).map(gain_of));
            let gain = beside_gains.iter().map(|(_, gain)| gain).sum::<f64>();
            // A body beside bodies that cannot move must not gain energy, not even by contacts.
            let is_driven = body.torque != Vec3::ZERO || attachments[index] != Attachment::Free;
            let is_alone = others.count() == 0 && !is_driven;
            let due = if is_alone && 0.0 < excess { gain } else { excess.min(gain) };
            let mut missing = due.max(0.0);
            for &(body_index, gain) in &*beside_gains {
                let part = if body_index == index { missing } else { missing.min(gain.max(0.0)) };
                if 0.0 < part {
                    let fall = self.fall_of(body_index);
                    missing -= part - fall.remove_energy(&mut self.bodies.motions[body_index], part);
                }
            }
        }
    }

    /// Finds the movable bodies beside those that were moved back.
    fn find_beside(&self, sweeps: &mut Sweeps) {
        let Sweeps { put_back, beside, .. } = sweeps;
        beside.clear();
        for &index in &self.contacts.active_pairs {
            let state = &self.contacts.states[index as usize];
            for (body, other) in [(state.a.index, state.b.index), (state.b.index, state.a.index)] {
                let is_fixed = self.bodies.motions[other as usize].kind == BodyKind::Fixed;
                if !is_fixed && !state.is_sensor && put_back.binary_search(&body).is_ok() {
                    beside.push((body, other));
                }
            }
        }
        beside.sort_unstable();
    }

    /// Returns the gain of energy that may be removed from a body: none if something else than
    /// gravity and force may have given it.
    fn removable_gain(&self, index: usize, starts: &[(u32, [Vec3; 2])]) -> f64 {
        if self.solver.may_gain_energy(index as u32) { 0.0 } else { self.gain_of(index, starts) }
    }

    /// Returns the energy that a body gained in the step beyond the work of its force; 0 if it
    /// sleeps or cannot move.
    ///
    /// `starts` are the velocities before the step, sorted by body.
    fn gain_of(&self, index: usize, starts: &[(u32, [Vec3; 2])]) -> f64 {
        let start = starts.binary_search_by_key(&(index as u32), |(number, _)| *number);
        let (Ok(slot), Some(pose)) = (start, self.bodies.start_of(index)) else { return 0.0 };
        let (_, [v, w]) = starts[slot];
        let body = &self.bodies.motions[index];
        let mut before = *body;
        (before.pose, before.linear_velocity, before.angular_velocity) = (pose, v, w);
        let (gravity, substep) = (self.settings.solver.gravity, self.substep());
        let center = |body: &Body| body.pose.wide().transform_point(body.center_of_mass.as_dvec3());
        let work = body.force.as_dvec3().dot(center(body) - center(&before));
        body.energy(gravity, substep).total() - before.energy(gravity, substep).total() - work
    }

    /// Returns the length of a substep of this step.
    fn substep(&self) -> f32 {
        self.dt / self.stats.solver.n_substeps.max(1) as f32
    }
}

/// Gives a body that was moved back the angular velocity of its new orientation, with the same
/// angular momentum.
///
/// `rotor` belongs to the end of the path. `ends` are the first and the last orientation.
pub(crate) fn keep_momentum(body: &mut Body, rotor: &Rotor, ends: [DQuat; 2]) {
    let spin = rotor.spin_at(body.pose.rotation.as_dquat().normalize());
    limit_spin(body, rotor, ends, spin);
}

/// Sets an angular velocity, reduced if its energy would be above that at both ends of the path.
fn limit_spin(body: &mut Body, rotor: &Rotor, ends: [DQuat; 2], spin: DVec3) {
    let max_energy = rotor.twice_energy_at(ends[0]).max(rotor.twice_energy_at(ends[1]));
    let now = rotor.twice_energy_of(body.pose.rotation.as_dquat().normalize(), spin);
    let scale = if max_energy < now { ops::sqrt((max_energy / now).max(0.0)) } else { 1.0 };
    let spin = (spin * scale).as_vec3();
    if spin.is_finite() {
        body.angular_velocity = spin;
    }
}

/// Removes energy from the rotation of a body. Returns the part of it that the body did not have.
fn remove_from_spin(body: &mut Body, excess: f64) -> f64 {
    let spin = body.angular_velocity.as_dvec3();
    let inverse_inertia = body.inverse_inertia.as_dmat3();
    let now = twice_energy(&inverse_inertia, body.pose.rotation.as_dquat().normalize(), spin);
    // It is not finite if the body cannot turn.
    if !(0.0 < excess && now.is_finite()) {
        return excess;
    }
    let (left, missing) = reduced(now, excess);
    let spin = (spin * ops::sqrt(left / now)).as_vec3();
    if spin.is_finite() {
        body.angular_velocity = spin;
    }
    missing
}
