//! Levels of detail: errors are as stated, and bodies do not flicker between levels.

use crate::scenes::{ball, is_bad};
use carom_geom::ConvexHull;
use carom_math::glam::EulerRot;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Shape, distance};
use carom_testkit::random::Random;
use carom_world::{DetailLevels, allowed_error};
use std::sync::Arc;

fn hull(points: &[Vec3]) -> Shape {
    Shape::Hull(Arc::new(ConvexHull::from_points(points).unwrap()))
}

/// A lumpy stone of 300 points, its hulls of 40 and of 12 of them, and the ball of its mean radius.
/// The error of a hull of fewer points is the distance of the farthest point left out.
fn stone(seed: u64) -> DetailLevels {
    let mut random = Random::new(seed);
    let points: Vec<Vec3> = (0..300)
        .map(|_| random.cube_point().as_vec3().normalize() * random.range(0.95, 1.05) as f32)
        .collect();
    let error = |shape: &Shape| {
        let off = |&point: &Vec3| {
            distance(shape, &Pose::IDENTITY, &ball(1e-6), &Pose::from_translation(point)).distance + 2e-6
        };
        points.iter().map(off).fold(0.0, f32::max)
    };
    let mut levels = DetailLevels::new(hull(&points));
    for n in [40, 12] {
        let coarse = hull(&points[..n]);
        let error = error(&coarse);
        levels = levels.with_level(coarse, error).unwrap();
    }
    levels
}

#[test]
fn distances_are_off_by_no_more_than_both_errors() {
    let mut largest = 0.0_f32;
    for seed in 0..8 {
        let [a, b] = [stone(seed), stone(seed + 100)];
        let mut random = Random::new(seed);
        for _ in 0..30 {
            let mut turn = || random.range(-3.0, 3.0) as f32;
            let turned = Quat::from_euler(EulerRot::XYZ, turn(), turn(), turn());
            let pose = Pose::new(turned, random.cube_point().as_vec3().normalize() * 2.6);
            let between = |level_a: usize, level_b: usize| {
                distance(a.shape(level_a), &Pose::IDENTITY, b.shape(level_b), &pose).distance
            };
            for (level_a, level_b) in [(1, 0), (1, 1), (2, 1), (2, 2)] {
                let off = (between(level_a, level_b) - between(0, 0)).abs();
                let bound = a.error(level_a) + b.error(level_b);
                assert!(off <= bound + 1e-5, "{off} of {bound}");
                largest = largest.max(off / bound);
            }
        }
    }
    println!("the largest error was {largest:.2} of its bound");
    assert!(0.4 < largest);
}

/// A body that goes away and comes back: coarser and coarser, then finer, never beyond what is
/// allowed, and at a border it keeps its level.
#[test]
fn a_level_is_never_too_coarse_and_does_not_flicker() {
    let levels = stone(1);
    let (mut level, mut changes) = (0, Vec::new());
    let there_and_back = (0..1500).chain((0..1500).rev());
    for step in there_and_back {
        let allowed = allowed_error(step as f32, 0.002);
        let next = levels.level(allowed, level);
        assert!(levels.error(next) <= allowed);
        if next != level {
            changes.push((level, next));
        }
        level = next;
    }
    assert_eq!(changes, [(0, 1), (1, 2), (2, 1), (1, 0)]);
    // To and fro by a twentieth around the border: one change at most.
    let border = levels.error(1) / 0.002;
    let mut n_changes = 0;
    for k in 0..200 {
        let at = border * if k % 2 == 0 { 0.95 } else { 1.05 };
        let next = levels.level(allowed_error(at, 0.002), level);
        n_changes += usize::from(next != level);
        level = next;
    }
    assert!(n_changes <= 1, "{n_changes}");
}

#[test]
fn errors_of_levels_ascend() {
    let levels = || DetailLevels::new(ball(1.0)).with_level(ball(1.1), 0.1).unwrap();
    for bad in [0.05, -1.0, f32::NAN, f32::INFINITY] {
        let refused = levels().with_level(ball(1.2), bad).map(|_| ());
        assert!(is_bad(refused, "error of a level", bad));
    }
    assert_eq!((levels().level(f32::NAN, 1), levels().level(-1.0, 1), levels().level(9.0, 7)), (0, 0, 1));
    assert_eq!(levels().error(9), 0.1);
}
