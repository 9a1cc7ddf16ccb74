//! The name table of the `f64` build: which number is which in `kernel/`.

pub(crate) use carom_geom::f64::Contact;
pub(crate) use carom_math::f64::{Pose, Real, Vec3};

/// A decided number: nothing to do.
#[inline]
pub(crate) fn narrow(x: f64) -> Real {
    x
}

/// A decided lower bound: nothing to do.
#[inline]
pub(crate) fn narrow_down(x: f64) -> Real {
    x
}

/// A decided upper bound: nothing to do.
#[inline]
pub(crate) fn narrow_up(x: f64) -> Real {
    x
}

/// A decided vector: nothing to do.
#[inline]
pub(crate) fn narrow3(v: glam::DVec3) -> Vec3 {
    v
}
