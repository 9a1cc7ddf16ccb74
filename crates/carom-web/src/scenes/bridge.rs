//! A chain bridge of planks, over which a car drives to and fro.
//!
//! Reference: E. Catto, Box2D 3.1, samples: bridge, 2024 (planks in hinges).

use super::walkers::insert_car;
use super::{Actors, Error, Request, Route};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_geom::Cuboid;
use carom_math::{Pose, Quat, Vec3, ops};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, JointDesc, World};

/// From one plank to the next, in metres.
const PITCH: f32 = 0.5;

/// Half the size of a plank, in metres, and its density: 38 kg.
const PLANK: Vec3 = Vec3::new(0.235, 0.06, 1.7);
const PLANK_DENSITY: f32 = 400.0;

/// The planks start on an arc with this half angle, in radians.
const ARC: f32 = 0.14;

/// Depth of the gorge and half the length of a bank, in metres.
const DEPTH: f32 = 5.0;
const BANK: f32 = 8.0;

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Inserts a bridge of `count` planks between two banks, some crates on it, and a car.
pub fn bridge<B: BroadPhase + SpatialIndex>(
    world: &mut World<B>,
    request: &Request,
) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    let n = request.count;
    let step = 2.0 * ARC / n as f32;
    let radius = 0.5 * PITCH / ops::sin_cos(f64::from(0.5 * step)).0 as f32;
    let (sin, cos) = ops::sin_cos(ARC);
    // The edge between two planks; the first and the last lie on the banks, at height 0.
    let edge = |k: usize| {
        let (sine, cosine) = ops::sin_cos(step * k as f32 - ARC);
        Vec3::new(radius * sine, radius * (cos - cosine), 0.0)
    };
    let end = radius * sin;
    let valley = BodyDesc::fixed(cuboid(Vec3::new(end + 2.0 * BANK, 0.5, 10.0))?);
    world.insert(valley.with_position(Vec3::Y * (-DEPTH - 0.5)))?;
    let mut banks = Vec::new();
    for side in [-1.0, 1.0] {
        let half = Vec3::new(BANK, 0.5 * DEPTH, 6.0);
        let at = Vec3::new(side * (end + BANK), PLANK.y - 0.5 * DEPTH, 0.0);
        banks.push(world.insert(BodyDesc::fixed(cuboid(half)?).with_position(at).with_friction(1.0))?);
        // Posts beside the road.
        for z in [-1.0, 1.0] {
            let post = BodyDesc::fixed(cuboid(Vec3::new(0.12, 0.6, 0.12))?);
            world.insert(post.with_position(Vec3::new(side * (end + 0.2), 0.6, z * 1.85)))?;
        }
    }
    let mut last = banks[0];
    for k in 0..n {
        let turn = Quat::from_rotation_z(step * (k as f32 + 0.5) - ARC);
        let desc = BodyDesc::dynamic(cuboid(PLANK)?).with_density(PLANK_DENSITY).with_friction(1.0);
        let pose = Pose::new(turn, (edge(k) + edge(k + 1)) * 0.5);
        // Neighbours do not collide; the boxes of a family do not either.
        let plank = world.insert(desc.with_pose(pose).with_damping(0.05, 0.3).with_family(1))?;
        hinge(world, last, plank, edge(k))?;
        last = plank;
    }
    hinge(world, last, banks[1], edge(n))?;
    // Crates beside the way of the car.
    for (k, z) in [(n / 4, 1.4), (n / 2, -1.4), (3 * n / 4, 1.4)] {
        let half = Vec3::splat(0.22);
        let at = edge(k) + Vec3::new(0.0, PLANK.y + half.y + 0.1, z);
        world.insert(BodyDesc::dynamic(cuboid(half)?).with_density(120.0).with_position(at))?;
    }
    insert_car(world, &mut actors, Pose::from_translation(Vec3::new(-end - 6.0, 1.1, 0.0)))?;
    actors.route = Route::Line { reach: end + 4.5, speed: 4.5, is_returning: false };
    Ok(actors)
}

/// Joins two bodies by balls at both sides of the road: together they are a hinge.
fn hinge<B: BroadPhase>(world: &mut World<B>, a: BodyId, b: BodyId, at: Vec3) -> Result<(), Error> {
    for z in [-1.5, 1.5] {
        world.insert_joint(JointDesc::spherical(a, b).with_anchor(at + Vec3::Z * z))?;
    }
    Ok(())
}
