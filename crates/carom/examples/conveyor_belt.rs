//! A parcel goes along a straight belt and round a curve. The surfaces run; the bodies stand still.
//!
//! `cargo run -p carom --example conveyor_belt`

use carom::prelude::*;

const SPEED: f32 = 1.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    // Along x, and then a quarter of a circle about (0, 1.5) in x and z. The tops are at height 0.
    let belt = BodyDesc::fixed(Shape::cuboid(Vec3::new(3.0, 0.1, 0.5))?);
    let belt = belt.with_surface_velocity(Vec3::X * SPEED, Vec3::ZERO);
    let belt = world.insert(belt.with_position(Vec3::new(-3.0, -0.1, 0.0)))?;
    // The surface turns about the origin of the disc, at 1 rad/s.
    let disc = BodyDesc::fixed(Shape::cylinder(0.1, 2.0)?);
    let disc = disc.with_surface_velocity(Vec3::ZERO, Vec3::NEG_Y * (SPEED / 1.5));
    world.insert(disc.with_position(Vec3::new(0.0, -0.1, 1.5)))?;

    let parcel = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.2, 0.15, 0.2))?).with_friction(0.8);
    let parcel = world.insert(parcel.with_position(Vec3::new(-5.0, 0.15, 0.0)))?;
    for step in 1..=300 {
        world.step(1.0 / 60.0)?;
        if step % 30 == 0 {
            let body = world.body(parcel)?;
            let (at, speed) = (body.position(), body.linear_velocity().length());
            println!("{:.1} s: at x {:.2}, z {:.2}, with {speed:.2} m/s", step as f32 / 60.0, at.x, at.z);
        }
    }
    let at = world.body(parcel)?.position();
    let from_center = (at - Vec3::Z * 1.5).with_y(0.0).length();
    assert!(1.0 < at.x && (from_center - 1.5).abs() < 0.2, "it is in the curve: {at}");

    // The belt stops under a second parcel.
    let second = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.2))?).with_position(Vec3::new(-5.0, 0.2, 0.0));
    let second = world.insert(second)?;
    for _ in 0..60 {
        world.step(1.0 / 60.0)?;
    }
    assert!((world.body(second)?.linear_velocity().x - SPEED).abs() < 0.05);
    world.body_mut(belt)?.set_surface_velocity(Vec3::ZERO, Vec3::ZERO)?;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    println!("the second parcel stopped at x {:.2}", world.body(second)?.position().x);
    assert!(world.body(second)?.is_sleeping());
    Ok(())
}
