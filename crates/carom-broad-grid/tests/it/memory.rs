//! Memory per box and per pair is at most that of the table in the head of the crate.

use carom_broad_grid::{
    CoherentGrid, HierarchicalGrid, LooseOctree, LooseQuadtree, SpatialHash, UniformGrid,
};
use carom_testkit::conform::memory;

#[test]
fn uniform_takes_64_bytes_a_box_and_24_a_pair() {
    memory::check("uniform grid", UniformGrid::new, UniformGrid::bytes, 64.0, 24.0);
}

#[test]
fn hierarchical_takes_114_bytes_a_box_and_24_a_pair() {
    memory::check("hierarchical grid", HierarchicalGrid::new, HierarchicalGrid::bytes, 114.0, 24.0);
}

#[test]
fn hashed_takes_254_bytes_a_box_and_29_a_pair() {
    memory::check("spatial hash", SpatialHash::new, SpatialHash::bytes, 254.0, 29.0);
}

#[test]
fn loose_takes_174_bytes_a_box_and_24_a_pair() {
    memory::check("loose octree", LooseOctree::new, LooseOctree::bytes, 174.0, 24.0);
}

#[test]
fn a_quadtree_takes_what_an_octree_takes() {
    memory::check("loose quadtree", LooseQuadtree::new, LooseQuadtree::bytes, 174.0, 24.0);
}

#[test]
fn coherent_takes_194_bytes_a_box_and_34_a_pair() {
    memory::check("coherent grid", CoherentGrid::new, CoherentGrid::bytes, 194.0, 34.0);
}
