//! Vehicles with any wheels and controls among bodies with any numbers.

use crate::bytes::Bytes;
use crate::world::{check_finite, insert, shape};
use carom_character::{Controls, Vehicle, WheelDesc};
use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, Filter, World};
use glam::DVec3;

/// Bodies beside the chassis, and wheels of one vehicle.
const MAX_BODIES: usize = 6;
const MAX_WHEELS: usize = 6;

/// Steps of one input.
const MAX_STEPS: usize = 24;

/// Returns a ground: a plane, a wide box, or any body, which may move.
fn insert_ground(world: &mut World, bytes: &mut Bytes<'_>) {
    let desc = match bytes.below(4) {
        0 => HalfSpace::new(Vec3::Y).ok().map(|plane| BodyDesc::fixed(Shape::HalfSpace(plane))),
        1 => Cuboid::new(Vec3::new(20.0, 0.5, 20.0)).ok().map(|slab| {
            let deck = BodyDesc::kinematic(Shape::Cuboid(slab)).with_position(Vec3::Y * -0.5);
            deck.with_linear_velocity(bytes.point_f32()).with_angular_velocity(bytes.point_f32())
        }),
        2 => Cuboid::new(Vec3::new(3.0, 0.1, 3.0)).ok().map(|slab| {
            let raft = BodyDesc::dynamic(Shape::Cuboid(slab)).with_position(Vec3::Y * -0.1);
            raft.with_density(bytes.size() as f32)
        }),
        _ => None,
    };
    let _ = desc.map(|desc| world.insert(desc));
}

fn wheel(bytes: &mut Bytes<'_>) -> WheelDesc {
    let mut wheel = WheelDesc::new(if bytes.byte() < 200 { 0.35 } else { bytes.size() });
    wheel = wheel.with_mount(bytes.point());
    if bytes.byte() < 64 {
        wheel = wheel.with_travel(bytes.size()).with_suspension(bytes.size(), bytes.size());
    }
    if bytes.byte() < 64 {
        wheel = wheel.with_grip(bytes.size(), bytes.size()).with_max_brake_force(bytes.size());
    }
    wheel.with_max_drive_force(bytes.size()).with_max_steer(if bytes.byte() < 128 {
        0.6
    } else {
        bytes.size()
    })
}

/// A vehicle is refused with a reason, or drives. The world stays consistent, and its numbers
/// finite.
pub fn vehicles(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut world = World::new();
    insert_ground(&mut world, &mut bytes);
    for _ in 0..bytes.below(MAX_BODIES) {
        insert(&mut world, &mut bytes);
    }
    let body = if bytes.byte() < 160 {
        Cuboid::new(Vec3::new(1.9, 0.55, 0.8)).ok().map(Shape::Cuboid)
    } else {
        shape(&mut bytes)
    };
    let Some(body) = body else { return };
    let pose = Pose::new(bytes.rotation_f32(), bytes.point_f32());
    let density = if bytes.byte() < 192 { 150.0 } else { bytes.size() as f32 };
    let desc = BodyDesc::dynamic(body).with_density(density).with_pose(pose);
    let Ok(chassis) =
        world.insert(desc.with_linear_velocity(bytes.point_f32()).with_angular_velocity(bytes.point_f32()))
    else {
        return;
    };
    let mut car = Vehicle::new(chassis).with_filter(Filter::default());
    for _ in 0..1 + bytes.below(MAX_WHEELS) {
        let n = car.wheels().len();
        if let Err(error) = car.add_wheel(wheel(&mut bytes)) {
            assert!(!error.to_string().is_empty() && car.wheels().len() == n);
        }
    }
    let mut n_steps = 0;
    while n_steps < MAX_STEPS {
        n_steps += 1;
        let number = |bytes: &mut Bytes<'_>, most: f64| {
            if bytes.byte() < 240 { most * f64::from(bytes.byte() as i8) / 128.0 } else { bytes.float() }
        };
        let controls = Controls::new()
            .with_throttle(number(&mut bytes, 1.0))
            .with_brake(number(&mut bytes, 1.0))
            .with_steer(number(&mut bytes, 0.6));
        let dt = if bytes.byte().is_multiple_of(16) { bytes.float() } else { 1.0 / 60.0 };
        let before = world.state_hash();
        if let Err(error) = car.drive(&mut world, &controls, dt) {
            assert!(!error.to_string().is_empty());
            assert_eq!(before, world.state_hash(), "a refused call changed something");
        }
        for wheel in car.wheels() {
            let numbers = [wheel.compression, wheel.load, wheel.steer, wheel.rolled];
            let vectors: [DVec3; 3] = [wheel.point, wheel.normal, wheel.traction];
            assert!(numbers.iter().all(|x| x.is_finite()), "{wheel:?}");
            assert!(vectors.iter().all(|v| v.is_finite()) && 0.0 <= wheel.load, "{wheel:?}");
        }
        match bytes.below(24) {
            0 => _ = insert(&mut world, &mut bytes),
            1 => {
                let other = world.body_ids().nth(bytes.below(world.len().max(1)));
                _ = other.map(|id| world.remove(id));
            }
            _ => {}
        }
        if let Err(error) = world.step(dt as f32) {
            assert!(!error.to_string().is_empty());
        }
        check_finite(&world);
        world.validate().unwrap();
    }
}
