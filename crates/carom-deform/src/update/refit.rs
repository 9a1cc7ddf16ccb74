//! All boxes in each step, from the leaves to the root.
//!
//! The boxes of features are computed in the order of their numbers. The leaves of the tree have
//! another order than the mesh in memory. The pass over the nodes is carom-bvh's.
//!
//! Reference: G. van den Bergen, Efficient Collision Detection of Complex Deformable Models using
//! AABB Trees, 1997.

use super::{FollowingTree, Sealed, build_tree, collect_exact, refit_tree, renumber_tree};
use crate::bounds::Bounds;
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Bvh;

/// A tree whose boxes are all brought up to date in each step.
#[derive(Clone, Debug, Default)]
pub struct RefitTree {
    tree: Bvh,
    boxes: Vec<Aabb>,
    work: TreeWork,
}

impl Sealed for RefitTree {}

impl FollowingTree for RefitTree {
    fn build(bounds: &Bounds<'_>) -> RefitTree {
        let mut boxes = Vec::new();
        bounds.collect(&mut boxes);
        let work = TreeWork { updates: boxes.len() as u64, ..TreeWork::default() };
        RefitTree { tree: build_tree(&boxes), boxes, work }
    }

    fn advance(&mut self, bounds: &Bounds<'_>, _drift: f32) {
        bounds.collect(&mut self.boxes);
        refit_tree(&mut self.tree, &self.boxes);
        self.work.updates += self.boxes.len() as u64;
        self.work.refits += 1;
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        bounds.collect(&mut self.boxes);
        renumber_tree(&mut self.tree, &self.boxes, origins, &mut self.work);
    }

    fn collect_touching(&mut self, _bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        collect_exact(&self.tree, &self.boxes, query, out, &mut self.work);
    }

    fn complete(&mut self, _bounds: &Bounds<'_>) {}

    fn tree(&self) -> &Bvh {
        &self.tree
    }

    fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    fn work(&self) -> TreeWork {
        self.work
    }
}
