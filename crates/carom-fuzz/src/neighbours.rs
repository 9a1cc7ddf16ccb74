//! Points within a radius: points are refused or searched, and each search gives the sets of brute
//! force.

use crate::bytes::Bytes;
use carom_neighbours::{
    BruteForce, HierarchicalGrid, NeighbourError, NeighbourGrid, NeighbourLists, NeighbourSearch,
    NeighbourTree, Reach,
};
use glam::Vec3;

/// Points of a set.
const MAX_POINTS: usize = 40;

/// Runs the searches for one radius over a few sets of points, with and without a limit.
pub fn neighbours(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let radius = bytes.size() as f32;
    let max_pairs = if bytes.byte() < 200 { usize::MAX } else { bytes.below(64) };
    let Ok(brute) = BruteForce::new(radius) else {
        assert!(!(0.0 <= radius && radius.is_finite()), "{radius} was refused");
        assert!(NeighbourGrid::new(radius).is_err() && NeighbourTree::new(radius).is_err());
        return;
    };
    let mut brute = brute.with_max_pairs(max_pairs);
    let mut grid = NeighbourGrid::new(radius).expect("the radius is sound").with_max_pairs(max_pairs);
    let mut tree = NeighbourTree::new(radius).expect("the radius is sound").with_max_pairs(max_pairs);
    let mut by_sizes = HierarchicalGrid::new(Reach::Larger).with_max_pairs(max_pairs);
    let mut points = Vec::new();
    for _ in 0..4 {
        if bytes.is_empty() {
            break;
        }
        // Some of the points stay.
        points.truncate(bytes.below(MAX_POINTS));
        let n_new = bytes.below(MAX_POINTS);
        points.extend((0..n_new).map(|_| bytes.point_f32()));
        let taken = brute.set_points(&points);
        assert_eq!(taken.is_ok(), points.iter().all(|p| p.is_finite()));
        assert_eq!(taken, grid.set_points(&points));
        assert_eq!(taken, tree.set_points(&points));
        let radii = vec![radius; points.len()];
        assert_eq!(taken, by_sizes.set_points(&points, &radii));
        if taken.is_err() {
            points.retain(|p| p.is_finite());
            brute.set_points(&points).expect("points are finite");
            grid.set_points(&points).expect("points are finite");
            tree.set_points(&points).expect("points are finite");
            by_sizes.set_points(&points, &vec![radius; points.len()]).expect("points are finite");
        }
        let others: Vec<Vec3> = (0..bytes.below(6)).map(|_| bytes.point_f32()).collect();
        let expected = run_queries(&mut brute, &others);
        assert_eq!(run_queries(&mut grid, &others), expected, "grid, {radius:e}, {points:?}");
        assert_eq!(run_queries(&mut tree, &others), expected, "tree, {radius:e}, {points:?}");
        let mut pairs = Vec::new();
        let done = by_sizes.collect_pairs(&mut pairs);
        pairs.sort_unstable();
        assert_eq!((done, pairs), (expected.1, expected.0), "by sizes, {radius:e}, {points:?}");
    }
}

/// Pairs, the result of the search for them, and lists, all sorted.
type Answer = (Vec<[u32; 2]>, Result<(), NeighbourError>, Vec<Result<Vec<Vec<u32>>, NeighbourError>>);

fn run_queries(search: &mut dyn NeighbourSearch, others: &[Vec3]) -> Answer {
    let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
    let done = search.collect_pairs(&mut pairs);
    pairs.sort_unstable();
    let sorted = |found: Result<(), NeighbourError>, lists: &mut NeighbourLists| {
        lists.sort();
        found.map(|()| (0..lists.len() as u32).map(|point| lists.of(point).to_vec()).collect())
    };
    let mut all = Vec::new();
    let found = search.collect_lists(&mut lists);
    all.push(sorted(found, &mut lists));
    let found = search.collect_lists_between(others, &mut lists);
    all.push(sorted(found, &mut lists));
    let mut near = Vec::new();
    let rows = others.iter().map(|position| {
        search.collect_near(*position, &mut near);
        near.clone()
    });
    all.push(Ok(rows.collect()));
    (pairs, done, all)
}
