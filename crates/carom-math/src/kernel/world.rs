//! Poses in a large world. The translation is in `f64`, so that bodies far from the origin keep
//! their distances.
//!
//! Subtract two such poses first, which is done in `f64`, and work with the small relative pose.
//!
//! Reference: C. Thorne, Using a Floating Origin to Improve Fidelity and Performance of Large,
//! Distributed Virtual Worlds, International Conference on Cyberworlds, 2005; Akenine-Moller et
//! al., Real-Time Rendering, 4th ed., eq. 25.4.

use super::super::num::{Quat, narrow, narrow_quat, widen, widen_quat};
use super::Pose;
use crate::WidePose;
use glam::DVec3;

/// A rigid placement far from the origin: `x_world = rotation * x_body + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldPose {
    /// Unit quaternion, body frame to world frame.
    pub rotation: Quat,
    /// The body's origin in the world.
    pub translation: DVec3,
}

impl WorldPose {
    /// The pose of a body whose frame is the world frame.
    pub const IDENTITY: WorldPose = WorldPose { rotation: Quat::IDENTITY, translation: DVec3::ZERO };

    /// Returns the pose of a unit quaternion and a translation.
    #[inline]
    pub const fn new(rotation: Quat, translation: DVec3) -> WorldPose {
        WorldPose { rotation, translation }
    }

    /// Returns the pose of this body in `frame`: subtracted in `f64`, rounded once.
    #[inline]
    pub fn relative_to(&self, frame: &WorldPose) -> Pose {
        let to_frame = widen_quat(frame.rotation).normalize().conjugate();
        Pose {
            rotation: narrow_quat((to_frame * widen_quat(self.rotation)).normalize()),
            translation: narrow(to_frame * (self.translation - frame.translation)),
        }
    }

    /// Returns the pose of this body relative to `origin`, a near point of the world, with the
    /// axes of the world.
    #[inline]
    pub fn about(&self, origin: DVec3) -> Pose {
        Pose { rotation: self.rotation, translation: narrow(self.translation - origin) }
    }

    /// Returns the pose in the world of a pose relative to `origin`. It is the inverse of
    /// [`WorldPose::about`].
    #[inline]
    pub fn from_local(pose: &Pose, origin: DVec3) -> WorldPose {
        WorldPose { rotation: pose.rotation, translation: origin + widen(pose.translation) }
    }

    /// Returns this pose in `f64`, with the rotation as a matrix.
    #[inline]
    pub fn wide(&self) -> WidePose {
        WidePose::from_quat(widen_quat(self.rotation), self.translation)
    }

    /// Whether every number is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Default for WorldPose {
    fn default() -> WorldPose {
        WorldPose::IDENTITY
    }
}

impl From<Pose> for WorldPose {
    fn from(pose: Pose) -> WorldPose {
        WorldPose { rotation: pose.rotation, translation: widen(pose.translation) }
    }
}
