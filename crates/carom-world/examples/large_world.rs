//! A world of 100 km: the origin of its frame follows the player, so that contacts stay exact.
//!
//! cargo run -p carom-world --example large_world

use carom_geom::{Cuboid, HalfSpace};
use carom_math::Vec3;
use carom_math::glam::DVec3;
use carom_query::Shape;
use carom_world::{BodyDesc, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    // A stack of boxes at home. After a while it sleeps.
    let unit = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?);
    let stack = |floor: u8| BodyDesc::dynamic(unit.clone()).with_position(Vec3::Y * (0.5 + f32::from(floor)));
    let stack = (0..5).map(|floor| world.insert(stack(floor))).collect::<Result<Vec<_>, _>>()?;
    (0..120).try_for_each(|_| world.step(1.0 / 60.0).map(|_| ()))?;
    let home = world.body(stack[4])?.wide_position();
    // A train that needs no floor takes the player to a city, 500 m in each second.
    let train = BodyDesc::kinematic(Shape::Cuboid(Cuboid::new(Vec3::new(10.0, 1.0, 1.0))?));
    let train = train.with_position(Vec3::new(0.0, 20.0, 0.0)).with_linear_velocity(Vec3::X * 500.0);
    let train = world.insert(train)?;
    let mut n_moves = 0;
    while world.body(train)?.wide_position().x < 100_000.0 {
        world.step(1.0 / 60.0)?;
        let player = world.body(train)?.wide_position() * DVec3::new(1.0, 0.0, 1.0);
        if 500.0 < (player - world.origin()).length() {
            world.set_origin(player)?;
            n_moves += 1;
        }
    }
    let position = world.body(train)?.wide_position();
    println!("the train is at {:.1} km; the frame moved {n_moves} times", position.x / 1000.0);
    println!("in the frame it is at {:.1} m", world.body(train)?.position().x);
    // Contacts are as exact there as at home; positions are f64.
    let tower = BodyDesc::dynamic(unit).with_wide_position(position + DVec3::new(0.0, -19.0, 3.0));
    let tower = world.insert(tower)?;
    (0..180).try_for_each(|_| world.step(1.0 / 60.0).map(|_| ()))?;
    println!("a box in the city lies at {:.3} m above the ground", world.body(tower)?.position().y);
    // And at home nothing has changed.
    world.set_origin(DVec3::ZERO)?;
    let off = (world.body(stack[4])?.wide_position() - home).length();
    println!("the stack at home is off by {off:.1e} m, asleep: {}", world.body(stack[4])?.is_sleeping());
    assert!(off < 1e-6, "the stack stays");
    Ok(())
}
