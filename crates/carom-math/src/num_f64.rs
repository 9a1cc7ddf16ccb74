//! The name table of the `f64` build: the types for the names in `kernel/`.

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3, DVec3 as Vec3A};

/// The number that this build stores and returns.
pub type Real = f64;

/// The distance from 1 to the next larger `Real`.
pub const EPSILON: Real = f64::EPSILON;

/// Widens a stored vector exactly: nothing to do.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// Rounds a computed vector to the stored precision: nothing to do.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// Widens a stored quaternion exactly: nothing to do.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q
}

/// Rounds a computed quaternion to the stored precision: nothing to do.
#[inline]
pub(crate) fn narrow_quat(q: glam::DQuat) -> Quat {
    q
}

/// Widens a stored number: nothing to do.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    x
}

/// Rounds a computed number: nothing to do.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x
}

/// Widens a stored matrix: nothing to do.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m
}

/// Rounds a computed matrix: nothing to do.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m
}
