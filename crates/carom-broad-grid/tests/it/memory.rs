//! Memory per box and per pair is what the documentation says.

use carom_broad_grid::{CoherentGrid, HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::memory;

#[test]
fn uniform_takes_60_bytes_a_box_and_20_a_pair() {
    memory::check("uniform grid", UniformGrid::new, UniformGrid::bytes, 60.0, 20.0);
}

#[test]
fn hierarchical_takes_110_bytes_a_box_and_20_a_pair() {
    memory::check("hierarchical grid", HierarchicalGrid::new, HierarchicalGrid::bytes, 110.0, 20.0);
}

#[test]
fn hashed_takes_250_bytes_a_box_and_25_a_pair() {
    memory::check("spatial hash", SpatialHash::new, SpatialHash::bytes, 250.0, 25.0);
}

#[test]
fn loose_takes_170_bytes_a_box_and_20_a_pair() {
    memory::check("loose octree", LooseOctree::new, LooseOctree::bytes, 170.0, 20.0);
}

#[test]
fn coherent_takes_190_bytes_a_box_and_30_a_pair() {
    memory::check("coherent grid", CoherentGrid::new, CoherentGrid::bytes, 190.0, 30.0);
}
