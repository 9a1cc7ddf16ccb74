//! A car on four rays with springs drives off, turns and brakes. It takes any world that answers
//! rays; here a world of bodies with a ramp.
//!
//! `cargo run -p carom --example car`

use carom::character::{Car, CarSettings, Controls, QueryFilter, WorldSweep};
use carom::geom::{Cuboid, HalfSpace};
use carom::glam::{DQuat, DVec3};
use carom::{BodyDesc, Pose, Quat, Shape, Vec3, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    // A ramp of 6 degrees, across the road from 20 m on.
    let ramp = BodyDesc::fixed(Shape::Cuboid(Cuboid::new(Vec3::new(5.0, 0.5, 4.0))?));
    let tilt = Pose::new(Quat::from_rotation_z(0.1), Vec3::new(25.0, 0.0, 0.0));
    world.insert(ramp.with_pose(tilt))?;

    // The middle of the car is 0.85 m above the road. It looks along x.
    let mut car = Car::new(CarSettings::default(), DVec3::Y * 0.85, DQuat::IDENTITY)?;
    let mut road = WorldSweep::new(&world, QueryFilter::default());
    let (mut top_speed, mut highest) = (0.0_f64, 0.0_f64);
    for step in 1..=540 {
        let controls = match step {
            0..=240 => Controls { throttle: 0.6, ..Controls::default() },
            241..=360 => Controls { throttle: 0.2, steer: 0.2, ..Controls::default() },
            _ => Controls { brake: 1.0, ..Controls::default() },
        };
        car.drive(&mut road, &controls, 1.0 / 60.0);
        (top_speed, highest) = (top_speed.max(car.velocity().length()), highest.max(car.place().y));
        if step % 60 == 0 {
            let on_road = car.wheels().iter().filter(|wheel| 0.0 < wheel.load).count();
            let (place, speed) = (car.place(), car.velocity().length());
            println!("{} s: at {place:.1}, {speed:.1} m/s, {on_road} wheels on the road", step / 60);
        }
    }
    println!("at most {top_speed:.1} m/s, {highest:.2} m high");
    assert!(1.2 < highest, "it drove over the ramp");
    assert!(car.place().z < -2.0, "it turned left");
    assert!(car.velocity().length() < 0.1, "it stands");
    Ok(())
}
