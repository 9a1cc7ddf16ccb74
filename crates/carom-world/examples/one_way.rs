//! A one-way platform by a hook: it holds bodies from above, and lets bodies from below pass.
//!
//! The hook is called within the step, before contacts are solved, for the pairs of the platform.
//!
//! `cargo run --example one_way -p carom-world`

use carom_geom::{Cuboid, HalfSpace, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{ActiveHooks, BodyDesc, BodyId, ContactMut, Hooks, StepOptions, World};

struct OneWay(BodyId);

impl Hooks for OneWay {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if let Some(solid) = contact.side_with(|side| side.id == self.0) {
            contact.make_one_way(solid, Vec3::Y);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    let platform = Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 0.1, 2.0))?);
    let platform = BodyDesc::fixed(platform).with_position(Vec3::Y * 3.0).with_hooks(ActiveHooks::MODIFY);
    let platform = world.insert(platform)?;
    let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.3)?)).with_position(Vec3::Y * 0.3);
    let ball = world.insert(ball.with_linear_velocity(Vec3::Y * 9.0))?;

    let hooks = OneWay(platform);
    for step in 0..=120 {
        if step % 20 == 0 {
            let height = world.body(ball)?.position().y;
            let side = if height < 3.0 { "below" } else { "above" };
            println!("{:.2} s: the ball is at {height:.2} m, {side} the platform", step as f32 / 60.0);
        }
        world.step_with(1.0 / 60.0, StepOptions::new().with_hooks(&hooks))?;
    }
    Ok(())
}
