//! No input makes them fall off: the work, counted, stays within a small multiple of what the pairs need.

use carom_broad::BroadPhase;
use carom_broad_grid::{CoherentGrid, HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::cliffs;

/// Needles that lie along all axes fit no cell: what they cost stands in the table of the crate.
fn check<B: BroadPhase>(name: &str, make: impl Fn() -> B, needles: f64) {
    cliffs::check(name, &make, |world| match world {
        "giants" => 10.0,
        "crowd" => 15.0,
        "uniform" | "far" => 30.0,
        "outlier" | "line" | "plane" => 40.0,
        "needles" => needles,
        _ => 60.0,
    });
    cliffs::static_ground_costs_nothing(&mut make());
}

#[test]
fn no_world_makes_the_uniform_grid_fall_off() {
    check("uniform grid", UniformGrid::new, 150.0);
}

#[test]
fn no_world_makes_the_hierarchical_grid_fall_off() {
    check("hierarchical grid", HierarchicalGrid::new, 500.0);
}

#[test]
fn no_world_makes_the_spatial_hash_fall_off() {
    check("spatial hash", SpatialHash::new, 400.0);
}

#[test]
fn no_world_makes_the_loose_octree_fall_off() {
    check("loose octree", LooseOctree::new, 2500.0);
}

#[test]
fn no_world_makes_the_coherent_grid_fall_off() {
    check("coherent grid", CoherentGrid::new, 150.0);
}
