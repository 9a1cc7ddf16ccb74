//! The name table of the `f32` build: the number types that `kernel/` uses.

pub(crate) use carom_math::{EPSILON, Mat3, Plane, Pose, Quat, Real, Vec3, symmetric_eigen};
pub(crate) use carom_math::{Interval, Ray};

/// Widens a stored number exactly.
#[inline]
pub(crate) fn wide(x: Real) -> f64 {
    f64::from(x)
}

/// Rounds a result to the returned type.
#[inline]
pub(crate) fn real(x: f64) -> Real {
    x as Real
}

/// Widens a stored vector exactly.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

/// Rounds a result vector to the returned type.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

/// Rounds a result matrix to the returned type.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m.as_mat3()
}

/// Widens a stored matrix exactly.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m.as_dmat3()
}
