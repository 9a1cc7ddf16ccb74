//! A character on a moving ground stays at its point of the ground.

use crate::worlds::figures;
use carom_character::{Character, CharacterSettings, Figure, ShapeWorld};
use carom_geom::f64::{Cuboid, Cylinder, TriMesh};
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query::f64::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::Level;
use std::sync::Arc;

const RATES: [f64; 4] = [30.0, 60.0, 144.0, 240.0];

fn cuboid(half: [f64; 3]) -> Shape {
    Shape::Cuboid(Cuboid::new(half.into()).unwrap())
}

/// The motion of a carrier: its pose at a time.
type Course<'a> = &'a dyn Fn(f64) -> Pose;

/// Sets the pose at a time, and the velocities by differences.
fn set(world: &mut ShapeWorld, object: u32, course: Course<'_>, time: f64, dt: f64) {
    let (before, now) = (course(time - dt), course(time));
    let turn = (now.rotation * before.rotation.inverse()).to_scaled_axis() / dt;
    let linear = (now.translation - before.translation) / dt;
    assert!(world.set_motion(object, now, linear, turn));
}

/// The result of a ride. `worst` is the largest distance across `up` from the point of the ground
/// that was under the feet at the start, and `travel` is the path length of this point. `n_freed`
/// counts the calls that freed the character or found it stuck, `n_air` those in the air.
#[derive(Debug, Default)]
struct Ride {
    worst: f64,
    travel: f64,
    worst_height: f64,
    n_freed: usize,
    n_air: usize,
}

fn ride(
    world: &mut ShapeWorld,
    carriers: &[u32],
    course: Course<'_>,
    figure: Figure,
    start: DVec3,
    hertz: f64,
    seconds: f64,
) -> Ride {
    let dt = 1.0 / hertz;
    for &carrier in carriers {
        set(world, carrier, &|_| course(0.0), 0.0, dt);
    }
    let position = start + DVec3::Y * (figure.stature() + 0.01);
    let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
    for _ in 0..30 {
        character.walk(world, DVec3::ZERO, dt);
    }
    assert!(character.ground().is_some());
    let mut mark = course(0.0).inverse_transform_point(character.feet());
    // The point of the ground under the feet, which are one skin above it.
    mark.y -= character.settings().skin;
    let mut ride = Ride::default();
    let mut last = course(0.0).transform_point(mark);
    for frame in 1..=(seconds * hertz) as usize {
        let time = frame as f64 * dt;
        for &carrier in carriers {
            set(world, carrier, course, time, dt);
        }
        let walked = character.walk(world, DVec3::ZERO, dt);
        ride.n_freed += usize::from(walked.freed != DVec3::ZERO || walked.is_stuck);
        ride.n_air += usize::from(character.ground().is_none());
        let point = course(time).transform_point(mark);
        let off = character.feet() - point;
        ride.worst = ride.worst.max(off.x.hypot(off.z));
        ride.worst_height = ride.worst_height.max(off.y.abs());
        ride.travel += (point - last).length();
        last = point;
    }
    ride
}

fn check(what: &str, ride: &Ride, height: f64) {
    assert!(ride.n_freed == 0 && ride.n_air == 0, "{what}: {ride:?}");
    assert!(ride.worst <= 0.01 * ride.travel && ride.worst < 0.02, "{what}: {ride:?}");
    assert!(ride.worst_height < height, "{what}: {ride:?}");
}

/// A box that moves aside and up, aside and down, and on a circle.
#[test]
fn boxes_carry_aside_and_up() {
    let courses: [(&str, Course<'_>); 4] = [
        ("aside and up", &|t| Pose::from_translation(DVec3::new(0.5, 2.0, 0.0) * t)),
        ("aside and down", &|t| Pose::from_translation(DVec3::new(0.5, -2.0, 1.0) * t)),
        ("fast aside, fast up", &|t| Pose::from_translation(DVec3::new(-6.0, 5.0, 4.0) * t)),
        ("wheel", &|t: f64| Pose::from_translation(DVec3::new((2.0 * t).cos(), (2.0 * t).sin(), 0.0) * 3.0)),
    ];
    for (name, course) in courses {
        for hertz in RATES {
            for (kind, figure) in figures() {
                let mut world = ShapeWorld::new();
                let carrier = world.insert(cuboid([2.0, 0.5, 2.0]), Pose::IDENTITY);
                let start = course(0.0).translation + DVec3::new(0.3, 0.5, -0.4);
                let ride = ride(&mut world, &[carrier], course, figure, start, hertz, 4.0);
                check(&format!("{name}, {kind}, {hertz} Hz"), &ride, 0.0051);
            }
        }
    }
}

/// A bridge that tilts about a far axis, and a disc that turns, tilts and rises; a minute of each
/// at 60 Hz.
#[test]
fn tilting_bridges_and_discs_carry() {
    let bridge = |t: f64| {
        let turn = DQuat::from_rotation_z(0.25 * (0.8 * t).sin());
        Pose::new(turn, DVec3::X * 4.0 - turn * (DVec3::X * 4.0))
    };
    let disc = |t: f64| {
        let tilt = DQuat::from_rotation_x(0.2 * (0.7 * t).sin()) * DQuat::from_rotation_z(0.15 * t.sin());
        Pose::new(tilt * DQuat::from_rotation_y(1.5 * t), DVec3::Y * (0.5 * (1.3 * t).sin()))
    };
    let courses: [(&str, Course<'_>); 2] = [("bridge", &bridge), ("disc", &disc)];
    for (name, course) in courses {
        for hertz in RATES {
            for (kind, figure) in figures() {
                let mut world = ShapeWorld::new();
                let shape = if name == "disc" {
                    Shape::Cylinder(Cylinder::new(0.25, 4.0).unwrap())
                } else {
                    cuboid([4.0, 0.25, 2.0])
                };
                let carrier = world.insert(shape, Pose::IDENTITY);
                let seconds = if hertz == 60.0 && kind == "capsule" { 60.0 } else { 6.0 };
                let start = DVec3::new(-0.7, 0.25, 0.9);
                let ride = ride(&mut world, &[carrier], course, figure, start, hertz, seconds);
                // On tilted ground an upright figure stands on its edge or its cap.
                check(&format!("{name}, {kind}, {hertz} Hz"), &ride, 0.15);
            }
        }
    }
}

/// A lift that starts, stops and turns back from one frame to the next.
#[test]
fn abrupt_lifts_carry() {
    let course = |t: f64| {
        let phase = t.rem_euclid(4.0);
        let height = match phase {
            p if p < 1.0 => 0.0,
            p if p < 2.0 => 3.0 * (p - 1.0),
            p if p < 3.0 => 3.0,
            p => 3.0 - 3.0 * (p - 3.0),
        };
        Pose::from_translation(DVec3::new(0.5 * height, height, -0.25 * height))
    };
    for hertz in RATES {
        let mut world = ShapeWorld::new();
        let carrier = world.insert(cuboid([2.0, 0.5, 2.0]), Pose::IDENTITY);
        let figure = Figure::capsule(1.8, 0.3).unwrap();
        let ride = ride(&mut world, &[carrier], &course, figure, DVec3::new(0.3, 0.5, 0.1), hertz, 60.0);
        check(&format!("{hertz} Hz"), &ride, 0.0051);
    }
}

/// A cabin with a floor and walls near the figure: as several objects, as a compound and as a
/// mesh. It moves aside and up, past a fixed wall.
#[test]
fn cabins_of_several_parts_carry() {
    let course = |t: f64| Pose::from_translation(DVec3::new(0.8, 2.5, -0.6) * t);
    let parts = [
        (DVec3::new(0.0, -0.1, 0.0), [1.0, 0.1, 1.0]),
        (DVec3::new(-0.33, 1.0, 0.0), [0.02, 1.0, 1.0]),
        (DVec3::new(0.33, 1.0, 0.0), [0.02, 1.0, 1.0]),
        (DVec3::new(0.0, 1.0, 0.34), [1.0, 1.0, 0.03]),
    ];
    let part = |middle, half| CompoundPart { shape: cuboid(half), pose: Pose::from_translation(middle) };
    for hertz in RATES {
        for form in ["objects", "compound", "mesh"] {
            let mut world = ShapeWorld::new();
            let mut carriers = Vec::new();
            match form {
                "objects" => {
                    // Each is moved by the common pose, so the shapes are placed by compounds of
                    // one part.
                    for (middle, half) in parts {
                        let shape =
                            Shape::Compound(Arc::new(Compound::new(vec![part(middle, half)]).unwrap()));
                        carriers.push(world.insert(shape, Pose::IDENTITY));
                    }
                }
                "compound" => {
                    let parts = parts.map(|(middle, half)| part(middle, half));
                    let shape = Shape::Compound(Arc::new(Compound::new(parts.to_vec()).unwrap()));
                    carriers.push(world.insert(shape, Pose::IDENTITY));
                }
                _ => {
                    let mut level = Level::default();
                    for (middle, half) in parts {
                        let half = DVec3::from(half);
                        level.cuboid((middle - half).into(), (middle + half).into());
                    }
                    let mesh = level.mesh();
                    let mesh = TriMesh::new(mesh.vertices, mesh.triangles).unwrap();
                    let shape = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
                    carriers.push(world.insert(shape, Pose::IDENTITY));
                }
            }
            world.insert(cuboid([0.5, 20.0, 0.5]), Pose::from_translation(DVec3::new(-1.6, 10.0, 0.0)));
            let figure = Figure::cylinder(1.8, 0.3).unwrap();
            let ride = ride(&mut world, &carriers, &course, figure, DVec3::ZERO, hertz, 4.0);
            check(&format!("{form}, {hertz} Hz"), &ride, 0.0051);
        }
    }
}

/// Steps of an escalator: each goes along the slope, and the next one rises beside the figure.
#[test]
fn escalators_carry() {
    for hertz in RATES {
        let dt = 1.0 / hertz;
        let mut world = ShapeWorld::new();
        let slope = DVec3::new(0.4, 0.2, 0.0);
        let half = [0.2, 0.1, 1.0];
        let step = |i: i32, t: f64| {
            // Level at the foot, then rising.
            let x = 0.4 * f64::from(i) + 2.0 * slope.x * t;
            DVec3::new(x, 0.5 * (x - 1.0).max(0.0) - 0.1, 0.0)
        };
        let steps: Vec<u32> =
            (-16..8).map(|i| world.insert(cuboid(half), Pose::from_translation(step(i, 0.0)))).collect();
        let figure = Figure::capsule(1.8, 0.3).unwrap();
        let position = DVec3::new(0.05, 0.91, 0.0);
        let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
        character.walk(&mut world, DVec3::ZERO, 0.05);
        let from = character.position();
        for frame in 1..=(6.0 * hertz) as usize {
            let t = frame as f64 * dt;
            for (i, object) in (-16..8).zip(&steps) {
                let (before, now) = (step(i, t - dt), step(i, t));
                let pose = Pose::from_translation(now);
                world.set_motion(*object, pose, (now - before) / dt, DVec3::ZERO);
            }
            let walked = character.walk(&mut world, DVec3::ZERO, dt);
            let what = format!("{hertz} Hz, frame {frame}: {walked:?}");
            assert!(walked.freed == DVec3::ZERO && !walked.is_stuck, "{what}");
            let gone = character.position().x - from.x;
            let expected = 2.0 * slope.x * t;
            assert!((gone - expected).abs() < 0.01 * expected + 1e-9, "{what}: {gone} of {expected}");
        }
        assert!(1.0 < character.position().y - from.y, "{hertz} Hz: {}", character.position());
    }
}

/// A fixed ceiling above a lift: the figure is pressed against it, and not through it. The lift
/// goes back, and the character stands on it again.
#[test]
fn low_ceilings_squeeze_nothing_through() {
    for hertz in RATES {
        for (kind, figure) in figures() {
            if 100.0 < hertz && kind != "capsule" {
                continue;
            }
            for thickness in [0.02, 0.5] {
                let dt = 1.0 / hertz;
                let mut world = ShapeWorld::new();
                let lift = world.insert(cuboid([3.0, 0.1, 3.0]), Pose::IDENTITY);
                let ceiling = DVec3::Y * (2.5 + thickness);
                world.insert(cuboid([4.0, thickness, 4.0]), Pose::from_translation(ceiling));
                // Up to one metre too high.
                let course = |t: f64| {
                    let height = 1.6 * (1.0 - (1.5 * t).cos()) * 0.5;
                    Pose::from_translation(DVec3::new(0.1 * t, height - 0.1, 0.0))
                };
                let position = DVec3::new(0.2, figure.stature() + 0.01, 0.0);
                let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
                for _ in 0..30 {
                    character.walk(&mut world, DVec3::ZERO, 0.01);
                }
                let mut n_stuck = 0;
                for frame in 1..=(8.0 * hertz) as usize {
                    let t = frame as f64 * dt;
                    set(&mut world, lift, &course, t, dt);
                    n_stuck += usize::from(character.walk(&mut world, DVec3::ZERO, dt).is_stuck);
                    let top = character.position().y + figure.stature();
                    let what = format!("{kind}, {hertz} Hz, frame {frame}: {}", character.position());
                    assert!(top < 2.5 && course(t).translation.y < character.position().y, "{what}");
                    assert!(character.position().x.abs() < 3.0, "{what}");
                }
                assert!(0 < n_stuck, "{kind}, {hertz} Hz");
                // The lift is down again.
                for frame in 0..(hertz as usize) {
                    let t = 8.0 + frame as f64 * dt;
                    let low = |_: f64| Pose::from_translation(DVec3::new(0.1 * t, -0.1, 0.0));
                    set(&mut world, lift, &low, t, dt);
                    character.walk(&mut world, DVec3::ZERO, dt);
                }
                assert!(character.ground().is_some(), "{kind}, {hertz} Hz");
                assert!(
                    0.0 < character.feet().y && character.feet().y < 0.0051,
                    "{kind}, {hertz} Hz: {}",
                    character.feet()
                );
            }
        }
    }
}

/// The character walks on a carrier: its displacement relative to the carrier is that of the wish,
/// and a fixed wall stops it.
#[test]
fn walks_on_carriers_add_up() {
    for hertz in RATES {
        let dt = 1.0 / hertz;
        let velocity = DVec3::new(0.5, 2.0, 0.0);
        let course = |t: f64| Pose::from_translation(velocity * t);
        let figure = Figure::capsule(1.8, 0.3).unwrap();
        for has_wall in [false, true] {
            let mut world = ShapeWorld::new();
            let lift = world.insert(cuboid([3.0, 0.5, 3.0]), Pose::IDENTITY);
            if has_wall {
                let wall = Pose::from_translation(DVec3::new(2.0, 10.0, 0.0));
                world.insert(cuboid([0.5, 9.0, 9.0]), wall);
            }
            let position = DVec3::new(0.0, 0.5 + figure.stature() + 0.005, 0.0);
            let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
            for _ in 0..30 {
                character.walk(&mut world, DVec3::ZERO, dt);
            }
            let from = character.position();
            for frame in 1..=(2.0 * hertz) as usize {
                set(&mut world, lift, &course, frame as f64 * dt, dt);
                character.walk(&mut world, DVec3::new(0.25, 0.0, 0.5), dt);
                assert!(character.walked().freed == DVec3::ZERO && !character.walked().is_stuck);
            }
            let gone = character.position() - from;
            let x = if has_wall { 1.2 - 0.005 } else { 1.5 };
            assert!((gone - DVec3::new(x, 4.0, 1.0)).length() < 0.015, "{hertz} Hz, {has_wall}: {gone}");
        }
    }
}

/// Frames of the world and calls of the character need not agree: two calls without a motion
/// between them, two motions before a call.
#[test]
fn calls_and_motions_need_not_agree() {
    let course = |t: f64| Pose::from_translation(DVec3::new(0.5, 2.0, -1.0) * t);
    for (n_motions, n_calls) in [(1, 3), (4, 1)] {
        let mut world = ShapeWorld::new();
        let lift = world.insert(cuboid([3.0, 0.5, 3.0]), Pose::IDENTITY);
        let figure = Figure::cylinder(1.8, 0.3).unwrap();
        let position = DVec3::Y * (0.5 + figure.stature() + 0.005);
        let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
        for _ in 0..30 {
            character.walk(&mut world, DVec3::ZERO, 0.01);
        }
        assert!(character.ground().is_some());
        let from = character.position();
        let dt = 1.0 / 60.0;
        for frame in 0..240 {
            for i in 1..=n_motions {
                let t = dt * (f64::from(frame) + f64::from(i) / f64::from(n_motions));
                set(&mut world, lift, &course, t, dt / f64::from(n_motions));
            }
            for _ in 0..n_calls {
                character.walk(&mut world, DVec3::ZERO, dt / f64::from(n_calls));
            }
            let gone = character.position() - from;
            let expected = DVec3::new(0.5, 2.0, -1.0) * (dt * f64::from(frame + 1));
            assert!((gone - expected).length() < 1e-6, "{n_motions}, {n_calls}: {gone} {expected}");
        }
    }
}

/// On a moving deck, the character approaches a box that rides along at its speed relative to the
/// deck.
#[test]
fn approach_on_carriers_is_that_on_the_deck() {
    for speed in [-2.0, 0.0, 2.0, 5.0] {
        let velocity = DVec3::X * speed;
        let mut world = ShapeWorld::new();
        let deck = world.insert(cuboid([9.0, 0.5, 3.0]), Pose::IDENTITY);
        let rider = world.insert(cuboid([0.5, 1.0, 3.0]), Pose::from_translation(DVec3::new(2.0, 1.5, 0.0)));
        let figure = Figure::capsule(1.8, 0.3).unwrap();
        let position = DVec3::Y * (0.5 + figure.stature() + 0.005);
        let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
        let dt = 1.0 / 60.0;
        let mut approaches = Vec::new();
        for frame in 0..180 {
            let gone = velocity * (f64::from(frame) * dt);
            assert!(world.set_motion(deck, Pose::from_translation(gone), velocity, DVec3::ZERO));
            let at = Pose::from_translation(gone + DVec3::new(2.0, 1.5, 0.0));
            assert!(world.set_motion(rider, at, velocity, DVec3::ZERO));
            let walked = character.walk(&mut world, DVec3::X, dt);
            let met = walked.contacts.iter().filter(|contact| contact.object == rider);
            approaches.extend(met.map(|contact| contact.approach));
        }
        assert!(30 < approaches.len(), "{speed}: {}", approaches.len());
        assert!(approaches.iter().all(|approach| (approach - 1.0).abs() < 1e-6), "{speed}: {approaches:?}");
    }
}
