//! The first point of a ray that is inside.
//!
//! Far from the surface, a step is as long as the certain distance. Near it the ray continues cell
//! by cell. The interpolated distance along it is a cubic, and its first root is the hit. A part
//! of the ray that is neither certainly free nor a hit is reported.
//!
//! Reference: J. Hart, Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of
//! Implicit Surfaces, The Visual Computer 12(10), 1996; H. Hansson Soderlund, A. Evans, T.
//! Akenine-Moller, Ray Tracing of Signed Distance Function Grids, JCGT 11(3), 2022 (the cubic of a
//! cell).
//! Differs: steps are proved, and so are misses.

use crate::bake::Accuracy;
use crate::bounds::{ROUNDING_RATIO, bounds, corner_nodes, value_bounds};
use crate::stored::Stored;
use carom_math::Ray;
use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use glam::{DVec3, UVec3};

/// A bound on the rounding of the position of a point of a ray, in cells. Coordinates are at most
/// 2^28 cells, so their rounding is at most 2^-24.
const ROUNDED_CELLS: f64 = 1.0 / (1 << 20) as f64;

/// The outcome of a ray cast.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RayOutcome {
    /// The interpolated distance becomes 0 or less.
    Hit(FieldHit),
    /// The ray certainly touches no surface.
    Miss,
    /// The interpolated distance stays positive, but the ray passes so near to a surface that it
    /// may touch it. It goes no deeper than [`Field::error_bound`](crate::Field::error_bound).
    Undecided,
}

/// The point at which a ray enters the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldHit {
    /// In lengths of the direction; 0 if the ray begins inside.
    pub t: f64,
    /// The point of the ray. If the ray begins outside, the surface is within
    /// [`Field::error_bound`](crate::Field::error_bound) of it.
    pub point: DVec3,
    /// The direction in which the distance grows, of length 1; zero if there is none.
    pub normal: DVec3,
}

/// A ray through a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldRay {
    /// The outcome.
    pub outcome: RayOutcome,
    /// The ray certainly meets no surface before this parameter; of a miss, the end of the ray.
    pub clear_until: f64,
    /// Steps taken, each of them along a certain distance or through one cell.
    pub steps: u32,
}

impl FieldRay {
    /// The hit, if there is one.
    pub fn hit(&self) -> Option<FieldHit> {
        if let RayOutcome::Hit(hit) = self.outcome { Some(hit) } else { None }
    }
}

/// See [`Field::cast_ray`](crate::Field::cast_ray).
pub(crate) fn cast_ray(field: &impl Stored, ray: &Ray, max_t: f64) -> FieldRay {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let mut cast = FieldRay { outcome: RayOutcome::Undecided, clear_until: 0.0, steps: 0 };
    if !(origin.is_finite() && direction.is_finite() && 0.0 <= max_t) {
        return cast;
    }
    let Some([start, end]) = part_in_grid(field, origin, direction, [0.0, max_t]) else {
        return FieldRay { outcome: RayOutcome::Miss, clear_until: max_t, ..cast };
    };
    let mut first_doubt = None;
    let hit = Walk::new(field, origin, direction, end).run(start, &mut first_doubt, &mut cast.steps);
    cast.clear_until = first_doubt.or(hit.map(|hit| hit.t)).unwrap_or(max_t);
    cast.outcome = match hit {
        Some(hit) => RayOutcome::Hit(hit),
        None if first_doubt.is_none() => RayOutcome::Miss,
        None => RayOutcome::Undecided,
    };
    cast
}

/// Returns the part of a range of parameters in which a line is in the grid.
pub(crate) fn part_in_grid(
    field: &impl Stored,
    origin: DVec3,
    direction: DVec3,
    [mut start, mut end]: [f64; 2],
) -> Option<[f64; 2]> {
    let (min, max) = field.header().grid.wide_bounds();
    for axis in 0..3 {
        let (from, pace) = (origin[axis], direction[axis]);
        if pace == 0.0 {
            // The ray runs along the sides.
            if from < min[axis] || max[axis] < from {
                return None;
            }
            continue;
        }
        let (low, high) = ((min[axis] - from) / pace, (max[axis] - from) / pace);
        // Slightly wider, for rounding: points outside are free, and cells are clamped to the
        // grid.
        let (low, high) = (low.min(high), low.max(high));
        start = start.max(low - ROUNDING_RATIO * low.abs());
        end = end.min(high + ROUNDING_RATIO * high.abs());
    }
    (start <= end).then_some([start, end])
}

/// A line through a field, up to a parameter.
pub(crate) struct Walk<'a, F> {
    pub(crate) field: &'a F,
    origin: DVec3,
    pub(crate) direction: DVec3,
    pub(crate) speed: f64,
    pub(crate) end: f64,
}

impl<'a, F: Stored> Walk<'a, F> {
    pub(crate) fn new(field: &'a F, origin: DVec3, direction: DVec3, end: f64) -> Walk<'a, F> {
        Walk { field, origin, direction, speed: direction.length(), end }
    }

    pub(crate) fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }

    /// Walks the ray to a hit or its end. `first_doubt` receives the first parameter at which the
    /// ray is in a cell that is not certainly free.
    fn run(&self, start: f64, first_doubt: &mut Option<f64>, steps: &mut u32) -> Option<FieldHit> {
        let grid = self.field.header().grid;
        let size = f64::from(grid.cell());
        let mut t = start;
        let mut cell = grid.cell_of(self.at(t));
        // Each step but the last few crosses a side of a cell, or half a cell at least.
        let most = 8_u64 * u64::from(grid.cells().element_sum()) + 64;
        for _ in 0..most {
            *steps += 1;
            let here = bounds(self.field, self.at(t));
            if here.is_inside() {
                return Some(self.hit(t, cell));
            }
            let clearance = here.clearance();
            if 0.5 * size < clearance {
                let free = (clearance - size * ROUNDED_CELLS) / self.speed;
                if self.end - t <= free {
                    return None;
                }
                t += free;
                cell = grid.cell_of(self.at(t));
                continue;
            }
            let ends = [cell, cell + UVec3::ONE];
            let (exit, axis) = self.exit(ends);
            let exit = exit.max(t).min(self.end);
            if let Some(hit) = self.hit_in_cell(cell, t, exit) {
                // The surface may be met before the interpolated one.
                first_doubt.get_or_insert(t);
                return Some(hit);
            }
            if first_doubt.is_none() && !self.is_free(cell, self.at(t), self.at(exit)) {
                *first_doubt = Some(t);
            }
            if self.end <= exit {
                return None;
            }
            t = exit;
            cell = self.next_cell(ends, axis, t)?;
        }
        // Only rounding can lead here: the rest of the ray is in doubt.
        first_doubt.get_or_insert(t);
        None
    }

    /// The parameter at which the ray leaves the box between two nodes, and through which axis;
    /// infinite for a ray that stands still.
    pub(crate) fn exit(&self, ends: [UVec3; 2]) -> (f64, usize) {
        let [low, high] = ends.map(|node| self.field.header().grid.node(node));
        let mut first = (f64::INFINITY, 0);
        for axis in 0..3 {
            let pace = self.direction[axis];
            if pace != 0.0 {
                let side = if 0.0 < pace { high[axis] } else { low[axis] };
                let t = (side - self.origin[axis]) / pace;
                if t < first.0 {
                    first = (t, axis);
                }
            }
        }
        first
    }

    /// The cell behind the box between two nodes, which the ray leaves through an axis; `None` at
    /// the border of the grid.
    pub(crate) fn next_cell(&self, [low, high]: [UVec3; 2], axis: usize, exit: f64) -> Option<UVec3> {
        let grid = self.field.header().grid;
        let mut cell = grid.cell_of(self.at(exit)).clamp(low, high - UVec3::ONE);
        // The index decides, as the position is rounded.
        cell[axis] = if 0.0 < self.direction[axis] { high[axis] } else { low[axis].checked_sub(1)? };
        (cell[axis] < grid.cells()[axis]).then_some(cell)
    }

    /// Whether no point between two points of a cell is on the surface: some node is farther from
    /// the surface than from both points.
    fn is_free(&self, cell: UVec3, a: DVec3, b: DVec3) -> bool {
        let header = self.field.header();
        if header.accuracy == Accuracy::Estimate {
            return false;
        }
        let slack = f64::from(header.grid.cell()) * ROUNDED_CELLS;
        let values = self.field.values_of_cell(cell);
        values.into_iter().zip(corner_nodes(cell)).any(|(value, node)| {
            let node = header.grid.node(node);
            let reach = sqrt((a - node).length_squared().max((b - node).length_squared()));
            reach + slack < value_bounds(value.abs(), f32::INFINITY)[0]
        })
    }

    /// The first point between two parameters within a cell at which the interpolated distance is
    /// not positive.
    fn hit_in_cell(&self, cell: UVec3, from: f64, to: f64) -> Option<FieldHit> {
        let values = self.field.values_of_cell(cell);
        if values.iter().all(|v| 0.0 < *v) {
            return None;
        }
        let at = |s: f64| self.value(&values, cell, from + (to - from) * s);
        let (mut low, first) = (0.0, at(0.0));
        if first <= 0.0 {
            return Some(self.hit(from, cell));
        }
        for high in turning_points([first, at(1.0 / 3.0), at(2.0 / 3.0), at(1.0)]).into_iter().flatten() {
            if at(high) <= 0.0 {
                let coordinate = sign_change([low, high], at);
                return Some(self.hit(from + (to - from) * coordinate, cell));
            }
            low = high;
        }
        None
    }

    fn hit(&self, t: f64, cell: UVec3) -> FieldHit {
        FieldHit { t, point: self.at(t), normal: self.normal(cell, t) }
    }

    /// The interpolated distance at a parameter in a cell, whose corners have these values.
    pub(crate) fn value(&self, values: &[f32; 8], cell: UVec3, t: f64) -> f64 {
        self.interpolated(values, cell, t).0
    }

    /// The direction in which the distance grows; zero if there is none.
    pub(crate) fn normal(&self, cell: UVec3, t: f64) -> DVec3 {
        unit(self.interpolated(&self.field.values_of_cell(cell), cell, t).1).unwrap_or(DVec3::ZERO)
    }

    fn interpolated(&self, values: &[f32; 8], cell: UVec3, t: f64) -> (f64, DVec3) {
        let grid = self.field.header().grid;
        let position = (self.at(t) - grid.node(cell)) / f64::from(grid.cell());
        interpolated(values, position.clamp(DVec3::ZERO, DVec3::ONE))
    }
}

/// The accuracy of the surface's position, as a fraction of the segment in a cell: 2^-44.
const SIGN_CHANGE_SPAN: f64 = 1.0 / (1_u64 << 44) as f64;

/// The most secants that are tried before halving.
const MAX_SECANTS: u32 = 24;

/// Returns the point at which a function on 0 to 1 changes between above 0 and not above 0. It is
/// monotone between the two given numbers. The accuracy is [`SIGN_CHANGE_SPAN`], and the result is
/// the nearest known number on the side of the second.
///
/// Reference: M. Dowell, P. Jarratt, A Modified Regula Falsi Method for Computing the Root of an
/// Equation, BIT 11, 1971 (the Illinois rule).
pub(crate) fn sign_change([mut from, mut to]: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    let (mut value_from, mut value_to) = (value(from), value(to));
    let is_above_behind = 0.0 < value_to;
    let mut was_behind = None;
    for i in 0..MAX_SECANTS + 64 {
        let width = to - from;
        if width <= SIGN_CHANGE_SPAN {
            break;
        }
        // The secant keeps this distance from both ends, so that a correct secant leaves at most
        // one more step.
        let secant = width * (value_from / (value_from - value_to));
        let secant = secant.clamp(0.5 * SIGN_CHANGE_SPAN, width - 0.5 * SIGN_CHANGE_SPAN);
        let next = from + if i < MAX_SECANTS && secant.is_finite() { secant } else { 0.5 * width };
        if !(from < next && next < to) {
            break;
        }
        let value_next = value(next);
        let is_behind = (0.0 < value_next) == is_above_behind;
        let is_second = was_behind.replace(is_behind) == Some(is_behind);
        // An end that stays twice counts half, so that it moves too.
        let weight = if is_second { 0.5 } else { 1.0 };
        if is_behind {
            (to, value_to, value_from) = (next, value_next, value_from * weight);
        } else {
            (from, value_from, value_to) = (next, value_next, value_to * weight);
        }
    }
    to
}

/// Returns the interpolated value and its gradient, per cell, at a position in a cell: coordinates
/// from 0 to 1.
pub(crate) fn interpolated(values: &[f32; 8], position: DVec3) -> (f64, DVec3) {
    let v = values.map(f64::from);
    let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
    let along_x = [0, 2, 4, 6].map(|i| mix(v[i], v[i + 1], position.x));
    let slopes = [0, 2, 4, 6].map(|i| v[i + 1] - v[i]);
    let along_y = [0, 2].map(|i| mix(along_x[i], along_x[i + 1], position.y));
    let slope_x =
        mix(mix(slopes[0], slopes[1], position.y), mix(slopes[2], slopes[3], position.y), position.z);
    let slope_y = mix(along_x[1] - along_x[0], along_x[3] - along_x[2], position.z);
    (mix(along_y[0], along_y[1], position.z), DVec3::new(slope_x, slope_y, along_y[1] - along_y[0]))
}

/// Returns the turning points of a cubic on 0 to 1, given its values at 0, 1/3, 2/3 and 1: in
/// ascending order, then 1.
pub(crate) fn turning_points([a, b, c, d]: [f64; 4]) -> [Option<f64>; 3] {
    // Coefficients of the derivative.
    let square = 13.5 * (d - 3.0 * c + 3.0 * b - a);
    let linear = 9.0 * (2.0 * a - 5.0 * b + 4.0 * c - d);
    let constant = 0.5 * (-11.0 * a + 18.0 * b - 9.0 * c + 2.0 * d);
    let discriminant = linear * linear - 4.0 * square * constant;
    let mut points = [None, None, Some(1.0)];
    if !(0.0 <= discriminant) {
        return points;
    }
    // Avoids cancellation; a quotient that is not a number is left out.
    let q = -0.5 * (linear + sqrt(discriminant).copysign(linear));
    let (r, s) = (q / square, constant / q);
    let within = |x: f64| (0.0 < x && x < 1.0).then_some(x);
    points[0] = within(r.min(s));
    points[1] = within(r.max(s));
    points
}
