//! The legs of a figure: hips that turn within a cone, knees that a motor holds straight. Limbs of
//! one figure do not collide.
//!
//! `cargo run -p carom --example ragdoll`

use carom::prelude::*;

fn limb(half_length: f32, at: Vec3) -> Result<BodyDesc, ShapeError> {
    let limb = BodyDesc::dynamic(Shape::capsule(half_length, 0.08)?).with_density(1000.0);
    Ok(limb.with_family(1).with_position(at))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let trunk = world.insert(limb(0.3, Vec3::Y * 2.3)?)?;
    // A spring of 3 Hz with critical damping, and at most 60 Nm.
    let hold = Motor::position(0.0, Spring::new(3.0, 1.0)).with_max_force(60.0);
    let (mut hips, mut knees) = (Vec::new(), Vec::new());
    for x in [-0.12, 0.12] {
        let thigh = world.insert(limb(0.18, Vec3::new(x, 1.7, 0.0))?)?;
        let shin = world.insert(limb(0.18, Vec3::new(x, 1.2, 0.0))?)?;
        let hip =
            JointDesc::spherical(trunk, thigh).with_anchor(Vec3::new(x, 1.95, 0.0)).with_axis(Vec3::NEG_Y);
        hips.push(world.insert_joint(hip.with_cone(1.0).with_twist(-0.3, 0.3))?);
        let knee = JointDesc::revolute(thigh, shin).with_anchor(Vec3::new(x, 1.45, 0.0)).with_axis(Vec3::X);
        knees.push(world.insert_joint(knee.with_limits(-0.1, 2.2).with_motor(hold))?);
    }
    // It is pushed as it falls, and lands on its side.
    world.body_mut(trunk)?.apply_impulse(Vec3::new(15.0, 0.0, 10.0))?;
    for step in 1..=360 {
        world.step(1.0 / 60.0)?;
        if step % 60 == 0 {
            let bends = knees.iter().map(|&knee| Ok(world.joint(knee)?.angle().unwrap_or_default()));
            let bends: Vec<f64> = bends.collect::<Result<_, WorldError>>()?;
            println!("{} s: trunk {:.2}, knees {bends:.2?}", step / 60, world.body(trunk)?.position());
        }
    }
    for &joint in hips.iter().chain(&knees) {
        assert!(world.joint(joint)?.error() < 0.01, "no limb is torn off");
    }
    for &knee in &knees {
        assert!(world.joint(knee)?.angle().unwrap_or_default().abs() < 0.3, "the knees are straight again");
    }
    assert!(world.body(trunk)?.position().y < 0.5, "it lies on the floor");
    Ok(())
}
