//! The same bytes for any number of threads: a crowd on pools of one, two and seven threads.

use super::dice::Dice;
use carom_broad::{Answers, BoxHit, BroadPhase, Counters, Filter, Pair, SpatialBatch, SpatialIndex};
use carom_math::{Interval, Ray};

/// Runs a few frames of a crowd; in every third frame boxes jump.
fn frames(mut broad: impl BroadPhase) -> Vec<(Vec<Pair>, Counters)> {
    let mut dice = Dice::new(5);
    let mut boxes: Vec<_> = (0..20_000).map(|_| dice.aabb(25.0, 2.0)).collect();
    let mut ids = Vec::new();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    broad.insert_batch(&batch, &mut ids).unwrap();
    let mut frames = Vec::new();
    for frame in 0..9 {
        let mut pairs = Vec::new();
        broad.pairs(&mut pairs);
        assert!(10_000 < pairs.len());
        frames.push((pairs, broad.counters()));
        for aabb in &mut boxes {
            let step = dice.point(if frame % 3 == 2 { 1.0 } else { 0.01 });
            (aabb.min, aabb.max) = (aabb.min + step, aabb.max + step);
        }
        let moves: Vec<_> = ids.iter().copied().zip(boxes.iter().copied()).collect();
        broad.update(&moves).unwrap();
    }
    frames
}

/// Checks that pairs and counters on two and seven threads equal those on one.
pub fn check<B: BroadPhase>(name: &str, make: impl Fn() -> B + Sync) {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| frames(make()))
    };
    let one = with(1);
    for n in [2, 7] {
        assert!(with(n) == one, "{name}, {n} threads");
    }
}

/// Checks that answers to batches of queries on two and seven threads equal those on one.
pub fn check_batches<B: BroadPhase + SpatialIndex + Sync + Send>(name: &str, make: impl Fn() -> B) {
    let mut dice = Dice::new(6);
    let mut broad = make();
    let batch: Vec<_> = (0..5000).map(|_| (dice.aabb(12.0, 2.0), Filter::default())).collect();
    broad.insert_batch(&batch, &mut Vec::new()).unwrap();
    broad.refresh();
    let boxes: Vec<_> = (0..500).map(|_| dice.aabb(12.0, 4.0)).collect();
    let rays: Vec<_> =
        (0..500).map(|_| (Ray::new(dice.point(20.0), dice.point(1.0)), Interval::FORWARD)).collect();
    let points: Vec<_> = (0..500).map(|_| (dice.point(20.0), 10.0)).collect();
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let (mut touching, mut hits, mut near) = (Answers::new(), Answers::<BoxHit>::new(), Answers::new());
        pool.install(|| {
            broad.overlapping_batch(&boxes, &mut touching);
            broad.ray_hits_batch(&rays, &mut hits);
            broad.nearest_batch(&points, &mut near);
        });
        (touching, hits, near)
    };
    let one = with(1);
    assert!(500 < one.0.all().len() && 500 < one.1.all().len() && 100 < one.2.all().len());
    for n in [2, 7] {
        assert!(with(n) == one, "{name}, {n} threads");
    }
}
