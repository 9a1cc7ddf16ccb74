//! The random walk of a character in a `World`, among lifts, a turntable, a shuttle and boxes that
//! it pushes. The oracle of [`Course`] checks every position against the level.
//!
//! Platforms reach below the floor, and none comes near a wall. So they cannot crush a figure
//! against the level. A platform that moves into the figure pushes it out, which is counted and is
//! no fault. A push out of the level is a fault.

use crate::walk::{Course, Intent, WalkTally};
use carom_character::{BodyContact, Character, CharacterBody, Figure, Sweep as _, WorldSweep};
use carom_geom::{Cuboid, Cylinder, MassProperties, TriMesh};
use carom_math::{Mat3, Pose, ops};
use carom_query::{MeshShape, Shape};
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, Filter, Mobility, QueryFilter, World};
use glam::{DVec3, Quat, Vec3};
use std::sync::Arc;

/// The pose of a platform at a time.
type PoseAt = fn(f32) -> Pose;

/// Calls after which a figure that wished to move must have moved.
const PATIENCE: u32 = 400;

/// The distance from the last checkpoint beyond which a figure has made progress, in metres.
const PROGRESS: f64 = 0.05;

/// The distance that a figure may move in a call beyond its velocity, a step and the motion of its
/// ground, in metres.
const MAX_EXCESS: f64 = 0.1;

/// The height below which a box has left the level, in metres.
const LOST_DEPTH: f32 = -3.0;

/// The number of boxes in the yard.
const N_BOXES: usize = 10;

/// A platform of the level: its body, and its pose over time.
struct Platform {
    body: BodyId,
    course: PoseAt,
}

/// Returns sin(rate t).
fn wave(t: f32, rate: f32) -> f32 {
    ops::sin_cos(rate * t).0
}

fn lift(t: f32) -> Pose {
    Pose::from_translation(Vec3::new(-6.0, -2.3 + 1.3 * wave(t, 1.1), -4.0))
}

fn turntable(t: f32) -> Pose {
    let turn = |axis: Vec3, angle: f32| {
        let (sin, cos) = ops::sin_cos(0.5 * angle);
        Quat::from_vec4((axis * sin).extend(cos))
    };
    let tilt = turn(Vec3::X, 0.12 * wave(t, 0.7)) * turn(Vec3::Z, 0.1 * wave(t, 1.0));
    Pose::new(tilt * turn(Vec3::Y, 1.2 * t), Vec3::new(5.0, -1.6 + 0.3 * wave(t, 0.9), -5.0))
}

fn shuttle(t: f32) -> Pose {
    Pose::from_translation(Vec3::new(5.0 * wave(t, 0.5), -0.7, 5.0 + wave(t, 0.8)))
}

/// The yard of [`Course::yard`] as one mesh, its platforms, and boxes at random.
struct Yard {
    world: World,
    platforms: Vec<Platform>,
    boxes: Vec<BodyId>,
    time: f32,
}

type Error = Box<dyn std::error::Error>;

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

impl Yard {
    fn new(course: &Course, rng: &mut Rng) -> Result<Yard, Error> {
        let mut world = World::new();
        let vertices: Vec<Vec3> = course.triangles().iter().flatten().map(|p| p.as_vec3()).collect();
        let triangles = (0..course.triangles().len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = MeshShape::new(TriMesh::new(vertices, triangles)?)?;
        world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(mesh))))?;
        let shapes: [(Shape, PoseAt); 3] = [
            (cuboid(Vec3::new(1.5, 2.0, 1.5))?, lift),
            (Shape::Cylinder(Cylinder::new(1.5, 2.5)?), turntable),
            (cuboid(Vec3::new(1.2, 1.0, 0.8))?, shuttle),
        ];
        let mut platforms = Vec::new();
        for (shape, course) in shapes {
            let body = world.insert(BodyDesc::kinematic(shape).with_pose(course(0.0)))?;
            platforms.push(Platform { body, course });
        }
        let mut boxes = Vec::new();
        for _ in 0..N_BOXES {
            let mut number = |low: f64, high: f64| rng.range(low, high) as f32;
            let half = Vec3::new(number(0.15, 0.6), number(0.15, 0.6), number(0.15, 0.6));
            let position = Vec3::new(number(-9.0, 9.0), number(1.5, 4.0), number(-9.0, 9.0));
            let mass = number(4.0, 150.0);
            let sq = half * half * (mass / 3.0);
            let inertia = Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y));
            let desc = BodyDesc::dynamic(cuboid(half)?)
                .with_mass_properties(MassProperties::new(mass, Vec3::ZERO, inertia))
                .with_position(position);
            boxes.push(world.insert(desc)?);
        }
        Ok(Yard { world, platforms, boxes, time: 0.0 })
    }

    /// Makes a step in which the platforms follow their courses. Returns the number of boxes that
    /// left the level.
    fn step(&mut self, dt: f32) -> Result<u64, Error> {
        self.time += dt;
        for platform in &self.platforms {
            self.world.body_mut(platform.body)?.move_to((platform.course)(self.time))?;
        }
        self.world.step(dt)?;
        let mut n_lost = 0;
        for &id in &self.boxes {
            if self.world.body(id)?.position().y < LOST_DEPTH {
                n_lost += 1;
                self.world.body_mut(id)?.set_pose(Pose::from_translation(Vec3::Y * 3.0))?;
                self.world.body_mut(id)?.set_linear_velocity(Vec3::ZERO)?.set_angular_velocity(Vec3::ZERO)?;
            }
        }
        Ok(n_lost)
    }

    /// Returns the mobility of a body that the figure overlaps at a position.
    fn overlapped(&self, hero: &CharacterBody, position: DVec3) -> Option<Mobility> {
        let own = [hero.body()];
        let filter = QueryFilter::SOLID.with_filter(Filter::default()).without(&own);
        let figure = hero.character().figure();
        let hit = WorldSweep::new(&self.world, filter).sweep(figure, position, DVec3::Y * 1e-6, 1e-6)?;
        let body = self.world.body_at(hit.object).filter(|_| hit.starts_inside)?;
        self.world.body(body).map(|body| body.mobility()).ok()
    }
}

/// The state of a walk between calls.
struct Progress {
    /// The position at the last checkpoint.
    position: DVec3,
    /// Calls since then, and those of them with a wish.
    calls: u32,
    wished: u32,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Escape,
    Stuck,
    Freed,
    Thrown,
}

/// Makes `n_moves` calls in the yard from a random start, with random wishes, jumps and frame
/// times.
///
/// A call is *thrown* if it moves the figure farther than its velocity, its wish and its ground
/// explain. The figure is *stuck* if it does not get away in `PATIENCE` calls with many wishes.
///
/// Errors: a step or a call that the world refuses.
pub fn random_walk_in_world(
    course: &Course,
    figure: Figure,
    n_moves: u64,
    seed: u64,
    tally: &mut WalkTally,
) -> Result<(), Error> {
    let mut rng = Rng::new(seed);
    let mut yard = Yard::new(course, &mut rng)?;
    let start = course.start(&figure, &mut rng).ok_or("no start is free")?;
    let character = Character::new(figure, course.settings(), start)?;
    let mut hero = CharacterBody::insert(&mut yard.world, character, Filter::default())?;
    let mut intent = Intent::NONE;
    let mut progress = Progress { position: start, calls: 0, wished: 0 };
    for number in 0..n_moves {
        if let Some(speed) = intent.go_on(&mut rng) {
            hero.character_mut().jump(speed);
        }
        let Intent { wish, dt, .. } = intent;
        let (before, velocity) = (hero.character().position(), hero.character().velocity());
        tally.lost += yard.step(dt as f32)?;
        hero.walk(&mut yard.world, wish, dt)?;
        let (character, walked) = (hero.character(), hero.character().walked());
        let position = character.position();
        tally.moves += 1;
        tally.contacts += walked.contacts.len() as u64;
        tally.steps += u64::from(walked.steps);
        tally.climbed += walked.climbed;
        tally.in_air += u64::from(character.ground().is_none());
        let pushes = |contact: &BodyContact| 0.0 < contact.approach && contact.force != DVec3::ZERO;
        tally.pushes += u64::from(hero.contacts().iter().any(pushes));
        let mut faults: Vec<(Fault, String)> = Vec::new();
        if walked.was_refused {
            faults.push((Fault::Escape, "refused".to_owned()));
        }
        if walked.freed != DVec3::ZERO || walked.is_stuck {
            match yard.overlapped(&hero, before + walked.carried) {
                Some(Mobility::Kinematic) => tally.by_platforms += 1,
                Some(Mobility::Dynamic) => tally.by_boxes += 1,
                mobility => {
                    faults.push((Fault::Freed, format!("freed by {} from {mobility:?}", walked.freed)))
                }
            }
        }
        match course.depth_at(&figure, position) {
            Ok(depth) => tally.deepest = tally.deepest.max(depth),
            Err(what) => faults.push((Fault::Escape, what)),
        }
        let speed = velocity.length().max(wish.length()).max(character.velocity().length());
        // A figure whose feet are below the edge that it stands on may rise by a step that is not
        // counted.
        let climbed = f64::from(walked.steps.max(1)) * character.settings().step_height;
        let explained = speed * dt + walked.carried.length() + climbed;
        let moved = (position - before).length();
        if explained + MAX_EXCESS < moved {
            faults.push((Fault::Thrown, format!("thrown by {moved}, freed by {}", walked.freed)));
        }
        progress.calls += 1;
        progress.wished += u32::from(wish != DVec3::ZERO);
        if PROGRESS < (position - progress.position).with_y(0.0).length() {
            progress = Progress { position, calls: 0, wished: 0 };
        } else if PATIENCE < progress.calls && PATIENCE < 2 * progress.wished {
            faults.push((Fault::Stuck, format!("stuck, is_stuck {}", walked.is_stuck)));
        }
        for (fault, what) in &faults {
            match fault {
                Fault::Escape => tally.escapes += 1,
                Fault::Stuck => tally.stuck += 1,
                Fault::Freed => tally.freed += 1,
                Fault::Thrown => tally.thrown += 1,
            }
            let form = figure.form();
            tally.first.get_or_insert_with(|| {
                format!(
                    "yard, {form:?}, seed {seed}, move {number}, from {before} wishing {wish} for {dt}: {position}: {what}"
                )
            });
        }
        if faults.iter().any(|(fault, _)| matches!(fault, Fault::Escape | Fault::Stuck)) {
            // Continues at the start.
            hero.set_position(&mut yard.world, start)?;
            hero.character_mut().set_velocity(DVec3::ZERO);
            progress = Progress { position: start, calls: 0, wished: 0 };
        }
    }
    Ok(())
}
