//! Trees that follow their primitives.

use carom_bounds::{Aabb, BoundingVolume, KDop, Lss, Obb, Rss, Sphere};
use carom_bvh::{BuildQuality, BuildSettings, Builder, Bvh, BvhError, Child, TreeVolume};
use carom_math::WidePose;
use carom_testkit::conform::dice::Dice;
use carom_testkit::oracle::contain::Contains;
use glam::Vec3;

fn boxes(dice: &mut Dice, n: usize) -> Vec<Aabb> {
    (0..n).map(|_| dice.aabb(5.0, 0.5)).collect()
}

#[test]
fn a_refitted_tree_holds_the_new_boxes_tightly() {
    let mut dice = Dice::new(1);
    for n in [1, 2, 8, 9, 100, 3000] {
        for max_leaf in [1, 4, 16] {
            let before = boxes(&mut dice, n);
            let settings = BuildSettings::default().with_max_leaf(max_leaf);
            let mut tree = Bvh::<Aabb>::build(&before, &settings).unwrap();
            let built = tree.clone();
            tree.refit(&before).unwrap();
            assert_eq!(tree.bounds(), built.bounds());
            assert_eq!(tree.quality(), built.quality());
            let after: Vec<Aabb> = boxes(&mut dice, n);
            tree.refit(&after).unwrap();
            tree.validate(&after).unwrap();
            assert_eq!(tree.bounds(), after.iter().fold(Aabb::EMPTY, |all, b| all.merged(b)));
            // By index, as geometry in the order of the leaves.
            let order = tree.primitives().to_vec();
            let mut counts = vec![0; n];
            tree.refit_with(|index, number| {
                assert_eq!(order[index as usize], number);
                counts[number as usize] += 1;
                before[number as usize]
            })
            .unwrap();
            assert!(counts.iter().all(|&times| times == 1));
            assert_eq!(tree.quality(), built.quality());
        }
    }
}

/// Oriented boxes and spheres contain the boxes that they follow, by `refit` and by `refit_with`.
#[test]
fn trees_of_other_volumes_follow_boxes() {
    fn check<V: TreeVolume + Clone>(dice: &mut Dice) {
        for n in [1, 8, 9, 500] {
            let mut tree = Bvh::<V>::build(&boxes(dice, n), &BuildSettings::default()).unwrap();
            let after = boxes(dice, n);
            tree.refit(&after).unwrap();
            tree.validate(&after).unwrap();
            let after = boxes(dice, n);
            tree.refit_with(|_, number| after[number as usize]).unwrap();
            tree.validate(&after).unwrap();
        }
    }
    let mut dice = Dice::new(7);
    check::<Obb>(&mut dice);
    check::<Sphere>(&mut dice);
}

/// Checks that every volume of the tree contains the points below it, in exact arithmetic.
fn holds_all<V: TreeVolume + Contains>(tree: &Bvh<V>, points: &[Vec3], corners: &[[u32; 3]]) {
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); tree.n_nodes()];
    for node in (0..tree.n_nodes() as u32).rev() {
        let children: Vec<_> = tree.children(node).collect();
        for (reference, child) in children {
            let inside = match child {
                Child::Leaf(leaf) => leaf.primitives.to_vec(),
                Child::Node(child) => below[child as usize].clone(),
            };
            let volume = tree.volume(reference);
            for p in inside.iter().flat_map(|&i| corners[i as usize]).map(|v| points[v as usize]) {
                let stay = WidePose::IDENTITY;
                assert!(volume.surrounds(&stay, p.as_dvec3()), "{volume:?} lost {p}");
            }
            below[node as usize].extend(inside);
        }
    }
    assert_eq!(below[0].len(), corners.len());
    for p in points {
        assert!(tree.bounds().surrounds(&WidePose::IDENTITY, p.as_dvec3()));
    }
}

/// A strip of triangles that is bent, twisted and scaled by `frame`.
fn strip(n: usize, frame: usize) -> Vec<Vec3> {
    let bend = frame as f32 * 0.7;
    let scale = [1.0, 1.0, 1e-20, 1e15, 1.0][frame % 5];
    (0..n)
        .map(|i| {
            let (x, side) = ((i / 2) as f32 / n as f32 * 8.0, (i % 2) as f32);
            let (sin, cos) = (x * bend).sin_cos();
            Vec3::new(x + bend, sin + side * cos, side * sin * cos + 100.0 * bend) * scale
        })
        .collect()
}

#[test]
fn volumes_of_all_kinds_hold_the_points_that_they_follow() {
    fn check<V: TreeVolume + Contains + Clone>(name: &str) {
        for n in [3, 12, 130] {
            let corners: Vec<[u32; 3]> = (0..n as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
            let start = strip(n, 0);
            let boxes: Vec<Aabb> =
                corners.iter().map(|t| Aabb::from_points(&t.map(|v| start[v as usize]))).collect();
            for max_leaf in [1, 4, 16] {
                let settings = BuildSettings::default().with_max_leaf(max_leaf);
                let fit = |numbers: &[u32]| {
                    let own = numbers.iter().flat_map(|&i| corners[i as usize]);
                    V::from_points(&own.map(|v| start[v as usize]).collect::<Vec<_>>())
                };
                let mut tree = Bvh::<V>::fitted(&boxes, &settings, fit).unwrap();
                let sorted: Vec<[u32; 3]> = tree.primitives().iter().map(|&i| corners[i as usize]).collect();
                for frame in 0..5 {
                    let points = strip(n, frame);
                    tree.refit_points(&points, &sorted).unwrap();
                    holds_all(&tree, &points, &corners);
                }
                // Back at the start, the volumes are hardly larger than fitted ones, although they
                // keep their orientation and nodes are fitted to their children.
                let fitted = Bvh::<V>::fitted(&boxes, &settings, fit).unwrap();
                tree.refit_points(&start, &sorted).unwrap();
                let [again, first] = [&tree, &fitted].map(|tree| tree.bounds().surface_area());
                assert!(again <= 4.0 * first, "{name}, {n} points: {again} after {first}");
                // A bad point changes nothing.
                let mut bad = start.clone();
                bad[2].y = f32::NAN;
                let before = format!("{tree:?}");
                assert_eq!(tree.refit_points(&bad, &sorted), Err(BvhError::NotFinite { primitive: 0 }));
                assert_eq!(format!("{tree:?}"), before);
            }
        }
    }
    check::<Aabb>("box");
    check::<Sphere>("sphere");
    check::<Obb>("oriented box");
    check::<Rss>("rectangle swept sphere");
    check::<Lss>("line swept sphere");
    check::<KDop<14>>("14-DOP");
    check::<KDop<18>>("18-DOP");
    check::<KDop<26>>("26-DOP");
}

#[test]
fn a_bad_refit_is_refused_and_changes_nothing() {
    let mut dice = Dice::new(2);
    let good = boxes(&mut dice, 50);
    let mut tree = Bvh::<Aabb>::build(&good, &BuildSettings::default()).unwrap();
    let quality = tree.quality();
    let mut bad = good.clone();
    bad[17].max.y = f32::NAN;
    assert_eq!(tree.refit(&bad), Err(BvhError::NotFinite { primitive: 17 }));
    assert_eq!(tree.refit(&good[1..]), Err(BvhError::WrongCount { expected: 50, given: 49 }));
    assert_eq!(tree.quality(), quality);
    tree.validate(&good).unwrap();
    // One by one: the bad box is excluded, and the error names it.
    assert_eq!(
        tree.refit_with(|_, p| bad[p as usize]).map_err(|e| e.to_string()),
        Err("primitive 17 has a bound that is NaN or infinite".into())
    );
    // The error names the least of several numbers, in any order of the calls.
    for pair in [[3, 7], [0, 49], [20, 21], [7, 40]] {
        let mut bad = good.clone();
        bad[pair[0]].min.x = f32::INFINITY;
        bad[pair[1]].max.z = 2.0e30;
        let expected = Err(BvhError::NotFinite { primitive: pair[0] });
        assert_eq!(tree.refit(&bad), expected);
        assert_eq!(tree.refit_with(|_, p| bad[p as usize]), expected);
        // Trees of other volumes ask in another order.
        let mut spheres = Bvh::<Sphere>::build(&good, &BuildSettings::default()).unwrap();
        assert_eq!(spheres.refit_with(|_, p| bad[p as usize]), expected);
    }
    tree.refit(&good).unwrap();
    tree.validate(&good).unwrap();
    let mut empty = Bvh::<Aabb>::empty();
    assert_eq!(empty.refit(&[]), Ok(()));
}

#[test]
fn every_bad_coordinate_is_detected_anywhere() {
    let mut dice = Dice::new(5);
    for n in [1, 2, 3, 8] {
        let good = boxes(&mut dice, n);
        let mut tree = Bvh::<Aabb>::build(&good, &BuildSettings::default()).unwrap();
        for primitive in 0..n {
            for k in 0..3 {
                let mut refused = |change: &dyn Fn(&mut Aabb), error: BvhError| {
                    let mut bad = good.clone();
                    change(&mut bad[primitive]);
                    assert_eq!(tree.refit(&bad), Err(error), "{n} boxes, box {primitive}, axis {k}");
                };
                for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                    refused(&|b| b.min[k] = x, BvhError::NotFinite { primitive });
                    refused(&|b| b.max[k] = x, BvhError::NotFinite { primitive });
                }
                refused(&|b| b.min[k] = -2.0e30, BvhError::TooLarge { primitive });
                refused(&|b| b.max[k] = 2.0e30, BvhError::TooLarge { primitive });
                refused(&|b| b.min[k] = b.max[k].next_up(), BvhError::Inverted { primitive });
            }
        }
        tree.refit(&good).unwrap();
    }
}

/// The corners in the order of the tree, and the boxes of the same primitives by number.
fn of_points<const N: usize>(
    tree: &Bvh,
    points: &[Vec3],
    corners: &[[u32; N]],
) -> (Vec<[u32; N]>, Vec<Aabb>) {
    let sorted = tree.primitives().iter().map(|&i| corners[i as usize]).collect();
    let around = |corners: &[u32; N]| {
        corners.iter().fold(Aabb::EMPTY, |all, &i| {
            let point = points[i as usize];
            all.merged(&Aabb { min: point, max: point })
        })
    };
    (sorted, corners.iter().map(around).collect())
}

#[test]
fn points_that_moved_are_followed_as_their_boxes_are() {
    fn follow<const N: usize>(dice: &mut Dice) {
        for n in [1, 9, 3000] {
            let points = |dice: &mut Dice| -> Vec<Vec3> { (0..n).map(|_| dice.point(5.0)).collect() };
            let (before, after) = (points(dice), points(dice));
            let corners: Vec<[u32; N]> = (0..n).map(|_| [(); N].map(|()| dice.below(n) as u32)).collect();
            let start = of_points(&Bvh::empty(), &before, &corners).1;
            let mut by_points = Bvh::<Aabb>::build(&start, &BuildSettings::default()).unwrap();
            let mut by_boxes = by_points.clone();
            let (sorted, boxes) = of_points(&by_points, &after, &corners);
            by_points.refit_points(&after, &sorted).unwrap();
            by_boxes.refit(&boxes).unwrap();
            by_points.validate(&boxes).unwrap();
            assert_eq!((by_points.bounds(), by_points.quality()), (by_boxes.bounds(), by_boxes.quality()));
        }
    }
    let mut dice = Dice::new(4);
    follow::<1>(&mut dice);
    follow::<2>(&mut dice);
    follow::<3>(&mut dice);
    follow::<4>(&mut dice);
}

#[test]
fn bad_points_are_refused_by_the_first_primitive_that_has_them() {
    let mut points: Vec<Vec3> = (0..40).map(|i| Vec3::new(i as f32, (i * i % 7) as f32, 0.0)).collect();
    let corners: Vec<[u32; 2]> = (0..39).map(|i| [i, i + 1]).collect();
    let boxes = of_points(&Bvh::empty(), &points, &corners).1;
    let mut tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default()).unwrap();
    let (mut sorted, _) = of_points(&tree, &points, &corners);
    let count = Err(BvhError::WrongCount { expected: 39, given: 38 });
    assert_eq!(tree.refit_points(&points, &sorted[1..]), count);
    let good = points.clone();
    points[23].z = f32::NAN;
    assert_eq!(tree.refit_points(&points, &sorted), Err(BvhError::NotFinite { primitive: 22 }));
    points[23].z = 2.0e30;
    assert_eq!(tree.refit_points(&points, &sorted), Err(BvhError::TooLarge { primitive: 22 }));
    // A point that no primitive has may be anything.
    let mut more = good.clone();
    more.push(Vec3::NAN);
    assert_eq!(tree.refit_points(&more, &sorted), Ok(()));
    let index = tree.primitives().iter().position(|&number| number == 5).unwrap();
    sorted[index][1] = 40;
    let refused = tree.refit_points(&good, &sorted);
    assert_eq!(refused, Err(BvhError::NoSuchPoint { primitive: 5 }));
    assert_eq!(refused.unwrap_err().to_string(), "primitive 5 has a corner whose point is not there");
    tree.validate(&boxes).unwrap();
    assert_eq!(Bvh::<Aabb>::empty().refit_points::<3>(&[], &[]), Ok(()));
}

#[test]
fn a_refused_build_leaves_the_tree_that_was() {
    let mut dice = Dice::new(3);
    let good = boxes(&mut dice, 50);
    let mut builder = Builder::default();
    let mut tree = Bvh::<Aabb>::empty();
    builder.rebuild(&mut tree, &good, &BuildSettings::default()).unwrap();
    let bad = [Aabb { min: Vec3::ONE, max: Vec3::ZERO }];
    assert!(builder.rebuild(&mut tree, &bad, &BuildSettings::default()).is_err());
    tree.validate(&good).unwrap();
    // The same builder then builds the same tree as a new one.
    let other = boxes(&mut dice, 700);
    for quality in [BuildQuality::Fast, BuildQuality::Balanced, BuildQuality::High] {
        let settings = BuildSettings::default().with_quality(quality);
        builder.rebuild(&mut tree, &other, &settings).unwrap();
        let fresh = Bvh::<Aabb>::build(&other, &settings).unwrap();
        assert_eq!(tree.primitives(), fresh.primitives());
        assert_eq!(tree.quality(), fresh.quality());
    }
}
