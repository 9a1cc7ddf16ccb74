//! Characters that walk a castle, and a car on a road, with boxes to push.
//!
//! A course is one fixed body of convex blocks. Blocks that would hide the rest are not drawn.
//!
//! Reference: carom-scenes: the castle, its path, and the road.

use super::walkers::{Plan, insert_car, solid};
use super::{Actors, Error, Request, Route};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_character::Figure;
use carom_geom::{ConvexHull, TriMesh};
use carom_math::{Pose, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::{Block, CASTLE_PATH, Level, Rng, car_course, castle};
use carom_world::{BodyDesc, World};
use glam::DVec3;
use std::sync::Arc;

/// Crates of the castle: middle of the bottom, and half the side, in metres. They stand at the
/// gate, in the yard, on the wall and in the keep.
const CRATES: [([f32; 3], f32); 16] = [
    ([0.35, 0.0, -15.0], 0.3),
    ([-1.0, 0.0, -11.5], 0.35),
    ([1.2, 0.0, -11.0], 0.3),
    ([1.2, 0.61, -11.0], 0.25),
    ([-3.5, 0.0, -13.4], 0.35),
    ([-5.0, 0.0, -14.3], 0.25),
    ([-15.4, 5.0, 1.5], 0.25),
    ([-17.1, 5.0, 6.0], 0.25),
    ([-5.0, 5.0, 16.5], 0.25),
    ([-4.0, 5.0, 17.2], 0.2),
    ([6.0, 5.0, 16.45], 0.25),
    ([16.4, 5.0, 6.0], 0.25),
    ([8.55, 0.0, 6.0], 0.3),
    ([7.0, 0.0, 1.0], 0.3),
    ([-3.2, 3.0, 2.0], 0.25),
    ([0.3, 3.0, -3.8], 0.25),
];

/// The kilograms of a crate for each metre of half its side.
const CRATE_MASS: f32 = 50.0;

/// The x coordinates of the walls of boxes on the road, in metres: after the bumps, on the deck of
/// the bridge, before the tunnel, and behind it.
const WALLS: [f32; 5] = [33.0, 62.0, 85.0, 88.0, 116.0];

/// Boxes of a wall.
const WALL: usize = 6;

/// The x coordinate at which the car brakes, in metres, and its speed in metres per second.
const ROAD_END: f32 = 124.0;
const ROAD_SPEED: f64 = 10.0;

/// Inserts a course as one fixed body. Its picture has the blocks for which `is_shown` holds.
fn insert_course<B: BroadPhase>(
    world: &mut World<B>,
    actors: &mut Actors,
    course: &Level,
    is_shown: impl Fn(&Block) -> bool,
) -> Result<(), Error> {
    let part = |block: &Block| -> Result<CompoundPart, Error> {
        let corners: Vec<Vec3> = block.corners.iter().map(|corner| corner.as_vec3()).collect();
        let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&corners)?));
        Ok(CompoundPart { shape: hull, pose: Pose::IDENTITY })
    };
    let parts = course.blocks.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let shape = Shape::Compound(Arc::new(Compound::new(parts)?));
    let body = world.insert(BodyDesc::fixed(shape).with_friction(0.6))?;
    let mut shown = course.clone();
    shown.blocks.retain(is_shown);
    let mesh = shown.mesh();
    let mesh = TriMesh::new(mesh.vertices_f32(), mesh.triangles)?;
    actors.appearances.push((body, Shape::Mesh(Arc::new(MeshShape::new(mesh)?))));
    Ok(())
}

/// Inserts a castle with crates in it, and `count` characters. The first follows the path through
/// the castle; the others walk at random.
pub fn level<B: BroadPhase + SpatialIndex>(world: &mut World<B>, request: &Request) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    let course = castle();
    // The outer wall and the roof of the keep.
    insert_course(world, &mut actors, &course, |block| {
        block.corners.iter().all(|p| p.y < 11.0) && block.corners.iter().any(|p| p.y < 5.9)
    })?;
    for ([x, y, z], half) in CRATES {
        let crate_desc = solid(CRATE_MASS * half, Vec3::splat(half))?;
        world.insert(crate_desc.with_position(Vec3::new(x, y + half + 0.005, z)))?;
    }
    let figures =
        [Figure::capsule(1.8, 0.3)?, Figure::cylinder(1.8, 0.3)?, Figure::cuboid(DVec3::new(0.6, 1.8, 0.6))?];
    let mut rng = Rng::new(request.seed);
    for k in 0..request.count {
        let figure = figures[k % figures.len()];
        if k == 0 {
            let [x, z] = CASTLE_PATH[0];
            let plan = Plan::Follow { path: &CASTLE_PATH, n_reached: 0 };
            actors.insert_figure(world, figure, DVec3::new(x, 0.0, z), plan)?;
            continue;
        }
        let aside = DVec3::new(rng.range(-2.0, 2.0), 0.0, rng.range(-2.0, 2.0));
        let feet = course.starts[k % course.starts.len()] + aside;
        actors.insert_figure(world, figure, feet, Plan::Roam { left: 0, reach: 22.0 })?;
    }
    Ok(actors)
}

/// Inserts a car that drives along a road, over bumps and a bridge and through a tunnel, with
/// `count` boxes in walls on its way.
pub fn car<B: BroadPhase + SpatialIndex>(world: &mut World<B>, request: &Request) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    // The tunnel is drawn open on one side, so that the car in it is seen.
    insert_course(world, &mut actors, &car_course(), |block| {
        !block.corners.iter().all(|p| 85.0 < p.x && 2.0 < p.z)
    })?;
    insert_car(world, &mut actors, Pose::from_translation(Vec3::Y * 1.2))?;
    actors.route = Route::Road { end: ROAD_END, speed: ROAD_SPEED };
    let mut rng = Rng::new(request.seed);
    for (k, x) in WALLS.into_iter().enumerate() {
        let y = if (54.0..66.0).contains(&x) { 2.0 } else { 0.0 };
        let foot = Pose::from_translation(Vec3::new(x, y, 0.0));
        insert_wall(world, &mut rng, &foot, request.count.saturating_sub(k * WALL))?;
    }
    Ok(actors)
}

/// Inserts a wall across the x axis at `foot`, three boxes wide and two high, or its first `n`
/// boxes. They weigh 8 to 12 kg and are almost a metre wide. A car would climb smaller ones.
fn insert_wall<B: BroadPhase>(
    world: &mut World<B>,
    rng: &mut Rng,
    foot: &Pose,
    n: usize,
) -> Result<(), Error> {
    for k in 0..n.min(WALL) {
        let half = Vec3::splat(rng.range(0.42, 0.5) as f32);
        let at = Vec3::new(0.0, 0.52 + 1.02 * (k / 3) as f32, 1.05 * ((k % 3) as f32 - 1.0));
        let pose = Pose::new(foot.rotation, foot.transform_point(at));
        world.insert(solid(8.0 + 2.0 * (k % 3) as f32, half)?.with_pose(pose))?;
    }
    Ok(())
}
