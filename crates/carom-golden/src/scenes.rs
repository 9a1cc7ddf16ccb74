//! Five scenes, and the state of each after some steps.
//!
//! No scene uses a sine of the platform: positions and rotations are sums, products and square
//! roots.

use crate::Error;
use crate::dice::Dice;
use carom_broad::BroadPhase;
use carom_geom::{Capsule, ConvexHull, Cuboid, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3, rotation};
use carom_query::{MeshShape, Shape};
use carom_world::{BodyDesc, JointDesc, Motor, World, WorldSettings};
use std::sync::Arc;

/// The length of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;

/// Fills an empty world.
pub type Fill<B> = fn(&mut World<B>) -> Result<(), Error>;

/// One scene.
pub struct Scene<B: BroadPhase> {
    /// Its name.
    pub name: &'static str,
    /// Inserts its bodies.
    pub fill: Fill<B>,
    /// The number of steps.
    pub n_steps: usize,
    /// [`World::state_hash`] after the steps.
    pub hash: u64,
}

/// Returns all scenes, for one broad phase.
pub fn scenes<B: BroadPhase>() -> [Scene<B>; 5] {
    let scene = |name, fill, n_steps, hash| Scene { name, fill, n_steps, hash };
    [
        scene("a tower of twenty", tower::<B> as Fill<B>, 60, HASHES[0]),
        scene("a trough of triangles", trough::<B>, 120, HASHES[1]),
        scene("bullets", bullets::<B>, 12, HASHES[2]),
        scene("wheels and a chain", joints::<B>, 120, HASHES[3]),
        scene("a lift", lift::<B>, 120, HASHES[4]),
    ]
}

/// The hashes of the states. They change only with an intended change of the world.
pub const HASHES: [u64; 5] = [
    0x0bca_4fe0_e2f0_d5f2,
    0xd2c0_2cf5_3481_907e,
    0x1a00_7656_f0ae_92b1,
    0x7875_7fa3_ccc2_eda4,
    0x0bbf_9ce3_e21c_8cde,
];

impl<B: BroadPhase> Scene<B> {
    /// Fills a world with this broad phase, makes the steps, and returns the hash of the state.
    pub fn run(&self, broad: B) -> Result<u64, Error> {
        let mut world = World::with_broad_phase(broad, WorldSettings::default());
        (self.fill)(&mut world)?;
        for _ in 0..self.n_steps {
            world.step(DT)?;
        }
        Ok(world.state_hash())
    }
}

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

fn ball(radius: f32) -> Result<Shape, Error> {
    Ok(Shape::Sphere(Sphere::new(radius)?))
}

fn ground() -> Result<BodyDesc, Error> {
    Ok(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))
}

pub(crate) fn turned(dice: &mut Dice) -> Quat {
    let v = dice.point(1.0);
    rotation::normalize(Quat::from_xyzw(v.x, v.y, v.z, 0.7))
}

/// Returns a body of density 1, because the recorded hashes are of such light bodies.
fn dynamic(shape: Shape) -> BodyDesc {
    BodyDesc::dynamic(shape).with_density(1.0)
}

fn tower<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    world.insert(ground()?)?;
    for i in 0..20 {
        let position = Vec3::new(0.0, 0.5 + i as f32, 0.0);
        world.insert(dynamic(cuboid(Vec3::splat(0.5))?).with_position(position))?;
    }
    Ok(())
}

/// Boxes, balls, capsules and hulls that fall into a trough of triangles.
fn trough<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let mut dice = Dice::new(21);
    let n = 12_u32;
    let side = n + 1;
    let at = |i: u32| {
        let (x, z) = ((i % side) as f32 - 6.0, (i / side) as f32 - 6.0);
        Vec3::new(x, 0.08 * (x * x + z * z) + 0.1 * ((i * 7 % 5) as f32), z)
    };
    let cell = |c: u32| {
        let i = c / n * side + c % n;
        [[i, i + side, i + 1], [i + 1, i + side, i + side + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..n * n).flat_map(cell).collect();
    let mesh = TriMesh::new((0..side * side).map(at).collect(), triangles)?;
    let floor = Shape::Mesh(Arc::new(MeshShape::new(mesh)?));
    world.insert(BodyDesc::fixed(floor).with_friction(0.6))?;
    let points: Vec<Vec3> = (0..14).map(|_| dice.point(0.45)).collect();
    let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&points)?));
    for i in 0..48 {
        let (layer, cell) = (i / 16, i % 16);
        let position =
            Vec3::new((cell % 4) as f32 * 1.3 - 2.0, 2.5 + layer as f32 * 1.4, (cell / 4) as f32 * 1.3 - 2.0);
        let shape = match i % 4 {
            0 => ball(0.4)?,
            1 => Shape::Capsule(Capsule::new(0.3, 0.25)?),
            2 => hull.clone(),
            _ => cuboid(Vec3::new(0.5, 0.3, 0.4))?,
        };
        let desc = dynamic(shape).with_pose(Pose::new(turned(&mut dice), position + dice.point(0.1)));
        world.insert(desc.with_restitution(if i % 7 == 0 { 0.4 } else { 0.0 }))?;
    }
    Ok(())
}

/// Small bodies, some of them spinning, that fly at a wall one millimetre thick.
fn bullets<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let mut dice = Dice::new(22);
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.0005, 50.0, 50.0))?))?;
    for i in 0..60 {
        let shape = match i % 3 {
            0 => ball(0.005)?,
            1 => cuboid(Vec3::new(0.02, 0.004, 0.006))?,
            _ => Shape::Capsule(Capsule::new(0.015, 0.004)?),
        };
        let position = Vec3::new(dice.range(-30.0, -1.0), (i / 10) as f32, (i % 10) as f32);
        let (aside, spin) = (dice.point(20.0), dice.point(200.0));
        let desc = BodyDesc::dynamic(shape)
            .with_pose(Pose::from_translation(position))
            .with_linear_velocity(Vec3::new(1000.0, aside.y, aside.z))
            .with_angular_velocity(spin)
            .with_density(8000.0)
            .with_ccd(true);
        world.insert(desc)?;
    }
    Ok(())
}

/// Wheels with motors, chains with limits, and ropes.
fn joints<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let mut dice = Dice::new(23);
    world.insert(ground()?)?;
    let post =
        world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.1, 3.0, 0.1))?).with_position(Vec3::Y * 3.0))?;
    for i in 0..6 {
        let at = Vec3::new(2.0 + 1.5 * i as f32, 0.8, 0.0);
        let frame = world.insert(dynamic(cuboid(Vec3::new(0.4, 0.1, 0.3))?).with_position(at))?;
        for (x, z) in [(0.3, 0.45), (0.3, -0.45), (-0.3, 0.45), (-0.3, -0.45)] {
            let hub = at + Vec3::new(x, -0.2, z);
            let wheel = world.insert(dynamic(ball(0.25)?).with_position(hub).with_family(i + 1))?;
            let axle = JointDesc::revolute(frame, wheel).with_anchor(hub).with_axis(Vec3::Z);
            world.insert_joint(axle.with_motor(Motor::velocity(-4.0).with_max_force(3.0)))?;
        }
    }
    let mut last = post;
    for i in 0..8 {
        let at = Vec3::new(0.5 + 0.7 * i as f32, 5.8, 3.0) + dice.point(0.05);
        let link = dynamic(Shape::Capsule(Capsule::new(0.2, 0.1)?));
        let link = world.insert(link.with_position(at).with_family(20))?;
        let joint = JointDesc::spherical(last, link).with_cone(1.2);
        world.insert_joint(joint.with_anchor(at - Vec3::X * 0.35).with_axis(Vec3::X))?;
        last = link;
    }
    Ok(())
}

/// A sparse crowd of turned boxes, a moving lift below them, and bodies that are moved to other
/// places.
fn lift<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let mut dice = Dice::new(24);
    world.insert(ground()?)?;
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(5.0, 0.2, 5.0))?).with_position(Vec3::Y * 0.5);
    world.insert(lift.with_linear_velocity(Vec3::Y * 0.5).with_angular_velocity(Vec3::Y * 0.3))?;
    for _ in 0..40 {
        let position = Vec3::new(dice.range(-4.0, 4.0), dice.range(1.5, 6.0), dice.range(-4.0, 4.0));
        let half = Vec3::new(dice.range(0.2, 0.5), dice.range(0.2, 0.5), dice.range(0.2, 0.5));
        world.insert(dynamic(cuboid(half)?).with_pose(Pose::new(turned(&mut dice), position)))?;
    }
    Ok(())
}
