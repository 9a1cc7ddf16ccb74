//! Rays, and intervals of their parameter, which may begin before the origin.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.2 and 25.4 (hits behind the
//! origin).

use super::super::num::{Real, Vec3};
use super::Pose;

/// The line of all `origin + t * direction`. An [`Interval`] of t selects a half-line or a part.
///
/// The direction need not be a unit vector: t is in lengths of the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// The point at t = 0.
    pub origin: Vec3,
    /// The direction, of any length but zero.
    pub direction: Vec3,
}

/// A closed interval `[min, max]` of a parameter; empty if `max < min`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// Lower end.
    pub min: Real,
    /// Upper end.
    pub max: Real,
}

impl Interval {
    /// All t from 0 on.
    pub const FORWARD: Interval = Interval { min: 0.0, max: Real::INFINITY };
    /// All t.
    pub const BOTH: Interval = Interval { min: Real::NEG_INFINITY, max: Real::INFINITY };

    /// Returns the interval `[min, max]`.
    #[inline]
    pub const fn new(min: Real, max: Real) -> Interval {
        Interval { min, max }
    }

    /// Whether the number lies in the closed interval.
    #[inline]
    pub fn contains(&self, t: Real) -> bool {
        self.min <= t && t <= self.max
    }
}

impl Ray {
    /// Returns the ray from `origin` along `direction`.
    #[inline]
    pub const fn new(origin: Vec3, direction: Vec3) -> Ray {
        Ray { origin, direction }
    }

    /// Returns the point at parameter t.
    #[inline]
    pub fn at(&self, t: Real) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Returns the same ray in the frame of a body with this pose. Parameters t keep their
    /// meaning.
    #[inline]
    pub fn in_frame_of(&self, pose: &Pose) -> Ray {
        Ray {
            origin: pose.inverse_transform_point(self.origin),
            direction: pose.inverse_transform_vector(self.direction),
        }
    }
}
