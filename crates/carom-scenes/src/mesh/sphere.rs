//! Icospheres of any frequency, smooth and bumpy.
//!
//! Each face of an icosahedron is cut into f * f triangles, and their corners are moved out to the
//! sphere. Faces share the corners on edges by index, without a comparison of positions.
//!
//! Reference: M. Wenninger, Spherical Models, 1979 (class I subdivision of frequency f).

use super::MeshData;
use crate::rng::Rng;
use alloc::vec::Vec;
use carom_math::ops::{floor, sqrt};
use glam::DVec3;
use libm::sin;

/// Returns a sphere of radius 1 with 20 f * f triangles. The frequency f, at least 1, brings this
/// number nearest to `n_triangles`.
pub fn icosphere(n_triangles: usize) -> MeshData {
    let frequency = (floor(sqrt(n_triangles as f64 / 20.0) + 0.5) as usize).max(1);
    let (corners, faces) = icosahedron();
    let mut mesh = MeshData { vertices: corners.to_vec(), triangles: Vec::new() };
    // Points inside edges come first, edge by edge, then points inside faces.
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for face in faces {
        for (a, b) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
            let (low, high) = (a.min(b), a.max(b));
            if edges.iter().any(|e| (e.0, e.1) == (low, high)) {
                continue;
            }
            edges.push((low, high, mesh.vertices.len() as u32));
            for i in 1..frequency {
                let weights = (frequency - i, i);
                mesh.vertices.push(
                    corners[low as usize] * weights.0 as f64 + corners[high as usize] * weights.1 as f64,
                );
            }
        }
    }
    for face in faces {
        let first_inner = mesh.vertices.len() as u32;
        let [a, b, c] = face.map(|v| corners[v as usize]);
        for i in 1..frequency {
            for j in 1..frequency - i {
                let k = frequency - i - j;
                mesh.vertices.push(a * k as f64 + b * i as f64 + c * j as f64);
            }
        }
        // Returns the point of the edge from `from` to `to` after `step` steps.
        let on_edge = |from: u32, to: u32, step: usize| -> u32 {
            let (low, high) = (from.min(to), from.max(to));
            let first = edges.iter().find(|e| (e.0, e.1) == (low, high)).map_or(0, |e| e.2);
            let step = if from == low { step } else { frequency - step };
            first + step as u32 - 1
        };
        // Returns the vertex after i steps towards b and j steps towards c.
        let at = |i: usize, j: usize| -> u32 {
            match (i, j, frequency - i - j) {
                (0, 0, _) => face[0],
                (_, 0, 0) => face[1],
                (0, _, 0) => face[2],
                (_, 0, _) => on_edge(face[0], face[1], i),
                (0, _, _) => on_edge(face[0], face[2], j),
                (_, _, 0) => on_edge(face[1], face[2], j),
                _ => {
                    // Rows before i hold frequency - 1 - r points each.
                    let before = (i - 1) * (frequency - 1) - i * (i - 1) / 2;
                    first_inner + (before + j - 1) as u32
                }
            }
        };
        for i in 0..frequency {
            for j in 0..frequency - i {
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < frequency {
                    mesh.triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    for v in &mut mesh.vertices {
        *v /= sqrt(v.length_squared());
    }
    mesh
}

/// Returns an icosphere whose radius varies smoothly by about +- `bump`. The seed places the
/// bumps.
pub fn bumpy_icosphere(n_triangles: usize, bump: f64, seed: u64) -> MeshData {
    let mut rng = Rng::new(seed);
    let waves: [(DVec3, f64); 6] =
        core::array::from_fn(|_| (rng.direction() * rng.range(4.0, 12.0), rng.range(0.0, 6.0)));
    let mut mesh = icosphere(n_triangles);
    for v in &mut mesh.vertices {
        let height: f64 = waves.iter().map(|(wave, phase)| sin(wave.dot(*v) + phase)).sum();
        *v *= 1.0 + bump * height * 0.4;
    }
    mesh
}

/// Returns the twelve corners, of length 1, and the twenty faces, counter-clockwise seen from
/// outside.
fn icosahedron() -> ([DVec3; 12], [[u32; 3]; 20]) {
    let golden = (1.0 + sqrt(5.0)) * 0.5;
    let s = 1.0 / sqrt(1.0 + golden * golden);
    let (one, phi) = (s, golden * s);
    let v = DVec3::new;
    let corners = [
        v(-one, phi, 0.0),
        v(one, phi, 0.0),
        v(-one, -phi, 0.0),
        v(one, -phi, 0.0),
        v(0.0, -one, phi),
        v(0.0, one, phi),
        v(0.0, -one, -phi),
        v(0.0, one, -phi),
        v(phi, 0.0, -one),
        v(phi, 0.0, one),
        v(-phi, 0.0, -one),
        v(-phi, 0.0, one),
    ];
    #[rustfmt::skip]
    let faces = [
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    (corners, faces)
}
