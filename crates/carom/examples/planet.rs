//! A character walks round a planet, among stones that fall to it from all sides. Its up direction
//! follows the gravity of the planet.
//!
//! `cargo run -p carom --example planet`

use carom::prelude::*;
use carom::world::{ForceFieldDesc, ForceKind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (dt, radius) = (1.0 / 60.0, 20.0_f32);
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let planet = world.insert(BodyDesc::fixed(Shape::sphere(radius)?).with_friction(0.8))?;
    // 9.81 m/s^2 on the ground, and less with the square of the distance.
    let strength = 9.81 * radius * radius;
    let gravity = ForceKind::Radial { center: Vec3::ZERO, strength, exponent: -2 };
    world.insert_force_field(ForceFieldDesc::everywhere(gravity))?;
    // Stones over six places, beside the way of the character.
    let mut stones = Vec::new();
    for way in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
        let way = (way + Vec3::Z * 0.3).normalize();
        let stone = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.4))?).with_friction(0.8);
        let turn = Quat::from_rotation_arc(Vec3::Y, way);
        stones.push(world.insert(stone.with_pose(Pose::new(turn, way * (radius + 1.0))))?);
    }

    let start = DVec3::Y * 20.92;
    let character = Character::new(Figure::capsule(1.8, 0.3)?, CharacterSettings::default(), start)?;
    let mut hero = CharacterBody::insert(&mut world, character, Filter::default())?;
    // Once round at 4 m/s takes 31.4 s.
    let (speed, mut angle, mut last) = (4.0, 0.0, DVec3::Y);
    for step in 1..=1885 {
        world.step(dt)?;
        // Away from the middle of the planet is up.
        let up = hero.character().position().normalize();
        hero.character_mut().set_up(up);
        let ahead = up.cross(DVec3::Z).normalize();
        hero.walk(&mut world, ahead * speed, f64::from(dt))?;
        let feet = hero.character().feet();
        angle += last.angle_between(feet.normalize());
        last = feet.normalize();
        if step % 300 == 0 {
            println!("{} s: feet at {feet:.1}, {:.0} degrees round", step / 60, angle.to_degrees());
        }
    }
    let feet = hero.character().feet();
    println!("back at {feet:.1}");
    assert_eq!(hero.ground(), Some(planet), "it stands on the planet");
    assert!((feet - DVec3::Y * 20.0).length() < 0.6, "it is back where it began");
    for stone in stones {
        let stone = world.body(stone)?;
        assert!((stone.position().length() - radius - 0.4).abs() < 0.05, "the stone lies on the planet");
        assert!(stone.is_sleeping(), "and sleeps");
    }
    Ok(())
}
