//! A rigid motion: one point moves along a straight line, while the body rotates at a constant
//! rate.
//!
//! The true motion is defined by the stored numbers. It is the exact rotation of the normalised
//! quaternion, then the exact rotation by the angular velocity times the time, about the moving
//! centre. Rounding in these numbers, as in an angular velocity from two orientations, defines
//! another motion. The answer for it stays exact.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, section 5.5 (moving bodies); O.
//! Rodrigues, 1840 (the rotation about an axis).
//! Slerp between two orientations gives the same motion. Normalised linear interpolation, as in
//! some engines, gives another.

use carom_math::{WidePose, ops};
use core::fmt;
use glam::{DMat3, DQuat, DVec3};

/// A rigid motion over time: `x(t) = center + linear * t + turn(angular * t) * rotation * (x_body -
/// local_center)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Motion {
    /// The point of the body, in its own frame, about which it rotates.
    local_center: DVec3,
    /// The position of that point at the time 0.
    center: DVec3,
    /// Unit to within rounding.
    rotation: DQuat,
    linear: DVec3,
    angular: DVec3,
}

/// A motion as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "Motion")]
struct Unchecked {
    local_center: DVec3,
    center: DVec3,
    rotation: DQuat,
    linear: DVec3,
    angular: DVec3,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Motion {
    type Error = MotionError;

    fn try_from(read: Unchecked) -> Result<Motion, MotionError> {
        let Unchecked { local_center, center, rotation, linear, angular } = read;
        finite(local_center.is_finite() && center.is_finite(), "centre")?;
        finite(linear.is_finite(), "velocity")?;
        finite(angular.is_finite(), "angular velocity")?;
        let unit = unit(rotation)?;
        // The bits of a motion that was written stay as they are.
        let is_unit = (rotation.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        Ok(Motion { local_center, center, rotation: if is_unit { rotation } else { unit }, linear, angular })
    }
}

/// The error of a motion with invalid numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MotionError {
    /// The named quantity has a coordinate that is NaN or infinite.
    NotFinite(&'static str),
    /// The quaternion is not a unit quaternion. Its length, given here, is too far from 1 to be a
    /// rounding error.
    NotUnit(f64),
    /// The time between two poses is not a positive number.
    Duration(f64),
}

impl fmt::Display for MotionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MotionError::NotFinite(what) => {
                write!(f, "the {what} of the motion has a coordinate that is NaN or infinite")
            }
            MotionError::NotUnit(length) => write!(f, "the rotation has length {length}, not 1"),
            MotionError::Duration(time) => write!(f, "the time between the poses is {time}, not positive"),
        }
    }
}

impl core::error::Error for MotionError {}

impl Motion {
    /// Builds a motion from the pose at the time 0 and the velocities. All are in one outer frame,
    /// and answers are in it too.
    ///
    /// `local_center` is the point of the body, in its own frame, that moves along a straight line:
    /// the centre of mass of a free body. `linear` is its velocity, length per unit of time.
    /// `angular` is the rotation axis times radians per unit of time. Both are in the outer frame.
    pub fn new(
        rotation: DQuat,
        translation: DVec3,
        local_center: DVec3,
        linear: DVec3,
        angular: DVec3,
    ) -> Result<Motion, MotionError> {
        let unit_rotation = unit(rotation)?;
        finite(translation.is_finite(), "translation")?;
        finite(local_center.is_finite(), "centre")?;
        finite(linear.is_finite(), "velocity")?;
        finite(angular.is_finite(), "angular velocity")?;
        let center = WidePose::from_quat(unit_rotation, translation).transform_point(local_center);
        finite(center.is_finite(), "centre")?;
        Ok(Motion { local_center, center, rotation: unit_rotation, linear, angular })
    }

    /// Builds the motion of a body that does not move.
    pub fn fixed(rotation: DQuat, translation: DVec3) -> Result<Motion, MotionError> {
        Motion::new(rotation, translation, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
    }

    /// Builds the motion from one pose at the time 0 to another at the time `duration`. It rotates
    /// the short way at a constant rate, about a point of the body that moves along a straight
    /// line. The end pose is reached to within rounding.
    pub fn between(
        start: (DQuat, DVec3),
        end: (DQuat, DVec3),
        local_center: DVec3,
        duration: f64,
    ) -> Result<Motion, MotionError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(MotionError::Duration(duration));
        }
        let still = Motion::new(start.0, start.1, local_center, DVec3::ZERO, DVec3::ZERO)?;
        let there = Motion::new(end.0, end.1, local_center, DVec3::ZERO, DVec3::ZERO)?;
        let mut turn = there.rotation * still.rotation.conjugate();
        if turn.w < 0.0 {
            turn = -turn;
        }
        // For a tiny rotation the sine is the angle, and the axis times the sine needs no axis.
        let axis_sine = DVec3::new(turn.x, turn.y, turn.z);
        let sine = ops::sqrt(axis_sine.length_squared());
        let scale = if sine > 0.0 { 2.0 * ops::atan2(sine, turn.w) / sine } else { 0.0 };
        let linear = (there.center - still.center) / duration;
        let angular = axis_sine * scale / duration;
        Motion::new(start.0, start.1, local_center, linear, angular)
    }

    /// Returns the motion of a part that is fixed to the body at this pose in its frame. The
    /// quaternion is a unit quaternion, and the position is finite.
    pub fn of_part(&self, part: (DQuat, DVec3)) -> Motion {
        debug_assert!(unit(part.0).is_ok() && part.1.is_finite(), "{part:?} is no pose of a part");
        let rotation = part.0.normalize();
        Motion {
            local_center: rotation.conjugate() * (self.local_center - part.1),
            rotation: (self.rotation * rotation).normalize(),
            ..*self
        }
    }

    /// Returns the same path without rotation, for a ball whose centre is the centre of the motion.
    #[must_use]
    pub fn without_turning(&self) -> Motion {
        Motion { angular: DVec3::ZERO, ..*self }
    }

    /// Returns the pose of the body at the time `t`.
    pub fn pose_at(&self, t: f64) -> WidePose {
        let rotation = turn(self.angular, t) * WidePose::from_quat(self.rotation, DVec3::ZERO).rotation;
        let center = self.center_at(t);
        WidePose { rotation, translation: center - rotation * self.local_center }
    }

    /// Returns the position of the centre of rotation at the time `t`.
    #[inline]
    pub fn center_at(&self, t: f64) -> DVec3 {
        self.center + self.linear * t
    }

    /// Returns the point of the body, in its own frame, about which it rotates.
    #[inline]
    pub fn local_center(&self) -> DVec3 {
        self.local_center
    }

    /// Returns the orientation at the time 0, normalised.
    #[inline]
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Returns the velocity of the centre of rotation.
    #[inline]
    pub fn linear(&self) -> DVec3 {
        self.linear
    }

    /// Returns the rotation axis times radians per unit of time.
    #[inline]
    pub fn angular(&self) -> DVec3 {
        self.angular
    }
}

fn finite(is_finite: bool, what: &'static str) -> Result<(), MotionError> {
    if is_finite { Ok(()) } else { Err(MotionError::NotFinite(what)) }
}

/// Returns a quaternion divided by its length, which must be near 1.
fn unit(rotation: DQuat) -> Result<DQuat, MotionError> {
    finite(rotation.is_finite(), "rotation")?;
    let length = ops::sqrt(rotation.length_squared());
    if !((length - 1.0).abs() <= carom_math::tol::QUATERNION_LENGTH) {
        return Err(MotionError::NotUnit(length));
    }
    Ok(rotation * (1.0 / length))
}

/// Returns the rotation by `angular * t`, by Rodrigues' formula.
fn turn(angular: DVec3, t: f64) -> DMat3 {
    let rate = ops::sqrt(angular.length_squared());
    if !(rate > 0.0) {
        return DMat3::IDENTITY;
    }
    let axis = angular / rate;
    let (sine, cosine) = ops::sin_cos(rate * t);
    let column = |v: DVec3| v * cosine + axis.cross(v) * sine + axis * (axis.dot(v) * (1.0 - cosine));
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}
