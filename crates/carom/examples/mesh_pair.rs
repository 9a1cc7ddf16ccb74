//! Two rings of triangles, linked like a chain: do they touch, and how far apart are they? Moved
//! until they cut each other, the triangles that cross are listed, and decided exactly.
//!
//! `cargo run -p carom --example mesh_pair`

use carom::geom::TriMesh;
use carom::query::{MeshShape, triangle_pairs};
use carom::{Pose, Quat, Shape, Vec3};
use std::f32::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// A torus around y: `n` by `n` vertices.
fn torus(radius: f32, tube: f32, n: u32) -> Result<TriMesh, Box<dyn std::error::Error>> {
    let at = |i: u32, j: u32| {
        let (around, across) = (i as f32 / n as f32 * TAU, j as f32 / n as f32 * TAU);
        Quat::from_rotation_y(around) * Vec3::new(radius + tube * across.cos(), tube * across.sin(), 0.0)
    };
    let vertices = (0..n * n).map(|v| at(v / n, v % n)).collect();
    let corner = |i: u32, j: u32| (i % n) * n + j % n;
    let quads = (0..n * n).map(|v| (v / n, v % n));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Ok(TriMesh::new(vertices, triangles.collect())?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = Arc::new(MeshShape::new(torus(1.0, 0.25, 64)?)?);
    let shape = Shape::Mesh(ring.clone());
    let here = Pose::IDENTITY;
    // The second ring stands upright, and its tube goes through the middle of the first.
    let linked = Pose::new(Quat::from_rotation_x(FRAC_PI_2), Vec3::X);
    let gap = carom::distance(&shape, &here, &shape, &linked);
    println!(
        "linked: touch {}, {:.4} m apart",
        carom::intersects(&shape, &here, &shape, &linked),
        gap.distance
    );
    assert!((gap.distance - 0.5).abs() < 0.01, "a ring of 1 m, less the two tubes");

    let crossing = Pose::new(linked.rotation, Vec3::X * 0.4);
    let mut pairs = Vec::new();
    triangle_pairs(&ring, &here, &ring, &crossing, &mut pairs);
    println!("crossing: {} pairs of triangles, the first is {:?}", pairs.len(), pairs[0]);
    assert!(carom::intersects(&shape, &here, &shape, &crossing));
    assert_eq!(carom::distance(&shape, &here, &shape, &crossing).distance, 0.0);
    Ok(())
}
