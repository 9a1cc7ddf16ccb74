//! The tyres of a vehicle at rest: together they hold what acts on it, and each its share. None
//! works against another.

use crate::vehicles::{BRAKED, MASS, RATES, STANDING, car, cuboid, on_slope, plane, run};
use carom_character::{Controls, Vehicle};
use carom_math::Pose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_world::{BodyDesc, Material, World};

const ROLLING: Controls = Controls { throttle: 0.0, brake: 0.0, steer: 0.0 };

/// The grip of the wheels of [`car`].
const GRIP: f64 = 1.1;

/// The weight of the car.
fn weight() -> f64 {
    f64::from(MASS) * 9.81
}

/// Returns the sum of the forces of the tyres.
fn sum(car: &Vehicle) -> DVec3 {
    car.wheels().iter().map(|wheel| wheel.traction).sum()
}

/// Returns the largest force of a tyre beyond its share of the sum, relative to its load.
fn strain(car: &Vehicle) -> f64 {
    let load: f64 = car.wheels().iter().map(|wheel| wheel.load).sum();
    let sum = sum(car);
    let beyond = car.wheels().iter().map(|wheel| (wheel.traction / wheel.load - sum / load).length());
    beyond.fold(0.0, f64::max)
}

/// Sets the velocities of the chassis.
fn push(world: &mut World, car: &Vehicle, linear: Vec3, angular: Vec3) {
    let mut chassis = world.body_mut(car.chassis()).unwrap();
    chassis.set_linear_velocity(linear).unwrap().set_angular_velocity(angular).unwrap();
}

/// On level ground the tyres of a car at rest have about no force, however it stopped, and also
/// while it is steered.
#[test]
fn r_tyres_on_level_ground_do_not_work_against_each_other() {
    let curve = Controls::new().with_throttle(0.8).with_steer(0.3);
    let drift = Controls::new().with_throttle(1.0).with_steer(0.6);
    // The velocities, linear and angular, then the controls for a second and until it rests.
    let stops = [
        ("set down", Vec3::ZERO, Vec3::ZERO, ROLLING, ROLLING),
        ("braked", Vec3::X * 10.0, Vec3::ZERO, ROLLING, BRAKED),
        ("half braked", Vec3::X * 10.0, Vec3::ZERO, ROLLING, BRAKED.with_brake(0.4)),
        ("in a curve", Vec3::X * 4.0, Vec3::ZERO, curve, BRAKED.with_steer(0.3)),
        ("drifted", Vec3::X * 15.0, Vec3::ZERO, drift, BRAKED.with_brake(0.5)),
        ("locked in a drift", Vec3::X * 15.0, Vec3::ZERO, drift, BRAKED),
        ("pushed aside", Vec3::Z * 5.0, Vec3::ZERO, ROLLING, BRAKED),
        ("pushed aside without a brake", Vec3::Z * 5.0, Vec3::ZERO, ROLLING, ROLLING),
        ("spun", Vec3::ZERO, Vec3::Y * 4.0, BRAKED, BRAKED),
        ("landed", Vec3::new(0.0, 4.0, 1.0), Vec3::X * 0.5, BRAKED, BRAKED),
        ("landed and rolling", Vec3::new(0.0, 4.0, -1.0), Vec3::X * -0.5, ROLLING, ROLLING),
    ];
    let mut n_parked = 0;
    for hertz in RATES {
        for (name, linear, angular, first, then) in stops {
            let (mut world, mut car) = on_slope(0.0);
            run(&mut world, &mut car, &ROLLING, 2.0, hertz);
            push(&mut world, &car, linear, angular);
            run(&mut world, &mut car, &first, 1.0, hertz);
            run(&mut world, &mut car, &then, 6.0, hertz);
            let stopped = strain(&car);
            let mut steered = 0.0_f64;
            // A car that still rolls drives a curve.
            let is_parked = car.speed().abs() < 1e-4;
            n_parked += usize::from(is_parked);
            for steer in [0.6, -0.6, 0.2].into_iter().filter(|_| is_parked) {
                run(&mut world, &mut car, &then.with_steer(steer), 1.0, hertz);
                steered = steered.max(strain(&car));
            }
            println!("{name}, {hertz} Hz: {stopped:.4} and {steered:.4} of the load, sum {}", sum(&car));
            assert!(sum(&car).length() < 1e-3 * weight(), "{name}, {hertz} Hz: {}", sum(&car));
            assert!(stopped < 0.03 && steered < 0.03, "{name}, {hertz} Hz: {stopped} {steered}");
        }
    }
    assert!(3 * RATES.len() * stops.len() / 4 <= n_parked, "{n_parked} cars stand");
}

/// Across a slope of 10 degrees the sum is m g sin, and each tyre has a share as its load. So it
/// is also for a car that looks at an angle to the slope, if it is braked.
#[test]
fn tyres_on_a_slope_share_by_their_loads() {
    let degrees = 10_f32;
    let turn = Quat::from_rotation_x(degrees.to_radians());
    for hertz in RATES {
        for (heading, controls) in [(0.0_f32, ROLLING), (0.0, BRAKED), (0.7, BRAKED), (1.57, BRAKED)] {
            let mut world = World::new();
            world.insert(BodyDesc::fixed(plane()).with_pose(Pose::new(turn, Vec3::ZERO))).unwrap();
            let at = Pose::new(turn * Quat::from_rotation_y(heading), turn * Vec3::Y * STANDING);
            let mut car = car(&mut world, at);
            run(&mut world, &mut car, &controls, 6.0, hertz);
            let uphill = (turn * Vec3::NEG_Z).as_dvec3();
            let expected = uphill * weight() * f64::from(degrees.to_radians().sin());
            let (sum, strain) = (sum(&car), strain(&car));
            println!("{heading}, {hertz} Hz: {sum} of {expected}, {strain:.4} of the load beyond");
            assert!((sum - expected).length() < 0.01 * expected.length(), "{hertz} Hz: {sum} of {expected}");
            assert!(strain < 0.03, "{heading}, {hertz} Hz: {strain}");
        }
    }
}

/// On a deck that turns the tyres hold the car on its circle: the sum is m w^2 r to the middle. On
/// one of constant velocity it is 0.
#[test]
fn tyres_on_a_moving_deck_hold_it_on_its_path() {
    for hertz in RATES {
        for (velocity, spin) in [(Vec3::new(3.0, 0.0, -2.0), 0.0_f32), (Vec3::ZERO, 0.4)] {
            let mut world = World::new();
            let deck = BodyDesc::kinematic(cuboid(Vec3::new(12.0, 0.5, 12.0))).with_position(Vec3::Y * -0.5);
            let deck = deck.with_linear_velocity(velocity).with_angular_velocity(Vec3::Y * spin);
            let deck = world.insert(deck).unwrap();
            let mut car = car(&mut world, Pose::from_translation(Vec3::new(6.0, STANDING, 2.0)));
            run(&mut world, &mut car, &BRAKED, 6.0, hertz);
            let middle = world.body(deck).unwrap().position();
            let arm = (world.body(car.chassis()).unwrap().position() - middle).with_y(0.0).as_dvec3();
            let expected = arm * -(f64::from(MASS) * f64::from(spin * spin));
            let (sum, strain) = (sum(&car), strain(&car));
            println!("{hertz} Hz: {sum} of {expected}, {strain:.4} of the load beyond");
            assert!((sum - expected).length() < 0.01 * weight(), "{hertz} Hz: {sum} of {expected}");
            assert!(strain < 0.03, "{hertz} Hz: {strain}");
        }
    }
}

/// On a deck that tilts to 15 degrees and back, each tyre has its share, and in the end no force.
#[test]
fn tyres_on_a_tilting_deck_have_their_shares() {
    for hertz in RATES {
        for controls in [ROLLING, BRAKED] {
            let mut world = World::new();
            let deck = cuboid(Vec3::new(6.0, 0.5, 6.0));
            let deck = world.insert(BodyDesc::kinematic(deck).with_position(Vec3::Y * -0.5)).unwrap();
            let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
            run(&mut world, &mut car, &controls, 2.0, hertz);
            let mut strains = [0.0_f64; 2];
            for frame in 1..=(12.0 * hertz) as usize {
                let time = frame as f32 / hertz;
                let tilt = 15_f32.to_radians() * (0.5 - 0.5 * (core::f32::consts::PI * time / 4.0).cos());
                let turn = Quat::from_rotation_x(if time < 8.0 { tilt } else { 0.0 });
                let pose = Pose::new(turn, turn * Vec3::Y * -0.5);
                world.body_mut(deck).unwrap().move_to(pose).unwrap();
                run(&mut world, &mut car, &controls, 1.0 / hertz, hertz);
                let part = usize::from(8.0 < time);
                strains[part] = strains[part].max(strain(&car));
            }
            let (sum, end) = (sum(&car), strain(&car));
            println!("{hertz} Hz, brake {}: {strains:.4?}, in the end {end:.4}", controls.brake);
            assert!(strains[0] < 0.1 && end < 0.03, "{hertz} Hz: {strains:?}, {end}");
            assert!(sum.length() < 1e-3 * weight(), "{hertz} Hz: {sum}");
        }
    }
}

/// On a conveyor belt the wheels have no anchors. A locked car gets the speed of the belt, and
/// then its tyres do not work against each other.
#[test]
fn tyres_on_a_belt_do_not_work_against_each_other() {
    for hertz in RATES {
        let belt = Material::new(0.5, 0.0).with_surface_velocity(Vec3::new(2.0, 0.0, 1.0), Vec3::ZERO);
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane()).with_material(belt)).unwrap();
        let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
        run(&mut world, &mut car, &BRAKED, 5.0, hertz);
        let (sum, strain) = (sum(&car), strain(&car));
        println!("{hertz} Hz: {sum}, {strain:.4} of the load");
        assert!(sum.length() < 1e-3 * weight() && strain < 0.03, "{hertz} Hz: {sum}, {strain}");
    }
}

/// A car that rolls under a force aside slips at the angle of the closed form: the peak slip of
/// 0.1 times the force over the grip. So it does at any speed.
#[test]
fn slips_in_proportion_to_its_force() {
    for hertz in RATES {
        for (speed, part) in [(1.0_f32, 0.1), (10.0, 0.1), (10.0, 0.3), (30.0, 0.3)] {
            let (mut world, mut car) = on_slope(0.0);
            run(&mut world, &mut car, &ROLLING, 2.0, hertz);
            let force = Vec3::Z * (part * weight()) as f32;
            // Acts at the height of the ground, so that the car does not lean.
            let arm = Vec3::NEG_Y * world.body(car.chassis()).unwrap().position().y;
            push(&mut world, &car, Vec3::X * speed, Vec3::ZERO);
            world.body_mut(car.chassis()).unwrap().set_constant_force(force, arm.cross(force)).unwrap();
            run(&mut world, &mut car, &ROLLING, 3.0, hertz);
            let chassis = world.body(car.chassis()).unwrap();
            let v = chassis.rotation().inverse() * chassis.linear_velocity();
            let (slip, expected) = (f64::from(v.z / v.x), 0.1 * part / GRIP);
            println!("{speed} m/s, {part} of the weight, {hertz} Hz: {slip} of {expected}");
            assert!((slip / expected - 1.0).abs() < 0.03, "{speed} m/s, {hertz} Hz: {slip} of {expected}");
        }
    }
}
