//! Meshes of the primitive shapes of URDF.
//!
//! Reference: Open Robotics, URDF XML specification, element geometry: cylinder and capsule stand
//! along z.

use crate::part::RawMesh;
use glam::DVec3;

/// Candidates for the number of sides of a circle, descending; many shapes take fewer.
pub(crate) const SIDES: [usize; 5] = [128, 96, 64, 48, 32];

/// Returns the largest distance of a mesh from the true shape, in radii. The errors around the axis
/// and along the profile are added.
pub(crate) fn inset(sides: usize) -> f64 {
    2.0 * (1.0 - (core::f64::consts::PI / sides as f64).cos())
}

/// Returns an upper bound on the triangles of a capsule or a sphere.
pub(crate) fn n_capsule_triangles(sides: usize) -> u64 {
    (sides * sides) as u64
}

/// Returns the number of triangles of a cylinder.
pub(crate) fn n_cylinder_triangles(sides: usize) -> u64 {
    4 * sides as u64
}

/// Returns a box with these edge lengths, centred at the origin.
pub(crate) fn cuboid(size: [f64; 3]) -> RawMesh {
    let half = DVec3::from_array(size) * 0.5;
    let vertices = (0..8u32)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        })
        .collect();
    #[rustfmt::skip]
    let triangles = vec![
        [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4],
        [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5],
    ];
    RawMesh { vertices, triangles }
}

/// Returns a cylinder along z, centred at the origin.
pub(crate) fn cylinder(radius: f64, length: f64, sides: usize) -> RawMesh {
    revolve(
        sides,
        &[(0.0, -0.5 * length), (radius, -0.5 * length), (radius, 0.5 * length), (0.0, 0.5 * length)],
    )
}

/// Returns a capsule along z, centred at the origin. `length` is that of its straight part.
pub(crate) fn capsule(radius: f64, length: f64, sides: usize) -> RawMesh {
    let steps = sides / 2;
    let profile: Vec<(f64, f64)> = (0..=steps)
        .flat_map(|i| {
            let a = core::f64::consts::PI * (i as f64 / steps as f64 - 0.5);
            let shift = if 2 * i < steps { -0.5 * length } else { 0.5 * length };
            let r = if i == 0 || i == steps { 0.0 } else { radius * a.cos() };
            let point = (r, radius * a.sin() + shift);
            // The equator occurs twice, once for each end of the straight part.
            let twin = (2 * i == steps && 0.0 < length).then_some((point.0, point.1 - length));
            twin.into_iter().chain([point])
        })
        .collect();
    revolve(sides, &profile)
}

/// Revolves a profile of (radius, height) about z, from the bottom pole to the top pole.
fn revolve(sides: usize, profile: &[(f64, f64)]) -> RawMesh {
    let mut mesh = RawMesh::default();
    let last = profile.len() - 1;
    mesh.vertices.push(DVec3::new(0.0, 0.0, profile[0].1));
    for &(r, z) in &profile[1..last] {
        for side in 0..sides {
            let (sin, cos) = (core::f64::consts::TAU * side as f64 / sides as f64).sin_cos();
            mesh.vertices.push(DVec3::new(r * cos, r * sin, z));
        }
    }
    mesh.vertices.push(DVec3::new(0.0, 0.0, profile[last].1));
    let top = mesh.vertices.len() as u32 - 1;
    let at = |ring: usize, side: usize| (1 + ring * sides + side % sides) as u32;
    for side in 0..sides {
        mesh.triangles.push([0, at(0, side + 1), at(0, side)]);
        for ring in 0..last - 2 {
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side + 1), at(ring + 1, side));
            mesh.triangles.push([a, b, c]);
            mesh.triangles.push([a, c, d]);
        }
        mesh.triangles.push([top, at(last - 2, side), at(last - 2, side + 1)]);
    }
    mesh
}
