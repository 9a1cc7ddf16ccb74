//! Square roots, rounding and trigonometry, with or without the standard library.
//!
//! Square root, floor and ceil are correctly rounded everywhere. The trigonometric functions of
//! operating systems differ in the last digit. So they come from the `libm` crate, in software,
//! with the same bits on every machine.

/// The functions that `core` does not have.
pub trait FloatOps: Copy {
    /// Returns the correctly rounded square root.
    fn sqrt_(self) -> Self;
    /// Returns the largest whole number that is not above `self`.
    fn floor_(self) -> Self;
    /// Returns the smallest whole number that is not below `self`.
    fn ceil_(self) -> Self;
    /// Returns the sine and the cosine of an angle in radians.
    fn sin_cos_(self) -> (Self, Self);
    /// Returns the angle in `[0, pi]` with this cosine.
    fn acos_(self) -> Self;
    /// Returns the angle of the point (x, y) in `[-pi, pi]`; `self` is y.
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

/// Returns the correctly rounded square root.
#[inline(always)]
pub fn sqrt<T: FloatOps>(x: T) -> T {
    x.sqrt_()
}

/// Returns the natural logarithm, with the same bits on every machine.
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

/// Returns the largest whole number that is not above `x`.
#[inline(always)]
pub fn floor<T: FloatOps>(x: T) -> T {
    x.floor_()
}

/// Returns the smallest whole number that is not below `x`.
#[inline(always)]
pub fn ceil<T: FloatOps>(x: T) -> T {
    x.ceil_()
}

/// Returns the sine and the cosine of an angle in radians.
#[inline(always)]
pub fn sin_cos<T: FloatOps>(x: T) -> (T, T) {
    x.sin_cos_()
}

/// Returns the angle in `[0, pi]` with this cosine.
#[inline(always)]
pub fn acos<T: FloatOps>(x: T) -> T {
    x.acos_()
}

/// Returns the angle of the point (x, y), in `[-pi, pi]`.
#[inline(always)]
pub fn atan2<T: FloatOps>(y: T, x: T) -> T {
    y.atan2_(x)
}
