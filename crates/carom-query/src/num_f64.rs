//! The name table of the `f64` build: the number types that `kernel/` uses.

pub(crate) use carom_geom::f64 as geom;
pub(crate) use carom_math::f64::{Interval, Pose, Quat, Ray, Real, Vec3};
pub(crate) use carom_sat::f64 as sat;

/// A stored vector: the same type here.
#[inline]
pub(crate) fn widen(v: Vec3) -> glam::DVec3 {
    v
}

/// A stored rotation: the same type here.
#[inline]
pub(crate) fn widen_quat(q: Quat) -> glam::DQuat {
    q
}

/// A computed vector: the same type here.
#[inline]
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}

/// A computed number: the same type here.
#[inline]
pub(crate) fn narrow_real(x: f64) -> Real {
    x
}

/// A stored number: the same type here.
#[inline]
pub(crate) fn widen_real(x: Real) -> f64 {
    x
}

/// The largest stored number that is not above `x`: itself.
#[inline]
pub(crate) fn below(x: f64) -> Real {
    x
}

/// The least stored number that is not below `x`: itself.
#[inline]
pub(crate) fn above(x: f64) -> Real {
    x
}
