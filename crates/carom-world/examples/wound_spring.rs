//! A motor winds a spring up by ten turns. Let go, the spring and a wheel exchange the energy.

use carom_geom::{Cuboid, Cylinder};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, JointKind, Motor, TorsionSpring, World, WorldError};

/// Seconds of a step, and of a substep.
const DT: f32 = 1.0 / 60.0;
const SUBSTEP: f32 = DT / 6.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world: World = World::new();
    let post = world.insert(BodyDesc::fixed(Shape::Cuboid(Cuboid::new(Vec3::splat(0.1))?)))?;
    let wheel = world.insert(BodyDesc::new(Shape::Cylinder(Cylinder::new(0.1, 0.5)?)).with_density(2.0))?;

    // A hinge along y, the axis of the wheel, with a spring that is at rest now.
    let free = JointKind::Hinge { limits: None, motor: None };
    let hinge = world.insert_joint_at(post, wheel, free, Vec3::ZERO, Vec3::Y)?;
    world.set_joint_spring(hinge, Some(TorsionSpring::new(0.02, 0.0)))?;

    // A setting out of its bounds is named.
    let bad = world.set_joint_spring(hinge, Some(TorsionSpring::new(-1.0, 0.0)));
    assert_eq!(bad, Err(WorldError::BadSpring("stiffness")));

    // A motor winds it up by ten turns. Whole turns are counted.
    let motor = Some(Motor { speed: 10.0, max_torque: 50.0 });
    world.set_joint_kind(hinge, JointKind::Hinge { limits: None, motor })?;
    while world.hinge_angle(hinge)? < 10.0 * std::f64::consts::TAU {
        world.step(DT)?;
    }
    println!("wound by {:.2} turns", world.hinge_angle(hinge)? / std::f64::consts::TAU);

    // Let go, the wheel gets the energy and winds the spring up the other way.
    world.set_joint_kind(hinge, free)?;
    world.set_velocity(wheel, Vec3::ZERO, Vec3::ZERO)?;
    println!("seconds  turns   speed  kinetic   spring    total (J)");
    let report = |world: &World, second: u32| -> Result<(), WorldError> {
        let turns = world.hinge_angle(hinge)? / std::f64::consts::TAU;
        let speed = world.motion(wheel)?.angular_velocity.y;
        let energy = world.energy(SUBSTEP);
        let (kinetic, spring) = (energy.kinetic, energy.potential);
        println!("{second:7} {turns:6.2} {speed:7.2} {kinetic:8.3} {spring:8.3} {:8.3}", energy.total());
        Ok(())
    };
    report(&world, 0)?;
    for second in 1..=20 {
        for _ in 0..60 {
            world.step(DT)?;
        }
        report(&world, second)?;
    }
    Ok(())
}
