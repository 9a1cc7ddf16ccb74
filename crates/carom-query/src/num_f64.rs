//! The name table of the `f64` build: the number types that `kernel/` uses.

pub(crate) use carom_geom::f64 as geom;
pub(crate) use carom_math::f64::{Interval, Pose, PoseError, Quat, Ray, Real, Vec3};
pub(crate) use carom_sat::f64 as sat;

/// Returns a stored vector, which has the same type here.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// Returns a stored rotation, which has the same type here.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q
}

/// Returns a computed vector, which has the same type here.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// Returns a computed number, which has the same type here.
#[inline]
pub(crate) fn narrow_real(x: f64) -> Real {
    x
}

/// Returns a stored number, which has the same type here.
#[inline]
pub(crate) fn widen_real(x: Real) -> f64 {
    x
}

/// Returns the largest stored number that is not above `x`: `x` itself.
#[inline]
pub(crate) fn below(x: f64) -> Real {
    x
}

/// Returns the least stored number that is not below `x`: `x` itself.
#[inline]
pub(crate) fn above(x: f64) -> Real {
    x
}
