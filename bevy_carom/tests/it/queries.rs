//! Queries answer with entities.

use crate::{app, ball, ground, physics, updates};
use bevy_carom::{DrawFlags, DrawRole, QueryFilter, Shape};
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use carom_world::BodyDesc;

#[test]
fn rays_shapes_and_points() {
    let mut app = app();
    let floor = ground(&mut app);
    let ball = ball(&mut app, Vec3::Y * 0.5);
    updates(&mut app, 60);
    let world = physics(&app);
    let solid = QueryFilter::SOLID;
    let hit = world.cast_ray(Vec3::Y * 5.0, Vec3::NEG_Y * 2.0, 10.0, &solid).unwrap();
    assert_eq!((hit.body, hit.collider), (ball, ball));
    assert!((hit.t - 2.0).abs() < 0.01 && (hit.point - Vec3::Y).length() < 0.02 && hit.normal.y > 0.99);
    let all = world.cast_ray_all(Vec3::Y * 5.0, Vec3::NEG_Y, 10.0, &solid);
    assert!(all.len() == 3 && all[0].body == ball && all.iter().any(|hit| hit.body == floor));
    assert!(world.cast_ray(Vec3::Y * 5.0, Vec3::Y, 10.0, &solid).is_none());
    let fixed = world.cast_ray(Vec3::Y * 5.0, Vec3::NEG_Y, 10.0, &QueryFilter::FIXED).unwrap();
    assert_eq!(fixed.body, floor);

    let probe = Shape::sphere(0.5).unwrap();
    let met = world.cast_shape(&probe, &Transform::from_xyz(0.0, 5.0, 0.0), Vec3::NEG_Y * 10.0, &solid);
    let met = met.unwrap();
    assert!(met.body == ball && (met.safe_until - 0.35).abs() < 0.01, "{met:?}");
    let touched = world.overlap_shape(&probe, &Transform::from_xyz(0.9, 0.4, 0.0), &solid);
    assert_eq!(touched, [floor, ball]);
    let near = world.nearest(Vec3::new(0.0, 1.5, 0.0), 1.0, &solid).unwrap();
    assert!(near.body == ball && (near.distance - 0.5).abs() < 0.01, "{near:?}");
}

#[test]
fn bodies_without_an_entity_are_passed_over() {
    let mut app = app();
    let floor = ground(&mut app);
    app.update();
    let mut physics = app.world_mut().resource_mut::<bevy_carom::PhysicsWorld>();
    let own = BodyDesc::fixed(Shape::sphere(1.0).unwrap()).with_position(carom_math::Vec3::Y * 3.0);
    let own = physics.world_mut().insert(own).unwrap();
    assert_eq!(physics.entity_of(own), None);
    let hit = physics.cast_ray(Vec3::Y * 9.0, Vec3::NEG_Y, 20.0, &QueryFilter::SOLID).unwrap();
    assert!((hit.t - 9.0).abs() < 1e-5);
    let solid = QueryFilter::SOLID;
    let (probe, start) = (Shape::sphere(0.5).unwrap(), Transform::from_xyz(0.0, 9.0, 0.0));
    let met = physics.cast_shape(&probe, &start, Vec3::NEG_Y * 20.0, &solid).unwrap();
    assert!(met.body == floor && (met.safe_until - 0.425).abs() < 1e-3, "{met:?}");
    let near = physics.nearest(Vec3::Y * 5.0, 10.0, &solid).unwrap();
    assert!(near.body == floor && (near.distance - 5.0).abs() < 1e-5, "{near:?}");
    assert!(physics.overlap_shape(&probe, &Transform::from_xyz(0.0, 3.0, 0.0), &solid).is_empty());
    // The predicate of the caller counts, too.
    let nothing = |_| false;
    assert!(physics.nearest(Vec3::Y * 5.0, 10.0, &solid.with_predicate(&nothing)).is_none());
}

#[test]
fn lines_to_draw() {
    let mut app = app();
    ground(&mut app);
    ball(&mut app, Vec3::Y * 0.5);
    updates(&mut app, 10);
    let drawn = physics(&app).debug_lines(DrawFlags::AXES | DrawFlags::CONTACTS);
    assert!(drawn.points.iter().any(|point| point.role == DrawRole::Contact && point.at.y.abs() < 0.05));
    assert_eq!(drawn.lines.iter().filter(|line| line.role == DrawRole::AxisX).count(), 2);
    assert!(physics(&app).debug_lines(DrawFlags::empty()) == Default::default());
}
