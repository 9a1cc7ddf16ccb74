//! A frustum query classifies the bounds of many boxes at once, so it classifies few single boxes.

use carom_broad_tree::{DynamicBvh, KdTree, RebuiltBvh};
use carom_testkit::conform::spatial_index::few_are_asked;

#[test]
fn a_view_is_asked_about_few_boxes() {
    few_are_asked("tree", DynamicBvh::new);
    few_are_asked("rebuilt tree", RebuiltBvh::new);
    few_are_asked("kd-tree", KdTree::new);
}
