//! Rays with an interval of the parameter, which may start behind the origin.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.2 and 25.4 (hits behind the
//! origin).

use super::super::num::{Real, Vec3};
use super::Pose;

/// The half-line, or the line, of all `origin + t * direction`.
///
/// The direction need not be a unit vector: t counts in lengths of the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// The point at t = 0.
    pub origin: Vec3,
    /// Not zero; any length.
    pub direction: Vec3,
}

/// A closed interval `[min, max]` of a parameter; empty when `max < min`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// Lower end.
    pub min: Real,
    /// Upper end.
    pub max: Real,
}

impl Interval {
    /// From the origin forward, without end.
    pub const FORWARD: Interval = Interval { min: 0.0, max: Real::INFINITY };
    /// Both sides of the origin, without end.
    pub const BOTH: Interval = Interval { min: Real::NEG_INFINITY, max: Real::INFINITY };

    /// The interval `[min, max]`.
    #[inline]
    pub const fn new(min: Real, max: Real) -> Interval {
        Interval { min, max }
    }

    /// The number lies in the closed interval.
    #[inline]
    pub fn contains(&self, t: Real) -> bool {
        self.min <= t && t <= self.max
    }
}

impl Ray {
    /// The ray from `origin` along `direction`.
    #[inline]
    pub const fn new(origin: Vec3, direction: Vec3) -> Ray {
        Ray { origin, direction }
    }

    /// The point at parameter t.
    #[inline]
    pub fn at(&self, t: Real) -> Vec3 {
        self.origin + self.direction * t
    }

    /// The same ray in the frame of a body placed by `pose`: t means the same.
    #[inline]
    pub fn in_frame_of(&self, pose: &Pose) -> Ray {
        Ray {
            origin: pose.inverse_transform_point(self.origin),
            direction: pose.inverse_transform_vector(self.direction),
        }
    }
}
