//! A tree that is built on demand, compared with one that is built at once.

use carom_bounds::{Aabb, BoundingVolume, Obb};
use carom_bvh::{BuildSettings, Bvh, BvhError, LazyBvh, TreeVolume, visit_pairs};
use carom_math::WidePose;
use carom_testkit::conform::bvh::many;
use carom_testkit::conform::dice::Dice;
use core::ops::ControlFlow;
use glam::{DQuat, DVec3, Vec3};
use std::collections::BTreeSet;

fn cloud(n: usize) -> Vec<Aabb> {
    let mut dice = Dice::new(1);
    (0..n).map(|_| dice.aabb(10.0, 0.3)).collect()
}

/// The boxes that a query box meets, among the candidates of a tree.
fn primitives_touching<V: TreeVolume>(tree: &LazyBvh<V>, boxes: &[Aabb], probe: &Aabb) -> Vec<u32> {
    let mut found = Vec::new();
    let visit = tree.visit_box(probe, |primitives| {
        found.extend_from_slice(primitives);
        ControlFlow::Continue(())
    });
    assert_eq!(visit.counters.primitives, found.len() as u64);
    found.retain(|&i| boxes[i as usize].overlaps(probe));
    found.sort_unstable();
    found
}

fn brute(boxes: &[Aabb], probe: &Aabb) -> Vec<u32> {
    (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(probe)).collect()
}

fn check<V: TreeVolume>(name: &str, boxes: &[Aabb]) {
    let settings = BuildSettings::default();
    let lazy = LazyBvh::<V>::new(boxes.to_vec(), &settings).unwrap();
    let eager = Bvh::<V>::build(boxes, &settings).unwrap();
    let mut dice = Dice::new(2);
    for i in 0..20 {
        let probe = if i % 4 == 0 { boxes[dice.below(boxes.len())] } else { dice.aabb(10.0, 2.0) };
        assert_eq!(primitives_touching(&lazy, boxes, &probe), brute(boxes, &probe), "{name}");
        let point = dice.point(15.0).as_dvec3();
        let distance = |i: u32| {
            let b = &boxes[i as usize];
            (b.min.as_dvec3() - point).max(point - b.max.as_dvec3()).max(DVec3::ZERO).length()
        };
        let mut nearest = f64::INFINITY;
        lazy.visit_near(point, f64::INFINITY, |primitives, bound| {
            nearest = primitives.iter().map(|&i| distance(i)).fold(nearest, f64::min);
            ControlFlow::Continue(bound.min(nearest))
        });
        let expected = eager.nearest(point, f64::INFINITY, |i, _| Some(distance(i))).0.unwrap().1;
        assert_eq!(nearest, expected, "{name}");
        // The first box along a ray, by where it enters.
        let direction = boxes[dice.below(boxes.len())].center().as_dvec3() - point;
        let enters = |i: u32| {
            let b = &boxes[i as usize];
            let (a, c) = ((b.min.as_dvec3() - point) / direction, (b.max.as_dvec3() - point) / direction);
            let (near, far) = (a.min(c).max_element().max(0.0), a.max(c).min_element());
            if near <= far { near } else { f64::INFINITY }
        };
        let mut first = f64::INFINITY;
        lazy.visit_ray(point, direction, 0.0, f64::INFINITY, |primitives, t| {
            first = primitives.iter().map(|&i| enters(i)).fold(first, f64::min);
            ControlFlow::Continue(t.min(first))
        });
        let expected = (0..boxes.len() as u32).map(enters).fold(f64::INFINITY, f64::min);
        assert_eq!(first, expected, "{name}");
    }
}

#[test]
fn answers_are_those_of_a_tree_built_at_once() {
    check::<Aabb>("few", &cloud(100));
    check::<Aabb>("many", &cloud(20_000));
    check::<Obb>("oriented", &cloud(3_000));
    for (name, boxes) in many(5_000) {
        check::<Aabb>(name, &boxes);
    }
    let settings = BuildSettings::default();
    let nothing = LazyBvh::<Aabb>::new(vec![], &settings).unwrap();
    assert!(nothing.is_empty() && primitives_touching(&nothing, &[], &Aabb::EVERYTHING).is_empty());
    let mut bad = cloud(5);
    bad[3].min.z = f32::NAN;
    assert_eq!(LazyBvh::<Aabb>::new(bad, &settings).err(), Some(BvhError::NotFinite { primitive: 3 }));
}

#[test]
fn pairs_are_those_of_trees_built_at_once() {
    let (large, small) = (cloud(9_000), cloud(700));
    let settings = BuildSettings::default();
    let rotation = DQuat::from_xyzw(0.1, -0.3, 0.7, 0.6).normalize();
    let pose = WidePose::from_quat(rotation, DVec3::new(9.0, 9.0, 9.0));
    let lazy = |boxes: &[Aabb]| LazyBvh::<Aabb>::new(boxes.to_vec(), &settings).unwrap();
    let eager = |boxes: &[Aabb]| Bvh::<Aabb>::build(boxes, &settings.with_max_leaf(1)).unwrap();
    for (a, b) in [(&large, &large), (&large, &small), (&small, &large), (&small, &small)] {
        let (lazy_a, lazy_b) = (lazy(a), lazy(b));
        let mut found = BTreeSet::new();
        lazy_a.visit_leaf_pairs(&lazy_b, &pose, |of_a, of_b| {
            for &i in of_a {
                for &j in of_b {
                    assert!(found.insert((i, j)), "pair {i} {j} twice");
                }
            }
            ControlFlow::Continue(())
        });
        let mut n = 0;
        visit_pairs(&eager(a), &eager(b), &pose, |i, j| {
            // The trees report candidates. Pairs that surely touch are in both lists.
            let deep = |b: &Aabb| Aabb { min: b.min + 1e-3, max: b.max - 1e-3 };
            let placed = deep(&b[j as usize]).center().as_dvec3();
            let center = pose.transform_point(placed).as_vec3();
            if deep(&a[i as usize]).overlaps(&Aabb::from_point(center)) {
                n += 1;
                assert!(found.contains(&(i, j)), "pair {i} {j} missed");
            }
            ControlFlow::Continue(())
        });
        assert!(0 < n || b.len() < 1000 || a.len() < 1000, "no pair touches");
        let stopped = lazy_a.visit_leaf_pairs(&lazy_b, &pose, |_, _| ControlFlow::Break(())).stopped;
        assert_eq!(stopped, !found.is_empty());
    }
}

#[test]
fn only_what_queries_enter_is_built() {
    let boxes = cloud(50_000);
    let tree = LazyBvh::<Aabb>::new(boxes.clone(), &BuildSettings::default()).unwrap();
    assert_eq!(tree.built().parts, 0);
    let away = Aabb { min: Vec3::splat(50.0), max: Vec3::splat(51.0) };
    assert!(primitives_touching(&tree, &boxes, &away).is_empty());
    assert_eq!((tree.built().parts, tree.built().primitives), (1, 0));
    let mut dice = Dice::new(3);
    for _ in 0..100 {
        let corner = dice.aabb(0.5, 0.5);
        assert_eq!(primitives_touching(&tree, &boxes, &corner), brute(&boxes, &corner));
    }
    let built = tree.built();
    println!("{built:?} after queries in a corner");
    assert!(0 < built.primitives && built.primitives * 4 < boxes.len());
    assert_eq!(primitives_touching(&tree, &boxes, &Aabb::EVERYTHING).len(), boxes.len());
    assert_eq!(tree.built().primitives, boxes.len());
}

#[test]
fn threads_build_the_same() {
    let boxes = cloud(30_000);
    let mut dice = Dice::new(4);
    let probes: Vec<Aabb> = (0..64).map(|_| dice.aabb(8.0, 1.0)).collect();
    let alone = LazyBvh::<Aabb>::new(boxes.clone(), &BuildSettings::default()).unwrap();
    let expected: Vec<_> = probes.iter().map(|probe| primitives_touching(&alone, &boxes, probe)).collect();
    let shared = LazyBvh::<Aabb>::new(boxes.clone(), &BuildSettings::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (shared, boxes, probes, expected) = (&shared, &boxes, &probes, &expected);
            scope.spawn(move || {
                for i in 0..probes.len() {
                    // Every thread begins at another probe.
                    let i = (i + thread * 8) % probes.len();
                    assert_eq!(primitives_touching(shared, boxes, &probes[i]), expected[i]);
                }
            });
        }
    });
    assert_eq!(shared.built(), alone.built());
}
