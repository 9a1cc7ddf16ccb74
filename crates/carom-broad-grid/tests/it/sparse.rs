//! The cells that are kept from frame to frame.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter};
use carom_broad_grid::{LooseOctree, SpatialHash};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

/// The volumes of all levels.
fn levels(broad: &impl BroadPhase) -> Vec<Vec<Aabb>> {
    let mut levels: Vec<Vec<Aabb>> = Vec::new();
    broad.visit_volumes(&mut |level, volume| {
        levels.resize(levels.len().max(level + 1), Vec::new());
        levels[level].push(*volume);
    });
    levels
}

/// Every cell lies in one of the level above, and every box in some cell.
fn volumes_hold_the_boxes(mut broad: impl BroadPhase) {
    let mut dice = Dice::new(8);
    let batch: Vec<_> = (0..2000).map(|_| (dice.aabb(20.0, 2.0), Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    broad.refresh();
    let volumes = levels(&broad);
    assert!(2 < volumes.len() && volumes[0].len() <= 8);
    for (level, above) in volumes[1..].iter().zip(&volumes) {
        assert!(level.iter().all(|volume| above.iter().any(|other| other.contains(volume))));
    }
    assert!(batch.iter().all(|(aabb, _)| volumes.iter().flatten().any(|volume| volume.contains(aabb))));
    // Nothing is left of the cells when all are gone.
    broad.remove_batch(&ids).unwrap();
    assert!(levels(&broad).is_empty());
    broad.validate().unwrap();
}

#[test]
fn hashed_volumes_hold_the_boxes() {
    volumes_hold_the_boxes(SpatialHash::new());
}

#[test]
fn loose_volumes_hold_the_boxes() {
    volumes_hold_the_boxes(LooseOctree::new());
}

/// A box of exactly a power of two that begins just below a cell's edge reaches into a third cell.
#[test]
fn a_box_that_reaches_into_a_third_cell() {
    let mut broad = SpatialHash::new();
    let below = -f32::from_bits(1);
    let wide = Aabb { min: Vec3::splat(below), max: Vec3::splat(1.0) };
    let at = |x: f32| Aabb { min: Vec3::splat(x), max: Vec3::splat(x + 1.0) };
    for aabb in [wide, at(1.0), at(-1.0), at(2.0), at(0.0)] {
        broad.insert(aabb, Filter::default()).unwrap();
    }
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    broad.validate().unwrap();
    let pairs: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (0, 4), (1, 3), (1, 4), (2, 4)]);
}

/// Sizes that change as a whole are given other cells, and the pairs stay right.
#[test]
fn all_boxes_grow_and_shrink() {
    let mut dice = Dice::new(10);
    let mut broad = SpatialHash::new();
    let boxes: Vec<_> = (0..500).map(|_| dice.aabb(3.0, 1.0)).collect();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    let mut rebuilds = Vec::new();
    for scale in [1.0f32, 64.0, 64.0, 1.0 / 64.0, 1.0] {
        let scaled = |aabb: &Aabb| Aabb { min: aabb.min * scale, max: aabb.max * scale };
        let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().map(scaled)).collect();
        broad.update(&moves).unwrap();
        let mut pairs = Vec::new();
        broad.pairs(&mut pairs);
        broad.validate().unwrap();
        let tests = broad.counters().tests;
        assert!(300 < pairs.len() && tests < 30 * pairs.len() as u64, "{tests} tests, {} pairs", pairs.len());
        rebuilds.push(broad.counters().rebuilds);
    }
    // Not when nothing has changed.
    assert_eq!(rebuilds[1], rebuilds[2]);
}
