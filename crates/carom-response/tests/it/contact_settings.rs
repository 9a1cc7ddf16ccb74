//! Numbers of contacts and of their settings that a step refuses: the error has the name and the
//! value, and nothing is changed.

use crate::scene::{DT, Scene};
use carom_geom::{Contact, Manifold};
use carom_math::{Pose, Vec3};
use carom_response::{ContactPair, ContactSettings, MIN_MASS_SCALE, SolverError, SolverSettings};

/// Two boxes side by side on the floor: two contacts.
fn scene() -> Scene {
    let mut scene = Scene::with_floor(SolverSettings::default());
    for x in [-2.0, 2.0] {
        scene.dynamic(Vec3::splat(0.5), 3.0, Pose::from_translation(Vec3::new(x, 0.499, 0.0)));
    }
    scene.find_contacts();
    assert_eq!(scene.contacts.len(), 2);
    scene
}

/// Steps the scene with these settings, and with nothing after that. Nothing is kept of a step that
/// was refused: the bodies and the step after it are as if it had not been tried.
fn refused(mut scene: Scene, list: Vec<ContactSettings>) -> SolverError {
    let bodies = scene.bodies.clone();
    *scene.solver.contact_settings_mut() = list;
    let found = scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT);
    assert_eq!(scene.bodies, bodies);
    assert!(scene.solver.contact_settings_mut().is_empty());
    let mut other = self::scene();
    for scene in [&mut scene, &mut other] {
        scene.find_contacts();
        scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT).unwrap();
    }
    assert_eq!(scene.bodies, other.bodies);
    found.unwrap_err()
}

/// Every number of the settings, with values out of its range.
#[test]
fn a_setting_out_of_its_range_is_named_with_its_value() {
    let not_amounts = [f32::NAN, f32::INFINITY, -1e-30, -1.0, f32::NEG_INFINITY];
    let not_bounds = [f32::NAN, -1e-30, -1.0, f32::NEG_INFINITY];
    let below = MIN_MASS_SCALE * 0.999;
    let not_scales = [f32::NAN, 0.0, -0.0, below, -1.0, f32::MIN_POSITIVE, f32::NEG_INFINITY];
    type Set = fn(&mut ContactSettings, f32);
    let cases: [(&str, Set, &[f32]); 8] = [
        ("max_impulse", |settings, x| settings.max_impulse[0] = x, &not_bounds),
        ("max_impulse", |settings, x| settings.max_impulse[3] = x, &not_bounds),
        ("stiffness", |settings, x| settings.stiffness = x, &not_amounts),
        ("damping", |settings, x| settings.damping = x, &not_amounts),
        ("rolling_friction", |settings, x| settings.rolling_friction = x, &not_amounts),
        ("spinning_friction", |settings, x| settings.spinning_friction = x, &not_amounts),
        ("mass_scales", |settings, x| settings.mass_scales[0] = x, &not_scales),
        ("mass_scales", |settings, x| settings.mass_scales[1] = x, &not_scales),
    ];
    for (name, set, values) in cases {
        for &x in values {
            let mut bad = ContactSettings::new(1);
            set(&mut bad, x);
            assert!(!bad.is_sound(), "{name} {x}");
            let error = refused(scene(), vec![ContactSettings::new(0), bad]);
            let SolverError::ContactSettings { index, what, value } = error else { panic!("{error}") };
            assert_eq!((index, what, value.to_bits()), (1, name, x.to_bits()));
            let text = error.to_string();
            assert_eq!(text, format!("the {name} of contact settings 1 is {x}"));
        }
    }
}

#[test]
fn settings_of_no_contact_or_out_of_order_are_named() {
    let of = |contacts: &[u32]| contacts.iter().map(|contact| ContactSettings::new(*contact)).collect();
    let cases: [(&[u32], usize, f32); 5] = [
        (&[2], 0, 2.0),
        (&[0, 7], 1, 7.0),
        (&[1, 0], 1, 0.0),
        (&[1, 1], 1, 1.0),
        (&[u32::MAX], 0, 4294967296.0),
    ];
    for (contacts, index, value) in cases {
        let error = refused(scene(), of(contacts));
        assert_eq!(error, SolverError::ContactSettings { index, what: "contact", value });
        let text = format!("contact settings {index} are out of order, or contact {value} does not exist");
        assert_eq!(error.to_string(), text);
    }
}

/// Friction, restitution, and the numbers of the manifold.
#[test]
fn a_number_of_a_contact_that_is_refused_is_named_with_its_value() {
    type Set = fn(&mut ContactPair, f32);
    let amounts: [(&str, Set); 2] =
        [("friction", |pair, x| pair.friction = x), ("restitution", |pair, x| pair.restitution = x)];
    for (name, set) in amounts {
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e-30, -1.0] {
            let mut scene = scene();
            set(&mut scene.contacts[1], x);
            let error = refused(scene, Vec::new());
            let SolverError::ContactNumber { contact, what, value } = error else { panic!("{error}") };
            assert_eq!((contact, what, value.to_bits()), (1, name, x.to_bits()));
            assert_eq!(error.to_string(), format!("the {name} of contact 1 is {x}"));
        }
    }
    let with = |normal: Vec3, point_a: Vec3, point_b: Vec3, distance: f32| {
        let mut manifold = Manifold::new(normal);
        manifold.push(Contact::new(point_a, point_b, normal, distance));
        manifold
    };
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let (up, bad) = (Vec3::Y, Vec3::new(0.0, 0.0, x));
        let cases = [
            ("normal", with(bad, Vec3::ZERO, Vec3::ZERO, 0.0)),
            ("point_a", with(up, bad, Vec3::ZERO, 0.0)),
            ("point_b", with(up, Vec3::ZERO, bad, 0.0)),
            ("distance", with(up, Vec3::ZERO, Vec3::ZERO, x)),
        ];
        for (name, manifold) in cases {
            let mut scene = scene();
            scene.contacts[0].manifold = manifold;
            let error = refused(scene, Vec::new());
            let SolverError::ContactNumber { contact, what, value } = error else { panic!("{error}") };
            assert_eq!((contact, what, value.to_bits()), (0, name, x.to_bits()));
        }
    }
}

/// The ends of the ranges are valid: infinite bounds, and one or both sides that are not pushed.
#[test]
fn the_ends_of_the_ranges_are_allowed() {
    let ends = [MIN_MASS_SCALE, 1.0, f32::MAX, f32::INFINITY];
    for [a, b] in ends.iter().flat_map(|a| ends.map(|b| [*a, b])) {
        for (stiffness, damping) in [(0.0, 0.0), (1e3, 0.0), (f32::MAX, f32::MAX)] {
            for max_impulse in [0.0, 1.0, f32::INFINITY] {
                let mut scene = scene();
                let mut settings = ContactSettings::new(0);
                (settings.mass_scales, settings.stiffness, settings.damping) = ([a, b], stiffness, damping);
                settings.max_impulse = [max_impulse; 4];
                assert!(settings.is_sound());
                scene.solver.contact_settings_mut().push(settings);
                scene.solver.step(&mut scene.bodies, &scene.contacts, &mut scene.joints, DT).unwrap();
                for body in &scene.bodies {
                    body.validate().unwrap();
                    let speed = body.linear_velocity.length();
                    assert!(speed < 4.0, "{speed} with {settings:?}");
                }
                let falls = -scene.bodies[1].linear_velocity.y;
                // A box that is not pushed falls through.
                assert!(b != f32::INFINITY || (falls - 9.81 * DT).abs() < 1e-4, "{falls} with {settings:?}");
            }
        }
    }
}
