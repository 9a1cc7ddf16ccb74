//! Riders: the speeds of their contacts, and riders that are stuck for a while.

use carom_character::{Character, CharacterSettings, Figure, ShapeWorld, move_and_slide};
use carom_geom::f64::Cuboid;
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query::f64::Shape;

const RATES: [f64; 4] = [30.0, 60.0, 144.0, 240.0];

fn cuboid(half: [f64; 3]) -> Shape {
    Shape::Cuboid(Cuboid::new(half.into()).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A character on the plane y = 0.
fn rider(settings: CharacterSettings) -> Character {
    let figure = Figure::capsule(1.8, 0.3).unwrap();
    Character::new(figure, settings, DVec3::Y * (figure.stature() + 0.005)).unwrap()
}

/// A deck of 5 m/s carries a character into boxes that stand still, come along and come towards it.
/// The approach is the relative speed, at each rate. Within no time it is 0.
#[test]
fn the_approach_of_a_ride_is_a_speed() {
    for hertz in RATES {
        for speed in [0.0, 2.0, -3.0] {
            let dt = 1.0 / hertz;
            let mut world = ShapeWorld::new();
            let deck = world.insert(cuboid([20.0, 0.5, 2.0]), at(0.0, -0.5, 0.0));
            let met = world.insert(cuboid([0.5, 0.5, 1.0]), at(4.0, 1.0, 0.0));
            let mut hero = rider(CharacterSettings::default());
            for _ in 0..10 {
                hero.walk(&mut world, DVec3::ZERO, dt);
            }
            let mut first = None;
            for frame in 1..=(2.0 * hertz) as usize {
                let t = frame as f64 * dt;
                world.set_motion(deck, at(5.0 * t, -0.5, 0.0), DVec3::X * 5.0, DVec3::ZERO);
                world.set_motion(met, at(4.0 + speed * t, 1.0, 0.0), DVec3::X * speed, DVec3::ZERO);
                let walked = hero.walk(&mut world, DVec3::ZERO, dt);
                let contacts = &walked.contacts;
                first = first.or(contacts.iter().find(|contact| contact.object == met).copied());
            }
            let approach = first.unwrap().approach;
            assert!((approach - (5.0 - speed)).abs() < 1e-6, "{hertz} Hz, {speed}: {approach}");
        }
    }
    let mut world = ShapeWorld::new();
    let deck = world.insert(cuboid([20.0, 0.5, 2.0]), at(0.0, -0.5, 0.0));
    world.insert(cuboid([0.5, 0.5, 1.0]), at(1.0, 1.0, 0.0));
    let mut hero = rider(CharacterSettings::default());
    hero.walk(&mut world, DVec3::ZERO, 0.1);
    world.set_motion(deck, at(0.5, -0.5, 0.0), DVec3::X * 5.0, DVec3::ZERO);
    let walked = hero.walk(&mut world, DVec3::ZERO, 0.0);
    assert!(!walked.was_refused && walked.contacts[0].approach == 0.0, "{walked:?}");
}

/// From `move_and_slide` the approach is the part of the displacement that is left before the
/// object, however fast the object moves.
#[test]
fn the_approach_of_a_slide_is_a_length() {
    for speed in [0.0, -7.0, 7.0] {
        let mut world = ShapeWorld::new();
        let wall = world.insert(cuboid([0.5, 2.0, 2.0]), at(1.505, 0.0, 0.0));
        world.set_motion(wall, at(1.505, 0.0, 0.0), DVec3::X * speed, DVec3::ZERO);
        let figure = Figure::cylinder(1.8, 0.3).unwrap();
        let mut contacts = Vec::new();
        move_and_slide(&mut world, &figure, DVec3::ZERO, DVec3::X * 2.0, 0.005, &mut contacts);
        assert!((contacts[0].approach - 2.0).abs() < 1e-9, "{speed}: {contacts:?}");
        assert_eq!(contacts[0].velocity, DVec3::X * speed);
    }
}

/// On a lift that rises and turns, a block is set into the character for some frames. Then its
/// ground is the floor of the lift as it is now. So it does not climb the wall on the lift.
#[test]
fn a_stuck_rider_keeps_its_ground() {
    for n_stuck in [0, 1, 60, 150] {
        for turning in [0.0, 0.4] {
            let dt = 1.0 / 60.0;
            let lift_at =
                |t: f64| Pose::new(DQuat::from_rotation_z(0.2 * (turning * t).sin()), DVec3::Y * (t - 0.5));
            let mut settings = CharacterSettings::default();
            settings.max_push_out = 0.0;
            let mut world = ShapeWorld::new();
            let floor = cuboid([3.0, 0.5, 3.0]);
            let lift = world.insert(floor, lift_at(0.0));
            let wall_in = Pose::from_translation(DVec3::new(1.0, 2.0, 0.0));
            let on_lift = |t: f64, own: &Pose| {
                let pose = lift_at(t);
                Pose::new(pose.rotation * own.rotation, pose.transform_point(own.translation))
            };
            let wall = world.insert(cuboid([0.3, 1.5, 3.0]), on_lift(0.0, &wall_in));
            let far = at(0.0, -90.0, 0.0);
            let block = world.insert(cuboid([0.2, 0.2, 0.2]), far);
            let mut hero = rider(settings);
            for _ in 0..20 {
                hero.walk(&mut world, DVec3::ZERO, dt);
            }
            let mut n = 0;
            for frame in 1..=n_stuck + 60 {
                let t = f64::from(frame) * dt;
                world.set_motion(lift, lift_at(t), DVec3::Y, DVec3::ZERO);
                world.set_motion(wall, on_lift(t, &wall_in), DVec3::Y, DVec3::ZERO);
                let is_within = frame <= n_stuck;
                let pose = if is_within { Pose::from_translation(hero.position()) } else { far };
                world.set_motion(block, pose, DVec3::Y, DVec3::ZERO);
                let walked = hero.walk(&mut world, DVec3::X * 2.0, dt);
                n += u32::from(walked.is_stuck);
                assert!(is_within == walked.is_stuck && walked.climbed.abs() < 1e-9, "{frame}: {walked:?}");
                let ground = hero.ground().unwrap();
                let local = lift_at(t).inverse_transform_point(ground.point);
                let normal = lift_at(t).rotation * DVec3::Y;
                let what = format!("{n_stuck}, {turning}, {frame}: {local}");
                assert!((local.y - 0.5).abs() < 0.02, "{what}");
                assert!((ground.normal - normal).length() < 1e-6, "{what}");
            }
            assert_eq!(n, n_stuck as u32);
            let feet = lift_at(f64::from(n_stuck + 60) * dt).inverse_transform_point(hero.feet());
            assert!((feet.y - 0.5).abs() < 0.1 && feet.x < 0.5, "{n_stuck}, {turning}: {feet}");
        }
    }
}
