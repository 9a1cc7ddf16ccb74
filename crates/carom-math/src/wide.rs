//! Poses in which every number is `f64`, with the rotation as a matrix: what decisions are computed
//! from.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.4.
//! Differs: an `f32` pose stands for the exact rotation of its quaternion, normalised here in
//! `f64`; so an `f32` answer is that of the normalised `f32` pose, to 1e-15.

use glam::{DMat3, DQuat, DVec3};

/// A rigid placement in `f64`: `x_parent = rotation * x + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WidePose {
    /// Rotation matrix, orthonormal to within rounding.
    pub rotation: DMat3,
    /// Translation.
    pub translation: DVec3,
}

impl WidePose {
    /// The frame itself.
    pub const IDENTITY: WidePose = WidePose { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// From a quaternion of any length near 1; the matrix is that of the normalised quaternion.
    ///
    /// Without a root: the matrix is the identity plus 2 / |q|^2 times products, so the length
    /// enters rounded once.
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

    /// Body point to parent point.
    #[inline]
    pub fn transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// Body direction to parent direction.
    #[inline]
    pub fn transform_vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Parent point to body point.
    #[inline]
    pub fn inverse_transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation.transpose() * (p - self.translation)
    }

    /// Parent direction to body direction.
    #[inline]
    pub fn inverse_transform_vector(&self, v: DVec3) -> DVec3 {
        self.rotation.transpose() * v
    }

    /// The placement that undoes this one.
    #[inline]
    pub fn inverse(&self) -> WidePose {
        let rotation = self.rotation.transpose();
        WidePose { rotation, translation: -(rotation * self.translation) }
    }

    /// This body seen from `frame`: eq. 25.4.
    #[inline]
    pub fn relative_to(&self, frame: &WidePose) -> WidePose {
        let to_frame = frame.rotation.transpose();
        WidePose {
            rotation: to_frame * self.rotation,
            translation: to_frame * (self.translation - frame.translation),
        }
    }
}
