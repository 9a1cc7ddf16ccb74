//! Panes of glass that break when something pushes them hard, in a world of two dimensions.
//!
//! Panes and balls lock the axes that lead out of the plane. Each pane has an impulse threshold:
//! stronger impacts are reported, with point and speed.

use carom_geom::{Cuboid, HalfSpace, ShapeError, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, LockedAxes, World};

/// In newton seconds.
const BREAKS_AT: f32 = 12.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    let pane = |x: f32| -> Result<BodyDesc, ShapeError> {
        let shape = Shape::Cuboid(Cuboid::new(Vec3::new(0.1, 0.6, 0.4))?);
        Ok(BodyDesc::dynamic(shape)
            .with_position(Vec3::new(x, 0.6, 0.0))
            .with_density(40.0)
            .with_locked_axes(LockedAxes::OUT_OF_XY)
            .with_impulse_threshold(BREAKS_AT))
    };
    let mut panes = Vec::new();
    for x in [2.0, 4.0, 6.0, 8.0] {
        panes.push(world.insert(pane(x)?)?);
    }
    let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.2)?))
        .with_density(60.0)
        .with_position(Vec3::new(0.0, 0.8, 0.1))
        .with_linear_velocity(Vec3::new(20.0, 0.0, 1.0))
        .with_locked_axes(LockedAxes::OUT_OF_XY)
        .with_ccd(true);
    let ball = world.insert(ball)?;

    let mut n_broken = 0;
    for step in 0..240 {
        world.step(1.0 / 60.0)?;
        let events = world.impulse_events().to_vec();
        for event in events {
            let Some(&pane) = panes.iter().find(|&&pane| event.a == pane || event.b == pane) else {
                continue;
            };
            println!(
                "{:.2} s: {:.1} N s at height {:.2}, come together at {:.1} m/s",
                step as f32 / 60.0,
                event.total,
                event.point.y,
                event.approach_speed
            );
            world.remove(pane)?;
            panes.retain(|&other| other != pane);
            n_broken += 1;
        }
    }
    println!("{n_broken} panes broke, {} stand or lie", panes.len());
    let end = world.body(ball)?.position();
    println!("the ball lies at {end}");
    assert!(0 < n_broken && end.z == 0.1, "the ball left its plane");
    Ok(())
}
