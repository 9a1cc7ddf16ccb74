//! Steps: free fall, rest, and the same bits as a plain world.

use crate::{app, ball, ground, physics, position_of, updates};
use bevy_carom::{AngularVelocity, Collider, LinearVelocity, RigidBody, Shape, pose_of};
use bevy_math::{Quat, Vec3};
use bevy_time::TimeUpdateStrategy;
use bevy_transform::components::Transform;
use carom_world::{BodyDesc, World};
use std::time::Duration;

#[test]
fn a_ball_falls_as_galilei_says_and_rests() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, Vec3::Y * 20.0);
    updates(&mut app, 60);
    let fallen = 20.0 - position_of(&app, ball).y;
    assert!((fallen - 0.5 * 9.81).abs() < 0.05, "{fallen}");
    let speed = app.world().get::<LinearVelocity>(ball).unwrap().0;
    assert!((speed.y + 9.81).abs() < 1e-3, "{speed}");
    updates(&mut app, 300);
    assert!((position_of(&app, ball).y - 0.5).abs() < 0.01);
    assert!(physics(&app).body(ball).unwrap().is_sleeping());
}

/// The transforms of a heap, and the same bodies in a world of carom.
fn heap() -> Vec<(bool, Transform)> {
    let at = |i: usize| {
        let turn = Quat::from_rotation_z(0.1 * i as f32);
        let position = Vec3::new((i % 3) as f32 * 0.3, 1.0 + 1.1 * i as f32, (i % 2) as f32 * 0.2);
        (i.is_multiple_of(4), Transform::from_translation(position).with_rotation(turn))
    };
    (0..20).map(at).collect()
}

fn run() -> u64 {
    let mut app = app();
    ground(&mut app);
    for (is_ball, transform) in heap() {
        let collider = match is_ball {
            true => Collider::sphere(0.5),
            false => Collider::cuboid(Vec3::splat(0.4)),
        };
        app.world_mut().spawn((RigidBody::Dynamic, collider.unwrap(), transform));
    }
    updates(&mut app, 240);
    physics(&app).world().state_hash()
}

#[test]
fn two_runs_have_the_same_bits() {
    assert_eq!(run(), run());
}

#[test]
fn a_world_of_carom_has_the_same_bits() {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(carom_math::Vec3::Y).unwrap()).with_user_data(0)).unwrap();
    for (is_ball, transform) in heap() {
        let shape = match is_ball {
            true => Shape::sphere(0.5),
            false => Shape::cuboid(carom_math::Vec3::splat(0.4)),
        };
        world.insert(BodyDesc::dynamic(shape.unwrap()).with_pose(pose_of(&transform))).unwrap();
    }
    let dt = Duration::from_nanos(16_666_667).as_secs_f32();
    (0..240).for_each(|_| _ = world.step(dt).unwrap());
    assert_eq!(world.state_hash(), run());
}

#[test]
fn a_frame_has_as_many_steps_as_fit() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<LinearVelocity>(ball).unwrap().0 = Vec3::X;
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(0.1)));
    updates(&mut app, 10);
    let displacement = position_of(&app, ball).x;
    assert!((displacement - 1.0).abs() < 0.02, "{displacement}");
    // A tenth of a step each: most frames have none.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 600.0)));
    updates(&mut app, 100);
    let more = position_of(&app, ball).x - displacement;
    assert!((more - 1.0 / 6.0).abs() < 0.02, "{more}");
}

#[test]
fn a_kinematic_body_carries_what_lies_on_it() {
    let mut app = app();
    let lift = (RigidBody::Kinematic, Collider::cuboid(Vec3::new(2.0, 0.1, 2.0)).unwrap());
    let lift = app.world_mut().spawn(lift).id();
    let load = ball(&mut app, Vec3::Y * 0.6);
    updates(&mut app, 30);
    for _ in 0..120 {
        app.world_mut().get_mut::<Transform>(lift).unwrap().translation += Vec3::new(0.0, 0.01, 0.0);
        app.update();
    }
    assert!((position_of(&app, lift).y - 1.2).abs() < 1e-3);
    assert!((position_of(&app, load).y - 1.8).abs() < 0.02, "{}", position_of(&app, load));
    // It moves by its velocity too.
    let velocities = (LinearVelocity(Vec3::Y), AngularVelocity(Vec3::Y));
    app.world_mut().entity_mut(lift).insert(velocities);
    updates(&mut app, 60);
    assert!((position_of(&app, lift).y - 2.2).abs() < 1e-3, "{}", position_of(&app, lift));
    let turn = app.world().get::<Transform>(lift).unwrap().rotation.to_axis_angle();
    assert!((turn.1 * turn.0.y - 1.0).abs() < 1e-2, "{turn:?}");
}
