//! Rays and points against every shape.

use crate::zoo::{box_mesh, shapes};
use carom_geom::Cuboid;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{MeshShape, Shape, intersects, project_point, ray_cast, ray_cast_all};
use carom_testkit::random::Random;
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

/// A hit lies on the surface, its normal is a unit vector, the first of all hits is the hit, and both sides count.
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
            ray_cast_all(&shape, &pose, &ray, Interval::BOTH, &mut all);
            assert!(all.windows(2).all(|w| w[0].t <= w[1].t), "{name}");
            for hit in &all {
                let on = project_point(&shape, &pose, ray.at(hit.t)).unwrap();
                // Hits of a compound's part may lie inside another part.
                assert!(on.distance.abs() < 1e-5 || name == "compound", "{name}: {hit:?} {on:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-5, "{name}: {hit:?}");
                let against = hit.normal.dot(ray.direction);
                assert!(if hit.is_back_face { -1e-4 < against } else { against < 1e-4 }, "{name}: {hit:?}");
            }
            let forward = ray_cast(&shape, &pose, &ray, Interval::FORWARD);
            let expected = all.iter().find(|hit| 0.0 <= hit.t).map(|hit| hit.t);
            match (forward, expected) {
                (Some(hit), Some(t)) => assert!((hit.t - t).abs() < 1e-5, "{name}: {hit:?} {t}"),
                (None, None) => {}
                other => panic!("{name}: {other:?}"),
            }
            n_hits += usize::from(forward.is_some());
        }
        assert!(100 < n_hits, "{name}: {n_hits} hits");
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
