//! Compounds: what is refused, and that they answer as their parts do.

use crate::zoo::shapes;
use carom_geom::{Cuboid, PointProjection, RayHit, Sphere};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Compound, CompoundError, CompoundPart, QueryCost, Shape, Workspace, cast_ray, cast_ray_all,
    cast_ray_counted, contact, distance, distance_counted, intersects, intersects_counted, project_point,
    project_point_counted,
};
use carom_testkit::random::Random;
use std::sync::Arc;

fn part(shape: Shape, x: f32) -> CompoundPart {
    CompoundPart { shape, pose: Pose::from_translation(Vec3::new(x, 0.0, 0.0)) }
}

#[test]
fn the_first_offender_is_named() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let one = Compound::new(vec![part(ball.clone(), 0.0)]).unwrap();
    assert_eq!(Compound::new(vec![]).unwrap_err(), CompoundError::Empty);
    let parts = vec![part(ball.clone(), 0.0), part(ball.clone(), f32::NAN), part(ball.clone(), 0.0)];
    assert_eq!(Compound::new(parts).unwrap_err(), CompoundError::PoseNotFinite(1));
    // The quaternion of a file that has left it out, and one that was not normalised.
    for length in [0.0, 0.5, 2.0] {
        let turned = CompoundPart { shape: ball.clone(), pose: Pose::from_rotation(Quat::IDENTITY * length) };
        let parts = vec![part(ball.clone(), 0.0), turned];
        assert_eq!(Compound::new(parts).unwrap_err(), CompoundError::PoseNotUnit(1), "length {length}");
    }
    let nested = vec![part(ball, 0.0), part(Shape::Compound(Arc::new(one)), 1.0)];
    assert_eq!(Compound::new(nested).unwrap_err(), CompoundError::Nested(1));
}

#[test]
fn the_nearest_part_answers() {
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let row = Compound::new((0..20).map(|i| part(ball.clone(), 3.0 * i as f32)).collect()).unwrap();
    let row = Shape::Compound(Arc::new(row));
    let brick = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
    for i in 0..20 {
        let over = Pose::from_translation(Vec3::new(3.0 * i as f32, 2.0, 0.0));
        let d = distance(&row, &Pose::IDENTITY, &brick, &over);
        assert_eq!((d.distance, d.part_a, d.part_b), (1.0, i, 0));
        let d = distance(&brick, &over, &row, &Pose::IDENTITY);
        assert_eq!((d.distance, d.part_a, d.part_b), (1.0, 0, i));
    }
}

/// The zoo's compound has a box, a ball and a mesh of twelve triangles: numbers 0, 1 and 2 to 13.
#[test]
fn part_numbers_run_through() {
    let shapes = shapes();
    let (_, Shape::Compound(compound)) = &shapes[9] else { panic!("the tenth is the compound") };
    assert_eq!(compound.locate(0), (0, 0));
    assert_eq!(compound.locate(1), (1, 0));
    assert_eq!(compound.locate(2), (2, 0));
    assert_eq!(compound.locate(13), (2, 11));
    let left = Shape::Sphere(Sphere::new(0.1).unwrap());
    let d =
        distance(&shapes[9].1, &Pose::IDENTITY, &left, &Pose::from_translation(Vec3::new(-1.0, 0.2, 0.1)));
    assert_eq!(compound.locate(d.part_a).0, 2);
    assert!((d.distance - 0.45).abs() < 1e-6);
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
    Pose::new(turn, (random.cube_point() * reach).as_vec3())
}

/// From a single part up to many more than are searched without a tree.
#[test]
fn many_parts_answer_as_each_alone() {
    let mut random = Random::new(11);
    let kinds = [
        Shape::sphere(0.08).unwrap(),
        Shape::cuboid(Vec3::new(0.05, 0.1, 0.02)).unwrap(),
        Shape::capsule(0.1, 0.03).unwrap(),
    ];
    let (mut n_apart, mut n_together) = (0, 0);
    for (round, (_, other)) in (0..12).flat_map(|_| shapes()).enumerate() {
        let n = [1, 15, 16, 17, 40, 300][round % 6];
        let parts = (0..n).map(|k| (kinds[k % 3].clone(), random_pose(&mut random, 1.0)));
        let parts: Vec<(Shape, Pose)> = parts.collect();
        let (here, there) = (Pose::IDENTITY, random_pose(&mut random, 1.6));
        let whole = Shape::compound(parts.clone()).unwrap();
        let least = |answer: &dyn Fn(&Shape, &Pose) -> f32| {
            parts.iter().map(|(part, at)| answer(part, at)).fold(f32::INFINITY, f32::min)
        };
        let truth = least(&|part, at| distance(part, at, &other, &there).distance);
        let found = distance(&whole, &here, &other, &there);
        // The searches of fields end within 4e-3.
        let slack = if matches!(other, Shape::Field(_) | Shape::Torus(_)) { 4e-3 } else { 4e-6 };
        assert!((found.distance - truth).abs() <= slack, "{round}: {found:?} {truth} {other:?}");
        let (part, at) = &parts[found.part_a as usize];
        assert!((distance(part, at, &other, &there).distance - truth).abs() <= slack, "{round}: {found:?}");
        if slack < truth || truth == 0.0 {
            assert_eq!(intersects(&whole, &here, &other, &there), truth == 0.0, "{round}: {other:?}");
        }
        let near = |shape: &Shape, at: &Pose| {
            contact(shape, at, &other, &there, 0.5).map_or(f32::INFINITY, |near| near.contact.distance)
        };
        let (depth, deepest) = (near(&whole, &here), least(&near));
        let is_same = depth == deepest || (depth - deepest).abs() <= slack;
        assert!(is_same || (deepest - 0.5).abs() <= slack, "{round}: {depth} {deepest} {other:?}");
        if truth == 0.0 {
            n_together += 1;
        } else {
            n_apart += 1;
        }
    }
    assert!(30 < n_apart && 30 < n_together, "{n_apart} {n_together}");
}

/// Four parts are equally near: the lowest number answers, wherever the tree has it.
#[test]
fn the_lowest_of_equal_parts_answers() {
    let ball = Shape::sphere(0.25).unwrap();
    let pose_at = |k: usize| Pose::from_translation(Vec3::new((k / 8) as f32, (k % 8) as f32, 0.0));
    for first in 0..8 {
        // Another order of the same parts.
        let order: Vec<usize> = (0..64).map(|k| (k * 13 + first * 7) % 64).collect();
        let whole = Shape::compound(order.iter().map(|&k| (ball.clone(), pose_at(k))).collect()).unwrap();
        let between = Pose::from_translation(Vec3::new(3.5, 4.5, 0.0));
        let found = distance(&whole, &Pose::IDENTITY, &ball, &between);
        let lowest = order.iter().position(|k| [28, 29, 36, 37].contains(k)).unwrap();
        assert_eq!(found.part_a as usize, lowest, "{found:?}");
    }
}

#[test]
fn a_large_compound_tests_few_parts() {
    let mut random = Random::new(3);
    let ball = Shape::sphere(0.01).unwrap();
    let parts = (0..20_000).map(|_| (ball.clone(), Pose::from_translation(random.cube_point().as_vec3())));
    let whole = Shape::compound(parts.collect()).unwrap();
    let brick = Shape::cuboid(Vec3::splat(0.02)).unwrap();
    let (here, mut cost) = (Pose::IDENTITY, QueryCost::default());
    for _ in 0..100 {
        let there = random_pose(&mut random, 1.0);
        intersects_counted(&whole, &here, &brick, &there, &mut cost);
        distance_counted(&whole, &here, &brick, &there, &mut Workspace::default(), &mut cost);
    }
    // For both queries together; without a tree there would be 60,000 boxes.
    assert!(cost.volume_tests < 100 * 1000 && cost.pair_tests < 100 * 20, "{cost:?}");
}

/// A ray that may be anything: towards a part, along an axis, or without a direction.
fn ugly_ray(random: &mut Random, parts: &[CompoundPart]) -> Ray {
    let origin = (random.cube_point() * 4.0).as_vec3();
    let goal = parts[random.below(parts.len())].pose.translation;
    let direction = match random.below(6) {
        0 => Vec3::ZERO,
        1 => Vec3::X,
        2 => (goal - origin) * 1e-20,
        3 => (goal - origin) * 1e20,
        _ => goal - origin,
    };
    Ray::new(if direction == Vec3::X { goal - Vec3::X } else { origin }, direction)
}

/// Rays and points of a compound with a tree find what a loop over the parts finds.
#[test]
fn rays_and_points_find_what_they_find_of_each_part() {
    let mut random = Random::new(12);
    let kinds: Vec<Shape> = shapes()
        .into_iter()
        .filter_map(|(name, shape)| (!["half-space", "compound"].contains(&name)).then_some(shape))
        .collect();
    let intervals = [Interval::FORWARD, Interval::BOTH, Interval::new(-0.5, 1.0), Interval::new(1.0, -1.0)];
    let mut n_hits = 0;
    for n_parts in [1, 16, 17, 60, 400] {
        let part = |i: usize| CompoundPart {
            shape: kinds[i % kinds.len()].clone(),
            pose: random_pose(&mut random, 3.0),
        };
        let parts: Vec<CompoundPart> = (0..n_parts).map(part).collect();
        let whole = Compound::new(parts.clone()).unwrap();
        let first_numbers: Vec<u32> = (0..n_parts).map(|i| whole.first_number(i)).collect();
        let whole = Shape::Compound(Arc::new(whole));
        for _ in 0..200 {
            let (ray, interval) = (ugly_ray(&mut random, &parts), intervals[random.below(4)]);
            let mut expected: Vec<RayHit> = Vec::new();
            for (part, first) in parts.iter().zip(&first_numbers) {
                let mut hits = Vec::new();
                cast_ray_all(&part.shape, &part.pose, &ray, interval, &mut hits);
                expected.extend(hits.into_iter().map(|hit| hit.with_part(hit.part + first)));
            }
            expected.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.part.cmp(&b.part)));
            let mut found = Vec::new();
            cast_ray_all(&whole, &Pose::IDENTITY, &ray, interval, &mut found);
            assert_eq!(found, expected, "{n_parts} parts, {ray:?}, {interval:?}");
            let first = cast_ray(&whole, &Pose::IDENTITY, &ray, interval);
            let nearest = expected.first().copied();
            assert_eq!(first.map(|hit| hit.t), nearest.map(|hit| hit.t), "{n_parts} parts, {ray:?}");
            n_hits += usize::from(first.is_some());
            let mut nearest: Option<PointProjection> = None;
            for (part, first) in parts.iter().zip(&first_numbers) {
                let Some(found) = project_point(&part.shape, &part.pose, ray.origin) else { continue };
                if nearest.is_none_or(|best| found.distance < best.distance) {
                    nearest = Some(found.with_part(found.part + first));
                }
            }
            let found = project_point(&whole, &Pose::IDENTITY, ray.origin);
            assert_eq!(found, nearest, "{n_parts} parts, {:?}", ray.origin);
        }
    }
    assert!(200 < n_hits, "{n_hits}");
}

/// A ray, and a point, tested each of the parts.
#[test]
fn rays_and_points_test_few_parts() {
    let ball = Shape::sphere(0.4).unwrap();
    let row = Compound::new((0..2000).map(|i| part(ball.clone(), i as f32)).collect()).unwrap();
    let row = Shape::Compound(Arc::new(row));
    let pose = Pose::from_translation(Vec3::Y * 3.0);
    for (ray, expected) in [
        (Ray::new(Vec3::new(700.1, 9.0, 0.0), Vec3::NEG_Y), Some(700)),
        (Ray::new(Vec3::new(-5.0, 3.1, 0.0), Vec3::X), Some(0)),
        (Ray::new(Vec3::new(2100.0, 3.1, 0.0), Vec3::NEG_X), Some(1999)),
        (Ray::new(Vec3::new(-5.0, 4.0, 0.0), Vec3::X), None),
    ] {
        let mut cost = QueryCost::default();
        let hit = cast_ray_counted(&row, &pose, &ray, Interval::FORWARD, &mut cost);
        assert_eq!(hit.map(|hit| hit.part), expected, "{ray:?}");
        assert!(cost.pair_tests <= 16, "{ray:?}: {cost:?}");
    }
    let mut cost = QueryCost::default();
    let found = project_point_counted(&row, &pose, Vec3::new(1234.1, 5.0, 0.0), &mut cost).unwrap();
    assert_eq!(found.part, 1234);
    assert!(cost.pair_tests <= 16, "{cost:?}");
}

/// A hull whose vertices are a million units from its own frame. Rays and points near it are
/// rounded there, to six centimetres: with a tree over many parts as without one.
#[test]
fn r_a_part_far_from_its_own_frame_answers_the_same_among_many() {
    let far = Vec3::new(1e6, -1e6, 5e5);
    let corners = (0..8).map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) + far);
    let hull = Shape::hull(&corners.collect::<Vec<_>>()).unwrap();
    let own = (hull, Pose::from_translation(-far));
    let others =
        (0..30).map(|k| (Shape::sphere(0.1).unwrap(), Pose::from_translation(Vec3::Z * (30.0 + k as f32))));
    let alone = Shape::compound(vec![own.clone()]).unwrap();
    let many = Shape::compound(core::iter::once(own).chain(others).collect()).unwrap();
    let (here, mut random, mut n_near) = (Pose::IDENTITY, Random::new(5), 0);
    for _ in 0..4000 {
        // Rays along x that pass the box of the hull within its rounding, or hit it.
        let across = random.cube_point().as_vec3() * 0.6 + Vec3::splat(0.5);
        let ray = Ray::new(Vec3::new(-5.0, across.y, across.z), Vec3::X);
        let interval = Interval::new(0.0, 100.0);
        let [one, other] = [&alone, &many].map(|shape| cast_ray(shape, &here, &ray, interval));
        assert_eq!(one.map(|hit| hit.t), other.map(|hit| hit.t), "{ray:?}");
        let is_beside = [across.y, across.z].iter().any(|x| *x < 0.0 || 1.0 < *x);
        n_near += usize::from(is_beside && one.is_some());
    }
    assert!(0 < n_near, "no ray was rounded onto the hull");
}
