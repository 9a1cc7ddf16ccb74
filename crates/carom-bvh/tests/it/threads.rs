//! The same trees on one, two and seven threads.

use carom_bounds::{Aabb, BoundingVolume as _, KDop, Obb, Rss, Sphere};
use carom_bvh::{BuildMethod, BuildSettings, Bvh, BvhError, TreeVolume};
use carom_testkit::conform::bvh::many;
use carom_testkit::conform::dice::Dice;
use glam::Vec3;

#[test]
fn one_two_and_seven_threads_build_the_same() {
    let mut dice = Dice::new(1);
    let mut sets = many(6_000);
    sets.push(("a cloud", (0..20_000).map(|_| dice.aabb(10.0, 0.3)).collect()));
    for (name, boxes) in sets {
        for (i, method) in BuildMethod::ALL.into_iter().enumerate() {
            if method == BuildMethod::Insertion {
                // This method uses one thread in any case.
                continue;
            }
            let settings = BuildSettings::default()
                .with_method(method)
                .with_max_leaf(2)
                .with_reinsertion_rounds(i as u32 % 2);
            let with = |n: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
                let tree = pool.install(|| Bvh::<Aabb>::build(&boxes, &settings)).unwrap();
                format!("{tree:?}")
            };
            let one = with(1);
            for n in [2, 7] {
                assert!(with(n) == one, "{name}, {method:?}, {n} threads");
            }
        }
    }
}

#[test]
fn one_two_and_seven_threads_refit_the_same() {
    let mut dice = Dice::new(2);
    let mut cloud = |n: usize| -> Vec<Aabb> { (0..n).map(|_| dice.aabb(10.0, 0.1)).collect() };
    let (before, after) = (cloud(40_000), cloud(40_000));
    let points: Vec<Vec3> = after.iter().map(|aabb| aabb.min).collect();
    for method in [BuildMethod::ClusteredSah, BuildMethod::Morton] {
        let settings = BuildSettings::default().with_method(method);
        let tree = Bvh::<Aabb>::build(&before, &settings).unwrap();
        let corners: Vec<[u32; 2]> = tree.primitives().iter().map(|&i| [i, (i + 1) % 40_000]).collect();
        let with = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| {
                let (mut by_boxes, mut by_points) = (tree.clone(), tree.clone());
                by_boxes.refit(&after).unwrap();
                by_boxes.validate(&after).unwrap();
                by_points.refit_points(&points, &corners).unwrap();
                let mut bad = after.clone();
                bad[23_456].min.y = f32::NAN;
                bad[34_567].min.y = f32::NAN;
                assert_eq!(by_boxes.refit(&bad), Err(BvhError::NotFinite { primitive: 23_456 }));
                format!("{by_boxes:?} {by_points:?}")
            })
        };
        let one = with(1);
        for n in [2, 7] {
            assert!(with(n) == one, "{method:?}, {n} threads");
        }
    }
}

/// Volumes other than boxes are refitted with the same bits on any number of threads.
#[test]
fn one_two_and_seven_threads_follow_with_the_same_volumes() {
    fn check<V: TreeVolume + Clone>(name: &str) {
        let position_of = |i: usize, turn: f32| {
            let x = i as f32 * 0.01;
            Vec3::new(x, (x + turn).sin(), (3.0 * x * turn).cos())
        };
        let n = 20_000;
        let points = |turn: f32| -> Vec<Vec3> { (0..n + 2).map(|i| position_of(i, turn)).collect() };
        let (before, after) = (points(0.0), points(1.0));
        let boxes: Vec<Aabb> = (0..n).map(|i| Aabb::from_points(&before[i..i + 3])).collect();
        let tree = Bvh::<V>::build(&boxes, &BuildSettings::default()).unwrap();
        let corners: Vec<[u32; 3]> = tree.primitives().iter().map(|&i| [i, i + 1, i + 2]).collect();
        let with = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            let mut tree = tree.clone();
            pool.install(|| tree.refit_points(&after, &corners)).unwrap();
            format!("{tree:?}")
        };
        let one = with(1);
        for n in [2, 7] {
            assert!(with(n) == one, "{name}, {n} threads");
        }
    }
    check::<Sphere>("sphere");
    check::<Obb>("oriented box");
    check::<Rss>("rectangle swept sphere");
    check::<KDop<18>>("18-DOP");
}
