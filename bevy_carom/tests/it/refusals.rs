//! Values that the world refuses are reported with their entity, and nothing panics.

use crate::{app, ball, drain, ground, physics, position_of, updates};
use bevy_carom::{
    Collider, ContactBegan, Density, GravityScale, LinearVelocity, Mass, MassFault, Mobility, Refusal,
    RefusalCause, RigidBody, WorldError,
};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::Vec3;
use bevy_transform::components::Transform;

#[test]
fn a_body_without_mass_waits_for_its_collider() {
    let mut app = app();
    let body = app.world_mut().spawn(RigidBody::Dynamic).id();
    app.update();
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals_of(&mut app, 3).is_empty());
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

/// Returns the messages of each of these updates.
fn refusals_of(app: &mut bevy_app::App, n: usize) -> Vec<Refusal> {
    let update = |_| {
        app.update();
        drain::<Refusal>(app)
    };
    (0..n).flat_map(update).collect()
}

/// Returns the pose of a collider in its body.
fn local(app: &bevy_app::App, collider: Entity) -> Vec3 {
    let id = physics(app).collider_id(collider).unwrap();
    Vec3::from_array(physics(app).world().collider(id).unwrap().local_pose().translation.to_array())
}

#[test]
fn a_fixed_body_becomes_dynamic_with_its_mass() {
    let mut app = app();
    let parts = (RigidBody::Fixed, Collider::sphere(0.5).unwrap(), Density(0.0));
    let given = app.world_mut().spawn(parts.clone()).id();
    let late = app.world_mut().spawn((parts, Transform::from_xyz(0.0, 0.0, 9.0))).id();
    let empty = app.world_mut().spawn((RigidBody::Fixed, Transform::from_xyz(0.0, 0.0, -9.0))).id();
    app.update();
    // The mass comes with the mobility, after it, and with a collider.
    let thrown = LinearVelocity(Vec3::X * 5.0);
    app.world_mut().entity_mut(given).insert((RigidBody::Dynamic, Mass(1.0), thrown));
    app.world_mut().entity_mut(late).insert((RigidBody::Dynamic, thrown));
    app.world_mut().entity_mut(empty).insert((RigidBody::Dynamic, Mass(2.0)));
    app.world_mut().spawn((Collider::sphere(0.5).unwrap(), Density(0.0), ChildOf(empty)));
    app.world_mut().spawn((Collider::sphere(0.5).unwrap(), ChildOf(empty)));
    app.update();
    for (body, mass) in [(given, 1.0), (empty, 2.0)] {
        let view = physics(&app).body(body).unwrap();
        assert_eq!((view.mobility(), view.mass()), (Mobility::Dynamic, mass));
    }
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals.len() == 1 && refusals[0].entity == late, "{refusals:?}");
    assert!(refusals_of(&mut app, 3).is_empty());
    assert_eq!(physics(&app).body(late).unwrap().mobility(), Mobility::Fixed);
    app.world_mut().entity_mut(late).insert(Mass(1.0));
    assert!(refusals_of(&mut app, 2).is_empty());
    assert_eq!(physics(&app).body(late).unwrap().mobility(), Mobility::Dynamic);
    for body in [given, late] {
        assert!((physics(&app).body(body).unwrap().linear_velocity().x - 5.0).abs() < 1e-3);
    }
}

#[test]
fn a_refused_value_does_not_hold_up_the_others() {
    let mut app = app();
    let body = ball(&mut app, Vec3::ZERO);
    app.update();
    app.world_mut().entity_mut(body).insert((Mass(-1.0), GravityScale(0.0)));
    app.world_mut().get_mut::<LinearVelocity>(body).unwrap().0 = Vec3::X * 5.0;
    app.world_mut().get_mut::<Transform>(body).unwrap().translation = Vec3::Y * 7.0;
    app.update();
    let view = physics(&app).body(body).unwrap();
    assert!((view.linear_velocity() - carom_math::Vec3::X * 5.0).length() < 1e-3);
    assert!((position_of(&app, body) - Vec3::new(5.0 / 60.0, 7.0, 0.0)).length() < 1e-3);
    assert_eq!(drain::<Refusal>(&mut app).len(), 1);
    // It is tried again without another message, until it is right.
    assert!(refusals_of(&mut app, 3).is_empty());
    app.world_mut().entity_mut(body).insert(Mass(3.0));
    app.update();
    assert_eq!(physics(&app).body(body).unwrap().mass(), 3.0);
    app.world_mut().entity_mut(body).insert(Mass(-1.0));
    app.update();
    assert_eq!(drain::<Refusal>(&mut app).len(), 1);
}

#[test]
fn a_refused_shape_does_not_hold_up_the_pose() {
    let mut app = app();
    let body = app.world_mut().spawn((RigidBody::Fixed, Collider::cuboid(Vec3::ONE).unwrap())).id();
    let child = app.world_mut().spawn((Collider::sphere(0.5).unwrap(), ChildOf(body))).id();
    app.update();
    let squeezed = Transform::from_xyz(3.0, 0.0, 0.0).with_scale(Vec3::new(1.0, 2.0, 1.0));
    app.world_mut().entity_mut(child).insert(squeezed);
    app.update();
    assert_eq!(local(&app, child), Vec3::X * 3.0);
    let refusals = drain::<Refusal>(&mut app);
    assert!(refusals.len() == 1 && refusals[0].entity == child, "{refusals:?}");
    // The shape is new and refused. It is set when the scale allows it.
    app.world_mut().get_mut::<Collider>(child).unwrap().0 = Collider::sphere(0.25).unwrap().0;
    assert!(refusals_of(&mut app, 3).is_empty());
    app.world_mut().get_mut::<Transform>(child).unwrap().scale = Vec3::ONE;
    app.update();
    let shape = physics(&app).world().collider(physics(&app).collider_id(child).unwrap()).unwrap().shape();
    assert!(matches!(shape, bevy_carom::Shape::Sphere(ball) if ball.radius() == 0.25));
}

#[test]
fn a_number_that_is_no_number_is_reported_once() {
    let mut app = app();
    let body = ball(&mut app, Vec3::ZERO);
    app.world_mut().entity_mut(body).insert(GravityScale(f32::NAN));
    assert_eq!(refusals_of(&mut app, 3).len(), 1);
    app.world_mut().entity_mut(body).insert(GravityScale(1.0));
    app.update();
    // Body and collider are one entity, and each has its own cause.
    app.world_mut().entity_mut(body).insert((GravityScale(f32::NAN), Density(f32::NAN)));
    let refusals = refusals_of(&mut app, 3);
    assert!(refusals.len() == 2 && refusals.iter().all(|refusal| refusal.entity == body), "{refusals:?}");
}

#[test]
fn colliders_that_exchange_their_mass() {
    let mut app = app();
    let body = app.world_mut().spawn(RigidBody::Dynamic).id();
    let spawn = |app: &mut bevy_app::App, density| {
        app.world_mut().spawn((Collider::sphere(0.5).unwrap(), Density(density), ChildOf(body))).id()
    };
    let (heavy, light) = (spawn(&mut app, 1.0), spawn(&mut app, 0.0));
    app.update();
    let before = physics(&app).body(body).unwrap().mass();
    app.world_mut().entity_mut(heavy).insert(Density(0.0));
    app.world_mut().entity_mut(light).insert(Density(2.0));
    app.update();
    assert!((physics(&app).body(body).unwrap().mass() - 2.0 * before).abs() < 1e-5);
    assert!(drain::<Refusal>(&mut app).is_empty());
}

#[test]
fn a_collider_whose_removal_was_refused_goes_with_its_successor() {
    let mut app = app();
    ground(&mut app);
    let body = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, 5.0, 0.0))).id();
    let spawn = |app: &mut bevy_app::App, radius, density| {
        app.world_mut().spawn((Collider::sphere(radius).unwrap(), Density(density), ChildOf(body))).id()
    };
    let (old, _) = (spawn(&mut app, 2.0, 1.0), spawn(&mut app, 0.1, 0.0));
    app.update();
    // In the same frame another one comes.
    app.world_mut().despawn(old);
    let new = spawn(&mut app, 0.5, 1.0);
    assert!(refusals_of(&mut app, 2).is_empty());
    assert_eq!(physics(&app).body(body).unwrap().colliders().count(), 2);
    // Later: until then it is there, and has the name that it had.
    app.world_mut().despawn(new);
    let mut began = Vec::new();
    for _ in 0..120 {
        app.update();
        began.extend(drain::<ContactBegan>(&mut app));
    }
    assert_eq!(physics(&app).body(body).unwrap().colliders().count(), 2);
    assert!(began.iter().any(|contact| contact.colliders.contains(&new)));
    spawn(&mut app, 0.25, 1.0);
    app.update();
    assert_eq!(physics(&app).body(body).unwrap().colliders().count(), 2);
    updates(&mut app, 60);
    assert!((position_of(&app, body).y - 0.25).abs() < 0.02, "{}", position_of(&app, body));
}
