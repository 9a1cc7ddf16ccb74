//! Laws that hold for any scene: momentum, energy, friction, restitution, sleep, order, errors.

use crate::scene::{DT, Scene, box_inertia};
use carom_geom::{Contact, FeatureId, Manifold};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::{
    Body, ContactImpulse, ContactPair, Joint, JointKind, Motor, Solver, SolverError, SolverSettings, bounce,
};
use carom_testkit::random::Random;
use proptest::prelude::*;

fn ball(x: f32, speed: f32) -> Body {
    let mut body =
        Body::dynamic(Pose::from_translation(Vec3::new(x, 0.0, 0.0)), 2.0, Vec3::ZERO, Mat3::IDENTITY * 0.2);
    body.linear_velocity = Vec3::new(speed, 0.0, 0.0);
    body
}

/// The contacts of balls of radius 0.5 in a row.
fn row(bodies: &[Body], restitution: f32) -> Vec<ContactPair> {
    let touch = |k: usize| {
        let (a, b) = (bodies[k].pose.translation, bodies[k + 1].pose.translation);
        let distance = (b - a).length() - 1.0;
        let normal = (b - a).normalize();
        let mut manifold = Manifold::new(normal);
        manifold.push(Contact::new(a + normal * 0.5, b - normal * 0.5, normal, distance));
        (distance < 0.2).then(|| ContactPair::new(k as u32, k as u32 + 1, manifold, 0.0, restitution))
    };
    (0..bodies.len() - 1).filter_map(touch).collect()
}

#[test]
fn newtons_cradle() {
    for reverse in [false, true] {
        let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO));
        let mut bodies: Vec<Body> = (0..5).map(|k| ball(k as f32, 0.0)).collect();
        let (first, last) = if reverse { (4, 0) } else { (0, 4) };
        let toward = if reverse { -3.0 } else { 3.0 };
        bodies[first].pose.translation.x -= toward * 0.2;
        bodies[first].linear_velocity.x = toward;
        for _ in 0..60 {
            let contacts = row(&bodies, 1.0);
            solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
        }
        for (k, body) in bodies.iter().enumerate() {
            let expected = if k == last { toward } else { 0.0 };
            assert!((body.linear_velocity.x - expected).abs() < 0.01, "{k}: {}", body.linear_velocity);
        }
        let energy: f32 = bodies.iter().map(Body::kinetic_energy).sum();
        println!("a cradle of 5 keeps {:.4} % of its energy", 100.0 * energy / 9.0);
        assert!((energy - 9.0).abs() < 0.09);
    }
}

#[test]
fn perfectly_inelastic_and_half() {
    for (restitution, after) in [(0.0, [1.0, 1.0]), (0.5, [0.5, 1.5])] {
        let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO));
        let mut bodies = vec![ball(0.0, 2.0), ball(1.1, 0.0)];
        for _ in 0..30 {
            let contacts = row(&bodies, restitution);
            solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
        }
        for k in 0..2 {
            assert!((bodies[k].linear_velocity.x - after[k]).abs() < 1e-4, "{}", bodies[k].linear_velocity);
        }
    }
}

/// A box on a slope stays when the slope is a little less steep than the friction allows, and
/// slides when more.
#[test]
fn slides_exactly_when_steeper_than_friction() {
    for friction in [0.2_f32, 0.5, 1.0] {
        for (factor, slides) in [(0.98, false), (1.02, true)] {
            let angle = (friction * factor).atan();
            let mut scene = Scene::new(SolverSettings::default().with_sleep(false));
            scene.friction = friction;
            let tilt = Quat::from_rotation_z(angle);
            scene.fixed(Vec3::new(50.0, 1.0, 50.0), Pose::new(tilt, tilt * Vec3::new(0.0, -1.0, 0.0)));
            scene.dynamic(Vec3::new(0.5, 0.2, 0.5), 3.0, Pose::new(tilt, tilt * Vec3::new(0.0, 0.2, 0.0)));
            scene.run(1.0);
            let before = scene.bodies[1].pose.translation;
            scene.run(2.0);
            let moved = (scene.bodies[1].pose.translation - before).length();
            println!("friction {friction}, tangent {:.3}: {moved:.4} in 2 s", friction * factor);
            if slides {
                // Two seconds after one: s = a (9 - 1) / 2 with a = g (sin - mu cos).
                let expected = 9.81 * (angle.sin() - friction * angle.cos()) * 4.0;
                assert!((moved - expected).abs() < 0.12 * expected + 0.01, "{friction}: {moved} {expected}");
            } else {
                assert!(moved < 0.01, "{friction}: {moved}");
            }
        }
    }
}

#[test]
fn a_bouncing_ball_loses_height_as_it_should() {
    let mut solver = Solver::new(SolverSettings::default().with_sleep(false));
    let mut bodies = vec![Body::fixed(Pose::IDENTITY), ball(0.0, 0.0)];
    bodies[1].pose.translation.y = 2.5;
    let (mut highest, mut bounced) = (0.0_f32, false);
    for _ in 0..100 {
        let y = bodies[1].pose.translation.y;
        let mut manifold = Manifold::new(Vec3::Y);
        manifold.push(Contact::new(Vec3::ZERO, Vec3::new(0.0, y - 0.5, 0.0), Vec3::Y, y - 0.5));
        let contacts = [ContactPair::new(0, 1, manifold, 0.5, 0.8)];
        solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
        bounced |= 1.0 < bodies[1].linear_velocity.y;
        if bounced {
            highest = highest.max(bodies[1].pose.translation.y - 0.5);
        }
    }
    println!("from 2.0, with a restitution of 0.8, back to {highest:.3}; 1.28 are due");
    assert!((highest - 2.0 * 0.64).abs() < 0.1, "{highest}");
}

fn random_pile(settings: SolverSettings, seed: u64, n: usize) -> Scene {
    let mut scene = Scene::new(settings);
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0
    };
    for _ in 0..n {
        let half = Vec3::new(0.3 + 0.2 * random(), 0.3 + 0.2 * random(), 0.3 + 0.2 * random());
        let turn = Quat::from_xyzw(random(), random(), random(), 1.1 + random()).normalize();
        let position = Vec3::new(random(), random(), random()) * 1.5;
        let body = scene.dynamic(half, 1.0 + random() * 0.9, Pose::new(turn, position));
        scene.bodies[body].linear_velocity = Vec3::new(random(), random(), random()) - position;
        scene.bodies[body].angular_velocity = Vec3::new(random(), random(), random());
    }
    scene
}

fn momentum(scene: &Scene) -> (Vec3, Vec3, f32) {
    let (mut linear, mut angular, mut size) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for (body, half) in scene.bodies.iter().zip(&scene.half) {
        let mass = 1.0 / body.inverse_mass;
        let r = body.pose.rotation_matrix();
        let spin = r * box_inertia(*half, mass) * r.transpose() * body.angular_velocity;
        linear += body.linear_velocity * mass;
        angular += body.pose.translation.cross(body.linear_velocity * mass) + spin;
        size += body.linear_velocity.length() * mass;
    }
    (linear, angular, size)
}

#[test]
fn momentum_is_kept() {
    for seed in 1..6 {
        let mut scene =
            random_pile(SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false), seed, 40);
        scene.restitution = 0.3;
        let (before, turn_before, size) = momentum(&scene);
        for _ in 0..120 {
            scene.step();
        }
        let (after, turn_after, _) = momentum(&scene);
        println!(
            "40 boxes that burst apart: momentum off by {:.1e} of the sum of all, angular by {:.1e}",
            (after - before).length() / size,
            (turn_after - turn_before).length() / size
        );
        assert!((after - before).length() <= 1e-5 * size, "{before} {after} of {size}");
        assert!((turn_after - turn_before).length() <= 0.02 * size, "{turn_before} {turn_after} of {size}");
    }
}

/// Energy may only fall, but for what undoing overlaps lifts.
#[test]
fn energy_does_not_grow() {
    for seed in 1..6 {
        for restitution in [0.0, 0.5, 1.0] {
            let settings = SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false);
            let mut scene = random_pile(settings, seed, 30);
            // Nothing overlaps to begin with.
            for body in &mut scene.bodies {
                body.pose.translation *= 3.0;
            }
            scene.restitution = restitution;
            let start: f32 = scene.bodies.iter().map(Body::kinetic_energy).sum();
            let (mut energy, mut rise) = (start, 0.0_f32);
            for _ in 0..240 {
                scene.step();
                let now: f32 = scene.bodies.iter().map(Body::kinetic_energy).sum();
                assert!(now <= energy * 1.001 + 1e-4, "{energy} {now}");
                rise = rise.max(now / energy - 1.0);
                energy = now;
            }
            println!(
                "restitution {restitution}: {:.3} of the energy is left; in no step it grew by more than {:.1e} of it",
                energy / start,
                rise.max(0.0)
            );
        }
    }
}

/// The order in which contacts are given does not count; nor does the instruction set. Nothing
/// presses the two together: what pushed in one substep has no impulse left in the next that could
/// take the speed out.
#[test]
fn undoing_an_overlap_leaves_no_speed() {
    for substeps in [1, 2, 6, 16] {
        let settings = SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false);
        let slop = settings.slop;
        let mut scene = Scene::new(settings.with_substeps(substeps));
        let along = |x: f32| Pose::from_translation(Vec3::X * x);
        let (a, b) = (
            scene.dynamic(Vec3::splat(0.5), 1.0, along(0.0)),
            scene.dynamic(Vec3::splat(0.5), 3.0, along(0.8)),
        );
        let mut fastest = 0.0_f32;
        for _ in 0..120 {
            scene.step();
            let speed = |k: usize| scene.bodies[k].linear_velocity.length();
            fastest = fastest.max(speed(a)).max(speed(b));
        }
        let overlap = 1.0 - scene.bodies[b].pose.translation.x + scene.bodies[a].pose.translation.x;
        println!("{substeps} substeps: 0.2 deep, after 2 s {overlap:.4}; never faster than {fastest:.1e}");
        // One pass over four contacts leaves a little of the speed of the push.
        let most = 0.05 * settings.push_out_speed;
        assert!(
            fastest < most && -2.0 * most < overlap && overlap < 2.0 * slop,
            "{substeps}: {fastest} {overlap}"
        );
    }
}

/// The order in which contacts are handed to the solver.
#[derive(Clone, Copy)]
enum Order {
    Found,
    Reversed,
    Shuffled,
}

#[test]
fn the_same_bits_in_any_order() {
    let run = |order: Order, level: Option<carom_lanes::Level>| {
        let mut random = Random::new(5);
        carom_lanes::force_level(level);
        let mut scene = random_pile(SolverSettings::default(), 3, 60);
        scene.fixed(Vec3::new(20.0, 1.0, 20.0), Pose::from_translation(Vec3::new(0.0, -4.0, 0.0)));
        for _ in 0..90 {
            scene.find_contacts();
            match order {
                Order::Found => {}
                Order::Reversed => scene.contacts.reverse(),
                Order::Shuffled => {
                    for i in (1..scene.contacts.len()).rev() {
                        scene.contacts.swap(i, random.below(i + 1));
                    }
                }
            }
            scene.solver.step(&mut scene.bodies, &scene.contacts, &mut [], DT).unwrap();
        }
        carom_lanes::force_level(None);
        scene.bodies
    };
    let first = run(Order::Found, None);
    assert_eq!(first, run(Order::Reversed, None));
    assert_eq!(first, run(Order::Shuffled, None));
    assert_eq!(first, run(Order::Found, Some(carom_lanes::Level::Generic)));
}

#[test]
fn sleeping_boxes_wake_together() {
    let mut scene = Scene::with_floor(SolverSettings::default());
    for k in 0..5 {
        scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(Vec3::new(0.0, 0.5 + k as f32, 0.0)));
    }
    let alone = scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(Vec3::new(5.0, 0.5, 0.0)));
    scene.run(3.0);
    assert!(scene.bodies.iter().skip(1).all(|b| b.is_sleeping));
    let poses: Vec<Pose> = scene.bodies.iter().map(|b| b.pose).collect();
    scene.run(1.0);
    assert!(scene.bodies.iter().zip(&poses).all(|(b, p)| b.pose == *p));
    scene.sleepers.wake(&mut scene.bodies, 3);
    assert!((1..6).all(|k| !scene.bodies[k].is_sleeping) && scene.bodies[alone].is_sleeping);
    // The impulses were kept: nothing jumps.
    scene.run(0.1);
    assert!((1..6).all(|k| scene.bodies[k].linear_velocity.length() < 0.02));
    scene.run(2.0);
    assert!(scene.bodies[3].is_sleeping);
    let thrown = scene.dynamic(Vec3::splat(0.3), 1.0, Pose::from_translation(Vec3::new(-3.0, 2.0, 0.0)));
    scene.bodies[thrown].linear_velocity = Vec3::new(8.0, 2.0, 0.0);
    scene.run(0.6);
    assert!((1..6).any(|k| poses[k].translation.distance(scene.bodies[k].pose.translation) > 0.01));
    assert!(scene.bodies[alone].is_sleeping);
}

/// Impulses that had faded to subnormal numbers made the place of friction infinite, and the pile
/// stopped.
#[test]
fn r1_impulses_that_fade_away() {
    let mut solver =
        Solver::new(SolverSettings::default().with_gravity(Vec3::new(0.0, -1e-36, 0.0)).with_sleep(false));
    let mut bodies = vec![ball(0.0, 0.0), ball(1.0, 0.0)];
    bodies[0].linear_velocity.x = 1e-39;
    for _ in 0..20 {
        let contacts = row(&bodies, 0.0);
        solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
        assert!(bodies.iter().all(|b| b.linear_velocity.is_finite() && b.linear_velocity != Vec3::ZERO));
    }
}

#[test]
fn a_kinematic_belt_carries() {
    let mut scene = Scene::new(SolverSettings::default());
    scene.fixed(Vec3::new(50.0, 0.5, 2.0), Pose::from_translation(Vec3::new(0.0, -0.5, 0.0)));
    scene.bodies[0] = Body::kinematic(scene.bodies[0].pose, Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO);
    scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(Vec3::new(0.0, 0.5, 0.0)));
    scene.run(2.0);
    assert!((scene.bodies[1].linear_velocity.x - 1.0).abs() < 0.01);
    assert!((scene.bodies[0].pose.translation.x - 2.0).abs() < 1e-3);
    assert!(!scene.bodies[1].is_sleeping);
}

#[test]
fn joints_hold() {
    let settings = SolverSettings::default().with_sleep(false);
    // A chain of ten links, and a weight at its end.
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    for k in 0..10 {
        let position = Vec3::new(0.5 + k as f32, 0.0, 0.0);
        scene.dynamic(
            Vec3::new(0.4, 0.05, 0.05),
            if k == 9 { 5.0 } else { 1.0 },
            Pose::from_translation(position),
        );
    }
    for k in 0..10 {
        let kind = JointKind::Spherical { cone: std::f32::consts::PI, twist: None };
        let joint = Joint::at(kind, &scene.bodies, k, k + 1, Vec3::new(k as f32, 0.0, 0.0), Vec3::X);
        scene.joints.push(joint.unwrap());
    }
    let mut worst = 0.0_f32;
    for _ in 0..300 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        for joint in &scene.joints {
            let (a, b) = (&scene.bodies[joint.body_a as usize], &scene.bodies[joint.body_b as usize]);
            let gap = a.pose.transform_point(joint.frame_a.translation)
                - b.pose.transform_point(joint.frame_b.translation);
            worst = worst.max(gap.length());
        }
    }
    assert!(worst < 0.05, "{worst}");

    // A hinge with a motor turns at its speed, and stops at its limit.
    let spin = |limits| {
        let mut scene = Scene::new(settings.with_gravity(Vec3::ZERO));
        scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
        scene.dynamic(Vec3::new(0.2, 0.5, 0.1), 1.0, Pose::from_translation(Vec3::new(0.0, 0.5, 0.0)));
        let motor = Some(Motor::velocity(2.0).with_max_force(50.0));
        let kind = JointKind::Revolute { limits, motor };
        scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1, Vec3::ZERO, Vec3::Z).unwrap());
        for _ in 0..60 {
            scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        }
        scene.bodies[1]
    };
    let free = spin(None);
    assert!((free.angular_velocity - Vec3::new(0.0, 0.0, 2.0)).length() < 0.01, "{}", free.angular_velocity);
    assert!((free.pose.translation.length() - 0.5).abs() < 0.005);
    let stopped = spin(Some([-0.5, 0.8]));
    assert!(stopped.angular_velocity.length() < 0.05);
    let angle = (stopped.pose.rotation * Vec3::Y).angle_between(Vec3::Y);
    assert!((angle - 0.8).abs() < 0.03, "{angle}");

    // A rod, a weld, and a ball joint that bends no farther than its cone.
    let mut scene = Scene::new(settings);
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    scene.dynamic(Vec3::splat(0.2), 1.0, Pose::from_translation(Vec3::new(2.0, 0.0, 0.0)));
    scene.dynamic(Vec3::splat(0.2), 1.0, Pose::from_translation(Vec3::new(0.5, 0.0, 5.0)));
    scene.dynamic(Vec3::new(0.5, 0.1, 0.1), 1.0, Pose::from_translation(Vec3::new(0.5, 0.0, -5.0)));
    let rod = Joint::distance(&scene.bodies, 0, 1, [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)], [2.0, 2.0]);
    let weld = Joint::at(JointKind::Weld, &scene.bodies, 0, 2, Vec3::new(0.0, 0.0, 5.0), Vec3::X);
    let cone = Joint::at(
        JointKind::Spherical { cone: 0.5, twist: None },
        &scene.bodies,
        0,
        3,
        Vec3::new(0.0, 0.0, -5.0),
        Vec3::X,
    );
    scene.joints.extend([rod, weld, cone].map(Option::unwrap));
    for _ in 0..240 {
        scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        assert!((scene.bodies[1].pose.translation.length() - 2.0).abs() < 0.02);
    }
    assert!((scene.bodies[2].pose.translation - Vec3::new(0.5, 0.0, 5.0)).length() < 0.02);
    let bent = (scene.bodies[3].pose.rotation * Vec3::X).angle_between(Vec3::X);
    assert!((bent - 0.5).abs() < 0.05, "{bent}");
}

#[test]
fn a_spinning_body_keeps_its_energy_and_momentum() {
    // The middle axis: it tumbles.
    let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let mut body = Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, inertia);
    body.angular_velocity = Vec3::new(0.01, 5.0, 0.01);
    let mut bodies = vec![body];
    let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false));
    let momentum = |body: &Body| {
        body.pose.transform_vector(inertia * body.pose.inverse_transform_vector(body.angular_velocity))
    };
    let (energy, before) = (bodies[0].kinetic_energy(), momentum(&bodies[0]));
    let (mut flips, mut was_up, mut worst) = (0, true, [0.0_f32; 2]);
    for _ in 0..600 {
        solver.step(&mut bodies, &[], &mut [], DT).unwrap();
        worst[0] = worst[0].max((bodies[0].kinetic_energy() / energy - 1.0).abs());
        worst[1] = worst[1].max((momentum(&bodies[0]) - before).length() / before.length());
        let y = bodies[0].pose.inverse_transform_vector(bodies[0].angular_velocity).y;
        flips += u32::from(1.0 < y.abs() && (0.0 < y) != was_up);
        was_up = if 1.0 < y.abs() { 0.0 < y } else { was_up };
    }
    println!("{flips} flips in 10 s; energy off by {:.1e}, momentum by {:.1e} at most", worst[0], worst[1]);
    assert!(2 <= flips);
    assert!(worst[0] < 1e-3 && worst[1] < 0.05);
}

/// A ball joint at the centre of mass pushes nothing, but the body turns with its joint in each
/// substep.
#[test]
fn a_body_on_a_ball_joint_at_its_centre_turns_like_a_free_one() {
    for spin in [Vec3::new(0.01, 5.0, 0.01), Vec3::new(1.0, 0.5, 20.0), Vec3::new(-60.0, 0.1, 30.0)] {
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.9));
        let mut body = Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, inertia);
        body.angular_velocity = spin;
        let mut bodies = vec![Body::fixed(Pose::IDENTITY), body];
        let ball = JointKind::Spherical { cone: f32::INFINITY, twist: None };
        let mut joints = vec![Joint::at(ball, &bodies, 0, 1, Vec3::ZERO, Vec3::X).unwrap()];
        let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false));
        let momentum = |body: &Body| {
            body.pose.transform_vector(inertia * body.pose.inverse_transform_vector(body.angular_velocity))
        };
        let (energy, before) = (bodies[1].kinetic_energy(), momentum(&bodies[1]));
        let (mut gained, mut lost, mut off) = (0.0_f32, 0.0_f32, 0.0_f32);
        for _ in 0..600 {
            solver.step(&mut bodies, &[], &mut joints, DT).unwrap();
            let ratio = bodies[1].kinetic_energy() / energy;
            (gained, lost) = (gained.max(ratio - 1.0), lost.max(1.0 - ratio));
            off = off.max((momentum(&bodies[1]) - before).length() / before.length());
        }
        println!("spin {spin}: energy gained {gained:.1e}, lost {lost:.1e}; momentum off by {off:.1e}");
        assert!(gained < 1e-4, "gained {gained}");
        assert!(lost < 0.02 && off < 0.01, "lost {lost}, off by {off}");
    }
}

/// A wheel on the end of a horizontal axle that is held at the other end: it does not fall, it goes
/// round with W = m g l / (I w) (H. Goldstein, Classical Mechanics, 1980, 5-7). How far and how
/// deep it has come after 5 s.
fn precession(substeps: u32) -> (f32, f32, f32) {
    let (mass, lever, spin, axial, across) = (2.0_f32, 0.5_f32, 60.0_f32, 0.5_f32, 0.3_f32);
    let gravity = 10.0;
    let inertia = Mat3::from_diagonal(Vec3::new(axial, across, across));
    let settings = SolverSettings::default().with_gravity(Vec3::new(0.0, -gravity, 0.0)).with_sleep(false);
    let expected = mass * gravity * lever / (axial * spin);
    let mut solver = Solver::new(settings.with_substeps(substeps));
    let mut wheel = Body::dynamic(Pose::from_translation(Vec3::X * lever), mass, Vec3::ZERO, inertia);
    wheel.angular_velocity = Vec3::new(spin, expected, 0.0);
    wheel.linear_velocity = (Vec3::Y * expected).cross(Vec3::X * lever);
    let mut bodies = vec![Body::fixed(Pose::IDENTITY), wheel];
    let ball = JointKind::Spherical { cone: f32::INFINITY, twist: None };
    let mut joints = vec![Joint::at(ball, &bodies, 0, 1, Vec3::ZERO, Vec3::X).unwrap()];
    let (mut angle, mut axle, mut lowest) = (0.0, Vec3::X, 0.0_f32);
    let seconds = 5.0;
    for _ in 0..(seconds / DT).round() as usize {
        solver.step(&mut bodies, &[], &mut joints, DT).unwrap();
        let now = bodies[1].pose.translation.normalize();
        angle += f32::atan2(axle.cross(now).y, axle.dot(now));
        (axle, lowest) = (now, lowest.min(now.y));
    }
    (angle / seconds, expected, lowest)
}

#[test]
fn a_spinning_top_precesses() {
    // A quarter of a radian of spin in a substep of four.
    for (substeps, sinks) in [(4, 0.006), (8, 0.002), (16, 0.001)] {
        let (found, expected, lowest) = precession(substeps);
        println!(
            "{substeps} substeps: goes round at {found:.4} rad/s, should at {expected:.4}; sinks to {lowest:.4} of the axle"
        );
        assert!((found - expected).abs() < 0.01 * expected);
        assert!(-sinks < lowest);
    }
}

/// Determinants of tensors this small or large are no `f32`.
#[test]
fn a_grain_and_an_asteroid_turn() {
    let tensor = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.5));
    let spin = Vec3::new(0.5, 3.0, 0.25);
    let step = |scale: f32| {
        let mut body = Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, tensor * scale);
        body.angular_velocity = spin;
        let mut bodies = [body];
        let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO));
        solver.step(&mut bodies, &[], &mut [], DT).unwrap();
        (bodies[0].inverse_inertia * scale, bodies[0].angular_velocity, bodies[0].kinetic_energy() / scale)
    };
    let truth = step(1.0);
    assert!(truth.0.x_axis.x == 1.0 && truth.1 != spin, "the gyroscopic torque counts");
    for power in [-60, -45, 45, 60] {
        assert_eq!(step(2_f32.powi(power)), truth, "2^{power}");
    }
}

#[test]
fn wrong_input_is_refused_and_changes_nothing() {
    let mut solver = Solver::new(SolverSettings::default());
    let mut bodies = vec![ball(0.0, 0.0), ball(0.9, 0.0)];
    let before = bodies.clone();
    let good = row(&bodies, 0.0);
    assert_eq!(solver.step(&mut bodies, &good, &mut [], f32::NAN), Err(SolverError::BadStep));
    assert_eq!(solver.step(&mut bodies, &good, &mut [], -1.0), Err(SolverError::BadStep));
    let mut contact = good[0];
    contact.body_b = 7;
    assert_eq!(solver.step(&mut bodies, &[contact], &mut [], DT), Err(SolverError::ContactBody(0)));
    contact.body_b = 0;
    assert_eq!(solver.step(&mut bodies, &[good[0], contact], &mut [], DT), Err(SolverError::ContactBody(1)));
    assert_eq!(bodies, before);
    bodies[1].linear_velocity.x = f32::INFINITY;
    assert_eq!(solver.step(&mut bodies, &good, &mut [], DT), Err(SolverError::BodyNotFinite(1)));
    assert_eq!(solver.step(&mut [], &[], &mut [], DT).map(|s| s.n_awake), Ok(0));
}

proptest! {
    #[test]
    fn reflections(v in [-10.0f32..10.0, -10.0..10.0, -10.0..10.0], k in 0.0f32..=1.0, friction in 0.0f32..2.0) {
        let v = Vec3::from(v);
        let after = bounce::reflect(v, Vec3::Y, k, friction);
        prop_assert!(after.length() <= v.length() * 1.00001);
        if v.y < 0.0 {
            prop_assert!((after.y + k * v.y).abs() < 1e-5);
        } else {
            prop_assert_eq!(after, v);
        }
    }

    #[test]
    fn collision_impulses_take_energy_and_keep_momentum(
        v in [-5.0f32..5.0, -5.0..5.0, -5.0..5.0], w in [-5.0f32..5.0, -5.0..5.0, -5.0..5.0],
        at in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0], k in 0.0f32..=1.0, friction in 0.0f32..1.0, mass in 0.1f32..10.0,
    ) {
        let inertia = box_inertia(Vec3::new(0.5, 0.3, 0.7), mass);
        let mut a = Body::dynamic(Pose::IDENTITY, mass, Vec3::ZERO, inertia);
        let mut b = Body::dynamic(Pose::from_translation(Vec3::new(0.0, 1.0, 0.0)), 1.0, Vec3::ZERO, Mat3::IDENTITY);
        a.angular_velocity = w.into();
        b.linear_velocity = v.into();
        let (point, normal) = (Vec3::from(at), Vec3::Y);
        let impulse = bounce::collision_impulse(&a, &b, point, normal, k, friction);
        let speed = |a: &Body, b: &Body| (b.velocity_at(point) - a.velocity_at(point)).dot(normal);
        let (before, energy) = (speed(&a, &b), a.kinetic_energy() + b.kinetic_energy());
        a.apply_impulse(-impulse, point);
        b.apply_impulse(impulse, point);
        if before < 0.0 {
            prop_assert!((speed(&a, &b) + k * before).abs() < 1e-3 * (1.0 + before.abs()));
            prop_assert!(0.0 <= impulse.dot(normal));
            let across = impulse - normal * impulse.dot(normal);
            prop_assert!(across.length() <= friction * impulse.dot(normal) * 1.001 + 1e-5);
        } else {
            prop_assert_eq!(impulse, Vec3::ZERO);
        }
        if k == 0.0 || friction == 0.0 {
            prop_assert!(a.kinetic_energy() + b.kinetic_energy() <= energy * 1.001 + 1e-4);
        }
    }

    /// Nothing that is finite makes it panic or give a number that is not.
    #[test]
    fn any_numbers(
        velocities in proptest::collection::vec([-1e30f32..1e30, -1e10..1e10, -1.0..1.0], 3),
        masses in proptest::collection::vec(prop_oneof![Just(0.0f32), Just(1e-30), Just(1e30), 0.1f32..10.0], 3),
        distance in -1e6f32..1e6, normal in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0],
    ) {
        let mut bodies: Vec<Body> = velocities.iter().zip(&masses).map(|(v, &mass)| {
            let mut body = Body::dynamic(Pose::IDENTITY, mass, Vec3::ZERO, Mat3::IDENTITY * mass);
            body.linear_velocity = Vec3::from(*v);
            body.angular_velocity = Vec3::from(*v) * 1e-8;
            body
        }).collect();
        let mut manifold = Manifold::new(Vec3::from(normal).normalize_or(Vec3::X));
        for k in 0..3 {
            let point = Vec3::from(velocities[k]);
            manifold.push(Contact::new(point, point, manifold.normal(), distance).with_features(FeatureId::vertex(k as u32), FeatureId::face(0)));
        }
        let contacts = [ContactPair::new(0, 1, manifold, 0.5, 1.0), ContactPair::new(1, 2, manifold, 0.5, 0.0)];
        let mut solver = Solver::new(SolverSettings::default());
        for _ in 0..3 {
            solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
            for body in &bodies {
                prop_assert!(body.pose.is_finite() && body.linear_velocity.is_finite() && body.angular_velocity.is_finite());
            }
            prop_assert!(solver.contact_impulses().iter().all(has_finite_impulses));
        }
    }
}

fn has_finite_impulses(reported: &ContactImpulse) -> bool {
    reported.normal.iter().all(|impulse| impulse.is_finite())
        && reported.friction.is_finite()
        && reported.twist.is_finite()
}

/// Impulses that overflow are reported as zero: friction was NaN.
#[test]
fn reported_impulses_are_finite() {
    let mut n_pushing = 0;
    for (size, speed) in (0..=30).flat_map(|size| (0..=38).map(move |speed| (size, speed))) {
        let (mass, speed) = (10.0f32.powi(size), 10.0f32.powi(speed));
        let mut bodies = [Vec3::NEG_X, Vec3::X].map(|side| {
            let pose = Pose::from_translation(side * 0.5);
            let mut body = Body::dynamic(pose, mass, Vec3::ZERO, Mat3::IDENTITY * mass);
            body.linear_velocity = -side * speed + Vec3::new(0.0, 0.7, 0.4) * side.x * speed;
            body
        });
        let mut manifold = Manifold::new(Vec3::X);
        for (k, side) in [Vec3::Y, Vec3::Z, -Vec3::Y].into_iter().enumerate() {
            let contact = Contact::new(side * 0.3, side * 0.3, Vec3::X, 0.0);
            manifold.push(contact.with_features(FeatureId::vertex(k as u32), FeatureId::face(0)));
        }
        let contacts = [ContactPair::new(0, 1, manifold, 0.5, 0.0)];
        let mut solver = Solver::new(SolverSettings::default());
        for step in 0..2 {
            solver.step(&mut bodies, &contacts, &mut [], DT).unwrap();
            let impulses = solver.contact_impulses();
            assert!(
                impulses.iter().all(has_finite_impulses),
                "{mass:e} kg, {speed:e} m/s, step {step}: {impulses:?}"
            );
            n_pushing += impulses.iter().filter(|impulse| 0.0 < impulse.total_normal()).count();
        }
    }
    assert!(500 < n_pushing, "{n_pushing}");
}

/// A body that spins about a principal axis keeps its angular speed.
#[test]
fn a_spin_about_an_axis_stays_as_it_is() {
    let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
    let mut body = Body::dynamic(
        Pose::new(turn, Vec3::ZERO),
        1.0,
        Vec3::ZERO,
        Mat3::from_diagonal(Vec3::new(0.481_432_56, 0.481_432_5, 0.943_107_96)),
    );
    body.angular_velocity = turn * Vec3::Z;
    let mut bodies = vec![body];
    let mut solver = Solver::new(SolverSettings::default().with_gravity(Vec3::ZERO).with_sleep(false));
    for _ in 0..3600 {
        solver.step(&mut bodies, &[], &mut [], DT).unwrap();
    }
    let off = bodies[0].angular_velocity.length() - 1.0;
    println!("after 14,400 substeps the spin of 1 rad/s is off by {off:.1e}");
    // Rounding changes it by 6e-8 a substep: 7e-6 in all with random signs, 9e-4 with equal ones.
    assert!(off.abs() < 2e-5);
}

/// A weak motor on a heavy wheel takes seconds to turn it visibly. The wheel fell asleep before
/// that, and in a row of many wheels the damping of slow bodies nearly stopped it.
#[test]
fn a_body_on_a_motor_is_never_at_rest() {
    for n in [1, 12] {
        let mut scene = Scene::new(SolverSettings::default().with_gravity(Vec3::ZERO));
        scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
        let wanted = 0.05;
        for k in 0..n {
            let at = Vec3::X * 3.0 * k as f32;
            scene.dynamic(Vec3::ONE, 1.0, Pose::from_translation(at));
            let inertia = 1.0 / scene.bodies[1].inverse_inertia.x_axis.x;
            let max_torque = wanted * inertia * n as f32;
            let motor = (k == 0).then_some(Motor::velocity(1.0).with_max_force(max_torque));
            let kind = JointKind::Revolute { limits: None, motor };
            scene.joints.push(Joint::at(kind, &scene.bodies, 0, 1 + k, at, Vec3::X).unwrap());
            if 0 < k {
                // On one axle. All have the same inertia, so each turns as one alone would.
                let weld = Joint::at(JointKind::Weld, &scene.bodies, k, 1 + k, at - Vec3::X * 1.5, Vec3::X);
                scene.joints.push(weld.unwrap());
            }
        }
        for _ in 0..240 {
            scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        }
        for body in &scene.bodies[1..] {
            let speed = body.angular_velocity.x;
            assert!((speed - 4.0 * wanted).abs() < 0.05 * wanted, "{n}: {speed}");
        }
    }
}
