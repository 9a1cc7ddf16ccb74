//! Each kind of joint in about ten lines. JOINTS.md has a picture of each.
//!
//! `cargo run --example joint_kinds -p carom-world`

use carom_geom::Cuboid;
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{
    AxisLimit, BodyDesc, BodyId, JointAxis, JointDesc, JointId, Motor, Spring, TorsionSpring, World,
};

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    weld()?;
    revolute()?;
    prismatic()?;
    cylindrical()?;
    screw()?;
    universal()?;
    spherical()?;
    six_dof()?;
    distance()?;
    rope()?;
    pulley()?;
    gear()?;
    rack_and_pinion()
}

/// A board that breaks off its post under a load.
fn weld() -> Done {
    let (mut world, post, board) = post_and_box(Vec3::X)?;
    let joint = JointDesc::weld(post, board).with_anchor(Vec3::ZERO).with_break_torque(40.0);
    world.insert_joint(joint)?;
    run(&mut world, 1.0)?;
    assert!(world.broken_joints().is_empty());
    for _ in 0..60 {
        world.body_mut(board)?.apply_force(Vec3::NEG_Y * 200.0)?;
        world.step(DT)?;
    }
    println!("weld: the board broke off, {} joints are left", world.joints().count());
    assert_eq!(world.joints().count(), 0);
    Ok(())
}

/// A door with a closer, which opens by a right angle at most.
fn revolute() -> Done {
    let (mut world, post, door) = post_and_box(Vec3::X)?;
    let closer = TorsionSpring::new(8.0, 0.0).with_damping(4.0);
    let joint = JointDesc::revolute(post, door).with_anchor(Vec3::ZERO).with_axis(Vec3::Y);
    let joint = world.insert_joint(joint.with_limits(-1.57, 1.57).with_torsion_spring(closer))?;
    world.body_mut(door)?.set_angular_velocity(Vec3::Y * 3.0)?;
    run(&mut world, 0.5)?;
    let open = world.joint(joint)?.angle().unwrap_or(f64::NAN);
    println!("revolute: the door is open by {open:.2}");
    assert!(0.01 < open && open < 1.57);
    run(&mut world, 10.0)?;
    let shut = world.joint(joint)?.angle().unwrap_or(f64::NAN);
    println!("revolute: and then by {shut:.2}");
    near(shut, 0.0)
}

/// A lift with a motor that holds a given height.
fn prismatic() -> Done {
    let (mut world, post, cabin) = post_and_box(Vec3::ZERO)?;
    let motor = Motor::position(3.0, Spring::new(1.0, 1.0)).with_max_force(500.0);
    let joint = JointDesc::prismatic(post, cabin).with_axis(Vec3::Y).with_limits(0.0, 4.0);
    let joint = world.insert_joint(joint.with_motor(motor))?;
    run(&mut world, 5.0)?;
    let height = world.joint(joint)?.translation().unwrap_or(f64::NAN);
    println!("prismatic: the lift is at {height:.2}");
    near(height, 3.0 - SAG)
}

/// A sleeve on a rod: a motor turns it, and it slides down to a stop.
fn cylindrical() -> Done {
    let (mut world, rod, sleeve) = post_and_box(Vec3::ZERO)?;
    let stop = AxisLimit::Between(-1.0, 1.0);
    let joint = JointDesc::cylindrical(rod, sleeve).with_axis(Vec3::Y).with_axis_limit(JointAxis::X, stop);
    let turning = Motor::velocity(2.0).with_max_force(10.0);
    let joint = world.insert_joint(joint.with_axis_motor(JointAxis::AngX, turning))?;
    run(&mut world, 3.0)?;
    let coordinate = world.joint(joint)?.axis_position(JointAxis::X).unwrap_or(f32::NAN);
    let turning = world.body(sleeve)?.angular_velocity().y;
    println!("cylindrical: at {coordinate:.2}, turning by {turning:.2}");
    near(coordinate, -1.0)?;
    near(turning, 2.0)
}

/// A jack: a spindle lifts a load by 20 cm in each turn, and holds it.
fn screw() -> Done {
    let (mut world, post, load) = post_and_box(Vec3::ZERO)?;
    let joint = JointDesc::screw(post, load, 0.2).with_axis(Vec3::Y);
    let turning = Motor::velocity(std::f32::consts::TAU).with_max_force(20.0);
    let joint = world.insert_joint(joint.with_motor(turning))?;
    run(&mut world, 5.0)?;
    world.joint_mut(joint)?.set_motor(Motor::velocity(0.0).with_max_force(20.0))?;
    run(&mut world, 1.0)?;
    let height = world.joint(joint)?.translation().unwrap_or(f64::NAN);
    let force = world.joint(joint)?.force().y;
    println!("screw: the load is at {height:.2}, and the thread carries {force:.1} N");
    near(height, 1.0)?;
    near(force / (2.0 * 9.81), 1.0)
}

/// A shaft that drives another one at an angle.
fn universal() -> Done {
    let (mut world, post, shaft) = post_and_box(Vec3::ZERO)?;
    let joint = JointDesc::universal(post, shaft).with_axis(Vec3::Y);
    let joint = joint.with_axis_limit(JointAxis::AngZ, AxisLimit::Between(-0.5, 0.5));
    let motor = Motor::velocity(3.0).with_max_force(20.0);
    world.insert_joint(joint.with_axis_motor(JointAxis::AngX, motor))?;
    run(&mut world, 2.0)?;
    let turning = world.body(shaft)?.angular_velocity().length();
    println!("universal: the shaft turns by {turning:.2}");
    near(turning, 3.0)
}

/// A shoulder: the arm swings within a cone and turns within limits of twist.
fn spherical() -> Done {
    let (mut world, trunk, arm) = post_and_box(Vec3::X)?;
    let joint = JointDesc::spherical(trunk, arm).with_anchor(Vec3::ZERO).with_axis(Vec3::X);
    let joint = world.insert_joint(joint.with_cone(1.0).with_twist(-0.3, 0.3))?;
    world.body_mut(arm)?.set_angular_velocity(Vec3::X * 8.0)?;
    run(&mut world, 5.0)?;
    // At the edge of the cone, 1 radian below the axis.
    let (at, force) = (world.body(arm)?.position(), world.joint(joint)?.force().length());
    println!("spherical: the arm hangs at {at:.2}, and the shoulder carries {force:.1} N");
    near(at.distance(Vec3::new(0.540, -0.841, 0.0)), 0.0)?;
    near(force, 2.0 * 9.81)
}

/// A plate that moves in a plane and stays upright.
fn six_dof() -> Done {
    let (mut world, ground, plate) = post_and_box(Vec3::ZERO)?;
    let mut joint = JointDesc::six_dof(ground, plate);
    for axis in [JointAxis::Y, JointAxis::AngX, JointAxis::AngZ, JointAxis::AngY] {
        joint = joint.with_axis_limit(axis, AxisLimit::Locked);
    }
    world.insert_joint(joint.with_axis_limit(JointAxis::X, AxisLimit::Between(-1.0, 1.0)))?;
    world.body_mut(plate)?.set_linear_velocity(Vec3::new(2.0, 5.0, 1.0))?.set_angular_velocity(Vec3::ONE)?;
    run(&mut world, 2.0)?;
    let at = world.body(plate)?.position();
    println!("six_dof: the plate is at {at:.2}");
    near(at.distance(Vec3::new(1.0, 0.0, 2.0)), 0.0)
}

/// A pendulum on a rod.
fn distance() -> Done {
    let (mut world, post, bob) = post_and_box(Vec3::X * 2.0)?;
    let rod = world.insert_joint(JointDesc::distance(post, bob, 2.0, 2.0))?;
    run(&mut world, 1.0)?;
    let error = world.joint(rod)?.error();
    println!("distance: the rod is off by {error:.4}");
    near(error, 0.0)
}

/// A load on an elastic rope.
fn rope() -> Done {
    let (mut world, post, load) = post_and_box(Vec3::NEG_Y)?;
    let rope = JointDesc::rope(post, load, 1.0).with_spring(Spring::new(1.0, 0.3));
    let rope = world.insert_joint(rope)?;
    run(&mut world, 10.0)?;
    let stretch = world.joint(rope)?.error();
    println!("rope: it is stretched by {stretch:.2}");
    near(stretch, SAG)
}

/// Two equal loads on a block and tackle: B is pulled with twice the force of A.
fn pulley() -> Done {
    let (mut world, _, a) = post_and_box(Vec3::X)?;
    let b = world.insert(box_at(Vec3::X * 3.0)?)?;
    let supports = [Vec3::new(1.0, 3.0, 0.0), Vec3::new(3.0, 3.0, 0.0)];
    world.insert_joint(JointDesc::pulley(a, b, supports, 2.0, 9.0))?;
    run(&mut world, 0.5)?;
    let [a, b] = [world.body(a)?.pose(), world.body(b)?.pose()].map(|pose| pose.translation.y);
    println!("pulley: A sank to {a:.2}, B rose to {b:.2}");
    assert!(a < -0.4);
    near(a + 2.0 * b, 0.0)
}

/// A wheel that drives another with twice its teeth.
fn gear() -> Done {
    let (mut world, post, small) = post_and_box(Vec3::ZERO)?;
    let large = world.insert(box_at(Vec3::X * 3.0)?)?;
    let wheels =
        [small, large].map(|wheel| world.insert_joint(JointDesc::revolute(post, wheel).with_axis(Vec3::Z)));
    let [small, large]: [JointId; 2] = [wheels[0]?, wheels[1]?];
    world.insert_joint(JointDesc::gear(small, large, 2.0))?;
    world.joint_mut(small)?.set_motor(Motor::velocity(4.0))?;
    run(&mut world, 1.0)?;
    let speed = |id| world.joint(id).ok().and_then(|joint| joint.speed()).unwrap_or(f32::NAN);
    println!("gear: speeds {:.2} and {:.2}", speed(small), speed(large));
    near(speed(small), 4.0)?;
    near(speed(large), -2.0)
}

/// A pinion of radius 0.5 that pushes a rack.
fn rack_and_pinion() -> Done {
    let (mut world, post, pinion) = post_and_box(Vec3::ZERO)?;
    let rack = world.insert(box_at(Vec3::Y * 2.0)?)?;
    let turning = world.insert_joint(JointDesc::revolute(post, pinion).with_axis(Vec3::Z))?;
    let sliding = world.insert_joint(JointDesc::prismatic(post, rack).with_axis(Vec3::X))?;
    world.insert_joint(JointDesc::rack_and_pinion(sliding, turning, 0.5))?;
    world.joint_mut(turning)?.set_motor(Motor::velocity(4.0))?;
    run(&mut world, 1.0)?;
    let speed = world.joint(sliding)?.speed().unwrap_or(f32::NAN);
    println!("rack_and_pinion: the rack goes by {speed:.2}");
    near(speed, 2.0)
}

const DT: f32 = 1.0 / 60.0;

/// The stretch of a spring of 1 Hz under the weight of its mass: g / (2 pi)^2.
const SAG: f64 = 0.2485;

/// Fails if a number is not the expected one to 0.01.
fn near(found: impl Into<f64>, expected: f64) -> Done {
    let found = found.into();
    let is_near = (found - expected).abs() < 0.01;
    if is_near { Ok(()) } else { Err(format!("{found}, expected {expected}").into()) }
}

/// A fixed post at the origin, and a box of 2 kg.
fn post_and_box(at: Vec3) -> Result<(World, BodyId, BodyId), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let post = world.insert(BodyDesc::fixed(Shape::Cuboid(Cuboid::new(Vec3::splat(0.1))?)))?;
    let body = world.insert(box_at(at)?)?;
    Ok((world, post, body))
}

fn box_at(at: Vec3) -> Result<BodyDesc, Box<dyn std::error::Error>> {
    let shape = Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.2, 0.1))?);
    Ok(BodyDesc::dynamic(shape).with_density(25.0).with_position(at))
}

fn run(world: &mut World, seconds: f32) -> Done {
    for _ in 0..(seconds / DT).round() as u32 {
        world.step(DT)?;
    }
    Ok(())
}
