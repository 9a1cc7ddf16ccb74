//! A frustum query classifies the bounds of many boxes at once, so it classifies few single boxes.

use carom_broad_grid::{CoherentGrid, HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::spatial_index::few_boxes_are_tested;

#[test]
fn a_view_tests_few_boxes() {
    few_boxes_are_tested("uniform grid", UniformGrid::new);
    few_boxes_are_tested("hierarchical grid", HierarchicalGrid::new);
    few_boxes_are_tested("coherent grid", CoherentGrid::new);
    few_boxes_are_tested("spatial hash", SpatialHash::new);
    few_boxes_are_tested("loose octree", LooseOctree::new);
}
