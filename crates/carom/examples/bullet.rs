//! A bullet of 800 m/s meets a steel sheet of a millimetre, between two frames. A cast says when it
//! will; in a world, a fast body stops there.
//!
//! `cargo run -p carom --example bullet`

use carom::query::ImpactSettings;
use carom::{BodyDesc, Pose, QueryFilter, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    let sheet = Shape::cuboid(Vec3::new(0.0005, 1.0, 1.0))?;
    let sheet = world.insert(BodyDesc::fixed(sheet).with_position(Vec3::X * 5.0))?;
    let bullet = Shape::sphere(0.004)?;
    let velocity = Vec3::X * 800.0;

    // One step covers 13 m. The proof: nothing touches before `safe_until`, in seconds.
    let path = carom::motion_of(&Pose::IDENTITY, Vec3::ZERO, velocity, Vec3::ZERO)?;
    let impact = world
        .query(&QueryFilter::SOLID)
        .cast_motion(&bullet, &path, &ImpactSettings::default())
        .ok_or("the bullet meets nothing")?;
    println!("the bullet meets the sheet after {:.4} ms", 1000.0 * impact.safe_until());
    assert_eq!(impact.body, sheet);
    // 5 m, less the radius and half of the sheet.
    assert!((impact.safe_until() - 4.9955 / 800.0).abs() < 1e-6);

    // The same as a body of the world.
    let shot = BodyDesc::dynamic(bullet).with_linear_velocity(velocity).with_gravity_scale(0.0);
    let shot = world.insert(shot.with_ccd(true))?;
    for _ in 0..3 {
        world.step(dt)?;
        println!("the bullet is at x = {:.4} m", world.body(shot)?.position().x);
        assert!(world.body(shot)?.position().x < 5.0, "it did not pass");
    }
    Ok(())
}
