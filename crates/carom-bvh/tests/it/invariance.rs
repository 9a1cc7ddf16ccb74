//! The same trees and the same answers on every instruction set, at every power of two, and from
//! either side.

use carom_bounds::{Aabb, Obb};
use carom_bvh::{
    BuildMethod, BuildSettings, Builder, Bvh, Counters, PairSearch, visit_leaf_pairs, visit_pairs,
};
use carom_lanes::{Level, force_level};
use carom_math::WidePose;
use carom_testkit::conform::bvh::triangle_sets;
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::{DQuat, DVec3, Vec3};

fn boxes(n: usize) -> Vec<Aabb> {
    let mut dice = Dice::new(4);
    (0..n).map(|_| dice.aabb(5.0, 0.5)).collect()
}

fn pose() -> WidePose {
    WidePose::from_quat(DQuat::from_xyzw(0.1, -0.3, 0.7, 0.6).normalize(), DVec3::new(0.4, -0.2, 0.1))
}

/// The results of queries of several kinds, in the order in which they come.
fn answers(boxes: &[Aabb], triangles: &[[Vec3; 3]], scale: f64) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    for (i, method) in BuildMethod::ALL.into_iter().enumerate() {
        let settings = BuildSettings::default().with_method(method).with_reinsertion_rounds(i as u32 % 2);
        let tree = Bvh::<Aabb>::build(boxes, &settings).unwrap();
        out.extend(tree.primitives().iter().map(|&p| (p, 0)));
        let pose = WidePose { translation: pose().translation * scale, ..pose() };
        let counters = visit_pairs(&tree, &tree, &pose, |a, b| {
            out.push((a, b));
            ControlFlow::Continue(())
        })
        .counters;
        out.push((counters.nodes as u32, counters.volume_tests as u32));
        tree.visit_self_pairs(|a, b| {
            out.push((a, b));
            ControlFlow::Continue(())
        });
        tree.visit_ray(
            DVec3::new(-8.0, 0.3, 0.2) * scale,
            DVec3::new(3.0, 0.1, -0.1),
            0.0,
            f64::INFINITY,
            |leaf, t| {
                out.push((leaf.index, 1));
                ControlFlow::Continue(t)
            },
        );
        let mut search = PairSearch::default();
        let far = WidePose { translation: DVec3::X * 20.0 * scale, ..pose };
        search.visit_near_leaf_pairs(&tree, &tree, &far, 15.0 * scale, |a, b, d| {
            out.push((a.index, b.index));
            ControlFlow::Continue(d)
        });
    }
    let settings = BuildSettings::default().with_max_leaf(2);
    let tree = Bvh::<Obb>::from_triangles(triangles.len(), |i| triangles[i as usize], &settings).unwrap();
    let pose = WidePose { translation: pose().translation * scale, ..pose() };
    visit_pairs(&tree, &tree, &pose, |a, b| {
        out.push((a, b));
        ControlFlow::Continue(())
    });
    out
}

#[test]
fn every_instruction_set_gives_the_same() {
    let (boxes, triangles) = (boxes(900), triangle_sets().remove(2).1);
    let expected = answers(&boxes, &triangles, 1.0);
    for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
        if force_level(Some(level)) {
            assert!(expected == answers(&boxes, &triangles, 1.0), "{level:?} gives other answers");
        }
    }
    force_level(None);
}

#[test]
fn a_power_of_two_changes_nothing() {
    let (boxes, triangles) = (boxes(500), triangle_sets().remove(2).1);
    let expected = answers(&boxes, &triangles, 1.0);
    for scale in [0.25_f32, 1024.0, f32::from_bits((127 + 60) << 23), f32::from_bits((127 - 60) << 23)] {
        let scaled: Vec<Aabb> =
            boxes.iter().map(|b| Aabb { min: b.min * scale, max: b.max * scale }).collect();
        let triangles: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|p| p * scale)).collect();
        assert!(expected == answers(&scaled, &triangles, f64::from(scale)), "scale {scale}");
    }
}

#[test]
fn a_pair_that_comes_up_from_one_side_does_from_the_other_unless_it_is_apart() {
    // Both sides report all pairs that meet. The other pairs that they report may differ by
    // rounding.
    let boxes = boxes(1500);
    let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default().with_max_leaf(1)).unwrap();
    let collect = |pose: &WidePose, swap: bool| {
        let mut pairs = Vec::new();
        visit_pairs(&tree, &tree, pose, |a, b| {
            pairs.push(if swap { (b, a) } else { (a, b) });
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    };
    let (there, back) = (collect(&pose(), false), collect(&pose().inverse(), true));
    let differ = there.iter().filter(|p| back.binary_search(p).is_err()).count();
    assert!(20 < there.len() && differ * 50 <= there.len(), "{differ} of {}", there.len());
}

#[test]
fn an_allowed_error_saves_work_and_keeps_its_promise() {
    let boxes = boxes(2000);
    let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
    let pose = WidePose { translation: DVec3::new(11.0, 0.0, 0.0), ..pose() };
    let distance = |a: u32, b: u32| {
        (boxes[a as usize].min.as_dvec3() - pose.transform_point(boxes[b as usize].min.as_dvec3())).length()
    };
    let mut search = PairSearch::default();
    let mut run = |keep: f64| {
        let mut best = f64::INFINITY;
        let counters: Counters = search
            .visit_near_leaf_pairs(&tree, &tree, &pose, f64::INFINITY, |leaf_a, leaf_b, bound| {
                for &a in leaf_a.primitives {
                    for &b in leaf_b.primitives {
                        best = best.min(distance(a, b));
                    }
                }
                ControlFlow::Continue(bound.min(best * keep))
            })
            .counters;
        (best, counters)
    };
    let (exact, full) = run(1.0);
    let (rough, less) = run(0.5);
    assert!(exact <= rough && rough * 0.5 <= exact && less.primitives < full.primitives);
    let (tolerance, _) = run(-1.0);
    assert!(exact <= tolerance, "a negative answer ends the search");
}

#[test]
fn leaves_cover_the_primitives() {
    let boxes = boxes(777);
    for method in BuildMethod::ALL {
        for max_leaf in [0, 1, 8, 99] {
            let settings = BuildSettings::default().with_method(method).with_max_leaf(max_leaf);
            let tree = Bvh::<Aabb>::build(&boxes, &settings).unwrap();
            let mut first = 0;
            for (i, leaf) in tree.leaves().enumerate() {
                assert_eq!((leaf.index, leaf.first), (i as u32, first));
                assert!(
                    !leaf.primitives.is_empty() && leaf.primitives.len() <= max_leaf.clamp(1, 16) as usize
                );
                first += leaf.primitives.len() as u32;
            }
            assert_eq!(first as usize, boxes.len());
            assert!(tree.leaf(u32::MAX).primitives.is_empty());
        }
    }
    let mut builder = Builder::default();
    let mut tree = Bvh::<Aabb>::empty();
    builder.rebuild(&mut tree, &[], &BuildSettings::default()).unwrap();
    assert!(tree.is_empty() && tree.n_leaves() == 0 && tree.n_nodes() == 0);
    assert!(!visit_leaf_pairs(&tree, &tree, &WidePose::IDENTITY, |_, _| ControlFlow::Break(())).stopped);
}
