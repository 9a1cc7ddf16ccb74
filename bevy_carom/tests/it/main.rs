//! Integration tests of bevy_carom, without a window.
#![allow(clippy::unwrap_used)]

mod changes;
mod hierarchy;
mod interpolation;
mod joints;
mod queries;
mod refusals;
mod removal;
mod reports;
mod steps;

use bevy_app::{App, TaskPoolPlugin};
use bevy_carom::{CaromPlugin, Collider, PhysicsWorld, RigidBody};
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, Messages};
use bevy_math::Vec3;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

/// An app whose every update is one step of 1/60 s.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, CaromPlugin::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    // The first update has no time yet.
    app.update();
    app
}

fn updates(app: &mut App, n: usize) {
    (0..n).for_each(|_| app.update());
}

fn ground(app: &mut App) -> Entity {
    app.world_mut().spawn((RigidBody::Fixed, Collider::half_space(Vec3::Y).unwrap())).id()
}

fn ball(app: &mut App, at: Vec3) -> Entity {
    let parts = (RigidBody::Dynamic, Collider::sphere(0.5).unwrap(), Transform::from_translation(at));
    app.world_mut().spawn(parts).id()
}

fn position_of(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

fn physics(app: &App) -> &PhysicsWorld {
    app.world().resource::<PhysicsWorld>()
}

/// Takes the messages that are kept.
fn drain<M: Message>(app: &mut App) -> Vec<M> {
    app.world_mut().resource_mut::<Messages<M>>().drain().collect()
}
