//! Shared by the tests of joints: pairs of bodies in joints, and their energy.

use crate::scenes::{CheckedStep, DT, cuboid};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, JointDesc, JointId, JointKind, World, WorldSettings};

pub(crate) const GRAVITY: f32 = 9.81;

/// A world with gravity along -y.
pub(crate) fn world_with(gravity: f32) -> World {
    let mut settings = WorldSettings::default();
    settings.solver = settings.solver.with_gravity(Vec3::NEG_Y * gravity);
    World::with_settings(settings)
}

/// Inserts a box of this mass that collides with no other one of these.
pub(crate) fn insert_box(world: &mut World, half: Vec3, mass: f32, pose: Pose) -> BodyId {
    let shape = cuboid(half);
    let density = mass / carom_world::mass_of(&shape, 1.0).mass;
    world.insert(BodyDesc::dynamic(shape).with_density(density).with_pose(pose).with_family(1)).unwrap()
}

pub(crate) fn insert_post(world: &mut World, at: Vec3) -> BodyId {
    let shape: Shape = cuboid(Vec3::splat(0.1));
    world.insert(BodyDesc::fixed(shape).with_position(at).with_family(1)).unwrap()
}

/// A post at the origin, and a cube of side 0.4 there in a joint with it.
pub(crate) fn on_post(gravity: f32, mass: f32, kind: JointKind, axis: Vec3) -> (World, BodyId, JointId) {
    let mut world = world_with(gravity);
    let post = insert_post(&mut world, Vec3::ZERO);
    let body = insert_box(&mut world, Vec3::splat(0.2), mass, Pose::IDENTITY);
    let joint =
        world.insert_joint(JointDesc::new(post, body, kind).with_anchor(Vec3::ZERO).with_axis(axis)).unwrap();
    (world, body, joint)
}

/// The place of a prismatic joint, or the angle of a revolute one.
pub(crate) fn coordinate_of(world: &World, joint: JointId) -> f64 {
    let joint = world.joint(joint).unwrap();
    joint.translation().or(joint.angle()).unwrap()
}

pub(crate) fn speed_of(world: &World, joint: JointId) -> f64 {
    f64::from(world.joint(joint).unwrap().speed().unwrap())
}

pub(crate) fn run(world: &mut World, seconds: f32) {
    for _ in 0..(seconds / DT).round() as usize {
        world.checked_step(DT).unwrap();
    }
}

/// Kinetic energy, and that of gravity along -y.
pub(crate) fn energy(world: &World, bodies: &[BodyId], gravity: f32) -> f64 {
    let energy = |&id: &BodyId| {
        let body = world.body(id).unwrap().motion();
        let height = f64::from(body.world_center().y);
        f64::from(body.kinetic_energy()) + f64::from(gravity) * height / f64::from(body.inverse_mass)
    };
    bodies.iter().map(energy).sum()
}

pub(crate) fn is_near(value: f64, expected: f64, share: f64) -> bool {
    (value - expected).abs() <= share * expected.abs()
}

/// Returns the twist about x of B in A's frame, for x axes that are not opposite.
pub(crate) fn twist_of(turn: Quat) -> f32 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    2.0 * turn.x.atan2(turn.w)
}
