//! A joint of each kind, side by side.
//!
//! Reference: the example `joint_kinds` of carom-world.

use super::{Error, Request};
use carom_broad::BroadPhase;
use carom_geom::{Cuboid, Cylinder, HalfSpace, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{AxisLimit, BodyDesc, BodyId, JointAxis, JointDesc, Motor, Spring, TorsionSpring, World};

/// Distance from one joint to the next, in metres.
const SPACING: f32 = 2.2;

/// Height of the posts.
const HEIGHT: f32 = 2.5;

/// A quarter turn about x: what lies along y then lies along z.
fn along_z() -> Quat {
    Quat::from_rotation_x(core::f32::consts::FRAC_PI_2)
}

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Inserts a small fixed body.
fn post<B: BroadPhase>(world: &mut World<B>, at: Vec3) -> Result<BodyId, Error> {
    Ok(world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.12))?).with_position(at))?)
}

/// Inserts a board.
fn board<B: BroadPhase>(world: &mut World<B>, at: Vec3) -> Result<BodyId, Error> {
    let desc = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.2, 0.1))?).with_density(25.0);
    Ok(world.insert(desc.with_position(at))?)
}

/// Inserts a wheel whose axle is along z.
fn wheel<B: BroadPhase>(world: &mut World<B>, radius: f32, at: Vec3) -> Result<BodyId, Error> {
    let desc = BodyDesc::dynamic(Shape::Cylinder(Cylinder::new(0.1, radius)?)).with_density(25.0);
    Ok(world.insert(desc.with_pose(Pose::new(along_z(), at)))?)
}

/// Inserts a weld that breaks if it is pulled hard, a door with a closer, a lift, a sleeve on a
/// rod, a jack, a shaft, a shoulder, a plate that moves in a plane, a rod, an elastic rope, a
/// pulley, two gears, and a rack and pinion.
pub fn joint_kinds<B: BroadPhase>(world: &mut World<B>, _: &Request) -> Result<(), Error> {
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    insert_joint_kinds(world, Vec3::ZERO)
}

/// Inserts the joints of [`joint_kinds`] over this point of a floor.
pub(super) fn insert_joint_kinds<B: BroadPhase>(world: &mut World<B>, middle: Vec3) -> Result<(), Error> {
    let mut next = 0;
    // Two rows of seven.
    let mut position_of = || {
        let (row, column) = (next / 7, next % 7);
        next += 1;
        middle + Vec3::new(SPACING * (column as f32 - 3.0), HEIGHT, SPACING * (row as f32 - 0.5) * 1.6)
    };

    let at = position_of();
    let (a, b) = (post(world, at)?, board(world, at + Vec3::X)?);
    world.insert_joint(JointDesc::weld(a, b).with_anchor(at).with_break_torque(60.0))?;

    let at = position_of();
    let (a, b) = (post(world, at)?, board(world, at + Vec3::X)?);
    let closer = TorsionSpring::new(8.0, 0.0).with_damping(4.0);
    let door = JointDesc::revolute(a, b).with_anchor(at).with_axis(Vec3::Y);
    world.insert_joint(door.with_limits(-1.57, 1.57).with_torsion_spring(closer))?;
    world.body_mut(b)?.set_angular_velocity(Vec3::Y * 3.0)?;

    let at = position_of();
    let (a, b) = (post(world, at + Vec3::NEG_Z * 0.4)?, board(world, at)?);
    let motor = Motor::position(-1.0, Spring::new(1.0, 1.0)).with_max_force(500.0);
    let lift = JointDesc::prismatic(a, b).with_axis(Vec3::Y).with_limits(-2.0, 0.0);
    world.insert_joint(lift.with_motor(motor))?;

    let at = position_of();
    let (a, b) = (post(world, at + Vec3::Y)?, board(world, at)?);
    let stop = AxisLimit::Between(-1.0, 1.0);
    let sleeve = JointDesc::cylindrical(a, b).with_axis(Vec3::Y).with_axis_limit(JointAxis::X, stop);
    let turning = Motor::velocity(2.0).with_max_force(10.0);
    world.insert_joint(sleeve.with_axis_motor(JointAxis::AngX, turning))?;

    let at = position_of();
    let (a, b) = (post(world, at + Vec3::Y)?, board(world, at)?);
    let jack = JointDesc::screw(a, b, 0.3).with_axis(Vec3::Y).with_limits(-15.0, 15.0);
    world.insert_joint(jack.with_motor(Motor::velocity(3.0).with_max_force(5.0)))?;

    let at = position_of();
    let (a, b) = (post(world, at + Vec3::NEG_Z * 0.4)?, board(world, at)?);
    let shaft = JointDesc::universal(a, b).with_axis(Vec3::Y);
    let shaft = shaft.with_axis_limit(JointAxis::AngZ, AxisLimit::Between(-0.5, 0.5));
    let motor = Motor::velocity(3.0).with_max_force(20.0);
    world.insert_joint(shaft.with_axis_motor(JointAxis::AngX, motor))?;

    let at = position_of();
    let (a, b) = (post(world, at)?, board(world, at + Vec3::X)?);
    let shoulder = JointDesc::spherical(a, b).with_anchor(at).with_axis(Vec3::X);
    world.insert_joint(shoulder.with_cone(1.0).with_twist(-0.3, 0.3))?;

    let at = position_of();
    let (a, b) = (post(world, at + Vec3::NEG_Z * 0.4)?, board(world, at)?);
    let mut plate = JointDesc::six_dof(a, b);
    for axis in [JointAxis::Z, JointAxis::AngX, JointAxis::AngZ, JointAxis::AngY] {
        plate = plate.with_axis_limit(axis, AxisLimit::Locked);
    }
    let plate = plate.with_axis_limit(JointAxis::Y, AxisLimit::Between(-1.0, 1.0));
    world.insert_joint(plate.with_axis_limit(JointAxis::X, AxisLimit::Between(-0.5, 0.5)))?;

    let at = position_of();
    let ball = BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.25)?)).with_density(25.0);
    let (a, b) = (post(world, at)?, world.insert(ball.with_position(at + Vec3::X * 1.4))?);
    world.insert_joint(JointDesc::distance(a, b, 1.4, 1.4))?;

    let at = position_of();
    let (a, b) = (post(world, at)?, board(world, at + Vec3::NEG_Y)?);
    world.insert_joint(JointDesc::rope(a, b, 1.0).with_spring(Spring::new(1.0, 0.3)))?;

    let at = position_of();
    let (a, b) = (board(world, at - Vec3::X * 0.6)?, board(world, at + Vec3::X * 0.6)?);
    let supports = [-0.6, 0.6].map(|x| at + Vec3::new(x, 1.0, 0.0));
    for support in supports {
        post(world, support)?;
    }
    world.insert_joint(JointDesc::pulley(a, b, supports, 2.0, 3.0))?;

    let at = position_of();
    let small = wheel(world, 0.3, at)?;
    let large = wheel(world, 0.6, at + Vec3::X * 0.95)?;
    let a = post(world, at + Vec3::new(0.0, 0.0, -0.4))?;
    let b = post(world, at + Vec3::new(0.95, 0.0, -0.4))?;
    let drive = JointDesc::revolute(a, small).with_axis(Vec3::Z).with_motor(Motor::velocity(4.0));
    let small = world.insert_joint(drive)?;
    let large = world.insert_joint(JointDesc::revolute(b, large).with_axis(Vec3::Z))?;
    world.insert_joint(JointDesc::gear(small, large, 2.0))?;

    let at = position_of();
    let pinion = wheel(world, 0.4, at)?;
    let rack = world.insert(
        BodyDesc::dynamic(cuboid(Vec3::new(0.9, 0.08, 0.1))?)
            .with_density(25.0)
            .with_position(at + Vec3::Y * 0.5),
    )?;
    let a = post(world, at + Vec3::new(0.0, 0.0, -0.4))?;
    let to_and_fro = Motor::velocity(1.0).with_max_force(20.0);
    let turning = JointDesc::revolute(a, pinion).with_axis(Vec3::Z).with_motor(to_and_fro);
    let turning = world.insert_joint(turning)?;
    let sliding = JointDesc::prismatic(a, rack).with_axis(Vec3::X).with_limits(-0.6, 0.6);
    let sliding = world.insert_joint(sliding)?;
    world.insert_joint(JointDesc::rack_and_pinion(sliding, turning, 0.4))?;
    Ok(())
}
