//! Procedural triangle meshes of any size.

mod gear;
mod knot;
mod sphere;
mod spring;
mod terrain;
mod torus;

pub use gear::{Gear, gear};
pub use knot::{Knot, torus_knot};
pub use sphere::{bumpy_icosphere, icosphere};
pub use spring::{Spring, spring};
pub use terrain::terrain;
pub use torus::torus;

use alloc::vec::Vec;
use glam::{DVec3, Vec3};

/// Vertices and triangles, as plain data. Corners are counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MeshData {
    /// Vertex positions.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
}

impl MeshData {
    /// Returns the vertices rounded to `f32`.
    pub fn vertices_f32(&self) -> Vec<Vec3> {
        self.vertices.iter().map(|v| v.as_vec3()).collect()
    }

    /// Multiplies every vertex by `factor`.
    pub fn scaled(mut self, factor: f64) -> MeshData {
        for v in &mut self.vertices {
            *v *= factor;
        }
        self
    }

    /// Adds the triangles of a grid of `n_u` by `n_v` vertices that is closed in both directions,
    /// like a torus.
    fn push_closed_grid(&mut self, n_u: usize, n_v: usize) {
        for u in 0..n_u {
            let next_u = (u + 1) % n_u;
            for v in 0..n_v {
                let next_v = (v + 1) % n_v;
                let corner = |u: usize, v: usize| (u * n_v + v) as u32;
                let (a, b) = (corner(u, v), corner(next_u, v));
                let (c, d) = (corner(next_u, next_v), corner(u, next_v));
                self.triangles.push([a, b, c]);
                self.triangles.push([a, c, d]);
            }
        }
    }
}

/// Returns the sizes (n_u, n_v) of a closed grid, both at least 3. Its number of triangles, 2 n_u
/// n_v, is near `n_triangles`, and n_u / n_v is near `ratio`.
///
/// Numbers of triangles that factor well are met exactly, others to within a fraction of a row.
fn grid_size(n_triangles: usize, ratio: f64) -> (usize, usize) {
    let n_quads = (n_triangles / 2).max(9);
    let ideal = carom_math::ops::sqrt(n_quads as f64 / ratio.max(1e-3)).max(3.0);
    let (from, to) = ((ideal * 0.75) as usize, (ideal * 1.35) as usize);
    let mut best = (usize::MAX, f64::INFINITY, (3, 3));
    for n_v in from.max(3)..=to.max(from.max(3)) {
        let n_u = ((n_quads + n_v / 2) / n_v).max(3);
        let miss = (n_u * n_v).abs_diff(n_quads);
        let off = (n_v as f64 - ideal).abs();
        if (miss, off) < (best.0, best.1) {
            best = (miss, off, (n_u, n_v));
        }
    }
    best.2
}
