//! Difficult worlds: every algorithm gives the same pairs, and the tests of box pruning in columns
//! stay below a limit.

use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{BroadPhase, Pair};
use carom_broad_sap::{
    AutoBoxPruning, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
    SweepAndPrune, SweepSort,
};
use carom_testkit::conform::cliffs;

/// Returns the pairs, and the tests per box and pair.
fn found(mut broad: impl BroadPhase, boxes: &[Aabb]) -> (Vec<Pair>, f64) {
    let work = cliffs::work(&mut broad, boxes, true);
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    broad.validate().unwrap();
    (pairs, work)
}

#[test]
fn all_agree_in_every_world() {
    for cliffs::World { name, boxes } in cliffs::worlds() {
        // A third of the boxes is enough for this test.
        let boxes = &boxes[..cliffs::N / 3];
        let (expected, axis) = found(BoxPruning::new(), boxes);
        let around = Aabb::from_points(&boxes[100..200].iter().map(|aabb| aabb.min).collect::<Vec<_>>());
        let regions = || Regions::grid(&around, [4, 4, 4]).unwrap();
        let (pairs, parts) = found(MultiBoxPruning::with_finder(RegionPruner::new(regions())), boxes);
        assert!(pairs == expected, "{name}: regions");
        assert!(found(AutoBoxPruning::new(), boxes).0 == expected, "{name}: columns");
        assert!(found(SweepAndPrune::new(), boxes).0 == expected, "{name}: sweep and prune");
        let axes = RegionAxes::new(regions(), SapSettings::default());
        assert!(
            found(MultiSap::with_finder(axes), boxes).0 == expected,
            "{name}: sweep and prune in regions"
        );
        assert!(found(SweepSort::new(), boxes).0 == expected, "{name}: sweep");
        println!(
            "{name}: {} pairs; tests per box and pair: axis {axis:.1}, regions {parts:.1}",
            expected.len()
        );
    }
}

#[test]
fn no_world_makes_columns_fall_off() {
    cliffs::check("columns", AutoBoxPruning::new, |world| match world {
        "giants" | "crowd" => 10.0,
        "uniform" | "outlier" | "far" | "line" | "plane" => 20.0,
        // Columns are slow for small crowds in large ones.
        "needles" | "clusters" => 200.0,
        _ => 60.0,
    });
    cliffs::static_ground_costs_nothing(&mut AutoBoxPruning::new());
}
