//! Messages of contacts and impulses, read by a system.

use crate::{app, ball, ground, updates};
use bevy_app::Update;
use bevy_carom::{ContactBegan, ContactEnded, ContactImpulse, ImpulseThreshold, Mass, SurfaceMaterial};
use bevy_ecs::message::MessageReader;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::ResMut;
use bevy_math::Vec3;

#[derive(Resource, Default)]
struct Heard {
    began: Vec<ContactBegan>,
    ended: Vec<ContactEnded>,
    impulses: Vec<ContactImpulse>,
}

fn listen(
    mut began: MessageReader<ContactBegan>,
    mut ended: MessageReader<ContactEnded>,
    mut impulses: MessageReader<ContactImpulse>,
    mut heard: ResMut<Heard>,
) {
    heard.began.extend(began.read());
    heard.ended.extend(ended.read());
    heard.impulses.extend(impulses.read());
}

#[test]
fn a_bounce_begins_ends_and_has_an_impulse() {
    let mut app = app();
    app.init_resource::<Heard>().add_systems(Update, listen);
    let floor = ground(&mut app);
    let ball = ball(&mut app, Vec3::Y * 1.73);
    app.world_mut().entity_mut(ball).insert((
        SurfaceMaterial::new(0.5, 1.0),
        Mass(2.0),
        ImpulseThreshold(3.0),
    ));
    // It falls 1.23 m in half a second, and is back after a whole one.
    updates(&mut app, 50);
    let heard = app.world().resource::<Heard>();
    assert_eq!((heard.began.len(), heard.ended.len()), (1, 1));
    assert_eq!((heard.began[0].bodies, heard.ended[0].colliders), ([floor, ball], [floor, ball]));
    assert!(!heard.began[0].is_sensor);
    let speed = (2.0 * 9.81 * 1.23_f32).sqrt();
    let total: f32 = heard.impulses.iter().map(|hit| hit.total).sum();
    // The impulse turns the velocity: twice the mass times the speed.
    assert!((total / (2.0 * 2.0 * speed) - 1.0).abs() < 0.1, "{total}");
    let hit = heard.impulses[0];
    assert!((hit.approach_speed / speed - 1.0).abs() < 0.1 && 0.99 < hit.normal.y, "{hit:?}");
}
