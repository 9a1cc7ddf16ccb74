//! How low a function can get between two times, from its values there and a bound on how it bends.
//!
//! A separation along an axis is the least of many functions, one for each pair of vertices, whose
//! second derivatives are at most kappa. Each lies above its chord less `kappa (t - t0) (t1 - t) /
//! 2`, and the least of the chords lies above the chord of the least values. So two values certify
//! all the time between them, and kinks of the separation, which are concave, only help.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Dynamic Simulation of Rigid Bodies, 1995 (bounds
//! on how fast bodies approach); R. Brent, Algorithms for Minimization without Derivatives, 1973,
//! chapter 6 (second derivative bounds).
//! Differs: of second order, for a separating axis, with rounding accounted for.

/// Rounding unit of `f64`.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// A lower bound, between two times `time` apart, of a function with the values `a` and `b` there,
/// the least of functions whose second derivatives are at most `kappa` in absolute value. NaN where
/// a number is.
#[inline]
pub(crate) fn chord_bound(a: f64, b: f64, kappa: f64, time: f64) -> f64 {
    let bend = 0.5 * kappa * time * time;
    let slack = 8.0 * UNIT * (a.abs() + b.abs() + bend);
    let difference = a - b;
    if bend <= difference.abs() {
        // It falls or rises all the way. Not so for NaN.
        return a.min(b) - slack;
    }
    let x = 0.5 + 0.5 * difference / bend;
    a - difference * x - bend * x * (1.0 - x) - slack
}
