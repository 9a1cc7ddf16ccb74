//! Lists of pairs: the answers of single pairs, and nearly all of them by lanes.

use crate::zoo::shapes;
use carom_geom::{Capsule, Cuboid, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{PairBatch, PlacedPair, Shape, distance, intersects, intersects_batch};
use carom_testkit::random::Random;

/// Two shapes and their places.
type Pair = [(Shape, Pose); 2];

/// The answers of single pairs; the share that lanes decided.
fn check(pairs: &[Pair], name: &str) -> f64 {
    let list: Vec<PlacedPair<'_>> =
        pairs.iter().map(|[(a, pose_a), (b, pose_b)]| PlacedPair { a, pose_a, b, pose_b }).collect();
    let (mut memory, mut out) = (PairBatch::default(), vec![true; 3]);
    intersects_batch(&list, &mut memory, &mut out);
    assert_eq!(out.len(), list.len());
    for (pair, found) in list.iter().zip(&out) {
        assert_eq!(*found, intersects(pair.a, pair.pose_a, pair.b, pair.pose_b), "{name}: {pair:?}");
    }
    memory.n_by_lanes() as f64 / list.len().max(1) as f64
}

fn ball(random: &mut Random, size: f64) -> Shape {
    Shape::Sphere(Sphere::new((size * random.range(0.02, 1.0)) as f32).unwrap())
}

fn capsule(random: &mut Random, size: f64) -> Shape {
    let [half, radius] = [random.range(0.0, 1.0), random.range(0.02, 1.0)].map(|x| (size * x) as f32);
    Shape::Capsule(Capsule::new(half, radius).unwrap())
}

fn cuboid(random: &mut Random, size: f64) -> Shape {
    let half = (random.cube_point().abs() + 0.01) * size;
    Shape::Cuboid(Cuboid::new(half.as_vec3()).unwrap())
}

fn turn(random: &mut Random, kind: usize) -> Quat {
    let axis = random.cube_point().as_vec3();
    match kind {
        0 => Quat::from_scaled_axis(axis * 3.0),
        // Nearly parallel.
        1 => Quat::from_scaled_axis(axis * 1e-6),
        2 => Quat::from_scaled_axis(axis * 1e-3),
        // Not of length one.
        3 => Quat::from_xyzw(axis.x, axis.y, axis.z, 0.7),
        _ => Quat::IDENTITY,
    }
}

/// A pair of one of the kinds that have lanes, at a distance of about the sizes.
fn some_pair(random: &mut Random, kind: usize, size: f64, far: f64) -> Pair {
    let shapes = match kind {
        0 => [ball(random, size), ball(random, size)],
        1 => [ball(random, size), cuboid(random, size)],
        2 => [cuboid(random, size), ball(random, size)],
        3 => [capsule(random, size), capsule(random, size)],
        4 => [capsule(random, size), ball(random, size)],
        5 => [ball(random, size), capsule(random, size)],
        _ => [cuboid(random, size), cuboid(random, size)],
    };
    let turn_kind = random.below(5);
    let [turn_a, turn_b] = [0, 1].map(|_| turn(random, turn_kind));
    let middle = random.cube_point() * far;
    let apart = random.cube_point() * size * 2.0;
    let [a, b] = shapes;
    [(a, Pose::new(turn_a, middle.as_vec3())), (b, Pose::new(turn_b, (middle + apart).as_vec3()))]
}

#[test]
fn answers_are_those_of_single_pairs() {
    let mut random = Random::new(31);
    for size in [1.0, 1e-5, 1e6] {
        for kind in 0..7 {
            let pairs: Vec<Pair> = (0..3000).map(|_| some_pair(&mut random, kind, size, size)).collect();
            let share = check(&pairs, "about one size away");
            println!("size {size}, kind {kind}: {:.2} % by lanes", 100.0 * share);
            assert!(0.99 < share, "size {size}, kind {kind}: {share}");
        }
    }
}

/// Lists of all lengths and kinds, in any order, beside pairs of other kinds.
#[test]
fn kinds_may_be_mixed() {
    let mut random = Random::new(32);
    let zoo = shapes();
    for n in (0..40).chain([500]) {
        let pairs: Vec<Pair> = (0..n)
            .map(|_| {
                if random.below(4) == 0 {
                    [0, 1].map(|_| {
                        let pose = Pose::new(turn(&mut random, 0), random.cube_point().as_vec3());
                        (zoo[random.below(zoo.len())].1.clone(), pose)
                    })
                } else {
                    let kind = random.below(7);
                    some_pair(&mut random, kind, 1.0, 10.0)
                }
            })
            .collect();
        check(&pairs, "mixed");
    }
}

/// Pairs that touch to within a few units of rounding, near the origin and far from it.
#[test]
fn pairs_that_barely_touch() {
    let mut random = Random::new(33);
    for far in [0.0, 1.0, 1e4, 1e7] {
        for kind in 0..7 {
            let pairs: Vec<Pair> = (0..600)
                .map(|_| {
                    let [(a, pose_a), (b, mut pose_b)] = some_pair(&mut random, kind, 1.0, far);
                    // B is moved to A until they touch, then by a hair to either side.
                    let gap = distance(&a, &pose_a, &b, &pose_b);
                    if 0.0 < gap.distance {
                        pose_b.translation += gap.point_a - gap.point_b;
                        let hair = [0.0, 1e-7, 1e-6, 1e-5, 1e-4][random.below(5)] * random.range(-1.0, 1.0);
                        pose_b.translation += (gap.point_a - gap.point_b).normalize_or_zero() * hair as f32;
                    }
                    [(a, pose_a), (b, pose_b)]
                })
                .collect();
            check(&pairs, "barely touching");
        }
    }
}

/// Faces, edges and corners that coincide, in whole numbers.
#[test]
fn boxes_and_balls_on_a_grid() {
    let mut random = Random::new(34);
    let mut whole = |low: usize, n: usize| (low + random.below(n)) as f32;
    let pairs: Vec<Pair> = (0..4000)
        .map(|i| {
            let mut cuboid = || {
                let half = Vec3::new(whole(1, 3), whole(1, 3), whole(1, 3)) * 0.5;
                Shape::Cuboid(Cuboid::new(half).unwrap())
            };
            let [a, b] = [cuboid(), cuboid()];
            let ball = Shape::Sphere(Sphere::new(whole(1, 3) * 0.5).unwrap());
            let capsule = Shape::Capsule(Capsule::new(whole(0, 3) * 0.5, whole(1, 2) * 0.5).unwrap());
            let mut pose = || {
                let at = Vec3::new(whole(0, 5), whole(0, 5), whole(0, 5)) * 0.5;
                let quarter = core::f32::consts::FRAC_PI_2;
                Pose::new(Quat::from_rotation_z(quarter * whole(0, 2)), at)
            };
            let (pose_a, pose_b) = (pose(), pose());
            match i % 4 {
                0 => [(a, pose_a), (b, pose_b)],
                1 => [(a, pose_a), (ball, pose_b)],
                2 => [(capsule.clone(), pose_a), (capsule, pose_b)],
                _ => [(ball.clone(), pose_a), (ball, pose_b)],
            }
        })
        .collect();
    check(&pairs, "on a grid");
}

/// Boxes in a row that overlap and whose edges are parallel, or nearly so, are decided by lanes.
#[test]
fn parallel_edges_do_not_take_the_slow_path() {
    for angle in [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
        for depth in [-0.2_f32, 0.2] {
            let shape = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
            let standing = Shape::Capsule(Capsule::new(0.5, 0.5).unwrap());
            let turned = Pose::new(
                Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.7) * angle),
                Vec3::new(1.0 - depth, 0.1, 0.2),
            );
            let pairs: Vec<Pair> = [shape, standing]
                .into_iter()
                .flat_map(|shape| core::iter::repeat_n([(shape.clone(), Pose::IDENTITY), (shape, turned)], 8))
                .collect();
            assert_eq!(check(&pairs, "parallel"), 1.0, "angle {angle}, depth {depth}");
        }
    }
}

#[test]
fn numbers_at_their_ends_and_none_at_all() {
    let ball = |radius: f32| Shape::Sphere(Sphere::new(radius).unwrap());
    let cuboid = |half: f32| Shape::Cuboid(Cuboid::new(Vec3::splat(half)).unwrap());
    let capsule = |half: f32| Shape::Capsule(Capsule::new(half, half).unwrap());
    let mut pairs: Vec<Pair> = Vec::new();
    for size in [1e-38_f32, 1e-30, 1e-12, 1e12, 1e30] {
        for make in [&ball as &dyn Fn(f32) -> Shape, &cuboid, &capsule] {
            for other in [&ball as &dyn Fn(f32) -> Shape, &cuboid, &capsule] {
                for times in [0.0, 1.0, 1.9, 2.1, 5.0] {
                    let b = Pose::from_translation(Vec3::X * (size * times));
                    pairs.push([(make(size), Pose::IDENTITY), (other(size), b)]);
                    pairs.push([(make(size), Pose::IDENTITY), (other(1.0), b)]);
                }
            }
        }
    }
    check(&pairs, "ends");
    assert_eq!(check(&[], "none"), 0.0);
}
