//! obvhs: its binary tree, built, refitted and searched; its compressed wide tree for rays.

use carom_bounds::{Aabb, BoundingVolume as _};
use carom_math::Ray;
use glam::Vec3;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::RayHit;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;
use std::time::Duration;

/// Returns a box for obvhs.
pub fn aabb(aabb: &Aabb) -> obvhs::aabb::Aabb {
    obvhs::aabb::Aabb::new(aabb.min.into(), aabb.max.into())
}

/// Returns a tree over boxes.
pub fn build(boxes: &[obvhs::aabb::Aabb], params: BvhBuildParams) -> Bvh2 {
    build_bvh2(boxes, params, &mut Duration::default())
}

/// Sets the boxes of all leaves and refits the tree.
pub fn refit(tree: &mut Bvh2, boxes: &[obvhs::aabb::Aabb]) {
    let indices = &tree.primitive_indices;
    for node in &mut tree.nodes {
        if node.is_leaf() {
            let first = node.first_index as usize;
            let own = &indices[first..first + node.prim_count as usize];
            let all = own.iter().map(|&i| boxes[i as usize]).reduce(|a, b| a.union(&b));
            node.set_aabb(all.unwrap_or_default());
        }
    }
    tree.refit_all();
}

/// Returns the primitives whose own boxes overlap the query, sorted.
pub fn found(tree: &Bvh2, boxes: &[Aabb], query: &Aabb) -> Vec<u32> {
    let mut found = Vec::new();
    tree.aabb_traverse(aabb(query), |tree, node| {
        let node = &tree.nodes[node as usize];
        let first = node.first_index as usize;
        let own = &tree.primitive_indices[first..first + node.prim_count as usize];
        found.extend(own.iter().copied().filter(|&i| boxes[i as usize].overlaps(query)));
        true
    });
    found.sort_unstable();
    found
}

/// A mesh in the wide tree of obvhs for rays, with its triangles in the tree's order.
pub struct Rays {
    tree: CwBvh,
    triangles: Vec<RtTriangle>,
}

impl Rays {
    /// Returns a tree of medium quality over the triangles.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let corner = |i: u32| vertices[i as usize].into();
        let triangles: Vec<Triangle> = triangles
            .iter()
            .map(|&[a, b, c]| Triangle { v0: corner(a), v1: corner(b), v2: corner(c) })
            .collect();
        let tree =
            build_cwbvh_from_tris(&triangles, BvhBuildParams::medium_build(), &mut Duration::default());
        let triangles = tree
            .primitive_indices
            .iter()
            .map(|&i| triangles[i as usize])
            .map(|t| RtTriangle::new(t.v0, t.v1, t.v2))
            .collect();
        Self { tree, triangles }
    }

    /// Returns the ray parameter of the first hit; infinity for none.
    pub fn closest(&self, ray: &Ray) -> f32 {
        let ray = obvhs::ray::Ray::new_inf(ray.origin.into(), ray.direction.into());
        let mut hit = RayHit::none();
        let is_hit =
            self.tree.ray_traverse(ray, &mut hit, |ray, triangle| self.triangles[triangle].intersect(ray));
        if is_hit { hit.t } else { f32::INFINITY }
    }
}
