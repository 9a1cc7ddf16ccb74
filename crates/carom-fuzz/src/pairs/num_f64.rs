//! The name table of the `f64` questions.

pub(super) use carom_geom::f64 as geom;
pub(super) use carom_math::f64::{Interval, Plane, Pose, Ray, Real, Vec3};
pub(super) use carom_query::f64 as query;

/// The allowed difference of answers, relative to the size of the scene.
pub(super) const ROUNDING: f64 = 1e-10;
/// The range of sizes that are compared.
pub(super) const RANGE: (f64, f64) = (1e-60, 1e60);

pub(super) fn real(x: f64) -> Real {
    x
}

pub(super) fn vec3(v: glam::DVec3) -> Vec3 {
    v
}

pub(super) fn wide(v: Vec3) -> glam::DVec3 {
    v
}

pub(super) fn pose(rotation: glam::DQuat, translation: glam::DVec3) -> Pose {
    Pose::new(rotation, translation)
}
