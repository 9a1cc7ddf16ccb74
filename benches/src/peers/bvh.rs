//! bvh: its binary tree, built and searched. It has no refit: leaves are removed and inserted
//! again.

use bvh::aabb::{Aabb as BvhAabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::Bvh;
use bvh::ray::Ray as BvhRay;
use carom_bounds::Aabb;
use carom_math::Ray;
use glam::Vec3;
use nalgebra::{Point3, Vector3};

/// A box for bvh, in which bvh stores its place in the tree.
#[derive(Clone, Debug)]
pub struct Leaf {
    aabb: BvhAabb<f32, 3>,
    number: u32,
    node: usize,
}

impl Bounded<f32, 3> for Leaf {
    fn aabb(&self) -> BvhAabb<f32, 3> {
        self.aabb
    }
}

impl BHShape<f32, 3> for Leaf {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

fn point(v: Vec3) -> Point3<f32> {
    Point3::new(v.x, v.y, v.z)
}

fn aabb(aabb: &Aabb) -> BvhAabb<f32, 3> {
    BvhAabb::with_bounds(point(aabb.min), point(aabb.max))
}

/// Returns boxes for bvh.
pub fn leaves(boxes: &[Aabb]) -> Vec<Leaf> {
    boxes.iter().zip(0..).map(|(b, number)| Leaf { aabb: aabb(b), number, node: 0 }).collect()
}

/// Returns a tree over boxes, built on one thread.
pub fn build(leaves: &mut [Leaf]) -> Bvh<f32, 3> {
    Bvh::build(leaves)
}

/// Does the same on all threads.
#[cfg(feature = "threads")]
pub fn build_on_threads(leaves: &mut [Leaf]) -> Bvh<f32, 3> {
    Bvh::build_with_executor(leaves, bvh::bvh::rayon_executor)
}

/// Returns the primitives whose boxes overlap the query, sorted.
pub fn found(tree: &Bvh<f32, 3>, leaves: &[Leaf], query: &Aabb) -> Vec<u32> {
    let mut found: Vec<u32> = tree.traverse_iterator(&aabb(query), leaves).map(|leaf| leaf.number).collect();
    found.sort_unstable();
    found
}

/// Returns the least result of `hit` for the primitives whose boxes the ray meets; infinity for
/// none.
pub fn closest(tree: &Bvh<f32, 3>, leaves: &[Leaf], ray: &Ray, hit: impl Fn(u32) -> Option<f32>) -> f32 {
    let direction = Vector3::new(ray.direction.x, ray.direction.y, ray.direction.z);
    let ray = BvhRay::new(point(ray.origin), direction);
    tree.traverse_iterator(&ray, leaves).filter_map(|leaf| hit(leaf.number)).fold(f32::INFINITY, f32::min)
}
