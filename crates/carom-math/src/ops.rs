//! Square roots, rounding and trigonometry, with or without the standard library.
//!
//! Square root, floor and ceil are correctly rounded everywhere. The trigonometric functions of
//! operating systems differ in the last digit. So they come from the `libm` crate, in software,
//! with the same bits on every machine.

/// The functions that `core` does not have.
pub trait FloatOps: Copy {
    /// Correctly rounded square root.
    fn sqrt_(self) -> Self;
    /// The largest whole number that is not above.
    fn floor_(self) -> Self;
    /// The smallest whole number that is not below.
    fn ceil_(self) -> Self;
    /// Sine and cosine of an angle in radians.
    fn sin_cos_(self) -> (Self, Self);
    /// The angle in `[0, pi]` with this cosine.
    fn acos_(self) -> Self;
    /// The angle of the point (x, y) in `[-pi, pi]`; `self` is y.
    fn atan2_(self, x: Self) -> Self;
}

macro_rules! float_ops {
    ($t:ty, $sqrt:path, $floor:path, $ceil:path, $sincos:path, $acos:path, $atan2:path) => {
        impl FloatOps for $t {
            #[inline(always)]
            fn sqrt_(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            fn floor_(self) -> Self {
                $floor(self)
            }
            #[inline(always)]
            fn ceil_(self) -> Self {
                $ceil(self)
            }
            #[inline(always)]
            fn sin_cos_(self) -> (Self, Self) {
                $sincos(self)
            }
            #[inline(always)]
            fn acos_(self) -> Self {
                $acos(self)
            }
            #[inline(always)]
            fn atan2_(self, x: Self) -> Self {
                $atan2(self, x)
            }
        }
    };
}

#[cfg(feature = "std")]
float_ops!(f32, f32::sqrt, f32::floor, f32::ceil, libm::sincosf, libm::acosf, libm::atan2f);
#[cfg(feature = "std")]
float_ops!(f64, f64::sqrt, f64::floor, f64::ceil, libm::sincos, libm::acos, libm::atan2);
#[cfg(not(feature = "std"))]
float_ops!(f32, libm::sqrtf, libm::floorf, libm::ceilf, libm::sincosf, libm::acosf, libm::atan2f);
#[cfg(not(feature = "std"))]
float_ops!(f64, libm::sqrt, libm::floor, libm::ceil, libm::sincos, libm::acos, libm::atan2);

/// Correctly rounded square root.
#[inline(always)]
pub fn sqrt<T: FloatOps>(x: T) -> T {
    x.sqrt_()
}

/// The natural logarithm: the same bits on every machine.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Returns the greater of two numbers; the first if one is NaN. It is one instruction;
/// [`f64::max`] takes five in a row.
#[inline(always)]
pub fn greater(x: f64, y: f64) -> f64 {
    if x < y { y } else { x }
}

/// The largest whole number that is not above.
#[inline(always)]
pub fn floor<T: FloatOps>(x: T) -> T {
    x.floor_()
}

/// The smallest whole number that is not below.
#[inline(always)]
pub fn ceil<T: FloatOps>(x: T) -> T {
    x.ceil_()
}

/// Sine and cosine of an angle in radians.
#[inline(always)]
pub fn sin_cos<T: FloatOps>(x: T) -> (T, T) {
    x.sin_cos_()
}

/// The angle in `[0, pi]` with this cosine.
#[inline(always)]
pub fn acos<T: FloatOps>(x: T) -> T {
    x.acos_()
}

/// The angle of the point (x, y), in `[-pi, pi]`.
#[inline(always)]
pub fn atan2<T: FloatOps>(y: T, x: T) -> T {
    y.atan2_(x)
}
