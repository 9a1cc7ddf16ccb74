//! The types of the `f64` build that `kernel/` is compiled with.

pub(crate) use carom_geom::f64::Contact;
pub(crate) use carom_math::f64::{Pose, Real, Vec3};

/// Returns the number unchanged.
#[inline]
pub(crate) fn narrow(x: f64) -> Real {
    x
}

/// Returns the lower bound unchanged.
#[inline]
pub(crate) fn narrow_down(x: f64) -> Real {
    x
}

/// Returns the upper bound unchanged.
#[inline]
pub(crate) fn narrow_up(x: f64) -> Real {
    x
}

/// Returns the vector unchanged.
#[inline]
pub(crate) fn narrow3(v: glam::DVec3) -> Vec3 {
    v
}
