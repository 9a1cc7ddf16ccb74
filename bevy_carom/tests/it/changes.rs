//! Components that change, come and go.

use crate::{app, ball, drain, ground, physics, position_of, updates};
use bevy_carom::{
    AxisLocks, CanSleep, Ccd, Collider, CollisionFilter, ConstantForce, ContactBegan, Damping, Density,
    Filter, GravityScale, Groups, LinearVelocity, LockedAxes, Mass, Mobility, PhysicsWorld, RigidBody,
    Sensor, SurfaceMaterial,
};
use bevy_ecs::entity::Entity;
use bevy_math::Vec3;
use bevy_transform::components::Transform;

/// Cubic metres.
const BALL_VOLUME: f32 = core::f32::consts::PI / 6.0;

fn mass(app: &bevy_app::App, entity: Entity) -> f32 {
    physics(app).body(entity).unwrap().mass()
}

#[test]
fn masses_follow_density_and_shape_until_they_are_set() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::ZERO);
    app.update();
    // Water, if nothing is said.
    assert!((mass(&app, ball) / 1000.0 - BALL_VOLUME).abs() < 1e-5);
    app.world_mut().entity_mut(ball).insert(Density(3.0));
    app.update();
    assert!((mass(&app, ball) - 3.0 * BALL_VOLUME).abs() < 1e-5);
    app.world_mut().get_mut::<Collider>(ball).unwrap().0 = Collider::sphere(1.0).unwrap().0;
    app.update();
    assert!((mass(&app, ball) - 24.0 * BALL_VOLUME).abs() < 1e-4);
    app.world_mut().entity_mut(ball).insert(Mass(7.0));
    app.update();
    assert!((mass(&app, ball) - 7.0).abs() < 1e-5);
}

#[test]
fn gravity_and_damping_come_and_go() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::ZERO);
    app.world_mut().entity_mut(ball).insert((GravityScale(0.0), Damping { linear: 1.0, angular: 0.0 }));
    app.world_mut().get_mut::<LinearVelocity>(ball).unwrap().0 = Vec3::X;
    updates(&mut app, 60);
    let speed = app.world().get::<LinearVelocity>(ball).unwrap().0;
    assert!((speed.x - (-1.0_f32).exp()).abs() < 0.01 && speed.y == 0.0, "{speed}");
    app.world_mut().entity_mut(ball).remove::<(GravityScale, Damping)>();
    updates(&mut app, 60);
    let after = app.world().get::<LinearVelocity>(ball).unwrap().0;
    assert!((after.y + 9.81).abs() < 1e-2 && (after.x - speed.x).abs() < 1e-5, "{after}");
}

#[test]
fn forces_and_locks_act() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::ZERO);
    let push = ConstantForce { force: Vec3::new(3.0, 0.0, 3.0), torque: Vec3::ZERO };
    let parts = (Mass(2.0), push, GravityScale(0.0), AxisLocks(LockedAxes::TRANSLATION_Z));
    app.world_mut().entity_mut(ball).insert(parts);
    updates(&mut app, 60);
    let speed = app.world().get::<LinearVelocity>(ball).unwrap().0;
    assert!((speed - Vec3::X * 1.5).length() < 1e-2, "{speed}");
    app.world_mut().entity_mut(ball).remove::<ConstantForce>();
    app.update();
    let impulse = carom_math::Vec3::new(-3.0, 0.0, 0.0);
    app.world_mut().resource_mut::<PhysicsWorld>().body_mut(ball).unwrap().apply_impulse(impulse).unwrap();
    updates(&mut app, 2);
    let speed = app.world().get::<LinearVelocity>(ball).unwrap().0;
    assert!(speed.length() < 0.05, "{speed}");
}

#[test]
fn a_sensor_is_passed_and_a_filter_too() {
    let mut app = app();
    let floor = ground(&mut app);
    let second = Groups::from_bits_retain(2);
    let through = ball(&mut app, Vec3::Y * 2.0);
    app.world_mut().entity_mut(through).insert(CollisionFilter(Filter::new(second, second)));
    let rests = ball(&mut app, Vec3::new(5.0, 2.0, 0.0));
    updates(&mut app, 120);
    assert!(position_of(&app, through).y < -1.0 && 0.4 < position_of(&app, rests).y);
    // Now the floor reports and holds nothing.
    app.world_mut().entity_mut(floor).insert(Sensor);
    updates(&mut app, 60);
    assert!(position_of(&app, rests).y < -1.0);
    app.world_mut().entity_mut(floor).remove::<Sensor>();
    let caught = ball(&mut app, Vec3::new(-5.0, 0.6, 0.0));
    let mut began = Vec::new();
    for _ in 0..30 {
        app.update();
        began.extend(drain::<ContactBegan>(&mut app));
    }
    assert!(began.iter().any(|contact| contact.bodies.contains(&caught) && !contact.is_sensor));
}

#[test]
fn the_kind_of_a_body_changes_and_it_keeps_its_handle() {
    let mut app = app();
    let ball = ball(&mut app, Vec3::Y);
    app.update();
    let id = physics(&app).body_id(ball);
    app.world_mut().entity_mut(ball).insert(RigidBody::Fixed);
    updates(&mut app, 60);
    let still = position_of(&app, ball).y;
    assert!(0.9 < still && physics(&app).body(ball).unwrap().mobility() == Mobility::Fixed);
    app.world_mut().entity_mut(ball).insert(RigidBody::Dynamic);
    updates(&mut app, 60);
    assert!(position_of(&app, ball).y < still - 4.0);
    assert_eq!(physics(&app).body_id(ball), id);
}

#[test]
fn a_bullet_with_ccd_stops_at_a_thin_wall() {
    let mut app = app();
    let wall = Collider::cuboid(Vec3::new(0.005, 2.0, 2.0)).unwrap();
    app.world_mut().spawn((RigidBody::Fixed, wall, Transform::from_xyz(10.3, 0.0, 0.0)));
    let shot = (
        RigidBody::Dynamic,
        Collider::sphere(0.02).unwrap(),
        Ccd,
        CanSleep(false),
        LinearVelocity(Vec3::X * 500.0),
    );
    let shot = app.world_mut().spawn(shot).id();
    updates(&mut app, 30);
    assert!(position_of(&app, shot).x < 10.3, "{}", position_of(&app, shot));
}

#[test]
fn a_transform_that_is_written_moves_the_body() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, Vec3::Y * 0.5);
    updates(&mut app, 120);
    assert!(physics(&app).body(ball).unwrap().is_sleeping());
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation = Vec3::new(3.0, 5.0, 0.0);
    updates(&mut app, 2);
    let at = position_of(&app, ball);
    assert!(at.x == 3.0 && 4.9 < at.y && at.y < 5.0, "{at}");
    // It slides on a slope without friction, and not with it.
    let slope = Collider::half_space(Vec3::new(0.6, 0.8, 0.0)).unwrap();
    let block = Collider::cuboid(Vec3::splat(0.5)).unwrap();
    app.world_mut().spawn((RigidBody::Fixed, slope, Transform::from_xyz(0.0, 50.0, 0.0)));
    let start = Transform::from_xyz(0.3, 50.4, 0.0).with_rotation(bevy_math::Quat::from_rotation_z(-0.6435));
    let smooth = SurfaceMaterial(carom_world::Material::new(0.0, 0.0));
    let block = app.world_mut().spawn((RigidBody::Dynamic, block, smooth, start)).id();
    updates(&mut app, 60);
    let speed = app.world().get::<LinearVelocity>(block).unwrap().0.length();
    assert!((speed - 9.81 * 0.6).abs() < 0.05, "{speed}");
    let rough = (SurfaceMaterial::new(3.0, 0.0), start, LinearVelocity::default());
    app.world_mut().entity_mut(block).insert(rough);
    updates(&mut app, 120);
    let speed = app.world().get::<LinearVelocity>(block).unwrap().0;
    assert!(speed.length() < 0.05, "{speed}");
}
