//! The pairs are the same on 1, 2 and 7 threads.
#![cfg(feature = "parallel")]

use carom_bounds::Aabb;
use carom_broad::{BroadPhase, BruteForce, Filter, Pair};
use carom_broad_sap::{
    AutoBoxPruning, BoxPruning, MultiBoxPruning, MultiSap, RegionAxes, RegionPruner, Regions, SapSettings,
    SweepAndPrune, SweepSort,
};
use carom_scenes::{Crowd, CrowdKind};
use glam::Vec3;

/// Returns the pairs of five frames.
fn run(mut broad: impl BroadPhase + Send, kind: CrowdKind, threads: usize) -> Vec<Vec<Pair>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut crowd = Crowd::new(kind, 9000, 3);
        let batch: Vec<_> = crowd.boxes().iter().map(|&aabb| (aabb, Filter::default())).collect();
        let mut ids = Vec::new();
        broad.insert_batch(&batch, &mut ids).unwrap();
        (0..5)
            .map(|_| {
                let mut pairs = Vec::new();
                broad.pairs(&mut pairs);
                crowd.step();
                let moves: Vec<_> =
                    crowd.moved().iter().map(|&i| (ids[i as usize], crowd.boxes()[i as usize])).collect();
                broad.update(&moves).unwrap();
                pairs
            })
            .collect()
    })
}

#[test]
fn same_bytes_on_any_number_of_threads() {
    let bounds = Aabb { min: Vec3::splat(2.0), max: Vec3::splat(30.0) };
    let regions = || Regions::grid(&bounds, [3, 3, 3]).unwrap();
    for kind in [CrowdKind::Mixed, CrowdKind::Jump] {
        let expected = run(BruteForce::new(), kind, 1);
        assert!(expected.iter().all(|pairs| 500 < pairs.len()));
        for threads in [1, 2, 7] {
            assert!(run(AutoBoxPruning::new(), kind, threads) == expected, "columns, {threads} threads");
            assert!(run(BoxPruning::new(), kind, threads) == expected, "axis, {threads} threads");
            let multi = MultiBoxPruning::with_finder(RegionPruner::new(regions()));
            assert!(run(multi, kind, threads) == expected, "regions, {threads} threads");
            assert!(
                run(MultiSap::with_finder(RegionAxes::new(regions(), SapSettings::default())), kind, threads)
                    == expected,
                "sap in regions, {threads} threads"
            );
            assert!(run(SweepAndPrune::new(), kind, threads) == expected, "sap, {threads} threads");
            assert!(run(SweepSort::new(), kind, threads) == expected, "sweep, {threads} threads");
        }
    }
}
