//! The car on rays: signed distances, springs, bumps, tunnels, and hints of earlier hits.

use crate::worlds::World;
use carom_bsp::Bevels;
use carom_character::{Car, CarSettings, Controls, RayHit, RaySweep, ShapeWorld, Sweep};
use carom_geom::f64::{HalfSpace, HeightField};
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query::f64::{HeightFieldShape, Shape};
use carom_scenes::{Level, Rng, car_course, mesh};
use std::sync::Arc;

fn flat() -> Level {
    let mut level = Level::default();
    level.cuboid([-60.0, -1.0, -20.0], [60.0, 0.0, 20.0]);
    level
}

fn car(position: DVec3) -> Car {
    Car::new(CarSettings::default(), position, DQuat::IDENTITY).unwrap()
}

/// The height of the middle above a road that carries nothing.
const STANDING: f64 = 0.85;

/// At rest each wheel is as deep in the road as its spring is compressed, on each kind of road.
#[test]
fn rest_on_every_kind_of_road() {
    let field = HeightField::new([41, 41], [3.0, 3.0], vec![0.0; 41 * 41]).unwrap();
    let mut heights = ShapeWorld::new();
    heights.insert(Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap())), Pose::IDENTITY);
    let mut worlds = World::all(&flat());
    worlds.push(("height field", World::Shapes(heights)));
    for (kind, world) in worlds {
        let mut sweep = world.sweep();
        let mut car = car(DVec3::new(0.3, STANDING + 0.25, 0.2));
        // In the air, then not quite.
        car.drive(&mut *sweep, &Controls::default(), 1.0 / 240.0);
        assert!(
            car.wheels().iter().all(|wheel| wheel.distance.is_some_and(|d| (d - 0.25).abs() < 1e-3)),
            "{kind}"
        );
        assert!(car.wheels().iter().all(|wheel| wheel.load == 0.0 && wheel.roof.is_none()), "{kind}");
        car.drive(&mut *sweep, &Controls { brake: 1.0, ..Controls::default() }, 5.0);
        let pulse = std::f64::consts::TAU / car.settings().spring_period;
        let sag = car.settings().gravity / (pulse * pulse);
        for wheel in car.wheels() {
            assert!((wheel.distance.unwrap() + sag).abs() < 1e-3, "{kind}: {wheel:?}");
            assert!(
                (wheel.load - 300.0 * 9.81).abs() < 10.0 && wheel.normal == DVec3::Y,
                "{kind}: {wheel:?}"
            );
        }
        assert!(car.velocity().length() < 1e-3, "{kind}");
    }
}

/// Over bumps, a bridge and through a tunnel to the end of the course. The ends agree for all
/// kinds of worlds and both rates.
#[test]
fn drives_the_course() {
    let level = car_course();
    let mut ends = Vec::new();
    for (kind, world) in World::all(&level) {
        for hertz in [30.0, 144.0] {
            let mut sweep = world.sweep();
            let mut car = car(level.starts[0] + DVec3::Y * STANDING);
            let (mut n_air, mut n_in, mut n_roof, mut highest) = (0, 0, 0, 0.0_f64);
            for _ in 0..(25.0 * hertz) as usize {
                if 125.0 < car.position().x {
                    break;
                }
                let throttle = if car.velocity().x < 9.0 { 0.8 } else { 0.0 };
                let steer = 0.05 * car.position().z + 0.1 * car.velocity().z;
                car.drive(&mut *sweep, &Controls { throttle, steer, brake: 0.0 }, 1.0 / hertz);
                for wheel in car.wheels() {
                    n_air += u32::from(wheel.distance.is_none_or(|d| 0.0 < d));
                    n_in += u32::from(wheel.distance.is_some_and(|d| d < 0.0));
                    n_roof += u32::from(wheel.roof.is_some());
                }
                highest = highest.max(car.position().y);
                let up = car.rotation() * DVec3::Y;
                assert!(0.8 < up.y && car.position().z.abs() < 2.0, "{kind}: {} {up}", car.position());
            }
            let what = format!(
                "{kind}, {hertz} Hz: {}, {n_air} in the air, {n_in} in, {n_roof} roofed",
                car.position()
            );
            println!("{what}");
            assert!(125.0 < car.position().x && 2.5 < highest, "{what}");
            assert!(0 < n_air && 1000 < n_in && 100 < n_roof, "{what}");
            ends.push(car.position());
        }
    }
    for end in &ends {
        assert!((*end - ends[0]).length() < 1.0, "{ends:?}");
    }
}

/// In a tunnel the rays find the road, also if the wheel is in it, and the roof, also if the car
/// is in it.
#[test]
fn a_low_roof_is_found_above_and_below_the_top() {
    for (roof, is_in) in [(1.6, false), (1.3, true), (1.05, true)] {
        let mut level = flat();
        level.cuboid([-20.0, roof, -3.0], [20.0, roof + 1.0, 3.0]);
        for (kind, world) in World::all(&level) {
            let mut sweep = world.sweep();
            // The wheels five centimetres in the road, the top at 1.35.
            let mut car = car(DVec3::Y * (STANDING - 0.05));
            car.drive(&mut *sweep, &Controls::default(), 1.0 / 240.0);
            for wheel in car.wheels() {
                let what = format!("{kind}, roof at {roof}: {wheel:?}");
                assert!((wheel.distance.unwrap() + 0.05).abs() < 1e-9, "{what}");
                assert!((wheel.roof.unwrap() - (roof - 1.35)).abs() < 1e-9, "{what}");
                assert_eq!(wheel.roof.unwrap() < 0.0, is_in);
            }
        }
    }
}

/// A ray with its last hit as a hint gives the same answer as one without.
#[test]
fn memory_changes_no_answer() {
    let mut rng = Rng::new(8);
    let mut world = World::mesh(mesh::terrain(40.0, 3.0, 40, 2));
    let World::Shapes(shapes) = &mut world else { unreachable!() };
    shapes.insert(
        Shape::Sphere(carom_geom::f64::Sphere::new(3.0).unwrap()),
        Pose::from_translation(DVec3::new(4.0, 2.0, 1.0)),
    );
    let mut last: Option<RayHit> = None;
    let mut n_hits = 0;
    for _ in 0..20_000 {
        let from = rng.in_box(DVec3::new(-22.0, -1.0, -22.0), DVec3::new(22.0, 6.0, 22.0));
        let displacement = rng.in_box(DVec3::splat(-6.0), DVec3::splat(6.0));
        // A few steps side by side.
        for i in 0..4 {
            let from = from + DVec3::X * 0.02 * f64::from(i);
            let fresh = shapes.ray(from, displacement, None);
            assert_eq!(shapes.ray(from, displacement, last.as_ref()), fresh);
            n_hits += u32::from(fresh.is_some());
            last = fresh;
        }
    }
    assert!(10_000 < n_hits, "{n_hits}");
}

#[test]
fn no_numbers_change_nothing() {
    let world = World::bsp(&flat(), Bevels::None);
    let mut sweep: Box<dyn Sweep> = world.sweep();
    let mut car = car(DVec3::Y);
    let before = car.clone();
    for (controls, dt) in [
        (Controls { throttle: f64::NAN, ..Controls::default() }, 0.1),
        (Controls { steer: f64::INFINITY, ..Controls::default() }, 0.1),
        (Controls::default(), f64::NAN),
        (Controls::default(), -1.0),
    ] {
        car.drive(&mut *sweep, &controls, dt);
        assert_eq!(car, before);
    }
    car.set_velocity(DVec3::NAN);
    assert_eq!(car, before);
    // A very long time, with controls out of range.
    car.drive(&mut *sweep, &Controls { throttle: 9.0, brake: 9.0, steer: 9.0 }, 1e12);
    assert!(car.position().is_finite());
    let settings = CarSettings::default();
    assert!(Car::new(settings, DVec3::NAN, DQuat::IDENTITY).is_err());
    let mut bad = settings;
    bad.mass = 0.0;
    assert!(Car::new(bad, DVec3::ZERO, DQuat::IDENTITY).is_err());
}

/// All numbers of a car stay finite, and springs and dampers that are too stiff for the steps do
/// not throw it away.
#[test]
fn stiff_springs_carry_and_odd_cars_are_finite() {
    let mut world = ShapeWorld::new();
    let floor = Shape::HalfSpace(HalfSpace::new(DVec3::Y).unwrap());
    world.insert(floor, Pose::IDENTITY);
    let controls = Controls { throttle: 1.0, brake: 0.0, steer: 0.1 };
    for value in [1e-300, 1e-9, 1e-3, 1e9, 1e155, 1e308] {
        for field in 0..6 {
            let mut settings = CarSettings::default();
            *[
                &mut settings.spring_period,
                &mut settings.damping,
                &mut settings.mass,
                &mut settings.gravity,
                &mut settings.acceleration,
                &mut settings.clearance,
            ][field] = value;
            let mut car = Car::new(settings, DVec3::Y, DQuat::IDENTITY).unwrap();
            let is_stiff = field == 0 && value < 1.0 || field == 1 && 1.0 < value;
            for _ in 0..300 {
                car.drive(&mut world, &controls, 1.0 / 60.0);
                let is_finite = car.position().is_finite() && car.velocity().is_finite();
                assert!(is_finite && car.rotation().is_finite(), "{value:e} as number {field}: {car:?}");
                let is_on_road = car.position().y < 1.5 && car.velocity().length() < 30.0;
                assert!(!is_stiff || is_on_road, "{value:e} as number {field}: {car:?}");
            }
        }
    }
}

/// A plane that is tilted by an angle about z, so that it rises along x.
fn slope(angle: f64) -> (ShapeWorld, DQuat) {
    let mut world = ShapeWorld::new();
    let floor = Shape::HalfSpace(HalfSpace::new(DVec3::Y).unwrap());
    let turn = DQuat::from_rotation_z(angle);
    world.insert(floor, Pose::new(turn, DVec3::ZERO));
    (world, turn)
}

const BRAKED: Controls = Controls { throttle: 0.0, brake: 1.0, steer: 0.0 };

/// Returns the distance that a car moves in a minute, after three seconds to come to rest.
fn creep(world: &mut ShapeWorld, car: &mut Car, controls: &Controls, hertz: f64) -> f64 {
    let mut go = |car: &mut Car, seconds: f64| {
        for _ in 0..(seconds * hertz) as usize {
            car.drive(world, controls, 1.0 / hertz);
        }
        car.position()
    };
    let from = go(car, 3.0);
    (go(car, 60.0) - from).length()
}

/// Parked up, down, across and askew on slopes, with the brake or with the sideways grip alone, a
/// car does not creep.
#[test]
fn parked_cars_stand_still() {
    for degrees in [0.5_f64, 10.0, 20.0, 30.0, 40.0] {
        for (heading, hertz) in [(0.0, 30.0), (180.0, 60.0), (90.0, 144.0), (37.0_f64, 240.0)] {
            // Across a steeper slope the car tips over.
            if 90.0 == heading && 35.0 < degrees {
                continue;
            }
            let (mut world, turn) = slope(degrees.to_radians());
            let turn = turn * DQuat::from_rotation_y(heading.to_radians());
            let mut car = Car::new(CarSettings::default(), turn * DVec3::Y * 0.8, turn).unwrap();
            let travel = creep(&mut world, &mut car, &BRAKED, hertz);
            assert!(travel < 1e-4, "{degrees} degrees, heading {heading}, {hertz} Hz: {travel}");
        }
    }
    // Across the slope no brake is needed.
    let (mut world, turn) = slope(20.0_f64.to_radians());
    let turn = turn * DQuat::from_rotation_y(90.0_f64.to_radians());
    let mut car = Car::new(CarSettings::default(), turn * DVec3::Y * 0.8, turn).unwrap();
    let travel = creep(&mut world, &mut car, &Controls::default(), 60.0);
    assert!(travel < 1e-3, "across: {travel}");
}

/// A brake that is applied by a fraction uses up to this fraction of the grip. A released brake
/// holds nothing.
#[test]
fn a_part_of_the_brake_holds_a_part() {
    // The tangent is 0.36; the grip is 1.1.
    for (brake, is_held) in [(0.4, true), (0.25, false), (0.0, false)] {
        let (mut world, turn) = slope(20.0_f64.to_radians());
        let mut car = Car::new(CarSettings::default(), turn * DVec3::Y * 0.8, turn).unwrap();
        let controls = Controls { brake, ..Controls::default() };
        let travel = creep(&mut world, &mut car, &controls, 60.0);
        assert!(if is_held { travel < 1e-4 } else { 100.0 < travel }, "brake {brake}: {travel}");
    }
    let (mut world, turn) = slope(10.0_f64.to_radians());
    let mut car = Car::new(CarSettings::default(), turn * DVec3::Y * 0.8, turn).unwrap();
    assert!(creep(&mut world, &mut car, &BRAKED, 60.0) < 1e-4);
    car.drive(&mut world, &Controls::default(), 2.0);
    // No rolling resistance: the closed form of a slide without friction.
    let expected = 9.81 * 10.0_f64.to_radians().sin() * 2.0;
    assert!((car.velocity().length() - expected).abs() < 0.02 * expected, "{}", car.velocity());
}

/// Less grip than the slope needs: the car slides as a block with Coulomb friction does.
#[test]
fn beyond_the_grip_it_slides() {
    for (grip, degrees) in [(0.3, 20.0_f64), (0.1, 6.0), (0.5, 30.0)] {
        for heading in [0.0, 90.0_f64] {
            let angle = degrees.to_radians();
            let (mut world, turn) = slope(angle);
            let turn = turn * DQuat::from_rotation_y(heading.to_radians());
            let mut settings = CarSettings::default();
            settings.grip = grip;
            let mut car = Car::new(settings, turn * DVec3::Y * 0.73, turn).unwrap();
            car.drive(&mut world, &BRAKED, 1.0);
            let before = car.velocity().length();
            car.drive(&mut world, &BRAKED, 2.0);
            let gain = (car.velocity().length() - before) * 0.5;
            let expected = 9.81 * (angle.sin() - grip * angle.cos());
            assert!(
                (gain - expected).abs() < 0.05 * expected,
                "{grip}, {degrees}, {heading}: {gain} {expected}"
            );
        }
    }
}

/// On a platform that moves aside, up and down, a braked car stays where it stands.
#[test]
fn braked_cars_ride_on_platforms() {
    for hertz in [30.0, 60.0, 240.0] {
        let dt = 1.0 / hertz;
        let mut world = ShapeWorld::new();
        let half = DVec3::new(6.0, 0.5, 6.0);
        let floor = Shape::Cuboid(carom_geom::f64::Cuboid::new(half).unwrap());
        let platform = world.insert(floor, Pose::from_translation(DVec3::Y * -0.5));
        let mut car = car(DVec3::Y * 0.8);
        car.drive(&mut world, &BRAKED, 3.0);
        let from = car.position();
        // The platform moves sideways slowly, so that the grip is enough.
        let at = |t: f64| {
            DVec3::new(3.0 * (1.0 - t.cos()), 0.5 * (1.0 - (0.7 * t).cos()), -2.0 * (1.0 - (0.5 * t).cos()))
        };
        for frame in 1..=(60.0 * hertz) as usize {
            let t = frame as f64 * dt;
            let pose = Pose::from_translation(DVec3::Y * -0.5 + at(t));
            world.set_motion(platform, pose, (at(t) - at(t - dt)) / dt, DVec3::ZERO);
            car.drive(&mut world, &BRAKED, dt);
            let off = car.position() - from - at(t);
            assert!(off.x.hypot(off.z) < 0.03, "{hertz} Hz at {t}: {off}");
        }
    }
}

/// A parked car stands still while its steering turns.
#[test]
fn steering_moves_no_parked_car() {
    let (mut world, turn) = slope(5.0_f64.to_radians());
    let mut car = Car::new(CarSettings::default(), turn * DVec3::Y * 0.8, turn).unwrap();
    let steered = Controls { steer: 0.4, ..BRAKED };
    assert!(creep(&mut world, &mut car, &steered, 60.0) < 1e-4);
    let before = car.position();
    for frame in 0..600 {
        let steer = 0.5 * (f64::from(frame) * 0.05).sin();
        car.drive(&mut world, &Controls { steer, ..BRAKED }, 1.0 / 60.0);
    }
    assert!((car.position() - before).length() < 2e-3, "{}", (car.position() - before).length());
}
