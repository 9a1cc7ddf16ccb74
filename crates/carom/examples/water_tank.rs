//! A box of half the density of water falls into a tank, and floats with its middle at the level.
//!
//! `cargo run -p carom --example water_tank --release`

use carom::prelude::*;

/// Half of the inner width of the tank, and half of the side of the box, in metres.
const WIDTH: f32 = 0.4;
const SIDE: f32 = 0.15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    for inward in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        world.insert(BodyDesc::fixed(Shape::half_space(inward)?).with_position(inward * -WIDTH))?;
    }
    // Balls of 8 cm fill the tank to a height of 40 cm.
    let pool = Shape::cuboid(Vec3::new(WIDTH, 0.2, WIDTH))?;
    let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.04);
    let water = world.insert_particles(water.with_filling(&pool, &Pose::from_translation(Vec3::Y * 0.2)))?;
    // If it lay flat on the floor, no water would get below it, and it would stay there.
    let raft = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(SIDE))?).with_density(500.0);
    let raft = world.insert(raft.with_position(Vec3::Y * 0.7))?;

    let (mut sum, mut n) = (0.0, 0);
    for step in 1..=300 {
        world.step(1.0 / 60.0)?;
        let height = world.body(raft)?.position().y;
        if step % 60 == 0 {
            println!("{} s: the box is {height:.3} m high", step / 60);
        }
        if 180 < step {
            (sum, n) = (sum + height, n + 1);
        }
    }
    // The box displaces half of its volume, and the level rises by that.
    let level = 0.4 + 4.0 * SIDE.powi(3) / (4.0 * WIDTH * WIDTH);
    let above = sum / n as f32 - level;
    println!("it floats {above:+.3} m from the level of {level:.3} m");
    assert!(above.abs() < 0.05);
    let positions = world.particles(water)?.positions();
    assert!(positions.iter().all(|p| p.x.abs() < WIDTH && p.z.abs() < WIDTH && 0.0 < p.y), "none leaves");
    Ok(())
}
