//! The pairs are the same on one, two and seven threads.

use carom_broad_grid::{
    CoherentGrid, HierarchicalGrid, LooseOctree, LooseQuadtree, SpatialHash, UniformGrid,
};
use carom_testkit::conform::threads;

#[test]
fn one_two_and_seven_threads_give_the_same() {
    threads::check("uniform grid", UniformGrid::new);
    threads::check("coherent grid", CoherentGrid::new);
    threads::check("hierarchical grid", HierarchicalGrid::new);
    threads::check("spatial hash", SpatialHash::new);
    threads::check("loose octree", LooseOctree::new);
    threads::check("loose quadtree", LooseQuadtree::new);
}
