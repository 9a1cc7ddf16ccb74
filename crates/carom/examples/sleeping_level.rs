//! A level is inserted asleep and costs nothing until a cannonball flies into it. The boxes that it
//! hits are removed in a loop over events. Then a tank is put on a truck, whose mass follows.
//!
//! `cargo run -p carom --example sleeping_level`

use carom::prelude::*;
use carom::world::BodyMass;

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let cube = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.5))?).with_density(100.0).with_sleeping(true);
    for k in 0..60 {
        let at = Vec3::new(2.0 * (k % 10) as f32, 0.5 + (k / 10 % 3) as f32, 4.0 * (k / 30) as f32);
        world.insert(cube.clone().with_position(at))?;
    }
    for _ in 0..60 {
        world.step(DT)?;
        assert_eq!(world.active_bodies().count(), 0);
    }

    let ball = BodyDesc::dynamic(Shape::sphere(0.4)?).with_ccd(true).with_density(2000.0);
    let ball = ball.with_position(Vec3::new(-5.0, 1.5, 0.0)).with_linear_velocity(Vec3::X * 60.0);
    let ball = world.insert(ball)?;
    let (mut events, mut n_hit) = (Vec::new(), 0);
    for _ in 0..30 {
        world.step(DT)?;
        // The loop may change the world, because it has the events.
        world.take_events(&mut events);
        for event in events.iter().filter(|event| event.kind == EventKind::Began) {
            if let Some(hit) = event.other(ball).filter(|&hit| 0 < hit.index()) {
                world.remove(hit)?;
                n_hit += 1;
            }
        }
    }
    println!("the ball hit {n_hit} boxes, and {} bodies are awake", world.active_bodies().count());
    assert!((1..30).contains(&n_hit) && world.len() == 62 - n_hit);
    let n_asleep = world.bodies().filter(|body| body.is_sleeping()).count();
    assert!(30 <= n_asleep, "the other row sleeps on: {n_asleep}");

    // The mass of the truck is given, whatever is put on it.
    let truck = BodyDesc::dynamic(Shape::cuboid(Vec3::new(2.0, 0.5, 1.0))?).with_density(250.0);
    let truck = world.insert(truck.with_mass(2500.0).with_position(Vec3::new(0.0, 0.5, 20.0)))?;
    let tank = ColliderDesc::new(Shape::capsule(1.0, 0.5)?).with_position(Vec3::Y).with_density(0.0);
    let tank = world.insert_collider(truck, tank)?;
    assert_eq!(world.body(truck)?.mass(), 2500.0);
    // From here on it is that of the truck, 2000 kg, and of what is in the tank.
    world.body_mut(truck)?.set_mass_source(BodyMass::Colliders)?;
    let empty = world.body(truck)?.mass();
    world.collider_mut(tank)?.set_density(1000.0)?;
    let (full, center) = (world.body(truck)?.mass(), world.body(truck)?.mass_properties().center);
    println!("the truck has {empty:.0} kg, and {full:.0} kg with the tank full");
    assert!((empty - 2000.0).abs() < 0.1 && 4000.0 < full && 0.4 < center.y);
    Ok(())
}
