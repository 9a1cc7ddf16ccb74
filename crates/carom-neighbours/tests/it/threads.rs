//! Results are the same, in the same order, on one, two and seven threads.
#![cfg(feature = "parallel")]

use carom_neighbours::{HierarchicalGrid, NeighbourGrid, NeighbourLists, NeighbourTree, Reach};
use carom_testkit::conform::neighbour_search;
use carom_testkit::random::Random;
use glam::Vec3;

fn points() -> Vec<Vec3> {
    let mut random = Random::new(8);
    (0..12_000).map(|_| random.cube_point().as_vec3()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let points = points();
    let grid = |max| NeighbourGrid::new(0.1).unwrap().with_max_pairs(max);
    neighbour_search::check_threads("grid", &points, grid);
    // With a far point, the grid keeps only occupied cells.
    let far: Vec<Vec3> = points.iter().copied().chain([Vec3::splat(1e9)]).collect();
    neighbour_search::check_threads("grid of occupied cells", &far, grid);
    let tree = |max| NeighbourTree::new(0.1).unwrap().with_max_pairs(max);
    neighbour_search::check_threads("tree", &points, tree);
}

#[test]
fn radii_of_their_own_give_the_same() {
    let points = points();
    let radii: Vec<f32> = (0..points.len()).map(|i| 0.001 * (1 + i % 60) as f32).collect();
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let mut grid = HierarchicalGrid::new(Reach::Sum);
            grid.set_points(&points, &radii).unwrap();
            let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
            grid.collect_pairs(&mut pairs).unwrap();
            grid.collect_lists(&mut lists).unwrap();
            let rows: Vec<Vec<u32>> = lists.iter().map(|(_, row)| row.to_vec()).collect();
            (pairs, rows)
        })
    };
    let one = with(1);
    assert!(10_000 < one.0.len(), "{}", one.0.len());
    assert!(with(2) == one && with(7) == one);
}
