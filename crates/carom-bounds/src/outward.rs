//! Outward rounding for all volumes: lengths that are not too small, centres that are finite.
//!
//! Let u = 2^-53. A length in `f64` from three differences of given numbers has a relative error
//! of 3.5 u. It is u for the differences, 1.5 u for the squares and sums, and u for the root.
//! [`LENGTH`] is 8 u.
//!
//! Reference: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2.2 and 3.1; D.
//! Knuth, The Art of Computer Programming, vol. 2, 4.2.2 (a sum and its error).

use carom_math::ops::sqrt;
use carom_math::rounding;
use glam::{DVec3, Vec3};

/// The relative rounding error of a length from three differences in `f64` is less than this.
pub(crate) const LENGTH: f64 = 4.0 * f64::EPSILON;

/// A length, 2^-500. It is more than squares and products of `f64` lose to underflow, and
/// negligible beside any `f32`.
pub(crate) const UNDERFLOW: f64 = f64::from_bits((1023 - 500) << 52);

/// Returns an upper bound of the length of the exact difference that rounds to `v`.
#[inline]
pub(crate) fn length_up(v: DVec3) -> f64 {
    if v == DVec3::ZERO { 0.0 } else { sqrt(v.length_squared()) * (1.0 + LENGTH) + UNDERFLOW }
}

/// Returns the nearest finite point in `f32`.
#[inline]
pub(crate) fn nearest(v: DVec3) -> Vec3 {
    v.max(DVec3::splat(f64::from(f32::MIN))).min(DVec3::splat(f64::from(f32::MAX))).as_vec3()
}

/// Returns a size in `f32`. NaN, from 0 times infinity, becomes infinite.
#[inline]
pub(crate) fn size_of(x: f64) -> f32 {
    if x.is_nan() { f32::INFINITY } else { x as f32 }
}

/// The range class of points before a fit.
pub(crate) enum Extent {
    /// There are none.
    Nothing,
    /// One is not finite, or outside what `f32` can hold.
    Beyond,
    /// All of them are in the range of `f32`, up to rounding.
    Within,
}

/// Returns the minimum, the maximum, and whether all coordinates are finite.
pub(crate) fn range<P: Copy + Into<DVec3>>(points: &[P]) -> (DVec3, DVec3, bool) {
    let (mut low, mut high, mut is_finite) = (DVec3::INFINITY, DVec3::NEG_INFINITY, true);
    for &p in points {
        let p: DVec3 = p.into();
        is_finite &= p.is_finite();
        low = low.min(p);
        high = high.max(p);
    }
    (low, high, is_finite)
}

/// Returns the range class of points.
pub(crate) fn extent<P: Copy + Into<DVec3>>(points: &[P]) -> Extent {
    if points.is_empty() {
        return Extent::Nothing;
    }
    let (low, high, is_finite) = range(points);
    let most = DVec3::splat(f64::from(f32::MAX));
    let is_within = is_finite && (-most).cmple(low).all() && high.cmple(most).all();
    if is_within { Extent::Within } else { Extent::Beyond }
}

/// Returns the largest `f32` that is not above the exact sum.
#[inline]
pub(crate) fn sum_down(a: f64, b: f64) -> f32 {
    let (sum, lost) = two_sum(a, b);
    if !sum.is_finite() && a.is_finite() && b.is_finite() {
        return rounding::down(sum.clamp(f64::MIN, f64::MAX));
    }
    let below = rounding::down(sum);
    // If the sum itself is an `f32`, its rounding error decides.
    if lost < 0.0 && f64::from(below) == sum { below.next_down() } else { below }
}

/// Returns the smallest `f32` that is not below the exact sum.
#[inline]
pub(crate) fn sum_up(a: f64, b: f64) -> f32 {
    -sum_down(-a, -b)
}

/// Returns a sum and its rounding error, which has no meaning if the sum is infinite.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Returns the smallest `f32` that is not below `a + b + c`. If the sum is not exact, it is
/// correct up to some units of `f64`. No argument is minus infinity.
#[inline]
pub(crate) fn sum3_up(a: f64, b: f64, c: f64) -> f32 {
    let (first, lost_first) = two_sum(a, b);
    let (sum, lost_sum) = two_sum(first, c);
    if lost_first == 0.0 && lost_sum == 0.0 {
        return rounding::up(sum);
    }
    if !sum.is_finite() {
        // An argument is infinite, or the sum overflows f64. Then it is below the minimum f32, or
        // above the maximum.
        return if sum < 0.0 { f32::MIN } else { f32::INFINITY };
    }
    rounding::up(sum + lost_first + lost_sum + (sum.abs() + lost_first.abs() + lost_sum.abs()) * LENGTH)
}

/// Returns [`sum_down`] on every coordinate.
#[inline]
pub(crate) fn sum_down3(a: DVec3, b: DVec3) -> Vec3 {
    Vec3::new(sum_down(a.x, b.x), sum_down(a.y, b.y), sum_down(a.z, b.z))
}

/// Returns [`sum_up`] on every coordinate.
#[inline]
pub(crate) fn sum_up3(a: DVec3, b: DVec3) -> Vec3 {
    Vec3::new(sum_up(a.x, b.x), sum_up(a.y, b.y), sum_up(a.z, b.z))
}
