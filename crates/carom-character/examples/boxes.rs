//! A character on a lift, in a world of bodies. The lift carries it, and it pushes a box ahead.

use carom_character::{Character, CharacterBody, CharacterSettings, Figure};
use carom_geom::Cuboid;
use carom_math::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, Filter, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let lift = world.insert(BodyDesc::kinematic(Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 0.1, 2.0))?)))?;
    // 20 kilograms.
    let light = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(0.3))?)).with_density(20.0 / 0.216);
    let light = world.insert(light.with_position(Vec3::new(0.8, 0.4, 0.0)))?;
    let character = Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), DVec3::Y * 1.1)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;
    let dt = 1.0 / 60.0;
    for i in 1..=240 {
        let height = 1.0 - (i as f32 / 60.0).cos();
        world.body_mut(lift)?.move_to(Pose::from_translation(Vec3::Y * height))?;
        world.step(dt as f32)?;
        hero.walk(&mut world, DVec3::X * 0.3, dt)?;
        if i % 60 == 0 {
            let (feet, n) = (hero.character().feet(), hero.contacts().len());
            let ahead = world.body(light)?.position();
            println!("feet at {feet:.3}, {n} contacts; the box at {ahead:.3}");
        }
    }
    Ok(())
}
