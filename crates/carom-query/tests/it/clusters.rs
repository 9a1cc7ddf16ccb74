//! Clusters: each question against every part alone, one after the other.

use crate::zoo::{blocks, cloud, shapes};
use carom_geom::{Cuboid, Sphere};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    Cluster, ImpactSettings, ManifoldCache, PointCloud, PointCloudError, QueryCost, Shape, ShapeKind,
    TimeOfImpact, Workspace, cast, cast_ray, cast_ray_all, clearance_violations, contact, distance,
    distance_counted, intersects, intersects_counted, manifolds, motion_of, project_point, separating_plane,
};
use carom_scenes::mesh::torus;
use carom_testkit::random::Random;
use std::sync::Arc;

fn cluster(shape: &Shape) -> &dyn Cluster {
    let ShapeKind::Cluster(cluster) = shape.kind() else { panic!("a cluster") };
    cluster
}

/// Each part alone, at its place in the world.
fn parts(shape: &Shape, pose: &Pose) -> Vec<(Shape, Pose)> {
    let one = |number| {
        let (part, center) = cluster(shape).part(number);
        (part.into(), *pose * Pose::from_translation(center.as_vec3()))
    };
    (0..shape.n_parts()).map(one).collect()
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
    Pose::new(turn, (random.cube_point() * reach).as_vec3())
}

/// Many points, equal ones among them, whose balls overlap; some in a plane or on a line.
fn random_cloud(random: &mut Random) -> Shape {
    let n = 1 + random.below(300);
    let flat = [Vec3::ONE, Vec3::new(1.0, 0.0, 1.0), Vec3::X, Vec3::ZERO][random.below(8).saturating_sub(4)];
    let mut points: Vec<Vec3> = (0..n).map(|_| random.cube_point().as_vec3() * 0.5 * flat).collect();
    points[n / 2] = points[0];
    Shape::point_cloud(points, random.range(0.01, 0.2) as f32).unwrap()
}

/// A random grid, dense or sparse.
fn random_voxels(random: &mut Random) -> Shape {
    let n = [1 + random.below(7), 1 + random.below(7), 1 + random.below(7)];
    let share = random.unit();
    let mut flags: Vec<bool> = (0..n[0] * n[1] * n[2]).map(|_| random.unit() < share).collect();
    flags[0] = true;
    Shape::voxels(n, &flags, Vec3::splat(-0.4), Vec3::new(0.11, 0.13, 0.07)).unwrap()
}

fn some(random: &mut Random, round: usize) -> Shape {
    match round % 5 {
        0 => cloud(),
        1 => blocks(),
        2 | 3 => random_cloud(random),
        _ => random_voxels(random),
    }
}

/// A length: the searches of fields end within it.
fn slack(name: &str) -> f32 {
    if name == "field" || name == "torus" { 4e-3 } else { 4e-6 }
}

#[test]
fn pairs_answer_as_the_parts_do() {
    let mut random = Random::new(5);
    let (mut n_apart, mut n_together) = (0, 0);
    for (name, other) in shapes() {
        for round in 0..60 {
            let shape = some(&mut random, round);
            let (here, there) = (random_pose(&mut random, 0.3), random_pose(&mut random, 1.2));
            let alone = parts(&shape, &here);
            let slack = slack(name);
            let what = format!("{shape:?} {here:?}, {name} {there:?}");
            let least = alone
                .iter()
                .map(|(part, at)| distance(part, at, &other, &there).distance)
                .fold(f32::INFINITY, f32::min);
            let found = distance(&shape, &here, &other, &there);
            assert!((found.distance - least).abs() <= slack, "{found:?} {least} {what}");
            let back = distance(&other, &there, &shape, &here);
            assert!((back.distance - least).abs() <= slack, "{back:?} {least} {what}");
            let (part, at) = &alone[found.part_a as usize];
            let of_part = distance(part, at, &other, &there).distance;
            assert!((of_part - least).abs() <= slack, "its part: {what}");

            let meets = alone.iter().any(|(part, at)| intersects(part, at, &other, &there));
            let is_close = least <= slack;
            assert!(is_close && least > 0.0 || intersects(&shape, &here, &other, &there) == meets, "{what}");
            assert!(is_close && least > 0.0 || intersects(&other, &there, &shape, &here) == meets, "{what}");
            if meets {
                n_together += 1
            } else {
                n_apart += 1
            }

            let deepest = alone
                .iter()
                .filter_map(|(part, at)| contact(part, at, &other, &there, 0.1))
                .map(|near| near.contact.distance)
                .fold(f32::INFINITY, f32::min);
            let near = contact(&shape, &here, &other, &there, 0.1);
            let depth = near.map_or(f32::INFINITY, |near| near.contact.distance);
            let is_same = depth == deepest || (depth - deepest).abs() <= slack;
            assert!(is_same || (deepest - 0.1).abs() <= slack, "{depth} {deepest} {what}");

            let list = |shape: &Shape, pose: &Pose| {
                let mut list = Vec::new();
                manifolds(shape, pose, &other, &there, 0.02, &mut ManifoldCache::new(), &mut list);
                list
            };
            let (all, sum) = (list(&shape, &here), alone.iter().map(|(part, at)| list(part, at).len()));
            if slack < 1e-3 {
                assert_eq!(all.len(), sum.sum::<usize>(), "{what}");
            }
            let numbers: Vec<u32> =
                all.iter().filter_map(|m| m.contacts().first().map(|c| c.part_a)).collect();
            // The parts of a compound are the outer loop.
            assert!(numbers.is_sorted() || name == "compound", "{what}");
            if let Some(plane) = separating_plane(&shape, &here, &other, &there) {
                assert!(!meets && plane.gap() <= f64::from(least + slack), "{what}");
            }
        }
    }
    assert!(150 < n_apart && 150 < n_together, "{n_apart} {n_together}");
}

#[test]
fn clusters_meet_clusters_as_their_parts_do() {
    let mut random = Random::new(15);
    let (mut n_apart, mut n_together) = (0, 0);
    for round in 0..150 {
        let (a, b) = (some(&mut random, round), some(&mut random, round / 5));
        let (here, there) = (random_pose(&mut random, 0.3), random_pose(&mut random, 1.5));
        let mut least = f32::INFINITY;
        for (x, at_x) in parts(&a, &here) {
            for (y, at_y) in parts(&b, &there) {
                least = least.min(distance(&x, &at_x, &y, &at_y).distance);
            }
        }
        let found = distance(&a, &here, &b, &there);
        assert!((found.distance - least).abs() <= 4e-6, "{found:?} {least} {a:?} {b:?}");
        let is_close = 0.0 < least && least < 4e-6;
        assert!(is_close || intersects(&a, &here, &b, &there) == (least == 0.0), "{a:?} {b:?}");
        let (parts_a, parts_b) = (parts(&a, &here), parts(&b, &there));
        let ((x, at_x), (y, at_y)) = (&parts_a[found.part_a as usize], &parts_b[found.part_b as usize]);
        assert!((distance(x, at_x, y, at_y).distance - least).abs() <= 4e-6, "its parts");
        if least == 0.0 { n_together += 1 } else { n_apart += 1 }
    }
    assert!(20 < n_apart && 15 < n_together, "{n_apart} {n_together}");
}

#[test]
fn rays_and_points_answer_as_the_parts_do() {
    let mut random = Random::new(25);
    let (mut n_hits, mut n_inside) = (0, 0);
    for round in 0..600 {
        let shape = some(&mut random, round);
        let pose = random_pose(&mut random, 0.3);
        let alone = parts(&shape, &pose);
        let origin = random.cube_point().as_vec3() * 1.5;
        let ray = Ray::new(origin, random.cube_point().as_vec3() * 0.4 - origin);
        let mut every = Vec::new();
        for (part, at) in &alone {
            cast_ray_all(part, at, &ray, Interval::FORWARD, &mut every);
        }
        every.sort_by(|x, y| x.t.total_cmp(&y.t));
        let first = cast_ray(&shape, &pose, &ray, Interval::FORWARD);
        // Rounding decides for rays that graze a part.
        let is_same = match (first, every.first()) {
            (Some(first), Some(hit)) => (first.t - hit.t).abs() < 2e-5,
            (None, None) => true,
            _ => false,
        };
        assert!(is_same, "{first:?} {:?} {shape:?} {ray:?}", every.first());
        let mut all = Vec::new();
        cast_ray_all(&shape, &pose, &ray, Interval::FORWARD, &mut all);
        assert!(all.len().abs_diff(every.len()) <= 2, "{} {}", all.len(), every.len());
        n_hits += usize::from(first.is_some());

        let point = random.cube_point().as_vec3() * 0.8;
        let nearest = alone
            .iter()
            .map(|(part, at)| project_point(part, at, point).unwrap().distance)
            .fold(f32::INFINITY, f32::min);
        let on = project_point(&shape, &pose, point).unwrap();
        assert!((on.distance - nearest).abs() < 4e-6 && on.is_inside == (on.distance < 0.0), "{on:?}");
        assert!((on.point.distance(point) - on.distance.abs()).abs() < 4e-6, "{on:?}");
        n_inside += usize::from(on.is_inside);
        assert!(project_point(&shape, &pose, Vec3::NAN).is_none());
    }
    assert!(100 < n_hits && 20 < n_inside, "{n_hits} {n_inside}");
}

/// The first time of all is that of the part that is met first, with and without rotation.
#[test]
fn sweeps_meet_the_first_part() {
    let mut random = Random::new(35);
    let (mut n_hits, mut n_clear) = (0, 0);
    let arm = Shape::capsule(0.4, 0.08).unwrap();
    let brick = Shape::cuboid(Vec3::new(0.1, 0.2, 0.15)).unwrap();
    for round in 0..120 {
        let (shape, body) = (some(&mut random, round), [&arm, &brick][round % 2]);
        let (here, start) = (random_pose(&mut random, 0.2), random_pose(&mut random, 1.8));
        let aim = random.cube_point().as_vec3() * 0.8 - start.translation;
        let spin = if round % 3 == 0 { Vec3::ZERO } else { random.cube_point().as_vec3() * 2.0 };
        let still = motion_of(&here, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
        let moving = motion_of(&start, Vec3::ZERO, aim, spin).unwrap();
        let settings = ImpactSettings::default();
        let answer = cast(&shape, &still, body, &moving, &settings);
        let mut truth = f64::INFINITY;
        let mut surely = f64::INFINITY;
        for (part, at) in parts(&shape, &here) {
            let still = motion_of(&at, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
            if let TimeOfImpact::Hit(hit) = cast(&part, &still, body, &moving, &settings) {
                (truth, surely) = (truth.min(hit.t_lo), surely.min(hit.t_hi));
            }
        }
        match answer {
            TimeOfImpact::Hit(hit) => {
                assert!(hit.t_lo <= surely + 1e-5 && truth <= hit.t_hi + 1e-5, "{hit:?} {truth} {surely}");
                n_hits += 1;
            }
            _ => {
                assert_eq!(truth, f64::INFINITY, "{answer:?} {shape:?}");
                n_clear += 1;
            }
        }
        let TimeOfImpact::Hit(back) = cast(body, &moving, &shape, &still, &settings) else {
            assert_eq!(truth, f64::INFINITY);
            continue;
        };
        assert!(back.t_lo <= surely + 1e-5 && truth <= back.t_hi + 1e-5, "{back:?} {truth}");
    }
    assert!(30 < n_hits && 20 < n_clear, "{n_hits} {n_clear}");
}

#[test]
fn boxes_hold_and_are_tight() {
    let mut random = Random::new(45);
    for round in 0..100 {
        let shape = some(&mut random, round);
        let pose = random_pose(&mut random, 3.0);
        let aabb = shape.aabb(&pose);
        let aabb = (aabb.min, aabb.max);
        let mut all = carom_bounds_of(&parts(&shape, &pose));
        assert!(aabb.0.cmple(all.0 + 1e-5).all() && (all.1 - 1e-5).cmple(aabb.1).all(), "{aabb:?} {all:?}");
        all = (all.0 - 1e-4, all.1 + 1e-4);
        assert!(all.0.cmple(aabb.0).all() && aabb.1.cmple(all.1).all(), "{aabb:?} {all:?} {shape:?}");
    }
}

fn carom_bounds_of(parts: &[(Shape, Pose)]) -> (Vec3, Vec3) {
    parts
        .iter()
        .map(|(part, at)| part.aabb(at))
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), aabb| {
            (low.min(aabb.min), high.max(aabb.max))
        })
}

#[test]
fn each_pair_of_parts_has_its_clearance() {
    let ball = Shape::Sphere(Sphere::new(0.2).unwrap());
    let there = Pose::from_translation(Vec3::new(0.3, 0.1, 0.2));
    let (mut memory, mut found) = (Workspace::default(), Vec::new());
    let (shape, here) = (cloud(), Pose::IDENTITY);
    let mut keeps = |point: u32, _: u32| if point.is_multiple_of(2) { 0.15 } else { 0.05 };
    clearance_violations(&shape, &here, &ball, &there, 0.2, &mut keeps, &mut memory, &mut found);
    let truth: Vec<u32> = (0..)
        .zip(parts(&shape, &here))
        .filter(|(k, (part, at))| {
            distance(part, at, &ball, &there).distance < if k % 2 == 0 { 0.15 } else { 0.05 }
        })
        .map(|(k, _)| k)
        .collect();
    assert!(5 < truth.len());
    assert_eq!(found.iter().map(|violation| violation.part_a).collect::<Vec<_>>(), truth);
}

#[test]
fn the_first_bad_point_is_named() {
    let new = |points: &[Vec3], radius| PointCloud::new(points.to_vec(), radius).unwrap_err();
    let good = [Vec3::ZERO, Vec3::ONE];
    assert_eq!(new(&[], 0.1), PointCloudError::Empty);
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(new(&good, radius), PointCloudError::BadRadius);
    }
    let bad = [Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0), Vec3::INFINITY];
    assert_eq!(new(&bad, 0.1), PointCloudError::NotFinite(1));
    assert_eq!(new(&[Vec3::ZERO, Vec3::ONE, Vec3::X * 2e30], 0.1), PointCloudError::TooFar(2));
    assert_eq!(new(&bad, 0.1).to_string(), "point 1 is NaN or infinite");
    // A single point, equal points, and tiny and huge sizes are all allowed.
    for scale in [1e-30, 1.0, 1e15] {
        let cloud = Shape::point_cloud(vec![Vec3::X * scale; 40], scale).unwrap();
        let ball = Shape::sphere(scale).unwrap();
        let d = distance(&cloud, &Pose::IDENTITY, &ball, &Pose::from_translation(Vec3::X * 5.0 * scale));
        assert!((d.distance / scale - 2.0).abs() < 1e-5 && d.part_a == 0, "{d:?}");
    }
}

/// A pose that is not a number gives no wrong proof, and ends.
#[test]
fn bad_poses_prove_nothing() {
    let bad = Pose::from_translation(Vec3::new(f32::NAN, 0.0, 0.0));
    for shape in [cloud(), blocks()] {
        for (_, other) in shapes() {
            let found = distance(&shape, &Pose::IDENTITY, &other, &bad);
            assert!(found.at_least().is_none_or(|d| d == 0.0 || d.is_nan() || d == f32::INFINITY));
            intersects(&shape, &bad, &other, &Pose::IDENTITY);
            contact(&shape, &bad, &other, &Pose::IDENTITY, 0.1);
        }
    }
}

/// A cloud inside the box of a mesh: few of its points are tested.
#[test]
fn a_large_cloud_tests_few_points() {
    let mut random = Random::new(3);
    let points: Vec<Vec3> = (0..100_000).map(|_| random.cube_point().as_vec3() * 0.15).collect();
    let shape = Shape::point_cloud(points, 0.0005).unwrap();
    let ring = torus(0.5, 0.1, 2000);
    let ring = Shape::mesh(ring.vertices_f32(), ring.triangles).unwrap();
    let (here, mut cost) = (Pose::IDENTITY, QueryCost::default());
    assert!(!intersects_counted(&shape, &here, &ring, &here, &mut cost));
    assert!(cost.pair_tests < 2_000, "{cost:?}");
    let found = distance_counted(&shape, &here, &ring, &here, &mut Workspace::default(), &mut cost);
    assert!(0.1 < found.distance && cost.pair_tests < 30_000, "{found:?} {cost:?}");
    // A robot's arm within it, at a slant.
    let arm = Shape::capsule(0.1, 0.002).unwrap();
    let slant = Pose::from_rotation(Quat::from_rotation_z(0.7));
    let mut list = Vec::new();
    manifolds(&shape, &here, &arm, &slant, 0.0, &mut ManifoldCache::new(), &mut list);
    let alone = parts(&shape, &here).iter().filter(|(part, at)| intersects(part, at, &arm, &slant)).count();
    assert_eq!(list.len(), alone);
    assert!(10 < alone);
}

/// A point takes about 25 bytes, 12 of them for itself; in a small cloud some more. Few enough
/// points that one thread builds the tree: allocations are counted for each thread.
#[test]
fn a_point_needs_few_bytes() {
    let mut random = Random::new(9);
    let n = 1_000;
    let points: Vec<Vec3> = (0..n).map(|_| random.cube_point().as_vec3()).collect();
    let mut cloud = None;
    let info = allocation_counter::measure(|| cloud = Some(PointCloud::new(points.clone(), 0.001).unwrap()));
    let bytes = info.bytes_current as f64 / f64::from(n);
    println!("{bytes} bytes for each point");
    assert!(cloud.is_some() && 12.0 < bytes && bytes < 32.0, "{bytes}");
}

/// The sum of the masses, against that of the parts as a compound.
#[test]
fn masses_are_summed() {
    for shape in [cloud(), blocks()] {
        let parts = parts(&shape, &Pose::IDENTITY);
        let whole = Shape::compound(parts).unwrap().mass_properties(3.0);
        let own = shape.mass_properties(3.0);
        assert!((own.mass - whole.mass).abs() < 1e-6 * whole.mass);
        assert!((own.center - whole.center).length() < 1e-6);
        let inertia = [own.inertia, whole.inertia].map(|m| m.to_cols_array());
        assert!(inertia[0].iter().zip(inertia[1]).all(|(x, y)| (x - y).abs() < 1e-5 * whole.mass));
    }
}

/// In double precision, as a part of a compound.
#[test]
fn clusters_are_parts_of_compounds() {
    let cloud = Arc::new(PointCloud::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], 0.1).unwrap());
    let far = Pose::from_translation(Vec3::Z * 4.0);
    let brick = Shape::Cuboid(Cuboid::new(Vec3::splat(0.1)).unwrap());
    let both =
        Shape::compound(vec![(brick.clone(), Pose::IDENTITY), (Shape::PointCloud(cloud), far)]).unwrap();
    assert_eq!(both.n_parts(), 4);
    let near_y = Pose::from_translation(Vec3::new(0.0, 1.0, 4.5));
    let d = distance(&both, &Pose::IDENTITY, &brick, &near_y);
    assert_eq!((d.part_a, d.part_b), (3, 0));
    assert!((d.distance - 0.3).abs() < 1e-6);

    use carom_query::f64 as wide;
    let shape = wide::Shape::point_cloud(vec![glam::DVec3::splat(1e6)], 1e-3).unwrap();
    let ball = wide::Shape::sphere(1e-3).unwrap();
    let there = carom_math::f64::Pose::from_translation(glam::DVec3::splat(1e6) + glam::DVec3::X * 3e-3);
    let d = wide::distance(&shape, &carom_math::f64::Pose::IDENTITY, &ball, &there);
    assert!((d.distance - 1e-3).abs() < 1e-9, "{d:?}");
}
