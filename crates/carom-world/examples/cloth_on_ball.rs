//! A cloth falls on a ball. The ball is pushed, rolls out from under it, and drags it along.
//!
//! `cargo run --release --example cloth_on_ball -p carom-world --features soft`

use carom_geom::{HalfSpace, Sphere};
use carom_math::{Ray, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, ClothSettings, QueryFilter, SoftBodyDesc, SoftSettings, World};

const RADIUS: f32 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_soft_settings(SoftSettings::default().with_iterations(8))?;
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    let ball = Shape::Sphere(Sphere::new(RADIUS)?);
    let ball = world.insert(BodyDesc::dynamic(ball).with_density(60.0).with_position(Vec3::Y * RADIUS))?;
    let silk = ClothSettings::default().with_damping(2.0);
    let sheet = SoftBodyDesc::grid([2.0, 2.0], [40, 40], silk).with_thickness(0.02).with_density(0.15);
    let sheet = world.insert_soft_body(sheet.with_position(Vec3::Y * 1.3))?;
    let middle = |world: &World| -> Result<Vec3, carom_world::WorldError> {
        let positions = world.soft_body(sheet)?.positions();
        Ok(positions.iter().copied().sum::<Vec3>() / positions.len() as f32)
    };
    for frame in 0..240 {
        if frame == 120 {
            // The cloth lies on the ball.
            let highest = world.soft_body(sheet)?.positions().iter().map(|p| p.y).fold(0.0, f32::max);
            println!("the cloth is up to {highest:.3} m high, its middle at {:.2}", middle(&world)?);
            assert!((highest - 2.0 * RADIUS).abs() < 0.03);
            assert!(world.soft_body(sheet)?.touching().any(|body| body == ball));
            // A ray from above meets it before the ball.
            let down = Ray::new(Vec3::new(0.1, 3.0, 0.1), Vec3::NEG_Y);
            let mut query = world.query(&QueryFilter::SOLID);
            let hit = query.cast_ray_soft(&down, 9.0).ok_or("no cloth on the ball")?;
            let below = query.cast_ray(&down, 9.0).ok_or("no ball")?;
            assert!(hit.t < below.hit.t);
            world.body_mut(ball)?.apply_impulse_at(Vec3::X * 60.0, Vec3::Y * RADIUS)?;
        }
        world.step(1.0 / 60.0)?;
    }
    let (at, cloth) = (world.body(ball)?.position(), middle(&world)?);
    println!("after 4 s the ball is at x {:.2} m, the middle of the cloth at {:.2} m", at.x, cloth.x);
    assert!(0.5 < at.x && 0.1 < cloth.x, "the ball takes the cloth along");
    // No vertex is in the ball or in the floor.
    for position in world.soft_body(sheet)?.positions() {
        assert!(RADIUS - 0.01 < position.distance(at) && -0.001 < position.y);
    }
    Ok(())
}
