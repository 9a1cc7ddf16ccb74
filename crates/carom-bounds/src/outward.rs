//! What the volumes share to round outwards: lengths that are surely not too small, centres that
//! are surely finite.
//!
//! With u = 2^-53, a length computed in `f64` from three differences of given numbers is off by 3.5
//! u of itself: u for the differences, 1.5 u for the squares and sums under the root, u for the
//! root. [`LENGTH`] is 8 u.
//!
//! Reference: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2.2 and 3.1; D.
//! Knuth, The Art of Computer Programming, vol. 2, 4.2.2 (a sum and its error).

use carom_math::ops::sqrt;
use carom_math::rounding;
use glam::{DVec3, Vec3};

/// Relative: a length computed from three differences in `f64` is off by less than this.
pub(crate) const LENGTH: f64 = 4.0 * f64::EPSILON;

/// A length, 2^-500: more than squares and products of `f64` lose to underflow, and nothing beside
/// any `f32`.
pub(crate) const UNDERFLOW: f64 = f64::from_bits((1023 - 500) << 52);

/// A number that is not below the length of the exact difference that `v` was rounded from.
#[inline]
pub(crate) fn length_up(v: DVec3) -> f64 {
    if v == DVec3::ZERO { 0.0 } else { sqrt(v.length_squared()) * (1.0 + LENGTH) + UNDERFLOW }
}

/// The nearest finite point in `f32`.
#[inline]
pub(crate) fn nearest(v: DVec3) -> Vec3 {
    v.max(DVec3::splat(f64::from(f32::MIN))).min(DVec3::splat(f64::from(f32::MAX))).as_vec3()
}

/// A size in `f32`, where "0 times infinity" means infinite.
#[inline]
pub(crate) fn size_of(x: f64) -> f32 {
    if x.is_nan() { f32::INFINITY } else { x as f32 }
}

/// What is known of points before a volume is fitted.
pub(crate) enum Extent {
    /// There are none.
    Nothing,
    /// One is not finite, or outside what `f32` can hold.
    Beyond,
    /// All of them are numbers of `f32`, but for rounding.
    Within,
}

/// Least and greatest coordinates, and that all of them are finite.
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

/// Where points are.
pub(crate) fn extent<P: Copy + Into<DVec3>>(points: &[P]) -> Extent {
    if points.is_empty() {
        return Extent::Nothing;
    }
    let (low, high, is_finite) = range(points);
    let most = DVec3::splat(f64::from(f32::MAX));
    let is_within = is_finite && (-most).cmple(low).all() && high.cmple(most).all();
    if is_within { Extent::Within } else { Extent::Beyond }
}

/// The largest `f32` that is not above the exact sum.
#[inline]
pub(crate) fn sum_down(a: f64, b: f64) -> f32 {
    let (sum, lost) = two_sum(a, b);
    if !sum.is_finite() && a.is_finite() && b.is_finite() {
        return rounding::down(sum.clamp(f64::MIN, f64::MAX));
    }
    let below = rounding::down(sum);
    // Where the sum itself is an `f32`, what it lost decides.
    if lost < 0.0 && f64::from(below) == sum { below.next_down() } else { below }
}

/// The smallest `f32` that is not below the exact sum.
#[inline]
pub(crate) fn sum_up(a: f64, b: f64) -> f32 {
    -sum_down(-a, -b)
}

/// A sum and what it lost in rounding; of no meaning where it is infinite.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The smallest `f32` that is not below `a + b + c`, but for some units of `f64` where the sum is
/// not exact; none of them is minus infinity.
#[inline]
pub(crate) fn sum3_up(a: f64, b: f64, c: f64) -> f32 {
    let (first, lost_first) = two_sum(a, b);
    let (sum, lost_sum) = two_sum(first, c);
    if lost_first == 0.0 && lost_sum == 0.0 {
        return rounding::up(sum);
    }
    if !sum.is_finite() {
        // One of them is infinite, or the sum is beyond f64: then it is below the least f32, or
        // above the greatest.
        return if sum < 0.0 { f32::MIN } else { f32::INFINITY };
    }
    rounding::up(sum + lost_first + lost_sum + (sum.abs() + lost_first.abs() + lost_sum.abs()) * LENGTH)
}

/// [`sum_down`] on every coordinate.
#[inline]
pub(crate) fn sum_down3(a: DVec3, b: DVec3) -> Vec3 {
    Vec3::new(sum_down(a.x, b.x), sum_down(a.y, b.y), sum_down(a.z, b.z))
}

/// [`sum_up`] on every coordinate.
#[inline]
pub(crate) fn sum_up3(a: DVec3, b: DVec3) -> Vec3 {
    Vec3::new(sum_up(a.x, b.x), sum_up(a.y, b.y), sum_up(a.z, b.z))
}
