//! The nearest point of a circle to another shape: branch and bound over arcs.
//!
//! A torus is a ball swept along a circle. So its distance from a shape is that of the circle, less
//! the radius of the ball: a search in one angle instead of in space.
//!
//! Let d be the distance of the shape from the middle of an arc of half angle h, and g its gradient
//! there. The ends of the arc lie R sin h along the tangent and u = R (1 - cos h) towards the
//! centre. If d bends downwards by at most c, then on the arc it is at least
//!
//! `d - |g . tangent| R sin h + min(0, (g . inwards - c R) u)`
//!
//! For a convex shape c is 0. The loss is of second order in h at a minimum, so few arcs remain.
//!
//! Reference: R. Moore, R. Kearfott, M. Cloud, Introduction to Interval Analysis, 2009, 11.2
//! (branch and bound); D. Eberly, Distance to Circles in 3D, Geometric Tools, 2019 (two circles).

use crate::field_search::TargetSample;
use carom_math::ops::sin_cos;
use core::f64::consts::TAU;
use glam::DVec3;

/// Arcs at the start.
const N_ARCS: u32 = 8;

/// The most arcs that are searched at a time. This many are left only if the shape is equally near
/// everywhere, like a coaxial disc.
const MAX_ARCS: usize = 256;

/// In radians: arcs with a smaller half angle are not halved. 2^-26, at which the second order of
/// the angle is lost in rounding.
const SMALLEST_ARC: f64 = 1.0 / (1 << 26) as f64;

/// Steps from the best point of the arcs to the minimum.
const N_STEPS: u32 = 16;

/// The shape seen from a point of the circle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingSample {
    pub(crate) target: TargetSample,
    /// The distance of the point from the axis of the shape, if the shape is a circle. The distance
    /// from a circle bends downwards by the reciprocal. Infinite for a convex shape, 0 if nothing
    /// is known.
    pub(crate) axis_distance: f64,
}

/// The nearest point of the circle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnRing {
    pub(crate) position: DVec3,
    pub(crate) target: TargetSample,
    /// A lower bound of the distance of the whole circle.
    pub(crate) at_least: f64,
}

/// Returns the nearest point of the circle with this radius around y, to within the tolerance, a
/// length. `sample_at` samples the shape at a point.
pub(crate) fn nearest_on_ring(
    radius: f64,
    tolerance: f64,
    sample_at: impl FnMut(DVec3) -> RingSample,
) -> OnRing {
    let mut search = Search { radius, sample_at, best: None };
    let mut half = 0.5 * TAU / f64::from(N_ARCS);
    let mut arcs = [(0.0, f64::NEG_INFINITY); MAX_ARCS];
    let mut n_arcs = N_ARCS as usize;
    for (k, arc) in (0..N_ARCS).zip(&mut arcs) {
        arc.0 = f64::from(2 * k) * half;
    }
    // A lower bound of the distances in skipped arcs.
    let mut at_least = f64::INFINITY;
    while 0 < n_arcs && SMALLEST_ARC < half {
        for (angle, known) in &mut arcs[..n_arcs] {
            *known = known.max(search.floor(*angle, half));
        }
        let mut n_kept = 0;
        for k in 0..n_arcs {
            if search.least() - tolerance <= arcs[k].1 {
                at_least = at_least.min(arcs[k].1);
            } else {
                arcs[n_kept] = arcs[k];
                n_kept += 1;
            }
        }
        n_arcs = n_kept;
        if MAX_ARCS < 2 * n_kept {
            break;
        }
        half *= 0.5;
        for k in (0..n_kept).rev() {
            let (angle, known) = arcs[k];
            (arcs[2 * k], arcs[2 * k + 1]) = ((angle - half, known), (angle + half, known));
        }
        n_arcs = 2 * n_kept;
    }
    let at_least = arcs[..n_arcs].iter().fold(at_least, |least, arc| least.min(arc.1));
    search.polish();
    let (_, position, target) = search.best.unwrap_or((0.0, DVec3::X * radius, TargetSample::NOWHERE));
    OnRing { position, target, at_least: at_least.min(target.distance) }
}

struct Search<F> {
    radius: f64,
    sample_at: F,
    /// Angle, position, and the shape as seen from there.
    best: Option<(f64, DVec3, TargetSample)>,
}

impl<F: FnMut(DVec3) -> RingSample> Search<F> {
    /// Returns the direction from the centre to the point at an angle, and the tangent.
    fn frame(angle: f64) -> (DVec3, DVec3) {
        let (sine, cosine) = sin_cos(angle);
        (DVec3::new(cosine, 0.0, sine), DVec3::new(-sine, 0.0, cosine))
    }

    fn least(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |(.., target)| target.distance)
    }

    fn sample(&mut self, angle: f64) -> RingSample {
        let position = Self::frame(angle).0 * self.radius;
        let found = (self.sample_at)(position);
        if found.target.distance < self.least() {
            self.best = Some((angle, position, found.target));
        }
        found
    }

    /// Evaluates the middle of an arc. Returns a lower bound of the distances on it.
    fn floor(&mut self, angle: f64, half: f64) -> f64 {
        let RingSample { target, axis_distance } = self.sample(angle);
        let (out, tangent) = Self::frame(angle);
        let (sine, cosine) = sin_cos(half);
        let chord = 2.0 * self.radius * sin_cos(0.5 * half).0;
        // A bound on the whole arc; negative or infinite if the arc may meet the axis.
        let bend = 1.0 / (axis_distance - chord);
        let mut floor = target.distance - chord;
        if 0.0 <= bend && bend < f64::INFINITY {
            let inwards = (-target.away.dot(out) - bend * self.radius) * self.radius * (1.0 - cosine);
            let along = target.away.dot(tangent).abs() * self.radius * sine;
            floor = floor.max(target.distance - along + inwards.min(0.0));
        }
        floor - 8.0 * f64::EPSILON * (self.radius + target.distance.abs())
    }

    /// Moves the best point to the angle at which the distance does not change along the circle,
    /// by the method of false position.
    fn polish(&mut self) {
        let Some((angle, ..)) = self.best else { return };
        let slope =
            |search: &mut Self, angle: f64| search.sample(angle).target.away.dot(Self::frame(angle).1);
        // In a minimum the slope goes from negative to positive.
        let mut step = TAU / MAX_ARCS as f64;
        let (mut low, mut high) = (angle - step, angle + step);
        let (mut slope_low, mut slope_high) = (slope(self, low), slope(self, high));
        for _ in 0..N_STEPS {
            if slope_low <= 0.0 && 0.0 <= slope_high {
                break;
            }
            step *= 2.0;
            if 0.0 < slope_low {
                low -= step;
                slope_low = slope(self, low);
            } else {
                high += step;
                slope_high = slope(self, high);
            }
        }
        for _ in 0..N_STEPS {
            // False for NaN and for a bracket without a change of sign.
            if !(slope_low < 0.0 && 0.0 < slope_high) {
                return;
            }
            let middle = (low * slope_high - high * slope_low) / (slope_high - slope_low);
            let found = slope(self, middle);
            if found < 0.0 {
                (low, slope_low, slope_high) = (middle, found, 0.5 * slope_high);
            } else {
                (high, slope_high, slope_low) = (middle, found, 0.5 * slope_low);
            }
        }
    }
}
