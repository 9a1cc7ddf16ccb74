//! A field as a shape. A floor is a linear lower bound of the distance over a box; queries cull
//! distant parts by floors.
//!
//! Interpolation between eight nodes is not below the least of them. So a linear function is below
//! the field in a box of cells if it is below the values at all nodes. The floors of larger boxes
//! come from those of their parts. In a part of one cell, the mixed slopes bound the error of a
//! linear function.
//!
//! Reference: K. Museth, VDB: High-Resolution Sparse Volumes with Dynamic Topology, ACM TOG 32(3),
//! 2013 (a hierarchy of blocks over a grid).

use crate::bake::{Accuracy, BLOCK};
use crate::field::Field;
use crate::line::visit_crossings;
use crate::mass::moments;
use crate::nodes::{border_values, indices, node_value};
use crate::ray::interpolated;
use alloc::vec::Vec;
use carom_geom::{Crossing, DistanceField, DistanceSample, LinearFloor, SolidMoments};
use carom_math::ops::{ceil, floor, sqrt};
use core::ops::ControlFlow;
use glam::{DVec3, UVec3, Vec3};

/// A bound on the rounding of the position of a side of a box, in cells.
const ROUNDED_CELLS: f64 = 1.0 / (1 << 20) as f64;

/// Boxes of up to this many cells along each axis are read node by node.
const MAX_READ: u32 = 2;

/// Cells along an axis of the smallest boxes whose floor is kept: half a block.
const MIN_FLOOR_BOX_CELLS: u32 = BLOCK / 2;

/// A field ready for queries against other shapes:
/// `Shape::Field(Arc::new(FieldShape::new(field)))` in carom-query.
///
/// The solid is the set of points of the grid whose distance is 0 or less. If it reaches the border
/// of the grid, it ends there (test: `field_shape::r_a_solid_ends_at_the_border_of_the_grid`). A
/// field without a sign is the surface alone, as far as the nodes resolve it.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldShape<F> {
    field: F,
    /// The floors of boxes of [`MIN_FLOOR_BOX_CELLS`] cells, then of two of them along each axis,
    /// and so on, until there is one.
    levels: Vec<Level>,
    least_unsampled: f64,
    /// Whether the solid reaches the border of the grid.
    is_cut: bool,
}

/// The floors of boxes of one size.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    n: UVec3,
    /// x first, then y, then z.
    floors: Vec<Floor>,
}

impl Level {
    fn at(&self, cell: UVec3) -> &Floor {
        &self.floors[((cell.z * self.n.y + cell.y) * self.n.x + cell.x) as usize]
    }
}

/// A [`LinearFloor`] as it is stored, rounded down.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Floor {
    value: f32,
    gradient: Vec3,
    least: f32,
    is_whole: bool,
}

impl Floor {
    fn new(floor: &LinearFloor) -> Floor {
        Floor {
            value: carom_math::rounding::down(floor.value),
            gradient: floor.gradient.as_vec3(),
            least: carom_math::rounding::down(floor.least),
            is_whole: floor.is_whole,
        }
    }

    fn widened(&self) -> LinearFloor {
        LinearFloor {
            value: f64::from(self.value),
            gradient: self.gradient.as_dvec3(),
            least: f64::from(self.least),
            is_whole: self.is_whole,
        }
    }
}

/// Returns the floor of a box that is covered by parts of the given half extents. Each part has
/// its center and its floor.
fn joined(
    parts: impl Iterator<Item = (DVec3, LinearFloor)> + Clone,
    half: DVec3,
    center: DVec3,
) -> LinearFloor {
    let (mut sum, mut n) = (DVec3::ZERO, 0.0);
    for (_, part) in parts.clone().filter(|(_, part)| part.value < f64::INFINITY) {
        (sum, n) = (sum + part.gradient, n + 1.0);
    }
    if n == 0.0 {
        return LinearFloor::EMPTY;
    }
    // Rounded to `f32`, so that storing the floor does not change its gradient.
    let gradient = (sum / n).as_vec3().as_dvec3();
    let mut floor = LinearFloor { gradient, is_whole: true, ..LinearFloor::EMPTY };
    for (position, part) in parts {
        let missed = (part.gradient - gradient).abs().dot(half);
        floor.value = floor.value.min(part.value - missed - gradient.dot(position - center));
        floor.least = floor.least.min(part.least);
        floor.is_whole &= part.is_whole;
    }
    floor
}

impl<F: Field> FieldShape<F> {
    /// Makes a shape of a field. Reads all values. Takes 24 bytes for each box of 4 cells along
    /// each axis, and a seventh of that for larger boxes.
    pub fn new(field: F) -> FieldShape<F> {
        let cells = field.grid().cells();
        let n = (cells + UVec3::splat(MIN_FLOOR_BOX_CELLS - 1)) / MIN_FLOOR_BOX_CELLS;
        let floors = indices(UVec3::ZERO, n).map(|cell| Floor::new(&floor_of_box(&field, cell))).collect();
        let mut levels = alloc::vec![Level { n, floors }];
        while let Some(last) = levels.last()
            && last.n != UVec3::ONE
        {
            let n = (last.n + UVec3::ONE) / 2;
            let number = levels.len() - 1;
            let of_two = |cell: UVec3| {
                let end = (2 * cell + UVec3::splat(2)).min(last.n);
                let center = center_of_box(&field, number + 1, cell);
                Floor::new(&joined_boxes(&field, last, number, 2 * cell, end, center))
            };
            let floors = indices(UVec3::ZERO, n).map(of_two).collect();
            levels.push(Level { n, floors });
        }
        let least_unsampled = least_unsampled(&field);
        let is_cut = border_values(&field).any(|value| value < 0.0);
        FieldShape { field, levels, least_unsampled, is_cut }
    }

    /// The field.
    pub fn field(&self) -> &F {
        &self.field
    }

    /// Returns the field without the floors.
    pub fn into_field(self) -> F {
        self.field
    }

    /// Returns the distance of a point from the nearest side of the grid, below 0 inside, and the
    /// unit gradient.
    fn distance_to_side(&self, point: DVec3) -> DistanceSample {
        let (min, max) = self.field.grid().wide_bounds();
        let (below, above) = (min - point, point - max);
        let out = below.max(above);
        let axis = out.max_position();
        let sign = if above[axis] < below[axis] { -1.0 } else { 1.0 };
        DistanceSample { distance: out[axis], gradient: DVec3::AXES[axis] * sign }
    }

    /// Returns the floor in a box of the solid that ends at the border, given that of the field.
    fn cut_floor(&self, floor: LinearFloor, center: DVec3, half: DVec3) -> LinearFloor {
        // A side is a linear function. The larger of two floors is one, too.
        let side = self.distance_to_side(center);
        let least = side.distance - side.gradient.abs().dot(half);
        let lowest = floor.least(half);
        if least <= lowest {
            return floor;
        }
        let (value, gradient) = (side.distance, side.gradient);
        LinearFloor { value, gradient, least: floor.least.max(least), ..floor }
    }

    /// Returns the floor in a box within one cell. Its center and half extents are in cells; the
    /// center is relative to the cell.
    fn floor_in_cell(&self, cell: UVec3, center: DVec3, half: DVec3) -> LinearFloor {
        let values = self.field.corners(cell);
        if values.iter().any(|value| self.field.band() <= *value) {
            return LinearFloor::EMPTY;
        }
        let center = center.clamp(DVec3::ZERO, DVec3::ONE);
        let (value, gradient) = interpolated(&values, center);
        let v = values.map(f64::from);
        // The change of the slope along one axis with another axis, at both ends of the third.
        let twist = |i: usize, a: usize, b: usize| v[i + a + b] - v[i + a] - v[i + b] + v[i];
        let at = |ends: [f64; 2], t: f64| (ends[0] + (ends[1] - ends[0]) * t).abs();
        let xy = [twist(0, 1, 2), twist(4, 1, 2)];
        let yz = [twist(0, 2, 4), twist(1, 2, 4)];
        let zx = [twist(0, 4, 1), twist(2, 4, 1)];
        let missed = at(xy, center.z) * half.x * half.y
            + at(yz, center.x) * half.y * half.z
            + at(zx, center.y) * half.z * half.x
            + (xy[1] - xy[0]).abs() * half.x * half.y * half.z;
        let gradient = gradient / f64::from(self.field.grid().cell());
        let least = v.into_iter().fold(f64::INFINITY, f64::min);
        LinearFloor { value: value - missed, gradient, least, is_whole: true }
    }

    /// Returns the nodes at both ends of the largest stored box around a cell whose nodes are all
    /// outside.
    fn box_outside(&self, cell: UVec3) -> Option<[UVec3; 2]> {
        let side = |number: usize| MIN_FLOOR_BOX_CELLS << number;
        let is_outside = |(number, level): &(usize, &Level)| 0.0 < level.at(cell / side(*number)).least;
        let (number, _) = self.levels.iter().enumerate().take_while(is_outside).last()?;
        let first = cell / side(number) * side(number);
        Some([first, (first + UVec3::splat(side(number))).min(self.field.grid().cells())])
    }

    /// The floor in a box of many cells.
    fn floor_of_boxes(&self, low: UVec3, high: UVec3, center: DVec3) -> LinearFloor {
        let boxes = (high - low).max_element().div_ceil(MIN_FLOOR_BOX_CELLS);
        let number = (boxes.next_power_of_two().trailing_zeros() as usize).min(self.levels.len() - 1);
        let side = MIN_FLOOR_BOX_CELLS << number;
        // Boxes from the one with the first cell to the one with the last cell, below `high`.
        let (first, end) = (low / side, (high - UVec3::ONE) / side + UVec3::ONE);
        joined_boxes(&self.field, &self.levels[number], number, first, end, center)
    }
}

/// The middle of a box whose sides are [`MIN_FLOOR_BOX_CELLS`] cells, doubled `number` times.
fn center_of_box(field: &impl Field, number: usize, cell: UVec3) -> DVec3 {
    let grid = field.grid();
    let side = f64::from(MIN_FLOOR_BOX_CELLS << number);
    grid.node(UVec3::ZERO) + (cell.as_dvec3() + 0.5) * side * f64::from(grid.cell())
}

/// The floor of boxes of one level.
fn joined_boxes(
    field: &impl Field,
    level: &Level,
    number: usize,
    first: UVec3,
    end: UVec3,
    center: DVec3,
) -> LinearFloor {
    let half = DVec3::splat(0.5 * f64::from(MIN_FLOOR_BOX_CELLS << number) * f64::from(field.grid().cell()));
    let part = |cell: UVec3| (center_of_box(field, number, cell), level.at(cell).widened());
    joined(indices(first, end).map(part), half, center)
}

/// The floor in a box between two nodes, from all its nodes.
///
/// The floor is right for each slope. The mean slope between the ends of the box is a good one. At
/// the border of the band, only edges of the box with a value at both ends count.
fn floor_of_nodes(field: &impl Field, low: UVec3, high: UVec3, center: DVec3) -> LinearFloor {
    let grid = field.grid();
    let (band, strides) = (field.band(), field.strides());
    let (table, start) = (field.table(), field.lowest_node_index(low));
    // Nodes of one block lie at fixed strides from each other.
    let is_in_block = low / BLOCK == (high - UVec3::ONE) / BLOCK;
    let value = |offset: UVec3| {
        if is_in_block {
            table[start + (offset.x + offset.y * strides[0] + offset.z * strides[1]) as usize]
        } else {
            node_value(field, low + offset)
        }
    };
    let size = high - low;
    let mut ends = [0.0_f32; 8];
    for (corner, end) in (0..).zip(&mut ends) {
        *end = value(size * UVec3::new(corner & 1, corner >> 1 & 1, corner >> 2));
    }
    let cell = f64::from(grid.cell());
    let slope = |axis: usize| {
        let (bit, mut sum, mut n_known) = (1_usize << axis, 0.0, 0.0);
        for corner in (0..8_usize).filter(|corner| corner & bit == 0) {
            let [from, to] = [ends[corner], ends[corner | bit]];
            if from < band && to < band {
                (sum, n_known) = (sum + f64::from(to - from), n_known + 1.0);
            }
        }
        if n_known == 0.0 { 0.0 } else { sum / (n_known * cell * f64::from(size[axis])) }
    };
    let gradient = DVec3::new(slope(0), slope(1), slope(2)).as_vec3().as_dvec3();
    let mut floor = LinearFloor { gradient, is_whole: true, ..LinearFloor::EMPTY };
    let (step, from_center) = (gradient * cell, gradient.dot(grid.node(low) - center));
    for z in 0..=size.z {
        for y in 0..=size.y {
            let along = from_center + f64::from(y) * step.y + f64::from(z) * step.z;
            for x in 0..=size.x {
                let value = value(UVec3::new(x, y, z));
                if value < band {
                    let value = f64::from(value);
                    floor.value = floor.value.min(value - (along + f64::from(x) * step.x));
                    floor.least = floor.least.min(value);
                } else {
                    floor.is_whole = false;
                }
            }
        }
    }
    floor
}

fn each(v: DVec3, round: fn(f64) -> f64) -> DVec3 {
    DVec3::new(round(v.x), round(v.y), round(v.z))
}

/// The floor of a box of [`MIN_FLOOR_BOX_CELLS`] cells.
fn floor_of_box(field: &impl Field, cell: UVec3) -> LinearFloor {
    match field.far_value(cell * MIN_FLOOR_BOX_CELLS / BLOCK) {
        Some(value) if 0.0 < value => LinearFloor::EMPTY,
        Some(value) => {
            let value = f64::from(value);
            LinearFloor { value, gradient: DVec3::ZERO, least: value, is_whole: true }
        }
        None => {
            let first = cell * MIN_FLOOR_BOX_CELLS;
            let end = (first + UVec3::splat(MIN_FLOOR_BOX_CELLS)).min(field.grid().cells());
            floor_of_nodes(field, first, end, center_of_box(field, 0, cell))
        }
    }
}

/// Returns a lower bound on the distance to the surface from points outside the grid or beyond the
/// band.
fn least_unsampled(field: &impl Field) -> f64 {
    if field.accuracy() == Accuracy::Estimate {
        return 0.0;
    }
    // A solid that reaches the border has its surface there.
    let least = border_values(field).map(|value| value.max(0.0)).fold(f32::INFINITY, f32::min);
    let (cell, rounding) = (f64::from(field.grid().cell()), 1.0 - f64::from(f32::EPSILON));
    // A point of the border is at most half the diagonal of a square from a node. A point of a
    // cell with a node at the band is at most the diagonal of the cell from that node.
    let border = f64::from(least) * rounding - sqrt(0.5) * cell;
    let band = f64::from(field.band()) * rounding - sqrt(3.0) * cell;
    border.min(band).max(0.0)
}

impl<F: Field> DistanceField for FieldShape<F> {
    fn bounds(&self) -> [DVec3; 2] {
        self.field.grid().wide_bounds().into()
    }

    /// A cube from the lowest node on. Its side is a power of two of cells.
    fn search_box(&self) -> [DVec3; 2] {
        let grid = self.field.grid();
        let side = grid.cells().max_element().next_power_of_two();
        [grid.node(UVec3::ZERO), grid.node(UVec3::splat(side))]
    }

    fn resolution(&self) -> f64 {
        f64::from(self.field.grid().cell())
    }

    fn error_bound(&self) -> f64 {
        self.field.error_bound()
    }

    fn least_unsampled(&self) -> f64 {
        self.least_unsampled
    }

    fn has_inside(&self) -> bool {
        self.field.sign_method().is_signed()
    }

    fn sample(&self, point: DVec3) -> Option<DistanceSample> {
        let grid = self.field.grid();
        let (min, max) = grid.wide_bounds();
        if !(min.cmple(point).all() && point.cmple(max).all()) {
            return None;
        }
        let cell = grid.cell_of(point);
        let corners = self.field.corners(cell);
        if corners.iter().any(|value| self.field.band() <= *value) {
            return None;
        }
        let size = f64::from(grid.cell());
        let position = ((point - grid.node(cell)) / size).clamp(DVec3::ZERO, DVec3::ONE);
        let (distance, slope) = interpolated(&corners, position);
        let sample = DistanceSample { distance, gradient: slope / size };
        let side = self.distance_to_side(point);
        Some(if self.is_cut && sample.distance < side.distance { side } else { sample })
    }

    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor {
        let grid = self.field.grid();
        let size = f64::from(grid.cell());
        let cells = grid.cells().as_dvec3();
        let position = center / size - grid.first().as_dvec3();
        let half = half / size;
        let (low, high) = (position - half + ROUNDED_CELLS, position + half - ROUNDED_CELLS);
        let is_in_grid = DVec3::ZERO.cmple(low).all() && high.cmple(cells).all();
        let (low, high) = (each(low, floor).max(DVec3::ZERO), each(high, ceil).min(cells));
        // Also true for NaN.
        if !low.cmplt(high).all() {
            return LinearFloor::EMPTY;
        }
        let (low, high) = (low.as_uvec3(), high.as_uvec3());
        let mut floor = match (high - low).max_element() {
            1 => self.floor_in_cell(low, position - low.as_dvec3(), half),
            ..=MAX_READ => floor_of_nodes(&self.field, low, high, center),
            _ => self.floor_of_boxes(low, high, center),
        };
        floor.is_whole &= is_in_grid;
        if self.is_cut { self.cut_floor(floor, center, half * size) } else { floor }
    }

    fn moments(&self) -> Option<SolidMoments> {
        moments(&self.field)
    }

    fn visit_crossings(
        &self,
        line: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    ) {
        visit_crossings(&self.field, |cell| self.box_outside(cell), line, from, to, visit);
    }
}
