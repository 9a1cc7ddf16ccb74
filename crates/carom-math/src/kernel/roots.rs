//! Roots of quadratic equations, without cancellation.
//!
//! With q = -(b + sign(b) sqrt(b^2 - 4 a c)) / 2 the roots are q / a and c / q. So no nearly equal
//! numbers are subtracted, and the second root is accurate even for small a.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.19 and 25.20.
//! Differs: the discriminant has twice the digits of `f64`, so its sign is right and double roots
//! are found.

use super::super::num::{Real, real, wide};
use crate::double_double::DoubleDouble;
use crate::ops::sqrt;
use crate::scaling::scale_of;

/// The real roots of an equation in t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roots {
    /// There is no real root.
    None,
    /// There is one root, or a double root, or only one of two is in range.
    One(Real),
    /// There are two roots, the smaller first.
    Two(Real, Real),
    /// Every number is a root, because all coefficients are zero.
    All,
}

impl Roots {
    /// Returns the roots in ascending order; no numbers for [`Roots::All`].
    pub fn iter(&self) -> impl Iterator<Item = Real> + use<> {
        let both = match *self {
            Roots::None | Roots::All => [None, None],
            Roots::One(t) => [Some(t), None],
            Roots::Two(low, high) => [Some(low), Some(high)],
        };
        both.into_iter().flatten()
    }
}

/// Returns the real roots of `a t^2 + b t + c = 0`. The equation may be linear (a = 0) or
/// constant.
///
/// Roots beyond the range of numbers are left out. A coefficient that is NaN or infinite gives
/// [`Roots::None`].
pub fn quadratic(a: Real, b: Real, c: Real) -> Roots {
    let (a, b, c) = (wide(a), wide(b), wide(c));
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return Roots::None;
    }
    let scale = scale_of(a.abs().max(b.abs()).max(c.abs()));
    let (a, b, c) = (a * scale, b * scale, c * scale);
    if a == 0.0 {
        // The equation is linear or constant.
        return match (b == 0.0, c == 0.0) {
            (true, true) => Roots::All,
            (true, false) => Roots::None,
            (false, _) => one(-c / b),
        };
    }
    let product = |x: f64, y: f64| DoubleDouble::from(x) * DoubleDouble::from(y);
    let discriminant = product(b, b) - product(4.0 * a, c);
    if discriminant.is_negative() {
        return Roots::None;
    }
    let discriminant = discriminant.to_f64();
    if discriminant == 0.0 {
        // A double root.
        return one(-b / (2.0 * a));
    }
    let root = sqrt(discriminant);
    let q = if b < 0.0 { 0.5 * (root - b) } else { -0.5 * (root + b) };
    let (t, u) = (q / a, c / q);
    match (in_range(t), in_range(u)) {
        (true, true) if t < u => Roots::Two(real(t), real(u)),
        (true, true) => Roots::Two(real(u), real(t)),
        (true, false) => Roots::One(real(t)),
        (false, true) => Roots::One(real(u)),
        (false, false) => Roots::None,
    }
}

fn in_range(t: f64) -> bool {
    real(t).is_finite()
}

fn one(t: f64) -> Roots {
    if in_range(t) { Roots::One(real(t)) } else { Roots::None }
}
