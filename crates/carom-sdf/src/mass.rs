//! Volume, centre and inertia of the solid in a field.
//!
//! - A cell whose nodes are all inside counts as a cube. A cell through which the surface passes
//!   is cut into six tetrahedra. In each of these the distance counts as linear. So its inner part
//!   is a tetrahedron, or the difference or sum of several.
//! - For the error bound each cell is eight cubes, one for each node. A cube is on the side of its
//!   node if the surface is farther from the node than all of the cube. The side of the other
//!   cubes is unknown.
//!
//! Reference: M. Kallay, Computing the Moment of Inertia of a Solid Defined by a Triangle Mesh,
//! Journal of Graphics Tools 11(2), 2006 (moments of a tetrahedron).

use crate::bake::{Accuracy, BLOCK};
use crate::bounds::ROUNDING_RATIO;
use crate::field::Field;
use crate::nodes::indices;
use carom_geom::{CELL_TETRAHEDRA, LinearCut, SolidMoments};
use carom_math::ops::sqrt;
use glam::{DMat3, DVec3, UVec3};

/// Integrals over a solid, in cells: of 1, of x and of x x^T.
#[derive(Clone, Copy)]
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    const ZERO: Moments = Moments { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn add_box(&mut self, center: DVec3, size: DVec3) {
        let volume = size.element_product();
        self.volume += volume;
        self.first += center * volume;
        self.second += (outer(center) + DMat3::from_diagonal(size * size / 12.0)) * volume;
    }

    /// Adds a tetrahedron, with its volume times `sign`.
    fn add_tetrahedron(&mut self, [a, b, c, d]: [DVec3; 4], sign: f64) {
        let volume = sign * (b - a).cross(c - a).dot(d - a).abs() / 6.0;
        let sum = a + b + c + d;
        self.volume += volume;
        self.first += sum * (0.25 * volume);
        self.second += (outer(a) + outer(b) + outer(c) + outer(d) + outer(sum)) * (volume / 20.0);
    }

    /// Adds the part of a tetrahedron in which a linear function is not above 0. `values` are
    /// those of the function at the corners.
    fn add_cut(&mut self, corners: [DVec3; 4], values: [f64; 4]) {
        let linear = LinearCut::new(corners, values);
        let (p, cut) = (linear.corners(), |i, j| linear.between(i, j));
        match linear.n_inside() {
            0 => {}
            1 => self.add_tetrahedron([p[0], cut(0, 1), cut(0, 2), cut(0, 3)], 1.0),
            2 => {
                // A prism between an edge and four cut points.
                let [a, b, c, d] = [cut(0, 2), cut(0, 3), cut(1, 2), cut(1, 3)];
                self.add_tetrahedron([p[0], a, b, d], 1.0);
                self.add_tetrahedron([p[0], a, c, d], 1.0);
                self.add_tetrahedron([p[0], p[1], c, d], 1.0);
            }
            3 => {
                self.add_tetrahedron(p, 1.0);
                self.add_tetrahedron([p[3], cut(0, 3), cut(1, 3), cut(2, 3)], -1.0);
            }
            _ => self.add_tetrahedron(p, 1.0),
        }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// See [`DistanceField::moments`](carom_geom::DistanceField::moments).
pub(crate) fn moments(field: &impl Field) -> Option<SolidMoments> {
    if !field.sign_method().is_signed() {
        return None;
    }
    let grid = *field.grid();
    let cells = grid.cells();
    let size = f64::from(grid.cell());
    // Relative to the middle of the grid, so that little is lost by rounding.
    let middle = 0.5 * cells.as_dvec3();
    let least = 0.5 * sqrt(3.0) * size * (1.0 + ROUNDING_RATIO);
    let (mut sum, mut n_open) = (Moments::ZERO, 0.0);
    let mut add_cell = |cell: UVec3| {
        let values = field.corners(cell);
        let corner = |i: usize| {
            cell.as_dvec3() - middle + DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)
        };
        n_open += values.iter().filter(|value| f64::from(value.abs()) < least).count() as f64;
        if values.iter().all(|value| *value <= 0.0) {
            sum.add_box(corner(0) + 0.5, DVec3::ONE);
        } else if values.iter().any(|value| *value <= 0.0) {
            for corners in CELL_TETRAHEDRA {
                sum.add_cut(corners.map(corner), corners.map(|i| f64::from(values[i])));
            }
        }
    };
    let mut whole_blocks = Moments::ZERO;
    for block in indices(UVec3::ZERO, cells.map(|n| n.div_ceil(BLOCK))) {
        let first = block * BLOCK;
        let end = (first + UVec3::splat(BLOCK)).min(cells);
        match field.far_value(block) {
            Some(value) if 0.0 < value => {}
            Some(_) => {
                let (low, high) = (first.as_dvec3() - middle, end.as_dvec3() - middle);
                whole_blocks.add_box(0.5 * (low + high), high - low);
            }
            None => indices(first, end).for_each(&mut add_cell),
        }
    }
    let volume = sum.volume + whole_blocks.volume;
    if !(0.0 < volume) {
        return None;
    }
    let center = (sum.first + whole_blocks.first) / volume;
    let spread = sum.second + whole_blocks.second - outer(center) * volume;
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
    let cube = size * size * size;
    let is_known = field.sign_method().is_certain() && field.accuracy() != Accuracy::Estimate;
    Some(SolidMoments {
        volume: volume * cube,
        center: grid.node(UVec3::ZERO) + (center + middle) * size,
        inertia: inertia * (cube * size * size),
        volume_error: if is_known { n_open * 0.125 * cube } else { f64::INFINITY },
        reach: (center.abs() + middle).length() * size,
    })
}
