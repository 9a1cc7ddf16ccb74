//! The name table of the `f64` build: which number is which in `kernel/`.

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3, DVec3 as Vec3A};

/// The number that this build stores and returns.
pub type Real = f64;

/// The distance from 1 to the next larger `Real`.
pub const EPSILON: Real = f64::EPSILON;

/// A stored vector, widened exactly: nothing to do.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// A decided vector, rounded to what is stored: nothing to do.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// A stored quaternion, widened exactly: nothing to do.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q
}

/// A decided quaternion, rounded to what is stored: nothing to do.
#[inline]
pub(crate) fn narrow_quat(q: glam::DQuat) -> Quat {
    q
}

/// A stored number: nothing to widen.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    x
}

/// A decided number: nothing to round.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x
}

/// A stored matrix: nothing to widen.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m
}

/// A decided matrix: nothing to round.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m
}
