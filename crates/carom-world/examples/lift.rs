//! A lift carries a crate up to a shelf, and the shelf gives way.
//!
//! - `move_to` sets the pose of a kinematic body after the next step; bodies on it move along.
//! - `set_mobility` makes a static body dynamic, without a new handle.
//! - `apply_force` acts in the next step only.
//!
//! `cargo run --example lift -p carom-world`

use carom_broad::Mobility;
use carom_geom::Cuboid;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, World, WorldError};

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cuboid = |x, y, z| Cuboid::new(Vec3::new(x, y, z)).map(Shape::Cuboid);
    let mut world = World::new();
    let lift = world.insert(BodyDesc::kinematic(cuboid(1.0, 0.1, 1.0)?))?;
    let shelf = BodyDesc::fixed(cuboid(1.0, 0.1, 1.0)?).with_position(Vec3::new(2.1, 4.0, 0.0));
    let shelf = world.insert(shelf)?;
    let load = world.insert(BodyDesc::dynamic(cuboid(0.3, 0.3, 0.3)?).with_position(Vec3::Y * 0.4))?;

    // Up by 4 m in 3 s.
    for step in 1..=180 {
        let height = 4.0 * step as f32 / 180.0;
        world.body_mut(lift)?.move_to(Pose::from_translation(Vec3::Y * height))?;
        world.step(DT)?;
    }
    let at = report(&world, "on the lift", load)?;
    assert!(at.x.abs() < 0.01 && (at.y - 4.4).abs() < 0.01, "{at}");

    // Across to the shelf: a push of 0.8 of its weight against a friction of 0.5.
    let weight = 9.81 / world.body(load)?.motion().inverse_mass;
    for _ in 0..90 {
        let speed = world.body(load)?.linear_velocity().x;
        if world.body(load)?.position().x < 2.0 && speed < 1.5 {
            world.body_mut(load)?.apply_force(Vec3::X * 0.8 * weight)?;
        }
        world.step(DT)?;
    }
    (0..60).try_for_each(|_| world.step(DT).map(|_| ()))?;
    let at = report(&world, "on the shelf", load)?;
    assert!(1.5 < at.x && (at.y - 4.4).abs() < 0.01, "{at}");
    let below: Vec<_> = world.body(load)?.touching().collect();
    assert!(below.contains(&shelf));

    world.body_mut(shelf)?.set_mobility(Mobility::Dynamic)?;
    (0..30).try_for_each(|_| world.step(DT).map(|_| ()))?;
    let at = report(&world, "half a second after the shelf gave way", load)?;
    // g t^2 / 2.
    assert!((at.y - (4.4 - 9.81 / 8.0)).abs() < 0.05, "{at}");
    Ok(())
}

fn report(world: &World, label: &str, load: BodyId) -> Result<Vec3, WorldError> {
    let at = world.body(load)?.position();
    println!("{label}: the load is at ({:.2}, {:.2})", at.x, at.y);
    Ok(at)
}
