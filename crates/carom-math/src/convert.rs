//! Conversions between the precisions: exact to `f64`, rounded once to `f32`.

use crate::f64 as wide;
use crate::{Interval, Plane, Pose, Ray, WorldPose};

impl From<Pose> for wide::Pose {
    /// Converts exactly. The quaternion keeps its length, which is 1 up to rounding in `f32`.
    fn from(pose: Pose) -> wide::Pose {
        wide::Pose { rotation: pose.rotation.as_dquat(), translation: pose.translation.as_dvec3() }
    }
}

impl From<wide::Pose> for Pose {
    /// Rounds each number.
    fn from(pose: wide::Pose) -> Pose {
        Pose { rotation: pose.rotation.as_quat(), translation: pose.translation.as_vec3() }
    }
}

impl From<WorldPose> for wide::WorldPose {
    /// Converts exactly.
    fn from(pose: WorldPose) -> wide::WorldPose {
        wide::WorldPose { rotation: pose.rotation.as_dquat(), translation: pose.translation }
    }
}

impl From<wide::WorldPose> for WorldPose {
    /// Rounds the rotation.
    fn from(pose: wide::WorldPose) -> WorldPose {
        WorldPose { rotation: pose.rotation.as_quat(), translation: pose.translation }
    }
}

impl From<Ray> for wide::Ray {
    /// Converts exactly.
    fn from(ray: Ray) -> wide::Ray {
        wide::Ray { origin: ray.origin.as_dvec3(), direction: ray.direction.as_dvec3() }
    }
}

impl From<wide::Ray> for Ray {
    /// Rounds each number.
    fn from(ray: wide::Ray) -> Ray {
        Ray { origin: ray.origin.as_vec3(), direction: ray.direction.as_vec3() }
    }
}

impl From<Plane> for wide::Plane {
    /// Converts exactly.
    fn from(plane: Plane) -> wide::Plane {
        wide::Plane { normal: plane.normal.as_dvec3(), d: plane.d.into() }
    }
}

impl From<Interval> for wide::Interval {
    /// Converts exactly.
    fn from(interval: Interval) -> wide::Interval {
        wide::Interval { min: interval.min.into(), max: interval.max.into() }
    }
}

impl From<f32> for Interval {
    /// Returns the interval from 0 to the number.
    fn from(max: f32) -> Interval {
        Interval::new(0.0, max)
    }
}
