//! Tori: a circle swept around a circle.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.1 (the rings of the
//! pile).

use super::{MeshData, grid_size};
use glam::DVec3;
use libm::{cos, sin};

/// Returns a torus around the y axis with about `n_triangles`. `major` is the radius of its spine,
/// `minor` that of its tube.
pub fn torus(major: f64, minor: f64, n_triangles: usize) -> MeshData {
    let (n_u, n_v) = grid_size(n_triangles, major / minor);
    let mut mesh = MeshData::default();
    for u in 0..n_u {
        let a = core::f64::consts::TAU * u as f64 / n_u as f64;
        for v in 0..n_v {
            let b = core::f64::consts::TAU * v as f64 / n_v as f64;
            let r = major + minor * cos(b);
            mesh.vertices.push(DVec3::new(r * sin(a), minor * sin(b), r * cos(a)));
        }
    }
    mesh.push_closed_grid(n_u, n_v);
    mesh
}
