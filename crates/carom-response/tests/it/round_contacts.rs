//! Contacts on round surfaces.

use crate::scene::{DT, Scene};
use carom_geom::{Contact, Manifold};
use carom_math::{Mat3, Pose, Vec3};
use carom_response::{Body, ContactPair, Contacts, RoundContact, Solver, SolverError, SolverSettings};

const RADIUS: f32 = 0.5;

/// A wheel of 1 kg on the plane y = 0. Its axis is z, and it is thin.
fn wheel(spin: f32, speed: f32) -> Body {
    let about = 0.5 * RADIUS * RADIUS;
    let inertia = Mat3::from_diagonal(Vec3::new(0.5 * about, 0.5 * about, about));
    let at = Pose::from_translation(Vec3::Y * RADIUS);
    let mut wheel = Body::dynamic(at, 1.0, Vec3::ZERO, inertia);
    (wheel.linear_velocity, wheel.angular_velocity) = (Vec3::X * speed, Vec3::NEG_Z * spin);
    wheel
}

/// The contact of the floor, body 0, and the wheel, body 1, at its lowest point.
fn contact(wheel: &Body, restitution: f32) -> ContactPair {
    let lowest = wheel.pose.translation - Vec3::Y * RADIUS;
    let mut manifold = Manifold::new(Vec3::Y);
    manifold.push(Contact::new(Vec3::new(lowest.x, 0.0, lowest.z), lowest, Vec3::Y, lowest.y));
    ContactPair::new(0, 1, manifold, 0.5, restitution)
}

fn round(axis: Vec3) -> RoundContact {
    let mut round = RoundContact::new(0);
    round.axis[1] = axis;
    round.radius[1][0] = RADIUS;
    round
}

/// The height of the wheel at the end of each step.
fn heights(round: Option<RoundContact>, spin: f32) -> Vec<f32> {
    let mut solver = Solver::new(SolverSettings::default());
    let mut bodies = [Body::fixed(Pose::IDENTITY), wheel(spin, RADIUS * spin)];
    (0..120)
        .map(|_| {
            let pairs = [contact(&bodies[1], 0.0)];
            solver.round_contacts_mut().extend(round);
            solver.step(&mut bodies, &pairs, &mut [], DT).unwrap();
            assert!(solver.round_contacts_mut().is_empty());
            assert!((bodies[1].linear_velocity.x - RADIUS * spin).abs() < 0.02 * RADIUS * spin);
            bodies[1].pose.translation.y
        })
        .collect()
}

/// A wheel with its axis, and a ball without one. Without round contacts the wheel sinks, because
/// its contact point turns with it and rises.
#[test]
fn a_wheel_stays_as_high_as_its_centre() {
    for spin in [1.0, 6.0, 24.0, 100.0] {
        for axis in [Vec3::Z, Vec3::ZERO] {
            let heights = heights(Some(round(axis)), spin);
            let lowest = heights.iter().copied().fold(RADIUS, f32::min);
            assert!(RADIUS - lowest < 1e-5, "{spin} about {axis}: {lowest}");
        }
    }
    let lowest = heights(None, 24.0).into_iter().fold(RADIUS, f32::min);
    assert!(5e-3 < RADIUS - lowest, "{lowest}");
}

/// The rim of a disc is where its plane is steepest: the gap of a disc that tips over its rim is
/// that of its lowest point. An anchor fixed to the disc gives the same gap for a small angle.
#[test]
fn a_disc_tips_over_its_rim() {
    let tipping = |is_round: bool| {
        let mut solver = Solver::new(SolverSettings::default());
        let mut disc = wheel(0.0, 0.0);
        disc.angular_velocity = Vec3::X;
        let mut bodies = [Body::fixed(Pose::IDENTITY), disc];
        let pairs = [contact(&bodies[1], 0.0)];
        if is_round {
            solver.round_contacts_mut().push(round(Vec3::Z));
        }
        solver.step(&mut bodies, &pairs, &mut [], DT).unwrap();
        bodies[1].pose.translation
    };
    assert!((tipping(true) - tipping(false)).length() < 1e-6);
}

/// A spinning body without friction bounces as one that does not spin.
#[test]
fn spin_does_not_change_a_bounce() {
    let after = |spin: f32| {
        let mut solver = Solver::new(SolverSettings::default());
        let mut bodies = [Body::fixed(Pose::IDENTITY), wheel(spin, 0.0)];
        bodies[1].pose.translation.y += 0.03;
        bodies[1].linear_velocity = Vec3::NEG_Y * 3.0;
        let mut pair = contact(&bodies[1], 0.8);
        pair.friction = 0.0;
        solver.round_contacts_mut().push(round(Vec3::Z));
        solver.step(&mut bodies, &[pair], &mut [], DT).unwrap();
        (bodies[1].linear_velocity.y, bodies[1].pose.translation.y)
    };
    let (speed, height) = after(0.0);
    assert!((speed - 2.4).abs() < 0.1, "{speed}");
    for spin in [10.0, 40.0, 110.0] {
        let (other, at) = after(spin);
        assert!((other - speed).abs() < 1e-4 && (at - height).abs() < 1e-5, "{spin}: {other} {at}");
    }
}

#[test]
fn a_bad_list_is_refused_and_emptied() {
    let good = round(Vec3::Z);
    let with = |change: fn(&mut RoundContact)| {
        let mut bad = good;
        change(&mut bad);
        vec![bad]
    };
    let lists = [
        with(|bad| bad.contact = 1),
        vec![good, good],
        with(|bad| bad.axis[0].y = f32::NAN),
        with(|bad| bad.axis[1] = Vec3::ONE),
        with(|bad| bad.radius[0][3] = f32::INFINITY),
        with(|bad| bad.radius[1][0] = -1.0),
        with(|bad| bad.radius[1][2] = f32::NAN),
    ];
    for (number, list) in lists.into_iter().enumerate() {
        let mut scene = Scene::with_floor(SolverSettings::default());
        scene.dynamic(Vec3::splat(0.5), 3.0, Pose::from_translation(Vec3::Y * 0.5));
        scene.find_contacts();
        assert_eq!(Contacts::Pairs(&scene.contacts).len(), 1);
        let (index, before) = (usize::from(number == 1), scene.bodies.clone());
        *scene.solver.round_contacts_mut() = list;
        let found = scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT);
        assert_eq!(found, Err(SolverError::RoundContact(index)), "{number}");
        assert_eq!(before, scene.bodies);
        assert!(scene.solver.round_contacts_mut().is_empty());
    }
}
