//! The rule for whether two points are within a radius, and the part of it that `f32` lanes can
//! decide.
//!
//! - The rule is one expression in `f64`: (dx dx + dy dy) + dz dz <= r r. Differences of swapped
//!   points only change their sign, so the rule is symmetric to the bit.
//! - Neither large nor small `f32` overflow or underflow in it. A difference is exact, or off by u
//!   = 2^-53 if one coordinate is more than 2^29 times the other. So the sum is off by at most 3
//!   u, or 5 u.
//! - The same sum in `f32` is off by at most 5 u, with u = 2^-24, if nothing overflows or
//!   underflows. Outside of a wider band lanes decide by this sum. Inside the band the rule
//!   decides.
//!
//! Reference: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, 3.1.

use carom_math::tol;
use glam::Vec3;

/// The lengths whose squares in `f32` neither overflow nor underflow near the boundary: 2^-50 to
/// 2^50.
const LANE_LENGTHS: [f64; 2] = [f64::from_bits((1023 - 50) << 52), f64::from_bits((1023 + 50) << 52)];

/// Returns whether two points are within a radius of each other: distance <= radius, in the unit
/// of the points.
///
/// This one expression in `f64` decides in every search of this crate. It is symmetric to the bit.
/// A NaN or a negative radius gives false.
#[inline]
pub fn is_within(a: Vec3, b: Vec3, radius: f32) -> bool {
    let radius = f64::from(radius);
    0.0 <= radius && distance_sq(a.to_array(), b.to_array()) <= radius * radius
}

/// Returns the square of the distance, in `f64`.
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
    /// Up to this value the pair is within the radius.
    pub(crate) sure: f32,
    /// Beyond this value the pair is not within the radius.
    pub(crate) possible: f32,
}

impl Band {
    /// Returns the band for radii from `least` to `most`. If `f32` might overflow or underflow, it
    /// contains all distances.
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
