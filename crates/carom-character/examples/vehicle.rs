//! A vehicle pushes a box up a ramp of 15 degrees, and parks there.
//!
//! `cargo run -p carom-character --features world --example vehicle`

use carom_character::{Controls, Vehicle, WheelDesc};
use carom_geom::{Cuboid, HalfSpace, ShapeError};
use carom_math::Pose;
use carom_math::glam::{DVec3, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, World};

/// Returns a box with this mass and these half extents.
fn solid(mass: f32, half: Vec3) -> Result<BodyDesc, ShapeError> {
    let density = mass / (8.0 * half.x * half.y * half.z);
    Ok(BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(half)?)).with_density(density))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let slope = Quat::from_rotation_z(15_f32.to_radians());
    let at = |position: Vec3| Pose::new(slope, slope * position);
    let mut world = World::new();
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y)?);
    world.insert(BodyDesc::fixed(plane).with_pose(at(Vec3::ZERO)))?;
    let load = solid(60.0, Vec3::splat(0.4))?.with_pose(at(Vec3::new(4.0, 0.4, 0.0)));
    let load = world.insert(load)?;
    let chassis = solid(1200.0, Vec3::new(1.9, 0.55, 0.8))?.with_pose(at(Vec3::Y * 0.85));
    let mut car = Vehicle::new(world.insert(chassis)?);
    let wheel = WheelDesc::new(0.35).with_suspension(1.5, 0.5).with_travel(0.3);
    for z in [-0.75, 0.75] {
        car.add_wheel(wheel.with_mount(DVec3::new(1.3, -0.5, z)).with_max_steer(0.6))?;
        car.add_wheel(wheel.with_mount(DVec3::new(-1.3, -0.5, z)).with_max_drive_force(3000.0))?;
    }
    let dt = 1.0 / 60.0;
    for frame in 0..600 {
        let controls = match frame / 60 {
            1..4 => Controls::new().with_throttle(0.8),
            _ => Controls::new().with_brake(1.0),
        };
        car.drive(&mut world, &controls, f64::from(dt))?;
        world.step(dt)?;
        if frame % 60 == 59 {
            let along =
                |id| Ok::<f32, carom_world::WorldError>((slope.inverse() * world.body(id)?.position()).x);
            let loads: f64 = car.wheels().iter().map(|wheel| wheel.load).sum();
            println!(
                "{:2} s: car at {:6.2} m, {:6.3} m/s, {loads:6.0} N on its wheels; box at {:6.2} m",
                frame / 60 + 1,
                along(car.chassis())?,
                car.speed(),
                along(load)?,
            );
        }
    }
    Ok(())
}
