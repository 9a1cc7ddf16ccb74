//! Memory per box and per pair, measured in a sparse crowd and in a dense one.

use super::dice::Dice;
use carom_broad::{BroadPhase, Filter};

/// The number of boxes of each crowd.
const N: usize = 20_000;

/// Returns the bytes after some frames of a crowd this wide, the bytes that the first search took,
/// and its pairs.
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

/// Checks the memory that `bytes` reports, without the table of proxies and the log of events. It
/// must be between 3/4 and all of `most_per_box`, and between 3/10 and all of `most_per_pair`.
pub fn check<B: BroadPhase>(
    name: &str,
    make: impl Fn() -> B,
    bytes: impl Fn(&B) -> usize,
    most_per_box: f64,
    most_per_pair: f64,
) {
    let (sparse, before, few) = measure(make(), 60.0, &bytes);
    let (_, after, many) = measure(make(), 12.0, &bytes);
    assert!(10.0 * few < many);
    let (per_box, per_pair) = (sparse / N as f64, (after - before) / (many - few));
    println!("{name}: {per_box:.1} bytes per box, {per_pair:.1} per pair");
    assert!(0.75 * most_per_box < per_box && per_box < most_per_box, "{name}: {per_box} bytes per box");
    assert!(0.3 * most_per_pair < per_pair && per_pair < most_per_pair, "{name}: {per_pair} bytes per pair");
}
