//! Tests of static boxes in one finder and moving ones in another: conformance, and the cost of
//! static ground.

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce, Filter, FromFinder, Mobility, Pair, StaticDynamic};
use carom_broad_auto::KdOctree;
use carom_broad_grid::{Loose, SparseGrid};
use carom_broad_sap::AxisPruner;
use carom_testkit::conform::{broad_phase, cliffs, dice::Dice, spatial_index, threads};

#[test]
fn conforms_to_broad_phase() {
    broad_phase::check(KdOctree::new);
}

#[test]
fn conforms_to_spatial_index() {
    spatial_index::check(KdOctree::new);
}

/// Finders that have no index, on either side or on both.
#[test]
fn finders_without_an_index_conform() {
    broad_phase::check(FromFinder::<StaticDynamic<AxisPruner, SparseGrid<Loose>>>::new);
    broad_phase::check(FromFinder::<StaticDynamic<AxisPruner, AxisPruner>>::new);
}

#[test]
fn one_two_and_seven_threads_give_the_same() {
    threads::check("kd-octree", KdOctree::new);
}

#[test]
fn resting_static_ground_costs_nothing() {
    cliffs::static_ground_costs_nothing(&mut KdOctree::new());
}

/// Boxes become static, or cease to be, between searches. Pairs, queries and the number of
/// refreshes are checked.
#[test]
fn boxes_that_change_sides() {
    let mut dice = Dice::new(31);
    let (mut broad, mut brute) = (KdOctree::new(), BruteForce::new());
    let filter = |is_static: bool| Filter::new(if is_static { Mobility::Fixed } else { Mobility::Dynamic });
    let batch: Vec<(Aabb, Filter)> = (0..600).map(|i| (dice.aabb(8.0, 2.0), filter(i % 4 != 0))).collect();
    let (mut ids, mut same_ids) = (Vec::new(), Vec::new());
    broad.insert_batch(&batch, &mut ids).unwrap();
    brute.insert_batch(&batch, &mut same_ids).unwrap();
    let (mut pairs, mut expected): (Vec<Pair>, Vec<Pair>) = (Vec::new(), Vec::new());
    let mut n_static_pairs = 0;
    for frame in 0..40 {
        for _ in 0..dice.below(12) {
            let (i, is_static) = (dice.below(ids.len()), dice.one_in(2));
            broad.set_filter(ids[i], filter(is_static)).unwrap();
            brute.set_filter(same_ids[i], filter(is_static)).unwrap();
            if dice.one_in(3) {
                let aabb = dice.aabb(8.0, 2.0);
                broad.update(&[(ids[i], aabb)]).unwrap();
                brute.update(&[(same_ids[i], aabb)]).unwrap();
            }
        }
        broad.validate().unwrap();
        let query = dice.aabb(8.0, 4.0);
        let (mut found, mut wanted) = (Vec::new(), Vec::new());
        carom_broad::SpatialIndex::overlapping(&broad, &query, &mut found);
        carom_broad::SpatialIndex::overlapping(&brute, &query, &mut wanted);
        assert_eq!(found, wanted, "frame {frame}");
        broad.pairs(&mut pairs);
        brute.pairs(&mut expected);
        assert_eq!(pairs, expected, "frame {frame}");
        broad.validate().unwrap();
        let is_static = |slot: u32| broad.proxies().filters()[slot as usize].mobility == Mobility::Fixed;
        n_static_pairs += pairs.iter().filter(|pair| is_static(pair.a) || is_static(pair.b)).count();
    }
    assert!(2000 < n_static_pairs, "{n_static_pairs} pairs with a static box");
    // Frames in which only other boxes are moved, inserted and removed do not refresh the static
    // ones.
    let before = broad.finder().n_static_refreshes();
    for _ in 0..5 {
        let moves: Vec<_> = ids
            .iter()
            .filter(|id| broad.proxies().filters()[id.index() as usize].mobility == Mobility::Dynamic)
            .map(|&id| (id, dice.aabb(8.0, 2.0)))
            .collect();
        assert!(50 < moves.len());
        broad.update(&moves).unwrap();
        let id = broad.insert(dice.aabb(8.0, 2.0), filter(false)).unwrap();
        broad.pairs(&mut pairs);
        broad.remove(id).unwrap();
        broad.pairs(&mut pairs);
    }
    assert_eq!(broad.finder().n_static_refreshes(), before);
}
