//! Intersection tests of lists of pairs: sorted by kind and eight at a time, one by one, and by
//! parry.
//!
//! Lists have 1 to 4096 pairs of one kind, or of all kinds mixed. Two of three pairs are apart.
//! Times are for one pair; sorting and gathering count.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::{Capsule, Cuboid, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{PairBatch, PlacedPair, Shape, contact, intersects, intersects_batch};
use carom_testkit::random::Random;
use parry3d::query::intersection_test;
use std::hint::black_box;

const LENGTHS: [usize; 6] = [1, 4, 8, 32, 256, 4096];

/// Pairs in one call, in lists.
const PER_CALL: usize = 4096;

/// Pairs nearer to touching than this are left out: parry computes in `f32`.
const MARGIN: f32 = 1e-3;

/// Two shapes and their poses.
type Pair = [(Shape, Pose); 2];

fn main() {
    let mut runner = Runner::new("pair_lists");
    let mut random = Random::new(41);
    for kind in ["ball and ball", "ball and box", "capsule and capsule", "box and box", "mixed"] {
        if !runner.wants(kind) {
            continue;
        }
        let pairs = pairs_of(kind, &mut random);
        let list: Vec<PlacedPair<'_>> =
            pairs.iter().map(|[(a, pose_a), (b, pose_b)]| PlacedPair { a, pose_a, b, pose_b }).collect();
        let peers: Vec<_> =
            pairs.iter().map(|pair| pair.each_ref().map(|(s, p)| (peer(s), parry::pose(p)))).collect();
        let one = |i: usize| intersects(list[i].a, list[i].pose_a, list[i].b, list[i].pose_b);
        let theirs = |i: usize| {
            let [(a, pose_a), (b, pose_b)] = &peers[i];
            intersection_test(pose_a, &**a, pose_b, &**b).expect("parry has these pairs").intersecting
        };
        let mut answers = Answers::new();
        let (mut memory, mut found) = (PairBatch::default(), Vec::new());
        intersects_batch(&list, &mut memory, &mut found);
        for i in 0..PER_CALL {
            answers.equal(&format!("{kind} {i}, by lanes"), &found[i], &one(i));
            answers.equal(&format!("{kind} {i}"), &one(i), &theirs(i));
        }
        println!("    {kind}: {} of {PER_CALL} pairs touch", found.iter().filter(|&&meet| meet).count());
        for size in LENGTHS {
            let (list, memory, found) = (&list, &mut memory, &mut found);
            let comparison =
                Comparison::new(if size == 1 { core::mem::take(&mut answers) } else { Answers::new() })
                    .entry("carom", move || {
                        for part in list.chunks(size) {
                            intersects_batch(black_box(part), memory, found);
                            black_box(&found);
                        }
                    })
                    .entry("carom, one by one", move || all(&one))
                    .entry("parry", move || all(&theirs));
            let row = Row { workload: kind, size: size as u64, unit: Unit::Ns, per_call: PER_CALL as u64 };
            runner.compare(row, comparison);
        }
    }
}

fn all(answer: &impl Fn(usize) -> bool) {
    for i in 0..PER_CALL {
        black_box(answer(black_box(i)));
    }
}

fn pairs_of(kind: &str, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::new();
    while pairs.len() < PER_CALL {
        let kinds = match kind {
            "ball and ball" => [0, 0],
            "ball and box" => [0, 1],
            "capsule and capsule" => [2, 2],
            "box and box" => [1, 1],
            _ => [random.below(3), random.below(3)],
        };
        let pair = kinds.map(|kind| {
            let [half, radius] = [random.range(0.2, 0.6), random.range(0.2, 0.6)].map(|x| x as f32);
            let shape = match kind {
                0 => Shape::Sphere(Sphere::new(radius).expect("it is positive")),
                1 => Shape::Cuboid(Cuboid::new(Vec3::new(radius, half, radius)).expect("they are positive")),
                _ => Shape::Capsule(Capsule::new(half, radius).expect("they are positive")),
            };
            let turn = Quat::from_scaled_axis((random.cube_point() * 3.0).as_vec3());
            (shape, Pose::new(turn, (random.cube_point() * 1.1).as_vec3()))
        });
        let [(a, pose_a), (b, pose_b)] = &pair;
        let near = contact(a, pose_a, b, pose_b, 1.0).map_or(1.0, |found| found.contact.distance);
        // Every third pair touches.
        if near.abs() < MARGIN || (near < 0.0) != pairs.len().is_multiple_of(3) {
            continue;
        }
        pairs.push(pair);
    }
    pairs
}

fn peer(shape: &Shape) -> Box<dyn parry3d::shape::Shape> {
    match shape {
        Shape::Sphere(s) => Box::new(parry3d::shape::Ball::new(s.radius())),
        Shape::Cuboid(s) => Box::new(parry3d::shape::Cuboid::new(parry::vector(s.half_extents()))),
        Shape::Capsule(s) => Box::new(parry3d::shape::Capsule::new_y(s.half_height(), s.radius())),
        _ => unreachable!("the bench makes no others"),
    }
}
