//! Entities and components that go leave the world at once.

use crate::{app, ball, drain, ground, physics, position_of, updates};
use bevy_carom::{Collider, ContactEnded, RigidBody};
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::Vec3;
use bevy_transform::components::Transform;

#[test]
fn a_despawned_body_leaves_the_world_at_once() {
    let mut app = app();
    let floor = ground(&mut app);
    let below = ball(&mut app, Vec3::Y * 0.5);
    let above = ball(&mut app, Vec3::Y * 1.5);
    updates(&mut app, 60);
    assert!((position_of(&app, above).y - 1.5).abs() < 0.02);
    drain::<ContactEnded>(&mut app);
    app.world_mut().despawn(below);
    assert!(physics(&app).body(below).is_none() && physics(&app).world().len() == 2);
    updates(&mut app, 1);
    let ended = drain::<ContactEnded>(&mut app);
    let mut pairs: Vec<_> = ended.iter().map(|contact| contact.bodies).collect();
    pairs.sort_unstable_by_key(|pair| pair.map(|entity| entity.index_u32()));
    assert_eq!(pairs, [[floor, below], [below, above]]);
    updates(&mut app, 120);
    assert!((position_of(&app, above).y - 0.5).abs() < 0.02);
    assert!(drain::<ContactEnded>(&mut app).is_empty());
}

#[test]
fn a_despawned_hierarchy_leaves_nothing() {
    let mut app = app();
    let body = app.world_mut().spawn(RigidBody::Dynamic).id();
    for x in [-1.0, 1.0] {
        let transform = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((Collider::sphere(0.5).unwrap(), transform, ChildOf(body)));
    }
    app.update();
    assert_eq!(physics(&app).body(body).unwrap().colliders().count(), 2);
    app.world_mut().despawn(body);
    assert!(physics(&app).world().is_empty());
    updates(&mut app, 3);
    assert!(drain::<bevy_carom::Refusal>(&mut app).is_empty());
}

#[test]
fn a_component_that_goes_and_comes_back() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, Vec3::Y * 3.0);
    updates(&mut app, 2);
    app.world_mut().entity_mut(ball).remove::<RigidBody>();
    assert_eq!(physics(&app).world().len(), 1);
    let still = position_of(&app, ball);
    updates(&mut app, 30);
    assert_eq!(position_of(&app, ball), still);
    app.world_mut().entity_mut(ball).insert(RigidBody::Dynamic);
    updates(&mut app, 120);
    assert!((position_of(&app, ball).y - 0.5).abs() < 0.02);
    // Without its collider it falls through the floor, with the mass that it had.
    app.world_mut().entity_mut(ball).remove::<Collider>();
    updates(&mut app, 60);
    assert!(position_of(&app, ball).y < -1.0);
    let more = Collider::sphere(0.25).unwrap();
    app.world_mut().entity_mut(ball).insert((more, Transform::from_xyz(0.0, 2.0, 0.0)));
    updates(&mut app, 180);
    assert!((position_of(&app, ball).y - 0.25).abs() < 0.02, "{}", position_of(&app, ball));
}
