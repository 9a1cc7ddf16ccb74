//! A car drives off, over a ramp and into a box, turns and brakes. Then the road freezes. It is a
//! body with four wheels on springs.
//!
//! `cargo run -p carom --example car`

use carom::prelude::*;

/// Returns the way that the car needs to stop from 10 m/s.
fn braking_distance(world: &mut World, car: &mut Vehicle, dt: f32) -> Result<f32, WorldError> {
    let chassis = world.body(car.chassis())?;
    let (from, ahead) = (chassis.position(), chassis.rotation() * Vec3::X);
    world.body_mut(car.chassis())?.set_linear_velocity(ahead * 10.0)?;
    for _ in 0..600 {
        car.drive(world, &Controls::new().with_brake(1.0), f64::from(dt))?;
        world.step(dt)?;
    }
    Ok(world.body(car.chassis())?.position().distance(from))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    let road = world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?).with_friction(0.8))?;
    // A ramp of 6 degrees, across the road from 15 m on.
    let ramp = BodyDesc::fixed(Shape::cuboid(Vec3::new(5.0, 0.5, 4.0))?);
    let tilt = Pose::new(Quat::from_rotation_z(0.1), Vec3::new(20.0, -0.1, 0.0));
    world.insert(ramp.with_pose(tilt))?;
    // A box of 60 kg in front of the car.
    let parcel = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.4))?).with_density(60.0 / 0.512);
    let parcel = world.insert(parcel.with_position(Vec3::new(6.0, 0.4, 0.0)))?;

    // 1200 kg. It looks along x.
    let half = Vec3::new(1.9, 0.4, 0.8);
    let chassis = BodyDesc::dynamic(Shape::cuboid(half)?).with_mass(1200.0);
    let chassis = world.insert(chassis.with_position(Vec3::Y * 0.9))?;
    let mut car = Vehicle::new(chassis);
    let wheel = WheelDesc::new(0.35).with_suspension(1.5, 0.5).with_travel(0.3);
    for side in [-0.75, 0.75] {
        car.add_wheel(wheel.with_mount(DVec3::new(1.3, -0.4, side)).with_max_steer(0.6))?;
        car.add_wheel(wheel.with_mount(DVec3::new(-1.3, -0.4, side)).with_max_drive_force(3000.0))?;
    }
    let (mut top_speed, mut highest) = (0.0_f64, 0.0_f32);
    for step in 1..=600 {
        let controls = match step {
            0..=240 => Controls::new().with_throttle(0.6),
            241..=420 => Controls::new().with_throttle(0.2).with_steer(0.2),
            _ => Controls::new().with_brake(1.0),
        };
        car.drive(&mut world, &controls, f64::from(dt))?;
        world.step(dt)?;
        let at = world.body(chassis)?.position();
        (top_speed, highest) = (top_speed.max(car.speed()), highest.max(at.y));
        if step % 60 == 0 {
            println!("{} s: at {at:.1}, {:.1} m/s", step / 60, car.speed());
        }
    }
    let (at, moved) = (world.body(chassis)?.position(), world.body(parcel)?.position().x - 6.0);
    println!("at most {top_speed:.1} m/s, {highest:.2} m high; the box was pushed by {moved:.1} m");
    assert!(1.2 < highest, "it drove over the ramp");
    assert!(1.0 < moved, "it pushed the box");
    assert!(at.z < -2.0, "it turned left");
    assert!(car.speed().abs() < 0.1, "it stands");

    // The friction of the ground counts, and so does the grip of the tyres.
    let dry = braking_distance(&mut world, &mut car, dt)?;
    world.body_mut(road)?.set_friction(0.02)?;
    let icy = braking_distance(&mut world, &mut car, dt)?;
    for wheel in 0..4 {
        let studded = car.wheels()[wheel].desc.with_grip(2.2, 2.2);
        car.set_wheel(wheel, studded)?;
    }
    let studs = braking_distance(&mut world, &mut car, dt)?;
    println!("from 10 m/s it stops after {dry:.1} m, on ice {icy:.1} m, there with studs {studs:.1} m");
    // v^2 / (2 mu g), and mu is the grip times the square root of friction over 0.5.
    for (way, mu) in [(dry, 1.1 * 1.6_f32.sqrt()), (icy, 1.1 * 0.2), (studs, 2.2 * 0.2)] {
        let expected = 100.0 / (2.0 * mu * 9.81);
        assert!((way / expected - 1.0).abs() < 0.1, "{way} m of {expected} m");
    }
    Ok(())
}
