//! obvhs: its binary tree, built, refitted and searched.

use carom_bounds::{Aabb, BoundingVolume as _};
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use std::time::Duration;

/// A box for obvhs.
pub fn aabb(aabb: &Aabb) -> obvhs::aabb::Aabb {
    obvhs::aabb::Aabb::new(aabb.min.into(), aabb.max.into())
}

/// A tree over boxes.
pub fn build(boxes: &[obvhs::aabb::Aabb], params: BvhBuildParams) -> Bvh2 {
    build_bvh2(boxes, params, &mut Duration::default())
}

/// The boxes of all leaves are told anew, and the tree is refitted.
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

/// The primitives whose own boxes overlap the query, sorted.
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
