//! A frustum query classifies the bounds of many boxes at once, so it classifies few single boxes.

use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};
use carom_testkit::conform::spatial_index::few_boxes_are_tested;

#[test]
fn a_view_tests_few_boxes() {
    few_boxes_are_tested("tree", DynamicBvh::new);
    few_boxes_are_tested("rebuilt tree", RebuiltBvh::new);
    few_boxes_are_tested("kd-tree", KdTree::new);
}
