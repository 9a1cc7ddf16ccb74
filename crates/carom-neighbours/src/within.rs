//! The rule that decides whether two points are within a radius, and the part of it that `f32`
//! lanes can decide.
//!
//! - The rule is one expression in `f64`: (dx dx + dy dy) + dz dz <= r r. Differences of swapped
//!   points only change their sign, so the rule is symmetric to the bit.
//! - No `f32` overflows or underflows in it. A difference is exact, or off by u = 2^-53 if one
//!   coordinate is more than 2^29 times the other. So the sum is off by 3 u, or 5 u, at most.
//! - The same sum in `f32` is off by 5 u at most, with u = 2^-24, if nothing over- or underflows.
//!   Lanes decide by it outside of a band that is wider. Inside the band the rule decides.
//!
//! Reference: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, 3.1.

use carom_math::tol;
use glam::Vec3;

/// The lengths whose squares in `f32` neither overflow nor underflow near the boundary: 2^-50 to
/// 2^50.
const LANE_LENGTHS: [f64; 2] = [f64::from_bits((1023 - 50) << 52), f64::from_bits((1023 + 50) << 52)];

/// Returns whether two points are within a radius of each other: distance <= radius, in the unit of
/// the points.
///
/// This one expression in `f64` decides in every search of this crate. It is symmetric to the bit.
/// A NaN or a negative radius gives false.
#[inline]
pub fn is_within(a: Vec3, b: Vec3, radius: f32) -> bool {
    let radius = f64::from(radius);
    0.0 <= radius && distance_sq(a.to_array(), b.to_array()) <= radius * radius
}

/// The square of the distance, in `f64`.
#[inline(always)]
pub(crate) fn distance_sq(a: [f32; 3], b: [f32; 3]) -> f64 {
    let x = f64::from(a[0]) - f64::from(b[0]);
    let y = f64::from(a[1]) - f64::from(b[1]);
    let z = f64::from(a[2]) - f64::from(b[2]);
    (x * x + y * y) + z * z
}

/// The thresholds by which the square of a distance in `f32` decides a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    /// Up to this value the pair is certainly within the radius.
    pub(crate) sure: f32,
    /// Beyond here it is not, for certain.
    pub(crate) possible: f32,
}

impl Band {
    /// Returns the band for radii from `least` to `most`. All distances are in it if `f32` might
    /// over- or underflow.
    pub(crate) fn between(least: f64, most: f64) -> Band {
        let has_sure = LANE_LENGTHS[0] <= least;
        if most < LANE_LENGTHS[0] || LANE_LENGTHS[1] < most {
            return Band { sure: -1.0, possible: f32::INFINITY };
        }
        let sure = if has_sure { least * least * (1.0 - tol::NEIGHBOUR_BAND) } else { -1.0 };
        Band { sure: sure as f32, possible: (most * most * (1.0 + tol::NEIGHBOUR_BAND)) as f32 }
    }
}

#[cfg(test)]
mod tests;
