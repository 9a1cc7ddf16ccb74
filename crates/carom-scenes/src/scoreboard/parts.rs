//! The parts of which rows are made: the step, gravity, floors and boxes.

use crate::body::{BodySpec, ShapeSpec};
use carom_math::{Pose, Quat, Vec3};
use libm::{cos, sin};

/// Length of a step of every row, in seconds.
pub const STEP: f64 = 1.0 / 60.0;

/// Gravity of every row that is not weightless, in m/s2 along -y.
pub const GRAVITY: f64 = 9.81;

/// Returns a floor at y = 0.
pub(super) fn floor() -> BodySpec {
    BodySpec::fixed(ShapeSpec::HalfSpace { normal: Vec3::Y }, Pose::IDENTITY)
}

/// Returns a box.
pub(super) fn cuboid(half_extents: Vec3) -> ShapeSpec {
    ShapeSpec::Cuboid { half_extents }
}

/// Returns a box that can move, with its centre at `at`.
pub(super) fn block(half_extents: Vec3, at: Vec3) -> BodySpec {
    BodySpec::new(cuboid(half_extents), Pose::from_translation(at))
}

/// Returns the rotation by an angle in radians about a unit vector.
pub(super) fn turn(axis: Vec3, angle: f64) -> Quat {
    let v = axis * sin(0.5 * angle) as f32;
    Quat::from_xyzw(v.x, v.y, v.z, cos(0.5 * angle) as f32)
}
