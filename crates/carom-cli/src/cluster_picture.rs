//! Point clouds and voxels as a limited number of boxes, for a picture.
//!
//! If there are more parts than boxes may be drawn, small parts are gathered in the cells of a
//! grid. The grids become coarser by a quarter until there are few enough boxes. A part that is at
//! least as large as a cell stays as it is.
//!
//! Reference: none needed.

use crate::player::PlayerMesh;
use carom_bounds::Aabb;
use carom_math::Vec3;
use glam::DVec3;
use std::collections::BTreeSet;

/// Cells along the longest side of the finest grid.
const MAX_CELLS: u32 = 1024;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureBox {
    /// Its middle.
    pub middle: DVec3,
    /// Half its size on each axis.
    pub half: DVec3,
}

impl PictureBox {
    /// Returns a box of numbers in `f64`.
    pub fn of(aabb: &Aabb) -> PictureBox {
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        PictureBox { middle: 0.5 * (low + high), half: 0.5 * (high - low) }
    }

    /// Adds the twelve triangles of the box, whose corners are placed by a function that keeps
    /// their orientation.
    pub fn push_to(&self, mesh: &mut PlayerMesh, position_of: impl Fn(DVec3) -> Vec3) {
        let first = mesh.vertices.len() as u32;
        // Bit k of the number of a corner is its side on axis k.
        for corner in 0..8_u32 {
            let side = |axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
            mesh.vertices.push(position_of(self.middle + self.half * DVec3::new(side(0), side(1), side(2))));
        }
        for axis in 0..3 {
            let [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
            let far = first + (1 << axis);
            mesh.triangles.extend([[first, first + u + v, first + u], [first, first + v, first + u + v]]);
            mesh.triangles.extend([[far, far + u, far + u + v], [far, far + u + v, far + v]]);
        }
    }
}

/// Returns the boxes, or at most `max` larger ones in their place.
pub fn few_boxes(boxes: &[PictureBox], max: usize) -> Vec<PictureBox> {
    if boxes.len() <= max {
        return boxes.to_vec();
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for one in boxes {
        (low, high) = (low.min(one.middle - one.half), high.max(one.middle + one.half));
    }
    let size = (high - low).max_element();
    let mut n_cells = MAX_CELLS;
    while 0 < n_cells {
        let cell = size / f64::from(n_cells);
        n_cells = n_cells * 3 / 4;
        let (mut large, mut cells) = (Vec::new(), BTreeSet::new());
        for one in boxes {
            if cell <= 2.0 * one.half.max_element() {
                large.push(*one);
            } else {
                cells.insert(((one.middle - low) / cell).to_array().map(|k| k as u32));
            }
        }
        if large.len() + cells.len() <= max {
            let half = DVec3::splat(0.5 * cell);
            let middle = |k: [u32; 3]| low + DVec3::from_array(k.map(f64::from)) * cell + half;
            large.extend(cells.into_iter().map(|k| PictureBox { middle: middle(k), half }));
            return large;
        }
    }
    vec![PictureBox { middle: 0.5 * (low + high), half: 0.5 * (high - low) }]
}
