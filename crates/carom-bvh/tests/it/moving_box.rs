//! A box that moves through a tree, compared with a test of all boxes one by one.

use carom_bounds::Aabb;
use carom_bvh::{BuildSettings, Bvh};
use carom_testkit::random::Random;
use core::ops::ControlFlow;
use glam::DVec3;

/// The least t from 0 to `end` at which the moving box meets the other; `None` if it does not.
fn meets(center: DVec3, half: DVec3, displacement: DVec3, end: f64, other: &Aabb) -> Option<f64> {
    let (low, high) = (other.min.as_dvec3() - half, other.max.as_dvec3() + half);
    let (mut near, mut far) = (0.0_f64, end);
    for k in 0..3 {
        if displacement[k] == 0.0 {
            if center[k] < low[k] || high[k] < center[k] {
                return None;
            }
            continue;
        }
        let (a, b) = ((low[k] - center[k]) / displacement[k], (high[k] - center[k]) / displacement[k]);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    (near <= far).then_some(near)
}

#[test]
fn every_leaf_that_the_box_meets_is_visited() {
    let mut random = Random::new(51);
    let (mut n_met, mut n_visited, mut n_in_order, mut n_pairs) = (0, 0, 0, 0);
    for case in 0..60 {
        let size = [1.0, 1e4, 1e-4][case % 3];
        let boxes: Vec<Aabb> = (0..400)
            .map(|_| {
                let at = random.cube_point() * size;
                Aabb::around(at, at + random.cube_point().abs() * 0.1 * size)
            })
            .collect();
        let tree: Bvh = Bvh::build(&boxes, &BuildSettings::default()).unwrap();
        for _ in 0..20 {
            let half = random.cube_point().abs() * size * [0.0, 0.05, 0.3][random.below(3)];
            let center = random.cube_point() * 3.0 * size;
            let mut offset = (random.cube_point() * size - center) * [1.0, 0.01][random.below(2)];
            if random.below(4) == 0 {
                offset[random.below(3)] = 0.0;
            }
            let end = random.range(0.2, 2.0) * if random.below(2) == 0 { 1.0 } else { 100.0 };
            let mut visited = vec![false; boxes.len()];
            let mut last = f64::NEG_INFINITY;
            let done = tree.visit_moving_box(center, half, offset, 0.0, end, |leaf, t_max| {
                let mut first = f64::INFINITY;
                for &i in leaf.primitives {
                    visited[i as usize] = true;
                    first = first
                        .min(meets(center, half, offset, end, &boxes[i as usize]).unwrap_or(f64::INFINITY));
                }
                if first < f64::INFINITY {
                    n_pairs += 1;
                    n_in_order += u32::from(last <= first);
                    last = first;
                }
                ControlFlow::Continue(t_max)
            });
            assert!(!done.stopped);
            for (i, aabb) in boxes.iter().enumerate() {
                if meets(center, half, offset, end, aabb).is_some() {
                    n_met += 1;
                    assert!(visited[i], "case {case}: box {i} was not visited");
                }
                n_visited += u32::from(visited[i]);
            }
        }
    }
    assert!(2000 < n_met && n_visited < 6 * n_met, "{n_visited} for {n_met}");
    assert!(2 * n_pairs < 3 * n_in_order, "{n_in_order} of {n_pairs}");
}

#[test]
fn a_displacement_without_numbers_visits_nothing() {
    let boxes = [Aabb::around(DVec3::ZERO, DVec3::ONE)];
    let tree: Bvh = Bvh::build(&boxes, &BuildSettings::default()).unwrap();
    let count = |center: DVec3, half: DVec3, displacement: DVec3| {
        let mut n = 0;
        tree.visit_moving_box(center, half, displacement, 0.0, 1.0, |_, t| {
            n += 1;
            ControlFlow::Continue(t)
        });
        n
    };
    assert_eq!(count(DVec3::splat(-3.0), DVec3::ONE, DVec3::splat(4.0)), 1);
    assert_eq!(count(DVec3::splat(-3.0), DVec3::ONE, DVec3::splat(1.0)), 0);
    assert_eq!(count(DVec3::NAN, DVec3::ONE, DVec3::ONE), 0);
    assert_eq!(count(DVec3::ZERO, DVec3::splat(f64::INFINITY), DVec3::ONE), 0);
}
