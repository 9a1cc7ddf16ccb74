//! The work on bodies between two passes over contacts: forces, and the integration of poses.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (the stages of a step).

use crate::bodies::free::{FreeMotion, MotionKind, delta_rotation, motion, set_motion};
use crate::impulses::lane_vec::State;
use crate::integrate;
use carom_math::{Real, Vec3};

/// The work on bodies between two passes over contacts.
#[derive(Clone, Copy)]
pub(crate) enum Advance {
    /// Adds the forces of a substep. `is_first` says whether it is the first substep of a step.
    Begin { is_first: bool },
    /// Integrates velocities to positions for `h`. `dt` is the length of the whole step.
    End { h: Real, dt: Real },
}

/// Radians per step. A body that turns farther leaves the area of its contacts.
pub(crate) const MAX_CONTACT_TURN: Real = 2.0;

/// Advances bodies. `joint_pushes` is empty if there are no joints.
pub(crate) fn advance(
    states: &mut [State],
    free: &mut [FreeMotion],
    joint_pushes: &mut [(Vec3, Vec3)],
    advance: Advance,
) {
    match advance {
        Advance::Begin { is_first } => begin_substep(states, free, joint_pushes, is_first),
        Advance::End { h, dt } => end_substep(states, free, h, MAX_CONTACT_TURN / dt),
    }
}

/// Adds the forces. From the second substep on, also applies the contact impulses of the substep
/// before once more, as a warm start.
fn begin_substep(
    states: &mut [State],
    free: &mut [FreeMotion],
    joint_pushes: &mut [(Vec3, Vec3)],
    is_first: bool,
) {
    let mut by_joints = joint_pushes.iter_mut();
    for (state, free) in states.iter_mut().zip(free) {
        // Velocity changes by contacts are applied once more; those by joints are not.
        let (joint_v, joint_w) = by_joints.next().map(core::mem::take).unwrap_or_default();
        if free.kind != MotionKind::Dynamic {
            continue;
        }
        let (v, w) = motion(state);
        let (mut push_v, mut push_w) = (Vec3::ZERO, Vec3::ZERO);
        if !is_first {
            (push_v, push_w) = (v - free.v - joint_v, w - free.w - joint_w);
            free.is_pushed |= (v, w) != (free.v, free.w);
        }
        free.v = (v + free.dv) * free.keep_v;
        free.w = (w + free.dw) * free.keep_w;
        set_motion(state, free.v + push_v, free.w + push_w);
    }
}

/// Integrates velocities to positions. A free body that spins faster than `fastest` is marked as
/// whirling.
///
/// The angular velocity of a free body belongs to its orientation at the start of the step. So do
/// the lever arms and inertia of contacts. So it represents the angular momentum, and
/// [`store_bodies`](crate::bodies::store::store_bodies) converts it.
fn end_substep(states: &mut [State], free: &mut [FreeMotion], h: Real, fastest: Real) {
    for (state, free) in states.iter_mut().zip(free) {
        if free.kind == MotionKind::Still {
            continue;
        }
        let (v, w) = motion(state);
        let mut rotation = delta_rotation(state);
        free.is_whirling |= free.is_loose() && fastest * fastest < w.length_squared();
        if free.is_jointed {
            // Jointed bodies with unequal moments of inertia are turned by their `Gyroscope`.
            if !free.is_uneven {
                let turn = if free.is_sprung { integrate::turn } else { integrate::turn_by_euler };
                rotation = turn(rotation, w, h);
            }
        } else if !free.is_whirling {
            rotation = integrate::turn(rotation, w, h);
        }
        let d = &mut state.back;
        (d[0], d[1], d[2]) = (d[0] + v.x * h, d[1] + v.y * h, d[2] + v.z * h);
        [d[3], d[4], d[5], d[6]] = rotation.to_array();
    }
}
