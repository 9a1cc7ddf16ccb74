//! The same answers on one, two and seven threads.
#![cfg(feature = "parallel")]

use crate::scenes::{grid, waves};
use carom_deform::{AutoTree, DeformableMesh, FeatureSearch, HybridTree, LazyTree, RebuiltTree, RefitTree};
use carom_testkit::conform::following_tree;

#[test]
fn any_number_of_threads_gives_the_same() {
    let n = 150;
    let mut mesh = DeformableMesh::from_triangles(&waves(n, 1.0, 0.0), grid(n)).unwrap();
    mesh.set_positions(&waves(n, 1.0, 0.1)).unwrap();
    let mesh = mesh.with_thickness(0.01).unwrap();
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let (mut mesh, mut search) = (mesh.clone(), FeatureSearch::default());
            let near = search.within(&mut mesh, 0.05).finish();
            let mut all = format!("{:?} {:?}", near.pairs, near.counters);
            assert!(100_000 < near.counters.candidates);
            let impacts = search.impacts(&mut mesh).finish();
            all += &format!("{:?} {:?}", impacts.pairs, impacts.counters);
            let crossings = search.crossings(&mut mesh).finish();
            all += &format!("{:?} {:?}", crossings.pairs, crossings.counters);
            all
        })
    };
    let one = with(1);
    for n_threads in [2, 7] {
        assert!(with(n_threads) == one, "{n_threads} threads");
    }
}

#[test]
fn trees_follow_in_the_same_way_on_any_number_of_threads() {
    let mesh = DeformableMesh::from_triangles(&waves(50, 1.0, 0.0), grid(50)).unwrap();
    following_tree::check_threads::<RefitTree>("refit", &mesh);
    following_tree::check_threads::<LazyTree>("lazy", &mesh);
    following_tree::check_threads::<HybridTree>("hybrid", &mesh);
    following_tree::check_threads::<RebuiltTree>("rebuilt", &mesh);
    following_tree::check_threads::<AutoTree>("auto", &mesh);
}
