//! Joints: a pendulum, a rope that breaks, and removal.

use crate::{app, ball, drain, physics, position_of, updates};
use bevy_carom::{Collider, Joint, JointBroke, JointDesc, LinearVelocity, RigidBody};
use bevy_ecs::entity::Entity;
use bevy_math::Vec3;
use carom_math::Vec3 as CaromVec3;

fn hook(app: &mut bevy_app::App) -> Entity {
    app.world_mut().spawn((RigidBody::Fixed, Collider::sphere(0.1).unwrap())).id()
}

#[test]
fn a_pendulum_has_its_period() {
    let mut app = app();
    let hook = hook(&mut app);
    // A ball of radius 0.5 on 10 m: the inertia adds 1/1000.
    let start = Vec3::new(10.0 * 0.1_f32.sin(), -10.0 * 0.1_f32.cos(), 0.0);
    let bob = ball(&mut app, start);
    let joint = |a, b| JointDesc::revolute(a, b).with_anchor(CaromVec3::ZERO).with_axis(CaromVec3::Z);
    app.world_mut().spawn(Joint::new(hook, bob, joint));
    let mut crossings = Vec::new();
    let mut last = position_of(&app, bob).x;
    for i in 1..=900 {
        app.update();
        let x = position_of(&app, bob).x;
        if last > 0.0 && x <= 0.0 {
            crossings.push((i as f32 - x / (x - last)) / 60.0);
        }
        last = x;
    }
    let period = crossings[1] - crossings[0];
    let length = 10.0 * (1.0 + 0.4 * 0.25 / 100.0);
    let wanted = core::f32::consts::TAU * (length / 9.81_f32).sqrt() * (1.0 + 0.01 / 16.0);
    assert!((period / wanted - 1.0).abs() < 5e-3, "{period} for {wanted}");
    assert!((position_of(&app, bob).length() - 10.0).abs() < 0.01);
}

#[test]
fn a_rope_breaks_and_is_reported_once() {
    let mut app = app();
    let hook = hook(&mut app);
    let load = ball(&mut app, Vec3::NEG_Y * 2.0);
    let rope = Joint::new(hook, load, |a, b| JointDesc::rope(a, b, 2.0).with_break_force(50_000.0));
    let rope = app.world_mut().spawn(rope).id();
    updates(&mut app, 60);
    assert!((position_of(&app, load).y + 2.0).abs() < 0.02 && physics(&app).joint_id(rope).is_some());
    assert!(drain::<JointBroke>(&mut app).is_empty());
    app.world_mut().get_mut::<LinearVelocity>(load).unwrap().0 = Vec3::NEG_Y * 20.0;
    updates(&mut app, 60);
    let broke = drain::<JointBroke>(&mut app);
    assert!(broke.len() <= 1 && position_of(&app, load).y < -5.0);
    assert!(physics(&app).joint_id(rope).is_none());
}

#[test]
fn a_joint_goes_with_its_entity_and_with_its_bodies() {
    let mut app = app();
    let hook = hook(&mut app);
    let loads = [ball(&mut app, Vec3::NEG_Y * 2.0), ball(&mut app, Vec3::new(5.0, -2.0, 0.0))];
    let joints = loads.map(|load| app.world_mut().spawn(Joint::new(hook, load, JointDesc::weld)).id());
    updates(&mut app, 30);
    assert_eq!(physics(&app).world().joints().count(), 2);
    app.world_mut().despawn(joints[0]);
    assert_eq!(physics(&app).world().joints().count(), 1);
    app.world_mut().despawn(loads[1]);
    assert_eq!(physics(&app).world().joints().count(), 0);
    updates(&mut app, 30);
    assert!(position_of(&app, loads[0]).y < -2.5);
    assert!(physics(&app).joint_id(joints[1]).is_none());
}
