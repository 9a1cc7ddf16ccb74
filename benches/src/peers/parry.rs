//! parry: a broad phase on its tree, meshes by its leaf pairs, and hulls.

use carom_bounds::Aabb;
use carom_math::Pose;
use glam::{DVec3, Vec3};
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry3d::query::details::intersection_test_support_map_support_map;
use parry3d::shape::{ConvexPolyhedron, TriMesh};

/// Returns a vector for parry, which has a glam of its own.
pub fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Returns a pose for parry.
pub fn pose(pose: &Pose) -> ParryPose {
    let q = pose.rotation;
    ParryPose::from_parts(vector(pose.translation), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Returns a box for parry.
pub fn aabb(aabb: &Aabb) -> parry3d::bounding_volume::Aabb {
    parry3d::bounding_volume::Aabb::new(vector(aabb.min), vector(aabb.max))
}

/// Returns the primitives whose boxes overlap the query, sorted.
pub fn found(tree: &Bvh, query: &Aabb) -> Vec<u32> {
    let query = self::aabb(query);
    let mut found: Vec<u32> = tree.intersect_aabb(&query).collect();
    found.sort_unstable();
    found
}

/// Returns the hull of points, all of which are its vertices.
pub fn hull(points: &[DVec3]) -> Option<ConvexPolyhedron> {
    let points: Vec<Vector> = points.iter().map(|p| vector(p.as_vec3())).collect();
    ConvexPolyhedron::from_convex_hull(&points)
}

/// Returns a mesh for parry.
pub fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Option<TriMesh> {
    TriMesh::new(vertices.iter().map(|v| vector(*v)).collect(), triangles.to_vec()).ok()
}

/// parry's tree as a broad phase, as its users can use it.
pub struct BroadPhase {
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
}

impl BroadPhase {
    /// Returns a tree over the boxes.
    pub fn new(boxes: &[Aabb]) -> Self {
        Self { tree: build(boxes), workspace: BvhWorkspace::default(), pairs: Vec::new() }
    }

    /// Runs one frame: sets the moved boxes, refits the tree and, with `is_improved`, improves it a
    /// little, as rapier does.
    pub fn refit(&mut self, boxes: &[Aabb], moved: &[u32], is_improved: bool) -> &mut [(u32, u32)] {
        for &i in moved {
            self.tree.insert_or_update_partially(aabb(&boxes[i as usize]), i, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        if is_improved {
            self.tree.optimize_incremental(&mut self.workspace);
        }
        self.find()
    }

    /// Runs one frame with a new tree over all boxes.
    pub fn rebuild(&mut self, boxes: &[Aabb]) -> &mut [(u32, u32)] {
        self.tree = build(boxes);
        self.find()
    }

    /// Frees the list of pairs, which is the caller's.
    pub fn forget(&mut self) {
        self.pairs = Vec::new();
    }

    fn find(&mut self) -> &mut [(u32, u32)] {
        self.pairs.clear();
        let pairs = &mut self.pairs;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            pairs.push((a.min(b), a.max(b)))
        });
        &mut self.pairs
    }
}

fn build(boxes: &[Aabb]) -> Bvh {
    Bvh::from_iter(BvhBuildStrategy::Binned, boxes.iter().enumerate().map(|(i, b)| (i, aabb(b))))
}

/// Returns the triangle pairs of two meshes that meet, by parry's trees and its test for two
/// convex shapes, with `b_in_a`. With `is_first`, stops at the first pair.
pub fn mesh_pairs(a: &TriMesh, b: &TriMesh, b_in_a: &ParryPose, is_first: bool, pairs: &mut Vec<(u32, u32)>) {
    pairs.clear();
    // The rotation is turned into a matrix once, not at every node.
    let turn = parry3d::math::Mat3::from_quat(b_in_a.rotation);
    let spread = [turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs()];
    let check = |node_a: &BvhNode, node_b: &BvhNode| {
        let half_b = (node_b.maxs() - node_b.mins()) * 0.5;
        let center_b = turn * node_b.center() + b_in_a.translation;
        let half_b = spread[0] * half_b.x + spread[1] * half_b.y + spread[2] * half_b.z;
        let gap = (node_a.center() - center_b).abs() - (node_a.maxs() - node_a.mins()) * 0.5 - half_b;
        gap.max_element() <= 0.0
    };
    for (i, j) in a.bvh().leaf_pairs(b.bvh(), check) {
        if intersection_test_support_map_support_map(b_in_a, &a.triangle(i), &b.triangle(j)) {
            pairs.push((i, j));
            if is_first {
                return;
            }
        }
    }
}
