//! Poses in `f64`, with the rotation as a matrix, from which decisions are computed.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.4.
//! Differs: an `f32` pose stands for the rotation of its quaternion, which is normalised here in
//! `f64`. So results for an `f32` pose are those of the normalised pose, to 1e-15.

use glam::{DMat3, DQuat, DVec3};

/// A rigid placement in `f64`: `x_parent = rotation * x + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WidePose {
    /// Rotation matrix, orthonormal to within rounding.
    pub rotation: DMat3,
    /// Translation.
    pub translation: DVec3,
}

impl WidePose {
    /// The pose of the frame itself.
    pub const IDENTITY: WidePose = WidePose { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Returns the pose of a quaternion of any length near 1. The matrix is that of the normalised
    /// quaternion.
    ///
    /// No square root is needed: the matrix is the identity plus 2 / |q|^2 times products. So only
    /// the squared length is rounded.
    #[inline]
    pub fn from_quat(q: DQuat, translation: DVec3) -> WidePose {
        let s = 2.0 / q.length_squared();
        let (x, y, z) = (q.x * s, q.y * s, q.z * s);
        let (xx, yy, zz) = (q.x * x, q.y * y, q.z * z);
        let (xy, yz, zx) = (q.x * y, q.y * z, q.z * x);
        let (wx, wy, wz) = (q.w * x, q.w * y, q.w * z);
        let rotation = DMat3::from_cols(
            DVec3::new(1.0 - (yy + zz), xy + wz, zx - wy),
            DVec3::new(xy - wz, 1.0 - (zz + xx), yz + wx),
            DVec3::new(zx + wy, yz - wx, 1.0 - (xx + yy)),
        );
        WidePose { rotation, translation }
    }

    /// Transforms a point from the body frame to the parent frame.
    #[inline]
    pub fn transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// Transforms a direction from the body frame to the parent frame.
    #[inline]
    pub fn transform_vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Transforms a point from the parent frame to the body frame.
    #[inline]
    pub fn inverse_transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation.transpose() * (p - self.translation)
    }

    /// Transforms a direction from the parent frame to the body frame.
    #[inline]
    pub fn inverse_transform_vector(&self, v: DVec3) -> DVec3 {
        self.rotation.transpose() * v
    }

    /// Returns the inverse pose, from the parent frame to the body frame.
    #[inline]
    pub fn inverse(&self) -> WidePose {
        let rotation = self.rotation.transpose();
        WidePose { rotation, translation: -(rotation * self.translation) }
    }

    /// Returns the pose of this body in `frame`: eq. 25.4.
    #[inline]
    pub fn relative_to(&self, frame: &WidePose) -> WidePose {
        let to_frame = frame.rotation.transpose();
        WidePose {
            rotation: to_frame * self.rotation,
            translation: to_frame * (self.translation - frame.translation),
        }
    }
}
