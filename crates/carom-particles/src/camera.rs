//! Cameras: the projection of points in the world to picture coordinates and depth.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 4.7 (projections).

use crate::ParticleError;
use carom_math::{Pose, WidePose, ops};
use glam::{DVec2, DVec3};

/// The projection from the camera's frame to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Projection {
    /// Perspective. At depth 1 the picture is twice `half` wide and high.
    Perspective { half: DVec2 },
    /// Orthographic. The picture is twice `half` wide and high.
    Orthographic { half: DVec2 },
}

/// A camera that looks along -Z of its frame, with +X to the right and +Y up.
///
/// The depth of a point is its distance from the camera's plane, along the direction of view: -z in
/// the camera's frame, linear and in units of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub(crate) pose: WidePose,
    pub(crate) projection: Projection,
    pub(crate) near: f32,
    pub(crate) far: f32,
}

impl Camera {
    /// Returns a camera at `pose`, in the world, that sees an angle of `view` radians from bottom
    /// to top, at depths from `near` to `far`. `aspect` is the width of the picture over its
    /// height.
    ///
    /// # Errors
    /// If the pose is not finite, the angle is not between 0 and pi, or not `0 < near < far`, all
    /// finite.
    pub fn perspective(
        pose: &Pose,
        view: f32,
        aspect: f32,
        near: f32,
        far: f32,
    ) -> Result<Camera, ParticleError> {
        if !(0.0 < view && view < core::f32::consts::PI) {
            return Err(ParticleError::BadView { view });
        }
        let (sine, cosine) = ops::sin_cos(0.5 * f64::from(view));
        let half = half_extents(sine / cosine, aspect)?;
        Camera::new(pose, Projection::Perspective { half }, near, far)
    }

    /// Returns a camera at `pose`, in the world, whose rays are parallel: for rain from above, or
    /// the shadow of a lamp. It sees `height` units of length from bottom to top, at depths from
    /// `near` to `far`.
    ///
    /// # Errors
    /// If the pose is not finite, the height is not positive, or not `0 < near < far`, all finite.
    pub fn orthographic(
        pose: &Pose,
        height: f32,
        aspect: f32,
        near: f32,
        far: f32,
    ) -> Result<Camera, ParticleError> {
        if !(0.0 < height && height < f32::INFINITY) {
            return Err(ParticleError::BadView { view: height });
        }
        let half = half_extents(0.5 * f64::from(height), aspect)?;
        Camera::new(pose, Projection::Orthographic { half }, near, far)
    }

    fn new(pose: &Pose, projection: Projection, near: f32, far: f32) -> Result<Camera, ParticleError> {
        if !pose.is_finite() {
            return Err(ParticleError::BadPose);
        }
        if !(0.0 < near && near < far && far < f32::INFINITY) {
            return Err(ParticleError::BadRange { near, far });
        }
        Ok(Camera { pose: pose.wide(), projection, near, far })
    }

    /// Returns the direction of view in the world, a unit vector.
    pub fn forward(&self) -> DVec3 {
        self.pose.transform_vector(DVec3::NEG_Z)
    }

    /// Returns the ray of picture coordinates, from (-1, -1) at the bottom left to (1, 1) at the
    /// top right. Its origin and direction are in the camera's frame. The direction has the depth
    /// 1.
    pub(crate) fn ray(&self, position: DVec2) -> (DVec3, DVec3) {
        match self.projection {
            Projection::Perspective { half } => (DVec3::ZERO, (position * half).extend(-1.0)),
            Projection::Orthographic { half } => ((position * half).extend(0.0), DVec3::NEG_Z),
        }
    }

    /// Returns the picture coordinates of a point in front of the camera, in the camera's frame;
    /// see [`Camera::ray`].
    pub(crate) fn project(&self, point: DVec3) -> DVec2 {
        match self.projection {
            Projection::Perspective { half } => point.truncate() / (half * -point.z),
            Projection::Orthographic { half } => point.truncate() / half,
        }
    }
}

/// Returns half of the width and of the height of the picture.
fn half_extents(half_height: f64, aspect: f32) -> Result<DVec2, ParticleError> {
    if !(0.0 < aspect && aspect < f32::INFINITY) {
        return Err(ParticleError::BadSetting { name: "aspect", value: aspect });
    }
    Ok(DVec2::new(half_height * f64::from(aspect), half_height))
}
