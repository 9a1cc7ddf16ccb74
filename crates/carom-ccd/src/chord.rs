//! A lower bound of a function between two times, from its values there and a bound on its second
//! derivative.
//!
//! A separation along an axis is the least of many functions, one for each pair of vertices. Their
//! second derivatives are at most kappa. Each lies above its chord minus
//! `kappa (t - t0) (t1 - t) / 2`. The least of the chords lies above the chord of the least values.
//! So two values certify all times between them. Kinks of the separation are concave, so they only
//! help.
//!
//! Reference: B. Mirtich, J. Canny, Impulse-based Dynamic Simulation of Rigid Bodies, 1995 (bounds
//! on how fast bodies approach); R. Brent, Algorithms for Minimization without Derivatives, 1973,
//! chapter 6 (second derivative bounds).
//! Differs: of second order, for a separating axis, with rounding accounted for.

/// The rounding unit of `f64`.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// Returns a lower bound of a function between two times that are `time` apart. `a` and `b` are its
/// values there. The function is the least of functions with second derivatives of at most `kappa`.
/// NaN if a number is NaN.
#[inline]
pub(crate) fn chord_bound(a: f64, b: f64, kappa: f64, time: f64) -> f64 {
    let bend = 0.5 * kappa * time * time;
    let slack = 8.0 * UNIT * (a.abs() + b.abs() + bend);
    let difference = a - b;
    if bend <= difference.abs() {
        // The function falls or rises all the way. False for NaN.
        return a.min(b) - slack;
    }
    let x = 0.5 + 0.5 * difference / bend;
    a - difference * x - bend * x * (1.0 - x) - slack
}
