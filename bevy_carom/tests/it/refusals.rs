//! Values that the world refuses are reported with their entity, and nothing panics.

use crate::{app, ball, drain, physics, updates};
use bevy_carom::{
    Collider, Density, GravityScale, LinearVelocity, MassFault, Refusal, RefusalCause, RigidBody, WorldError,
};
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::Vec3;
use bevy_transform::components::Transform;

#[test]
fn a_body_without_mass_waits_for_its_collider() {
    let mut app = app();
    let body = app.world_mut().spawn(RigidBody::Dynamic).id();
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    updates(&mut app, 3);
    assert!(drain::<Refusal>(&mut app).is_empty());
    let cause = RefusalCause::World(WorldError::NoMass(MassFault::NoCollider));
    assert_eq!(refusals, [Refusal { entity: body, cause }]);
    app.world_mut().spawn((Collider::sphere(0.5).unwrap(), ChildOf(body)));
    app.update();
    assert!(physics(&app).body(body).is_some() && drain::<Refusal>(&mut app).is_empty());
}

#[test]
fn bad_numbers_name_their_entity_and_are_kept_out() {
    let mut app = app();
    let good = ball(&mut app, Vec3::ZERO);
    let bad = ball(&mut app, Vec3::X * 9.0);
    app.update();
    app.world_mut().get_mut::<LinearVelocity>(bad).unwrap().0 = Vec3::NAN;
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals.len() == 1 && refusals[0].entity == bad, "{refusals:?}");
    // The world goes on, and its own number is written back.
    updates(&mut app, 10);
    assert!(app.world().get::<LinearVelocity>(bad).unwrap().0.is_finite());
    assert!(app.world().get::<LinearVelocity>(good).unwrap().0.y < -1.0);
    app.world_mut().entity_mut(bad).insert(GravityScale(f32::INFINITY));
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals.len() == 1 && refusals[0].entity == bad, "{refusals:?}");
    assert!(refusals[0].cause.to_string().contains("gravity"), "{}", refusals[0].cause);
}

#[test]
fn shapes_that_cannot_have_their_scale() {
    let mut app = app();
    let squeezed = ball(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Transform>(squeezed).unwrap().scale = Vec3::new(1.0, 2.0, 1.0);
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals.len() == 1 && refusals[0].entity == squeezed);
    assert!(matches!(refusals[0].cause, RefusalCause::Scale(_)), "{refusals:?}");
    app.world_mut().get_mut::<Transform>(squeezed).unwrap().scale = Vec3::ONE;
    app.update();
    assert!(physics(&app).body(squeezed).is_some());
}

#[test]
fn the_last_collider_with_mass_is_missed() {
    let mut app = app();
    let body = ball(&mut app, Vec3::ZERO);
    app.world_mut().spawn((Collider::sphere(0.5).unwrap(), Density(0.0), ChildOf(body)));
    app.update();
    app.world_mut().entity_mut(body).remove::<Collider>();
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    let cause = RefusalCause::World(WorldError::NoMass(MassFault::NoDensity));
    assert!(refusals.iter().any(|refusal| refusal.cause == cause), "{refusals:?}");
}
