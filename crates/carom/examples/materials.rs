//! Three blocks slide over a floor: ice, wood and rubber. Each has a friction, and a rule by which
//! that is combined with the friction of the floor.
//!
//! `cargo run -p carom --example materials`

use carom::prelude::*;

const SPEED: f32 = 3.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    // If the rules differ, the later one counts: average, min, multiply, geometric mean, max.
    let floor = Material::new(0.6, 0.0).with_rules(CombineRule::Average, CombineRule::Max);
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_material(floor))?;

    let kinds = [
        ("ice", 0.02, CombineRule::Min, 0.02),
        ("wood", 0.4, CombineRule::Average, 0.5),
        ("rubber", 0.9, CombineRule::Max, 0.9),
    ];
    let mut blocks = Vec::new();
    for (lane, (name, friction, rule, of_pair)) in kinds.into_iter().enumerate() {
        let material = Material::new(friction, 0.0).with_rules(rule, CombineRule::Max);
        // Flat, so that it does not tip.
        let block = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.3, 0.05, 0.3))?).with_material(material);
        let block = block.with_position(Vec3::new(0.0, 0.05, lane as f32));
        blocks.push((name, world.insert(block.with_linear_velocity(Vec3::X * SPEED))?, of_pair));
    }
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    for (name, block, friction) in blocks {
        let body = world.body(block)?;
        let (distance, speed) = (body.position().x, body.linear_velocity().x);
        println!("{name}: {distance:.2} m in 2 s, and {speed:.2} m/s");
        // A block that slows down by a = friction times g stops after v^2 / 2a.
        let a = friction * 9.81;
        let expected = if SPEED < 2.0 * a { SPEED * SPEED / (2.0 * a) } else { 2.0 * SPEED - 2.0 * a };
        assert!((distance - expected).abs() < 0.05, "{name}: {distance} of {expected}");
    }
    Ok(())
}
