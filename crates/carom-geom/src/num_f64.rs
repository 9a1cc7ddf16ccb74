//! The name table of the `f64` build: the number types that `kernel/` uses.

pub(crate) use carom_math::f64::{EPSILON, Mat3, Plane, Pose, Quat, Real, Vec3, symmetric_eigen};
pub(crate) use carom_math::f64::{Interval, Ray};

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

/// A stored vector: nothing to widen.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// A decided vector: nothing to round.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// A decided matrix: nothing to round.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m
}

/// A stored matrix: nothing to widen.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m
}
