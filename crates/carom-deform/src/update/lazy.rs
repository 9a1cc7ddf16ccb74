//! No box is computed until a query comes near it.
//!
//! - Boxes stay as they were fitted last. A query takes them as grown by the drift since then: a
//!   bound on how far any side may have moved.
//! - Subtrees of up to 64 features are parts. If a query meets the grown box of a part, all boxes
//!   of the part are computed exactly, once in each step.
//! - If the drift exceeds the mean half size of the parts, all boxes are brought up to date.
//! - Sums of drifts are rounded up one by one, so no difference of two sums is too small.
//!
//! Reference: none known for the growth by a bound; T. Larsson, T. Akenine-Moller, Efficient
//! Collision Detection for Models Deformed by Morphing, 2003 (update on the way down). Differs: no
//! vertex is read above the parts.

use super::layout::{Layout, filled};
use super::{FollowingTree, Sealed, build_tree, collect_exact, refit_tree, renumber_tree};
use crate::bounds::{Bounds, around, grown};
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_bvh::{Bvh, Child};
use carom_math::rounding;

/// The most features of a part that is fitted at once.
const MAX_PART: usize = 64;

/// Boxes that grow with the drift. The tree is stored by the caller.
#[derive(Clone, Debug, Default)]
pub(super) struct LazyBoxes {
    layout: Layout,
    /// By reference; for a part, its box when it was fitted last.
    boxes: Vec<Aabb>,
    /// The sum of drifts when a part was fitted.
    fitted: Vec<f64>,
    /// The step in which a part was fitted.
    steps: Vec<u64>,
    /// The boxes of features in the order of the layout; exact in parts that were fitted in this
    /// step.
    exact: Vec<Aabb>,
    /// The sum of drifts since all was fitted.
    total: f64,
    /// The drift from which on all is fitted anew.
    limit: f64,
    step: u64,
    stack: Vec<u32>,
}

impl LazyBoxes {
    /// Returns the boxes of a tree whose boxes are all exact.
    pub(super) fn new(tree: &Bvh, boxes: &[Aabb]) -> LazyBoxes {
        let mut lazy = LazyBoxes::default();
        lazy.begin(tree, boxes);
        lazy
    }

    /// Starts again with a tree that has other nodes than before; its boxes are exact.
    pub(super) fn begin(&mut self, tree: &Bvh, boxes: &[Aabb]) {
        let n = 8 * tree.n_nodes();
        self.layout.set(tree);
        filled(&mut self.boxes, n, Aabb::EMPTY);
        filled(&mut self.fitted, n, 0.0);
        filled(&mut self.steps, n, 0);
        filled(&mut self.exact, tree.len(), Aabb::EMPTY);
        self.reset(tree, boxes);
    }

    /// Copies all boxes from the tree, whose boxes are exact and whose parts have not changed.
    pub(super) fn reset(&mut self, tree: &Bvh, boxes: &[Aabb]) {
        self.total = 0.0;
        self.fitted.fill(0.0);
        self.steps.fill(self.step);
        for (index, &feature) in self.layout.order.iter().enumerate() {
            self.exact[index] = boxes[feature as usize];
        }
        let (mut sum, mut n) = (0.0, 0_u32);
        for node in 0..tree.n_nodes() as u32 {
            for (reference, _) in tree.children(node) {
                self.boxes[reference] = tree.volume(reference);
                if self.layout.range(reference).len() <= MAX_PART {
                    sum += f64::from(self.boxes[reference].half_extents().max_element());
                    n += 1;
                }
            }
        }
        self.limit = if n == 0 { 0.0 } else { sum / f64::from(n) };
    }

    /// Begins a new step. Returns whether the drift requires a fit of all boxes.
    pub(super) fn advance(&mut self, drift: f32) -> bool {
        self.step += 1;
        if 0.0 < drift {
            self.total = (self.total + f64::from(drift)).next_up();
        }
        self.limit < self.total
    }

    /// Calls `visit` with the box of each part that was fitted in this step.
    pub(super) fn visit_fresh(&self, tree: &Bvh, visit: &mut dyn FnMut(&Aabb)) {
        for node in 0..tree.n_nodes() as u32 {
            let fresh = tree.children(node).filter(|(reference, _)| self.steps[*reference] == self.step);
            fresh.for_each(|(reference, _)| visit(&self.boxes[reference]));
        }
    }

    /// Collects the features that touch the query, unsorted.
    pub(super) fn collect(
        &mut self,
        tree: &Bvh,
        bounds: &Bounds<'_>,
        query: &Aabb,
        out: &mut Vec<u32>,
        work: &mut TreeWork,
    ) {
        // Boxes grow, not the query: the growth also covers the rounding of the boxes.
        let whole = slack(self.total, 0.0);
        self.stack.clear();
        if 0 < tree.n_nodes() {
            self.stack.push(0);
        }
        while let Some(node) = self.stack.pop() {
            for (reference, child) in tree.children(node) {
                let range = self.layout.range(reference);
                work.box_tests += 1;
                if MAX_PART < range.len() {
                    if grown(&self.boxes[reference], whole).overlaps(query)
                        && let Child::Node(inner) = child
                    {
                        self.stack.push(inner);
                    }
                    continue;
                }
                if self.steps[reference] != self.step {
                    let near = grown(&self.boxes[reference], slack(self.total, self.fitted[reference]));
                    if !near.overlaps(query) {
                        continue;
                    }
                    let parts = self.layout.order[range.clone()].iter().zip(&mut self.exact[range.clone()]);
                    for (&feature, exact) in parts {
                        *exact = bounds.of(feature);
                    }
                    self.boxes[reference] = around(self.exact[range.clone()].iter().copied());
                    self.steps[reference] = self.step;
                    self.fitted[reference] = self.total;
                    work.updates += range.len() as u64;
                }
                if self.boxes[reference].overlaps(query) {
                    work.box_tests += range.len() as u64;
                    let exact = self.layout.order[range.clone()].iter().zip(&self.exact[range]);
                    out.extend(exact.filter(|(_, aabb)| aabb.overlaps(query)).map(|(&feature, _)| feature));
                }
            }
        }
    }
}

/// Returns the difference of two sums of drifts, rounded up.
fn slack(now: f64, then: f64) -> f32 {
    if now <= then { 0.0 } else { rounding::up((now - then).next_up()) }
}

/// A tree whose boxes are computed where a query needs them.
#[derive(Clone, Debug, Default)]
pub struct LazyTree {
    tree: Bvh,
    /// By feature number; exact if `is_complete`.
    boxes: Vec<Aabb>,
    lazy: LazyBoxes,
    is_complete: bool,
    work: TreeWork,
}

impl Sealed for LazyTree {}

impl FollowingTree for LazyTree {
    fn build(bounds: &Bounds<'_>) -> LazyTree {
        let mut boxes = Vec::new();
        bounds.collect(&mut boxes);
        let tree = build_tree(&boxes);
        let work = TreeWork { updates: boxes.len() as u64, ..TreeWork::default() };
        LazyTree { lazy: LazyBoxes::new(&tree, &boxes), tree, boxes, is_complete: true, work }
    }

    fn advance(&mut self, bounds: &Bounds<'_>, drift: f32) {
        self.is_complete = false;
        if self.lazy.advance(drift) {
            self.complete(bounds);
        }
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        bounds.collect(&mut self.boxes);
        renumber_tree(&mut self.tree, &self.boxes, origins, &mut self.work);
        self.lazy.begin(&self.tree, &self.boxes);
        self.is_complete = true;
    }

    fn collect_touching(&mut self, bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        if self.is_complete {
            collect_exact(&self.tree, &self.boxes, query, out, &mut self.work);
            return;
        }
        let first = out.len();
        self.lazy.collect(&self.tree, bounds, query, out, &mut self.work);
        out[first..].sort_unstable();
    }

    fn complete(&mut self, bounds: &Bounds<'_>) {
        if self.is_complete {
            return;
        }
        bounds.collect(&mut self.boxes);
        refit_tree(&mut self.tree, &self.boxes);
        self.lazy.reset(&self.tree, &self.boxes);
        self.is_complete = true;
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
        self.lazy.visit_fresh(&self.tree, visit);
    }
}
