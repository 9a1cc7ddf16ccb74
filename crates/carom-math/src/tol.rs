//! Every tolerance of carom: its unit, the reason for its size, and what follows when it is met.
//!
//! Nothing here is an absolute length. Lengths come from the data: a tolerance is multiplied by the size of what
//! it is used on, and the comment says which power of the length it meets.

/// Pure number. How far a quaternion's length may be from 1 and still count as a rounded unit quaternion.
///
/// Files print rotations with few digits; 1 % lets four-digit data in and still refuses a scale. What is let in is
/// normalised in `f64`.
pub const QUATERNION_LENGTH: f64 = 1e-2;
