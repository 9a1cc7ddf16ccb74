//! Vectors, rotations and poses of bevy as those of carom, and back.
//!
//! Both are glam's, but of different versions. Each number is carried over as it is.

use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use carom_math::Pose;

pub(crate) fn to_carom(v: Vec3) -> carom_math::Vec3 {
    carom_math::Vec3::from_array(v.to_array())
}

pub(crate) fn to_bevy(v: carom_math::Vec3) -> Vec3 {
    Vec3::from_array(v.to_array())
}

/// Returns the pose of a transform: all of it but the scale.
pub fn pose_of(transform: &Transform) -> Pose {
    let rotation = carom_math::Quat::from_array(transform.rotation.to_array());
    Pose::new(rotation, to_carom(transform.translation))
}

/// Returns the transform of a pose, with the scale 1.
pub fn transform_of(pose: &Pose) -> Transform {
    let rotation = Quat::from_array(pose.rotation.to_array());
    Transform::from_translation(to_bevy(pose.translation)).with_rotation(rotation)
}
