//! The name table of the `f32` build: which number is which in `kernel/`.

pub(crate) use carom_geom::Contact;
pub(crate) use carom_math::{Pose, Real, Vec3};

/// A decided number, rounded to what is returned.
#[inline]
pub(crate) fn narrow(x: f64) -> Real {
    x as f32
}

/// A decided lower bound, rounded so that it stays one.
#[inline]
pub(crate) fn narrow_down(x: f64) -> Real {
    carom_math::rounding::down(x)
}

/// A decided upper bound, rounded so that it stays one.
#[inline]
pub(crate) fn narrow_up(x: f64) -> Real {
    carom_math::rounding::up(x)
}

/// A decided vector, rounded to what is returned.
#[inline]
pub(crate) fn narrow3(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}
