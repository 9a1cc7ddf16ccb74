//! Bounding volumes: the times of a test of two volumes, of a fit, and of a box around a placed
//! shape.
//!
//! The boards are the same for every volume, turned at random. So the shares of pairs that overlap
//! show how tight the volumes are.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::scenes::Hulls;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_bounds::{
    Aabb, Aabb8, Aabb16, BoundingVolume, KDop, Lss, Obb, Rss, Sphere, overlaps_packets, overlaps_packets_16,
};
use carom_geom::{Capsule, Cone, ConvexHull, Cylinder, SupportMap, aabb_from_support};
use carom_math::Pose;
use carom_scenes::Rng;
use glam::Vec3;
use parry3d::bounding_volume::details::point_cloud_bounding_sphere;
use parry3d::bounding_volume::{BoundingSphere, BoundingVolume as _};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::shape::{Shape as ParryShape, SharedShape};
use std::hint::black_box;

/// Pairs in one call.
const N: usize = 2048;

/// A thin box and its pose.
struct Board {
    half: Vec3,
    pose: Pose,
    corners: Vec<Vec3>,
}

impl Board {
    /// Returns a board near the middle. About half of the axis-aligned boxes of such boards
    /// overlap.
    fn new(rng: &mut Rng) -> Board {
        let half = [1.0, 0.4, 0.05].map(|most| rng.range(0.3 * most, most) as f32);
        let half = Vec3::from(half);
        let position = rng.direction() * rng.range(0.0, 1.5);
        let pose = Pose::new(rng.rotation().as_quat(), position.as_vec3());
        let corners = (0..8_u32)
            .map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|bit| if bit == 0 { -1.0 } else { 1.0 }))
            .map(|signs| pose.transform_point(half * Vec3::from(signs)))
            .collect();
        Board { half, pose, corners }
    }
}

fn main() {
    let mut runner = Runner::new("bounds");
    let mut rng = Rng::new(23);
    let boards: Vec<[Board; 2]> = (0..N).map(|_| [0; 2].map(|_| Board::new(&mut rng))).collect();
    overlaps(&mut runner, &boards);
    packets(&mut runner, &boards);
    placed(&mut runner, &boards);
    supports(&mut runner);
    fits(&mut runner);
}

fn fitted<V: BoundingVolume>(boards: &[[Board; 2]]) -> Vec<[V; 2]> {
    boards.iter().map(|pair| [0, 1].map(|i| V::from_points(&pair[i].corners))).collect()
}

/// Compares `ours` with `theirs`, if a peer has the same test, over all pairs.
fn tests(
    runner: &mut Runner,
    workload: &'static str,
    ours: impl Fn(usize) -> bool,
    theirs: Option<&dyn Fn(usize) -> bool>,
) {
    if !runner.wants(workload) {
        return;
    }
    let mut answers = Answers::new();
    if let Some(theirs) = theirs {
        for i in 0..N {
            answers.equal(&format!("pair {i}"), &ours(i), &theirs(i));
        }
    }
    println!("{workload}: {} of {N} overlap", (0..N).filter(|&i| ours(i)).count());
    let all = |test: &dyn Fn(usize) -> bool| {
        for i in 0..N {
            black_box(test(black_box(i)));
        }
    };
    let mut comparison = Comparison::new(answers).entry("carom", || all(&ours));
    if let Some(theirs) = theirs {
        comparison = comparison.entry("parry", || all(theirs));
    }
    runner.compare(Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }, comparison);
}

fn overlaps(runner: &mut Runner, boards: &[[Board; 2]]) {
    let boxes = fitted::<Aabb>(boards);
    let peers: Vec<_> = boxes.iter().map(|pair| [0, 1].map(|i| parry::aabb(&pair[i]))).collect();
    let theirs = |i: usize| peers[i][0].intersects(&peers[i][1]);
    tests(runner, "overlap, Aabb", |i| boxes[i][0].overlaps(&boxes[i][1]), Some(&theirs));

    let balls = fitted::<Sphere>(boards);
    let peers: Vec<_> = balls
        .iter()
        .map(|pair| [0, 1].map(|i| BoundingSphere::new(parry::vector(pair[i].center), pair[i].radius)))
        .collect();
    let theirs = |i: usize| peers[i][0].intersects(&peers[i][1]);
    tests(runner, "overlap, Sphere", |i| balls[i][0].overlaps(&balls[i][1]), Some(&theirs));

    // The boards themselves as oriented boxes, without a fit, as in the peer.
    let turned: Vec<_> = boards
        .iter()
        .map(|pair| {
            [0, 1].map(|i| {
                let Pose { rotation, translation, .. } = pair[i].pose;
                Obb::new(translation, rotation, pair[i].half).expect("a board is a box")
            })
        })
        .collect();
    let peers: Vec<_> = boards
        .iter()
        .map(|pair| {
            [0, 1].map(|i| {
                (parry::pose(&pair[i].pose), parry3d::shape::Cuboid::new(parry::vector(pair[i].half)))
            })
        })
        .collect();
    let theirs = |i: usize| {
        let [(pose_a, a), (pose_b, b)] = &peers[i];
        intersection_test_cuboid_cuboid(&pose_a.inv_mul(pose_b), a, b)
    };
    tests(runner, "overlap, Obb", |i| turned[i][0].overlaps(&turned[i][1]), Some(&theirs));
    tests(runner, "overlap, Obb, face axes", |i| turned[i][0].overlaps_lite(&turned[i][1]), None);

    let slabs = fitted::<KDop<14>>(boards);
    tests(runner, "overlap, KDop<14>", |i| slabs[i][0].overlaps(&slabs[i][1]), None);
    let slabs = fitted::<KDop<26>>(boards);
    tests(runner, "overlap, KDop<26>", |i| slabs[i][0].overlaps(&slabs[i][1]), None);
    let swept = fitted::<Lss>(boards);
    tests(runner, "overlap, Lss", |i| swept[i][0].overlaps(&swept[i][1]), None);
    let swept = fitted::<Rss>(boards);
    tests(runner, "overlap, Rss", |i| swept[i][0].overlaps(&swept[i][1]), None);
}

/// One box against eight or sixteen boxes, at once and one by one.
fn packets(runner: &mut Runner, boards: &[[Board; 2]]) {
    let workload = "overlap, one box and many";
    if !runner.wants(workload) {
        return;
    }
    let many: Vec<Aabb> = fitted::<Aabb>(boards).iter().map(|pair| pair[0]).collect();
    let one = Aabb::from_points(&boards[0][1].corners);
    let by_8: Vec<Aabb8> = many.chunks(8).map(Aabb8::from_boxes).collect();
    let by_16: Vec<Aabb16> = many.chunks(16).map(Aabb16::from_boxes).collect();
    let (mut bits_8, mut bits_16) = (vec![0; by_8.len()], vec![0; by_16.len()]);
    overlaps_packets(&by_8, &one, &mut bits_8);
    overlaps_packets_16(&by_16, &one, &mut bits_16);
    let mut answers = Answers::new();
    for (i, aabb) in many.iter().enumerate() {
        let alone = one.overlaps(aabb);
        answers.equal(&format!("by eight, {i}"), &(bits_8[i / 8] >> (i % 8) & 1 == 1), &alone);
        answers.equal(&format!("by sixteen, {i}"), &(bits_16[i / 16] >> (i % 16) & 1 == 1), &alone);
    }
    let peers: Vec<_> = many.iter().map(parry::aabb).collect();
    let peer = parry::aabb(&one);
    let comparison = Comparison::new(answers)
        .entry("carom, by eight", || {
            overlaps_packets(&by_8, black_box(&one), &mut bits_8);
            black_box(&mut bits_8);
        })
        .entry("carom, by sixteen", || {
            overlaps_packets_16(&by_16, black_box(&one), &mut bits_16);
            black_box(&mut bits_16);
        })
        .entry("carom, one by one", || {
            for aabb in &many {
                black_box(one.overlaps(black_box(aabb)));
            }
        })
        .entry("parry, one by one", || {
            for aabb in &peers {
                black_box(peer.intersects(black_box(aabb)));
            }
        });
    runner.compare(Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }, comparison);
}

/// A box around a turned box, by the signs of the matrix.
fn placed(runner: &mut Runner, boards: &[[Board; 2]]) {
    let workload = "placed, Aabb";
    if !runner.wants(workload) {
        return;
    }
    let inputs: Vec<(Aabb, Pose)> =
        boards.iter().map(|[board, _]| (Aabb { min: -board.half, max: board.half }, board.pose)).collect();
    let peers: Vec<_> = inputs.iter().map(|(aabb, pose)| (parry::aabb(aabb), parry::pose(pose))).collect();
    let mut answers = Answers::new();
    for (i, (aabb, pose)) in inputs.iter().enumerate() {
        let theirs = peers[i].0.transform_by(&peers[i].1);
        let ours = parry::aabb(&aabb.placed(&pose.wide()));
        answers.number(&format!("minimum {i}"), 0.0, (ours.mins - theirs.mins).length().into(), 1e-5);
        answers.number(&format!("maximum {i}"), 0.0, (ours.maxs - theirs.maxs).length().into(), 1e-5);
        // The corners of the board, computed in `f64` and rounded.
        let is_held = boards[i][0].corners.iter().all(|&corner| {
            let slack = Vec3::splat(1e-6);
            aabb.placed(&pose.wide()).overlaps(&Aabb { min: corner - slack, max: corner + slack })
        });
        answers.equal(&format!("corners {i}"), &is_held, &true);
    }
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for (aabb, pose) in &inputs {
                black_box(black_box(aabb).placed(&pose.wide()));
            }
        })
        .entry("parry", || {
            for (aabb, pose) in &peers {
                black_box(black_box(aabb).transform_by(pose));
            }
        });
    runner.compare(Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }, comparison);
}

/// Boxes around placed shapes, from their farthest points along the axes.
fn supports(runner: &mut Runner) {
    let points: Vec<Vec3> = Hulls::new(32, 3).points[0].iter().map(|p| p.as_vec3()).collect();
    let hull = ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull");
    let peer = parry::hull(&Hulls::new(32, 3).points[0]).expect("parry builds the hull");
    support(runner, "support, hull", &hull, &peer);
    let capsule = Capsule::new(0.8, 0.3).expect("sizes");
    support(runner, "support, capsule", &capsule, &*SharedShape::capsule_y(0.8, 0.3));
    let cylinder = Cylinder::new(0.8, 0.3).expect("sizes");
    support(runner, "support, cylinder", &cylinder, &*SharedShape::cylinder(0.8, 0.3));
    let cone = Cone::new(0.8, 0.3).expect("sizes");
    support(runner, "support, cone", &cone, &*SharedShape::cone(0.8, 0.3));
}

fn support(runner: &mut Runner, workload: &'static str, shape: &impl SupportMap, peer: &dyn ParryShape) {
    if !runner.wants(workload) {
        return;
    }
    let mut rng = Rng::new(24);
    let poses: Vec<Pose> =
        (0..N).map(|_| Pose::new(rng.rotation().as_quat(), (rng.direction() * 2.0).as_vec3())).collect();
    let peers: Vec<_> = poses.iter().map(parry::pose).collect();
    let mut answers = Answers::new();
    for (i, pose) in poses.iter().enumerate() {
        let (ours, theirs) = (aabb_from_support(shape, &pose.wide()), peer.compute_aabb(&peers[i]));
        let ours = parry::aabb(&ours);
        answers.number(&format!("minimum {i}"), 0.0, (ours.mins - theirs.mins).length().into(), 1e-4);
        answers.number(&format!("maximum {i}"), 0.0, (ours.maxs - theirs.maxs).length().into(), 1e-4);
    }
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for pose in &poses {
                black_box(aabb_from_support(shape, &black_box(pose).wide()));
            }
        })
        .entry("parry", || {
            for pose in &peers {
                black_box(peer.compute_aabb(black_box(pose)));
            }
        });
    runner.compare(Row { workload, size: 1, unit: Unit::Ns, per_call: N as u64 }, comparison);
}

/// Volumes around hulls of a few and of many points. A volume that does not contain every point
/// counts as a difference.
fn fits(runner: &mut Runner) {
    for n in [32, 512] {
        let clouds: Vec<Vec<Vec3>> = Hulls::new(n, 3)
            .points
            .iter()
            .map(|points| points.iter().map(|p| p.as_vec3()).collect())
            .collect();
        let peers: Vec<Vec<_>> =
            clouds.iter().map(|points| points.iter().map(|&p| parry::vector(p)).collect()).collect();
        fit(runner, "fit, Aabb", n, &clouds, Aabb::from_points, |i| {
            black_box(parry3d::bounding_volume::details::local_point_cloud_aabb_ref(&peers[i]));
        });
        fit(runner, "fit, Sphere::ritter", n, &clouds, Sphere::ritter, |i| {
            black_box(point_cloud_bounding_sphere(&peers[i]));
        });
        fit(runner, "fit, Sphere::smallest", n, &clouds, Sphere::smallest, |i| {
            black_box(point_cloud_bounding_sphere(&peers[i]));
        });
        fit(runner, "fit, Obb of points", n, &clouds, Obb::from_point_covariance, |i| {
            black_box(parry3d::utils::obb(&peers[i]));
        });
        fit(runner, "fit, Obb", n, &clouds, Obb::from_points, |i| {
            black_box(parry3d::utils::obb(&peers[i]));
        });
    }
}

fn fit<V: BoundingVolume>(
    runner: &mut Runner,
    workload: &'static str,
    n: usize,
    clouds: &[Vec<Vec3>],
    ours: impl Fn(&[Vec3]) -> V,
    theirs: impl Fn(usize),
) {
    if !runner.wants(workload) {
        return;
    }
    let mut answers = Answers::new();
    for (i, points) in clouds.iter().enumerate() {
        let volume = ours(points);
        let holds = points.iter().all(|&p| volume.overlaps(&V::from_points(&[p])));
        answers.equal(&format!("cloud {i} is held"), &holds, &true);
    }
    let row = Row { workload, size: n as u64, unit: Unit::Ns, per_call: clouds.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for points in clouds {
                black_box(ours(black_box(points)));
            }
        })
        .entry("parry", || (0..clouds.len()).for_each(&theirs));
    runner.compare(row, comparison);
}
