//! Rays and points against every shape.

use crate::zoo::{box_mesh, rounded, shapes};
use carom_geom::{Cuboid, Cylinder, Sphere, TriMesh, f64 as wide};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{MeshShape, Shape, cast_ray, cast_ray_all, f64 as wide_query, intersects, project_point};
use carom_testkit::random::Random;
use glam::DVec3;
use std::sync::Arc;

fn unit(random: &mut Random) -> Vec3 {
    loop {
        let mut x = || random.range(-1.0, 1.0) as f32;
        let v = Vec3::new(x(), x(), x());
        if 0.1 < v.length() && v.length() < 1.0 {
            return v.normalize();
        }
    }
}

/// A hit lies on the surface, its normal is a unit vector, the first of all hits is the hit, and
/// both sides count.
#[test]
fn hits_lie_on_the_surface_in_order() {
    let mut random = Random::new(3);
    for (name, shape) in shapes() {
        let mut n_hits = 0;
        for _ in 0..300 {
            let axis = unit(&mut random);
            let pose = Pose::new(Quat::from_axis_angle(axis, 1.0), unit(&mut random));
            let origin = pose.translation + unit(&mut random) * 3.0;
            let aim = pose.translation + unit(&mut random) * 0.4;
            let ray = Ray::new(origin, (aim - origin) * 0.7);
            let mut all = Vec::new();
            cast_ray_all(&shape, &pose, &ray, Interval::BOTH, &mut all);
            assert!(all.windows(2).all(|w| w[0].t <= w[1].t), "{name}");
            for hit in &all {
                let on = project_point(&shape, &pose, ray.at(hit.t)).unwrap();
                // Hits of a compound's part may lie inside another part.
                assert!(on.distance.abs() < 1e-5 || name == "compound", "{name}: {hit:?} {on:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-5, "{name}: {hit:?}");
                let against = hit.normal.dot(ray.direction);
                assert!(if hit.is_back_face { -1e-4 < against } else { against < 1e-4 }, "{name}: {hit:?}");
            }
            let forward = cast_ray(&shape, &pose, &ray, Interval::FORWARD);
            let expected = all.iter().find(|hit| 0.0 <= hit.t).map(|hit| hit.t);
            match (forward, expected) {
                (Some(hit), Some(t)) => assert!((hit.t - t).abs() < 1e-5, "{name}: {hit:?} {t}"),
                (None, None) => {}
                other => panic!("{name}: {other:?}"),
            }
            n_hits += usize::from(forward.is_some());
        }
        assert!(60 < n_hits, "{name}: {n_hits} hits");
    }
}

/// A point is inside exactly where a tiny ball around it meets the solid away from its surface.
#[test]
fn points_of_a_box_and_of_its_mesh_agree() {
    let h = Vec3::new(0.4, 0.3, 0.5);
    let solid = Shape::Cuboid(Cuboid::new(h).unwrap());
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(box_mesh(h)).unwrap()));
    let mut random = Random::new(5);
    for _ in 0..500 {
        let pose = Pose::new(Quat::from_axis_angle(unit(&mut random), 2.0), unit(&mut random) * 3.0);
        let point = pose.translation + unit(&mut random) * random.range(0.0, 1.0) as f32;
        let a = project_point(&solid, &pose, point).unwrap();
        let b = project_point(&mesh, &pose, point).unwrap();
        assert!((a.distance - b.distance).abs() < 1e-5, "{a:?} {b:?}");
    }
}

/// A mesh is a surface: what is wholly inside does not touch it.
#[test]
fn a_body_inside_a_mesh_does_not_touch_it() {
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(box_mesh(Vec3::ONE)).unwrap()));
    let inner = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
    assert!(!intersects(&mesh, &Pose::IDENTITY, &inner, &Pose::IDENTITY));
    assert!(intersects(&mesh, &Pose::IDENTITY, &inner, &Pose::from_translation(Vec3::X * 0.5)));
}

/// The longest and the shortest directions left the range of numbers when they were turned.
#[test]
fn directions_of_any_length_hit_the_same() {
    let mut random = Random::new(21);
    for (name, shape) in shapes() {
        let mut n_hits = 0;
        for i in 0..120 {
            let axis = unit(&mut random);
            let angle = if i % 3 == 0 { 0.0 } else { 1.0 };
            let pose = Pose::new(Quat::from_axis_angle(axis, angle), unit(&mut random));
            let origin = pose.translation + unit(&mut random) * 3.0;
            let aim = (pose.translation + unit(&mut random) * 0.4 - origin) * 16.0;
            // Few digits, which the shortest directions keep.
            let ray = Ray::new(origin, aim.round() / 16.0);
            let (mut all, mut scaled) = (Vec::new(), Vec::new());
            cast_ray_all(&shape, &pose, &ray, Interval::BOTH, &mut all);
            let first = cast_ray(&shape, &pose, &ray, Interval::FORWARD);
            n_hits += usize::from(first.is_some());
            for exponent in [-110, -100, -30, 30, 110, 120] {
                let scale = 2f32.powi(exponent);
                let ray = Ray::new(ray.origin, ray.direction * scale);
                scaled.clear();
                cast_ray_all(&shape, &pose, &ray, Interval::BOTH, &mut scaled);
                let expected: Vec<f32> = all.iter().map(|hit| hit.t / scale).collect();
                let found: Vec<f32> = scaled.iter().map(|hit| hit.t).collect();
                assert_eq!(found, expected, "{name} 2^{exponent} {ray:?}");
                let found = cast_ray(&shape, &pose, &ray, Interval::FORWARD).map(|hit| hit.t);
                assert_eq!(found, first.map(|hit| hit.t / scale), "{name} 2^{exponent} {ray:?}");
            }
        }
        assert!(20 < n_hits, "{name}: {n_hits} hits");
    }
}

/// No number is left for t, or for the ray in the frame of the shape.
#[test]
fn rays_that_no_number_is_left_for_hit_nothing() {
    for (name, shape) in shapes() {
        let mut hits = Vec::new();
        for (origin, direction) in [
            (Vec3::NAN, Vec3::X),
            (Vec3::X * f32::INFINITY, Vec3::X),
            (Vec3::X * -3.0, Vec3::new(f32::INFINITY, 0.0, 0.0)),
            (Vec3::X * -3.0, Vec3::new(1.0, f32::NAN, 0.0)),
            (Vec3::X * -3.0, Vec3::new(1e-45, 0.0, 0.0)),
        ] {
            let ray = Ray::new(origin, direction);
            let pose = Pose::from_rotation(Quat::from_rotation_y(0.5));
            assert_eq!(cast_ray(&shape, &pose, &ray, Interval::BOTH), None, "{name} {ray:?}");
            cast_ray_all(&shape, &pose, &ray, Interval::BOTH, &mut hits);
            assert_eq!(hits, [], "{name} {ray:?}");
        }
    }
}

/// The tree of a mesh of subnormal size is in its coordinates times 2^1000 and more: there others
/// have no place.
#[test]
fn a_mesh_of_no_size_is_met_from_anywhere() {
    let tiny = |x: f64| {
        let corners = vec![DVec3::new(x, 0.0, 0.0), DVec3::new(0.0, x, 0.0), DVec3::ZERO];
        let mesh = wide::TriMesh::new(corners, vec![[0, 1, 2], [2, 1, 0]]).unwrap();
        wide_query::Shape::Mesh(Arc::new(wide_query::MeshShape::new(mesh).unwrap()))
    };
    let ball = wide_query::Shape::Sphere(wide::Sphere::new(2.5).unwrap());
    let here = carom_math::f64::Pose::IDENTITY;
    for size in [5e-324, 4e-313, 1e-300, 1e-30] {
        let mesh = tiny(size);
        for x in [0.0, 8.0, 1e30, 1e300] {
            let pose = carom_math::f64::Pose::from_translation(DVec3::new(0.0, 0.0, x));
            let expected = (x - 2.5).max(0.0);
            for other in [size, 3e-320] {
                let found = wide_query::distance(&mesh, &here, &tiny(other), &pose);
                assert_eq!(found.distance, x, "{size:e} {other:e} {x:e}");
            }
            let found = wide_query::distance(&mesh, &here, &ball, &pose);
            assert!((found.distance - expected).abs() <= 1e-14 * expected, "{size:e} {x:e} {found:?}");
            assert_eq!(wide_query::intersects(&mesh, &here, &ball, &pose), x == 0.0);
            // From far away along the axis, through the corner that all have.
            let ray = carom_math::f64::Ray::new(DVec3::new(0.0, 0.0, x), DVec3::NEG_Z);
            let mut hits = Vec::new();
            wide_query::cast_ray_all(&mesh, &here, &ray, carom_math::f64::Interval::FORWARD, &mut hits);
            assert_eq!(hits.iter().map(|hit| hit.t).collect::<Vec<_>>(), [x, x], "{size:e} {x:e}");
        }
    }
}

/// A tie of two triangles at the least t: both had it from rounding, and the tree had left the
/// first one out.
#[test]
fn hits_nearer_than_the_least_normal_number_keep_their_order() {
    let corners = [
        [1.0, 0.0, 0.0],
        [1.0, 4.0, 0.0],
        [1.0, 0.0, 4.0],
        [2.0, 0.0, 0.0],
        [2.0, 4.0, 0.0],
        [2.0, 0.0, 4.0],
    ];
    let corners = corners.map(DVec3::from_array).to_vec();
    let mesh = wide::TriMesh::new(corners, vec![[3, 4, 5], [0, 1, 2]]).unwrap();
    let shape = wide_query::Shape::Mesh(Arc::new(wide_query::MeshShape::new(mesh).unwrap()));
    let ray = carom_math::f64::Ray::new(DVec3::new(0.0, 1.0, 1.0), DVec3::new(f64::MAX, 0.0, 0.0));
    let mut hits = Vec::new();
    let pose = carom_math::f64::Pose::IDENTITY;
    wide_query::cast_ray_all(&shape, &pose, &ray, carom_math::f64::Interval::FORWARD, &mut hits);
    assert_eq!(hits.iter().map(|hit| hit.part).collect::<Vec<_>>(), [1, 0]);
    assert!((hits[0].t * f64::MAX - 1.0).abs() < 1e-14 && (hits[1].t * f64::MAX - 2.0).abs() < 1e-14);
    let first = wide_query::cast_ray(&shape, &pose, &ray, carom_math::f64::Interval::FORWARD);
    assert_eq!(first, hits.first().copied());
}

/// The same in f32, where the place of the tree is what it is but t has fewer numbers.
#[test]
fn a_mesh_farther_than_any_t_is_not_hit() {
    let mesh = TriMesh::new(vec![Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let ball = Shape::Sphere(Sphere::new(1.0).unwrap());
    for shape in [mesh, ball] {
        let short = Ray::new(Vec3::splat(-100.0), Vec3::splat(1e-40));
        assert_eq!(cast_ray(&shape, &Pose::IDENTITY, &short, Interval::FORWARD), None);
        let enough = Ray::new(Vec3::splat(-100.0), Vec3::splat(1e-36));
        let hit = cast_ray(&shape, &Pose::IDENTITY, &enough, Interval::FORWARD).unwrap();
        assert!((hit.t * 1e-36 - 100.0).abs() < 1.0, "{hit:?}");
    }
}

/// With all ways out of one length, an iterative depth ended a thousandth off.
#[test]
fn points_deep_in_a_rounded_cylinder_project_to_its_surface() {
    let shape = rounded(Shape::Cylinder(Cylinder::new(122.5, 88.7).unwrap()), 2.0);
    let mut random = Random::new(22);
    for i in 0..200 {
        let p = unit(&mut random) * [0.0, 1e-6, 1.0, 50.0, 88.7, 200.0][i % 6];
        let found = project_point(&shape, &Pose::IDENTITY, p).unwrap();
        assert!((found.point.distance(p) - found.distance.abs()).abs() < 1e-3, "{p} {found:?}");
        let again = project_point(&shape, &Pose::IDENTITY, found.point).unwrap();
        assert!(again.distance.abs() < 1e-3, "{p} {found:?} {again:?}");
        let across = (p.x * p.x + p.z * p.z).sqrt();
        let expected = (across - 88.7).max(p.y.abs() - 122.5) - 2.0;
        assert!(0.0 < found.distance || (found.distance - expected).abs() < 1e-3, "{p} {found:?} {expected}");
    }
}
