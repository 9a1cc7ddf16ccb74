//! The name table of the `f32` build: which number is which in `kernel/`.

pub(crate) use carom_math::{EPSILON, Mat3, Plane, Pose, Quat, Real, Vec3, symmetric_eigen};
pub(crate) use carom_math::{Interval, Ray};

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

/// A stored vector, widened exactly.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

/// A decided vector, rounded to what is returned.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

/// A decided matrix, rounded to what is returned.
#[inline]
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    m.as_mat3()
}

/// A stored matrix, widened exactly.
#[inline]
pub(crate) fn widen_matrix(m: Mat3) -> glam::DMat3 {
    m.as_dmat3()
}
