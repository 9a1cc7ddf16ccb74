//! The ground and the grip of tyres: ice, wet roads, roads of parts, and grips that change.

use crate::vehicles::{BRAKED, STANDING, car, cuboid, plane, position_of, run, velocity};
use carom_character::{Controls, SettingsError, Vehicle};
use carom_geom::TriMesh;
use carom_math::Pose;
use carom_math::glam::Vec3;
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, ColliderDesc, CombineRule, Material, PartMaterial, World};
use std::sync::Arc;

const HERTZ: f32 = 60.0;

/// The grip of the wheels of [`car`].
const GRIP: f32 = 1.1;

/// The coefficient of a tyre on ground of this friction.
fn on(friction: f32) -> f32 {
    GRIP * (friction / 0.5).sqrt()
}

fn ice(friction: f32) -> Material {
    Material::new(friction, 0.0)
}

/// A car that stands on its springs on this ground, in a world.
fn standing_on(ground: BodyDesc) -> (World, Vehicle) {
    let mut world = World::new();
    world.insert(ground).unwrap();
    let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
    run(&mut world, &mut car, &BRAKED, 2.0, HERTZ);
    (world, car)
}

/// Sets the speed ahead, with the wheels as they are.
fn set_off(world: &mut World, car: &Vehicle, speed: f32) {
    let mut chassis = world.body_mut(car.chassis()).unwrap();
    chassis.set_linear_velocity(Vec3::X * speed).unwrap().set_angular_velocity(Vec3::ZERO).unwrap();
}

/// Returns the way from 20 m/s with all wheels locked, for some seconds.
fn braking_distance(ground: BodyDesc, seconds: f32) -> f32 {
    let (mut world, mut car) = standing_on(ground);
    set_off(&mut world, &car, 20.0);
    let from = position_of(&world, car.chassis()).x;
    run(&mut world, &mut car, &BRAKED, seconds, HERTZ);
    position_of(&world, car.chassis()).x - from
}

/// A road of two triangles, each of this material.
fn mesh_road(friction: f32) -> BodyDesc {
    let corners = [(-200.0, -50.0), (-200.0, 50.0), (200.0, -50.0), (200.0, 50.0)];
    let vertices = corners.map(|(x, z)| Vec3::new(x, 0.0, z)).to_vec();
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [2, 1, 3]]).unwrap();
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    let collider = ColliderDesc::new(mesh).with_part_materials(vec![PartMaterial::new(ice(friction)); 2]);
    BodyDesc::fixed(collider)
}

/// From 20 m/s with all wheels locked it stops after v^2 / (2 mu g), with mu by the friction of the
/// ground: of a body, of one of two colliders, or of a triangle.
#[test]
fn r_the_ground_counts_in_the_distance_of_braking() {
    for friction in [0.05_f32, 0.2, 0.5, 0.9] {
        let expected = 400.0 / (2.0 * on(friction) * 9.81);
        let slab = || ColliderDesc::new(cuboid(Vec3::new(200.0, 0.5, 50.0)));
        let lower = slab().with_position(Vec3::Y * -2.0);
        let two = BodyDesc::fixed(lower)
            .with_collider(slab().with_position(Vec3::Y * -0.5).with_material(ice(friction)));
        let grounds = [BodyDesc::fixed(plane()).with_friction(friction), two, mesh_road(friction)];
        for (kind, ground) in grounds.into_iter().enumerate() {
            let travel = braking_distance(ground, 1.2 * 20.0 / (on(friction) * 9.81));
            println!("ground {kind} of friction {friction}: {travel} of {expected}");
            // As in `brakes_in_the_distance_of_coulomb`.
            assert!((travel / expected - 1.0).abs() < 0.02, "{friction}: {travel} of {expected}");
        }
    }
}

#[test]
fn r_nothing_holds_on_perfect_ice() {
    let travel = braking_distance(BodyDesc::fixed(plane()).with_friction(0.0), 3.0);
    assert!((travel - 60.0).abs() < 0.1, "{travel}");
    let (mut world, mut car) = standing_on(BodyDesc::fixed(plane()).with_friction(0.0));
    run(&mut world, &mut car, &Controls::new().with_throttle(1.0).with_steer(0.3), 3.0, HERTZ);
    assert!(velocity(&world, car.chassis()).length() < 1e-3);
    assert!(car.wheels().iter().all(|wheel| wheel.traction.is_finite() && 2000.0 < wheel.load));
}

/// The combine rule of the ground counts as in a contact with a body of the default material.
#[test]
fn the_rule_of_the_ground_counts() {
    let ground = |friction: f32, rule| {
        let material = ice(friction).with_rules(rule, CombineRule::Max);
        BodyDesc::fixed(plane()).with_material(material)
    };
    let usual = braking_distance(BodyDesc::fixed(plane()), 3.0);
    let [rough, smooth] =
        [0.6, 0.1].map(|friction| braking_distance(ground(friction, CombineRule::Max), 3.0));
    let expected = 400.0 / (2.0 * GRIP * 0.6 / 0.5 * 9.81);
    assert_eq!(smooth, usual);
    assert!((rough / expected - 1.0).abs() < 0.02, "{rough} of {expected}");
    // The geometric mean is later in the list.
    let multiplied = braking_distance(ground(0.2, CombineRule::Multiply), 4.0);
    assert_eq!(multiplied, braking_distance(BodyDesc::fixed(plane()).with_friction(0.2), 4.0));
}

/// A car that starts with its left wheels on ice turns to the left, and the other way round.
#[test]
fn r_two_wheels_on_ice_turn_the_car() {
    let driven = |left: f32, right: f32| {
        let (mut world, mut car) = on_halves(left, right);
        run(&mut world, &mut car, &Controls::new().with_throttle(1.0), 3.0, HERTZ);
        heading(&world, &car)
    };
    let headings = [(0.02, 0.5), (0.5, 0.02), (0.5, 0.5)].map(|(left, right)| driven(left, right));
    println!("headings {headings:?}");
    assert!(0.05 < headings[0] && headings[1] < -0.05 && headings[2].abs() < 1e-3, "{headings:?}");
}

/// A car on a road whose left and right halves have these frictions.
fn on_halves(left: f32, right: f32) -> (World, Vehicle) {
    let mut world = World::new();
    for (z, friction) in [(-25.0, left), (25.0, right)] {
        let road = BodyDesc::fixed(cuboid(Vec3::new(200.0, 0.5, 25.0))).with_friction(friction);
        world.insert(road.with_position(Vec3::new(0.0, -0.5, z))).unwrap();
    }
    let mut car = car(&mut world, Pose::from_translation(Vec3::Y * STANDING));
    run(&mut world, &mut car, &BRAKED, 2.0, HERTZ);
    (world, car)
}

/// Returns the angle of the car to the left.
fn heading(world: &World, car: &Vehicle) -> f32 {
    let ahead = world.body(car.chassis()).unwrap().rotation() * Vec3::X;
    // The left is at -z.
    (-ahead.z).atan2(ahead.x)
}

/// With all wheels locked, a car turns to the side that grips: by the torque of the two forces,
/// because a tyre that slides ahead does not hold it aside.
#[test]
fn r_locked_wheels_on_half_ice_turn_the_car() {
    let time = 0.3;
    // The forces of the two sides at half the track of 1.5 m, and the inertia of the chassis.
    let torque = 0.5 * 9.81 * 0.75 * (on(0.5) - on(0.02));
    let expected = 0.5 * torque / ((1.9 * 1.9 + 0.8 * 0.8) / 3.0) * time * time;
    for (left, right, expected) in [(0.02, 0.5, -expected), (0.5, 0.02, expected), (0.5, 0.5, 0.0)] {
        let (mut world, mut car) = on_halves(left, right);
        set_off(&mut world, &car, 20.0);
        run(&mut world, &mut car, &BRAKED, time, HERTZ);
        let found = heading(&world, &car);
        println!("{left} and {right}: {found} of {expected} rad");
        // The tyres resist the rotation a little, because it gives them a speed aside.
        assert!((found - expected).abs() < 1e-3 + 0.15 * expected.abs(), "{found} of {expected} rad");
    }
}

/// A locked car that slides at an angle to its wheels loses its speed against its motion, and does
/// not turn aside.
#[test]
fn r_a_locked_car_slides_straight_at_any_angle() {
    for degrees in [0.0_f32, 10.0, 30.0] {
        let (mut world, mut car) = standing_on(BodyDesc::fixed(plane()));
        let (sin, cos) = degrees.to_radians().sin_cos();
        let direction = Vec3::new(cos, 0.0, sin);
        let mut chassis = world.body_mut(car.chassis()).unwrap();
        chassis.set_linear_velocity(direction * 15.0).unwrap().set_angular_velocity(Vec3::ZERO).unwrap();
        run(&mut world, &mut car, &BRAKED, 0.5, HERTZ);
        let v = velocity(&world, car.chassis());
        let (speed, aside) = (v.dot(direction), v.cross(direction).y);
        let expected = 15.0 - 0.5 * GRIP * 9.81;
        println!("{degrees} degrees: {speed} of {expected} m/s, {aside} m/s aside");
        assert!((speed - expected).abs() < 0.05 * expected, "{degrees} degrees: {speed} of {expected}");
        assert!(aside.abs() < 0.03 * expected, "{degrees} degrees: {aside} m/s aside");
    }
}

/// On a belt of friction f a locked car gains the speed of the belt at mu g.
#[test]
fn a_slippery_belt_carries_slowly() {
    for friction in [0.05_f32, 0.5] {
        let material = ice(friction).with_surface_velocity(Vec3::X * 8.0, Vec3::ZERO);
        let mut world = World::new();
        world.insert(BodyDesc::fixed(plane()).with_material(material)).unwrap();
        let mut car = car(&mut world, Pose::from_translation(Vec3::Y * (STANDING - 0.1)));
        run(&mut world, &mut car, &BRAKED, 0.5, HERTZ);
        let early = velocity(&world, car.chassis()).x;
        run(&mut world, &mut car, &BRAKED, 0.5, HERTZ);
        let gained = velocity(&world, car.chassis()).x - early;
        let expected = (0.5 * on(friction) * 9.81).min(8.0 - early);
        println!("friction {friction}: {gained} of {expected} m/s");
        assert!((gained - expected).abs() < 0.15 * expected.max(0.5), "{gained} of {expected}");
    }
}

/// Rear tyres that lose their grip aside let the tail go out, as a handbrake does. With the grip
/// back, the car drives straight.
#[test]
fn r_a_grip_is_changed_while_it_drives() {
    let turned = |rear: f64| {
        let (mut world, mut car) = standing_on(BodyDesc::fixed(plane()));
        set_off(&mut world, &car, 10.0);
        for wheel in [2, 3] {
            let desc = car.wheels()[wheel].desc;
            car.set_wheel(wheel, desc.with_grip(desc.grip[0], rear)).unwrap();
        }
        run(&mut world, &mut car, &Controls::new().with_steer(0.15), 1.0, HERTZ);
        let chassis = world.body(car.chassis()).unwrap();
        let (ahead, velocity) = (chassis.rotation() * Vec3::X, chassis.linear_velocity().normalize());
        ahead.dot(velocity).acos()
    };
    let [slip, skid] = [1.1, 0.1].map(turned);
    println!("the tail is out by {slip} and {skid} rad");
    assert!(slip < 0.15 && 0.5 < skid, "{slip} {skid}");
}

#[test]
fn a_brake_and_a_spring_are_changed() {
    let (mut world, mut car) = standing_on(BodyDesc::fixed(plane()));
    let before = car.wheels()[0].compression;
    for wheel in 0..4 {
        let desc = car.wheels()[wheel].desc.with_suspension(3.0, 0.5).with_max_brake_force(600.0);
        car.set_wheel(wheel, desc).unwrap();
    }
    run(&mut world, &mut car, &BRAKED, 3.0, HERTZ);
    // The compression falls with the square of the frequency.
    assert!((car.wheels()[0].compression / before - 0.25).abs() < 0.01);
    set_off(&mut world, &car, 10.0);
    run(&mut world, &mut car, &BRAKED, 1.0, HERTZ);
    let left = velocity(&world, car.chassis()).x;
    assert!((left - 8.0).abs() < 0.05, "2400 N brake 1200 kg: {left} m/s");
    // A refused change leaves all as it was.
    let same = car.clone();
    let desc = car.wheels()[0].desc;
    assert_eq!(car.set_wheel(0, desc.with_grip(-1.0, 1.0)), Err(SettingsError("grip")));
    assert_eq!(car.set_wheel(4, desc), Err(SettingsError("wheel")));
    assert_eq!(car, same);
}
