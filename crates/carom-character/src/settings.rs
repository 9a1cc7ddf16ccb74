//! Settings of a character: lengths in the unit of the level (defaults are for metres), times in
//! seconds, angles in radians.

use carom_math::ops;
use core::fmt;

/// Settings of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterSettings {
    /// The distance that the figure keeps from everything, a length above 0. Default: 0.005.
    pub skin: f64,
    /// The largest height of a step above the ground, a length; 0 for no steps. Default: 0.4.
    pub step_height: f64,
    /// The steepest slope to walk on, in radians from 0 to a right angle. Steeper ones are walls,
    /// and so are vertical ones. Default: 50 degrees.
    pub slope_limit: f64,
    /// The largest drop of the ground that the figure follows down, a length, not negative.
    /// Default: 0.4.
    pub snap_distance: f64,
    /// The gravity, length per second squared, against the up direction, not negative. The gravity
    /// and the force fields of a `World` do not act on a character: see `CharacterBody`. Default:
    /// 9.81.
    pub gravity: f64,
    /// The largest speed of a fall, length per second, not negative. Default: 60.
    pub max_fall_speed: f64,
    /// The acceleration toward the wish in the air, length per second squared; 0 for none.
    /// Default: 8.
    pub air_acceleration: f64,
    /// The largest distance by which a figure that starts in an obstacle is moved to the nearest
    /// free position, a length, not negative. Its middle does not pass into an obstacle on the
    /// way. Default: 2.
    pub max_push_out: f64,
    /// The mass of the character for pushes, in kilograms, not negative. Default: 80.
    pub mass: f64,
    /// The largest force of its pushes, mass times length per second squared (newtons), not
    /// negative. Default: 600.
    pub max_push: f64,
}

impl Default for CharacterSettings {
    fn default() -> CharacterSettings {
        CharacterSettings {
            skin: 0.005,
            step_height: 0.4,
            slope_limit: core::f64::consts::PI * (50.0 / 180.0),
            snap_distance: 0.4,
            gravity: 9.81,
            max_fall_speed: 60.0,
            air_acceleration: 8.0,
            max_push_out: 2.0,
            mass: 80.0,
            max_push: 600.0,
        }
    }
}

/// The name of a setting that is not finite, negative, or out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsError(pub &'static str);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is out of its range", self.0)
    }
}

impl core::error::Error for SettingsError {}

impl CharacterSettings {
    /// Returns these settings with another skin.
    #[must_use]
    pub fn with_skin(self, skin: f64) -> CharacterSettings {
        CharacterSettings { skin, ..self }
    }

    /// Returns these settings with another height of steps.
    #[must_use]
    pub fn with_step_height(self, step_height: f64) -> CharacterSettings {
        CharacterSettings { step_height, ..self }
    }

    /// Returns these settings with another steepest slope, in radians.
    #[must_use]
    pub fn with_slope_limit(self, slope_limit: f64) -> CharacterSettings {
        CharacterSettings { slope_limit, ..self }
    }

    /// Returns these settings with another snap distance.
    #[must_use]
    pub fn with_snap_distance(self, snap_distance: f64) -> CharacterSettings {
        CharacterSettings { snap_distance, ..self }
    }

    /// Returns these settings with another gravity.
    #[must_use]
    pub fn with_gravity(self, gravity: f64) -> CharacterSettings {
        CharacterSettings { gravity, ..self }
    }

    /// Returns these settings with another largest speed of a fall.
    #[must_use]
    pub fn with_max_fall_speed(self, max_fall_speed: f64) -> CharacterSettings {
        CharacterSettings { max_fall_speed, ..self }
    }

    /// Returns these settings with another acceleration in the air.
    #[must_use]
    pub fn with_air_acceleration(self, air_acceleration: f64) -> CharacterSettings {
        CharacterSettings { air_acceleration, ..self }
    }

    /// Returns these settings with another largest distance out of an obstacle.
    #[must_use]
    pub fn with_max_push_out(self, max_push_out: f64) -> CharacterSettings {
        CharacterSettings { max_push_out, ..self }
    }

    /// Returns these settings with another mass and largest force of pushes.
    #[must_use]
    pub fn with_push(self, mass: f64, max_push: f64) -> CharacterSettings {
        CharacterSettings { mass, max_push, ..self }
    }

    /// Returns the cosine of the steepest slope, less a tolerance. It is above 0, because a
    /// vertical wall is no slope.
    pub(crate) fn least_up(&self) -> f64 {
        let tolerance = carom_math::tol::CHARACTER_SLOPE;
        (ops::sin_cos(self.slope_limit).1 - tolerance).max(tolerance)
    }

    /// Checks that every number is in its range.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let not_negative = [
            ("step_height", self.step_height),
            ("slope_limit", self.slope_limit),
            ("snap_distance", self.snap_distance),
            ("gravity", self.gravity),
            ("max_fall_speed", self.max_fall_speed),
            ("air_acceleration", self.air_acceleration),
            ("max_push_out", self.max_push_out),
            ("mass", self.mass),
            ("max_push", self.max_push),
        ];
        if !(0.0 < self.skin && self.skin.is_finite()) {
            return Err(SettingsError("skin"));
        }
        if let Some((name, _)) = not_negative.iter().find(|(_, x)| !(0.0 <= *x && x.is_finite())) {
            return Err(SettingsError(name));
        }
        if core::f64::consts::FRAC_PI_2 < self.slope_limit {
            return Err(SettingsError("slope_limit"));
        }
        Ok(())
    }
}
