//! A crane of joints: a motor moves a trolley on a slider to its target, and the rope below it
//! breaks under too heavy a load.
//!
//! `cargo run --example crane`

use carom_geom::{Cuboid, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, JointDesc, Motor, Spring, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let block = |half: Vec3| Cuboid::new(half).map(Shape::Cuboid);
    let beam =
        world.insert(BodyDesc::fixed(block(Vec3::new(6.0, 0.2, 0.2))?).with_position(Vec3::Y * 8.0))?;
    // 50 and 900 kilograms.
    let trolley = BodyDesc::dynamic(block(Vec3::splat(0.2))?).with_density(50.0 / 0.064);
    let trolley = world.insert(trolley.with_position(Vec3::new(-4.0, 7.5, 0.0)))?;
    let load =
        BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.5)?)).with_density(900.0 / std::f32::consts::FRAC_PI_6);
    let load = world.insert(load.with_position(Vec3::new(-4.0, 3.5, 0.0)))?;

    // The trolley slides along the beam, from its start to 8 m further on.
    let slider = JointDesc::prismatic(beam, trolley).with_axis(Vec3::X).with_limits(0.0, 8.0);
    let motor = Motor::position(6.0, Spring::new(1.0, 4.0)).with_max_force(20_000.0);
    let slider = world.insert_joint(slider.with_motor(motor))?;
    let rope = world.insert_joint(JointDesc::rope(trolley, load, 4.0).with_break_force(15_000.0))?;

    for second in 1..=12 {
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        let pull = world.joint(rope)?.force().length();
        println!(
            "{second:2} s: the trolley is at {:.2} m, the rope pulls {pull:.0} N",
            world.joint(slider)?.translation().unwrap_or(0.0)
        );
    }
    // The weight grows until the rope breaks.
    let mut more = 0.0;
    while world.broken_joints().is_empty() {
        more += 20.0;
        world.body_mut(load)?.apply_force(Vec3::NEG_Y * more)?;
        world.step(1.0 / 60.0)?;
    }
    let broken = world.broken_joints()[0];
    println!("with {more:.0} N more the rope broke at {:.0} N", broken.force);
    Ok(())
}
