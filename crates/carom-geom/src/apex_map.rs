//! Apex maps: a cube map of directions that says, for each, a vertex that is farthest along a
//! direction nearby.
//!
//! Each side of a cube is a grid of cells, and a cell keeps the vertex that is farthest along its
//! middle. A look-up costs one division, whatever the number of vertices; a few steps of climbing
//! from there end at the true support. Measured on hulls of 32 / 512 / 4096 vertices along
//! scattered directions, ns (two cores of a Xeon, 2026-11-21): the scan of the hull 13 / 21 / 22,
//! and exact, with its climb, 56 / 77 / 91; from a map of 32 x 32 cells, exact, 56 / 63 / 81; from
//! the last answer, half a degree on, exact, 24 / 30 / 42; from anywhere 101 / 328 / 994; all
//! vertices in `f64` 31 / 533 / 5453. So the scan stays the default, and a map pays for those who
//! want exact supports without a direction before.
//!
//! Reference: S. Laine, T. Karras, Apex Point Map for Constant-Time Bounding Plane Approximation,
//! EGSR 2015; Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.4.
//! Differs: a start for a climb, which ends exactly, instead of a bound.

use alloc::vec::Vec;
use glam::DVec3;

/// Cells of directions, each with a vertex; made by `ConvexHull::apex_map`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApexMap {
    n_side: u32,
    vertices: Vec<u32>,
}

impl ApexMap {
    /// Most cells along a side of the cube.
    pub const MAX_SIDE: u32 = 256;

    /// Of `n_side` by `n_side` cells on each of six sides, `n_side` taken into 1..=256. `farthest`
    /// says the farthest vertex along a direction, given the one of the cell before.
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

    /// Cells along a side of the cube.
    #[inline]
    pub fn n_side(&self) -> u32 {
        self.n_side
    }

    /// A vertex that is farthest along some direction near this one, which may have any length;
    /// some vertex for zero and NaN.
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
