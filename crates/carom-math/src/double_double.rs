//! Double-double numbers of 106 bits, the unevaluated sum of two `f64`, for quotients that `f64`
//! cannot compute well.
//!
//! Closest-point computations of nearly parallel edges and slivers lose up to three quarters of
//! the digits of an `f64`. Double-double numbers keep enough. Differences of `f64` are exact. Sums
//! and products have a relative error below 2^-102, unless they overflow or underflow: scale
//! first.
//!
//! Reference: T. J. Dekker, A Floating-Point Technique for Extending the Available Precision,
//! Numerische Mathematik 18, 1971; M. Joldes, J.-M. Muller, V. Popescu, Tight and Rigorous Error
//! Bounds for Basic Building Blocks of Double-Word Arithmetic, ACM TOMS 44(2), 2017, algorithms 6,
//! 12 (without FMA) and 17.

use core::ops::{Add, Div, Mul, Neg, Sub};
use glam::DVec3;

/// `high + low`, where `high` is the sum rounded to `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct DoubleDouble {
    /// The number, rounded to `f64`.
    pub high: f64,
    /// The rounding error of `high`.
    pub low: f64,
}

/// Returns `a + b` rounded, and the error.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Like [`two_sum`], for `|b| <= |a|`.
#[inline]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Returns `a * b` rounded, and the error, by splitting both into halves of 26 bits.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let split = |x: f64| {
        let c = SPLITTER * x;
        let high = c - (c - x);
        (high, x - high)
    };
    let product = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    (product, al * bl - (((product - ah * bh) - al * bh) - ah * bl))
}

impl DoubleDouble {
    /// Zero.
    pub const ZERO: DoubleDouble = DoubleDouble { high: 0.0, low: 0.0 };

    /// Returns `a - b`, exact.
    #[inline]
    pub fn difference(a: f64, b: f64) -> DoubleDouble {
        let (high, low) = two_sum(a, -b);
        DoubleDouble { high, low }
    }

    /// Returns the number rounded to `f64`.
    #[inline]
    pub fn to_f64(self) -> f64 {
        self.high
    }

    /// Whether the number is below zero.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.high < 0.0
    }

    /// Clamps to [0, 1]; NaN gives 0.
    #[inline]
    pub fn clamp_unit(self) -> DoubleDouble {
        if !(self.high > 0.0) {
            DoubleDouble::ZERO
        } else if (DoubleDouble::from(1.0) - self).is_negative() {
            DoubleDouble::from(1.0)
        } else {
            self
        }
    }
}

impl From<f64> for DoubleDouble {
    #[inline]
    fn from(high: f64) -> DoubleDouble {
        DoubleDouble { high, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = DoubleDouble;
    #[inline]
    fn neg(self) -> DoubleDouble {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;
    #[inline]
    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let (high, low) = two_sum(self.high, other.high);
        let (mid, rest) = two_sum(self.low, other.low);
        let (high, low) = fast_two_sum(high, low + mid);
        let (high, low) = fast_two_sum(high, rest + low);
        DoubleDouble { high, low }
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;
    #[inline]
    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;
    #[inline]
    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let (high, low) = two_product(self.high, other.high);
        let (high, low) = fast_two_sum(high, low + (self.high * other.low + self.low * other.high));
        DoubleDouble { high, low }
    }
}

impl Div for DoubleDouble {
    type Output = DoubleDouble;
    /// Returns the quotient; not finite if the divisor is zero.
    #[inline]
    fn div(self, other: DoubleDouble) -> DoubleDouble {
        let first = self.high / other.high;
        let rest = self - other * DoubleDouble::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * DoubleDouble::from(second);
        let (high, low) = fast_two_sum(first, second);
        DoubleDouble { high, low } + DoubleDouble::from(rest.high / other.high)
    }
}

/// A vector of three [`DoubleDouble`]s.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct DoubleDoubleVec3 {
    /// First coordinate.
    pub x: DoubleDouble,
    /// Second coordinate.
    pub y: DoubleDouble,
    /// Third coordinate.
    pub z: DoubleDouble,
}

impl DoubleDoubleVec3 {
    /// Returns `a - b`, exact.
    #[inline]
    pub fn difference(a: DVec3, b: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 {
            x: DoubleDouble::difference(a.x, b.x),
            y: DoubleDouble::difference(a.y, b.y),
            z: DoubleDouble::difference(a.z, b.z),
        }
    }

    /// Returns the inner product.
    #[inline]
    pub fn dot(self, other: DoubleDoubleVec3) -> DoubleDouble {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the vector product.
    #[inline]
    pub fn cross(self, other: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Scales by a power of two: exact without overflow and underflow.
    #[inline]
    pub fn scaled(self, power_of_two: f64) -> DoubleDoubleVec3 {
        let scaled =
            |x: DoubleDouble| DoubleDouble { high: x.high * power_of_two, low: x.low * power_of_two };
        DoubleDoubleVec3 { x: scaled(self.x), y: scaled(self.y), z: scaled(self.z) }
    }

    /// Returns the vector rounded to `f64`.
    #[inline]
    pub fn to_dvec3(self) -> DVec3 {
        DVec3::new(self.x.high, self.y.high, self.z.high)
    }
}

impl From<DVec3> for DoubleDoubleVec3 {
    #[inline]
    fn from(v: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 { x: v.x.into(), y: v.y.into(), z: v.z.into() }
    }
}

impl Add for DoubleDoubleVec3 {
    type Output = DoubleDoubleVec3;
    #[inline]
    fn add(self, other: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for DoubleDoubleVec3 {
    type Output = DoubleDoubleVec3;
    #[inline]
    fn sub(self, other: DoubleDoubleVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<DoubleDouble> for DoubleDoubleVec3 {
    type Output = DoubleDoubleVec3;
    #[inline]
    fn mul(self, factor: DoubleDouble) -> DoubleDoubleVec3 {
        DoubleDoubleVec3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}
