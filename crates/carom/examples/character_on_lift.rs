//! A lift carries a character and a box. The character walks on the lift and pushes the box off.
//!
//! `cargo run -p carom --example character_on_lift`

use carom::prelude::*;

/// Returns the height of the lift after some seconds: up by 2 m in 4 s, and down again.
fn height(seconds: f32) -> f32 {
    1.0 - (seconds * std::f32::consts::FRAC_PI_4).cos()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_position(Vec3::NEG_Y * 0.2))?;
    let lift = BodyDesc::kinematic(Shape::cuboid(Vec3::new(2.0, 0.1, 2.0))?);
    let lift = world.insert(lift)?;
    // 20 kg.
    let parcel = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.4))?).with_density(20.0 / 0.512);
    let parcel = world.insert(parcel.with_position(Vec3::new(1.0, 0.5, 0.0)).with_friction(0.3))?;
    let character =
        Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), DVec3::Y * 1.01)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;

    for step in 1..=360 {
        let seconds = step as f32 / 60.0;
        // The lift is there after the step. It carries what is on it.
        world.body_mut(lift)?.move_to(Pose::from_translation(Vec3::Y * height(seconds)))?;
        world.step(dt)?;
        // The character stands for 3 s, and then walks to the edge.
        let is_walking = 180 < step && hero.character().feet().x < 1.4;
        let wish = if is_walking { DVec3::X } else { DVec3::ZERO };
        hero.walk(&mut world, wish, f64::from(dt))?;
        let feet = hero.character().feet();
        assert!((feet.y as f32 - height(seconds) - 0.1).abs() < 0.06, "it stands on the lift: {feet}");
        if step % 60 == 0 {
            let at = world.body(parcel)?.position();
            println!("{seconds} s: lift at {:.2} m, feet at {feet:.2}, box at {at:.2}", height(seconds));
        }
        if step == 180 {
            assert!(1.5 < world.body(parcel)?.position().y, "the box rides along");
        }
    }
    assert!(world.body(parcel)?.position().y < 0.5, "the box fell off");
    Ok(())
}
