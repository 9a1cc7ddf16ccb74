//! A character crouches to pass under a beam, and stands up where there is room again.
//!
//! `cargo run -p carom --example crouch`

use carom::character::{Character, CharacterBody, CharacterSettings, Figure};
use carom::glam::DVec3;
use carom::world::Filter;
use carom::{BodyDesc, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    // The beam is 1 m above the ground, from x = 2 m to 4 m.
    let beam = BodyDesc::fixed(Shape::cuboid(Vec3::new(1.0, 0.5, 2.0))?);
    world.insert(beam.with_position(Vec3::new(3.0, 1.5, 0.0)))?;

    let (standing, crouching) = (Figure::capsule(1.8, 0.3)?, Figure::capsule(0.9, 0.3)?);
    let character = Character::new(standing, CharacterSettings::default(), DVec3::Y * 0.91)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;
    let dt = 1.0 / 60.0;
    let mut refused = 0;
    for step in 1..=360 {
        world.step(dt as f32)?;
        // It crouches when something stops it. Below the beam it walks slowly, and tries to stand
        // up in each step.
        let is_low = *hero.character().figure() == crouching;
        let walked = hero.walk(&mut world, DVec3::X * if is_low { 1.0 } else { 2.0 }, dt)?;
        if walked.left != DVec3::ZERO && !is_low {
            hero.set_figure(&mut world, crouching)?;
        } else if is_low && 1.9 < hero.character().feet().x && !hero.set_figure(&mut world, standing)? {
            refused += 1;
        }
        if step % 60 == 0 {
            let height = 2.0 * hero.character().figure().stature();
            println!("{} s: {height} m tall at x = {:.2} m", step / 60, hero.character().feet().x);
        }
    }
    assert!(4.3 < hero.character().feet().x, "it passed the beam");
    assert_eq!(*hero.character().figure(), standing);
    assert!(60 < refused, "below the beam there is no room to stand up");
    Ok(())
}
