//! The name table of the `f64` build: the number types that `kernel/` uses.

pub(crate) use carom_math::f64::{EPSILON, Mat3, Plane, Pose, Quat, Real, Vec3, symmetric_eigen};
pub(crate) use carom_math::f64::{Interval, Ray};

/// Returns a stored number, which needs no widening here.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    x
}

/// Returns a decided number, which needs no rounding here.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x
}

/// Returns a stored vector, which needs no widening here.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// Returns a decided vector, which needs no rounding here.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// Returns a decided matrix, which needs no rounding here.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m
}

/// Returns a stored matrix, which needs no widening here.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m
}
