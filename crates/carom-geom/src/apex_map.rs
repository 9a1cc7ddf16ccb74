//! Apex maps: a cube map of directions. Each cell stores a vertex that is farthest along a nearby
//! direction.
//!
//! Each side of the cube is a grid of cells. A cell stores the vertex that is farthest along the
//! direction of its middle. A look-up costs one division, whatever the number of vertices. A few
//! climbing steps from there end at the exact support.
//!
//! The scan of a hull stays the default, because it is faster for one inexact support. The map is
//! faster for exact supports without a previous direction. Figures are in
//! `benches/notes/carom-geom.md`.
//!
//! Reference: S. Laine, T. Karras, Apex Point Map for Constant-Time Bounding Plane Approximation,
//! EGSR 2015; Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.4.
//! Differs: a start for a climb, which ends exactly, instead of a bound.

use alloc::vec::Vec;
use glam::DVec3;

/// A cube map of directions with one vertex per cell; made by `ConvexHull::apex_map`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApexMap {
    n_side: u32,
    vertices: Vec<u32>,
}

impl ApexMap {
    /// The most cells along a side of the cube.
    pub const MAX_SIDE: u32 = 256;

    /// Creates a map with `n_side` by `n_side` cells on each of six sides; `n_side` is clamped to
    /// 1..=256. `farthest` returns the farthest vertex along a direction, given the vertex of the
    /// previous cell.
    pub(crate) fn new(n_side: u32, mut farthest: impl FnMut(DVec3, u32) -> u32) -> ApexMap {
        let n_side = n_side.clamp(1, Self::MAX_SIDE);
        let mut vertices = Vec::with_capacity((6 * n_side * n_side) as usize);
        let mut last = 0;
        let middle = |k: u32| (2 * k + 1) as f64 / f64::from(n_side) - 1.0;
        for side in 0..6 {
            for v in 0..n_side {
                for u in 0..n_side {
                    let axis = side as usize / 2;
                    let mut direction = DVec3::ZERO;
                    direction[axis] = if side % 2 == 0 { 1.0 } else { -1.0 };
                    direction[(axis + 1) % 3] = middle(u);
                    direction[(axis + 2) % 3] = middle(v);
                    last = farthest(direction, last);
                    vertices.push(last);
                }
            }
        }
        ApexMap { n_side, vertices }
    }

    /// Returns the number of cells along a side of the cube.
    #[inline]
    pub fn n_side(&self) -> u32 {
        self.n_side
    }

    /// Returns a vertex that is farthest along some direction near this one, which may have any
    /// length. Zero and NaN give some vertex.
    #[inline]
    pub fn near(&self, direction: DVec3) -> u32 {
        let a = direction.abs();
        let axis = if a.y <= a.x && a.z <= a.x {
            0
        } else if a.z <= a.y {
            1
        } else {
            2
        };
        let scale = 1.0 / a[axis];
        // Conversions of NaN and of negative numbers give 0.
        let cell =
            |x: f64| (((x * scale + 1.0) * (0.5 * f64::from(self.n_side))) as u32).min(self.n_side - 1);
        let (u, v) = (cell(direction[(axis + 1) % 3]), cell(direction[(axis + 2) % 3]));
        let side = 2 * axis as u32 + u32::from(direction[axis] < 0.0);
        self.vertices[((side * self.n_side + v) * self.n_side + u) as usize]
    }
}
