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
