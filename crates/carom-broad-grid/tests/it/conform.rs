//! Every grid passes the conformance suites.

use carom_broad_coherent::VerletListSettings;
use carom_broad_grid::{
    CoherentGrid, Flat, HierarchicalGrid, LooseOctree, LooseQuadtree, SparseGrid, SpatialHash, UniformGrid,
};
use carom_testkit::conform;

#[test]
fn uniform_conforms_to_broad_phase() {
    conform::broad_phase::check(UniformGrid::new);
}

#[test]
fn uniform_conforms_to_spatial_index() {
    conform::spatial_index::check(UniformGrid::new);
}

#[test]
fn hierarchical_conforms_to_broad_phase() {
    conform::broad_phase::check(HierarchicalGrid::new);
}

#[test]
fn hierarchical_conforms_to_spatial_index() {
    conform::spatial_index::check(HierarchicalGrid::new);
}

#[test]
fn hashed_conforms_to_broad_phase() {
    conform::broad_phase::check(SpatialHash::new);
}

#[test]
fn hashed_conforms_to_spatial_index() {
    conform::spatial_index::check(SpatialHash::new);
}

#[test]
fn loose_conforms_to_broad_phase() {
    conform::broad_phase::check(LooseOctree::new);
}

#[test]
fn loose_conforms_to_spatial_index() {
    conform::spatial_index::check(LooseOctree::new);
}

/// Returns a quadtree that leaves out this axis.
fn without(axis: usize) -> LooseQuadtree {
    LooseQuadtree::with_finder(SparseGrid::with_placement(Flat::without(axis).unwrap()))
}

#[test]
fn quadtree_conforms_to_broad_phase() {
    for axis in 0..3 {
        conform::broad_phase::check(|| without(axis));
    }
    assert_eq!(Flat::without(1), Some(Flat::default()));
    assert_eq!(Flat::without(3), None);
}

#[test]
fn quadtree_conforms_to_spatial_index() {
    for axis in 0..3 {
        conform::spatial_index::check(|| without(axis));
    }
}

#[test]
fn coherent_conforms_to_broad_phase() {
    conform::broad_phase::check(CoherentGrid::new);
    let settings = VerletListSettings::default();
    conform::broad_phase::check(|| CoherentGrid::with_settings(settings.with_keep_lists(false)));
    conform::broad_phase::check(|| CoherentGrid::with_settings(settings.with_margin_frames(100.0)));
    conform::broad_phase::check(|| CoherentGrid::with_settings(settings.with_spread_from(0)));
    conform::renewal::check("coherent grid", CoherentGrid::with_settings);
}

#[test]
fn coherent_conforms_to_spatial_index() {
    conform::spatial_index::check(CoherentGrid::new);
}
