//! The name table of the `f32` build: which number is which in `kernel/`.

pub(crate) use carom_geom::{Contact, ConvexHull, Manifold};
pub(crate) use carom_math::tol::WITNESS_KEPT;
pub(crate) use carom_math::{Pose, Real, Vec3};
use glam::DVec3;

/// A stored vector, widened exactly.
#[inline(always)]
pub(crate) fn widen(v: Vec3) -> DVec3 {
    v.as_dvec3()
}

/// A stored number, widened exactly.
#[inline(always)]
pub(crate) fn widen_real(x: Real) -> f64 {
    f64::from(x)
}

/// A decided vector, rounded to what is stored.
#[inline(always)]
pub(crate) fn narrow(v: DVec3) -> Vec3 {
    v.as_vec3()
}

/// A decided number, rounded to what is stored.
#[inline(always)]
pub(crate) fn narrow_real(x: f64) -> Real {
    x as Real
}
