//! A world is saved, goes on, is set back to the saved state, and goes on again: to the same bits.
//! Rollback in a network game works like this.
//!
//! `cargo run -p carom --example snapshot`

use carom::{BodyDesc, DynamicBvh, Shape, Vec3, World};

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
    let ball = BodyDesc::dynamic(Shape::sphere(0.4)?).with_density(5.0);
    let ball = world.insert(ball.with_position(Vec3::new(-6.0, 2.0, 0.0)))?;
    for _ in 0..30 {
        world.step(DT)?;
    }

    // The state of all bodies, contacts and caches. Shapes do not change, so they are kept apart.
    let saved = world.snapshot();
    println!("saved:              {:016x}", world.state_hash());

    // The player shoots the ball at the tower.
    world.body_mut(ball)?.set_velocity(Vec3::X * 20.0, Vec3::ZERO)?;
    for _ in 0..90 {
        world.step(DT)?;
    }
    let shot = world.state_hash();
    println!("after the shot:     {shot:016x}");

    // The message was wrong: back to the saved state, without the shot.
    let mut again =
        World::<DynamicBvh>::restored(&saved, |id| world.body(id).map(|body| body.shape()).ok().cloned())?;
    println!("restored:           {:016x}", again.state_hash());
    for _ in 0..90 {
        again.step(DT)?;
    }
    println!("without the shot:   {:016x}", again.state_hash());
    assert_ne!(again.state_hash(), shot);

    // And once more with it. Handles are as they were.
    let mut again =
        World::<DynamicBvh>::restored(&saved, |id| world.body(id).map(|body| body.shape()).ok().cloned())?;
    again.body_mut(ball)?.set_velocity(Vec3::X * 20.0, Vec3::ZERO)?;
    for _ in 0..90 {
        again.step(DT)?;
    }
    println!("the shot once more: {:016x}", again.state_hash());
    assert_eq!(again.state_hash(), shot, "the same bits");
    Ok(())
}
