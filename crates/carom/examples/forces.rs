//! A satellite is turned by two nozzles, stopped by a flywheel, hit, and pushed by a constant
//! force up to a largest speed. Each kind of force has a closed form.
//!
//! `cargo run -p carom --example forces`

use carom::prelude::*;

const DT: f32 = 1.0 / 60.0;

/// Steps the world for some seconds. Before each step `push` may apply forces for that step.
fn run(
    world: &mut World,
    seconds: f32,
    push: impl Fn(&mut World) -> Result<(), WorldError>,
) -> Result<(), WorldError> {
    for _ in 0..(seconds / DT).round() as usize {
        push(world)?;
        world.step(DT)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    // A cube of 1 m and 12 kg: its moment of inertia about each axis is 2 kg m^2.
    let cube = BodyDesc::dynamic(Shape::cuboid(Vec3::splat(0.5))?).with_mass(12.0);
    let satellite = world.insert(cube)?;
    let spin = |world: &World| world.body(satellite).map(|body| body.angular_velocity());
    let velocity = |world: &World| world.body(satellite).map(|body| body.linear_velocity());

    // Two nozzles of 1 N on opposite sides, for 1 s: a torque of 1 Nm, and no force in sum.
    run(&mut world, 1.0, |world| {
        let pose = world.body(satellite)?.pose();
        for side in [1.0, -1.0] {
            let force = pose.transform_vector(Vec3::Y * side);
            let point = pose.transform_point(Vec3::X * 0.5 * side);
            world.body_mut(satellite)?.apply_force_at(force, point)?;
        }
        Ok(())
    })?;
    println!("the nozzles turn it: {:.3} rad/s", spin(&world)?);
    assert!((spin(&world)? - Vec3::Z * 0.5).length() < 1e-3 && velocity(&world)?.length() < 1e-4);

    // The flywheel stops it: 2 Nm for half a second.
    run(&mut world, 0.5, |world| {
        world.body_mut(satellite)?.apply_torque(Vec3::NEG_Z * 2.0)?;
        Ok(())
    })?;
    println!("the flywheel stops it: {:.3} rad/s", spin(&world)?);
    assert!(spin(&world)?.length() < 1e-3);

    // A stone hits it. An impulse changes the velocities at once, without a step.
    world.body_mut(satellite)?.apply_impulse_at(Vec3::X * 6.0, Vec3::Z * 0.5)?;
    println!("a stone hits it: {:.3} m/s, {:.3} rad/s", velocity(&world)?, spin(&world)?);
    assert!((velocity(&world)? - Vec3::X * 0.5).length() < 1e-3);
    assert!((spin(&world)? - Vec3::Y * 1.5).length() < 0.01, "0.5 m times 6 Ns, divided by 2 kg m^2");
    world.body_mut(satellite)?.apply_angular_impulse(Vec3::NEG_Y * 3.0)?;
    assert!(spin(&world)?.length() < 0.01, "the opposite angular impulse stops the rotation");

    // The engine runs until it is turned off: 6 N accelerate 12 kg by 0.5 m/s^2.
    world.body_mut(satellite)?.set_constant_force(Vec3::X * 6.0, Vec3::ZERO)?;
    run(&mut world, 3.0, |_| Ok(()))?;
    println!("3 s later: {:.3} m/s", velocity(&world)?);
    assert!((velocity(&world)?.x - 2.0).abs() < 1e-3);

    // A largest speed holds against any force. The second number is the largest angular speed.
    world.body_mut(satellite)?.set_max_speeds(2.5, 1.0)?.apply_angular_impulse(Vec3::X * 100.0)?;
    run(&mut world, 3.0, |_| Ok(()))?;
    println!("with largest speeds: {:.3} m/s, {:.3} rad/s", velocity(&world)?, spin(&world)?);
    assert!((velocity(&world)?.length() - 2.5).abs() < 1e-3 && (spin(&world)?.length() - 1.0).abs() < 1e-3);
    Ok(())
}
