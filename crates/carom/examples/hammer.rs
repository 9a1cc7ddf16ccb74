//! A hammer falls on an anvil: one body with a wooden handle, a steel head, and a sensor around the
//! head. Each collider has its own density, material and name.
//!
//! `cargo run -p carom --example hammer`

use carom::prelude::*;

const HANDLE: u64 = 1;
const HEAD: u64 = 2;
const NEAR_HEAD: u64 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let anvil = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.2, 0.15, 0.1))?);
    let anvil = world.insert(anvil.with_position(Vec3::Y * 0.15))?;

    // The handle lies along x. The head is at its end, and the sensor around the head.
    let handle = ColliderDesc::new(Shape::cuboid(Vec3::new(0.15, 0.012, 0.012))?);
    let handle = handle.with_density(700.0).with_material(Material::new(0.6, 0.0)).with_user_data(HANDLE);
    let end = Pose::from_translation(Vec3::X * 0.15);
    let head = ColliderDesc::new(Shape::cuboid(Vec3::new(0.02, 0.05, 0.02))?).with_pose(end);
    let head = head.with_density(7800.0).with_material(Material::new(0.3, 0.4)).with_user_data(HEAD);
    let sensor = ColliderDesc::new(Shape::sphere(0.2)?).with_pose(end);
    let sensor = sensor.with_sensor(true).with_user_data(NEAR_HEAD);
    let hammer = BodyDesc::dynamic(handle).with_collider(head).with_collider(sensor);
    let hammer = world.insert(hammer.with_position(Vec3::new(-0.15, 0.8, 0.0)))?;

    // 0.121 kg of wood and 1.248 kg of steel: the centre of mass is near the head.
    let view = world.body(hammer)?;
    let lever = view.center_of_mass().x - view.position().x;
    println!("{:.3} kg, its centre of mass is {:.3} m from the middle of the handle", view.mass(), lever);
    assert!((view.mass() - 1.369).abs() < 0.001 && (lever - 0.1368).abs() < 0.001);

    let mut began = Vec::new();
    for step in 1..=120 {
        world.step(1.0 / 60.0)?;
        for event in world.events().iter().filter(|event| event.kind == EventKind::Began) {
            let collider = world.collider(event.collider_b())?;
            let what = if event.is_sensor { "comes near" } else { "strikes" };
            let time = step as f32 / 60.0;
            println!("{time:.2} s: collider {} {what} body {}", collider.user_data(), event.a.index());
            began.push((event.a, collider.user_data()));
        }
    }
    let first_on_anvil = |name: u64| began.iter().position(|&(a, collider)| a == anvil && collider == name);
    let [near, struck] = [NEAR_HEAD, HEAD].map(first_on_anvil);
    assert!(near.is_some() && near < struck, "the sensor notices the anvil before the head strikes it");

    // The head comes off, and the hammer is a stick.
    let head = world.body(hammer)?.colliders().nth(1).ok_or("no head")?.id();
    world.remove_collider(head)?;
    println!("without its head it has {:.3} kg", world.body(hammer)?.mass());
    assert!((world.body(hammer)?.mass() - 0.1210).abs() < 0.001);
    assert!(world.collider(head).is_err(), "a handle of what was removed is an error");
    Ok(())
}
