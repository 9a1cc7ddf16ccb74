//! Every tolerance of carom: its unit, the reason for its size, and what follows when it is met.
//!
//! Nothing here is an absolute length. Lengths come from the data: a tolerance is multiplied by the size of what
//! it is used on, and the comment says which power of the length it meets.

/// Pure number. How far a quaternion's length may be from 1 and still count as a rounded unit quaternion.
///
/// Files print rotations with few digits; 1 % lets four-digit data in and still refuses a scale. What is let in is
/// normalised in `f64`.
pub const QUATERNION_LENGTH: f64 = 1e-2;

/// A length. No shape has a coordinate or a size beyond it, in absolute value: 2^150, about 1.4e45.
///
/// Beyond any `f32`. In `f64` it keeps products of six lengths finite, so that no query overflows into NaN.
pub const MAX_LENGTH: f64 = f64::from_bits((1023 + 150) << 52);

/// A length. A radius or half extent is zero or at least this: 2^-149, the least positive `f32`.
///
/// In `f64` it keeps quotients of lengths finite.
pub const MIN_LENGTH: f64 = f64::from_bits((1023 - 149) << 52);

/// Pure number, the sine of an angle (about 6 degrees). A face counts as resting on a plane when its normal is
/// within this angle of the plane's, an edge when it is within this angle of the plane itself.
///
/// Smaller, and a slightly tilted box stands on an edge instead of on its face; larger, and crossing edges are
/// clipped as faces, with contact points off the contact.
pub const FEATURE_SINE: f64 = 0.1;
