//! Difficult worlds: the number of tests stays below a limit per box and pair.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter};
use carom_broad_grid::{
    CoherentGrid, HierarchicalGrid, LooseOctree, LooseQuadtree, SpatialHash, UniformGrid,
};
use carom_testkit::conform::cliffs;
use carom_testkit::conform::dice::Dice;

/// `needles` is the limit for needles along all axes, which fit no cell.
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

/// Boxes of all sizes in three layers on a floor much wider than high.
#[test]
fn a_flat_world_costs_a_quadtree_no_more_than_an_octree() {
    let mut dice = Dice::new(9);
    let mut batch: Vec<(Aabb, Filter)> = Vec::new();
    for i in 0..5000 {
        let mut aabb = dice.aabb(100.0, 0.5f32.powi(i % 6) * 6.0);
        let height = aabb.max.y - aabb.min.y;
        aabb.min.y = 3.0 * (i % 3) as f32;
        aabb.max.y = aabb.min.y + height;
        batch.push((aabb, Filter::default()));
    }
    fn work(mut broad: impl BroadPhase, batch: &[(Aabb, Filter)]) -> (usize, u64, usize) {
        broad.insert_batch(batch, &mut Vec::new()).unwrap();
        let (mut pairs, mut n_volumes) = (Vec::new(), 0);
        broad.pairs(&mut pairs);
        broad.validate().unwrap();
        broad.visit_volumes(&mut |_, _| n_volumes += 1);
        (pairs.len(), broad.counters().tests, n_volumes)
    }
    let (n_pairs, octree_tests, octree_cells) = work(LooseOctree::new(), &batch);
    let (n_same, tests, cells) = work(LooseQuadtree::new(), &batch);
    println!("{n_pairs} pairs; octree {octree_tests} tests, {octree_cells} cells; quadtree {tests}, {cells}");
    assert!(500 < n_pairs && n_pairs == n_same);
    assert!(tests <= octree_tests && cells <= octree_cells);
    cliffs::static_ground_costs_nothing(&mut LooseQuadtree::new());
}

#[test]
fn no_world_makes_the_coherent_grid_fall_off() {
    check("coherent grid", CoherentGrid::new, 150.0);
}
