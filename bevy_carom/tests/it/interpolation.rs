//! Places between steps: drawn evenly, and never read by the world.

use crate::{app, ball, ground, physics, position_of};
use bevy_app::{App, FixedUpdate, Update};
use bevy_carom::{Collider, GravityScale, Interpolated, LinearVelocity, RigidBody};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Query, ResMut};
use bevy_math::{Quat, Vec3};
use bevy_time::{Fixed, Time, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use std::time::Duration;

const STEP: f32 = 1.0 / 60.0;

/// An app with frames of this part of a step.
fn frames(part: f64) -> App {
    let mut app = app();
    let frame = Duration::from_secs_f64(part * f64::from(STEP));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    app
}

fn flying(app: &mut App) -> Entity {
    let ball = ball(app, Vec3::ZERO);
    app.world_mut().entity_mut(ball).insert((GravityScale(0.0), LinearVelocity(Vec3::X)));
    ball
}

/// With 2.5 frames a step a ball goes on by the same way in each frame. Without the component it
/// stands still in some.
#[test]
fn a_ball_is_drawn_evenly() {
    let mut app = frames(0.4);
    let [smooth, jumping] = [flying(&mut app), flying(&mut app)];
    app.world_mut().entity_mut(smooth).insert(Interpolated::default());
    app.world_mut().get_mut::<Transform>(jumping).unwrap().translation.y = 9.0;
    (0..10).for_each(|_| app.update());
    let (mut last, mut n_still) = ([smooth, jumping].map(|ball| position_of(&app, ball).x), 0);
    for frame in 0..50 {
        app.update();
        let now = [smooth, jumping].map(|ball| position_of(&app, ball).x);
        let displacement = now[0] - last[0];
        assert!((displacement - 0.4 * STEP).abs() < 1e-5, "frame {frame}: {displacement}");
        n_still += usize::from(now[1] == last[1]);
        // It is late by one step at most.
        let true_position = physics(&app).body(smooth).unwrap().position().x;
        assert!((0.0..=1.01 * STEP).contains(&(true_position - now[0])), "{true_position} {}", now[0]);
        last = now;
    }
    assert!(20 < n_still, "{n_still}");
}

/// The angle of a turning box is between those of its steps.
#[test]
fn rotations_are_between_steps() {
    let mut app = frames(0.25);
    let ball = flying(&mut app);
    let spin = bevy_carom::AngularVelocity(Vec3::Y * 3.0);
    app.world_mut().entity_mut(ball).insert((Interpolated::default(), spin));
    (0..9).for_each(|_| app.update());
    let angle = |app: &App| {
        let (axis, angle) = app.world().get::<Transform>(ball).unwrap().rotation.to_axis_angle();
        angle * axis.y
    };
    let mut last = angle(&app);
    for _ in 0..40 {
        app.update();
        let turned = angle(&app) - last;
        assert!((turned - 0.75 * STEP).abs() < 1e-4, "{turned}");
        last = angle(&app);
    }
}

#[derive(Resource, Default)]
struct Heights(Vec<f32>);

/// A heap of bodies in frames of 0.7 steps, with the component or without.
fn heap(is_interpolated: bool) -> (u64, Vec<f32>) {
    let mut app = frames(0.7);
    app.init_resource::<Heights>();
    let record_heights = |bodies: Query<(&Transform, &RigidBody)>, mut recorded: ResMut<Heights>| {
        let heights = bodies.iter().filter(|(_, kind)| **kind == RigidBody::Dynamic);
        recorded.0.push(heights.map(|(transform, _)| transform.translation.y).sum());
    };
    app.add_systems(FixedUpdate, record_heights);
    ground(&mut app);
    for i in 0..12 {
        let collider = Collider::cuboid(Vec3::splat(0.4)).unwrap();
        let at = Vec3::new((i % 3) as f32 * 0.3, 1.0 + 0.9 * i as f32, (i % 2) as f32 * 0.2);
        let at = Transform::from_translation(at).with_rotation(Quat::from_rotation_z(0.1 * i as f32));
        let body = app.world_mut().spawn((RigidBody::Dynamic, collider, at)).id();
        if is_interpolated {
            app.world_mut().entity_mut(body).insert(Interpolated::default());
        }
    }
    (0..200).for_each(|_| app.update());
    let recorded = app.world_mut().resource_mut::<Heights>().0.split_off(0);
    (physics(&app).world().state_hash(), recorded)
}

/// Neither the world nor systems of the fixed schedules see a drawn place.
#[test]
fn the_simulation_has_the_same_bits() {
    let [with, without] = [true, false].map(heap);
    assert!(120 < with.1.len());
    assert_eq!(with, without);
}

/// A body that a system of a frame puts somewhere is shown there at once, and goes on from there.
#[test]
fn a_body_put_somewhere_does_not_glide_there() {
    let mut app = frames(0.4);
    let ball = flying(&mut app);
    app.world_mut().entity_mut(ball).insert(Interpolated::default());
    (0..12).for_each(|_| app.update());
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation = Vec3::new(50.0, 0.0, 0.0);
    for _ in 0..10 {
        app.update();
        let x = position_of(&app, ball).x;
        assert!((50.0..50.1).contains(&x), "{x}");
    }
    // Without the component the true place is shown, at once.
    app.world_mut().entity_mut(ball).remove::<Interpolated>();
    assert_eq!(position_of(&app, ball).x, physics(&app).body(ball).unwrap().position().x);
}

/// A lift that is moved by a system of the fixed schedule is drawn evenly too.
#[test]
fn a_moved_lift_is_drawn_evenly() {
    let mut app = frames(0.4);
    let parts = (RigidBody::Kinematic, Collider::cuboid(Vec3::ONE).unwrap(), Interpolated::default());
    let lift = app.world_mut().spawn(parts).id();
    let go = |mut lifts: Query<(&mut Transform, &RigidBody)>| {
        lifts.iter_mut().for_each(|(mut transform, _)| transform.translation.y += STEP);
    };
    app.add_systems(FixedUpdate, go);
    (0..10).for_each(|_| app.update());
    let mut last = position_of(&app, lift).y;
    for _ in 0..40 {
        app.update();
        let displacement = position_of(&app, lift).y - last;
        assert!((displacement - 0.4 * STEP).abs() < 1e-5, "{displacement}");
        last += displacement;
    }
    let fixed = app.world().resource::<Time<Fixed>>().timestep().as_secs_f32();
    assert!((fixed - STEP).abs() < 1e-6);
}

/// A frame longer than a step has several, and shows the last one.
#[test]
fn long_frames_and_bodies_without_a_step() {
    let mut app = frames(2.5);
    let early = flying(&mut app);
    app.world_mut().entity_mut(early).insert(Interpolated::default());
    app.add_systems(Update, || {});
    (0..8).for_each(|_| app.update());
    let (shown, body) = (position_of(&app, early).x, app.world().get::<Interpolated>(early).unwrap());
    let [start, end] = [body.start(), body.end()].map(|transform| transform.unwrap().translation.x);
    assert!((end - start - STEP).abs() < 1e-5 && start <= shown && shown <= end, "{start} {shown} {end}");
    // A new body is where it was put until its first step.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    let late = flying(&mut app);
    app.world_mut().entity_mut(late).insert(Interpolated::default());
    app.update();
    assert_eq!(
        (position_of(&app, late), app.world().get::<Interpolated>(late).unwrap().end()),
        (Vec3::ZERO, None)
    );
}
