//! A capsule, a cylinder, a box and an ellipsoid walk over a step and against a slope made of
//! shapes.

use carom_character::{Character, CharacterSettings, Figure, ShapeWorld};
use carom_geom::f64::Cuboid;
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query::f64::Shape;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let cuboid = |half: DVec3| Cuboid::new(half).map(Shape::Cuboid);
    let mut world = ShapeWorld::new();
    // A floor, a step of 25 cm from 2 m on, and a ramp of 60 degrees from 6 m on, which is too
    // steep.
    world.insert(cuboid(DVec3::new(20.0, 0.5, 5.0))?, Pose::from_translation(DVec3::Y * -0.5));
    world.insert(cuboid(DVec3::new(5.0, 0.125, 5.0))?, Pose::from_translation(DVec3::new(7.0, 0.125, 0.0)));
    let steep = DQuat::from_rotation_z(60.0_f64.to_radians());
    world.insert(cuboid(DVec3::new(5.0, 0.5, 5.0))?, Pose::new(steep, DVec3::new(9.0, 3.0, 0.0)));

    for (name, figure) in [
        ("capsule", Figure::capsule(1.8, 0.3)?),
        ("cylinder", Figure::cylinder(1.8, 0.3)?),
        ("box", Figure::cuboid(DVec3::new(0.6, 1.8, 0.6))?),
        ("ellipsoid", Figure::ellipsoid(1.8, 0.3)?),
    ] {
        let mut character = Character::new(figure, CharacterSettings::default(), DVec3::Y)?;
        let mut highest = 0.0_f64;
        for _ in 0..360 {
            character.walk(&mut world, DVec3::X * 2.0, 1.0 / 60.0);
            highest = highest.max(character.feet().y);
        }
        let feet = character.feet();
        println!("{name:9} stands at {:.2} m, {:.2} m high, was {highest:.2} m high at most", feet.x, feet.y);
        assert!(2.0 < feet.x && 0.2 < feet.y && highest < 0.6, "{name}: {feet}");
    }
    Ok(())
}
