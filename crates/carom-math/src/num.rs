//! The name table of the `f32` build: the types for the names in `kernel/`.
//!
//! `Real` is stored and returned. Decisions use the primitive `f64` and glam's `DVec3`.

pub use glam::{Mat3, Quat, Vec3, Vec3A};

/// The number that this build stores and returns.
pub type Real = f32;

/// The distance from 1 to the next larger `Real`.
pub const EPSILON: Real = f32::EPSILON;

/// Widens a stored vector exactly.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

/// Rounds a computed vector to the stored precision.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

/// Widens a stored quaternion exactly.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q.as_dquat()
}

/// Rounds a computed quaternion to the stored precision.
#[inline]
pub(crate) fn narrow_quat(q: glam::DQuat) -> Quat {
    q.as_quat()
}

/// Widens a stored number exactly.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    f64::from(x)
}

/// Rounds a computed number to the returned precision.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x as Real
}

/// Widens a stored matrix exactly.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m.as_dmat3()
}

/// Rounds a computed matrix to the returned precision.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m.as_mat3()
}
