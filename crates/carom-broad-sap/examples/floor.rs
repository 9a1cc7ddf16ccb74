//! Counts the trades that sweep and prune saves for bodies on a floor if it leaves out the up
//! axis. Usage: `floor [N]`.
//!
//! Then it inserts and removes a batch of bodies, and compares the pairs with box pruning in two
//! rooms.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, Filter, Pair};
use carom_broad_sap::{MultiBoxPruning, RegionPruner, Regions, SapSettings, SortedAxes, SweepAndPrune};
use carom_scenes::{Crowd, CrowdKind};
use std::error::Error;

/// Returns the trades of ends in 20 frames, and the pairs of the last frame.
fn run(settings: SapSettings, n: usize) -> Result<(u64, Vec<Pair>), Box<dyn Error>> {
    let mut crowd = Crowd::new(CrowdKind::Floor, n, 3);
    let mut broad = SweepAndPrune::with_finder(SortedAxes::new(settings));
    let batch: Vec<_> = crowd.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
    let (mut ids, mut pairs) = (Vec::new(), Vec::new());
    broad.insert_batch(&batch, &mut ids)?;
    broad.pairs(&mut pairs);
    let before = broad.finder().n_trades();
    for _ in 0..20 {
        crowd.step();
        let moves: Vec<_> = ids.iter().copied().zip(crowd.boxes().iter().copied()).collect();
        broad.update(&moves)?;
        broad.pairs(&mut pairs);
    }
    let n_trades = broad.finder().n_trades() - before;

    // Ten bodies are inserted above all others in one batch, which is one pass over the lists, and
    // removed again.
    let world = crowd.boxes().iter().fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
    let above = |i: usize| {
        let min = world.max + glam::Vec3::new(2.0 * i as f32, 1.0, 0.0);
        (Aabb { min, max: min + 1.5 }, Filter::default())
    };
    let (guests, ends) = ((0..10).map(above).collect::<Vec<_>>(), broad.finder().n_ends());
    let mut inserted = Vec::new();
    broad.insert_batch(&guests, &mut inserted)?;
    broad.pairs(&mut pairs);
    println!("    ten came: {} ends were looked at", broad.finder().n_ends() - ends);
    broad.remove_batch(&inserted)?;
    broad.pairs(&mut pairs);

    // Two rooms as regions. Boxes outside of both are not lost.
    let middle = 0.5 * (world.min.x + world.max.x);
    let mut rooms = [world, world];
    (rooms[0].max.x, rooms[1].min.x) = (middle, middle);
    let mut pruning = MultiBoxPruning::with_finder(RegionPruner::new(Regions::new(&rooms)?));
    let batch: Vec<_> = crowd.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
    pruning.insert_batch(&batch, &mut Vec::new())?;
    let mut same = Vec::new();
    pruning.pairs(&mut same);
    if same == pairs { Ok((n_trades, pairs)) } else { Err("box pruning finds other pairs".into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(5000), |word| word.parse())?;
    let all = SapSettings::default();
    println!("{n} bodies in ten layers on a floor, 20 frames");
    let (trades, pairs) = run(all, n)?;
    println!("  all axes: {trades} trades of ends, {} pairs", pairs.len());
    let (flat_trades, same) = run(all.with_skipped_axis(1), n)?;
    println!("  without the axis that points up: {flat_trades} trades, {} pairs", same.len());
    if pairs == same { Ok(()) } else { Err("the axis changes the pairs".into()) }
}
