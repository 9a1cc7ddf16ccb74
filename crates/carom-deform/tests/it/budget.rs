//! Searches that stop and resume.

use crate::scenes::{grid, scenes, waves};
use carom_deform::{DeformableMesh, FeatureSearch};

#[test]
fn any_split_gives_the_same_answer() {
    let mut search = FeatureSearch::default();
    let mut meshes: Vec<DeformableMesh> = scenes().into_iter().map(|scene| scene.mesh).collect();
    meshes.push(DeformableMesh::from_triangles(&waves(40, 0.4, 0.0), grid(40)).unwrap());
    let mut n_stops = 0;
    for mut mesh in meshes {
        let near = search.within(&mut mesh, 0.25).finish();
        let (near, n_candidates) = (near.pairs.to_vec(), near.counters.candidates);
        let impacts = search.impacts(&mut mesh).finish().pairs.to_vec();
        for budget in [1, 100, 5000] {
            let mut run = search.within(&mut mesh, 0.25);
            let (mut progress, mut n_found) = (run.progress(), 0);
            while !run.run(budget) {
                assert!(progress < run.progress() && run.progress() < 1.0);
                for found in &run.found_so_far()[n_found..] {
                    let slot = near.binary_search_by_key(&found.pair, |pair| pair.pair);
                    assert_eq!(slot.map(|index| near[index]), Ok(*found));
                }
                n_found = run.found_so_far().len();
                progress = run.progress();
                n_stops += 1;
            }
            // A complete search stays complete.
            assert!(run.run(0) && run.progress() == 1.0);
            let found = run.finish();
            assert_eq!(found.pairs, near);
            assert_eq!(found.counters.candidates, n_candidates);
            let mut run = search.impacts(&mut mesh);
            while !run.run(budget) {}
            assert_eq!(run.finish().pairs, impacts);
        }
    }
    assert!(20 < n_stops, "{n_stops}");
}

/// A call spends about its budget.
#[test]
fn a_budget_is_kept() {
    let mut search = FeatureSearch::default();
    let mut mesh = DeformableMesh::from_triangles(&waves(60, 1.0, 0.0), grid(60)).unwrap();
    let mut run = search.within(&mut mesh, 0.5);
    let mut before = run.counters();
    while !run.run(10_000) {
        let now = run.counters();
        // A chunk of 64 leaf pairs has at most 64 candidates of each.
        assert!(now.candidates - before.candidates <= 10_000 + 64 * 64);
        before = now;
    }
}
