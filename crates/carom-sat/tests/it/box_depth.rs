//! The depth of two boxes: the least overlap of fifteen axes, at a place that is on both.

use crate::box_box::{half, oracle, surface_distance, turn};
use carom_math::{Pose, Vec3, WidePose};
use carom_sat::box_depth::{BoxDepth, depth, intersects};
use core::cell::Cell;
use glam::DVec3;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// Says whether there was a depth.
fn check(half_a: Vec3, half_b: Vec3, b_in_a: &Pose) -> bool {
    let wide = b_in_a.wide();
    let size = f64::from(half_a.element_sum() + half_b.element_sum());
    let (overlap, _) = oracle(half_a, half_b, b_in_a);
    let Some(found) = depth(half_a, half_b, &wide) else { return false };
    let context = format!("{found:?} {overlap} {half_a} {half_b} {b_in_a:?}");
    let BoxDepth { depth: deep, point_a, point_b, normal, .. } = found;
    assert!(0.0 < deep && (deep - overlap).abs() <= 2e-13 * size, "{context}");
    assert!((normal.length() - 1.0).abs() <= 1e-15, "{context}");
    assert!((point_a - point_b - normal * deep).length() <= 1e-12 * size, "{context}");
    // Either point is on its body.
    assert!(surface_distance(half_a, point_a).abs() <= 1e-12 * size, "{context}");
    assert!(
        surface_distance(half_b, wide.inverse_transform_point(point_b)).abs() <= 1e-12 * size,
        "{context}"
    );
    let swapped = depth(half_b, half_a, &wide.inverse());
    assert!(swapped.is_none_or(|swapped| (swapped.depth - deep).abs() <= 3e-13 * size), "{context}");
    let scaled = WidePose { translation: wide.translation * 1024.0, ..wide };
    let large = depth(half_a * 1024.0, half_b * 1024.0, &scaled).unwrap();
    assert_eq!(
        (large.depth, large.point_a, large.point_b, large.normal),
        (deep * 1024.0, point_a * 1024.0, point_b * 1024.0, normal)
    );
    true
}

#[test]
fn the_least_of_fifteen_overlaps_in_nearly_every_overlap() {
    let settings = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6000) };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(settings, dice);
    let (n, n_found) = (Cell::new(0), Cell::new(0));
    let toward = [-1.0_f32..1.0, -1.0..1.0, -1.0..1.0];
    let strategy = (half(), half(), turn(), toward, prop_oneof![Just(0.0_f32), 0.0_f32..1.2]);
    runner
        .run(&strategy, |(half_a, half_b, rotation, toward, reach)| {
            let pose = Pose::new(rotation, Vec3::from(toward) * (half_a + half_b) * reach);
            let size = f64::from(half_a.element_sum() + half_b.element_sum());
            let overlap = oracle(half_a, half_b, &pose).0;
            let is_found = check(half_a, half_b, &pose);
            let meet = intersects(half_a, half_b, &pose.wide());
            if 1e-12 * size < overlap.abs() {
                prop_assert_eq!(meet, Some(0.0 < overlap));
            }
            if 1e-12 * size < overlap && 0.0 < half_a.min(half_b).min_element() {
                n.set(n.get() + 1);
                n_found.set(n_found.get() + u32::from(is_found));
            }
            prop_assert!(!is_found || 0.0 < overlap);
            Ok(())
        })
        .unwrap();
    println!("{} of {} overlaps of boxes with a volume", n_found.get(), n.get());
    assert!(1000 < n.get() && 99 * n.get() < 100 * n_found.get());
}

/// A box at rest on it, sunk in by a little: the point is in the middle of the shared face.
#[test]
fn stacked() {
    let (slab, cube) = (Vec3::new(5.0, 0.5, 5.0), Vec3::splat(0.5));
    for (x, middle) in [(0.25, 0.25), (5.25, 4.875), (-5.25, -4.875)] {
        let on_top = Pose::from_translation(Vec3::new(x, 0.9375, 0.0)).wide();
        let found = depth(slab, cube, &on_top).unwrap();
        assert_eq!((found.depth, found.normal), (0.0625, DVec3::Y));
        assert_eq!(found.point_a, DVec3::new(middle, 0.5, 0.0));
        assert_eq!(found.point_b, DVec3::new(middle, 0.4375, 0.0));
    }
    // Touching, apart, or no box at all: not said here.
    for pose in [Vec3::Y, Vec3::Y * 1.5, Vec3::X * f32::NAN, Vec3::Z * f32::INFINITY] {
        let wide = Pose::from_translation(pose).wide();
        assert!(depth(slab, cube, &wide).is_none());
        let is_apart = pose == Vec3::Y * 1.5;
        assert_eq!(intersects(slab, cube, &wide), is_apart.then_some(false), "{pose}");
    }
    assert!(depth(Vec3::ZERO, Vec3::ZERO, &WidePose::IDENTITY).is_none());
}
