//! Rotation over time: a free body keeps its angular momentum in the world, and its energy.
//!
//! - The angular momentum L is constant, so the angular velocity w follows from the orientation R
//!   and the inertia I of the body: w = R I^-1 R^T L.
//! - The orientation is integrated by the Runge-Kutta method, in steps of an eighth of a radian.
//! - At the end a small rotation corrects the energy for the truncation error.
//! - A fast body with an axis of symmetry has a closed form: it spins about its axis, and the axis
//!   precesses about the angular momentum.
//!
//! For motion with forces and contacts, see [`crate::ode`]. Bodies that joints hold turn in each
//! substep: see `bodies/gyroscope.rs`.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (the ODE form); E. Hairer,
//! C. Lubich, G. Wanner, Geometric Numerical Integration, 2006, IV.4 (projection onto invariants)
//! and VII.5 (rigid bodies).

use carom_math::glam::{DMat3, DQuat, DVec3};
use carom_math::{Mat3, Quat, Real, Vec3, ops, rotation};

/// Radians of one step of a free rotation.
const STEP_TURN: f64 = 0.125;

/// The largest number of steps of one call: 128 radians. A body without an axis of symmetry turns
/// no farther, but keeps momentum and energy.
const MAX_STEPS: u32 = 1024;

/// If a body with an axis of symmetry turns farther, in radians, the closed form is used, because
/// it is cheaper.
const MIN_CLOSED_TURN: f64 = 2.0;

/// The largest rotation, in radians, that corrects the energy after free rotation. It is far above
/// truncation and rounding errors.
const MAX_CORRECTION: f64 = 1e-3;

/// Returns the orientation of a body after a free rotation for the time `h`.
///
/// `momentum` is the angular momentum about the centre of mass in the world. `inverse_inertia` is
/// the inverse of the inertia tensor in the body's frame. The energy of that momentum is the same
/// at the end as at the start.
pub fn rotate_freely(rotation: DQuat, momentum: DVec3, inverse_inertia: &DMat3, h: f64) -> DQuat {
    let spin = |q: DQuat| spin_of(q, momentum, inverse_inertia);
    let start = rotation.normalize();
    if MIN_CLOSED_TURN * MIN_CLOSED_TURN < spin(start).length_squared() * h * h
        && let Some(axis) = axis_of_symmetry(inverse_inertia)
    {
        return precess(start, momentum, inverse_inertia, axis, h);
    }
    let (mut q, mut left) = (start, h);
    for _ in 0..MAX_STEPS {
        let w = spin(q);
        let speed = ops::sqrt(w.length_squared());
        let step = if STEP_TURN < speed * left { STEP_TURN / speed } else { left };
        let rate = |w: DVec3, q: DQuat| DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * q * 0.5;
        let k1 = rate(w, q);
        let at = q + k1 * (0.5 * step);
        let k2 = rate(spin(at), at);
        let at = q + k2 * (0.5 * step);
        let k3 = rate(spin(at), at);
        let at = q + k3 * step;
        let k4 = rate(spin(at), at);
        q = (q + (k1 + (k2 + k3) * 2.0 + k4) * (step / 6.0)).normalize();
        left -= step;
        if !(0.0 < left) {
            break;
        }
    }
    restore_energy(q, momentum, inverse_inertia, momentum.dot(spin(start)), MAX_CORRECTION)
}

/// Returns the coordinate axis of the body about which its inertia is symmetric, if there is one.
fn axis_of_symmetry(inverse_inertia: &DMat3) -> Option<DVec3> {
    let [x, y, z] = [inverse_inertia.x_axis, inverse_inertia.y_axis, inverse_inertia.z_axis];
    if [x.y, x.z, y.x, y.z, z.x, z.y] != [0.0; 6] {
        return None;
    }
    let axes = [(DVec3::X, y.y, z.z), (DVec3::Y, x.x, z.z), (DVec3::Z, x.x, y.y)];
    axes.into_iter().find(|(_, a, b)| a == b).map(|(axis, ..)| axis)
}

/// Returns the orientation of a body with an axis of symmetry after a free rotation for the time
/// `h`.
///
/// Reference: H. Goldstein, Classical Mechanics, 3rd ed., 5.7 (the symmetrical top free of torque).
fn precess(start: DQuat, momentum: DVec3, inverse_inertia: &DMat3, axis: DVec3, h: f64) -> DQuat {
    let along = axis.dot(*inverse_inertia * axis);
    let trace = inverse_inertia.x_axis.x + inverse_inertia.y_axis.y + inverse_inertia.z_axis.z;
    let across = 0.5 * (trace - along);
    let own = turned(start.conjugate(), momentum).dot(axis);
    let precession = rotation_by(momentum * (across * h));
    let rotation = rotation_by(axis * ((along - across) * own * h));
    (precession * start * rotation).normalize()
}

/// Rotates a body slightly, so that twice its energy becomes `twice_energy`. If this needs more
/// than `most` radians, the body is not rotated.
pub(crate) fn restore_energy(
    mut q: DQuat,
    momentum: DVec3,
    inverse_inertia: &DMat3,
    twice_energy: f64,
    most: f64,
) -> DQuat {
    // Newton's method. To first order, the energy changes by the rotation times the torque.
    for _ in 0..2 {
        let w = spin_of(q, momentum, inverse_inertia);
        let torque = momentum.cross(w);
        let error = twice_energy - momentum.dot(w);
        let square = torque.length_squared();
        // Near a principal axis the gradient of the energy vanishes, and its error is rounding
        // only.
        if !(1e-12 * momentum.length_squared() * w.length_squared() < square) {
            break;
        }
        let correction = torque * (-0.5 * error / square);
        if !(correction.length_squared() < most * most) {
            break;
        }
        q = (rotation_by(correction) * q).normalize();
    }
    q
}

/// Returns the angular velocity in the world, in radians per time, of a body with this orientation
/// and angular momentum.
pub fn spin_of(rotation: DQuat, momentum: DVec3, inverse_inertia: &DMat3) -> DVec3 {
    // Any length is allowed, as within a Runge-Kutta step: only the direction of the quaternion
    // counts.
    let square = rotation.length_squared();
    let own = turned(rotation.conjugate(), momentum) / square;
    turned(rotation, *inverse_inertia * own) / square
}

/// `q v q*`: the rotated vector times the square of the quaternion's length.
fn turned(q: DQuat, v: DVec3) -> DVec3 {
    let axis = DVec3::new(q.x, q.y, q.z);
    v * (q.w * q.w - axis.length_squared()) + axis * (2.0 * axis.dot(v)) + axis.cross(v) * (2.0 * q.w)
}

/// Returns the rotation by a rotation vector (axis times radians).
pub fn rotation_by(turn: DVec3) -> DQuat {
    let square = turn.length_squared();
    // The next terms of the series are below rounding.
    let (sine, cosine) = if square < 1e-6 {
        (0.5 - square / 48.0, 1.0 - square / 8.0)
    } else {
        let angle = ops::sqrt(square);
        let (sine, cosine) = ops::sin_cos(0.5 * angle);
        (sine / angle, cosine)
    };
    DQuat::from_xyzw(turn.x * sine, turn.y * sine, turn.z * sine, cosine)
}

/// The largest square of a half angle for which the series is used, in radians squared.
const SERIES_HALF_TURN_SQ: Real = 0.0625;

/// Returns a unit quaternion after a rotation for the time `h` at a constant angular velocity in
/// the parent frame.
#[inline]
pub fn turn(rotation: Quat, angular_velocity: Vec3, h: Real) -> Quat {
    let half = angular_velocity * (0.5 * h);
    let square = half.length_squared();
    // The sine over its angle, and the cosine, to single precision.
    let (sine, cosine) = if square < SERIES_HALF_TURN_SQ {
        (
            1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0))),
            1.0 - square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0))),
        )
    } else {
        let angle = ops::sqrt(square);
        let (sine, cosine) = ops::sin_cos(angle);
        (sine / angle, cosine)
    };
    let (x, y, z, w) = (half.x * sine, half.y * sine, half.z * sine, cosine);
    let [a, b, c, d] = rotation.to_array();
    let next = [
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    ];
    let length = ops::sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    let scale = 1.0 / length;
    Quat::from_xyzw(next[0] * scale, next[1] * scale, next[2] * scale, next[3] * scale)
}

/// Returns a unit quaternion after a rotation for the time `h` at an angular velocity in the
/// parent frame: one Euler step, normalised.
///
/// The rotation is smaller than that of [`turn`], and at most half a turn. Joints correct their
/// errors at the end of a substep, and a body that turned less is pulled less.
#[inline]
pub fn turn_by_euler(rotation: Quat, angular_velocity: Vec3, h: Real) -> Quat {
    let half = angular_velocity * (0.5 * h);
    let (q, d) = (rotation, rotation::mul(Quat::from_xyzw(half.x, half.y, half.z, 0.0), rotation));
    rotation::normalize(Quat::from_xyzw(q.x + d.x, q.y + d.y, q.z + d.z, q.w + d.w))
}

/// Returns the inverse of a tensor of inertia or of masses. It is computed in `f64`, because very
/// small or large inertias have a determinant outside the range of `f32`. The result is not finite
/// if there is no inverse.
pub(crate) fn inverse_of(m: &Mat3) -> Mat3 {
    m.as_dmat3().inverse().as_mat3()
}
