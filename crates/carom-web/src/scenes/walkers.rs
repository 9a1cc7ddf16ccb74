//! A car and characters in a world of bodies.
//!
//! Reference: carom-character: a car on rays, and characters that are bodies of the world.

use super::roles::Role;
use super::{Actors, Error, Request, Route};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_character::{
    Character, CharacterBody, CharacterSettings, Controls, Figure, OneWay, Vehicle, WheelDesc,
};
use carom_geom::{Cuboid, Cylinder, MassProperties, TriMesh};
use carom_math::{Mat3, Pose, Quat, Vec3, ops};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::{Rng, mesh};
use carom_world::{BodyDesc, BodyId, ColliderRef, Filter, World};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Seconds of a step.
const FRAME: f64 = 1.0 / 60.0;

/// The steps that a character stands before it jumps up through a ledge, and before it leaves it.
const HOP_STEPS: usize = 30;

/// Radius of a wheel and of the circle that the car drives, in metres.
const WHEEL_RADIUS: f32 = 0.35;
pub(super) const CIRCLE: f32 = 18.0;

/// Speed at which the throttle is closed, in metres per second.
const CAR_SPEED: f64 = 6.0;

/// Half the size of the chassis, in metres.
const CHASSIS: Vec3 = Vec3::new(1.9, 0.55, 0.8);

/// The rule by which a character chooses its direction.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    /// Stands, and walks back to its home if it was carried more than `reach` metres away.
    Stay {
        /// Metres from its home.
        reach: f64,
        /// Whether it walks back.
        is_returning: bool,
    },
    /// Walks to and fro between its home and `other`.
    Commute {
        /// The other place.
        other: DVec3,
        /// Whether it reached `other` last, and walks home.
        is_there: bool,
    },
    /// Walks along a path of points (x, z), and then from its end to its start again.
    Follow {
        /// The points.
        path: &'static [[f64; 2]],
        /// The number of points that it has reached.
        n_reached: usize,
    },
    /// Jumps up through a one-way ledge from its home below, stands on it, and leaves it: by a walk
    /// along x and by a drop in turn.
    Hop {
        /// The ledge.
        ledge: BodyId,
        /// The height of its top.
        top: f64,
        /// The steps that it stands without a break.
        n_standing: usize,
        /// The number of landings on the ledge.
        n_landings: usize,
        /// Whether it drops through the ledge.
        is_dropping: bool,
    },
    /// Walks at random. It keeps the present direction for `left` more steps, and turns back if it
    /// is more than `reach` metres from the middle of the scene.
    Roam {
        /// The remaining steps.
        left: usize,
        /// Metres from the middle.
        reach: f64,
    },
}

/// A character, and its plan.
#[derive(Clone, Debug)]
pub struct Walker {
    /// The character in the world.
    pub hero: CharacterBody,
    home: DVec3,
    plan: Plan,
    wish: DVec3,
}

impl Walker {
    /// Returns its plan.
    pub fn plan(&self) -> Plan {
        self.plan
    }
}

impl Actors {
    pub(super) fn insert_walker<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        feet: DVec3,
        plan: Plan,
    ) -> Result<(), Error> {
        self.insert_figure(world, Figure::capsule(1.8, 0.3)?, feet, plan)
    }

    /// Inserts a character of any figure.
    pub(super) fn insert_figure<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        figure: Figure,
        feet: DVec3,
        plan: Plan,
    ) -> Result<(), Error> {
        let position = feet + DVec3::Y * (figure.stature() + 0.05);
        let character = Character::new(figure, CharacterSettings::default(), position)?;
        let hero = CharacterBody::insert(world, character, Filter::default())?;
        self.walkers.push(Walker { hero, home: feet, plan, wish: DVec3::ZERO });
        Ok(())
    }
}

pub(super) fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Describes a solid box with a mass in kilograms, spread evenly.
pub(super) fn solid(mass: f32, half: Vec3) -> Result<BodyDesc, Error> {
    let sq = half * half * (mass / 3.0);
    let inertia = Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y));
    Ok(BodyDesc::dynamic(cuboid(half)?).with_mass_properties(MassProperties::new(mass, Vec3::ZERO, inertia)))
}

/// Inserts a floor whose top is at height 0.
pub(super) fn floor<B: BroadPhase>(world: &mut World<B>, half: f32) -> Result<(), Error> {
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(half, 0.5, half))?).with_position(Vec3::Y * -0.5))?;
    Ok(())
}

/// Inserts a car that drives a circle over hills, through walls of boxes.
pub fn vehicle<B: BroadPhase + SpatialIndex>(
    world: &mut World<B>,
    request: &Request,
) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    let hills = mesh::terrain(70.0, 4.0, 35, 9);
    let (corners, triangles) = (hills.vertices_f32(), hills.triangles.clone());
    let height = |x: f32, z: f32| {
        let is_near = |p: &&Vec3| (p.x - x).abs().max((p.z - z).abs()) <= 2.5;
        corners.iter().filter(is_near).map(|p| p.y).fold(0.0, f32::max)
    };
    let mut rng = Rng::new(request.seed);
    let mut boxes = Vec::new();
    for k in 0..request.count {
        // Walls across the circle, each three boxes wide and two high. Boxes that fit below the car
        // would lift it off its wheels.
        let (wall, index) = (k / 6, k % 6);
        let angle = 0.5 + 0.6 * wall as f32;
        let (sin, cos) = ops::sin_cos(angle);
        let aside = (index % 3) as f32 - 1.0;
        let radius = CIRCLE + 1.05 * aside;
        let half = Vec3::splat(rng.range(0.42, 0.5) as f32);
        let (x, z) = (radius * cos, -radius * sin);
        let y = height(x, z) + 0.6 + 1.1 * (index / 3) as f32;
        let pose = Pose::new(Quat::from_rotation_y(angle), Vec3::new(x, y, z));
        boxes.push(solid(8.0 + 2.0 * (k % 3) as f32, half)?.with_pose(pose));
    }
    let start = Vec3::new(CIRCLE, height(CIRCLE, 0.0) + 1.2, 0.0);
    let shape = MeshShape::new(TriMesh::new(corners.clone(), triangles)?)?;
    world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(shape))).with_friction(0.6))?;
    let turn = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    insert_car(world, &mut actors, Pose::new(turn, start))?;
    for desc in boxes {
        world.insert(desc)?;
    }
    Ok(actors)
}

/// Inserts a car of 1,200 kg, with x ahead.
pub(super) fn insert_car<B: BroadPhase>(
    world: &mut World<B>,
    actors: &mut Actors,
    pose: Pose,
) -> Result<(), Error> {
    let chassis = world.insert(solid(1200.0, CHASSIS)?.with_pose(pose))?;
    actors.appearances.push((chassis, car_body()?));
    let mut car = Vehicle::new(chassis);
    for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
        let wheel = WheelDesc::new(f64::from(WHEEL_RADIUS)).with_mount(DVec3::new(x, -0.5, z));
        let wheel = wheel.with_max_drive_force(2000.0);
        car.add_wheel(if 0.0 < x { wheel.with_max_steer(0.6) } else { wheel })?;
    }
    actors.car = Some(car);
    Ok(())
}

/// Inserts two crowds that walk to and fro, through each other and through boxes.
pub fn characters<B: BroadPhase + SpatialIndex>(
    world: &mut World<B>,
    request: &Request,
) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    floor(world, 14.0)?;
    let mut rng = Rng::new(request.seed);
    for k in 0..request.count {
        let side = if k % 2 == 0 { -1.0 } else { 1.0 };
        let (row, column) = ((k / 2) / 8, (k / 2) % 8);
        let home = DVec3::new(side * (7.0 + 1.2 * row as f64), 0.0, 1.3 * (column as f64 - 3.5));
        let other = DVec3::new(-home.x, 0.0, home.z + rng.range(-1.0, 1.0));
        actors.insert_walker(world, home, Plan::Commute { other, is_there: false })?;
    }
    for k in 0..28 {
        let half = Vec3::splat(rng.range(0.2, 0.5) as f32);
        let position = Vec3::new(1.1 * (k % 4) as f32 - 1.65, 0.5, 1.5 * (k / 4) as f32 - 4.5);
        world.insert(solid(160.0 * half.x, half)?.with_position(position))?;
    }
    Ok(actors)
}

/// Returns the drawn shape of the chassis: the lower part of the body, and the cabin on it.
fn car_body() -> Result<Shape, Error> {
    let lower = Pose::from_translation(Vec3::Y * (-0.45 * CHASSIS.y));
    let cabin = Pose::from_translation(Vec3::new(-0.15 * CHASSIS.x, 0.4 * CHASSIS.y, 0.0));
    let parts = vec![
        CompoundPart { shape: cuboid(Vec3::new(CHASSIS.x, 0.45 * CHASSIS.y, CHASSIS.z))?, pose: lower },
        CompoundPart {
            shape: cuboid(Vec3::new(0.5 * CHASSIS.x, 0.4 * CHASSIS.y, 0.85 * CHASSIS.z))?,
            pose: cabin,
        },
    ];
    Ok(Shape::Compound(Arc::new(Compound::new(parts)?)))
}

/// Returns the shape of a wheel, along z.
pub fn wheel() -> Result<Shape, Error> {
    // A cylinder of a shape is along y.
    let turn = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let part = CompoundPart {
        shape: Shape::Cylinder(Cylinder::new(0.12, WHEEL_RADIUS)?),
        pose: Pose::new(turn, Vec3::ZERO),
    };
    Ok(Shape::Compound(Arc::new(Compound::new(vec![part])?)))
}

/// Returns the poses of the wheels of a car.
pub fn wheel_poses<B: BroadPhase>(car: &Vehicle, world: &World<B>) -> Result<Vec<Pose>, Error> {
    let pose = world.body(car.chassis())?.pose();
    let wheels = car.wheels().iter().map(|wheel| {
        let turn = DQuat::from_rotation_y(wheel.steer) * DQuat::from_rotation_z(-wheel.rolled);
        Pose::new(pose.rotation * turn.as_quat(), pose.transform_point(wheel.hub().as_vec3()))
    });
    Ok(wheels.collect())
}

/// Moves platforms and the car before a step that ends at `seconds`.
pub(super) fn before<B: BroadPhase + SpatialIndex>(
    actors: &mut Actors,
    world: &mut World<B>,
    seconds: f32,
) -> Result<(), Error> {
    for platform in &actors.platforms {
        world.body_mut(platform.body)?.move_to(platform.pose_at(seconds))?;
    }
    if let Some(car) = &mut actors.car {
        let controls = steer(car, &mut actors.route, world)?;
        car.drive(world, &controls, FRAME)?;
    }
    Ok(())
}

/// Lets the characters walk after a step.
pub(super) fn after<B: BroadPhase + SpatialIndex>(
    actors: &mut Actors,
    world: &mut World<B>,
) -> Result<(), Error> {
    for walker in &mut actors.walkers {
        decide(walker, &mut actors.rng);
        let one_way = OneWay::new(&walker.hero, FRAME);
        let dropped = match walker.plan {
            Plan::Hop { ledge, is_dropping: true, .. } => Some(ledge),
            _ => None,
        };
        let is_solid = |collider: &ColliderRef<'_, B>| {
            let body = collider.body();
            body.user_data() != Role::OneWay as u64
                || dropped != Some(body.id()) && one_way.is_solid(collider)
        };
        walker.hero.walk_where(world, walker.wish, FRAME, is_solid)?;
    }
    Ok(())
}

/// Chooses the velocity that a character aims for in the next step.
fn decide(walker: &mut Walker, rng: &mut Rng) {
    let position = walker.hero.character().feet();
    let towards = |goal: DVec3, speed: f64| (goal - position).with_y(0.0).normalize_or_zero() * speed;
    let away = |goal: DVec3| (goal - position).with_y(0.0).length();
    match &mut walker.plan {
        Plan::Stay { reach, is_returning } => {
            *is_returning = if *is_returning { 0.4 < away(walker.home) } else { *reach < away(walker.home) };
            walker.wish = if *is_returning { towards(walker.home, 2.5) } else { DVec3::ZERO };
        }
        Plan::Commute { other, is_there } => {
            let goal = if *is_there { walker.home } else { *other };
            *is_there ^= away(goal) < 0.6;
            walker.wish = towards(goal, 1.6);
        }
        Plan::Follow { path, n_reached } => {
            let [x, z] = path[*n_reached % path.len()];
            let goal = DVec3::new(x, position.y, z);
            *n_reached += usize::from(away(goal) < 0.4);
            walker.wish = towards(goal, 4.0);
        }
        Plan::Hop { ledge, top, n_standing, n_landings, is_dropping } => {
            let ground = walker.hero.ground();
            *n_standing = if ground.is_some() { *n_standing + 1 } else { 0 };
            let (is_up, is_waiting) = (ground == Some(*ledge), *n_standing < HOP_STEPS);
            *n_landings += usize::from(is_up && *n_standing == 1);
            *is_dropping &= *top < position.y;
            walker.wish = DVec3::ZERO;
            if is_up && !is_waiting {
                let is_walk = *n_landings % 2 == 1;
                *is_dropping = !is_walk;
                walker.wish = if is_walk { DVec3::X * 2.5 } else { DVec3::ZERO };
            } else if !is_up && 0.3 < away(walker.home) {
                walker.wish = towards(walker.home, 2.5);
            } else if ground.is_some() && !is_up && !is_waiting {
                walker.hero.character_mut().jump(7.5);
            }
        }
        Plan::Roam { left, reach } => {
            if *left == 0 {
                *left = 20 + rng.below(100);
                let direction = if *reach < away(DVec3::ZERO) { -position } else { rng.direction() };
                walker.wish = direction.with_y(0.0).normalize_or_zero() * [1.5, 2.5, 4.0][rng.below(3)];
                if rng.below(3) == 0 {
                    walker.hero.character_mut().jump(4.0);
                }
            }
            *left -= 1;
        }
    }
}

/// Returns the controls that keep the car on its route.
fn steer<B: BroadPhase>(car: &Vehicle, route: &mut Route, world: &World<B>) -> Result<Controls, Error> {
    let pose = world.body(car.chassis())?.pose();
    let position = pose.translation;
    let (goal, speed) = match route {
        Route::Circle { radius } => {
            // The goal lies 0.3 radians ahead on the circle.
            let angle = ops::atan2(-f64::from(position.z), f64::from(position.x));
            let (sin, cos) = ops::sin_cos(angle + 0.3);
            (Vec3::new(*radius * cos as f32, position.y, -*radius * sin as f32), CAR_SPEED)
        }
        Route::Road { end, speed } => {
            let speed = if position.x < *end { *speed } else { 0.0 };
            (Vec3::new(position.x + 6.0, position.y, 0.0), speed)
        }
        Route::Line { reach, speed, is_returning } => {
            let is_past = if *is_returning { position.x < -*reach } else { *reach < position.x };
            *is_returning ^= is_past;
            let sign = if *is_returning { -1.0 } else { 1.0 };
            (Vec3::new(position.x + 6.0 * sign, position.y, 0.0), *speed * f64::from(sign))
        }
    };
    // Backwards the car steers by the direction of its back.
    let sign = if speed < 0.0 { -1.0 } else { 1.0 };
    let local = pose.inverse_transform_point(goal);
    let steer = ops::atan2(f64::from(-local.z), sign * f64::from(local.x)).clamp(-0.5, 0.5);
    let controls = Controls::new().with_steer(steer);
    // It brakes before it changes its direction.
    Ok(if speed == 0.0 {
        controls.with_brake(0.5)
    } else if car.speed() * sign < -0.3 {
        controls.with_brake(0.3)
    } else {
        controls.with_throttle((0.8 * (speed - car.speed()) * sign).clamp(0.0, 1.0) * sign)
    })
}
