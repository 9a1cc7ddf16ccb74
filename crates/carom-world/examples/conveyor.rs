//! A parcel moves along a belt, around a curve, and along a second belt, which is stopped under it.
//!
//! `cargo run --release --example conveyor -p carom-world`

use carom_geom::Cuboid;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, World};
use core::f32::consts::FRAC_PI_2;

const SPEED: f32 = 1.5;

fn cuboid(half: Vec3) -> Result<Shape, carom_geom::ShapeError> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let straight = cuboid(Vec3::new(3.0, 0.1, 0.5))?;
    // Along x, then a quarter of a circle of radius 1, then along -z; the tops are at height 0.
    let first = BodyDesc::fixed(straight.clone()).with_position(Vec3::new(-3.0, -0.1, 1.0));
    world.insert(first.with_surface_velocity(Vec3::X * SPEED, Vec3::ZERO))?;
    // The centre of the circle is the body's origin, and its surface turns about it.
    let curve = BodyDesc::fixed(cuboid(Vec3::new(1.5, 0.1, 1.5))?).with_position(Vec3::new(1.5, -0.1, 1.5));
    let center = Vec3::new(0.0, 0.0, 0.0) - curve.pose.translation;
    let spin = Vec3::Y * SPEED;
    // For a curve about another point than the origin, set the velocity of the circle at the
    // origin.
    world.insert(curve.with_surface_velocity(-spin.cross(center), spin))?;
    let along = Quat::from_rotation_y(FRAC_PI_2);
    let last = BodyDesc::fixed(straight).with_pose(Pose::new(along, Vec3::new(1.0, -0.1, -3.0)));
    let last = world.insert(last.with_surface_velocity(Vec3::X * SPEED, Vec3::ZERO))?;

    let parcel =
        BodyDesc::dynamic(cuboid(Vec3::new(0.2, 0.15, 0.2))?).with_position(Vec3::new(-5.0, 0.15, 1.0));
    let parcel = world.insert(parcel)?;
    for frame in 0..600 {
        if frame == 440 {
            world.body_mut(last)?.set_surface_velocity(Vec3::ZERO, Vec3::ZERO)?;
            println!("the last belt stops");
        }
        world.step(1.0 / 60.0)?;
        if frame % 60 == 59 {
            let at = world.body(parcel)?.position();
            let speed = world.body(parcel)?.linear_velocity().length();
            println!("second {:2}: x {:5.2}, z {:5.2}, {speed:.2} m/s", frame / 60 + 1, at.x, at.z);
        }
    }
    println!("asleep: {}", world.body(parcel)?.is_sleeping());
    Ok(())
}
