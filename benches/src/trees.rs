//! The common parts of benches of trees over triangles: their boxes, and queries of a tree.

use carom_bounds::{Aabb, BoundingVolume as _};
use carom_bvh::Bvh;
use carom_scenes::Rng;
use glam::{DVec3, Vec3};
use std::ops::ControlFlow;

/// Returns the boxes of triangles.
pub fn boxes(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Aabb> {
    let corner = |i: u32| vertices[i as usize];
    triangles
        .iter()
        .map(|&[a, b, c]| Aabb {
            min: corner(a).min(corner(b)).min(corner(c)),
            max: corner(a).max(corner(b)).max(corner(c)),
        })
        .collect()
}

/// Returns query boxes, by whose results trees are compared.
pub fn queries() -> Vec<Aabb> {
    let mut rng = Rng::new(12);
    (0..200)
        .map(|_| {
            let center = rng.in_box(DVec3::new(-0.9, -0.9, -0.4), DVec3::new(0.9, 0.9, 0.4));
            Aabb::around(center - DVec3::splat(0.05), center + DVec3::splat(0.05))
        })
        .collect()
}

/// Returns the primitives whose own boxes overlap the query, by carom's tree.
pub fn found(tree: &Bvh, boxes: &[Aabb], query: &Aabb) -> Vec<u32> {
    let mut found = Vec::new();
    let _ = tree.visit_box(query, |leaf| {
        found.extend(leaf.primitives.iter().copied().filter(|&i| boxes[i as usize].overlaps(query)));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}
