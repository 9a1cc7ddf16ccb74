//! A crane turns its boom by a motor, with a load on a rope. The load gets heavier until the rope
//! breaks.
//!
//! `cargo run -p carom --example tower_crane`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dt = 1.0 / 60.0;
    let mut world = World::new();
    let tower = BodyDesc::fixed(Shape::cuboid(Vec3::new(0.5, 5.0, 0.5))?).with_position(Vec3::Y * 5.0);
    let tower = world.insert(tower)?;
    let boom = BodyDesc::dynamic(Shape::cuboid(Vec3::new(4.0, 0.2, 0.2))?).with_density(300.0);
    let boom = world.insert(boom.with_position(Vec3::new(4.0, 10.5, 0.0)))?;
    // 900 kg.
    let load = BodyDesc::dynamic(Shape::sphere(0.5)?).with_density(900.0 / core::f32::consts::FRAC_PI_6);
    let load = world.insert(load.with_position(Vec3::new(8.0, 4.0, 0.0)))?;

    let slew = JointDesc::revolute(tower, boom).with_anchor(Vec3::Y * 10.5).with_axis(Vec3::Y);
    let slew = world.insert_joint(slew.with_motor(Motor::velocity(0.3).with_max_force(2e5)))?;
    // 6 m long, from the end of the boom to the top of the load.
    let rope = JointDesc::rope(boom, load, 6.0);
    let rope = rope.with_anchors(Vec3::new(8.0, 10.5, 0.0), Vec3::new(8.0, 4.5, 0.0));
    let rope = world.insert_joint(rope.with_break_force(20_000.0))?;

    for second in 1..=5 {
        for _ in 0..60 {
            world.step(dt)?;
        }
        let angle = world.joint(slew)?.angle().unwrap_or_default().to_degrees();
        let pull = world.joint(rope)?.force().length();
        println!("{second} s: the boom is at {angle:.0} degrees, the rope pulls {pull:.0} N");
    }
    let angle = world.joint(slew)?.angle().unwrap_or_default();
    assert!((angle - 1.5).abs() < 0.1, "0.3 rad/s for 5 s: {angle}");

    let mut more = 0.0;
    while world.broken_joints().is_empty() {
        more += 100.0;
        assert!(more < 20_000.0, "the rope holds too much");
        // This force acts in the next step only.
        world.body_mut(load)?.apply_force(Vec3::NEG_Y * more)?;
        world.step(dt)?;
    }
    let broken = world.broken_joints()[0];
    println!("with {more:.0} N more the rope broke at {:.0} N", broken.force);
    assert!(20_000.0 <= broken.force && world.joint(rope).is_err());
    Ok(())
}
