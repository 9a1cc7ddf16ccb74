//! Springs on the depth: where they come to rest, that they never pull, and how short a step has to
//! be.

use carom_math::{Mat3, Pose, Vec3};
use carom_response::{Body, Penalty};
use proptest::prelude::*;

const GRAVITY: f32 = 10.0;

fn ball(at: Vec3, mass: f32) -> Body {
    Body::dynamic(Pose::from_translation(at), mass, Vec3::ZERO, Mat3::IDENTITY * (0.1 * mass))
}

/// A ball of radius 0.5 over a floor at y = 0, stepped by hand: the height and the speed after each
/// step.
fn drop(penalty: Penalty, mass: f32, height: f32, dt: f32, n: usize) -> Vec<(f32, f32)> {
    let (mut floor, mut body) = (Body::fixed(Pose::IDENTITY), ball(Vec3::Y * height, mass));
    (0..n)
        .map(|_| {
            let at = body.pose.translation;
            let depth = (0.5 - at.y).max(0.0);
            penalty.push(&mut floor, &mut body, at - Vec3::Y * 0.5, Vec3::Y * depth, dt);
            body.linear_velocity.y -= GRAVITY * dt;
            body.pose.translation += body.linear_velocity * dt;
            (body.pose.translation.y, body.linear_velocity.y)
        })
        .collect()
}

#[test]
fn a_ball_comes_to_rest_where_the_spring_carries_it() {
    for (mass, stiffness) in [(2.0, 4000.0), (0.01, 50.0), (1e4, 1e8)] {
        let penalty = Penalty::critical(stiffness, mass);
        let dt = 0.2 * penalty.longest_step(mass);
        let path = drop(penalty, mass, 0.6, dt, 400);
        let &(y, speed) = path.last().unwrap();
        let rest = 0.5 - mass * GRAVITY / stiffness;
        println!("mass {mass}: rests at {y}, the spring carries it at {rest}");
        assert!((y - rest).abs() < 1e-3 * (0.5 - rest) + 1e-6 && speed.abs() < 1e-3);
    }
}

#[test]
fn an_undamped_ball_bounces_as_high_as_it_fell_and_a_damped_one_less() {
    let (mass, stiffness) = (1.0, 1e4);
    let free = Penalty::new(stiffness, 0.0);
    let dt = 0.02 * free.longest_step(mass);
    let energies = |penalty: Penalty| -> Vec<f32> {
        let path = drop(penalty, mass, 1.0, dt, 8000);
        let spring = |y: f32| 0.5 * stiffness * (0.5 - y).max(0.0).powi(2);
        path.iter().map(|&(y, v)| 0.5 * v * v + GRAVITY * y + spring(y)).collect()
    };
    let all = energies(free);
    let (least, most) = all.iter().fold((f32::MAX, 0.0_f32), |(a, b), &e| (a.min(e), b.max(e)));
    println!("energy of an undamped ball of 10 J: {least} to {most}");
    assert!(9.7 < least && most < 10.3);
    let damped = energies(Penalty::new(stiffness, 20.0));
    assert!(damped.iter().all(|&e| e < 10.3) && *damped.last().unwrap() < 7.0);
}

#[test]
fn the_longest_step_is_where_swings_begin_to_grow() {
    for damping in [0.0, 5.0, 40.0, 200.0] {
        let (mass, stiffness) = (0.5, 300.0);
        let penalty = Penalty::new(stiffness, damping);
        let limit = penalty.longest_step(mass);
        // The spring and damper alone, which also pull: what the formula is about.
        let swing = |part: f32| {
            let [dt, limit, k, c, m] = [part * limit, limit, stiffness, damping, mass].map(f64::from);
            let (mut x, mut v) = (1.0_f64, 0.0_f64);
            for _ in 0..300 {
                v += dt * (-k * x - c * v) / m;
                x += dt * v;
            }
            x.abs().max((v * limit).abs())
        };
        let (below, above) = (swing(0.98), swing(1.02));
        println!("damping {damping}: {below:.1} below the longest step, {above:.1e} above");
        assert!(below < 12.0 && 100.0 < above);
    }
}

#[test]
fn friction_holds_a_block_on_a_slope_no_longer_than_coulomb_says() {
    // Sliding at 1 m/s under a push of 40 N: braked by the damper, but by no more than a half
    // of the push.
    let velocity = Vec3::new(1.0, 0.0, 0.0);
    let displacement = Vec3::Y * 0.01;
    let of = |friction: f32| Penalty::new(4000.0, 30.0).with_friction(friction).force(displacement, velocity);
    assert_eq!(of(0.0), Vec3::new(0.0, 40.0, 0.0));
    assert!((of(0.5) - Vec3::new(-20.0, 40.0, 0.0)).length() < 1e-4);
    assert!((of(2.0) - Vec3::new(-30.0, 40.0, 0.0)).length() < 1e-4);
}

#[test]
fn no_displacement_and_no_number_is_no_force() {
    let penalty = Penalty::new(100.0, 10.0).with_friction(0.5);
    for (displacement, velocity) in [
        (Vec3::ZERO, Vec3::X),
        (Vec3::NAN, Vec3::X),
        (Vec3::Y, Vec3::NAN),
        (Vec3::Y * f32::INFINITY, Vec3::X),
        (Vec3::Y * 0.1, Vec3::Y * 5.0),
    ] {
        assert_eq!(penalty.force(displacement, velocity), Vec3::ZERO, "{displacement} {velocity}");
    }
    let (mut a, mut b) = (Body::fixed(Pose::IDENTITY), Body::fixed(Pose::IDENTITY));
    assert_ne!(penalty.push(&mut a, &mut b, Vec3::ZERO, Vec3::Y, 0.01), Vec3::ZERO);
    assert_eq!((a.linear_velocity, b.linear_velocity), (Vec3::ZERO, Vec3::ZERO));
}

proptest! {
    #[test]
    fn never_pulls_and_keeps_momentum(
        displacement in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0],
        velocities in [[-9.0f32..9.0, -9.0..9.0, -9.0..9.0], [-9.0f32..9.0, -9.0..9.0, -9.0..9.0]],
        masses in [0.1f32..10.0, 0.1..10.0],
        springs in [0.0f32..1e4, 0.0..100.0, 0.0..1.0],
        point in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0],
    ) {
        let (displacement, point) = (Vec3::from(displacement), Vec3::from(point));
        let penalty = Penalty::new(springs[0], springs[1]).with_friction(springs[2]);
        let mut bodies = [0, 1].map(|i| ball(Vec3::X * i as f32, masses[i]));
        for (body, velocity) in bodies.iter_mut().zip(velocities) {
            body.linear_velocity = Vec3::from(velocity);
        }
        let momentum = |bodies: &[Body; 2]| -> Vec3 {
            bodies.iter().zip(masses).map(|(body, mass)| body.linear_velocity * mass).sum()
        };
        let spin = |bodies: &[Body; 2]| -> Vec3 {
            let own = |(body, mass): (&Body, f32)| {
                body.angular_velocity * (0.1 * mass)
                    + body.pose.translation.cross(body.linear_velocity * mass)
            };
            bodies.iter().zip(masses).map(own).sum()
        };
        let before = (momentum(&bodies), spin(&bodies));
        let [a, b] = &mut bodies;
        let velocity = b.velocity_at(point) - a.velocity_at(point);
        let impulse = penalty.push(a, b, point, displacement, 1e-3);
        prop_assert!(0.0 <= impulse.dot(displacement));
        // Friction is against the slide.
        let normal = displacement.normalize_or_zero();
        let across = |v: Vec3| v - normal * v.dot(normal);
        prop_assert!(across(impulse).dot(across(velocity)) <= 1e-3);
        prop_assert!(across(impulse).length() <= springs[2] * impulse.dot(normal) + 1e-5);
        let scale = 1.0 + impulse.length();
        prop_assert!((momentum(&bodies) - before.0).length() < 1e-4 * scale);
        prop_assert!((spin(&bodies) - before.1).length() < 1e-4 * scale);
    }
}
