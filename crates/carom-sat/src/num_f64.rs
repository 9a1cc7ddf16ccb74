//! The name table of the `f64` build: which number is which in `kernel/`.

pub(crate) use carom_geom::f64::{Contact, ConvexHull, Manifold};
pub(crate) use carom_math::f64::{Pose, Real, Vec3};
pub(crate) use carom_math::tol::WITNESS_KEPT_F64 as WITNESS_KEPT;
use glam::DVec3;

/// A stored vector, widened exactly: nothing to do.
#[inline(always)]
pub(crate) fn widen(v: Vec3) -> DVec3 {
    v
}

/// A stored number, widened exactly: nothing to do.
#[inline(always)]
pub(crate) fn widen_real(x: Real) -> f64 {
    x
}

/// A decided vector, rounded to what is stored: nothing to do.
#[inline(always)]
pub(crate) fn narrow(v: DVec3) -> Vec3 {
    v
}

/// A decided number, rounded to what is stored: nothing to do.
#[inline(always)]
pub(crate) fn narrow_real(x: f64) -> Real {
    x
}
