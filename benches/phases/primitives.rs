//! Primitive tests: rays against boxes and triangles, closest points of segments, triangles against
//! boxes, points in triangles.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::closest::closest_points;
use carom_geom::overlap::overlaps;
use carom_geom::segment_triangle::point_in_triangle;
use carom_geom::{Cuboid, Segment, Triangle};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_testkit::random::Random;
use glam::DVec3;
use parry3d::query::details::{closest_points_segment_segment, intersection_test_cuboid_triangle};
use parry3d::query::{ClosestPoints, Ray as ParryRay, RayCast};
use std::hint::black_box;

/// Different inputs in one call.
const N: usize = 2000;

/// Tolerance of distances of about 1: parry computes in `f32`.
const TOLERANCE: f64 = 1e-4;

fn main() {
    let mut runner = Runner::new("primitives");
    let mut random = Random::new(17);
    let mut point = |size: f64| (random.cube_point() * size).as_vec3();
    let rays: Vec<Ray> = (0..N)
        .map(|_| {
            let origin = point(3.0);
            // Rays aim near the middle, so that about half of them hit.
            Ray::new(origin, point(1.5) - origin)
        })
        .collect();
    let boxes: Vec<Cuboid> = (0..N)
        .map(|_| Cuboid::new(point(1.0).abs() + Vec3::splat(0.1)).expect("sizes are positive"))
        .collect();
    let triangles: Vec<Triangle> = (0..N)
        .map(|_| Triangle::new(point(1.5), point(1.5), point(1.5)).expect("corners are finite"))
        .collect();
    let segments: Vec<[Segment; 2]> = (0..N)
        .map(|_| [0; 2].map(|_| Segment::new(point(1.0), point(1.0)).expect("ends are finite")))
        .collect();
    let row = |workload| Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 };
    let peer_rays: Vec<ParryRay> = rays
        .iter()
        .map(|ray| ParryRay::new(parry::vector(ray.origin), parry::vector(ray.direction)))
        .collect();
    let peer_boxes: Vec<_> =
        boxes.iter().map(|b| parry3d::shape::Cuboid::new(parry::vector(b.half_extents()))).collect();
    let peer_triangles: Vec<_> = triangles
        .iter()
        .map(|t| {
            parry3d::shape::Triangle::new(parry::vector(t.a()), parry::vector(t.b()), parry::vector(t.c()))
        })
        .collect();
    let miss = -1.0_f32;

    if runner.wants("ray-box") {
        let ours = |i: usize| boxes[i].cast_ray(&rays[i], Interval::FORWARD, true).map_or(miss, |hit| hit.t);
        let theirs = |i: usize| {
            let hit = peer_boxes[i].cast_local_ray_and_get_normal(&peer_rays[i], f32::MAX, true);
            hit.map_or(miss, |hit| hit.time_of_impact)
        };
        let mut answers = Answers::new();
        for i in 0..N {
            answers.number(&format!("ray {i}"), ours(i).into(), theirs(i).into(), TOLERANCE);
        }
        runner.compare(row("ray-box"), comparison(answers, ours, theirs));
    }
    if runner.wants("ray-triangle") {
        let ours = |i: usize| triangles[i].cast_ray(&rays[i], Interval::FORWARD).map_or(miss, |hit| hit.t);
        let theirs = |i: usize| {
            let hit = peer_triangles[i].cast_local_ray_and_get_normal(&peer_rays[i], f32::MAX, true);
            hit.map_or(miss, |hit| hit.time_of_impact)
        };
        let mut answers = Answers::new();
        for i in 0..N {
            answers.number(&format!("ray {i}"), ours(i).into(), theirs(i).into(), TOLERANCE);
        }
        runner.compare(row("ray-triangle"), comparison(answers, ours, theirs));
    }
    if runner.wants("segment-segment") {
        let peers: Vec<_> = segments
            .iter()
            .map(|pair| {
                pair.map(|s| parry3d::shape::Segment::new(parry::vector(s.a()), parry::vector(s.b())))
            })
            .collect();
        let identity = parry::pose(&Pose::IDENTITY);
        let ours = |i: usize| closest_points(&segments[i][0], &segments[i][1], &Pose::IDENTITY).distance;
        let theirs = |i: usize| match closest_points_segment_segment(
            &identity,
            &peers[i][0],
            &peers[i][1],
            f32::MAX,
        ) {
            ClosestPoints::WithinMargin(a, b) => (b - a).length(),
            _ => 0.0,
        };
        let mut answers = Answers::new();
        for i in 0..N {
            answers.number(&format!("pair {i}"), ours(i).into(), theirs(i).into(), TOLERANCE);
        }
        runner.compare(row("segment-segment"), comparison(answers, ours, theirs));
    }
    if runner.wants("triangle-box") {
        let identity = parry::pose(&Pose::IDENTITY);
        let ours = |i: usize| f32::from(overlaps(&boxes[i], &triangles[i], &Pose::IDENTITY));
        let theirs = |i: usize| {
            f32::from(intersection_test_cuboid_triangle(&identity, &peer_boxes[i], &peer_triangles[i]))
        };
        let mut answers = Answers::new();
        for i in 0..N {
            answers.equal(&format!("pair {i}"), &ours(i), &theirs(i));
        }
        runner.compare(row("triangle-box"), comparison(answers, ours, theirs));
    }
    point_triangle(&mut runner);
}

/// Points of a grid and triangles in its plane, so that both have the same numbers. parry's test
/// divides, so it may differ for points on an edge.
fn point_triangle(runner: &mut Runner) {
    let workload = "point-triangle";
    if !runner.wants(workload) {
        return;
    }
    let mut random = Random::new(18);
    let mut point = || {
        let p = (random.cube_point() * 8.0).round();
        DVec3::new(p.x, p.y, 1.0)
    };
    let inputs: Vec<(DVec3, [DVec3; 3])> = core::iter::repeat_with(|| (point(), [0; 3].map(|_| point())))
        .filter(|(_, [a, b, c])| (*b - *a).cross(*c - *a) != DVec3::ZERO)
        .take(N)
        .collect();
    let peers: Vec<_> = inputs
        .iter()
        .map(|(p, t)| {
            let [p, a, b, c] = [*p, t[0], t[1], t[2]].map(|p| parry::vector(p.as_vec3()));
            (p, parry3d::shape::Triangle::new(a, b, c))
        })
        .collect();
    let ours = |i: usize| point_in_triangle(inputs[i].0, &inputs[i].1);
    let theirs = |i: usize| peers[i].1.contains_point(peers[i].0);
    let mut answers = Answers::new();
    for (i, (p, [a, b, c])) in inputs.iter().enumerate() {
        // Whole numbers: the sides are exact.
        let side = |u: DVec3, v: DVec3| (v - u).cross(*p - u).z;
        let sides = [side(*a, *b), side(*b, *c), side(*c, *a)];
        let is_in = sides.iter().all(|&s| 0.0 <= s) || sides.iter().all(|&s| s <= 0.0);
        assert_eq!(ours(i), is_in, "{p} in {a} {b} {c}");
        answers.equal(&format!("point {i}"), &ours(i), &theirs(i));
    }
    println!("    {} of {N} are in their triangle", (0..N).filter(|&i| ours(i)).count());
    let comparison = comparison(answers, |i| f32::from(ours(i)), |i| f32::from(theirs(i)));
    runner.compare(Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }, comparison);
}

/// Returns a comparison of both programs over all inputs.
fn comparison<'a>(
    answers: Answers,
    ours: impl Fn(usize) -> f32 + 'a,
    theirs: impl Fn(usize) -> f32 + 'a,
) -> Comparison<'a> {
    Comparison::new(answers).entry("carom", move || all(&ours)).entry("parry", move || all(&theirs))
}

fn all(answer: &impl Fn(usize) -> f32) {
    for i in 0..N {
        black_box(answer(black_box(i)));
    }
}
