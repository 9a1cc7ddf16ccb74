//! The end of a step: writes the computed states back to the bodies.
//!
//! - A free body keeps its angular momentum and its energy.
//! - A body that contacts pushed keeps the orientation of the substeps, if that keeps its energy.
//! - The rest time of each body is updated.
//!
//! Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, VII.5 (rigid
//! bodies).

use crate::bodies::body::{Body, BodyKind};
use crate::bodies::free::{FreeMotion, MotionKind, delta_rotation, displacement, gyration_sq, motion};
use crate::bodies::mass::MassData;
use crate::impulses::lane_vec::State;
use crate::integrate;
use crate::sleep::rest::{StepMotion, Touch};
use carom_math::{Quat, Real, Vec3, ops, rotation};

/// Results of a step, by slot, for all bodies or for a chunk of them.
#[derive(Clone, Copy)]
pub(crate) struct Moved<'a> {
    /// The indices of the bodies.
    pub(crate) indices: &'a [u32],
    pub(crate) states: &'a [State],
    pub(crate) masses: &'a [MassData],
    pub(crate) free: &'a [FreeMotion],
    pub(crate) touches: &'a [Touch],
}

impl<'a> Moved<'a> {
    /// Splits off the first `n` results.
    #[cfg(feature = "parallel")]
    pub(crate) fn split_at(&self, n: usize) -> (Moved<'a>, Moved<'a>) {
        let (indices, indices_behind) = self.indices.split_at(n);
        let (states, states_behind) = self.states.split_at(n);
        let (masses, masses_behind) = self.masses.split_at(n);
        let (free, free_behind) = self.free.split_at(n);
        let (touches, touches_behind) = self.touches.split_at(n);
        (
            Moved { indices, states, masses, free, touches },
            Moved {
                indices: indices_behind,
                states: states_behind,
                masses: masses_behind,
                free: free_behind,
                touches: touches_behind,
            },
        )
    }
}

/// The limits of speeds when a body is stored.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) max_speed: Real,
    /// The speed below which bodies are slow.
    pub(crate) sleep_speed: Real,
    pub(crate) dt: Real,
}

/// Writes the results into bodies. `bodies` begins with the body of index `first`. `rest_times`
/// gets the rest time of each body that moves by forces.
pub(crate) fn store_bodies(
    limits: &Limits,
    first: u32,
    bodies: &mut [Body],
    moved: &Moved<'_>,
    rest_times: &mut [Real],
) {
    let Moved { indices, states, masses, free, touches } = *moved;
    let rows = indices.iter().zip(states).zip(masses).zip(free).zip(touches).zip(rest_times);
    for (((((&number, state), mass), free), &touch), rest_time) in rows {
        if free.kind == MotionKind::Still {
            continue;
        }
        let body = &mut bodies[(number - first) as usize];
        store_body(limits, body, state, (mass, free, touch));
        if free.kind == MotionKind::Dynamic {
            *rest_time = if body.can_sleep { body.rest.rest_time() } else { 0.0 };
        }
    }
}

/// The largest relative loss of energy for which a body keeps the orientation of the substeps.
/// Contacts turn it differently from free rotation.
const MAX_TURN_LOSS: f64 = 0.01;

/// The largest relative gain of energy in this way, which bounds rounding. A larger gain is
/// removed from the angular velocity.
const MAX_TURN_GAIN: f64 = 1e-5;

/// The largest rotation, in radians, by which a body that bounced within a step is corrected at
/// its end. The correction restores the energy that the body had after the bounce.
const MAX_BOUNCE_CORRECTION: f64 = 0.1;

/// A body that contacts pushed and that turns less than this, in radians per step, keeps the
/// orientation of the substeps, whatever its energy.
const MAX_SETTLING_TURN: Real = 0.01;

/// A body that turns less than this, in radians per step, keeps its angular velocity, because the
/// change would be rounding only.
const MIN_TURN: Real = 1e-5;

/// Returns the orientation and the angular velocity of a body that moves by forces, at the end of
/// the step.
///
/// A free body keeps its angular momentum and energy. A body that contacts pushed keeps its
/// momentum and the orientation of the substeps. If that would change its energy, it turns freely
/// from its first orientation with its final momentum.
fn rotate(body: &Body, state: &State, free: &FreeMotion, dt: Real) -> (Quat, Vec3) {
    let (_, w) = motion(state);
    let delta = delta_rotation(state);
    let turned = |delta: Quat| (delta.as_dquat() * body.pose.rotation.as_dquat()).normalize().as_quat();
    let turn_sq = w.length_squared() * dt * dt;
    if !(MIN_TURN * MIN_TURN < turn_sq && turn_sq < Real::MAX) {
        return (turned(delta), w);
    }
    let start = body.pose.rotation.as_dquat().normalize();
    if !free.is_uneven {
        let whirled = || integrate::rotation_by(w.as_dvec3() * f64::from(dt)) * start;
        return (if free.is_whirling { whirled().as_quat() } else { turned(delta) }, w);
    }
    let inverse = body.inverse_inertia.as_dmat3();
    // The momentum is computed in double precision. In single precision, the inertia would not be
    // the exact inverse of the inverse inertia, and the momentum would grow.
    let momentum = integrate::spin_of(start, w.as_dvec3(), &inverse.inverse());
    let twice_energy = momentum.dot(w.as_dvec3());
    if free.is_pushed(state) && !free.is_whirling {
        let end = turned(delta);
        let (end, max_loss) = if free.has_bounced() {
            let (end, most) = (end.as_dquat(), MAX_BOUNCE_CORRECTION);
            let end = integrate::restore_energy(end, momentum, &inverse, twice_energy, most);
            (end.as_quat(), MAX_TURN_GAIN)
        } else {
            (end, MAX_TURN_LOSS)
        };
        let spin = integrate::spin_of(end.as_dquat(), momentum, &inverse);
        let now = momentum.dot(spin);
        let is_kept = (1.0 - max_loss) * twice_energy < now && now < (1.0 + MAX_TURN_GAIN) * twice_energy;
        let scale = if twice_energy < now { ops::sqrt(twice_energy / now) } else { 1.0 };
        let spin = (spin * scale).as_vec3();
        let is_slow = turn_sq < MAX_SETTLING_TURN * MAX_SETTLING_TURN;
        if (is_kept || is_slow) && spin.is_finite() {
            return (end, spin);
        }
    }
    let end = integrate::rotate_freely(start, momentum, &inverse, f64::from(dt)).as_quat();
    let spin = integrate::spin_of(end.as_dquat(), momentum, &inverse);
    // Corrects the energy for the rounding of the orientation.
    let scale = ops::sqrt(twice_energy / momentum.dot(spin));
    let spin = (spin * scale).as_vec3();
    if end.is_finite() && spin.is_finite() { (end, spin) } else { (turned(delta), w) }
}

fn store_body(
    limits: &Limits,
    body: &mut Body,
    state: &State,
    (mass, free, touch): (&MassData, &FreeMotion, Touch),
) {
    let d = &state.back;
    let (v, mut w) = motion(state);
    let mut turn = 2.0 * Vec3::new(d[3], d[4], d[5]);
    if free.is_whirling {
        turn = w * limits.dt;
    }
    let orientation;
    if free.is_loose() {
        (orientation, w) = rotate(body, state, free, limits.dt);
    } else {
        orientation = rotation::normalize(rotation::mul(delta_rotation(state), body.pose.rotation));
    }
    let moved = displacement(state);
    let center = mass.center + moved;
    let translation = center - rotation::rotate(orientation, body.center_of_mass);
    if !(orientation.is_finite() && translation.is_finite() && v.is_finite() && w.is_finite()) {
        // After an overflow the body keeps its pose, and stops.
        body.linear_velocity = Vec3::ZERO;
        body.angular_velocity = Vec3::ZERO;
        return;
    }
    body.pose.rotation = orientation;
    body.pose.translation = translation;
    if body.kind != BodyKind::Dynamic {
        return;
    }
    body.linear_velocity = v.clamp_length_max(limits.max_speed);
    body.angular_velocity = w;
    let rate = 1.0 / limits.dt;
    let motion = StepMotion {
        linear_velocity: v,
        angular_velocity: w,
        mean_velocity: moved * rate,
        mean_angular_velocity: turn * rate,
        gyration_sq: gyration_sq(body),
        has_force: free.dv != Vec3::ZERO || free.dw != Vec3::ZERO || free.is_steered,
        touch,
    };
    body.rest.note(&motion, limits.sleep_speed, limits.dt);
    body.rest.note_bounce(free.has_bounced(), touch);
}
