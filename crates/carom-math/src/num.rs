//! The name table of the `f32` build: which number is which in `kernel/`.
//!
//! `Real` is what is stored and returned; what decides is always the primitive `f64` with glam's
//! `DVec3`.

pub use glam::{Mat3, Quat, Vec3, Vec3A};

/// The number that this build stores and returns.
pub type Real = f32;

/// The distance from 1 to the next larger `Real`.
pub const EPSILON: Real = f32::EPSILON;

/// A stored vector, widened exactly.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

/// A decided vector, rounded to what is stored.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

/// A stored quaternion, widened exactly.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q.as_dquat()
}

/// A decided quaternion, rounded to what is stored.
#[inline]
pub(crate) fn narrow_quat(q: glam::DQuat) -> Quat {
    q.as_quat()
}

/// A stored number, widened exactly.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    f64::from(x)
}

/// A decided number, rounded to what is returned.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x as Real
}

/// A stored matrix, widened exactly.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m.as_dmat3()
}

/// A decided matrix, rounded to what is returned.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m.as_mat3()
}
