//! Terrain: an open height field of value noise.
//!
//! Reference: K. Perlin, An Image Synthesizer, SIGGRAPH 1985 (sums of smoothed lattice noise,
//! halved in each octave).

use super::MeshData;
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::floor;
use glam::DVec3;

/// Returns an open square of side `size` around the origin with `n` by `n` cells, so 2 n n
/// triangles. Heights along y are at most `height`.
pub fn terrain(size: f64, height: f64, n: usize, seed: u64) -> MeshData {
    const LATTICE: usize = 64;
    let n = n.max(1);
    let mut rng = Rng::new(seed);
    let lattice: Vec<f64> = (0..LATTICE * LATTICE).map(|_| rng.unit()).collect();
    let noise = |x: f64, z: f64| -> f64 {
        let (cell_x, cell_z) = (floor(x), floor(z));
        let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
        let (u, v) = (smooth(x - cell_x), smooth(z - cell_z));
        let value = |i: usize, j: usize| {
            lattice[(cell_x as usize + i) % LATTICE + (cell_z as usize + j) % LATTICE * LATTICE]
        };
        let near = value(0, 0) * (1.0 - u) + value(1, 0) * u;
        let far = value(0, 1) * (1.0 - u) + value(1, 1) * u;
        near * (1.0 - v) + far * v
    };
    let mut mesh = MeshData::default();
    for k in 0..=n {
        for i in 0..=n {
            let (s, t) = (i as f64 / n as f64, k as f64 / n as f64);
            let y: f64 = (0..5)
                .map(|octave| {
                    let frequency = f64::from(4u32 << octave);
                    noise(s * frequency, t * frequency) / f64::from(2u32 << octave)
                })
                .sum();
            mesh.vertices.push(DVec3::new((s - 0.5) * size, y * height, (t - 0.5) * size));
        }
    }
    for k in 0..n {
        for i in 0..n {
            let corner = |i: usize, k: usize| (k * (n + 1) + i) as u32;
            let (a, b, c, d) = (corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1));
            mesh.triangles.push([a, c, b]);
            mesh.triangles.push([a, d, c]);
        }
    }
    mesh
}
