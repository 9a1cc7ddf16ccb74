//! Checks of the state of a character when it is read.

use crate::settings::CharacterSettings;
use carom_math::{WidePose, tol};
use glam::DVec3;
use serde::de::{Deserialize, Deserializer, Error};

/// Reads a vector. Infinity and NaN are errors.
pub(crate) fn finite<'de, D: Deserializer<'de>>(from: D) -> Result<DVec3, D::Error> {
    let read = DVec3::deserialize(from)?;
    if read.is_finite() { Ok(read) } else { Err(D::Error::custom("a vector is not finite")) }
}

/// Reads a vector of length 1.
pub(crate) fn unit<'de, D: Deserializer<'de>>(from: D) -> Result<DVec3, D::Error> {
    let read = DVec3::deserialize(from)?;
    let is_unit = (read.length_squared() - 1.0).abs() <= tol::CHARACTER_SAME;
    if is_unit { Ok(read) } else { Err(D::Error::custom("a direction does not have length 1")) }
}

/// Reads the pose of the ground. Infinity, NaN, and a matrix that is no rotation, are errors.
pub(crate) fn pose<'de, D: Deserializer<'de>>(from: D) -> Result<WidePose, D::Error> {
    let read = WidePose::deserialize(from)?;
    if !(read.rotation.is_finite() && read.translation.is_finite()) {
        return Err(D::Error::custom("a pose is not finite"));
    }
    let [x, y, z] = [read.rotation.x_axis, read.rotation.y_axis, read.rotation.z_axis];
    let off = [x.cross(y) - z, y.cross(z) - x, z.cross(x) - y];
    let is_rotation =
        off.iter().all(|off| off.abs().max_element() <= tol::CHARACTER_SAME) && x != DVec3::ZERO;
    if is_rotation { Ok(read) } else { Err(D::Error::custom("a pose has no rotation matrix")) }
}

/// Reads settings. The first one out of its range is an error.
pub(crate) fn settings<'de, D: Deserializer<'de>>(from: D) -> Result<CharacterSettings, D::Error> {
    let read = CharacterSettings::deserialize(from)?;
    read.check().map_err(D::Error::custom)?;
    Ok(read)
}
