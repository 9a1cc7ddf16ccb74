//! The upper half of the tree bottom up in each step, the lower half top down where a query comes.
//!
//! In each step, each node at the middle level gets its box from all features below it, and the
//! levels above from these boxes. Below the middle, a query computes the box of each child that it
//! comes to from all features below that child, once in each step. Every vertex is read in each
//! step, which is most of the cost of a refit.
//!
//! Reference: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming
//! Bodies, 2001; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.7.

use super::layout::{Layout, filled};
use super::{FollowingTree, Sealed, build_tree, refit_tree, renumber_tree};
use crate::bounds::{Bounds, around};
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{Bvh, Child};

/// A tree whose upper half is brought up to date in each step, and the lower half on demand.
#[derive(Clone, Debug, Default)]
pub struct HybridTree {
    tree: Bvh,
    layout: Layout,
    /// By feature number; exact after a call of `complete`.
    boxes: Vec<Aabb>,
    /// By reference; exact if its step is the present one.
    parts: Vec<Aabb>,
    steps: Vec<u64>,
    step: u64,
    /// Nodes of lower levels are above the middle.
    middle: u32,
    stack: Vec<u32>,
    work: TreeWork,
}

impl HybridTree {
    /// Starts again with a tree that has other nodes than before.
    fn begin(&mut self, bounds: &Bounds<'_>) {
        let n = 8 * self.tree.n_nodes();
        self.layout.set(&self.tree);
        self.middle = self.layout.levels.iter().max().map_or(0, |deepest| deepest + 1).div_ceil(2);
        filled(&mut self.parts, n, Aabb::EMPTY);
        filled(&mut self.steps, n, 0);
        self.fit_upper(bounds);
    }

    fn fit_upper(&mut self, bounds: &Bounds<'_>) {
        self.step += 1;
        for node in (0..self.tree.n_nodes() as u32).rev() {
            let level = self.layout.levels[node as usize];
            if self.middle <= level {
                continue;
            }
            for (reference, child) in self.tree.children(node) {
                let merges = match child {
                    Child::Node(inner) if level + 1 < self.middle => Some(inner),
                    _ => None,
                };
                self.parts[reference] = match merges {
                    Some(inner) => around(self.tree.children(inner).map(|(below, _)| self.parts[below])),
                    None => fitted(bounds, &self.layout, reference, &mut self.work),
                };
                self.steps[reference] = self.step;
            }
        }
    }
}

/// The box of all features below a reference.
fn fitted(bounds: &Bounds<'_>, layout: &Layout, reference: usize, work: &mut TreeWork) -> Aabb {
    let below = &layout.order[layout.range(reference)];
    work.updates += below.len() as u64;
    around(below.iter().map(|&feature| bounds.of(feature)))
}

impl Sealed for HybridTree {}

impl FollowingTree for HybridTree {
    fn build(bounds: &Bounds<'_>) -> HybridTree {
        let mut boxes = Vec::new();
        bounds.collect(&mut boxes);
        let mut hybrid = HybridTree { tree: build_tree(&boxes), boxes, ..HybridTree::default() };
        hybrid.begin(bounds);
        hybrid
    }

    fn advance(&mut self, bounds: &Bounds<'_>, _drift: f32) {
        self.fit_upper(bounds);
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        bounds.collect(&mut self.boxes);
        renumber_tree(&mut self.tree, &self.boxes, origins, &mut self.work);
        self.begin(bounds);
    }

    fn collect_touching(&mut self, bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        let first = out.len();
        self.stack.clear();
        if 0 < self.tree.n_nodes() {
            self.stack.push(0);
        }
        while let Some(node) = self.stack.pop() {
            for (reference, child) in self.tree.children(node) {
                if self.steps[reference] != self.step {
                    self.parts[reference] = fitted(bounds, &self.layout, reference, &mut self.work);
                    self.steps[reference] = self.step;
                }
                self.work.box_tests += 1;
                if !self.parts[reference].overlaps(query) {
                    continue;
                }
                match child {
                    Child::Node(inner) => self.stack.push(inner),
                    Child::Leaf(leaf) => {
                        self.work.updates += leaf.primitives.len() as u64;
                        let touches = |&feature: &u32| bounds.of(feature).overlaps(query);
                        out.extend(leaf.primitives.iter().copied().filter(touches));
                    }
                }
            }
        }
        out[first..].sort_unstable();
    }

    fn complete(&mut self, bounds: &Bounds<'_>) {
        bounds.collect(&mut self.boxes);
        refit_tree(&mut self.tree, &self.boxes);
        self.work.updates += self.boxes.len() as u64;
        self.work.refits += 1;
    }

    fn tree(&self) -> &Bvh {
        &self.tree
    }

    fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    fn work(&self) -> TreeWork {
        self.work
    }

    fn visit_fresh(&self, visit: &mut dyn FnMut(&Aabb)) {
        for node in 0..self.tree.n_nodes() as u32 {
            let fresh = self.tree.children(node).filter(|(reference, _)| self.steps[*reference] == self.step);
            fresh.for_each(|(reference, _)| visit(&self.parts[reference]));
        }
    }
}
