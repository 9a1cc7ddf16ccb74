//! Signs of small algebraic expressions in rational numbers. Only a final result is rounded.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, volume 2, 4.5.1 (fractions).

use super::triangle::to_f64;
use glam::DVec3;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Returns the exact value of a finite number.
pub fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

/// Returns the exact value of a finite vector.
pub fn exact3(v: DVec3) -> [BigRational; 3] {
    v.to_array().map(exact)
}

/// Returns the inner product.
pub fn dot(a: &[BigRational; 3], b: &[BigRational; 3]) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// Returns the sign: -1, 0 or 1.
pub fn sign(x: &BigRational) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

/// Returns the sign of `b^2 - 4 a c`.
pub fn discriminant_sign(a: f64, b: f64, c: f64) -> i32 {
    let (a, b, c) = (exact(a), exact(b), exact(c));
    sign(&(&b * &b - exact(4.0) * a * c))
}

/// Returns the sign of `a t^2 + b t + c`.
pub fn quadratic_sign(a: f64, b: f64, c: f64, t: f64) -> i32 {
    let t = exact(t);
    sign(&((exact(a) * &t + exact(b)) * &t + exact(c)))
}

/// The intersection of the line `origin + t direction` and the plane `normal . x + offset = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinePlane {
    /// The line does not meet the plane.
    Apart,
    /// The line is in the plane.
    Within,
    /// They meet at this t, rounded.
    At(f64),
}

/// Returns the intersection of a line and a plane.
pub fn line_plane(origin: DVec3, direction: DVec3, normal: DVec3, offset: f64) -> LinePlane {
    let (o, d, n) = (exact3(origin), exact3(direction), exact3(normal));
    let (height, speed) = (dot(&n, &o) + exact(offset), dot(&n, &d));
    match (height.is_zero(), speed.is_zero()) {
        (true, true) => LinePlane::Within,
        (false, true) => LinePlane::Apart,
        _ => LinePlane::At(to_f64(&-(height / speed))),
    }
}

/// Returns the sign of the distance of a line from the surface of a ball about the origin: 0 for a
/// tangent.
pub fn line_ball_sign(origin: DVec3, direction: DVec3, radius: f64) -> i32 {
    let (o, d) = (exact3(origin), exact3(direction));
    // The least of |o + t d|^2 - r^2, times |d|^2.
    let (dd, od) = (dot(&d, &d), dot(&o, &d));
    sign(&((dot(&o, &o) - exact(radius) * exact(radius)) * dd - &od * &od))
}

/// Whether the line meets the closed box: the intervals of t of all three axes have a common
/// number.
pub fn line_meets_box(origin: DVec3, direction: DVec3, min: DVec3, max: DVec3) -> bool {
    let (mut low, mut high): (Option<BigRational>, Option<BigRational>) = (None, None);
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if origin[axis] < min[axis] || max[axis] < origin[axis] {
                return false;
            }
            continue;
        }
        let at = |plane: f64| (exact(plane) - exact(origin[axis])) / exact(direction[axis]);
        let (a, b) = (at(min[axis]), at(max[axis]));
        let (first, last) = if a < b { (a, b) } else { (b, a) };
        low = Some(low.map_or(first.clone(), |low| low.max(first)));
        high = Some(high.map_or(last.clone(), |high| high.min(last)));
    }
    low.is_none() || low <= high
}
