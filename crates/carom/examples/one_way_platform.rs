//! A platform holds a ball that comes from above, and lets it pass from below. A hook decides that
//! inside the step.
//!
//! `cargo run -p carom --example one_way_platform`

use carom::prelude::*;

struct Platform(BodyId);

impl Hooks for Platform {
    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if let Some(plank) = contact.side_with(|side| side.id == self.0) {
            contact.make_one_way(plank, Vec3::Y);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    // Only bodies with hooks are asked about.
    let plank = BodyDesc::fixed(Shape::cuboid(Vec3::new(2.0, 0.1, 2.0))?).with_hooks(ActiveHooks::MODIFY);
    let plank = world.insert(plank.with_position(Vec3::Y * 2.0))?;
    let ball = BodyDesc::dynamic(Shape::sphere(0.3)?).with_linear_velocity(Vec3::Y * 9.0);
    let ball = world.insert(ball.with_position(Vec3::Y))?;

    let hooks = Platform(plank);
    let mut highest = 0.0_f32;
    for step in 1..=180 {
        world.step_with(1.0 / 60.0, StepOptions::new().with_hooks(&hooks))?;
        let height = world.body(ball)?.position().y;
        highest = highest.max(height);
        if step % 30 == 0 {
            println!("{:.1} s: the ball is {height:.2} m high", step as f32 / 60.0);
        }
    }
    assert!(4.0 < highest, "it flew up through the platform");
    // The top of the platform and a radius.
    assert!((world.body(ball)?.position().y - 2.4).abs() < 0.01, "and lies on it");
    Ok(())
}
