//! Checks of numbers that users give: a wrong one is an error at the door.
//!
//! Reference: S. Maguire, Writing Solid Code, 1993, chapter 5 (interfaces that refuse).

use crate::WorldError;
use carom_math::Vec3;
use carom_response::Response;

/// Refuses velocities that are not finite.
pub(crate) fn check_velocity(linear: Vec3, angular: Vec3) -> Result<(), WorldError> {
    if linear.is_finite() && angular.is_finite() { Ok(()) } else { Err(WorldError::BadNumber("velocity")) }
}

/// A finite velocity of a surface.
pub(crate) fn check_surface(velocity: Vec3, spin: Vec3) -> Result<(), WorldError> {
    let is_finite = velocity.is_finite() && spin.is_finite();
    if is_finite { Ok(()) } else { Err(WorldError::BadNumber("surface velocity")) }
}

/// Dampings that are not negative, and finite.
pub(crate) fn check_damping(linear: f32, angular: f32) -> Result<(), WorldError> {
    check_not_negative(linear, "linear damping")?;
    check_not_negative(angular, "angular damping")
}

/// A number that is not negative, and finite.
pub(crate) fn check_not_negative(x: f32, what: &'static str) -> Result<(), WorldError> {
    if 0.0 <= x && x < f32::INFINITY { Ok(()) } else { Err(WorldError::BadNumber(what)) }
}

/// Refuses a response whose numbers are out of their range.
pub(crate) fn check_response(response: Response) -> Result<(), WorldError> {
    if response.is_sound() { Ok(()) } else { Err(WorldError::BadNumber("response")) }
}
