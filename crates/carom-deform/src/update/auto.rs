//! Lazy or whole steps, chosen by the cost of queries in the steps before. A whole step computes
//! all boxes.
//!
//! - A step begins lazy. It becomes whole at the first query after more than a quarter of the
//!   boxes were computed. So small queries compute little more than five quarters of the boxes,
//!   and one large query at most doubles the work.
//! - After such a step, some steps are whole from their beginning: one, then twice as many at each
//!   failure, up to 16. So lazy steps that fail cost little, and a return to few queries is
//!   noticed.
//! - A whole step also rebuilds worn parts, if queries and searches since the last build have cost
//!   a quarter of a build. Worn parts are those whose boxes have grown. To find wear that does not
//!   show in boxes, the whole tree is rebuilt now and then.
//!
//! The costs are counts, not times, so the choice is the same on every machine. The cost is not
//! far above that of the best tree (test: `update_costs::auto_is_never_far_above_the_best`).
//!
//! Reference: R. Karp, On-line Algorithms Versus Off-line Algorithms, 1992 (rent until the rent
//! comes near the price).

use super::lazy::LazyBoxes;
use super::{FollowingTree, RebuiltTree, Sealed};
use crate::bounds::Bounds;
use crate::counters::TreeWork;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_bvh::Bvh;

/// A lazy step becomes whole when more than one in this many features was computed for queries.
const LAZY_UNTIL: u64 = 4;

/// The most steps that are whole from their beginning before a lazy one is tried again.
const MAX_WHOLE_STEPS: u32 = 16;

/// The fewest and the most whole steps before a rebuild without visible wear. A build costs as
/// much as some 25 whole steps.
const WAITS: (u32, u32) = (128, 1024);

/// Tests per feature from which a rebuild may pay: a quarter of its cost.
const BUILD_FROM: u64 = 25;

/// Tests per feature that a search over all of them takes at least.
const TESTS_OF_SEARCH: u64 = 5;

/// A tree that is lazy in steps with few queries and whole in others.
#[derive(Clone, Debug)]
pub struct AutoTree {
    whole: RebuiltTree,
    lazy: LazyBoxes,
    is_complete: bool,
    /// Features computed for queries in this step.
    computed: u64,
    /// The number of whole steps after the last failed lazy one, and how many of them are left.
    whole_steps: u32,
    whole_left: u32,
    /// The tests counted for searches, and the number of all tests at the last build.
    searched: u64,
    tests_then: u64,
    lazy_work: TreeWork,
}

impl AutoTree {
    /// Brings all boxes up to date, if they are not.
    fn update_all(&mut self, bounds: &Bounds<'_>) {
        if self.is_complete {
            return;
        }
        self.is_complete = true;
        let tests = self.whole.work().box_tests + self.lazy_work.box_tests + self.searched;
        if tests - self.tests_then < BUILD_FROM * bounds.len() as u64 {
            self.whole.refit(bounds);
        } else if self.whole.follow(bounds) {
            self.tests_then = tests;
            self.lazy.begin(self.whole.tree(), self.whole.boxes());
            return;
        }
        self.lazy.reset(self.whole.tree(), self.whole.boxes());
    }
}

impl Sealed for AutoTree {}

impl FollowingTree for AutoTree {
    fn build(bounds: &Bounds<'_>) -> AutoTree {
        let whole = RebuiltTree::build(bounds).with_waits(WAITS.0, WAITS.1);
        let lazy = LazyBoxes::new(whole.tree(), whole.boxes());
        AutoTree {
            whole,
            lazy,
            is_complete: true,
            computed: 0,
            whole_steps: 0,
            whole_left: 0,
            searched: 0,
            tests_then: 0,
            lazy_work: TreeWork::default(),
        }
    }

    fn advance(&mut self, bounds: &Bounds<'_>, drift: f32) {
        let is_whole = 0 < self.whole_left;
        if is_whole {
            self.whole_left -= 1;
        } else if 0 < self.computed && !has_failed(self.computed, bounds) {
            self.whole_steps = 0;
        }
        (self.computed, self.is_complete) = (0, false);
        if self.lazy.advance(drift) || is_whole {
            self.update_all(bounds);
        }
    }

    fn renumber(&mut self, bounds: &Bounds<'_>, origins: &[u32]) {
        self.whole.follow_edits(bounds, origins);
        self.lazy.begin(self.whole.tree(), self.whole.boxes());
        (self.computed, self.is_complete) = (0, true);
    }

    fn collect_touching(&mut self, bounds: &Bounds<'_>, query: &Aabb, out: &mut Vec<u32>) {
        if !self.is_complete && has_failed(self.computed, bounds) {
            self.whole_steps = (2 * self.whole_steps).clamp(1, MAX_WHOLE_STEPS);
            self.whole_left = self.whole_steps;
            self.update_all(bounds);
        }
        if self.is_complete {
            self.whole.collect(query, out);
            return;
        }
        let (first, before) = (out.len(), self.lazy_work.updates);
        self.lazy.collect(self.whole.tree(), bounds, query, out, &mut self.lazy_work);
        self.computed += self.lazy_work.updates - before;
        out[first..].sort_unstable();
    }

    fn complete(&mut self, bounds: &Bounds<'_>) {
        self.searched += TESTS_OF_SEARCH * bounds.len() as u64;
        self.update_all(bounds);
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

    fn visit_fresh(&self, visit: &mut dyn FnMut(&Aabb)) {
        if self.is_complete {
            self.whole.visit_fresh(visit);
        } else {
            self.lazy.visit_fresh(self.whole.tree(), visit);
        }
    }
}

/// Whether a lazy step has computed so much that a whole one would have been better.
fn has_failed(computed: u64, bounds: &Bounds<'_>) -> bool {
    (bounds.len() as u64) < LAZY_UNTIL * computed
}
