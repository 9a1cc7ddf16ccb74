//! Counts the work of incremental sweep and prune: O(n + s) per frame for s inversions, O(n + m
//! log m) for m inserted boxes.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, ProxyId};
use carom_broad_sap::{SapSettings, SortedAxes, SweepAndPrune};
use carom_scenes::{Crowd, CrowdKind};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

fn crowd(n: usize) -> Crowd {
    Crowd::new(CrowdKind::Uniform, n, 5)
}

fn filled(boxes: &[Aabb]) -> (SweepAndPrune, Vec<ProxyId>) {
    let mut broad =
        SweepAndPrune::with_finder(SortedAxes::new(SapSettings::default().with_max_trades(u32::MAX)));
    let mut ids = Vec::new();
    let batch: Vec<_> = boxes.iter().map(|&aabb| (aabb, Filter::default())).collect();
    broad.insert_batch(&batch, &mut ids).unwrap();
    broad.pairs(&mut Vec::new());
    (broad, ids)
}

/// Returns the ends of all boxes on an axis, in order: the box, and whether it is its upper end.
fn order(boxes: &[Aabb], axis: usize) -> Vec<(u32, bool)> {
    let mut ends: Vec<(f32, bool, u32)> = Vec::new();
    for (i, aabb) in boxes.iter().enumerate() {
        ends.push((aabb.min[axis], false, i as u32));
        ends.push((aabb.max[axis], true, i as u32));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    ends.into_iter().map(|(_, upper, i)| (i, upper)).collect()
}

/// Returns how many pairs of ends have another order afterwards, by merge sort.
fn inversions(before: &[(u32, bool)], after: &[(u32, bool)]) -> u64 {
    let rank: std::collections::HashMap<_, _> = before.iter().enumerate().map(|(i, end)| (*end, i)).collect();
    let mut ranks: Vec<usize> = after.iter().map(|end| rank[end]).collect();
    fn sort(ranks: &mut [usize]) -> u64 {
        let middle = ranks.len() / 2;
        if middle == 0 {
            return 0;
        }
        let (left, right) = ranks.split_at_mut(middle);
        let mut count = sort(left) + sort(right);
        for high in right.iter() {
            count += (left.len() - left.partition_point(|low| low <= high)) as u64;
        }
        ranks.sort_unstable();
        count
    }
    sort(&mut ranks)
}

/// The trades are exactly the inversions, and six ends per box are visited.
#[test]
fn a_frame_costs_its_inversions() {
    for n in [500, 4000] {
        let mut crowd = crowd(n);
        let (mut broad, ids) = filled(crowd.boxes());
        for _ in 0..5 {
            let before: Vec<_> = (0..3).map(|axis| order(crowd.boxes(), axis)).collect();
            crowd.step();
            let s: u64 = (0..3).map(|axis| inversions(&before[axis], &order(crowd.boxes(), axis))).sum();
            let (trades, ends) = (broad.finder().n_trades(), broad.finder().n_ends());
            let moves: Vec<_> = ids.iter().copied().zip(crowd.boxes().iter().copied()).collect();
            broad.update(&moves).unwrap();
            broad.pairs(&mut Vec::new());
            assert_eq!(broad.finder().n_trades() - trades, s);
            assert_eq!(broad.finder().n_ends() - ends, 6 * n as u64);
            assert!(0 < s);
            println!("n = {n}: {s} trades");
        }
    }
}

/// If all boxes move slowly, the trades grow as n^(5/3), the power that the sources give for three
/// dimensions.
#[test]
fn trades_grow_with_the_power_five_thirds() {
    let trades = |n: usize| {
        let mut crowd = crowd(n);
        let (mut broad, ids) = filled(crowd.boxes());
        let before = broad.finder().n_trades();
        for _ in 0..4 {
            crowd.step();
            let moves: Vec<_> = ids.iter().copied().zip(crowd.boxes().iter().copied()).collect();
            broad.update(&moves).unwrap();
            broad.pairs(&mut Vec::new());
        }
        (broad.finder().n_trades() - before) as f64
    };
    let (few, many) = (trades(1000), trades(16_000));
    let exponent = (many / few).ln() / 16.0_f64.ln();
    println!("exponent {exponent:.2}");
    assert!(1.5 < exponent && exponent < 1.8, "{exponent}");
}

/// In a plane, with the third axis left out, the trades grow as n^(3/2), the power of two
/// dimensions.
#[test]
fn trades_of_a_plane_grow_with_the_power_three_halves() {
    let trades = |n: usize| {
        let mut dice = Dice::new(12);
        let half = 0.75 * (n as f32).sqrt();
        let mut centers: Vec<Vec3> = (0..n).map(|_| dice.point(half).with_z(0.0)).collect();
        let boxes = |centers: &[Vec3]| -> Vec<Aabb> {
            centers.iter().map(|&p| Aabb { min: p - 0.5, max: p + 0.5 }).collect()
        };
        let settings = SapSettings::default().with_max_trades(u32::MAX).with_skipped_axis(2);
        let mut broad = SweepAndPrune::with_finder(SortedAxes::new(settings));
        let batch: Vec<_> = boxes(&centers).into_iter().map(|aabb| (aabb, Filter::default())).collect();
        let mut ids = Vec::new();
        broad.insert_batch(&batch, &mut ids).unwrap();
        broad.pairs(&mut Vec::new());
        let before = broad.finder().n_trades();
        for _ in 0..4 {
            centers.iter_mut().for_each(|p| *p += dice.point(0.02).with_z(0.0));
            let moves: Vec<_> = ids.iter().copied().zip(boxes(&centers)).collect();
            broad.update(&moves).unwrap();
            broad.pairs(&mut Vec::new());
        }
        (broad.finder().n_trades() - before) as f64
    };
    let (few, many) = (trades(1000), trades(16_000));
    let exponent = (many / few).ln() / 16.0_f64.ln();
    println!("exponent {exponent:.2} in a plane");
    assert!(1.4 < exponent && exponent < 1.6, "{exponent}");
}

/// Six ends are visited for each box that moves, for any number of other boxes.
#[test]
fn few_moving_boxes_do_not_test_the_others() {
    let mut dice = Dice::new(8);
    let crowd = crowd(8000);
    let (mut broad, ids) = filled(crowd.boxes());
    let (ends, trades) = (broad.finder().n_ends(), broad.finder().n_trades());
    let moves: Vec<_> = (0..10)
        .map(|i| {
            let step = dice.point(0.01);
            let aabb = crowd.boxes()[i * 37];
            (ids[i * 37], Aabb { min: aabb.min + step, max: aabb.max + step })
        })
        .collect();
    broad.update(&moves).unwrap();
    broad.pairs(&mut Vec::new());
    assert_eq!(broad.finder().n_ends() - ends, 60);
    assert!(broad.finder().n_trades() - trades < 4000, "{}", broad.finder().n_trades() - trades);
}

/// A batch of inserted boxes takes one pass over the ends, and so does a batch of removed ones.
/// Tests are made only against boxes that overlap a new one on the swept axis.
#[test]
fn boxes_come_and_go_in_batches() {
    for n in [4000, 16_000] {
        let crowd = crowd(n);
        let (old, new) = crowd.boxes().split_at(n - n / 8);
        let (mut broad, mut ids) = filled(old);
        let ends = broad.finder().n_ends();
        let batch: Vec<_> = new.iter().map(|&aabb| (aabb, Filter::default())).collect();
        broad.insert_batch(&batch, &mut ids).unwrap();
        let mut pairs = Vec::new();
        broad.pairs(&mut pairs);
        assert_eq!(broad.finder().n_ends() - ends, 6 * n as u64);
        // A box overlaps a share of the others on an axis: about its length over that of the
        // world.
        let side = (n as f64 / 0.1875).cbrt();
        let shared = (n / 8) as f64 * n as f64 * 2.2 / side;
        assert!((broad.counters().tests as f64) < shared, "{} tests, {shared}", broad.counters().tests);
        let ends = broad.finder().n_ends();
        let (gone, _) = ids.split_at(n / 3);
        broad.remove_batch(gone).unwrap();
        broad.pairs(&mut pairs);
        assert_eq!(broad.finder().n_ends() - ends, 6 * n as u64);
        broad.validate().unwrap();
    }
}
