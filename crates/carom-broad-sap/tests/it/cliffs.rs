//! Where the boxes are many, and unkind: the same pairs from every algorithm, and work that stays within bounds where it should.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Mobility, Pair};
use carom_broad_sap::{
    AutoBoxPruning, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
    SweepAndPrune, SweepSort,
};
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

const N: usize = 20_000;

fn uniform(dice: &mut Dice) -> Vec<Aabb> {
    (0..N).map(|_| dice.aabb(24.0, 2.0)).collect()
}

fn found(mut broad: impl BroadPhase, boxes: &[Aabb]) -> (Vec<Pair>, f64) {
    let batch: Vec<_> = boxes
        .iter()
        .enumerate()
        .map(|(i, &aabb)| {
            let mobility = if i % 3 == 0 { Mobility::Static } else { Mobility::Dynamic };
            (aabb, Filter::new(mobility))
        })
        .collect();
    broad.insert_batch(&batch, &mut Vec::new()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    broad.validate().unwrap();
    let work = broad.counters().tests as f64 / (boxes.len() + pairs.len()) as f64;
    (pairs, work)
}

/// All algorithms agree; the answer is the work of box pruning with columns, in tests per box and pair.
fn all_agree(name: &str, boxes: &[Aabb]) -> f64 {
    let (pairs, columns) = found(AutoBoxPruning::new(), boxes);
    let (expected, axis) = found(BoxPruning::new(), boxes);
    assert!(pairs == expected, "{name}");
    let regions = || Regions::grid(&boxes[0].merged_all(&boxes[1..100]), [4, 4, 4]).unwrap();
    let (pairs, parts) = found(MultiBoxPruning::with_finder(RegionPruner::new(regions())), boxes);
    assert!(pairs == expected, "{name}: regions");
    assert!(found(SweepAndPrune::new(), boxes).0 == expected, "{name}: sweep and prune");
    assert!(
        found(MultiSap::with_finder(RegionAxes::new(regions(), SapSettings::default())), boxes).0 == expected,
        "{name}: sweep and prune in regions"
    );
    assert!(found(SweepSort::new(), boxes).0 == expected, "{name}: sweep");
    println!(
        "{name}: {} pairs; tests per box and pair: columns {columns:.1}, regions {parts:.1}, axis {axis:.1}",
        expected.len()
    );
    columns
}

trait Merged {
    fn merged_all(&self, others: &[Aabb]) -> Aabb;
}

impl Merged for Aabb {
    fn merged_all(&self, others: &[Aabb]) -> Aabb {
        use carom_bounds::BoundingVolume;
        others.iter().fold(*self, |all, aabb| all.merged(aabb))
    }
}

#[test]
fn uniform_is_the_measure() {
    let work = all_agree("uniform", &uniform(&mut Dice::new(1)));
    assert!(work < 20.0, "{work}");
}

#[test]
fn outliers_far_away() {
    for far in [1e7, 1e20, 3e38] {
        let mut boxes = uniform(&mut Dice::new(2));
        boxes[77] = Aabb { min: Vec3::new(far, -far, 0.0), max: Vec3::new(far, -far, 0.0) };
        let work = all_agree(&format!("an outlier at {far}"), &boxes);
        assert!(work < 20.0, "{work}");
    }
}

#[test]
fn a_thousand_in_one_place() {
    let mut dice = Dice::new(3);
    let mut boxes = uniform(&mut dice);
    for aabb in &mut boxes[..1000] {
        *aabb = dice.aabb(0.01, 2.0);
    }
    let work = all_agree("a thousand in one place", &boxes);
    assert!(work < 10.0, "{work}");
}

#[test]
fn giants_among_ants() {
    let mut boxes = uniform(&mut Dice::new(4));
    for (i, aabb) in boxes[..20].iter_mut().enumerate() {
        *aabb = Aabb { min: Vec3::splat(-1e6 - i as f32), max: Vec3::splat(1e6) };
    }
    let work = all_agree("twenty giants", &boxes);
    assert!(work < 10.0, "{work}");
}

#[test]
fn sizes_over_five_decades() {
    let mut dice = Dice::new(5);
    let boxes: Vec<_> = (0..N)
        .map(|_| {
            let size = 0.1 / dice.range(0.0, 1.0).max(1e-10).sqrt();
            dice.aabb(12.0, size)
        })
        .collect();
    let work = all_agree("five decades", &boxes);
    assert!(work < 40.0, "{work}");
}

#[test]
fn clusters_lines_planes_and_needles() {
    let mut dice = Dice::new(6);
    let clusters: Vec<_> = (0..N)
        .map(|i| {
            let place = Vec3::new((i % 10) as f32 * 31.0, (i % 7) as f32 * 50.0, 0.0);
            let aabb = dice.aabb(5.0, 0.5);
            Aabb { min: aabb.min + place, max: aabb.max + place }
        })
        .collect();
    let line: Vec<_> = (0..N)
        .map(|_| {
            let x = dice.range(0.0, 1e4);
            Aabb { min: Vec3::new(x, -0.2, -0.2), max: Vec3::new(x + 0.5, 0.2, 0.2) }
        })
        .collect();
    let plane: Vec<_> = (0..N)
        .map(|_| {
            let (x, z) = (dice.range(0.0, 200.0), dice.range(0.0, 200.0));
            Aabb { min: Vec3::new(x, 0.0, z), max: Vec3::new(x + 1.0, 1.0, z + 1.0) }
        })
        .collect();
    let needles: Vec<_> = (0..N)
        .map(|i| {
            let mut aabb = dice.aabb(30.0, 0.1);
            aabb.max[i % 3] += 8.0;
            aabb
        })
        .collect();
    for (name, boxes, most) in [
        ("ten clusters", clusters, 40.0),
        ("a line", line, 20.0),
        ("a plane", plane, 20.0),
        ("needles", needles, 120.0),
    ] {
        let work = all_agree(name, &boxes);
        assert!(work < most, "{name}: {work}");
    }
}

#[test]
fn resting_static_ground_costs_nothing() {
    let mut dice = Dice::new(7);
    let mut broad = AutoBoxPruning::new();
    let ground: Vec<_> = (0..N).map(|_| (dice.aabb(15.0, 2.0), Filter::new(Mobility::Static))).collect();
    broad.insert_batch(&ground, &mut Vec::new()).unwrap();
    broad.insert(dice.aabb(1.0, 2.0), Filter::default()).unwrap();
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert!(!pairs.is_empty());
    assert!(broad.counters().tests < N as u64 / 10, "{} tests", broad.counters().tests);
}
