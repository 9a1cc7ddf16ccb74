//! Bodies on surfaces that move although their own body stands still: belts, and a mesh that
//! deforms.
//!
//! Reference: carom-world: surface velocities, and meshes whose vertices move.

use super::{Actors, Error, Request};
use carom_broad::BroadPhase;
use carom_geom::{Capsule, Cuboid, Sphere, TriMesh};
use carom_math::{Vec3, ops};
use carom_query::{MeshShape, Shape};
use carom_scenes::Rng;
use carom_world::{BodyDesc, World};
use std::sync::Arc;

/// Speed of the belts along their middle line, in metres per second.
const BELT_SPEED: f32 = 1.5;

/// Half the length of the straight belts, and the width of all belts, in metres.
const BELT: [f32; 2] = [3.0, 1.6];

/// Squares along a side of the mesh of waves, and half the side in metres.
const SQUARES: usize = 60;
const HALF_SIDE: f32 = 7.0;

fn cuboid(half: Vec3) -> Result<Shape, carom_geom::ShapeError> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Inserts a ring of four straight belts and four curves, with parcels that go round on it.
pub fn conveyor<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<Actors, Error> {
    let floor = cuboid(Vec3::new(30.0, 0.5, 30.0))?;
    world.insert(BodyDesc::fixed(floor).with_position(Vec3::Y * -1.6))?;
    insert_belts(world, Vec3::ZERO, request)?;
    Ok(Actors::new(request.seed))
}

/// Inserts the belts and parcels of [`conveyor`], with the middle of their surface here.
pub(super) fn insert_belts<B: BroadPhase>(
    world: &mut World<B>,
    center: Vec3,
    request: &Request,
) -> Result<(), Error> {
    let [length, width] = BELT;
    let middle = length + 0.5 * width;
    for side in [-1.0, 1.0] {
        let along_x = cuboid(Vec3::new(length, 0.1, 0.5 * width))?;
        let belt = BodyDesc::fixed(along_x).with_position(center + Vec3::new(0.0, -0.1, side * middle));
        world.insert(belt.with_surface_velocity(Vec3::X * (side * BELT_SPEED), Vec3::ZERO))?;
        let along_z = cuboid(Vec3::new(0.5 * width, 0.1, length))?;
        let belt = BodyDesc::fixed(along_z).with_position(center + Vec3::new(side * middle, -0.1, 0.0));
        world.insert(belt.with_surface_velocity(Vec3::Z * (-side * BELT_SPEED), Vec3::ZERO))?;
        for other in [-1.0, 1.0] {
            let position = center + Vec3::new(side * middle, -0.1, other * middle);
            let curve = BodyDesc::fixed(cuboid(Vec3::new(0.5 * width, 0.1, 0.5 * width))?);
            // The surface turns about the inner corner of the curve.
            let spin = Vec3::Y * (2.0 * BELT_SPEED / width);
            let away = Vec3::new(side * 0.5 * width, 0.0, other * 0.5 * width);
            world.insert(curve.with_position(position).with_surface_velocity(spin.cross(away), spin))?;
        }
        // Outer rails with little friction.
        let half = Vec3::new(middle + 0.5 * width, 0.25, 0.05);
        let rail = BodyDesc::fixed(cuboid(half)?).with_friction(0.01);
        let position = Vec3::new(0.0, 0.15, side * (half.x + half.z));
        world.insert(rail.with_position(center + position))?;
        let rail = BodyDesc::fixed(cuboid(Vec3::new(half.z, half.y, half.x))?).with_friction(0.01);
        world.insert(rail.with_position(center + Vec3::new(position.z, position.y, 0.0)))?;
    }
    let mut rng = Rng::new(request.seed);
    for k in 0..request.count {
        let mut size = |low: f64, high: f64| rng.range(low, high) as f32;
        let half = Vec3::new(size(0.12, 0.3), size(0.08, 0.2), size(0.12, 0.3));
        // Parcels start in layers on the four straight belts.
        let (layer, index) = (k / 40, k % 40);
        let along = (index / 4) as f32 * 0.6 - 2.7;
        let side = if index % 2 == 0 { middle } else { -middle };
        let y = 0.3 + 0.6 * layer as f32;
        let at = if index % 4 < 2 { Vec3::new(along, y, side) } else { Vec3::new(side, y, along) };
        world.insert(BodyDesc::dynamic(cuboid(half)?).with_position(center + at).with_friction(0.8))?;
    }
    Ok(())
}

/// Returns the positions of the vertices after some seconds: travelling waves, a membrane that
/// throws bodies up, and a rim.
pub fn wave_at(seconds: f32) -> Vec<Vec3> {
    let at = |k: usize| HALF_SIDE * (2.0 * k as f32 / SQUARES as f32 - 1.0);
    // The membrane rises within a fifth of a second and sinks within one second.
    let phase = seconds % 3.0;
    let lift = if phase < 0.2 { phase / 0.2 } else { (1.0 - (phase - 0.2)).max(0.0) };
    let position_of = |x: f32, z: f32| {
        let r = ops::sqrt(x * x + z * z);
        // The swell grows from 0, so that no body is thrown at the start.
        let swell = 0.35 * (seconds / 2.0).min(1.0) * (r / 3.0).min(1.0);
        let wave = swell * ops::sin_cos(f64::from(1.4 * x + 0.5 * z - 2.6 * seconds)).0 as f32;
        let membrane = 0.9 * lift * (1.6 - 0.8 * r).clamp(0.0, 1.0);
        let rim = 1.2 * (x.abs().max(z.abs()) - HALF_SIDE + 1.6).max(0.0);
        Vec3::new(x, wave + membrane + rim, z)
    };
    (0..=SQUARES).flat_map(|i| (0..=SQUARES).map(move |j| position_of(at(i), at(j)))).collect()
}

/// Inserts balls, boxes and capsules on a mesh that moves up and down.
pub fn waves<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    let corner = |i: usize, j: usize| (i * (SQUARES + 1) + j) as u32;
    let cells = (0..SQUARES * SQUARES).flat_map(|cell| {
        let (i, j) = (cell / SQUARES, cell % SQUARES);
        let [a, b] = [corner(i, j), corner(i + 1, j + 1)];
        [[a, corner(i, j + 1), b], [a, b, corner(i + 1, j)]]
    });
    let triangles: Vec<[u32; 3]> = cells.collect();
    let mesh = MeshShape::new(TriMesh::new(wave_at(0.0), triangles)?)?;
    let sheet = world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(mesh))).with_friction(0.6))?;
    actors.sheet = Some((sheet, wave_at));
    let mut rng = Rng::new(request.seed);
    for k in 0..request.count {
        let size = rng.range(0.2, 0.4) as f32;
        let shape = match k % 3 {
            0 => Shape::Sphere(Sphere::new(size)?),
            1 => cuboid(Vec3::new(size, 0.6 * size, 0.8 * size))?,
            _ => Shape::Capsule(Capsule::new(0.7 * size, 0.7 * size)?),
        };
        let (layer, index) = (k / 81, k % 81);
        let at = Vec3::new((index % 9) as f32 - 4.0, 1.0 + layer as f32, (index / 9) as f32 - 4.0);
        world.insert(BodyDesc::dynamic(shape).with_position(at))?;
    }
    Ok(actors)
}
