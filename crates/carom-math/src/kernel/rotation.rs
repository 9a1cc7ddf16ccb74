//! Rotations by quaternions with a fixed order of roundings: the same bits on every machine.
//!
//! With SSE2, glam adds the terms of an `f32` quaternion product in another order than in plain
//! code. It fuses some of them if the target has FMA. State and decisions would then depend on the
//! target and on glam's features. The functions here use only scalar operations, which Rust does
//! not fuse or reorder (test: `rotation::the_bits_are_the_same_on_every_target`).
//!
//! Reference: K. Shoemake, Animating Rotation with Quaternion Curves, SIGGRAPH 1985, appendix.
//! Differs from glam: the order of terms is that of its SSE2 code without FMA. Sine and cosine
//! come from the crate libm.

use super::super::num::{Quat, Real, Vec3};
use crate::ops;

/// Directions whose cosine is below the negative of this count as opposite, above this as equal.
const OPPOSITE: Real = 1.0 - 2.0 * super::super::num::EPSILON;

/// Returns the product of two quaternions: the rotation `b` first, then `a`.
#[inline]
pub fn mul(a: Quat, b: Quat) -> Quat {
    Quat::from_xyzw(
        (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
        (a.w * b.y - a.x * b.z) + (a.y * b.w + a.z * b.x),
        (a.w * b.z + a.x * b.y) + (a.z * b.w - a.y * b.x),
        (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
    )
}

/// Returns the vector turned by a unit quaternion.
#[inline]
pub fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let axis = Vec3::new(q.x, q.y, q.z);
    (v * (q.w * q.w - axis.dot(axis)) + axis * (v.dot(axis) * 2.0)) + axis.cross(v) * (q.w * 2.0)
}

/// Returns the vector turned back by a unit quaternion.
#[inline]
pub fn rotate_back(q: Quat, v: Vec3) -> Vec3 {
    rotate(Quat::from_xyzw(-q.x, -q.y, -q.z, q.w), v)
}

/// Returns the square of the length of a quaternion.
#[inline]
pub fn length_squared(q: Quat) -> Real {
    (q.x * q.x + q.z * q.z) + (q.y * q.y + q.w * q.w)
}

/// Returns the quaternion at unit length. A quaternion of zero length becomes NaN.
#[inline]
pub fn normalize(q: Quat) -> Quat {
    let length = ops::sqrt(length_squared(q));
    Quat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length)
}

/// Returns the shortest rotation that takes the unit vector `from` to the unit vector `to`.
///
/// Opposite directions have no unique shortest rotation. The result is half a turn about a
/// perpendicular axis.
#[inline]
pub fn arc(from: Vec3, to: Vec3) -> Quat {
    let cosine = from.dot(to);
    if cosine > OPPOSITE {
        Quat::IDENTITY
    } else if cosine < -OPPOSITE {
        let axis = from.any_orthonormal_vector();
        Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
    } else {
        let axis = from.cross(to);
        normalize(Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cosine))
    }
}

/// Returns the rotation about the axis `v` by the angle of its length, in radians.
#[inline]
pub fn from_scaled_axis(v: Vec3) -> Quat {
    let angle = v.length();
    if !(0.0 < angle) {
        return Quat::IDENTITY;
    }
    let (sine, cosine) = ops::sin_cos(0.5 * angle);
    let axis = v * (sine / angle);
    Quat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}
