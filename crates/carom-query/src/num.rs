//! The name table of the `f32` build: the number types that `kernel/` uses.

pub(crate) use carom_geom as geom;
pub(crate) use carom_math::{Interval, Pose, PoseError, Quat, Ray, Real, Vec3};
pub(crate) use carom_sat as sat;

/// Returns a stored vector as `f64`, exactly.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

/// Returns a stored rotation as `f64`, exactly.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q.as_dquat()
}

/// Rounds a computed vector to the stored type.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

/// Rounds a computed number to the stored type.
#[inline]
pub(crate) fn narrow_real(x: f64) -> Real {
    x as Real
}

/// Returns a stored number as `f64`, exactly.
#[inline]
pub(crate) fn widen_real(x: Real) -> f64 {
    f64::from(x)
}

/// Returns the largest stored number that is not above `x`.
#[inline]
pub(crate) fn below(x: f64) -> Real {
    carom_math::rounding::down(x)
}

/// Returns the least stored number that is not below `x`.
#[inline]
pub(crate) fn above(x: f64) -> Real {
    carom_math::rounding::up(x)
}
