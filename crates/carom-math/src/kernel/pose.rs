//! A rigid placement: a rotation followed by a translation.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2, eq. 25.4 (relative
//! poses).
//! Differs: the rotation is a quaternion. All decisions use [`WidePose`], which normalises it in
//! `f64`. A quaternion normalised in `f32` would move a far vertex by 1e-7 of its distance.

use super::super::num::{Mat3, Quat, Real, Vec3, narrow, narrow_quat, real, widen, widen_quat};
use super::rotation;
use crate::{WidePose, tol};
use core::ops::Mul;

/// A rigid placement of a body: `x_world = rotation * x_body + translation`.
///
/// The rotation is a unit quaternion to within rounding. `pose_a * pose_b` applies `b` first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Unit quaternion, body frame to parent frame.
    pub rotation: Quat,
    /// The body's origin in the parent frame.
    pub translation: Vec3,
}

/// The reason for which a pose was rejected.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoseError {
    /// A coordinate is NaN or infinite.
    NotFinite,
    /// The quaternion's length, given here, is too far from 1 to be a rounding error.
    NotUnit(Real),
}

impl core::fmt::Display for PoseError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            PoseError::NotFinite => write!(f, "the pose has a coordinate that is NaN or infinite"),
            PoseError::NotUnit(length) => write!(f, "the rotation has length {length}, not 1"),
        }
    }
}

impl core::error::Error for PoseError {}

impl Pose {
    /// The pose of a body whose frame is the parent frame.
    pub const IDENTITY: Pose = Pose { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    /// Returns a pose of a unit quaternion and a translation, unchecked. Use [`Pose::try_new`] for
    /// data from outside.
    #[inline]
    pub const fn new(rotation: Quat, translation: Vec3) -> Pose {
        Pose { rotation, translation }
    }

    /// Returns a pose of data that may be wrong. The quaternion is normalised in `f64`. Errors: a
    /// number that is not finite, a quaternion whose length differs from 1 by more than 1 %.
    pub fn try_new(rotation: Quat, translation: Vec3) -> Result<Pose, PoseError> {
        if !(rotation.is_finite() && translation.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let wide = widen_quat(rotation);
        let length = wide.length();
        if !((length - 1.0).abs() <= tol::QUATERNION_LENGTH) {
            return Err(PoseError::NotUnit(real(length)));
        }
        Ok(Pose { rotation: narrow_quat(wide * (1.0 / length)), translation })
    }

    /// Returns a pose with this translation and no rotation.
    #[inline]
    pub const fn from_translation(translation: Vec3) -> Pose {
        Pose { rotation: Quat::IDENTITY, translation }
    }

    /// Returns a pose with this rotation about the parent's origin.
    #[inline]
    pub const fn from_rotation(rotation: Quat) -> Pose {
        Pose { rotation, translation: Vec3::ZERO }
    }

    /// Transforms a point from the body frame to the parent frame.
    #[inline]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        rotation::rotate(self.rotation, point) + self.translation
    }

    /// Transforms a direction from the body frame to the parent frame, without the translation.
    #[inline]
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        rotation::rotate(self.rotation, vector)
    }

    /// Transforms a point from the parent frame to the body frame.
    #[inline]
    pub fn inverse_transform_point(&self, point: Vec3) -> Vec3 {
        rotation::rotate_back(self.rotation, point - self.translation)
    }

    /// Transforms a direction from the parent frame to the body frame.
    #[inline]
    pub fn inverse_transform_vector(&self, vector: Vec3) -> Vec3 {
        rotation::rotate_back(self.rotation, vector)
    }

    /// Returns the inverse pose, from the parent frame to the body frame.
    #[inline]
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.conjugate();
        Pose { rotation, translation: -rotation::rotate(rotation, self.translation) }
    }

    /// Returns the pose of this body in `frame`: eq. 25.4, M_frame^-1 M_self.
    ///
    /// The translations are subtracted in `f64`, so two near bodies far from the origin keep their
    /// relative position.
    #[inline]
    pub fn relative_to(&self, frame: &Pose) -> Pose {
        let to_frame = widen_quat(frame.rotation).conjugate();
        Pose {
            rotation: narrow_quat((to_frame * widen_quat(self.rotation)).normalize()),
            translation: narrow(to_frame * (widen(self.translation) - widen(frame.translation))),
        }
    }

    /// Like [`Pose::relative_to`], with every number in `f64`. Distances and decisions are
    /// computed from it.
    #[inline]
    pub fn wide_relative_to(&self, frame: &Pose) -> WidePose {
        self.wide().relative_to(&frame.wide())
    }

    /// Returns this pose in `f64`. Its rotation is the matrix of the quaternion, normalised in
    /// `f64`.
    #[inline]
    pub fn wide(&self) -> WidePose {
        WidePose::from_quat(widen_quat(self.rotation), widen(self.translation))
    }

    /// Returns the rotation as a matrix.
    #[inline]
    pub fn rotation_matrix(&self) -> Mat3 {
        Mat3::from_quat(self.rotation)
    }

    /// Whether every number is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Pose {
        Pose::IDENTITY
    }
}

impl Mul for Pose {
    type Output = Pose;
    #[inline]
    fn mul(self, inner: Pose) -> Pose {
        Pose {
            rotation: rotation::mul(self.rotation, inner.rotation),
            translation: self.transform_point(inner.translation),
        }
    }
}

impl From<(Quat, Vec3)> for Pose {
    fn from((rotation, translation): (Quat, Vec3)) -> Pose {
        Pose { rotation, translation }
    }
}

impl From<Pose> for (Quat, Vec3) {
    fn from(pose: Pose) -> (Quat, Vec3) {
        (pose.rotation, pose.translation)
    }
}
