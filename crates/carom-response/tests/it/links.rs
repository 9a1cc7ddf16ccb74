//! Contacts whose manifolds stand elsewhere are the same contacts.

use crate::scene::{DT, Scene};
use carom_geom::Manifold;
use carom_math::{Pose, Vec3};
use carom_response::{
    ContactLink, ContactPair, Contacts, Joint, JointKind, SixDof, SolverError, SolverSettings,
};

fn scene() -> Scene {
    let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
    scene.restitution = 0.3;
    for k in 0..40 {
        let position = Vec3::new((k % 4) as f32 * 1.02, 0.6 + (k / 4) as f32 * 1.1, (k % 3) as f32 * 0.1);
        scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(position));
    }
    scene
}

/// The manifolds in two lists, of which the first has every third one, backwards; and what none of
/// the contacts is of.
fn apart(contacts: &[ContactPair]) -> (Vec<ContactLink>, [Vec<Manifold>; 2]) {
    let is_first = |k: &usize| k.is_multiple_of(3);
    let first: Vec<usize> = (0..contacts.len()).filter(is_first).rev().collect();
    let second: Vec<usize> = (0..contacts.len()).filter(|k| !is_first(k)).collect();
    let mut links = vec![ContactLink::new(0, 0, 0, 0.0, 0.0); contacts.len()];
    for (number, &k) in first.iter().chain(&second).enumerate() {
        let ContactPair { body_a, body_b, friction, restitution, .. } = contacts[k];
        links[k] = ContactLink::new(body_a, body_b, number as u32, friction, restitution);
    }
    (links, [first, second].map(|list| list.iter().map(|&k| contacts[k].manifold).collect()))
}

#[test]
fn links_are_as_pairs() {
    let (mut pairs, mut linked) = (scene(), scene());
    let active: Vec<u32> = (1..linked.bodies.len() as u32).collect();
    for step in 0..120 {
        pairs.step();
        linked.find_contacts();
        let (links, [first, second]) = apart(&linked.contacts);
        let contacts = Contacts::Links(&links, [&first, &second]);
        assert!(contacts.len() == links.len() && contacts.is_empty() == links.is_empty());
        linked.solver.step_awake(&mut linked.bodies, &active, &contacts, (&mut [], &[]), DT, None).unwrap();
        assert_eq!(pairs.bodies, linked.bodies, "step {step}");
        assert_eq!(pairs.solver.contact_impulses(), linked.solver.contact_impulses());
    }
    assert!(60 < pairs.contacts.len());
}

#[test]
fn a_link_to_no_manifold_is_refused() {
    let mut scene = scene();
    scene.run(0.5);
    scene.find_contacts();
    let active: Vec<u32> = (1..scene.bodies.len() as u32).collect();
    let (mut links, [first, second]) = apart(&scene.contacts);
    let n = first.len() + second.len();
    links[7].manifold = n as u32;
    let before = scene.bodies.clone();
    let mut step = |links: &[ContactLink]| {
        let contacts = Contacts::Links(links, [&first, &second]);
        scene.solver.step_awake(&mut scene.bodies, &active, &contacts, (&mut [], &[]), DT, None)
    };
    let error = step(&links).unwrap_err();
    assert_eq!(error, SolverError::ContactManifold(7));
    assert!(error.to_string().contains("contact 7"), "{error}");
    links[7].manifold = n as u32 - 1;
    assert!(step(&links).is_ok());
    assert_ne!(scene.bodies, before);
}

#[test]
fn joints_that_do_not_move_are_not_read() {
    let joined = || {
        let mut scene = Scene::with_floor(SolverSettings::default().with_sleep(false));
        for x in [0.0, 1.2, 50.0, 51.2] {
            scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(Vec3::new(x, 3.0, 0.0)));
        }
        let kind = JointKind::Spherical { cone: 1.0, twist: None };
        let at = |a: u32, x: f32| Joint::at(kind, &scene.bodies, a, a + 1, Vec3::new(x, 3.0, 0.0), Vec3::X);
        let joints = [at(1, 0.6), at(3, 50.6)].map(Option::unwrap);
        for body in &mut scene.bodies[3..] {
            body.is_sleeping = true;
        }
        (scene, joints)
    };
    let ((mut all, mut joints), (mut some, mut own)) = (joined(), joined());
    let none = Contacts::Pairs(&[]);
    // Not a number, but of a joint that is not read.
    own[1].frame_a.translation.x = f32::NAN;
    for step in 0..30 {
        all.solver.step(&mut all.bodies, &[], &mut joints, DT).unwrap();
        some.solver.step_awake(&mut some.bodies, &[1, 2], &none, (&mut own, &[0]), DT, None).unwrap();
        assert_eq!(all.bodies, some.bodies, "step {step}");
        assert_eq!(joints[0], own[0]);
    }
    let mut step = |moving: &[u32]| {
        some.solver.step_awake(&mut some.bodies, &[1, 2], &none, (&mut own, moving), DT, None).unwrap_err()
    };
    assert_eq!(step(&[0, 1]), SolverError::JointNotFinite(1));
    assert_eq!(step(&[0, 2]), SolverError::MovingJoint(1));
    assert_eq!(step(&[0, 0]), SolverError::MovingJoint(1));
    assert!(step(&[7]).to_string().contains("entry 0"));
}

/// Impulses of limits, motors and springs that a joint does not have any more push nothing.
#[test]
fn r_impulses_of_removed_rows_are_dropped() {
    let free_axes = JointKind::SixDof(SixDof::FREE);
    let kinds = [JointKind::FREE_SPHERICAL, JointKind::FREE_REVOLUTE, JointKind::FREE_PRISMATIC, free_axes];
    for kind in kinds {
        let mut scene = Scene::new(SolverSettings::default().with_gravity(Vec3::ZERO));
        for x in [0.0, 1.2] {
            scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(Vec3::X * x));
        }
        let joint = Joint::at(kind, &scene.bodies, 0, 1, Vec3::X * 0.6, Vec3::X).unwrap();
        scene.joints.push(joint);
        let old = &mut scene.joints[0].impulse;
        (old.lower, old.upper, old.spring, old.substep) = (2.0, 3.0, 5.0, DT / 6.0);
        old.motors = [7.0; 6];
        old.limits = [[11.0, 0.0]; 6];
        let before = scene.bodies.clone();
        for _ in 0..5 {
            scene.solver.step(&mut scene.bodies, &[], &mut scene.joints, DT).unwrap();
        }
        for (old, new) in before.iter().zip(&scene.bodies) {
            let moved = (new.pose.translation - old.pose.translation).length();
            let [speed, spin] = [new.linear_velocity, new.angular_velocity].map(Vec3::length);
            assert!(moved < 1e-4 && speed < 1e-4 && spin < 1e-4, "{kind:?}: {moved} {speed} {spin}");
        }
        assert!(scene.joints[0].load.torque().length() < 1e-2, "{kind:?}");
    }
}

/// Contacts in which nothing moves, and empty ones, between those in which something does: of two
/// sleepers, of a sleeper and the floor.
#[test]
fn contacts_without_moving_bodies_change_nothing() {
    for restitution in [0.0, 0.3] {
        let (mut plain, mut mixed) = (scene(), scene());
        let mut n_idle = 0;
        for scene in [&mut plain, &mut mixed] {
            scene.restitution = restitution;
            for k in 0..3 {
                let position = Vec3::new(50.0, 0.499 + 0.998 * k as f32, 0.0);
                let sleeper = scene.dynamic(Vec3::splat(0.5), 1.0, Pose::from_translation(position));
                scene.bodies[sleeper].is_sleeping = true;
            }
        }
        for step in 0..120 {
            plain.step();
            // All pairs: as if the sleepers were awake.
            let sleepers = 41..44;
            sleepers.clone().for_each(|k| mixed.bodies[k].is_sleeping = false);
            mixed.find_contacts();
            sleepers.for_each(|k| mixed.bodies[k].is_sleeping = true);
            n_idle += mixed.contacts.len() - plain.contacts.len();
            let (a, b) = (mixed.contacts[0].body_a, mixed.contacts[0].body_b);
            let empty = ContactPair::new(a, b, Manifold::new(Vec3::Y), 0.6, restitution);
            mixed.contacts.insert(1, empty);
            let stats = mixed.solver.step(&mut mixed.bodies, &mixed.contacts, &mut mixed.joints, DT).unwrap();
            mixed.sleepers.fall_asleep(&mut mixed.bodies, &mixed.solver);
            assert_eq!(stats.n_manifolds, plain.contacts.len());
            assert_eq!(plain.bodies, mixed.bodies, "step {step}");
            let impulses = mixed.solver.contact_impulses();
            let reported: Vec<_> = (mixed.contacts.iter().zip(impulses))
                .filter(|(contact, _)| contact.body_b < 41 && !contact.manifold.is_empty())
                .map(|(_, impulse)| *impulse)
                .collect();
            assert_eq!(plain.solver.contact_impulses(), reported);
        }
        assert_eq!(n_idle, 3 * 120);
    }
}
