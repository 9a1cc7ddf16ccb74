//! Characters and cars in worlds whose origin is 100 km from zero move as at zero.

use crate::vehicles::{STANDING, chassis, position_of};
use carom_character::{
    Character, CharacterBody, CharacterSettings, Controls, Figure, RaySweep, Vehicle, WheelDesc, WorldSweep,
};
use carom_geom::{Cuboid, HalfSpace};
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, Filter, QueryFilter, World};

const FAR: DVec3 = DVec3::new(-100_000.7, 812.3, 99_999.1);

fn world_at(origin: DVec3) -> World {
    let mut world = World::new();
    world.set_origin(origin).unwrap();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
    world
}

fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

/// A character rides on a lift, steps off, and pushes a box. Returns the positions of both in each
/// frame, relative to the origin.
fn walk(origin: DVec3) -> Vec<DVec3> {
    let mut world = world_at(origin);
    let lift = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(1.0, 0.1, 1.0)))).unwrap();
    let crate_at = BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_density(40.0);
    let pushed = world.insert(crate_at.with_position(Vec3::new(3.0, 0.4, 0.0))).unwrap();
    let figure = Figure::capsule(1.8, 0.3).unwrap();
    let start = origin + DVec3::Y * (figure.stature() + 0.12);
    let hero = Character::new(figure, CharacterSettings::default(), start).unwrap();
    let mut hero = CharacterBody::insert(&mut world, hero, Filter::default()).unwrap();
    let mut positions = Vec::new();
    for frame in 1..=240 {
        let up = 0.4 - 0.4 * (0.05 * frame as f32).cos();
        world.body_mut(lift).unwrap().move_to(Pose::from_translation(Vec3::Y * up)).unwrap();
        world.step(1.0 / 60.0).unwrap();
        let wish = if frame < 120 { DVec3::ZERO } else { DVec3::X * 2.0 };
        hero.walk(&mut world, wish, 1.0 / 60.0).unwrap();
        positions.push(hero.character().position() - origin);
        positions.push(world.body(pushed).unwrap().wide_position() - origin);
    }
    positions
}

#[test]
fn a_character_walks_as_at_zero() {
    let (near, far) = (walk(DVec3::ZERO), walk(FAR));
    let moved = |positions: &[DVec3]| (positions[positions.len() - 1] - positions[1]).length();
    assert!(0.2 < moved(&near), "the box was pushed");
    let worst = near.iter().zip(&far).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    println!("off by {worst:.1e} m");
    assert!(worst < 1e-4, "{worst}");
}

/// A car drives a curve on the plane and brakes.
fn drive(origin: DVec3) -> Vec<DVec3> {
    let mut world = world_at(origin);
    let mut car = Vehicle::new(world.insert(chassis().with_position(Vec3::Y * STANDING)).unwrap());
    for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
        let wheel = WheelDesc::new(0.35).with_mount(DVec3::new(x, -0.5, z));
        let wheel = if x < 0.0 { wheel.with_max_drive_force(3000.0) } else { wheel.with_max_steer(0.6) };
        car.add_wheel(wheel).unwrap();
    }
    let mut positions = Vec::new();
    for frame in 0..360 {
        let controls = match frame {
            0..240 => Controls { throttle: 0.6, brake: 0.0, steer: 0.1 },
            _ => Controls { throttle: 0.0, brake: 1.0, steer: 0.1 },
        };
        car.drive(&mut world, &controls, 1.0 / 60.0).unwrap();
        world.step(1.0 / 60.0).unwrap();
        positions.push(position_of(&world, car.chassis()).as_dvec3());
    }
    positions
}

#[test]
fn a_car_drives_as_at_zero() {
    let (near, far) = (drive(DVec3::ZERO), drive(FAR));
    assert!(5.0 < near[359].length(), "it drove: {}", near[359]);
    let worst = near.iter().zip(&far).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    println!("off by {worst:.1e} m");
    assert!(worst < 1e-3, "{worst}");
}

/// Rays and sweeps take absolute positions.
#[test]
fn rays_take_absolute_positions() {
    let world = world_at(FAR);
    let mut sweep = WorldSweep::new(&world, QueryFilter::default());
    let hit = sweep.ray(FAR + DVec3::Y * 2.0, DVec3::Y * -4.0, None).unwrap();
    assert!((hit.t - 0.5).abs() < 1e-10, "{hit:?}");
    assert!(
        sweep.ray(DVec3::Y * 2.0 + DVec3::Y * FAR.y, DVec3::Y * -4.0, None).is_some(),
        "a plane has no end"
    );
}
