//! The closest point of the surface, by steps along the gradient; the deepest of several points.
//!
//! At distance d, a step of d along the gradient ends near the surface, and the next one is far
//! shorter. At ridges the gradient is short and a step could go anywhere. The search ends there
//! and reports it.
//!
//! Reference: M. Macklin, K. Erleben, M. Mueller, N. Chentanez, S. Jeschke, Z. Corse, Local
//! Optimization for Robust Signed Distance Field Collision, PACMCGIT 3(1), 2020, section 3.

use crate::bounds::bounds;
use crate::ray::interpolated;
use crate::sample::{Sample, sample_into};
use crate::stored::Stored;
use carom_math::tol;
use glam::{DVec3, Vec3};

/// The most steps of a search.
const MAX_STEPS: u32 = 32;

/// A point of the surface near a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestSurfacePoint {
    /// The point at which the search ended.
    pub point: DVec3,
    /// Whether the search ended where the interpolated distance is 0. Otherwise it ended at a
    /// ridge, beyond the band, or after too many steps.
    pub is_on_surface: bool,
    /// An upper bound on the distance from the point to the surface; infinite if nothing is known.
    pub error: f64,
}

/// See [`Field::closest_point`](crate::Field::closest_point).
pub(crate) fn closest_point(field: &impl Stored, point: DVec3) -> ClosestSurfacePoint {
    let grid = field.header().grid;
    let size = f64::from(grid.cell());
    let (min, max) = grid.wide_bounds();
    if !point.is_finite() {
        return ClosestSurfacePoint { point, is_on_surface: false, error: f64::INFINITY };
    }
    let mut point = point.clamp(min, max);
    let mut is_on_surface = false;
    for _ in 0..MAX_STEPS {
        let cell = grid.cell_of(point);
        let position = (point - grid.node(cell)) / size;
        let (value, slope) = interpolated(&field.values_of_cell(cell), position);
        if value.abs() <= tol::FIELD_SURFACE * size {
            is_on_surface = true;
            break;
        }
        let slope = slope / size;
        let slope_sq = slope.length_squared();
        // A ridge, or beyond the band.
        if !(tol::FIELD_SLOPE_SQ < slope_sq) {
            break;
        }
        let next = (point - slope * (value / slope_sq)).clamp(min, max);
        if next == point {
            break;
        }
        point = next;
    }
    let found = bounds(field, point);
    ClosestSurfacePoint { point, is_on_surface, error: found.greatest.max(-found.least) }
}

/// See [`Field::deepest`](crate::Field::deepest).
pub(crate) fn deepest(field: &impl Stored, points: &[Vec3]) -> Option<(usize, Sample)> {
    let mut best: Option<(usize, Sample)> = None;
    let mut samples = [Sample::default(); 64];
    for (first, chunk) in (0..).step_by(samples.len()).zip(points.chunks(samples.len())) {
        sample_into(field, chunk, &mut samples[..chunk.len()]);
        for (index, sample) in (first..).zip(&samples[..chunk.len()]) {
            if best.is_none_or(|(_, least)| sample.distance < least.distance) {
                best = Some((index, *sample));
            }
        }
    }
    best
}
