//! Compares searches of random points of any kind with brute force.

use carom_neighbours::{HierarchicalGrid, NeighbourGrid, NeighbourTree, Reach};
use carom_testkit::conform::neighbour_search;
use glam::Vec3;
use proptest::prelude::*;

/// Returns coordinates that coincide, lie on lattices, are tiny or far, or are any finite number
/// up to 1e30.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => (-8..8_i32).prop_map(|i| i as f32 * 0.25),
        2 => -2.0..2.0_f32,
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(1e-45), Just(1e30), Just(-1e30), Just(1e7)],
        1 => any::<u32>().prop_map(f32::from_bits).prop_map(|x| if x.abs() <= 1e30 { x } else { 0.5 }),
    ]
}

fn radius() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => (0..8_i32).prop_map(|i| i as f32 * 0.25),
        2 => 0.0..2.0_f32,
        1 => prop_oneof![Just(0.0), Just(1e-45), Just(1e30), Just(f32::MAX), Just(1e-20)],
        1 => (0..0x7f80_0000_u32).prop_map(f32::from_bits),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("CAROM_SLOW").is_some() { 20_000 } else { 200 }))]

    #[test]
    fn any_points_give_the_answers_of_brute_force(
        points in prop::collection::vec(prop::array::uniform3(coordinate()).prop_map(Vec3::from_array), 0..40),
        radius in radius(),
    ) {
        let n_pairs = neighbour_search::check_cloud(&mut NeighbourGrid::new(radius).unwrap(), &points, "grid");
        neighbour_search::check_cloud(&mut NeighbourTree::new(radius).unwrap(), &points, "tree");
        let mut by_sizes = HierarchicalGrid::new(Reach::Larger);
        by_sizes.set_points(&points, &vec![radius; points.len()]).unwrap();
        let mut pairs = Vec::new();
        by_sizes.collect_pairs(&mut pairs).unwrap();
        prop_assert_eq!(pairs.len(), n_pairs);
    }
}
