//! Tests of the tree: those of every search.

use carom_neighbours::{NeighbourError, NeighbourTree};
use carom_testkit::conform::neighbour_search;
use glam::Vec3;

#[test]
fn answers_are_those_of_brute_force() {
    neighbour_search::check("tree", |radius, max_pairs| -> Result<NeighbourTree, NeighbourError> {
        Ok(NeighbourTree::new(radius)?.with_max_pairs(max_pairs))
    });
}

/// Positions that no tree can hold are clamped, but only for the boxes.
#[test]
fn the_largest_numbers_are_handled() {
    let x = f32::MAX;
    let corners = [Vec3::splat(x), Vec3::splat(-x), Vec3::new(x, -x, 0.0), Vec3::ZERO, Vec3::X * x];
    let mut tree = NeighbourTree::new(x).unwrap();
    assert!(0 < neighbour_search::check_cloud(&mut tree, &corners, "the largest radius"));
    let mut tree = NeighbourTree::new(1.0).unwrap();
    let far = [Vec3::splat(x), Vec3::splat(x.next_down()), Vec3::splat(x), Vec3::splat(-x), Vec3::X * 1e35];
    assert_eq!(neighbour_search::check_cloud(&mut tree, &far, "the largest numbers"), 1);
}
