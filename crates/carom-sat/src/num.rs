//! The types of the `f32` build that `kernel/` is compiled with.

pub(crate) use carom_geom::{Contact, ConvexHull, Manifold};
pub(crate) use carom_math::tol::WITNESS_KEPT;
pub(crate) use carom_math::{Pose, Real, Vec3};
use glam::DVec3;

/// Widens a stored vector exactly.
#[inline(always)]
pub(crate) fn widen(v: Vec3) -> DVec3 {
    v.as_dvec3()
}

/// Widens a stored number exactly.
#[inline(always)]
pub(crate) fn widen_real(x: Real) -> f64 {
    f64::from(x)
}

/// Rounds a vector to the stored precision.
#[inline(always)]
pub(crate) fn narrow(v: DVec3) -> Vec3 {
    v.as_vec3()
}

/// Rounds a number to the stored precision.
#[inline(always)]
pub(crate) fn narrow_real(x: f64) -> Real {
    x as Real
}

/// Rounds a number down to the stored precision.
#[inline(always)]
pub(crate) fn narrow_down(x: f64) -> Real {
    carom_math::rounding::down(x)
}
