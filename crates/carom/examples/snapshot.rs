//! A world is saved, goes on, is set back to the saved state, and goes on again: to the same bits.
//! Rollback in a network game works like this.
//!
//! `cargo run -p carom --example snapshot`

use carom::{BodyDesc, Shape, Vec3, World};

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let brick = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.25))?);
    for i in 0..30 {
        world.insert(brick.clone().with_position(Vec3::new(
            0.0,
            0.3 + 0.52 * i as f32,
            0.02 * (i % 3) as f32,
        )))?;
    }
    let ball = BodyDesc::dynamic(Shape::sphere(0.4)?).with_density(5000.0);
    let ball = world.insert(ball.with_position(Vec3::new(-6.0, 2.0, 0.0)))?;
    for _ in 0..30 {
        world.step(DT)?;
    }

    // The state of all bodies, contacts and caches. Shapes are shared, not copied.
    let saved = world.snapshot();
    println!("saved:              {:016x}", world.state_hash());

    // The player shoots the ball at the tower.
    world.body_mut(ball)?.set_linear_velocity(Vec3::X * 20.0)?.set_angular_velocity(Vec3::ZERO)?;
    for _ in 0..90 {
        world.step(DT)?;
    }
    let shot = world.state_hash();
    println!("after the shot:     {shot:016x}");

    // The message was wrong: back to the saved state, without the shot.
    world.restore(&saved)?;
    println!("restored:           {:016x}", world.state_hash());
    for _ in 0..90 {
        world.step(DT)?;
    }
    println!("without the shot:   {:016x}", world.state_hash());
    assert_ne!(world.state_hash(), shot);

    // And once more with it. Handles are as they were.
    world.restore(&saved)?;
    world.body_mut(ball)?.set_linear_velocity(Vec3::X * 20.0)?.set_angular_velocity(Vec3::ZERO)?;
    for _ in 0..90 {
        world.step(DT)?;
    }
    println!("the shot once more: {:016x}", world.state_hash());
    assert_eq!(world.state_hash(), shot, "the same bits");
    Ok(())
}
