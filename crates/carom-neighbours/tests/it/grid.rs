//! Tests of the grid: those of every search, and its own.

use carom_neighbours::{NeighbourGrid, NeighbourLists, NeighbourSearch};
use carom_testkit::conform::neighbour_search;
use carom_testkit::random::Random;
use glam::Vec3;

fn make(radius: f32, max_pairs: usize) -> Result<NeighbourGrid, carom_neighbours::NeighbourError> {
    Ok(NeighbourGrid::new(radius)?.with_max_pairs(max_pairs))
}

#[test]
fn answers_are_those_of_brute_force() {
    neighbour_search::check("grid", make);
}

/// Coordinates beyond those that trees can hold.
#[test]
fn the_largest_numbers_are_handled() {
    let mut grid = NeighbourGrid::new(f32::MAX).unwrap();
    let x = f32::MAX;
    let corners = [Vec3::splat(x), Vec3::splat(-x), Vec3::new(x, -x, 0.0), Vec3::ZERO, Vec3::X * x];
    assert!(0 < neighbour_search::check_cloud(&mut grid, &corners, "the largest radius"));
    let mut grid = NeighbourGrid::new(1.0).unwrap();
    let next = x.next_down();
    let far = [Vec3::splat(x), Vec3::splat(next), Vec3::splat(x), Vec3::new(x, x, next), Vec3::splat(-x)];
    assert_eq!(neighbour_search::check_cloud(&mut grid, &far, "the largest numbers"), 1);
}

#[test]
fn the_order_is_one_of_cells_and_stable() {
    let mut grid = NeighbourGrid::new(1.0).unwrap();
    let points = [[2.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.25, 0.75, 0.5], [0.5, 1.5, 0.5], [0.5, 0.5, -0.5]];
    for far in [1.5, 1e20] {
        let mut points: Vec<Vec3> = points.map(Vec3::from_array).to_vec();
        points.push(Vec3::Z * far);
        grid.set_points(&points).unwrap();
        assert_eq!(grid.order(), [4, 1, 2, 0, 3, 5], "{far}");
        let cells: Vec<_> = grid.cells().collect();
        assert_eq!(cells, [0..1, 1..3, 3..4, 4..5, 5..6], "{far}");
        grid.set_points(&[]).unwrap();
        assert_eq!(grid.cells().count(), 0);
    }
}

/// A hundred thousand equal points have 5e9 pairs. The search ends early.
#[test]
fn equal_points_end_by_the_limit() {
    let points = vec![Vec3::new(0.3, 0.4, 0.5); 100_000];
    for radius in [0.0, 1e-20, 1.0] {
        let mut grid = NeighbourGrid::new(radius).unwrap().with_max_pairs(400_000);
        grid.set_points(&points).unwrap();
        let (mut pairs, mut lists) = (Vec::new(), NeighbourLists::default());
        assert!(grid.collect_pairs(&mut pairs).is_err() && pairs.is_empty());
        assert!(grid.collect_lists(&mut lists).is_err() && lists.is_empty());
        assert!(grid.collect_lists_between(&points[..9], &mut lists).is_err());
        grid.collect_lists_between(&points[..3], &mut lists).unwrap();
        assert_eq!(lists.neighbours().len(), 300_000);
        // A search between two sets does not change the points.
        assert_eq!(grid.n_points(), points.len());
    }
}

/// The memory of a grid is bounded by the number of its points, at any positions.
#[test]
fn strays_cost_no_memory_and_crowd_no_cell() {
    let mut random = Random::new(5);
    let mut points: Vec<Vec3> = (0..20_000).map(|_| random.cube_point().as_vec3()).collect();
    for i in 0..2000 {
        let size = 10_f64.powi(i % 37);
        points.push((random.cube_point() * size).as_vec3());
    }
    let count = |points: &[Vec3]| {
        let mut grid = NeighbourGrid::new(0.06).unwrap();
        let mut n_pairs = 0;
        let bytes = allocation_counter::measure(|| {
            grid.set_points(points).unwrap();
            grid.visit_pairs(&mut |_, _| {
                n_pairs += 1;
                std::ops::ControlFlow::Continue(())
            });
        });
        (n_pairs, bytes.bytes_max)
    };
    let (n_pairs, bytes) = count(&points);
    assert!(10_000 < n_pairs && bytes < 150 * points.len() as u64 + 200_000, "{n_pairs} {bytes}");
}
