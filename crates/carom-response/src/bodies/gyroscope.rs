//! Rotation of a jointed body within a substep, at constant angular momentum (gyroscopic torque).
//!
//! If the moments of inertia differ, the angular velocity of a free body changes as it turns: its
//! momentum is constant, and its inertia tensor turns. A joint acts on the body in its present
//! orientation, so it needs the angular velocity that belongs to this orientation.
//!
//! 1. The body is rotated by half a substep. Its momentum gives the angular velocity there
//!    (midpoint rule).
//! 2. From its first orientation, it is rotated by the whole substep at that angular velocity. Its
//!    momentum gives the angular velocity at the end.
//! 3. If the error of the method increased the energy, the angular velocity is reduced.
//!
//! For a fast body the substep is divided. The total angle is that of one [`turn_by_euler`], as
//! for other jointed bodies. A body with a torsion spring turns by the whole angle.
//!
//! Only changes of the angular velocity are computed from the momentum. The inverse of a tensor in
//! single precision is not exact, so the whole momentum would drift in each substep.
//!
//! Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, IV.8.1 (the
//! midpoint rule on the group of rotations) and VII.5 (rigid bodies).
//! Tried: changing the angular velocity in the body's frame before the substep, and turning by the
//! result. Energy is kept, but not the direction of the momentum: a top on a ball joint falls over
//! within a minute. Figures: `benches/notes/carom-world.md`.

use crate::bodies::body::Body;
use crate::bodies::free::{FreeMotion, delta_rotation, motion, set_motion};
use crate::impulses::lane_vec::State;
use crate::integrate::{inverse_of, turn_by_euler};
use carom_math::{Mat3, Quat, Real, Vec3, ops, rotation, tol};

/// Radians. A substep in which a body turns farther is divided.
const MAX_TURN: Real = 0.08;

/// The largest number of parts of a substep.
const MAX_PARTS: Real = 32.0;

/// A jointed body whose moments of inertia differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gyroscope {
    slot: usize,
    /// Orientation at the start of the step.
    rotation: Quat,
    /// Tensor about the centre of mass, in the body's frame.
    inertia: Mat3,
    inverse_inertia: Mat3,
    is_sprung: bool,
}

impl Gyroscope {
    /// Marks a body as jointed. At the first call for a body, returns its gyroscope if its moments
    /// of inertia differ.
    pub(crate) fn join(free: &mut FreeMotion, slot: usize, body: &Body) -> Option<Gyroscope> {
        let was_jointed = core::mem::replace(&mut free.is_jointed, true);
        let inertia = if was_jointed || !free.is_uneven { None } else { uneven_inertia(body) };
        let (rotation, inverse_inertia) = (body.pose.rotation, body.inverse_inertia);
        let is_sprung = free.is_sprung;
        inertia.map(|inertia| Gyroscope { slot, rotation, inertia, inverse_inertia, is_sprung })
    }

    /// Turns the body by a substep of length `h`. The change of its angular velocity is added to
    /// `joint_pushes`, so that the warm start of contacts does not repeat it.
    pub(crate) fn turn(&self, states: &mut [State], joint_pushes: &mut [(Vec3, Vec3)], h: Real) {
        let state = &mut states[self.slot];
        let (v, w) = motion(state);
        let angle = w.length() * h;
        let n_parts = ops::ceil(angle / MAX_TURN).clamp(1.0, MAX_PARTS);
        // The parts together turn as far as one Euler step.
        let h =
            if 1.0 < n_parts && !self.is_sprung { 2.0 * h * ops::atan2(0.5 * angle, 1.0) / angle } else { h };
        let (mut delta, mut new_w) = (delta_rotation(state), w);
        for _ in 0..n_parts as u32 {
            (delta, new_w) = self.advance_turn(delta, new_w, h / n_parts);
        }
        if new_w.is_finite() && delta.is_finite() {
            set_motion(state, v, new_w);
            joint_pushes[self.slot].1 += new_w - w;
            state.back[3..7].copy_from_slice(&delta.to_array());
        }
    }

    /// Advances the rotation since the start of the step and the angular velocity by a time `h`.
    fn advance_turn(&self, delta: Quat, w: Vec3, h: Real) -> (Quat, Vec3) {
        let orientation = rotation::mul(delta, self.rotation);
        // All in the frame that the body has now.
        let own = rotation::rotate_back(orientation, w);
        let momentum = self.inertia * own;
        let half = small_turn(own, 0.5 * h);
        let middle = own + self.inverse_inertia * change_by(half.conjugate(), momentum);
        let middle = middle + change_by(half, middle);
        let whole = small_turn(middle, h);
        let change_of_momentum = change_by(whole.conjugate(), momentum);
        let change = self.inverse_inertia * change_of_momentum;
        let gain = change.dot(momentum + change_of_momentum) + own.dot(change_of_momentum);
        let dw = change + change_by(whole, own + change);

        let new_w = w + rotation::rotate(orientation, dw);
        let end = turn_by_euler(delta, rotation::rotate(orientation, middle), h);
        if 0.0 < gain {
            let twice_energy = own.dot(momentum);
            return (end, new_w * ops::sqrt(twice_energy / (twice_energy + gain)));
        }
        (end, new_w)
    }
}

/// Returns the rotation of [`turn_by_euler`], which is relative to the present orientation.
fn small_turn(angular_velocity: Vec3, h: Real) -> Quat {
    let half = angular_velocity * (0.5 * h);
    let scale = 1.0 / ops::sqrt(1.0 + half.length_squared());
    Quat::from_xyzw(half.x * scale, half.y * scale, half.z * scale, scale)
}

/// Returns the change of a vector by a rotation, without the cancellation of a difference.
fn change_by(rotation: Quat, vector: Vec3) -> Vec3 {
    let axis = Vec3::new(rotation.x, rotation.y, rotation.z);
    let twice = axis.cross(vector) * 2.0;
    twice * rotation.w + axis.cross(twice)
}

/// Returns the inertia tensor in the body's frame. `None` if all principal moments are equal or the
/// body cannot turn about an axis: its angular velocity does not change as it turns.
pub(crate) fn uneven_inertia(body: &Body) -> Option<Mat3> {
    let inverse = &body.inverse_inertia;
    let inverse_of_one = Mat3::from_diagonal(Vec3::splat(inverse.x_axis.x));
    let size = inverse.x_axis.x.abs();
    if inverse.abs_diff_eq(inverse_of_one, tol::INERTIA_ROUND * size) {
        return None;
    }
    let inertia = inverse_of(inverse);
    inertia.is_finite().then_some(inertia)
}
