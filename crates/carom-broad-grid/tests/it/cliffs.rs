//! No input makes it fall off: the work, counted, stays within a small multiple of what the pairs need.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Mobility};
use carom_broad_grid::{HierarchicalGrid, LooseOctree, SpatialHash, UniformGrid};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

/// Boxes tested, per box and per pair, in a search from nothing.
fn work_of(mut broad: impl BroadPhase, boxes: &[Aabb]) -> f64 {
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    broad.insert_batch(&batch, &mut Vec::new()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    let tests = broad.counters().tests;
    assert!(0 < tests);
    tests as f64 / (boxes.len() + pairs.len()) as f64
}

/// The most of all structures.
fn work(boxes: &[Aabb]) -> f64 {
    let works = [
        ("uniform", work_of(UniformGrid::new(), boxes)),
        ("hierarchical", work_of(HierarchicalGrid::new(), boxes)),
        ("hashed", work_of(SpatialHash::new(), boxes)),
        ("loose", work_of(LooseOctree::new(), boxes)),
    ];
    println!("{works:?}");
    works.iter().map(|(_, work)| *work).fold(0.0, f64::max)
}

const N: usize = 20_000;

fn uniform() -> Vec<Aabb> {
    let mut dice = Dice::new(1);
    (0..N).map(|_| dice.aabb(24.0, 2.0)).collect()
}

#[test]
fn uniform_is_the_measure() {
    let work = work(&uniform());
    assert!(work < 30.0, "{work} tests per box and pair");
}

#[test]
fn one_outlier_far_away() {
    for far in [1e7, 1e20, 3e38] {
        let mut boxes = uniform();
        boxes[77] = Aabb::from_point(Vec3::new(far, -far, 0.0));
        let work = work(&boxes);
        assert!(work < 40.0, "{far}: {work} tests per box and pair");
    }
}

#[test]
fn a_world_far_from_the_origin() {
    for far in [1e4, 1e6, -1e7] {
        let shift = Vec3::new(far, 0.5 * far, -far);
        let boxes: Vec<_> =
            uniform().iter().map(|aabb| Aabb { min: aabb.min + shift, max: aabb.max + shift }).collect();
        let work = work(&boxes);
        assert!(work < 30.0, "{far}: {work} tests per box and pair");
    }
}

#[test]
fn clusters_within_clusters() {
    let mut dice = Dice::new(2);
    let boxes: Vec<_> = (0..N)
        .map(|i| {
            let scale = [1.0, 1e-3, 1e-6, 1e-9][i % 4];
            dice.aabb(20.0 * scale, 2.0 * scale)
        })
        .collect();
    // A cluster as a whole lies in the boxes of the others that hold the origin; that is its true pairs.
    let work = work(&boxes);
    assert!(work < 60.0, "{work} tests per box and pair");
}

#[test]
fn a_thousand_in_one_place() {
    let mut dice = Dice::new(3);
    let mut boxes = uniform();
    for aabb in &mut boxes[..1000] {
        *aabb = dice.aabb(0.01, 2.0);
    }
    let work = work(&boxes);
    assert!(work < 15.0, "{work} tests per box and pair");
}

#[test]
fn giants_among_ants() {
    let mut boxes = uniform();
    for (i, aabb) in boxes[..20].iter_mut().enumerate() {
        *aabb = Aabb { min: Vec3::splat(-1e6 - i as f32), max: Vec3::splat(1e6) };
    }
    let work = work(&boxes);
    assert!(work < 10.0, "{work} tests per box and pair");
}

#[test]
fn sizes_over_five_decades() {
    let mut dice = Dice::new(4);
    let boxes: Vec<_> = (0..N)
        .map(|_| {
            // Density s^-3 from 0.1 up.
            let size = 0.1 / dice.range(0.0, 1.0).max(1e-10).sqrt();
            dice.aabb(12.0, size)
        })
        .collect();
    let work = work(&boxes);
    assert!(work < 60.0, "{work} tests per box and pair");
}

#[test]
fn all_on_a_line_and_in_a_plane() {
    let mut dice = Dice::new(5);
    let line: Vec<_> =
        (0..N).map(|_| Aabb::from_point(Vec3::new(dice.range(0.0, 1e4), 0.0, 0.0)).inflated(0.25)).collect();
    let plane: Vec<_> = (0..N)
        .map(|_| {
            Aabb::from_point(Vec3::new(dice.range(0.0, 200.0), 0.0, dice.range(0.0, 200.0))).inflated(0.5)
        })
        .collect();
    for (name, boxes) in [("line", line), ("plane", plane)] {
        let work = work(&boxes);
        assert!(work < 40.0, "{name}: {work} tests per box and pair");
    }
}

#[test]
fn resting_static_ground_costs_nothing() {
    static_ground(UniformGrid::new());
    static_ground(HierarchicalGrid::new());
    static_ground(SpatialHash::new());
    static_ground(LooseOctree::new());
}

fn static_ground(mut broad: impl BroadPhase) {
    let mut dice = Dice::new(6);
    let ground: Vec<_> = (0..N).map(|_| (dice.aabb(15.0, 2.0), Filter::new(Mobility::Static))).collect();
    broad.insert_batch(&ground, &mut Vec::new()).unwrap();
    broad.insert(dice.aabb(1.0, 2.0), Filter::default()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert!(!pairs.is_empty());
    assert!(broad.counters().tests < N as u64, "{} tests", broad.counters().tests);
}
