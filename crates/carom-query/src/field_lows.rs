//! Local minima of a distance field over a face or an edge: the contacts of a flat side on bumps.
//!
//! - The face is sampled on a lattice, about once per cell. Regions in which the field is high are
//!   skipped. A lattice point is low if none of its eight neighbours is lower.
//! - Each edge is sampled in the same way. A point of an edge is low if the adjacent face is not
//!   lower.
//! - A parabola through three samples refines the position of a low point.
//!
//! Corners are skipped: the caller handles them. A flat surface below the face has no low points.
//!
//! Reference: M. Macklin, K. Erleben, M. Mueller, N. Chentanez, S. Jeschke, Z. Corse, Local
//! Optimization for Robust Signed Distance Field Collision, PACMCGIT 3(1), 2020 (a minimum for
//! each face).
//! Differs: all minima of a face.

use crate::field_search::MAX_SLOPE;
use carom_geom::{DistanceField, MAX_FEATURE_POINTS};
use carom_math::ops::ceil;
use carom_math::scaling::{length, unit};
use glam::{DVec2, DVec3};

/// The most steps of the lattice along an axis.
const MAX_STEPS: usize = 16;

/// The side of a patch in steps of the lattice. A patch is skipped if the field is high at its
/// centre.
const PATCH: usize = 4;

/// In cells: at least one neighbour of a low point must be higher by this.
const LEAST_RISE: f64 = 1.0 / 128.0;

/// Visits the low points over a convex polygon or a segment, in the field's frame. Their samples
/// are at most the limit.
pub(crate) fn visit_lows(
    field: &dyn DistanceField,
    corners: &[DVec3],
    limit: f64,
    mut low: impl FnMut(DVec3),
) {
    let lows = Lows { field, limit, rise: LEAST_RISE * field.resolution() };
    match corners {
        [] | [_] => {}
        [from, to] => lows.over_edge([*from, *to], DVec3::ZERO, &mut low),
        _ => {
            let n = corners.len();
            let normal = (1..n - 1).fold(DVec3::ZERO, |sum, i| {
                sum + (corners[i] - corners[0]).cross(corners[i + 1] - corners[0])
            });
            let Some(normal) = unit(normal) else { return };
            for i in 0..n {
                let [from, to] = [corners[i], corners[(i + 1) % n]];
                let inward = unit(normal.cross(to - from)).unwrap_or(DVec3::ZERO);
                lows.over_edge([from, to], inward, &mut low);
            }
            lows.over_face(corners, normal, &mut low);
        }
    }
}

struct Lows<'a> {
    field: &'a dyn DistanceField,
    limit: f64,
    rise: f64,
}

impl Lows<'_> {
    fn value(&self, position: DVec3) -> f64 {
        self.field.sample(position).map_or(f64::INFINITY, |sample| sample.distance)
    }

    fn n_steps(&self, length: f64) -> usize {
        // A NaN becomes 0.
        (ceil(length / self.field.resolution()) as usize).clamp(1, MAX_STEPS)
    }

    /// Whether no neighbour is lower, and one is higher.
    fn is_low(&self, value: f64, around: impl Iterator<Item = f64> + Clone) -> bool {
        value <= self.limit
            && around.clone().all(|other| value <= other)
            && around.into_iter().any(|other| value + self.rise < other)
    }

    fn over_edge(&self, [from, to]: [DVec3; 2], inward: DVec3, low: &mut impl FnMut(DVec3)) {
        let n = self.n_steps(length(to - from));
        let at = |i: f64| from + (to - from) * (i / n as f64);
        if self.is_far(at(0.5 * n as f64), 0.5 * length(to - from)) {
            return;
        }
        let mut values = [0.0; MAX_STEPS + 1];
        for (i, value) in values[..=n].iter_mut().enumerate() {
            *value = self.value(at(i as f64));
        }
        for i in 1..n {
            let [before, value, after] = [values[i - 1], values[i], values[i + 1]];
            if self.is_low(value, [before, after].into_iter()) {
                let position = at(i as f64 + lowest([before, value, after]));
                let beside = self.value(position + inward * self.field.resolution());
                if value <= beside + self.rise {
                    low(position);
                }
            }
        }
    }

    fn over_face(&self, corners: &[DVec3], normal: DVec3, low: &mut impl FnMut(DVec3)) {
        let Some(along) = unit(corners[1] - corners[0]) else { return };
        let across = normal.cross(along);
        let flat = |p: DVec3| DVec2::new(along.dot(p - corners[0]), across.dot(p - corners[0]));
        let mut outline = [DVec2::ZERO; MAX_FEATURE_POINTS];
        let outline = &mut outline[..corners.len().min(MAX_FEATURE_POINTS)];
        for (to, from) in outline.iter_mut().zip(corners) {
            *to = flat(*from);
        }
        let min = outline.iter().fold(DVec2::INFINITY, |min, p| min.min(*p));
        let size = outline.iter().fold(DVec2::NEG_INFINITY, |max, p| max.max(*p)) - min;
        let (nx, ny) = (self.n_steps(size.x), self.n_steps(size.y));
        let step = size / DVec2::new(nx as f64, ny as f64);
        let at = |x: f64, y: f64| {
            let position = min + step * DVec2::new(x, y);
            (corners[0] + along * position.x + across * position.y, position)
        };
        let is_in = |position: DVec2| {
            (0..outline.len()).all(|i| {
                let [from, to] = [outline[i], outline[(i + 1) % outline.len()]];
                0.0 <= (to - from).perp_dot(position - from)
            })
        };
        // Outside the face nothing is known: the field may be lower there.
        let mut values = [[f64::NEG_INFINITY; MAX_STEPS + 1]; MAX_STEPS + 1];
        for first_y in (0..=ny).step_by(PATCH) {
            for first_x in (0..=nx).step_by(PATCH) {
                let half = 0.5 * (PATCH - 1) as f64;
                let middle = at(first_x as f64 + half, first_y as f64 + half).0;
                let is_far = self.is_far(middle, step.length() * half);
                for y in first_y..(first_y + PATCH).min(ny + 1) {
                    for x in first_x..(first_x + PATCH).min(nx + 1) {
                        let (point, position) = at(x as f64, y as f64);
                        if is_in(position) {
                            values[y][x] = if is_far { f64::INFINITY } else { self.value(point) };
                        }
                    }
                }
            }
        }
        for y in 1..ny {
            for x in 1..nx {
                let around = [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
                let around = around.into_iter().map(|(i, j)| values[y + j - 1][x + i - 1]);
                if self.is_low(values[y][x], around) {
                    let dx = lowest([values[y][x - 1], values[y][x], values[y][x + 1]]);
                    let dy = lowest([values[y - 1][x], values[y][x], values[y + 1][x]]);
                    low(at(x as f64 + dx, y as f64 + dy).0);
                }
            }
        }
    }

    /// Whether no sample within this distance of a position is as low as the limit.
    fn is_far(&self, position: DVec3, reach: f64) -> bool {
        self.field.sample(position).is_some_and(|sample| self.limit < sample.distance - MAX_SLOPE * reach)
    }
}

/// Returns the position of the minimum of a parabola from its values at -1, 0 and 1. The value at 0
/// is the least.
fn lowest([before, here, after]: [f64; 3]) -> f64 {
    let bend = before - 2.0 * here + after;
    if bend.is_finite() && 0.0 < bend { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}
