//! Memory per box and per pair is what the documentation says.

use carom_broad::{BroadPhase, Filter};
use carom_broad_grid::{HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::dice::Dice;

const N: usize = 20_000;

/// Bytes after some frames of a crowd as wide as this, those of them that the first search took, and the pairs of it.
fn measure<B: BroadPhase>(mut broad: B, world: f32, bytes: impl Fn(&B) -> usize) -> (f64, f64, f64) {
    let mut dice = Dice::new(9);
    let batch: Vec<_> = (0..N).map(|_| (dice.aabb(world, 2.0), Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    let mut pairs = Vec::new();
    broad.refresh();
    let before = bytes(&broad);
    broad.pairs(&mut pairs);
    let (of_search, n_pairs) = (bytes(&broad) - before, pairs.len());
    for _ in 0..4 {
        let moves: Vec<_> = ids.iter().map(|&id| (id, dice.aabb(world, 2.0))).collect();
        broad.update(&moves).unwrap();
        broad.pairs(&mut pairs);
    }
    (bytes(&broad) as f64, of_search as f64, n_pairs as f64)
}

/// Bytes per box and per pair, from a sparse crowd and a dense one.
fn per_box_and_pair<B: BroadPhase>(make: impl Fn() -> B, bytes: impl Fn(&B) -> usize) -> (f64, f64) {
    let (sparse, before, few) = measure(make(), 60.0, &bytes);
    let (_, after, many) = measure(make(), 12.0, &bytes);
    assert!(10.0 * few < many);
    (sparse / N as f64, (after - before) / (many - few))
}

fn check((per_box, per_pair): (f64, f64), most_per_box: f64, most_per_pair: f64) {
    println!("{per_box:.1} bytes per box, {per_pair:.1} per pair");
    assert!(0.75 * most_per_box < per_box && per_box < most_per_box, "{per_box} bytes per box");
    assert!(0.3 * most_per_pair < per_pair && per_pair < most_per_pair, "{per_pair} bytes per pair");
}

#[test]
fn uniform_takes_60_bytes_a_box_and_20_a_pair() {
    check(per_box_and_pair(UniformGrid::new, UniformGrid::bytes), 60.0, 20.0);
}

#[test]
fn hierarchical_takes_110_bytes_a_box_and_20_a_pair() {
    check(per_box_and_pair(HierarchicalGrid::new, HierarchicalGrid::bytes), 110.0, 20.0);
}

#[test]
fn hashed_takes_220_bytes_a_box_and_40_a_pair() {
    check(per_box_and_pair(SpatialHash::new, SpatialHash::bytes), 220.0, 40.0);
}

#[test]
fn loose_takes_150_bytes_a_box_and_20_a_pair() {
    check(per_box_and_pair(LooseOctree::new, LooseOctree::bytes), 150.0, 20.0);
}
