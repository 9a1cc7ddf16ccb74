//! Tests of the cells that are kept from frame to frame.

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, Filter, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyTable};
use carom_broad_grid::{Hashed, LooseOctree, SparseGrid, SpatialHash};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

/// Returns the volumes of all levels.
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
    // No cell is left after all boxes are removed.
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

/// If all sizes change, boxes get other cells, and the pairs stay right.
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

/// Checks that the finder itself gives every touching pair once, except those of two static boxes.
/// Returns the number of tests per pair, and the number of pairs.
fn check_each_is_found_once(boxes: &[Aabb], is_static: impl Fn(usize) -> bool) -> (f64, usize) {
    let (mut finder, mut proxies) = (SparseGrid::<Hashed>::default(), ProxyTable::new());
    for (i, &aabb) in boxes.iter().enumerate() {
        let filter = Filter::new(if is_static(i) { Mobility::Fixed } else { Mobility::Dynamic });
        let id = proxies.insert(aabb, filter).unwrap();
        finder.on_insert(id.index(), &aabb, &filter);
    }
    let slots: Vec<u32> = proxies.live().collect();
    finder.refresh(&proxies, &slots, ProxyChanges::ALL);
    finder.validate(&proxies, &slots, ProxyChanges::default()).unwrap();
    let mut found = PairBuffer::new();
    finder.find(&proxies, &slots, &mut found);
    let mut pairs: Vec<_> = found.low().iter().copied().zip(found.high().iter().copied()).collect();
    pairs.sort_unstable();
    let mut wanted = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.overlaps(b) && !(is_static(i) && is_static(j)) {
                wanted.push((i as u32, j as u32));
            }
        }
    }
    assert_eq!(pairs.len(), wanted.len());
    assert!(pairs == wanted);
    (found.tests as f64 / wanted.len() as f64, wanted.len())
}

/// A pair that shares eight cells is tested in one of them. So if all boxes touch, there is hardly
/// a test too many.
#[test]
fn a_thousand_boxes_at_one_point_are_tested_once() {
    let mut dice = Dice::new(11);
    // On a corner of cells of every size, off all corners, and far away, at cells as small as a
    // unit of f32.
    for center in [0.0f32, 0.7, 1e7] {
        // Equal boxes, nearly equal boxes, boxes that end near the point, and boxes of two sizes.
        for (jitter, lesser) in [(0.0, 1.0), (0.01, 1.0), (1.0, 1.0), (0.5, 0.02)] {
            let mut cube = |i: usize| {
                let half = if i.is_multiple_of(2) { 1.0 } else { lesser };
                let mut point = || Vec3::from([0; 3].map(|_| half * (1.0 - jitter * dice.range(0.0, 1.0))));
                Aabb { min: center - point(), max: center + point() }
            };
            let boxes: Vec<Aabb> = (0..1000).map(&mut cube).collect();
            for (n_static, third) in [(0usize, None), (334, Some(3))] {
                let is_static = |i: usize| third.is_some_and(|third| i.is_multiple_of(third));
                let (tests, n_pairs) = check_each_is_found_once(&boxes, is_static);
                assert_eq!(n_pairs, (1000 * 999 - n_static * n_static.saturating_sub(1)) / 2);
                assert!(tests <= 1.1, "{tests} tests per pair at {center}, {jitter}, {n_static} static");
            }
        }
    }
}

/// Boxes of many sizes; half of them begin on edges of cells.
#[test]
fn pairs_of_all_levels_are_found_once() {
    let mut dice = Dice::new(12);
    for scale in [1.0f32, 1e-30, 1e30] {
        let mut any = |i: usize| {
            let side = 0.5f32.powi((i % 12) as i32) * dice.range(1.0, 2.0);
            let round = |x: f32| if i.is_multiple_of(2) { (x * 4.0).round() / 4.0 } else { x };
            let min = Vec3::from([0; 3].map(|_| round(dice.range(-4.0, 4.0))));
            Aabb { min: min * scale, max: (min + side) * scale }
        };
        let boxes: Vec<Aabb> = (0..3000).map(&mut any).collect();
        let (_, n_pairs) = check_each_is_found_once(&boxes, |i| i.is_multiple_of(5));
        assert!(5000 < n_pairs, "{n_pairs} pairs");
    }
}
