//! The circle that cylinders and cones share: 16 fixed directions, and the support of a disc.
//!
//! Fixed directions give a resting cylinder the same contact points, and the same ids, in every
//! frame.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.4.

use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;

/// Number of corners of the polygon that stands for a disc.
pub(crate) const N_ROUND: usize = 16;

const A: f64 = 0.923_879_532_511_286_7; // cos(pi/8)
const B: f64 = 0.382_683_432_365_089_8; // sin(pi/8)
const C: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// (x, z) of the corners on the unit circle, counter-clockwise seen from +y. The angle runs from z
/// to x.
pub(crate) const ROUND: [(f64, f64); N_ROUND] = [
    (0.0, 1.0),
    (B, A),
    (C, C),
    (A, B),
    (1.0, 0.0),
    (A, -B),
    (C, -C),
    (B, -A),
    (0.0, -1.0),
    (-B, -A),
    (-C, -C),
    (-A, -B),
    (-1.0, 0.0),
    (-A, B),
    (-C, C),
    (-B, A),
];

/// Returns the unit vector along (x, z) and its length; the vector is zero if (x, z) is zero.
#[inline]
pub(crate) fn radial(x: f64, z: f64) -> (f64, f64, f64) {
    // Scaled first, because the length and the quotient of subnormal numbers lose digits.
    let scale = scale_of(x.abs().max(z.abs()));
    let (x, z) = (x * scale, z * scale);
    let length = sqrt(x * x + z * z);
    if !(0.0 < length && length < f64::INFINITY) {
        return (0.0, 0.0, 0.0);
    }
    let inverse = 1.0 / length;
    (x * inverse, z * inverse, length / scale)
}
