//! Tests that the curve is connected, and that outliers do not enlarge the cells of the other
//! boxes.

use super::{MAX_RUN, SpatialOrder, hilbert, hilbert_lanes};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_lanes::{Kernel, Simd, U32Lanes, dispatch};
use glam::Vec3;

/// Returns all cells of a cube, with their positions.
fn ordered_cells(axis_bits: u32) -> Vec<(u32, [u32; 3])> {
    let n = 1u32 << axis_bits;
    let mut ordered = Vec::new();
    for cell in 0..n * n * n {
        let cell = [cell % n, cell / n % n, cell / (n * n)];
        ordered.push((hilbert(cell, axis_bits), cell));
    }
    ordered.sort_unstable();
    ordered
}

#[test]
fn each_step_goes_to_a_neighbour() {
    for axis_bits in 1..6 {
        let cells = ordered_cells(axis_bits);
        assert!(cells.iter().enumerate().all(|(i, cell)| cell.0 == i as u32), "every place once");
        for pair in cells.windows(2) {
            let steps: u32 = (0..3).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }
}

#[test]
fn eight_at_once_are_the_same() {
    struct Both<'a>(&'a [(u32, [u32; 3])], u32);
    impl Kernel for Both<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            for eight in self.0.as_chunks::<8>().0 {
                let cell = [0, 1, 2].map(|axis| S::U32x8::load(simd, &eight.map(|(_, cell)| cell[axis])));
                assert_eq!(hilbert_lanes(simd, cell, self.1).to_array(), eight.map(|(index, _)| index));
            }
        }
    }
    for axis_bits in 1..6 {
        dispatch(Both(&ordered_cells(axis_bits), axis_bits));
    }
}

/// Returns a cube of boxes with this many per side, and boxes far away from them.
fn with_far_ones(side: usize, far: &[Aabb]) -> Vec<Aabb> {
    let unit = |i: usize| {
        let min = Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32);
        Aabb { min, max: min + 0.9 }
    };
    (0..side * side * side).map(unit).chain(far.iter().copied()).collect()
}

/// A floor and walls that reach to `f32::MAX`, or boxes that fell far down, do not put all other
/// boxes into one cell.
#[test]
fn what_is_far_away_makes_no_crowd_of_the_others() {
    let max = Vec3::splat(f32::MAX);
    let floor = Aabb { min: -max, max: max.with_y(0.0) };
    let wall = Aabb { min: -max, max: max.with_x(-5.0) };
    let fallen = |depth: f32| Aabb { min: Vec3::splat(-depth), max: Vec3::splat(1.0 - depth) };
    for side in [4, 9, 17] {
        for far in [&[][..], &[floor], &[floor, wall], &[fallen(1e4)], &[fallen(1e7), fallen(2e7), floor]] {
            let boxes = with_far_ones(side, far);
            for is_wall_static in [false, true] {
                let mut order = SpatialOrder::default();
                let mut listed = Vec::new();
                let is_static = |slot: usize| is_wall_static && side * side * side <= slot;
                order.assign_keys(&boxes, |_| true, is_static);
                order.sort(|_, entries| {
                    listed.extend(entries.iter().map(|&entry| entry as u32));
                });
                let mut keys = order.keys.clone();
                keys.sort_unstable();
                let most = keys.chunk_by(|a, b| a == b).map(<[u32]>::len).max();
                assert!(most <= Some(MAX_RUN), "{side} on a side, {far:?}: {most:?} in a cell");
                listed.sort_unstable();
                assert!(listed.into_iter().eq(0..boxes.len() as u32));
            }
        }
    }
}

/// Most centres coincide, or all but a few: there are crowds, and each box is listed once.
#[test]
fn boxes_at_one_position_are_listed_once() {
    let at = |x: f32| Aabb { min: Vec3::splat(x), max: Vec3::splat(x + 1.0) };
    for n_away in [0, 1, 5, 300] {
        let boxes: Vec<_> = (0..1000).map(|i| at(if i < n_away { i as f32 * 3.0 } else { 7.0 })).collect();
        let mut order = SpatialOrder::default();
        let mut listed = Vec::new();
        order.assign_keys(&boxes, |slot| slot % 3 != 0, |_| false);
        order.sort(|_, entries| {
            listed.extend(entries.iter().map(|&entry| entry as u32));
        });
        listed.sort_unstable();
        assert!(listed.into_iter().eq((0..1000).filter(|slot| slot % 3 != 0)), "{n_away} away");
    }
}
