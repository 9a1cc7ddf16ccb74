//! Balls in a tunnel in which wind blows upwards, and a moon about a planet.
//!
//! Three force fields: a gravity in place of that of the world, the drag of a flow inside a box,
//! and the pull of a planet inside a ball.

use carom_geom::{ShapeError, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, ForceFieldDesc, ForceKind, ForceRegion, World};

fn ball(radius: f32) -> Result<BodyDesc, ShapeError> {
    Ok(BodyDesc::dynamic(Shape::Sphere(Sphere::new(radius)?)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let tunnel = ForceRegion::Cuboid { pose: Pose::IDENTITY, half_extents: Vec3::new(10.0, 50.0, 10.0) };
    let wind = ForceKind::Drag { linear: 2.0, angular: 2.0, flow: Vec3::Y * 4.0 };
    world.insert_force_field(ForceFieldDesc::inside(tunnel, wind))?;
    let mut balls = Vec::new();
    for x in [-4.0, 0.0, 4.0] {
        balls.push(world.insert(ball(0.5)?.with_position(Vec3::X * x))?);
    }

    // Far away: no gravity but that of the planet.
    let center = Vec3::X * 500.0;
    let space = ForceRegion::Ball { center, radius: 100.0 };
    world.insert_force_field(ForceFieldDesc::inside(space, ForceKind::Gravity(Vec3::ZERO)))?;
    let pull = ForceKind::Radial { center, strength: 1000.0, exponent: -2 };
    world.insert_force_field(ForceFieldDesc::inside(space, pull))?;
    // On a circle of radius 40: the speed is the root of 1000 / 40.
    let moon = ball(1.0)?.with_position(center + Vec3::Y * 40.0).with_linear_velocity(Vec3::Z * 5.0);
    let moon = world.insert(moon)?;

    for second in 1..=10 {
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        let speed = world.body(balls[0])?.linear_velocity().y;
        let distance = (world.body(moon)?.position() - center).length();
        println!("{second:>2} s: balls at {speed:.3} m/s, the moon {distance:.2} m from its planet");
    }
    // The wind holds a ball if the drag of its relative speed is the weight: 4 - 9.81 / 2. The drag
    // of a step is that of its start, before gravity adds 9.81 / 60.
    let speed = world.body(balls[0])?.linear_velocity().y;
    assert!((speed - (4.0 - 9.81 / 2.0 - 9.81 / 60.0)).abs() < 0.01, "{speed}");
    let distance = (world.body(moon)?.position() - center).length();
    assert!((distance - 40.0).abs() < 1.0, "{distance}");
    Ok(())
}
