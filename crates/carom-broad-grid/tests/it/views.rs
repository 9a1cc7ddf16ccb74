//! A frustum query classifies the bounds of many boxes at once, so it classifies few single boxes.

use carom_broad_grid::{CoherentGrid, HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::spatial_index::few_are_asked;

#[test]
fn a_view_is_asked_about_few_boxes() {
    few_are_asked("uniform grid", UniformGrid::new);
    few_are_asked("hierarchical grid", HierarchicalGrid::new);
    few_are_asked("coherent grid", CoherentGrid::new);
    few_are_asked("spatial hash", SpatialHash::new);
    few_are_asked("loose octree", LooseOctree::new);
}
