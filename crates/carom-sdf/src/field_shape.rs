//! A field as a shape: with the least values of its blocks, by which queries leave out what is far.
//!
//! Interpolation between eight nodes is nowhere below the least of them. So the least value of a box
//! of cells is the least of its nodes, and what a linear function misses in it shows at nodes too. In
//! a part of one cell the mixed slopes say what a linear function misses.
//!
//! Reference: K. Museth, VDB: High-Resolution Sparse Volumes with Dynamic Topology, ACM TOG 32(3),
//! 2013 (a hierarchy of blocks over a grid).

use crate::bake::{BLOCK, NodeBox};
use crate::field::Field;
use crate::line::visit_crossings;
use crate::ray::interpolated;
use alloc::vec::Vec;
use carom_geom::{Crossing, DistanceField, DistanceSample, LinearFloor};
use carom_math::ops::{ceil, floor};
use core::ops::ControlFlow;
use glam::{DVec3, UVec3};

/// In cells: what the place of a side of a box is off by, at most, by rounding.
const ROUNDED_CELLS: f64 = 1.0 / (1 << 20) as f64;

/// Boxes of up to so many cells along each axis are read node by node.
const MAX_READ: u32 = 4;

/// A field ready for queries against other shapes: `Shape::Field(Arc::new(FieldShape::new(field)))`
/// in carom-query.
///
/// The solid is where the distance is 0 or less. A field without a sign is the surface alone, as
/// near as the nodes tell.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldShape<F> {
    field: F,
    /// The least values of blocks, then of two blocks along each axis, and so on, until there is one.
    levels: Vec<Level>,
}

/// The least values of boxes of one size.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    n: UVec3,
    /// x first, then y, then z; infinite if all nodes are beyond the band.
    least: Vec<f32>,
}

impl Level {
    fn at(&self, place: UVec3) -> f32 {
        self.least[((place.z * self.n.y + place.y) * self.n.x + place.x) as usize]
    }
}

impl<F: Field> FieldShape<F> {
    /// Reads each value once. Takes 4 bytes for each block of 8 cells along each axis.
    pub fn new(field: F) -> FieldShape<F> {
        let cells = field.grid().cells();
        let n = (cells + UVec3::splat(BLOCK - 1)) / BLOCK;
        let blocks = places(UVec3::ZERO, n).map(|block| least_of_block(&field, block)).collect();
        let mut levels = alloc::vec![Level { n, least: blocks }];
        while let Some(last) = levels.last()
            && last.n != UVec3::ONE
        {
            let n = (last.n + UVec3::ONE) / 2;
            let of_two = |place: UVec3| {
                let end = (2 * place + UVec3::splat(2)).min(last.n);
                places(2 * place, end).map(|part| last.at(part)).fold(f32::INFINITY, f32::min)
            };
            let least = places(UVec3::ZERO, n).map(of_two).collect();
            levels.push(Level { n, least });
        }
        FieldShape { field, levels }
    }

    /// The field.
    pub fn field(&self) -> &F {
        &self.field
    }

    /// The field alone.
    pub fn into_field(self) -> F {
        self.field
    }

    /// The value of a node; `None` if it is outside and beyond the band.
    fn value(&self, node: UVec3) -> Option<f32> {
        let value = node_value(&self.field, node);
        (value < self.field.band()).then_some(value)
    }

    /// The floor in a box within one cell, whose center and half extents are in cells from there.
    fn floor_in_cell(&self, cell: UVec3, center: DVec3, half: DVec3) -> LinearFloor {
        let values = self.field.corners(cell);
        if values.iter().any(|value| self.field.band() <= *value) {
            return LinearFloor::EMPTY;
        }
        let center = center.clamp(DVec3::ZERO, DVec3::ONE);
        let (value, gradient) = interpolated(&values, center);
        let v = values.map(f64::from);
        // How the slope along one axis changes along another one, at both ends of the third.
        let twist = |i: usize, a: usize, b: usize| v[i + a + b] - v[i + a] - v[i + b] + v[i];
        let at = |ends: [f64; 2], t: f64| (ends[0] + (ends[1] - ends[0]) * t).abs();
        let xy = [twist(0, 1, 2), twist(4, 1, 2)];
        let yz = [twist(0, 2, 4), twist(1, 2, 4)];
        let zx = [twist(0, 4, 1), twist(2, 4, 1)];
        let missed = at(xy, center.z) * half.x * half.y
            + at(yz, center.x) * half.y * half.z
            + at(zx, center.y) * half.z * half.x
            + (xy[1] - xy[0]).abs() * half.x * half.y * half.z;
        LinearFloor { value: value - missed, gradient: gradient / f64::from(self.field.grid().cell()) }
    }

    /// The floor in a box of a few cells, from all its nodes.
    fn floor_of_nodes(&self, low: UVec3, high: UVec3, center: DVec3) -> LinearFloor {
        let grid = self.field.grid();
        let (first, last) = (grid.node(low), grid.node(high));
        // Any slope will do; that between the ends of the box is a good one.
        let (mut sums, mut n_known) = ([[0.0; 2]; 3], 0);
        for corner in places(UVec3::ZERO, UVec3::splat(2)) {
            let Some(value) = self.value(low + (high - low) * corner) else { continue };
            n_known += 1;
            for axis in 0..3 {
                sums[axis][corner[axis] as usize] += f64::from(value);
            }
        }
        let slope = |axis: usize| (sums[axis][1] - sums[axis][0]) / (4.0 * (last[axis] - first[axis]));
        let gradient = if n_known == 8 { DVec3::new(slope(0), slope(1), slope(2)) } else { DVec3::ZERO };
        let mut floor = LinearFloor { gradient, ..LinearFloor::EMPTY };
        for node in places(low, high + UVec3::ONE) {
            if let Some(value) = self.value(node) {
                floor.value = floor.value.min(f64::from(value) - gradient.dot(grid.node(node) - center));
            }
        }
        floor
    }

    /// The least value in a box of many cells, from blocks.
    fn least_of_blocks(&self, low: UVec3, high: UVec3) -> f64 {
        let size = (high - low).max_element();
        let blocks = size.div_ceil(BLOCK);
        let number = (blocks.next_power_of_two().trailing_zeros() as usize).min(self.levels.len() - 1);
        let level = &self.levels[number];
        let side = BLOCK << number;
        // Cells, whose last one is below the last node.
        let end = (high - UVec3::ONE) / side + UVec3::ONE;
        let least = places(low / side, end).map(|place| level.at(place)).fold(f32::INFINITY, f32::min);
        f64::from(least)
    }
}

fn each(v: DVec3, round: fn(f64) -> f64) -> DVec3 {
    DVec3::new(round(v.x), round(v.y), round(v.z))
}

/// The places of a box, the end not included: x first, then y, then z.
fn places(start: UVec3, end: UVec3) -> impl Iterator<Item = UVec3> {
    (start.z..end.z).flat_map(move |z| {
        (start.y..end.y).flat_map(move |y| (start.x..end.x).map(move |x| UVec3::new(x, y, z)))
    })
}

/// The value of a node of the grid.
fn node_value(field: &impl Field, node: UVec3) -> f32 {
    let cell = node.min(field.grid().cells() - UVec3::ONE);
    let [y, z] = field.strides();
    let offset = node - cell;
    field.table()[field.place(cell) + (offset.x + offset.y * y + offset.z * z) as usize]
}

/// The least value of the nodes of a block that are not outside and beyond the band.
fn least_of_block(field: &impl Field, block: UVec3) -> f32 {
    let first = block * BLOCK;
    let least = match field.far_value(block) {
        Some(value) => value,
        None => {
            let size = (field.grid().nodes() - first).min(UVec3::splat(BLOCK + 1));
            let nodes = NodeBox { first, size };
            places(nodes.first, nodes.first + nodes.size)
                .map(|node| node_value(field, node))
                .fold(f32::INFINITY, f32::min)
        }
    };
    if least < field.band() { least } else { f32::INFINITY }
}

impl<F: Field> DistanceField for FieldShape<F> {
    fn bounds(&self) -> [DVec3; 2] {
        self.field.grid().wide_bounds().into()
    }

    /// A cube of a power of two of cells from the lowest node on.
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
        let place = ((point - grid.node(cell)) / size).clamp(DVec3::ZERO, DVec3::ONE);
        let (distance, slope) = interpolated(&corners, place);
        Some(DistanceSample { distance, gradient: slope / size })
    }

    fn floor(&self, center: DVec3, half: DVec3) -> LinearFloor {
        let grid = self.field.grid();
        let size = f64::from(grid.cell());
        let cells = grid.cells().as_dvec3();
        let place = center / size - grid.first().as_dvec3();
        let half = half / size;
        let low = each(place - half + ROUNDED_CELLS, floor).max(DVec3::ZERO);
        let high = each(place + half - ROUNDED_CELLS, ceil).min(cells);
        // Not so for NaN.
        if !low.cmplt(high).all() {
            return LinearFloor::EMPTY;
        }
        let (low, high) = (low.as_uvec3(), high.as_uvec3());
        match (high - low).max_element() {
            1 => self.floor_in_cell(low, place - low.as_dvec3(), half),
            ..=MAX_READ => self.floor_of_nodes(low, high, center),
            _ => LinearFloor { value: self.least_of_blocks(low, high), gradient: DVec3::ZERO },
        }
    }

    fn visit_crossings(
        &self,
        line: [DVec3; 2],
        from: f64,
        to: f64,
        visit: &mut dyn FnMut(Crossing) -> ControlFlow<()>,
    ) {
        visit_crossings(&self.field, line, from, to, visit);
    }
}
