//! Tests of the tree that is rebuilt in every frame.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, FromFinder, PointFilter, SpatialIndex};
use carom_broad_tree::{RebuiltBvh, TreeMaker};
use carom_testkit::conform::dice::Dice;
use carom_testkit::conform::{broad_phase, memory, spatial_index};
use glam::Vec3;

#[test]
fn conforms_to_broad_phase() {
    broad_phase::check(RebuiltBvh::new);
}

#[test]
fn conforms_to_spatial_index() {
    spatial_index::check(RebuiltBvh::new);
}

/// Behind a `PointFilter`, the tree gets only a part of the boxes.
#[test]
fn conforms_behind_points() {
    broad_phase::check(|| FromFinder::with_finder(PointFilter::new(TreeMaker::default())));
}

#[test]
fn takes_95_bytes_a_box_and_24_a_pair() {
    // One thread, because each further thread keeps its own result buffer.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| memory::check("rebuilt tree", RebuiltBvh::new, RebuiltBvh::bytes, 95.0, 24.0));
}

/// The number of tests per pair does not depend on the motion, and nothing is rebuilt if nothing
/// has changed.
#[test]
fn a_jump_costs_what_a_step_costs() {
    let mut dice = Dice::new(12);
    let mut broad = RebuiltBvh::new();
    let mut boxes: Vec<_> = (0..20_000).map(|_| dice.aabb(20.0, 2.0)).collect();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    let (mut pairs, mut per_pair) = (Vec::new(), Vec::new());
    for frame in 0..6 {
        broad.pairs(&mut pairs);
        assert_eq!(broad.counters().rebuilds, frame + 1);
        per_pair.push(broad.counters().tests as f64 / pairs.len() as f64);
        for aabb in &mut boxes {
            let step = dice.point(0.01);
            let moved = Aabb { min: aabb.min + step, max: aabb.max + step };
            *aabb = if frame % 2 == 0 { dice.aabb(20.0, 2.0) } else { moved };
        }
        let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().copied()).collect();
        broad.update(&moves).unwrap();
    }
    println!("tests per pair, frame by frame: {per_pair:.1?}");
    let (least, most) = per_pair.iter().fold((f64::MAX, 0.0_f64), |(l, m), &x| (l.min(x), m.max(x)));
    assert!(most < 1.05 * least, "{per_pair:?}");
    broad.refresh();
    let rebuilds = broad.counters().rebuilds;
    broad.pairs(&mut pairs);
    assert!(broad.nearest(Vec3::ZERO, 9.0).is_some());
    assert_eq!(broad.counters().rebuilds, rebuilds);
}
