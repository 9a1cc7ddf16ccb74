//! The name table of the `f32` questions.

pub(super) use carom_geom as geom;
pub(super) use carom_math::{Interval, Plane, Pose, Ray, Real, Vec3};
pub(super) use carom_query as query;

/// The allowed difference of answers, relative to the size of the scene.
pub(super) const ROUNDING: f64 = 4e-6;
/// The range of sizes that are compared.
pub(super) const RANGE: (f64, f64) = (1e-15, 1e15);

pub(super) fn real(x: f64) -> Real {
    x as f32
}

pub(super) fn vec3(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

pub(super) fn wide(v: Vec3) -> glam::DVec3 {
    v.as_dvec3()
}

pub(super) fn pose(rotation: glam::DQuat, translation: glam::DVec3) -> Pose {
    Pose::new(rotation.as_quat(), translation.as_vec3())
}
