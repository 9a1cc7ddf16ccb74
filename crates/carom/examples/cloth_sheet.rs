//! A cloth falls on a ball. The ball rolls out from under it, and takes the cloth along.
//!
//! `cargo run -p carom --example cloth_sheet --release`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let ball = BodyDesc::dynamic(Shape::sphere(0.5)?).with_density(60.0).with_position(Vec3::Y * 0.5);
    let ball = world.insert(ball)?;
    // 2 m by 2 m, 150 g per square metre.
    let sheet = SoftBodyDesc::grid([2.0, 2.0], [24, 24], ClothSettings::default().with_damping(2.0));
    let sheet = sheet.with_density(0.15).with_thickness(0.03).with_position(Vec3::Y * 1.3);
    let sheet = world.insert_soft_body(sheet)?;

    for step in 1..=180 {
        if step == 90 {
            let highest = world.soft_body(sheet)?.positions().iter().map(|p| p.y).fold(0.0, f32::max);
            println!("the cloth lies on the ball, up to {highest:.2} m high");
            assert!((highest - 1.0).abs() < 0.05);
            assert!(world.soft_body(sheet)?.touching().any(|body| body == ball));
            world.body_mut(ball)?.apply_impulse_at(Vec3::X * 60.0, Vec3::Y * 0.5)?;
        }
        world.step(1.0 / 60.0)?;
    }
    // A renderer draws these vertices.
    let positions = world.soft_body(sheet)?.positions();
    let middle = positions.iter().copied().sum::<Vec3>() / positions.len() as f32;
    let at = world.body(ball)?.position();
    println!("the ball is at x {:.2} m, the middle of the cloth at {:.2} m", at.x, middle.x);
    assert!(0.3 < at.x && 0.05 < middle.x, "the ball takes the cloth along");
    // The ball presses the vertices below it by up to the thickness of the cloth into the ground.
    assert!(positions.iter().all(|p| 0.48 < p.distance(at) && -0.03 < p.y), "no vertex is deep in a body");
    Ok(())
}
