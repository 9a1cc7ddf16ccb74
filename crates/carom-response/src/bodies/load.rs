//! The start of a step: loads bodies into states.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::advance::MAX_CONTACT_TURN;
use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, MotionKind, gyration_sq};
use crate::bodies::gyroscope::uneven_inertia;
use crate::bodies::locked_axes::LockedAxes;
use crate::bodies::mass::MassData;
use crate::impulses::lane_vec::{REST, State};
use carom_math::{Real, Vec3, ops};

/// The input of loading bodies.
#[derive(Clone, Copy)]
pub(crate) struct Forces<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) gravity: Vec3,
    /// Rest time at which the bodies marked in `settles` begin to become calm. After twice this
    /// time they are calm.
    pub(crate) rest_from: Real,
    /// Speed that a calm body loses in this step.
    pub(crate) rest_brake: Real,
    pub(crate) h: Real,
    /// Length of the whole step.
    pub(crate) dt: Real,
}

/// Loads bodies into states. `indices` are those of the bodies. `settles` marks the bodies of a
/// large island that comes to rest.
pub(crate) fn load_bodies(
    forces: &Forces<'_>,
    indices: &[u32],
    settles: &[bool],
    (states, masses, free): (&mut [State], &mut [MassData], &mut [FreeMotion]),
) {
    let h = forces.h;
    let rows = states.iter_mut().zip(masses).zip(free);
    for ((&number, &settles), ((state, mass), free)) in indices.iter().zip(settles).zip(rows) {
        let body = &forces.bodies[number as usize];
        *state = REST;
        *mass = MassData { center: body.world_center(), ..MassData::NONE };
        *free = FreeMotion::NONE;
        let (mut v, mut w) = (body.linear_velocity, body.angular_velocity);
        if body.is_active() {
            (v, w) = (body.locked_axes.free_translation(v), body.locked_axes.free_rotation(w));
            let i = body.world_inverse_inertia();
            mass.inverse_mass = body.inverse_mass;
            // The mean of two entries that should be equal, because rounding must not make the
            // matrix unsymmetric.
            let mean = |x: Real, y: Real| 0.5 * (x + y);
            mass.inverse_inertia = [
                i.x_axis.x,
                i.y_axis.y,
                i.z_axis.z,
                mean(i.x_axis.y, i.y_axis.x),
                mean(i.x_axis.z, i.z_axis.x),
                mean(i.y_axis.z, i.z_axis.y),
            ];
            let gravity =
                if 0.0 < body.inverse_mass { forces.gravity * body.gravity_scale } else { Vec3::ZERO };
            free.kind = MotionKind::Dynamic;
            free.dv = body.locked_axes.free_translation(gravity + body.force * body.inverse_mass) * h;
            free.dw = mass.inertia_matrix() * body.torque * h;
            free.keep_v = 1.0 / (1.0 + h * body.linear_damping.max(0.0));
            free.keep_w = 1.0 / (1.0 + h * body.angular_damping.max(0.0));
            let is_calming = settles && forces.rest_from < body.rest.slow_time();
            mass.rest_weight =
                if is_calming { (body.rest.slow_time() / forces.rest_from - 1.0).min(1.0) } else { 0.0 };
            // Braking is a constant deceleration. Tried: a fraction of the velocity; it also holds
            // up bodies that tip over. Tried: braking in each substep; it keeps the next substep
            // from correcting errors. Figures: `benches/notes/carom-world.md`.
            if mass.rest_weight == 1.0 && 2.0 * forces.rest_from < body.rest.calm_time() {
                v = slower(v, forces.rest_brake);
                let gyration = ops::sqrt(gyration_sq(body));
                w = if 0.0 < gyration { slower(w, forces.rest_brake / gyration) } else { w };
            }
            let dt_sq = forces.dt * forces.dt;
            mass.spins_far = MAX_CONTACT_TURN * MAX_CONTACT_TURN < w.length_squared() * dt_sq;
            let size_sq = gyration_sq(body);
            mass.max_contact_speed_sq = if 0.0 < size_sq { size_sq / dt_sq } else { Real::INFINITY };
            // A locked axis does not keep the angular momentum, so such a body keeps its angular
            // velocity.
            if !body.locked_axes.intersects(LockedAxes::ROTATION) {
                free.is_uneven = uneven_inertia(body).is_some();
            }
        } else if body.is_moving_kinematic() {
            free.kind = MotionKind::Kinematic;
            mass.rest_weight = 0.0;
        }
        (free.v, free.w) = (v, w);
        if free.kind != MotionKind::Still {
            state.front = [v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0];
            mass.velocity = v;
        }
    }
}

/// Reduces a speed by `lost`. Returns zero if the velocity is NaN.
fn slower(v: Vec3, lost: Real) -> Vec3 {
    let speed = v.length();
    if lost < speed { v * (1.0 - lost / speed) } else { Vec3::ZERO }
}
