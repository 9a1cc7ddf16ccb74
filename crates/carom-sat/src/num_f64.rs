//! The types of the `f64` build that `kernel/` is compiled with.

pub(crate) use carom_geom::f64::{Contact, ConvexHull, Manifold};
pub(crate) use carom_math::f64::{Pose, Real, Vec3};
pub(crate) use carom_math::tol::WITNESS_KEPT_F64 as WITNESS_KEPT;
use glam::DVec3;

/// Returns the vector unchanged.
#[inline(always)]
pub(crate) fn widen(v: Vec3) -> DVec3 {
    v
}

/// Returns the number unchanged.
#[inline(always)]
pub(crate) fn widen_real(x: Real) -> f64 {
    x
}

/// Returns the vector unchanged.
#[inline(always)]
pub(crate) fn narrow(v: DVec3) -> Vec3 {
    v
}

/// Returns the number unchanged.
#[inline(always)]
pub(crate) fn narrow_real(x: f64) -> Real {
    x
}

/// Returns the number unchanged.
#[inline(always)]
pub(crate) fn narrow_down(x: f64) -> Real {
    x
}
