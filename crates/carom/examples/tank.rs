//! A tracked vehicle turns on the spot: the wheels of its sides are driven against each other. Then
//! it drives off, and through a wall of boxes.
//!
//! `cargo run -p carom --example tank`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    // 20 t, with three wheels on each side. Their grip aside is low, so that they can slip.
    let hull = BodyDesc::dynamic(Shape::cuboid(Vec3::new(3.0, 0.5, 1.5))?).with_mass(20_000.0);
    let hull = world.insert(hull.with_position(Vec3::Y * 1.2))?;
    let mut tank = Vehicle::new(hull);
    let wheel = WheelDesc::new(0.5).with_grip(1.0, 0.4).with_max_drive_force(20_000.0);
    for (x, z) in [-1.6, 1.6].into_iter().flat_map(|z| [-2.4, 0.0, 2.4].map(|x| (x, z))) {
        tank.add_wheel(wheel.with_mount(DVec3::new(x, -0.4, z)))?;
    }
    // A wall to the left of the tank, across its way after a quarter of a turn.
    let mut boxes = Vec::new();
    for k in 0..12 {
        let (row, column) = ((k / 4) as f32, (k % 4) as f32);
        let block = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.5, 0.2, 0.3))?).with_mass(60.0);
        let position = Vec3::new(1.05 * column - 1.6, 0.2 + 0.4 * row, -12.0);
        boxes.push(world.insert(block.with_position(position))?);
    }

    let both = |left: f64, right: f64| {
        let side = |throttle| Controls::new().with_throttle(throttle);
        [left, left, left, right, right, right].map(side)
    };
    let mut is_turned = false;
    for step in 1..=600 {
        let ahead = world.body(hull)?.rotation() * Vec3::X;
        is_turned |= ahead.z < -0.97;
        let controls = match (is_turned, step) {
            // Left back, right ahead: a turn to the left on the spot.
            (false, _) => both(-0.8, 0.8),
            (true, 0..=480) => both(0.4, 0.4),
            (true, _) => [Controls::new().with_brake(1.0); 6],
        };
        tank.drive_each(&mut world, &controls, f64::from(dt))?;
        world.step(dt)?;
        if step % 60 == 0 {
            let at = world.body(hull)?.position();
            println!("{} s: at {at:.1}, looks along {ahead:.2}, {:.1} m/s", step / 60, tank.speed());
        }
        if !is_turned {
            assert!(world.body(hull)?.position().with_y(0.0).length() < 0.2, "it turns on the spot");
        }
    }
    let at = world.body(hull)?.position();
    assert!(is_turned && at.z < -14.0, "it turned left and drove through the wall");
    assert!(tank.speed().abs() < 0.1, "it stands");
    let mut n_moved = 0;
    for &block in &boxes {
        n_moved += usize::from(0.5 < (world.body(block)?.position().z + 12.0).abs());
    }
    assert!(6 < n_moved, "the wall fell: {n_moved} boxes moved");
    Ok(())
}
