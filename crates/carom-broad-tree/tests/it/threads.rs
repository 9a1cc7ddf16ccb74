//! The pairs are the same on one, two and seven threads.

use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};
use carom_testkit::conform::{broad_phase, threads};

#[test]
fn one_two_and_seven_threads_give_the_same() {
    threads::check("tree", DynamicBvh::new);
    threads::check("rebuilt tree", RebuiltBvh::new);
    threads::check("kd-tree", KdTree::new);
}

#[test]
fn conforms_with_threads() {
    broad_phase::check(DynamicBvh::new);
    broad_phase::check(RebuiltBvh::new);
    broad_phase::check(KdTree::new);
}
