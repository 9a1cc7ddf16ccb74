//! A door on a hinge with a motor opens to its limit, a wheel counts its turns, and a lamp on a
//! rope swings. When the load gets too heavy, the rope breaks.
//!
//! `cargo run -p carom --example joints`

use carom::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let frame = world.insert(BodyDesc::fixed(Shape::cuboid(Vec3::new(0.1, 1.0, 0.1))?))?;
    let door = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.4, 0.9, 0.03))?).with_density(600.0);
    let door = world.insert(door.with_position(Vec3::X * 0.5))?;
    // From shut to a quarter turn, at one radian per second, with at most 200 Nm.
    let hinge = JointDesc::revolute(frame, door)
        .with_anchor(Vec3::X * 0.1)
        .with_axis(Vec3::Y)
        .with_limits(0.0, 1.57)
        .with_motor(Motor::velocity(1.0).with_max_force(200.0));
    let hinge = world.insert_joint(hinge)?;

    // The angle of a hinge is within half a turn. With a spring, here of no stiffness, it counts
    // turns.
    let wheel = BodyDesc::dynamic(Shape::cylinder(0.05, 0.3)?).with_position(Vec3::new(-2.0, 1.0, 0.0));
    let wheel = world.insert(wheel.with_angular_velocity(Vec3::Y * 10.0))?;
    let axle = JointDesc::revolute(frame, wheel).with_axis(Vec3::Y);
    let axle = world.insert_joint(axle.with_torsion_spring(TorsionSpring::new(0.0, 0.0)))?;

    // A lamp of 2 kg, 1 m below its hook, drawn aside.
    let hook =
        world.insert(BodyDesc::fixed(Shape::cuboid(Vec3::splat(0.05))?).with_position(Vec3::Y * 3.0))?;
    let lamp = BodyDesc::dynamic(Shape::sphere(0.1)?).with_density(2.0 / 0.00419);
    let lamp = world.insert(lamp.with_position(Vec3::new(0.6, 2.2, 0.0)))?;
    let rope = world.insert_joint(JointDesc::rope(hook, lamp, 1.0).with_break_force(300.0))?;

    for step in 1..=180 {
        world.step(1.0 / 60.0)?;
        let length = (world.body(lamp)?.position() - Vec3::Y * 3.0).length();
        assert!(length < 1.01, "the rope does not stretch: {length}");
        if step % 30 == 0 {
            let angle = world.joint(hinge)?.angle().unwrap_or_default().to_degrees();
            let pull = world.joint(rope)?.force().length();
            println!(
                "{:.1} s: the door is open by {angle:.0} degrees, the rope pulls {pull:.0} N",
                step as f32 / 60.0
            );
        }
    }
    let angle = world.joint(hinge)?.angle().unwrap_or_default();
    assert!((angle - 1.57).abs() < 0.02, "the door is open");
    let turned = world.joint(axle)?.angle().unwrap_or_default();
    println!("the wheel has made {:.2} turns", turned / core::f64::consts::TAU);
    assert!((turned - 30.0).abs() < 0.1);

    // Someone pulls at the lamp, harder in each step.
    let mut force = 0.0;
    while world.broken_joints().is_empty() {
        force += 5.0;
        world.body_mut(lamp)?.apply_force(Vec3::NEG_Y * force)?;
        world.step(1.0 / 60.0)?;
    }
    println!("the rope breaks at {:.0} N", world.broken_joints()[0].force);
    assert!(300.0 <= world.broken_joints()[0].force && world.joint(rope).is_err());
    Ok(())
}
