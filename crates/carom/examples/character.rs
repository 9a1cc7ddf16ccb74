//! A character walks, climbs a step, and pushes a box ahead of it until a wall stops both. The
//! program moves the character; forces alone move the box.
//!
//! `cargo run -p carom --example character`

use carom::character::{Character, CharacterBody, CharacterSettings, Figure};
use carom::glam::DVec3;
use carom::world::Filter;
use carom::{BodyDesc, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    // From x = 2 m on, the ground is 20 cm higher; a wall stands at 9 m.
    let terrace = BodyDesc::fixed(Shape::cuboid(Vec3::new(4.0, 0.1, 2.0))?);
    world.insert(terrace.with_position(Vec3::new(6.0, 0.1, 0.0)))?;
    let wall = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.5, 2.0, 2.0))?);
    world.insert(wall.with_position(Vec3::new(9.5, 2.0, 0.0)))?;
    // A box of 20 kg.
    let parcel =
        BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.3))?).with_density(20.0 / 0.216).with_friction(0.2);
    let parcel = world.insert(parcel.with_position(Vec3::new(4.0, 0.5, 0.0)))?;

    // 1.8 m tall, 0.3 m wide on each side. The position is that of its middle.
    let figure = Figure::capsule(1.8, 0.3)?;
    let character = Character::new(figure, CharacterSettings::default(), DVec3::Y * 0.91)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;
    let dt = 1.0 / 60.0;
    for step in 1..=480 {
        world.step(dt as f32)?;
        hero.walk(&mut world, DVec3::X * 1.5, dt)?;
        if step % 60 == 0 {
            let (feet, box_at) = (hero.character().feet(), world.body(parcel)?.position());
            println!("{} s: feet at {feet:.2}, the box at {box_at:.2}", step / 60);
        }
    }
    let (feet, box_at) = (hero.character().feet(), world.body(parcel)?.position());
    assert!((feet.y - 0.2).abs() < 0.05, "it climbed the step");
    assert!((box_at.x - 8.7).abs() < 0.05, "the box stands against the wall");
    assert!((feet.x - 8.1).abs() < 0.1, "and the character behind the box");
    Ok(())
}
