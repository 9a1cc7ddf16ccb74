//! A motor winds a spring up by ten turns. Let go, the spring and a wheel exchange the energy.

use carom_geom::{Cuboid, Cylinder};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, JointDesc, JointFault, Motor, TorsionSpring, World, WorldError};

/// Seconds of a step.
const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world: World = World::new();
    let post = world.insert(BodyDesc::fixed(Shape::Cuboid(Cuboid::new(Vec3::splat(0.1))?)))?;
    let wheel =
        world.insert(BodyDesc::dynamic(Shape::Cylinder(Cylinder::new(0.1, 0.5)?)).with_density(2.0))?;

    // A revolute joint about y, the axis of the wheel, with a spring that is at rest now.
    let spring = TorsionSpring::new(0.02, 0.0);
    let hinge = world.insert_joint(JointDesc::revolute(post, wheel).with_torsion_spring(spring))?;

    // An error has the name of a setting that is out of its bounds.
    let bad = world.joint_mut(hinge)?.set_torsion_spring(TorsionSpring::new(-1.0, 0.0)).map(|_| ());
    let fault = JointFault::BadValue { what: "stiffness", value: -1.0 };
    assert_eq!(bad, Err(WorldError::BadJoint(fault)));

    // A motor winds it up by ten turns. Whole turns are counted.
    let turns = |world: &World| -> Result<f64, WorldError> {
        Ok(world.joint(hinge)?.angle().unwrap_or(0.0) / std::f64::consts::TAU)
    };
    world.joint_mut(hinge)?.set_motor(Motor::velocity(10.0).with_max_force(50.0))?;
    while turns(&world)? < 10.0 {
        world.step(DT)?;
    }
    println!("wound by {:.2} turns", turns(&world)?);

    // Let go, the wheel gets the energy and winds the spring up the other way.
    world.joint_mut(hinge)?.set_motor(None)?;
    world.body_mut(wheel)?.set_linear_velocity(Vec3::ZERO)?.set_angular_velocity(Vec3::ZERO)?;
    println!("seconds  turns   speed  kinetic   spring    total (J)");
    let report = |world: &World, second: u32| -> Result<(), WorldError> {
        let turns = turns(world)?;
        let speed = world.body(wheel)?.angular_velocity().y;
        let energy = world.energy();
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
