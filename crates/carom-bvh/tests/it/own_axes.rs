//! Splits along the axes of a box that is fitted to the triangles.

use carom_bounds::Obb;
use carom_bvh::{Bvh, OwnAxes, SplitAt};
use glam::Vec3;
use std::collections::BTreeSet;

/// A strip of `n` parallelograms along a direction, each of two triangles with the sides `along`
/// and `across`.
fn strip(n: usize, along: Vec3, across: Vec3) -> Vec<[Vec3; 3]> {
    (0..n)
        .flat_map(|i| {
            let [a, b] = [along * i as f32, along * (i + 1) as f32];
            [[a, b, a + across], [b, b + across, a + across]]
        })
        .collect()
}

fn leaves(triangles: &[[Vec3; 3]], settings: &OwnAxes) -> Vec<BTreeSet<u32>> {
    let tree: Bvh<Obb> = Bvh::along_own_axes(triangles.len(), |i| triangles[i as usize], settings).unwrap();
    tree.leaves().map(|leaf| leaf.primitives.iter().copied().collect()).collect()
}

#[test]
fn an_askew_strip_is_cut_across_its_length() {
    // The strip is equally long along x, y and z: none of its axes is a coordinate axis.
    let along = Vec3::new(1.0, 1.0, 1.0);
    let strip = strip(32, along, Vec3::new(3.0, -3.0, 0.0));
    for at in [SplitAt::Mean, SplitAt::Median] {
        let mut found = leaves(&strip, &OwnAxes::default().with_split(at).with_max_leaf(32));
        found.sort();
        assert_eq!(found, [(0..32).collect(), (32..64).collect::<BTreeSet<u32>>()], "{at:?}");
    }
}

#[test]
fn where_the_longest_axis_does_not_part_the_second_does() {
    // Needles side by side: all centres are at the same place along the needles.
    let needles: Vec<[Vec3; 3]> = (0..16)
        .map(|i| {
            let at = Vec3::Y * i as f32;
            [at - Vec3::X * 100.0, at + Vec3::X * 100.0 + Vec3::Y * 0.25, at - Vec3::Y * 0.25]
        })
        .collect();
    for at in [SplitAt::Mean, SplitAt::Median] {
        let mut found = leaves(&needles, &OwnAxes::default().with_split(at).with_max_leaf(8));
        found.sort();
        assert_eq!(found, [(0..8).collect(), (8..16).collect::<BTreeSet<u32>>()], "{at:?}");
    }
}

#[test]
fn equal_halves_and_an_end_by_depth() {
    let strip = strip(500, Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, -1.0, 0.0));
    for depth in 0..6 {
        let settings = OwnAxes::default().with_split(SplitAt::Median).with_max_leaf(1).with_max_depth(depth);
        let found = leaves(&strip, &settings);
        assert_eq!(found.len(), 1 << depth);
        let sizes: BTreeSet<usize> = found.iter().map(BTreeSet::len).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "depth {depth}: {sizes:?}");
    }
}

#[test]
fn what_no_axis_parts_is_halved() {
    let same = [[Vec3::ZERO, Vec3::X, Vec3::Y]; 40];
    let points = [[Vec3::ONE; 3]; 40];
    for triangles in [same, points] {
        for at in [SplitAt::Mean, SplitAt::Median] {
            let found = leaves(&triangles, &OwnAxes::default().with_split(at).with_max_leaf(2));
            assert!(found.iter().all(|leaf| leaf.len() <= 2), "{at:?}");
            assert_eq!(found.iter().flatten().count(), 40);
        }
    }
    assert!(leaves(&[], &OwnAxes::default()).is_empty());
}
