//! Checks of numbers that users pass in.
//!
//! Reference: S. Maguire, Writing Solid Code, 1993, chapter 5 (interfaces that refuse).

use crate::WorldError;
use carom_math::{Pose, PoseError, Vec3};
use carom_response::Response;

/// Fails with the name and the value of a number if `is_good` does not hold.
pub(crate) fn demand(is_good: bool, what: &'static str, value: f32) -> Result<(), WorldError> {
    if is_good { Ok(()) } else { Err(WorldError::BadValue { what, value }) }
}

/// Refuses a number that is not finite.
pub(crate) fn check_number(x: f32, what: &'static str) -> Result<(), WorldError> {
    demand(x.is_finite(), what, x)
}

/// Refuses a vector that is not finite. The value is its first number that is not.
pub(crate) fn check_finite(v: Vec3, what: &'static str) -> Result<(), WorldError> {
    v.to_array().into_iter().try_for_each(|x| check_number(x, what))
}

/// How far the numbers of a rotation may be from those of the unit quaternion, by rounding alone.
const MAX_QUATERNION_ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Returns a pose whose rotation is a unit quaternion. One that is so up to rounding stays as it
/// is. So colliders have the same bits as the parts of a compound at the same poses.
///
/// Errors: those of [`Pose::try_new`].
pub(crate) fn unit_pose(pose: &Pose) -> Result<Pose, PoseError> {
    let unit = Pose::try_new(pose.rotation, pose.translation)?;
    let mut both = unit.rotation.to_array().into_iter().zip(pose.rotation.to_array());
    let is_unit = both.all(|(x, y)| (x - y).abs() <= MAX_QUATERNION_ROUNDING);
    Ok(if is_unit { *pose } else { unit })
}

/// Refuses velocities that are not finite.
pub(crate) fn check_velocity(linear: Vec3, angular: Vec3) -> Result<(), WorldError> {
    check_finite(linear, "linear velocity")?;
    check_finite(angular, "angular velocity")
}

/// Refuses a surface velocity or spin that is not finite.
pub(crate) fn check_surface(velocity: Vec3, spin: Vec3) -> Result<(), WorldError> {
    check_finite(velocity, "surface velocity")?;
    check_finite(spin, "surface spin")
}

/// Refuses a mass that is not positive and finite, or whose inverse is not.
pub(crate) fn check_mass(mass: f32) -> Result<(), WorldError> {
    let is_positive = |x: f32| 0.0 < x && x < f32::INFINITY;
    demand(is_positive(mass) && is_positive(1.0 / mass), "mass", mass)
}

/// Refuses dampings that are negative or not finite.
pub(crate) fn check_damping(linear: f32, angular: f32) -> Result<(), WorldError> {
    check_not_negative(linear, "linear damping")?;
    check_not_negative(angular, "angular damping")
}

/// Refuses a number that is negative or not finite.
pub(crate) fn check_not_negative(x: f32, what: &'static str) -> Result<(), WorldError> {
    demand(0.0 <= x && x < f32::INFINITY, what, x)
}

/// Refuses a response whose numbers are out of their range.
pub(crate) fn check_response(response: Response) -> Result<(), WorldError> {
    match response {
        Response::Knock { impulse } => check_not_negative(impulse, "impulse of a knock"),
        _ => Ok(()),
    }
}
