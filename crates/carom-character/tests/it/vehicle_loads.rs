//! Vehicles with loads: what lies or stands on a chassis, is joined to it or is above it is no
//! road. And vehicles that are moved.

use crate::vehicles::{BRAKED, RATES, cuboid, on_slope, plane, position_of, run, solid, velocity};
use carom_character::{Character, CharacterBody, CharacterSettings, Controls, Figure, Vehicle, WheelDesc};
use carom_math::Pose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, Filter, JointDesc, World};

/// The half size of the bed, and the height of its middle above a road that carries nothing.
const BED: Vec3 = Vec3::new(2.5, 0.15, 0.9);
const BED_STANDING: f32 = 0.45;

/// The height of the top of the bed.
const BED_TOP: f32 = BED_STANDING + BED.y;

/// A flat bed on four wheels on a road, and the road.
fn flat_bed() -> (World, Vehicle, BodyId) {
    let mut world = World::new();
    let road = world.insert(BodyDesc::fixed(plane())).unwrap();
    let chassis = solid(1200.0, BED).with_position(Vec3::Y * BED_STANDING);
    let mut car = Vehicle::new(world.insert(chassis).unwrap());
    for (x, z) in [(1.6, -0.8), (1.6, 0.8), (-1.6, -0.8), (-1.6, 0.8)] {
        car.add_wheel(WheelDesc::new(0.35).with_mount(DVec3::new(x, -0.1, z))).unwrap();
    }
    (world, car, road)
}

/// Parks for three seconds. The road carries all wheels, and the bed comes to rest level.
fn check(what: &str, world: &mut World, car: &mut Vehicle, road: BodyId, mut each: impl FnMut(&mut World)) {
    for frame in 0..180 {
        run(world, car, &BRAKED, 1.0 / 60.0, 60.0);
        each(world);
        let is_on_road = car.wheels().iter().all(|wheel| wheel.ground == Some(road));
        assert!(is_on_road, "{what}, {frame}: {:?}", car.wheels());
    }
    let (at, turn) = (position_of(world, car.chassis()), world.body(car.chassis()).unwrap().pose().rotation);
    assert!((turn * Vec3::Y).y > 0.995 && 0.25 < at.y && at.y < 0.46, "{what}: {at} {turn}");
    let left = velocity(world, car.chassis()).length();
    assert!(left < 0.05 && at.with_y(0.0).length() < 0.05, "{what}: {left} m/s at {at}");
}

/// Crates over a rear wheel: so high that the ray would start in them, so low that it would start
/// above them, and as thin as a plank.
#[test]
fn crates_on_a_bed_are_no_road() {
    for height in [0.6_f32, 0.3, 0.1, 0.02] {
        for z in [0.0, 0.7] {
            let (mut world, mut car, road) = flat_bed();
            let load = solid(60.0, Vec3::new(0.5, 0.5 * height, 0.9 - z));
            let load = load.with_position(Vec3::new(-1.6, BED_TOP + 0.5 * height, z));
            let load = world.insert(load).unwrap();
            check(&format!("{height} m, {z}"), &mut world, &mut car, road, |_| ());
            let lies = position_of(&world, load).y - position_of(&world, car.chassis()).y - BED.y;
            assert!((lies - 0.5 * height).abs() < 0.02, "{height} m: {lies}");
        }
    }
}

/// A person stands over a wheel: neither lifts the other.
#[test]
fn a_passenger_is_no_road() {
    let (mut world, mut car, road) = flat_bed();
    run(&mut world, &mut car, &BRAKED, 1.0, 60.0);
    let figure = Figure::capsule(1.8, 0.3).unwrap();
    let top = f64::from(position_of(&world, car.chassis()).y + BED.y);
    let position = DVec3::new(-1.6, top + figure.stature() + 0.01, 0.7);
    let character = Character::new(figure, CharacterSettings::default(), position).unwrap();
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default()).unwrap();
    let (mut highest, mut lowest) = (0.0_f64, f64::MAX);
    check("passenger", &mut world, &mut car, road, |world| {
        hero.walk(world, DVec3::ZERO, 1.0 / 60.0).unwrap();
        let height = hero.character().feet().y;
        (highest, lowest) = (highest.max(height), lowest.min(height));
    });
    assert!(highest < top + 0.05 && top - 0.1 < lowest, "{lowest} {highest} {top}");
    assert_eq!(hero.ground(), Some(car.chassis()));
}

/// Beams and shelves over the bed are no road: within the start of the rays, and below it.
#[test]
fn beams_over_a_bed_are_no_road() {
    for bottom in [0.05_f32, 0.15, 0.5] {
        let (mut world, mut car, road) = flat_bed();
        let beam = BodyDesc::fixed(cuboid(Vec3::new(0.3, 0.1, 3.0)));
        world.insert(beam.with_position(Vec3::new(1.6, BED_TOP + bottom + 0.1, 0.0))).unwrap();
        check(&format!("{bottom} m"), &mut world, &mut car, road, |_| ());
    }
}

/// A body over an open wheel, joined to the chassis without contacts, is passed as the chassis is.
#[test]
fn joined_bodies_are_no_road() {
    let mut world = World::new();
    let road = world.insert(BodyDesc::fixed(plane())).unwrap();
    let chassis = solid(1200.0, Vec3::new(2.5, 0.15, 0.5)).with_position(Vec3::Y * BED_STANDING);
    let mut car = Vehicle::new(world.insert(chassis).unwrap());
    for (x, z) in [(1.6, -0.8), (1.6, 0.8), (-1.6, -0.8), (-1.6, 0.8)] {
        car.add_wheel(WheelDesc::new(0.35).with_mount(DVec3::new(x, -0.1, z))).unwrap();
    }
    let at = Vec3::new(-1.6, BED_STANDING + 0.35, 0.0);
    let fender = world.insert(solid(40.0, Vec3::new(0.4, 0.02, 1.0)).with_position(at)).unwrap();
    world.insert_joint(JointDesc::weld(car.chassis(), fender).with_anchor(at)).unwrap();
    check("fender", &mut world, &mut car, road, |_| ());
}

/// A tether does not take the road away: to the road itself, or to a deck below the car.
#[test]
fn r_tethered_cars_stand_on_what_holds_them() {
    for tether in [JointDesc::rope, |a, b, _| JointDesc::six_dof(a, b)] {
        for deck in [None, Some(BodyDesc::kinematic(cuboid(Vec3::new(4.0, 0.5, 3.0))))] {
            let (mut world, mut car, mut road) = flat_bed();
            if let Some(deck) = deck {
                world.body_mut(road).unwrap().set_pose(Pose::from_translation(Vec3::Y * -1.0)).unwrap();
                road = world.insert(deck.with_position(Vec3::Y * -0.5)).unwrap();
            }
            world.insert_joint(tether(road, car.chassis(), 20.0)).unwrap();
            check("tether", &mut world, &mut car, road, |_| ());
        }
    }
    // A rope to a dynamic deck.
    let (mut world, mut car, road) = flat_bed();
    world.body_mut(road).unwrap().set_pose(Pose::from_translation(Vec3::Y * -1.0)).unwrap();
    let deck = solid(20_000.0, Vec3::new(4.0, 0.5, 3.0)).with_position(Vec3::Y * -0.5);
    let deck = world.insert(deck).unwrap();
    world.insert_joint(JointDesc::rope(deck, car.chassis(), 20.0)).unwrap();
    check("rope to a deck", &mut world, &mut car, deck, |_| ());
}

/// A parked car that is moved or turned stays there: its tyres do not pull it back to their
/// anchors.
#[test]
fn moved_cars_stay() {
    let aside = |x: f32, angle: f32| Pose::new(Quat::from_rotation_y(angle), Vec3::new(x, 0.0, 0.5 * x));
    for hertz in RATES {
        for controls in [BRAKED, Controls::new()] {
            for (x, angle) in [(100.0, 0.0), (0.3, 0.0), (0.0, 1.5), (-5.0, 3.0)] {
                let (mut world, mut car) = on_slope(0.0);
                run(&mut world, &mut car, &BRAKED, 5.0, hertz);
                let pose = world.body(car.chassis()).unwrap().pose();
                let moved = aside(x, angle) * pose;
                world.body_mut(car.chassis()).unwrap().set_pose(moved).unwrap();
                let mut fastest = 0.0_f32;
                for _ in 0..20 {
                    run(&mut world, &mut car, &controls, 1.0 / hertz, hertz);
                    fastest = fastest.max(velocity(&world, car.chassis()).length());
                }
                let off = (position_of(&world, car.chassis()) - moved.translation).length();
                assert!(fastest < 2e-3 && off < 1e-3, "{hertz} Hz, {x}, {angle}: {fastest} m/s, {off} m");
            }
        }
    }
}
