//! Colliders below a body, bodies below other entities, and scales.

use crate::{app, ball, physics, position_of, updates};
use bevy_carom::{Collider, GravityScale, Mass, RigidBody};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;

/// Cubic metres.
const BALL_VOLUME: f32 = core::f32::consts::PI / 6.0;

/// The volume of a body of water, which is the default density.
fn volume(app: &bevy_app::App, body: Entity) -> f32 {
    physics(app).body(body).unwrap().mass() / 1000.0
}

#[test]
fn colliders_below_a_body_are_parts_of_it() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Dynamic, GravityScale(0.0))).id();
    let middle = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(body))).id();
    let ends: Vec<_> = [-1.0, 1.0]
        .map(|x| {
            let transform = Transform::from_xyz(x, 0.0, 0.0);
            app.world_mut().spawn((Collider::sphere(0.5).unwrap(), transform, ChildOf(middle))).id()
        })
        .into();
    app.update();
    let view = physics(&app).body(body).unwrap();
    assert!((volume(&app, body) - 2.0 * BALL_VOLUME).abs() < 1e-5);
    // They are at x = 0 and x = 2.
    assert!((view.center_of_mass() - carom_math::Vec3::X).length() < 1e-6, "{}", view.center_of_mass());
    let collider = physics(&app).collider_id(ends[1]).unwrap();
    let at = physics(&app).world().collider(collider).unwrap().local_pose().translation;
    assert_eq!(at, carom_math::Vec3::X * 2.0);
    // The entity between is moved, so both are.
    app.world_mut().get_mut::<Transform>(middle).unwrap().translation.x = 3.0;
    app.update();
    assert!((physics(&app).body(body).unwrap().center_of_mass().x - 3.0).abs() < 1e-5);
    // One goes to another body.
    let other = app.world_mut().spawn((RigidBody::Dynamic, GravityScale(0.0))).id();
    app.world_mut().entity_mut(ends[0]).insert(ChildOf(other));
    updates(&mut app, 2);
    assert!((volume(&app, other) - BALL_VOLUME).abs() < 1e-5);
    assert!((volume(&app, body) - BALL_VOLUME).abs() < 1e-5);
}

#[test]
fn scales_scale_shapes() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Transform>(ball).unwrap().scale = Vec3::splat(2.0);
    app.update();
    assert!((volume(&app, ball) - 8.0 * BALL_VOLUME).abs() < 1e-4);
    assert_eq!(app.world().get::<Transform>(ball).unwrap().scale, Vec3::splat(2.0));
    app.world_mut().get_mut::<Transform>(ball).unwrap().scale = Vec3::splat(0.5);
    app.update();
    assert!((volume(&app, ball) - BALL_VOLUME / 8.0).abs() < 1e-5);
}

#[test]
fn a_body_below_a_moved_entity() {
    let mut app = app();
    let turn = Quat::from_rotation_y(0.7);
    let above = Transform::from_xyz(5.0, 0.0, 0.0).with_rotation(turn).with_scale(Vec3::splat(2.0));
    let above = app.world_mut().spawn(above).id();
    let parts = (Collider::sphere(0.5).unwrap(), Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(above));
    let falling = app.world_mut().spawn((RigidBody::Dynamic, Mass(1.0), parts.clone())).id();
    let follows = app.world_mut().spawn((RigidBody::Kinematic, parts)).id();
    app.world_mut().get_mut::<Transform>(follows).unwrap().translation.y = 5.0;
    updates(&mut app, 1);
    let first = physics(&app).body(falling).unwrap().position();
    let wanted = Vec3::X * 5.0 + turn * Vec3::X * 2.0;
    assert!((Vec3::from_array(first.to_array()) - wanted).length() < 0.01, "{first}");
    // The entity above is moved: the kinematic body follows, the dynamic one falls on.
    app.world_mut().get_mut::<Transform>(above).unwrap().translation.z = 4.0;
    updates(&mut app, 60);
    let [fallen, followed] = [falling, follows].map(|e| physics(&app).body(e).unwrap().position());
    assert!((followed.z - (wanted.z + 4.0)).abs() < 1e-4, "{followed}");
    assert!((fallen.z - wanted.z).abs() < 1e-3 && fallen.y < -4.0, "{fallen}");
    // Its transform is in the frame of the moved entity.
    let local = app.world().get::<Transform>(falling).unwrap();
    let back = app.world().get::<Transform>(above).unwrap().transform_point(local.translation);
    assert!((back - Vec3::from_array(fallen.to_array())).length() < 1e-4, "{back}");
    assert!((position_of(&app, follows) - Vec3::new(1.0, 5.0, 0.0)).length() < 1e-5);
}
