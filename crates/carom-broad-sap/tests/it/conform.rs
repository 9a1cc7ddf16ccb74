//! Every algorithm passes the conformance suites.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, FromFinder, PointFilter};
use carom_broad_sap::{
    AutoBoxPruning, AxisPruner, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions,
    SapSettings, SortedAxes, Sweep, SweepAndPrune, SweepLine, SweepSort,
};
use carom_testkit::conform::{broad_phase, spatial_index};
use glam::Vec3;

/// Returns regions over a part of the worlds of the suite, so that boxes are in no region, in one,
/// and in many.
fn regions(scale: f32) -> Regions {
    let bounds = Aabb { min: Vec3::splat(-6.0) * scale, max: Vec3::new(6.0, 5.0, 9.0) * scale };
    Regions::grid(&bounds, [3, 2, 4]).unwrap()
}

#[test]
fn auto_box_pruning() {
    broad_phase::check(AutoBoxPruning::new);
    spatial_index::check(AutoBoxPruning::new);
}

#[test]
fn box_pruning() {
    broad_phase::check(BoxPruning::new);
    spatial_index::check(BoxPruning::new);
}

#[test]
fn sweep_sort() {
    broad_phase::check(SweepSort::new);
    for line in [SweepLine::Principal, SweepLine::X, SweepLine::Y, SweepLine::Z] {
        broad_phase::check(|| SweepSort::with_finder(Sweep::along(line)));
    }
    spatial_index::check(SweepSort::new);
}

#[test]
fn sweep_and_prune() {
    broad_phase::check(SweepAndPrune::new);
    spatial_index::check(SweepAndPrune::new);
}

#[test]
fn sweep_and_prune_with_few_and_with_endless_trades() {
    for trades in [0, 1, u32::MAX] {
        let settings = SapSettings::default().with_max_trades(trades);
        broad_phase::check(|| SweepAndPrune::with_finder(SortedAxes::new(settings)));
    }
}

/// The field is public, so it may hold a number that is no axis.
#[test]
fn r_a_skipped_axis_that_is_none() {
    for axis in [3, usize::MAX] {
        let mut settings = SapSettings::default();
        settings.skipped_axis = Some(axis);
        broad_phase::check(|| SweepAndPrune::with_finder(SortedAxes::new(settings)));
        broad_phase::check_at_scales(|scale| {
            MultiSap::with_finder(RegionAxes::new(regions(scale), settings))
        });
    }
}

#[test]
fn sweep_and_prune_without_an_axis() {
    for axis in 0..3 {
        let settings = SapSettings::default().with_skipped_axis(axis);
        broad_phase::check(|| SweepAndPrune::with_finder(SortedAxes::new(settings)));
    }
}

#[test]
fn multi_box_pruning() {
    broad_phase::check_at_scales(|scale| MultiBoxPruning::with_finder(RegionPruner::new(regions(scale))));
    broad_phase::check(MultiBoxPruning::new);
    spatial_index::check(|| MultiBoxPruning::with_finder(RegionPruner::new(regions(1.0))));
}

#[test]
fn multi_sap() {
    broad_phase::check_at_scales(|scale| {
        MultiSap::with_finder(RegionAxes::new(regions(scale), SapSettings::default()))
    });
    broad_phase::check(|| MultiSap::with_finder(RegionAxes::new(Regions::default(), SapSettings::default())));
    spatial_index::check(|| MultiSap::with_finder(RegionAxes::new(regions(1.0), SapSettings::default())));
    let settings = SapSettings::default().with_skipped_axis(1);
    broad_phase::check_at_scales(|scale| MultiSap::with_finder(RegionAxes::new(regions(scale), settings)));
}

/// Regions that overlap, touch, have gaps, and are points and planes.
#[test]
fn regions_of_all_kinds() {
    let regions = |scale: f32| {
        let mut boxes = regions(scale).boxes()[3..17].to_vec();
        for (min, max) in [
            (Vec3::splat(-1.0), Vec3::splat(7.0)),
            (Vec3::ZERO, Vec3::ZERO),
            (Vec3::new(-50.0, 1.0, -50.0), Vec3::new(50.0, 1.0, 50.0)),
        ] {
            boxes.push(Aabb { min: min * scale, max: max * scale });
        }
        Regions::new(&boxes).unwrap()
    };
    broad_phase::check_at_scales(|scale| MultiBoxPruning::with_finder(RegionPruner::new(regions(scale))));
    broad_phase::check_at_scales(|scale| {
        MultiSap::with_finder(RegionAxes::new(regions(scale), SapSettings::default()))
    });
}

/// A user's own finder needs one function.
#[test]
fn a_finder_of_ones_own() {
    #[derive(Default)]
    struct Twice;
    impl carom_broad::PairFinder for Twice {
        const MAY_REPEAT: bool = true;
        fn find(
            &mut self,
            proxies: &carom_broad::ProxyTable,
            slots: &[u32],
            found: &mut carom_broad::PairBuffer,
        ) {
            use carom_bounds::BoundingVolume;
            for &a in slots {
                for &b in slots.iter().filter(|&&b| b != a) {
                    if proxies.boxes()[a as usize].overlaps(&proxies.boxes()[b as usize]) {
                        found.push(a, b);
                    }
                }
            }
        }
    }
    broad_phase::check(FromFinder::<Twice>::new);
    assert!(FromFinder::<Twice>::new().is_empty());
}

/// Bodies far from all others stay points, and bodies that touch others do not.
#[test]
fn points_in_front() {
    type Filtered = FromFinder<PointFilter<AxisPruner>>;
    broad_phase::check(Filtered::new);
    let scaled = |scale: f32| PointFilter::new(AxisPruner::default()).with_unit(3.0 * scale);
    broad_phase::check_at_scales(|scale| FromFinder::with_finder(scaled(scale)));
    broad_phase::check(|| {
        FromFinder::with_finder(PointFilter::new(PointFilter::new(RegionPruner::default())))
    });
    let mut broad = Filtered::new();
    for x in [0.0, 10.0, 20.0, 20.5, 21.0, 40.0] {
        let aabb = Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
        broad.insert(aabb, Filter::default()).unwrap();
    }
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert_eq!(pairs.len(), 3);
    assert_eq!((broad.finder().n_restored(), broad.finder().n_points()), (3, 3));
}
