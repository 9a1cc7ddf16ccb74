//! A tower of bricks falls on a floor, comes to rest and falls asleep. Events say which bodies
//! began to touch.
//!
//! `cargo run -p carom --example world`

use carom::world::EventKind;
use carom::{BodyDesc, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let brick = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.5, 0.25, 0.5))?);
    let mut tower = Vec::new();
    for i in 0..6 {
        let at = Vec3::Y * (0.35 + 0.6 * i as f32);
        tower.push(world.insert(brick.clone().with_position(at))?);
    }

    let mut n_landings = 0;
    for step in 1..=600 {
        world.step(1.0 / 60.0)?;
        for event in world.events().iter().filter(|event| event.kind == EventKind::Began) {
            let number = |body| tower.iter().position(|&brick| brick == body);
            let [a, b] = [event.a, event.b]
                .map(|body| number(body).map_or("the floor".to_string(), |i| format!("brick {i}")));
            println!("{:.2} s: {b} meets {a}", step as f32 / 60.0);
            n_landings += 1;
        }
    }
    assert!(6 <= n_landings, "each brick landed on something");

    let top = world.body(tower[5])?.position();
    println!("the top brick is at {top:.3}, asleep: {}", world.body(tower[5])?.is_sleeping());
    // Six bricks of half a metre: the middle of the last is at 2.75 m.
    assert!((top - Vec3::Y * 2.75).length() < 0.05);
    assert!(world.body(tower[5])?.is_sleeping());
    Ok(())
}
