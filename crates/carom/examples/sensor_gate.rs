//! A ball rolls through a gate, and a bullet hits a plate. The gate is a sensor, which only
//! notices; the plate reports how hard it is hit.
//!
//! `cargo run -p carom --example sensor_gate`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let gate = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.05, 1.0, 1.0))?).with_sensor(true);
    let gate = world.insert(gate.with_position(Vec3::new(3.0, 1.0, 0.0)))?;
    let ball = BodyDesc::dynamic(Shape::sphere(0.2)?)
        .with_linear_velocity(Vec3::X * 4.0)
        .with_angular_velocity(Vec3::NEG_Z * 20.0);
    let ball = world.insert(ball.with_position(Vec3::Y * 0.2))?;

    // A steel plate of 2 cm, which reports impulses above 0.5 Ns.
    let plate = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.01, 1.0, 1.0))?).with_impulse_threshold(0.5);
    let plate = world.insert(plate.with_position(Vec3::new(30.0, 1.0, 0.0)))?;
    // 10 g at 800 m/s: 13 m in a step.
    let bullet = BodyDesc::dynamic(Shape::sphere(0.005)?).with_density(0.01 / 5.236e-7).with_ccd(true);
    let bullet = bullet.with_linear_velocity(Vec3::X * 800.0).with_position(Vec3::new(-30.0, 1.5, 0.0));
    let bullet = world.insert(bullet)?;

    let (mut passed, mut momentum) = (Vec::new(), 0.0);
    for step in 1..=120 {
        world.step(dt)?;
        for event in world.events().iter().filter(|event| event.is_sensor && event.a == gate) {
            println!("{:.2} s: the gate: {:?} {:?}", step as f32 / 60.0, event.kind, event.b.index());
            passed.push((event.b, event.kind));
        }
        for hit in world.impulse_events().iter().filter(|hit| hit.other(plate) == Some(bullet)) {
            println!(
                "{:.2} s: the plate is hit with {:.2} Ns at {:.2}",
                step as f32 / 60.0,
                hit.total,
                hit.point
            );
            momentum += hit.total;
        }
    }
    assert!(passed.contains(&(ball, EventKind::Began)) && passed.contains(&(ball, EventKind::Ended)));
    assert!(5.0 < world.body(ball)?.position().x, "the gate did not stop the ball");
    assert!(world.body(bullet)?.position().x < 30.0, "the plate stopped the bullet");
    // 10 g times 800 m/s.
    assert!((momentum - 8.0).abs() < 0.1, "all its momentum went into the plate: {momentum}");
    Ok(())
}
