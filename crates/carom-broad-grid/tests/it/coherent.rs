//! Tests of the grid with a candidate list: boxes leave their fat boxes, static boxes move, boxes
//! are inserted and removed.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce, Filter, Mobility};
use carom_broad_grid::CoherentGrid;
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

const N: usize = 900;

fn shifted(aabb: Aabb, step: Vec3) -> Aabb {
    Aabb { min: aabb.min + step, max: aabb.max + step }
}

/// One box of 40 is fast, and a tenth is static. In every 16th frame one static box moves, and
/// some boxes are replaced.
#[test]
fn escaped_boxes_are_found_and_lists_live_on() {
    let mut dice = Dice::new(11);
    let (mut broad, mut expected) = (CoherentGrid::new(), BruteForce::new());
    let filter = |i: usize| Filter::new(if i % 10 == 3 { Mobility::Fixed } else { Mobility::Dynamic });
    let batch: Vec<_> = (0..N).map(|i| (dice.aabb(9.0, 1.5), filter(i))).collect();
    let (mut ids, mut same) = (Vec::new(), Vec::new());
    broad.insert_batch(&batch, &mut ids).unwrap();
    expected.insert_batch(&batch, &mut same).unwrap();
    let mut boxes: Vec<Aabb> = batch.iter().map(|(aabb, _)| *aabb).collect();
    let velocity: Vec<Vec3> = (0..N).map(|_| dice.aabb(1.0, 1e-3).min - Vec3::splat(0.5)).collect();
    let (mut pairs, mut expected_pairs, mut n_pairs, mut n_candidates) = (Vec::new(), Vec::new(), 0, 0);
    for frame in 0..120 {
        let mut moves = Vec::new();
        for i in 0..N {
            let step = match i {
                _ if i % 10 == 3 => continue,
                _ if i % 40 == 0 => dice.aabb(9.0, 1e-3).min - boxes[i].min,
                _ => velocity[i] * 0.004,
            };
            boxes[i] = shifted(boxes[i], step);
            moves.push((ids[i], boxes[i]));
        }
        if frame % 16 == 5 {
            let fixed = 10 * (frame % N) + 3;
            boxes[fixed % N] = shifted(boxes[fixed % N], Vec3::new(0.3, 0.0, -0.2));
            moves.push((ids[fixed % N], boxes[fixed % N]));
        }
        broad.update(&moves).unwrap();
        expected.update(&moves).unwrap();
        if frame % 16 == 9 {
            let gone: Vec<_> = (0..5).map(|k| ids[(frame * 7 + k * 13) % N]).collect();
            broad.remove_batch(&gone).unwrap();
            expected.remove_batch(&gone).unwrap();
            for id in gone {
                let (i, aabb) = (id.index() as usize, dice.aabb(9.0, 1.5));
                let id = broad.insert(aabb, filter(i)).unwrap();
                assert_eq!(id, expected.insert(aabb, filter(i)).unwrap());
                (ids[id.index() as usize], boxes[id.index() as usize]) = (id, aabb);
            }
        }
        broad.pairs(&mut pairs);
        expected.pairs(&mut expected_pairs);
        assert_eq!(pairs, expected_pairs, "frame {frame}");
        broad.validate().unwrap();
        n_pairs += pairs.len();
        n_candidates += broad.counters().candidates;
    }
    let rebuilds = broad.counters().rebuilds;
    println!("{n_pairs} pairs, {n_candidates} candidates, {rebuilds} rebuilds");
    assert!(100 * 120 < n_pairs && n_candidates < 3 * n_pairs as u64, "{n_pairs} of {n_candidates}");
    assert!(3 < rebuilds && rebuilds < 60, "{rebuilds} rebuilds in 120 frames");
}

/// A third of all boxes jump once and rest afterwards. Later the others keep their list again for
/// many frames.
#[test]
fn r_a_jump_long_ago_is_forgotten() {
    let mut dice = Dice::new(12);
    let mut broad = CoherentGrid::new();
    let batch: Vec<_> = (0..N).map(|_| (dice.aabb(9.0, 1.5), Filter::default())).collect();
    let mut ids = Vec::new();
    broad.insert_batch(&batch, &mut ids).unwrap();
    let mut boxes: Vec<Aabb> = batch.iter().map(|(aabb, _)| *aabb).collect();
    let jumps: Vec<_> = ids.iter().copied().step_by(3).map(|id| (id, dice.aabb(9.0, 1.5))).collect();
    broad.update(&jumps).unwrap();
    let (mut pairs, mut rebuilds) = (Vec::new(), 0);
    for frame in 0..300 {
        let mut moves = Vec::new();
        for i in (0..N).filter(|i| i % 3 != 0) {
            boxes[i] = shifted(boxes[i], dice.point(0.002));
            moves.push((ids[i], boxes[i]));
        }
        broad.update(&moves).unwrap();
        broad.pairs(&mut pairs);
        if frame == 100 {
            rebuilds = broad.counters().rebuilds;
        }
    }
    rebuilds = broad.counters().rebuilds - rebuilds;
    assert!(rebuilds < 40, "{rebuilds} rebuilds in 200 frames");
}
