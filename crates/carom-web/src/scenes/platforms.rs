//! Platforms that move, and the characters that stand on them.
//!
//! An escalator is a row of steps on one closed course, each of which is ahead of the next by the
//! same time.
//!
//! Reference: carom-character: characters that moving ground carries.

use super::roles::Role;
use super::walkers::{Plan, cuboid, floor, solid};
use super::{Actors, Error, Request};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_geom::{ConvexHull, Cylinder};
use carom_math::{Pose, Quat, Vec3, ops};
use carom_query::Shape;
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, World};
use glam::DVec3;
use std::sync::Arc;

/// The pose of a platform as a function of the time in seconds.
pub type PoseAt = fn(f32) -> Pose;

/// A kinematic body that moves by a function of time.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// The body.
    pub body: BodyId,
    /// Its course.
    pub course: PoseAt,
    /// Seconds by which it is ahead on its course.
    pub lead: f32,
}

impl Platform {
    /// Returns its pose at a time in seconds.
    pub fn pose_at(&self, seconds: f32) -> Pose {
        (self.course)(self.lead + seconds)
    }
}

impl Actors {
    pub(super) fn insert_platform<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        shape: Shape,
        course: PoseAt,
    ) -> Result<(), Error> {
        self.insert_ahead(world, shape, course, 0.0)
    }

    /// Inserts a platform that is ahead on its course by so many seconds.
    fn insert_ahead<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        shape: Shape,
        course: PoseAt,
        lead: f32,
    ) -> Result<(), Error> {
        let body = world.insert(BodyDesc::kinematic(shape).with_pose(course(lead)))?;
        self.platforms.push(Platform { body, course, lead });
        Ok(())
    }
}

/// Inserts a lift, an escalator, a disc that turns, one that turns and tilts, a seesaw and a belt.
/// Characters stand on them; others roam. One jumps up through a one-way ledge again and again.
pub fn platforms<B: BroadPhase + SpatialIndex>(
    world: &mut World<B>,
    request: &Request,
) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    floor(world, 14.0)?;
    actors.insert_platform(world, cuboid(Vec3::new(1.5, 1.5, 1.5))?, |t| {
        Pose::from_translation(Vec3::new(-7.0, -0.4 + 1.0 * ops::sin_cos(t).0, -4.0))
    })?;
    insert_escalator(world, &mut actors)?;
    let round = Shape::Cylinder(Cylinder::new(0.3, 2.5)?);
    actors.insert_platform(world, round.clone(), |t| {
        Pose::new(Quat::from_rotation_y(0.9 * t), Vec3::new(0.0, 0.0, -5.5))
    })?;
    actors.insert_platform(world, round, |t| {
        let tilt = Quat::from_rotation_x(0.2 * ops::sin_cos(0.9 * t).0);
        Pose::new(tilt * Quat::from_rotation_y(-0.6 * t), Vec3::new(7.0, 0.6, -4.0))
    })?;
    actors.insert_platform(world, cuboid(Vec3::new(2.5, 0.15, 1.2))?, |t| {
        Pose::new(Quat::from_rotation_z(0.25 * ops::sin_cos(1.2 * t).0), Vec3::new(7.0, 0.8, 4.0))
    })?;
    let belt = BodyDesc::fixed(cuboid(Vec3::new(4.0, 0.1, 1.0))?).with_position(Vec3::new(0.0, 0.1, 5.5));
    world.insert(belt.with_surface_velocity(Vec3::X * BELT_SPEED, Vec3::ZERO))?;
    let stay = |reach: f64| Plan::Stay { reach, is_returning: false };
    let foot = ESCALATOR.as_dvec3();
    let standing = [
        ([-7.0, 2.2, -4.0], 2.0),
        ([foot.x + 0.5, 0.2, foot.z], 5.2),
        ([0.0, 0.3, -5.5], 4.0),
        ([1.4, 0.3, -5.5], 4.0),
        ([7.0, 0.9, -3.0], 4.0),
        ([5.4, 0.9, -4.0], 4.0),
        ([8.5, 0.95, 4.0], 3.0),
        ([-3.0, 0.2, 5.5], 5.5),
        ([-2.0, 0.2, 5.2], 5.5),
    ];
    for (feet, reach) in standing {
        actors.insert_walker(world, feet.into(), stay(reach))?;
    }
    let ledge = BodyDesc::fixed(cuboid(LEDGE)?).with_position(LEDGE_POSITION);
    let ledge = world.insert(Role::OneWay.apply_to(ledge))?;
    let top = f64::from(LEDGE_POSITION.y + LEDGE.y);
    let hop = Plan::Hop { ledge, top, n_standing: 0, n_landings: 0, is_dropping: false };
    actors.insert_walker(world, LEDGE_POSITION.with_y(0.0).as_dvec3(), hop)?;
    let mut rng = Rng::new(request.seed);
    for _ in standing.len() + 1..request.count {
        let feet = DVec3::new(rng.range(-3.0, 3.0), 0.0, rng.range(-2.0, 2.0));
        actors.insert_walker(world, feet, Plan::Roam { left: 0, reach: 9.0 })?;
    }
    // Boxes ride on them too.
    for (x, y, z) in
        [(-7.6, 2.0, -4.6), (-1.2, 0.8, -5.0), (7.0, 1.4, -5.2), (-3.6, 0.6, 5.6), (2.5, 0.4, 0.5)]
    {
        world.insert(solid(15.0, Vec3::splat(0.25))?.with_position(Vec3::new(x, y, z)))?;
    }
    Ok(actors)
}

/// Half the size of the one-way ledge, and its place.
const LEDGE: Vec3 = Vec3::new(1.2, 0.06, 1.0);
const LEDGE_POSITION: Vec3 = Vec3::new(-4.5, 2.3, 0.5);

/// Metres per second of the surface of the belt.
const BELT_SPEED: f32 = 1.2;

/// The foot of the escalator, from which it rises along x.
const ESCALATOR: Vec3 = Vec3::new(-12.5, 0.0, 4.5);

/// Half the size of a step, and the height of its top at the foot.
const STEP: Vec3 = Vec3::new(0.2, 0.15, 0.8);
const FOOT: f32 = 0.05;

/// Metres along x from end to end. The first and the last metre are level, and the steps between
/// rise by half a metre for each metre.
const RUN: f32 = 5.0;
const LEVEL: f32 = 1.0;

/// Steps on the whole course, the time between two of them, and that at each end to sink or to rise
/// by `SUNK`.
const N_STEPS: usize = 26;
const INTERVAL: f32 = 0.5;
const TURNING: f32 = 0.5;
const SUNK: f32 = 0.6;

/// Height of the tops of the steps above the foot, at a distance along x.
fn rise(x: f32) -> f32 {
    FOOT + 0.5 * (x - LEVEL).clamp(0.0, RUN - 2.0 * LEVEL)
}

/// The closed course of a step: up, down at the upper end, back below the others, and up at the
/// foot.
fn on_escalator(t: f32) -> Pose {
    let up = 2.0 * STEP.x / INTERVAL;
    let (there, all) = (RUN / up, N_STEPS as f32 * INTERVAL);
    let time = t - all * ops::floor(t / all);
    let back = all - there - 2.0 * TURNING;
    let since = time - there;
    let (x, sunk) = if since < 0.0 {
        (up * time, 0.0)
    } else if since < TURNING {
        (RUN, since / TURNING)
    } else if since < TURNING + back {
        (RUN * (1.0 - (since - TURNING) / back), 1.0)
    } else {
        (0.0, (all - time) / TURNING)
    };
    Pose::from_translation(ESCALATOR + Vec3::new(x, rise(x) - STEP.y - SUNK * sunk, 0.0))
}

/// Inserts an escalator with a landing at its upper end, and a panel at each side.
fn insert_escalator<B: BroadPhase>(world: &mut World<B>, actors: &mut Actors) -> Result<(), Error> {
    for k in 0..N_STEPS {
        actors.insert_ahead(world, cuboid(STEP)?, on_escalator, INTERVAL * k as f32)?;
    }
    // The steps pass a little above the landing, and set down on it whatever they carry.
    let top = 0.5 * (rise(RUN) - 0.02);
    let landing = BodyDesc::fixed(cuboid(Vec3::new(1.1, top, STEP.z))?);
    world.insert(landing.with_position(ESCALATOR + Vec3::new(RUN + 0.6, top, 0.0)))?;
    let profile = [[0.3, 0.0], [RUN, 0.0], [RUN, 1.9], [4.0, 1.9], [0.4, 0.1]];
    for z in [-STEP.z - 0.05, STEP.z + 0.05] {
        let corners = profile.into_iter().flat_map(|[x, y]| [-0.04, 0.04].map(|w| Vec3::new(x, y, z + w)));
        let panel = ConvexHull::from_points(&corners.collect::<Vec<_>>())?;
        world.insert(BodyDesc::fixed(Shape::Hull(Arc::new(panel))).with_position(ESCALATOR))?;
    }
    Ok(())
}
