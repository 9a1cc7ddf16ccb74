//! Friction of patches of contact that slide and turn, against Coulomb's law at each point.

use crate::scene::{DT, Scene, box_inertia};
use carom_geom::{Contact, FeatureId, Manifold};
use carom_math::{Pose, Quat, Vec3};
use carom_response::{Body, ContactPair, Solver, SolverSettings};
use carom_testkit::random::Random;

const GRAVITY: f64 = 9.81;

/// Speed and spin of a body on feet at `feet` along its way, each with an equal part of the weight,
/// after `seconds`: Coulomb's law at each foot, in steps of 10 microseconds.
fn coulomb(feet: &[f64], gyration_sq: f64, friction: f64, start: [f64; 2], seconds: f64) -> [f64; 2] {
    let [mut v, mut w] = start;
    let h = 1e-5;
    for _ in 0..(seconds / h).round() as usize {
        let (mut brake, mut torque) = (0.0, 0.0);
        for &x in feet {
            let slip = v.hypot(w * x);
            let share = friction * GRAVITY / feet.len() as f64;
            brake += share * v / slip;
            torque += share * x * (w * x) / slip;
        }
        (v, w) = (v - brake * h, w - torque / gyration_sq * h);
    }
    [v, w]
}

/// A long runner slides along itself and turns slowly. Its friction is against the slide, so it
/// hardly resists the turn.
#[test]
fn a_long_runner_turns_as_coulomb_says() {
    for (speed, spin, friction) in [(5.0, 0.5, 0.5), (5.0, -1.0, 0.3), (10.0, 2.0, 0.6), (3.0, 0.1, 0.2)] {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        scene.friction = friction;
        let half = Vec3::new(1.0, 0.02, 0.02);
        let runner = scene.dynamic(half, 3.0, Pose::from_translation(Vec3::Y * 0.02));
        scene.run(0.5);
        let body = &mut scene.bodies[runner];
        (body.linear_velocity, body.angular_velocity) = (Vec3::X * speed, Vec3::Y * spin);
        for n in 1..=3 {
            scene.run(0.1);
            let (body, seconds) = (&scene.bodies[runner], 0.1 * f64::from(n));
            let gyration_sq = f64::from(half.x * half.x + half.z * half.z) / 3.0;
            let start = [f64::from(speed), f64::from(spin)];
            let [v, w] = coulomb(&[-1.0, 1.0], gyration_sq, f64::from(friction), start, seconds);
            let found = [f64::from(body.linear_velocity.length()), f64::from(body.angular_velocity.y)];
            println!("after {seconds:.1} s: {found:.3?}, by Coulomb's law {:.3?}", [v, w]);
            assert!((found[0] - v).abs() < 0.01 * v, "{found:?} {v}");
            assert!((found[1] - w).abs() < 0.05 * f64::from(spin).abs(), "{found:?} {w}");
        }
    }
}

/// A body on four feet that are not around its centre, each with a separate manifold.
fn feet(body: &Body, positions: &[Vec3; 4], friction: f32) -> Vec<ContactPair> {
    let contact = |(part, position): (u32, &Vec3)| {
        let at = body.pose.transform_point(*position);
        let mut manifold = Manifold::new(Vec3::Y);
        let mut contact = Contact::new(Vec3::new(at.x, 0.0, at.z), at, Vec3::Y, at.y);
        contact.part_b = part;
        manifold.push(contact.with_features(FeatureId::face(0), FeatureId::vertex(0)));
        ContactPair::new(0, 1, manifold, friction, 0.0)
    };
    (0..).zip(positions).map(contact).collect()
}

#[test]
fn feet_beside_the_centre_brake_with_all_their_friction() {
    for (center, friction) in
        [(Vec3::ZERO, 0.5), (Vec3::new(0.3, 0.0, 0.2), 0.5), (Vec3::new(-0.4, 0.0, -0.3), 0.8)]
    {
        let positions =
            [(-1.0, -0.6), (1.0, -0.6), (-1.0, 0.6), (1.0, 0.6)].map(|(x, z)| Vec3::new(x, -0.1, z));
        let inertia = box_inertia(Vec3::new(1.0, 0.1, 0.6), 2.0);
        let pose = Pose::from_translation(Vec3::Y * 0.1);
        let mut bodies = [Body::fixed(Pose::IDENTITY), Body::dynamic(pose, 2.0, center, inertia)];
        let mut solver = Solver::new(SolverSettings::default().with_sleep(false));
        let mut run = |bodies: &mut [Body; 2], n_steps: usize| {
            for _ in 0..n_steps {
                let contacts = feet(&bodies[1], &positions, friction);
                solver.step(bodies, &contacts, &mut [], DT).unwrap();
            }
        };
        run(&mut bodies, 60);
        bodies[1].linear_velocity = Vec3::X * 6.0;
        run(&mut bodies, 30);
        let lost = 6.0 - bodies[1].linear_velocity.x;
        let expected = friction * 9.81 * 30.0 * DT;
        println!("{lost:.4} m/s lost of {expected:.4}, spin {}", bodies[1].angular_velocity.y);
        assert!((lost - expected).abs() < 0.01 * expected, "{center} {friction}: {lost} {expected}");
        assert!(bodies[1].angular_velocity.length() < 0.02, "{}", bodies[1].angular_velocity);
    }
}

/// Force and torque of a patch, over its own largest lever, are together within Coulomb's limit.
#[test]
fn friction_stays_within_its_limit() {
    let mut random = Random::new(5);
    let mut n_full = 0;
    for _ in 0..200 {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        scene.friction = random.range(0.05, 1.5) as f32;
        let half = (random.cube_point() * 0.4 + 0.6).as_vec3();
        let turn = Quat::from_rotation_y(random.range(-3.0, 3.0) as f32);
        scene.dynamic(half, 2.0, Pose::new(turn, Vec3::Y * half.y));
        let (v, w) = (random.cube_point() * 4.0, random.cube_point() * 4.0);
        scene.bodies[1].linear_velocity = v.as_vec3() * Vec3::new(1.0, 0.0, 1.0);
        scene.bodies[1].angular_velocity = w.as_vec3() * Vec3::Y;
        let reach = 2.0 * half.x.hypot(half.z);
        for _ in 0..20 {
            scene.step();
            for (pair, impulse) in scene.contacts.iter().zip(scene.solver.contact_impulses()) {
                let limit = pair.friction * impulse.total_normal();
                let used = impulse.friction.length().hypot(impulse.twist / reach);
                assert!(used <= 1.0001 * limit, "{used} {limit}");
                n_full += usize::from(0.99 * limit < used && 0.0 < limit);
            }
        }
    }
    println!("{n_full} patches slid");
    assert!(200 < n_full, "{n_full}");
}
