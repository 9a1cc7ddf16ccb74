//! A ball flies through a gate that reports it, and knocks over a tower. Without a window:
//! `cargo run --example tower`.

use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_carom::{
    CaromPlugin, Collider, ContactBegan, ContactImpulse, Density, DrawFlags, ImpulseThreshold,
    LinearVelocity, PhysicsWorld, RigidBody, Sensor,
};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

#[derive(Component)]
struct Brick;

#[derive(Resource, Default)]
struct Report {
    passes: u32,
    hardest_hit: f32,
}

fn listen(
    mut began: MessageReader<ContactBegan>,
    mut impulses: MessageReader<ContactImpulse>,
    mut report: ResMut<Report>,
) {
    report.passes += began.read().filter(|contact| contact.is_sensor).count() as u32;
    for hit in impulses.read() {
        report.hardest_hit = report.hardest_hit.max(hit.total);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, CaromPlugin::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.init_resource::<Report>().add_systems(Update, listen);

    let world = app.world_mut();
    world.spawn((RigidBody::Fixed, Collider::half_space(Vec3::Y)?));
    let brick = Collider::cuboid(Vec3::new(0.5, 0.25, 0.5))?;
    for i in 0..8 {
        let transform = Transform::from_xyz(0.0, 0.25 + 0.5 * i as f32, 0.0);
        world.spawn((Brick, RigidBody::Dynamic, brick.clone(), transform));
    }
    let ball = (
        RigidBody::Dynamic,
        Collider::sphere(0.5)?,
        // Steel; the bricks are as heavy as water.
        Density(7800.0),
        ImpulseThreshold(1.0),
        Transform::from_xyz(-6.0, 1.2, 0.0),
        LinearVelocity(Vec3::X * 12.0),
    );
    let ball = world.spawn(ball).id();
    let gate = Collider::cuboid(Vec3::new(0.05, 3.0, 3.0))?;
    world.spawn((RigidBody::Fixed, gate, Sensor, Transform::from_xyz(-3.0, 1.0, 0.0)));

    for _ in 0..300 {
        app.update();
    }
    let world = app.world_mut();
    let mut bricks = world.query_filtered::<&Transform, With<Brick>>();
    let highest = bricks.iter(world).map(|transform| transform.translation.y).fold(0.0, f32::max);
    let position = world.get::<Transform>(ball).ok_or("no ball")?.translation;
    let report = world.resource::<Report>();
    println!("the highest brick is at {highest:.2} m, the ball at {position:.2}");
    println!("{} passes, the hardest hit {:.1} Ns", report.passes, report.hardest_hit);
    let lines = world.resource::<PhysicsWorld>().debug_lines(DrawFlags::BOXES | DrawFlags::CONTACTS);
    println!("{} lines and {} points to draw", lines.lines.len(), lines.points.len());
    assert!(highest < 3.0 && 1 <= report.passes && 1.0 < report.hardest_hit && !lines.lines.is_empty());
    Ok(())
}
