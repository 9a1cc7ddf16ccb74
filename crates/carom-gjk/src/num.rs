//! The types of the `f32` build that `kernel/` is compiled with.

pub(crate) use carom_geom::Contact;
pub(crate) use carom_math::{Pose, Real, Vec3};

/// Rounds a number to the returned precision.
#[inline]
pub(crate) fn narrow(x: f64) -> Real {
    x as f32
}

/// Rounds a lower bound down to the returned precision.
#[inline]
pub(crate) fn narrow_down(x: f64) -> Real {
    carom_math::rounding::down(x)
}

/// Rounds an upper bound up to the returned precision.
#[inline]
pub(crate) fn narrow_up(x: f64) -> Real {
    carom_math::rounding::up(x)
}

/// Rounds a vector to the returned precision.
#[inline]
pub(crate) fn narrow3(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}
