//! Lazy or whole, by what the queries of the step before cost.
//!
//! A step begins lazy when the last one looked at few features. It becomes whole as soon as a quarter of the features was
//! computed for queries, so no step computes more than five quarters of the boxes. The costs are counts, not times, and the
//! choice is the same on every machine. A whole step also builds anew what has worn.
//!
//! Reference: R. Karp, On-line Algorithms Versus Off-line Algorithms, 1992 (rent until the rent comes near the price).

use super::lazy::LazyBoxes;
use super::{FollowingTree, RebuiltTree, Sealed};
use crate::bounds::Bounds;
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Bvh;

/// A step is whole from its beginning if queries of the last whole step looked at more than one feature in so many.
const WHOLE_FROM: u64 = 20;

/// A lazy step becomes whole, and so does the next one, when one feature in so many was computed for queries.
const LAZY_UNTIL: u64 = 4;

/// A tree that is lazy in steps with few queries and whole in others.
#[derive(Clone, Debug)]
pub struct AutoTree {
    whole: RebuiltTree,
    lazy: LazyBoxes,
    is_complete: bool,
    /// Features looked at by queries in this step, where it is whole; computed for queries, where it is lazy.
    looked_at: u64,
    computed: u64,
    lazy_work: TreeWork,
}

impl Sealed for AutoTree {}

impl FollowingTree for AutoTree {
    fn build(bounds: &Bounds<'_>) -> AutoTree {
        let whole = RebuiltTree::build(bounds);
        let lazy = LazyBoxes::new(whole.tree(), whole.boxes());
        AutoTree { whole, lazy, is_complete: true, looked_at: 0, computed: 0, lazy_work: TreeWork::default() }
    }

    fn advance(&mut self, bounds: &Bounds<'_>, drift: f32) {
        let n = bounds.len() as u64;
        let is_busy = n < WHOLE_FROM * self.looked_at || n < LAZY_UNTIL * self.computed;
        (self.looked_at, self.computed) = (0, 0);
        self.is_complete = false;
        if self.lazy.advance(drift) || is_busy {
            self.complete(bounds);
        }
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        self.whole.follow_edits(bounds, origins);
        self.lazy.begin(self.whole.tree(), self.whole.boxes());
        (self.looked_at, self.computed, self.is_complete) = (0, 0, true);
    }

    fn collect_touching(&mut self, bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        if !self.is_complete && (bounds.len() as u64) < LAZY_UNTIL * self.computed {
            self.complete(bounds);
        }
        if self.is_complete {
            self.looked_at += self.whole.collect(query, out);
            return;
        }
        let (first, before) = (out.len(), self.lazy_work.updates);
        self.lazy.collect(self.whole.tree(), bounds, query, out, &mut self.lazy_work);
        self.computed += self.lazy_work.updates - before;
        out[first..].sort_unstable();
    }

    fn complete(&mut self, bounds: &Bounds<'_>) {
        if self.is_complete {
            return;
        }
        if self.whole.follow(bounds) {
            self.lazy.begin(self.whole.tree(), self.whole.boxes());
        } else {
            self.lazy.reset(self.whole.tree(), self.whole.boxes());
        }
        self.is_complete = true;
    }

    fn tree(&self) -> &Bvh {
        self.whole.tree()
    }

    fn boxes(&self) -> &[Aabb] {
        self.whole.boxes()
    }

    fn work(&self) -> TreeWork {
        let (whole, lazy) = (self.whole.work(), self.lazy_work);
        TreeWork {
            updates: whole.updates + lazy.updates,
            box_tests: whole.box_tests + lazy.box_tests,
            ..whole
        }
    }
}
