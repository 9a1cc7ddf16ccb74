//! Water in a tank, and a box of half its density that falls in and floats.
//!
//! `cargo run --release --example raft -p carom-world --features soft`

use carom_geom::{Cuboid, HalfSpace};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, Liquid, ParticlePhase, ParticlesDesc, World};

/// Half of the inner width of the tank.
const WIDTH: f32 = 0.5;
/// Half of the side of the box.
const SIDE: f32 = 0.15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    for inward in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y] {
        let wall = Shape::HalfSpace(HalfSpace::new(inward)?);
        let at = if inward == Vec3::Y { Vec3::ZERO } else { inward * -WIDTH };
        world.insert(BodyDesc::fixed(wall).with_position(at))?;
    }
    // Balls of 5 cm fill the tank to a height of 40 cm.
    let pool = Shape::Cuboid(Cuboid::new(Vec3::new(WIDTH, 0.2, WIDTH))?);
    let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.025);
    let water = world.insert_particles(water.with_filling(&pool, &Pose::from_translation(Vec3::Y * 0.2)))?;
    let box_ = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(SIDE))?)).with_density(500.0);
    let box_ = world.insert(box_.with_position(Vec3::Y * 0.7))?;
    // The water rises by the volume that the box displaces: half of its own.
    let area = 4.0 * WIDTH * WIDTH;
    let level = 0.4 + 0.5 * 8.0 * SIDE * SIDE * SIDE / area;
    let (mut sum, mut n) = (0.0, 0);
    for frame in 0..600 {
        world.step(1.0 / 60.0)?;
        let height = world.body(box_)?.position().y;
        if frame % 60 == 59 {
            println!("second {:2}: the box is {:+.3} m above the level", frame / 60 + 1, height - level);
        }
        if 480 <= frame {
            (sum, n) = (sum + height, n + 1);
        }
    }
    let above = sum / n as f32 - level;
    println!("the middle of the box floats {above:+.4} m from the level of {level:.3} m");
    assert!(above.abs() < 0.05 * 2.0 * SIDE, "half of the box is under water");
    for position in world.particles(water)?.positions() {
        assert!(
            position.x.abs() < WIDTH && position.z.abs() < WIDTH && 0.0 < position.y,
            "none leaves the tank"
        );
    }
    Ok(())
}
