//! `carom demo vehicle`, `platforms` and `characters`: a car and characters in a world of bodies.

use crate::args::DemoArgs;
use crate::command::demo::{Checked, Run, pool_of};
use crate::command::demo_walk::{chart, drawn, every};
use crate::player::{BodyState, Chart, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use carom_character::{
    Character, CharacterBody, CharacterSettings, Controls, Figure, QueryFilter, Vehicle, WheelDesc,
};
use carom_geom::{Cuboid, Cylinder, MassProperties, TriMesh};
use carom_math::{Mat3, Pose, Quat, Vec3, ops};
use carom_query::{MeshShape, Shape};
use carom_scenes::{Block, Level, Rng, mesh};
use carom_world::{BodyDesc, BodyId, World};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Radius of a wheel and of the circle that the car drives, in metres.
const WHEEL_RADIUS: f32 = 0.35;
const CIRCLE: f32 = 18.0;

/// Metres per second: at this speed the throttle is closed.
const CAR_SPEED: f64 = 6.0;

/// Half the size of the chassis, in metres.
const CHASSIS: Vec3 = Vec3::new(1.9, 0.55, 0.8);

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

type Error = Box<dyn core::error::Error>;

/// The pose of a platform as a function of the time in seconds.
type PoseAt = fn(f32) -> Pose;

/// Runs one of the three scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let scene = match args.scene.as_str() {
        "vehicle" => vehicle(args),
        "platforms" => platforms(args),
        _ => characters(args),
    };
    scene.and_then(|scene| simulate(scene, args)).map_err(|e| e.to_string())
}

/// The rule by which a character chooses its direction.
#[derive(Clone, Copy)]
enum Plan {
    /// Stands, and walks back to its home if it was carried more than `reach` metres away.
    Stay { reach: f64, is_returning: bool },
    /// Walks to and fro between its home and `other`.
    Commute { other: DVec3, is_there: bool },
    /// Walks at random, for `left` more steps in the present direction.
    Roam { left: usize },
}

struct Walker {
    hero: CharacterBody,
    home: DVec3,
    plan: Plan,
    wish: DVec3,
}

struct Scene {
    title: &'static str,
    view: View,
    world: World,
    /// The shape that is drawn for each body.
    drawn: Vec<(BodyId, PlayerShape)>,
    /// Kinematic bodies, and their poses as functions of time.
    platforms: Vec<(BodyId, PoseAt)>,
    walkers: Vec<Walker>,
    car: Option<Vehicle>,
}

impl Scene {
    fn new(title: &'static str, view: View) -> Scene {
        let (drawn, platforms, walkers) = (Vec::new(), Vec::new(), Vec::new());
        Scene { title, view, world: World::new(), drawn, platforms, walkers, car: None }
    }

    fn insert(&mut self, desc: BodyDesc) -> Result<BodyId, Error> {
        let drawn = match &desc.shape {
            Shape::Cuboid(cuboid) => PlayerShape::Cuboid(cuboid.half_extents()),
            Shape::Cylinder(cylinder) => disc(cylinder.radius(), cylinder.half_height(), DVec3::Y),
            Shape::Mesh(mesh) => {
                let (vertices, triangles) = (mesh.mesh().vertices().to_vec(), mesh.mesh().indices().to_vec());
                PlayerShape::Mesh(PlayerMesh { vertices, triangles })
            }
            other => return Err(format!("no picture of {other:?}").into()),
        };
        let body = self.world.insert(desc)?;
        self.drawn.push((body, drawn));
        Ok(body)
    }

    fn insert_platform(&mut self, shape: Shape, course: PoseAt) -> Result<(), Error> {
        let body = self.insert(BodyDesc::kinematic(shape).with_pose(course(0.0)))?;
        self.platforms.push((body, course));
        Ok(())
    }

    fn insert_walker(&mut self, feet: DVec3, plan: Plan) -> Result<(), Error> {
        let figure = Figure::capsule(1.8, 0.3)?;
        let place = feet + DVec3::Y * (figure.stature() + 0.05);
        let character = Character::new(figure, CharacterSettings::default(), place)?;
        let hero = CharacterBody::insert(&mut self.world, character, QueryFilter::default())?;
        self.drawn.push((hero.body(), PlayerShape::Capsule(0.6, 0.3)));
        self.walkers.push(Walker { hero, home: feet, plan, wish: DVec3::ZERO });
        Ok(())
    }
}

/// Returns a cylinder along an axis as triangles.
fn disc(radius: f32, half: f32, axis: DVec3) -> PlayerShape {
    const N_SIDES: usize = 24;
    let (radius, half) = (f64::from(radius), f64::from(half));
    let outline: [[f64; 2]; N_SIDES] = core::array::from_fn(|i| {
        let (sin, cos) = ops::sin_cos(core::f64::consts::TAU * i as f64 / N_SIDES as f64);
        [radius * cos, radius * sin]
    });
    // A right-handed frame whose third axis is the cylinder's.
    let across = if axis == DVec3::Y { [DVec3::Z, DVec3::X] } else { [DVec3::X, DVec3::Y] };
    let mut level = Level::default();
    let axes = [across[0], across[1], axis * (2.0 * half)];
    level.blocks.push(Block::extruded(&outline, axis * -half, axes));
    drawn(&level, |_| true)
}

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Describes a solid box with a mass in kilograms, spread evenly.
fn solid(mass: f32, half: Vec3) -> Result<BodyDesc, Error> {
    let sq = half * half * (mass / 3.0);
    let inertia = Mat3::from_diagonal(Vec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y));
    Ok(BodyDesc::dynamic(cuboid(half)?).with_mass(MassProperties::new(mass, Vec3::ZERO, inertia)))
}

/// Inserts a floor whose top is at height 0.
fn floor(scene: &mut Scene, half: f32) -> Result<(), Error> {
    scene.insert(BodyDesc::fixed(cuboid(Vec3::new(half, 0.5, half))?).with_position(Vec3::Y * -0.5))?;
    Ok(())
}

/// Builds the scene of a car that drives a circle over hills, through walls of boxes.
fn vehicle(args: &DemoArgs) -> Result<Scene, Error> {
    let view = View { target: Vec3::ZERO, distance: 14.0, yaw: -0.7, pitch: 0.4, speed: 1.0 };
    let mut scene = Scene::new("a car on hills pushes boxes", view);
    let hills = mesh::terrain(70.0, 4.0, 35, 9);
    let (corners, triangles) = (hills.vertices_f32(), hills.triangles.clone());
    let height = |x: f32, z: f32| {
        let is_near = |p: &&Vec3| (p.x - x).abs().max((p.z - z).abs()) <= 2.5;
        corners.iter().filter(is_near).map(|p| p.y).fold(0.0, f32::max)
    };
    let mut rng = Rng::new(args.seed);
    let mut boxes = Vec::new();
    for k in 0..args.n_bodies() {
        // Walls across the circle, each three boxes wide and two high.
        let (wall, place) = (k / 6, k % 6);
        let angle = 0.5 + 0.6 * wall as f32;
        let (sin, cos) = ops::sin_cos(angle);
        let aside = (place % 3) as f32 - 1.0;
        let radius = CIRCLE + 0.85 * aside;
        let half = Vec3::splat(rng.range(0.3, 0.4) as f32);
        let (x, z) = (radius * cos, -radius * sin);
        let y = height(x, z) + 0.5 + 0.9 * (place / 3) as f32;
        let pose = Pose::new(Quat::from_rotation_y(angle), Vec3::new(x, y, z));
        boxes.push(solid(20.0 + 40.0 * (k % 3) as f32, half)?.with_pose(pose));
    }
    let start = Vec3::new(CIRCLE, height(CIRCLE, 0.0) + 1.2, 0.0);
    let shape = MeshShape::new(TriMesh::new(corners.clone(), triangles)?)?;
    scene.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(shape))).with_friction(0.6))?;
    let turn = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2);
    let chassis = scene.insert(solid(1200.0, CHASSIS)?.with_pose(Pose::new(turn, start)))?;
    // This draws only the lower part of the body: the cabin is drawn on it.
    scene.drawn[1].1 = PlayerShape::Cuboid(Vec3::new(CHASSIS.x, 0.45 * CHASSIS.y, CHASSIS.z));
    let mut car = Vehicle::new(chassis);
    for (x, z) in [(1.3, -0.75), (1.3, 0.75), (-1.3, -0.75), (-1.3, 0.75)] {
        let wheel = WheelDesc::new(f64::from(WHEEL_RADIUS)).with_mount(DVec3::new(x, -0.5, z));
        let wheel = wheel.with_max_drive_force(2000.0);
        car.add_wheel(if 0.0 < x { wheel.with_max_steer(0.6) } else { wheel })?;
    }
    scene.car = Some(car);
    for desc in boxes {
        scene.insert(desc)?;
    }
    Ok(scene)
}

/// Builds the scene of platforms: a lift, an escalator, a disc that turns, one that turns and
/// tilts, a seesaw and a belt. Characters stand on them; others roam.
fn platforms(args: &DemoArgs) -> Result<Scene, Error> {
    let view = View { target: Vec3::Y, distance: 24.0, yaw: 0.5, pitch: 0.5, speed: 1.0 };
    let mut scene = Scene::new("characters on platforms", view);
    floor(&mut scene, 14.0)?;
    scene.insert_platform(cuboid(Vec3::new(1.5, 1.5, 1.5))?, |t| {
        Pose::from_translation(Vec3::new(-7.0, -0.4 + 1.0 * ops::sin_cos(t).0, -4.0))
    })?;
    scene.insert_platform(cuboid(Vec3::new(1.5, 1.5, 1.5))?, |t| {
        let wave = ops::sin_cos(0.8 * t).0;
        Pose::from_translation(Vec3::new(-6.5 + 2.0 * wave, -0.4 + 1.0 * wave, 4.0))
    })?;
    let round = Shape::Cylinder(Cylinder::new(0.3, 2.5)?);
    scene.insert_platform(round.clone(), |t| {
        Pose::new(Quat::from_rotation_y(0.9 * t), Vec3::new(0.0, 0.0, -5.5))
    })?;
    scene.insert_platform(round, |t| {
        let tilt = Quat::from_rotation_x(0.2 * ops::sin_cos(0.9 * t).0);
        Pose::new(tilt * Quat::from_rotation_y(-0.6 * t), Vec3::new(7.0, 0.6, -4.0))
    })?;
    scene.insert_platform(cuboid(Vec3::new(2.5, 0.15, 1.2))?, |t| {
        Pose::new(Quat::from_rotation_z(0.25 * ops::sin_cos(1.2 * t).0), Vec3::new(7.0, 0.8, 4.0))
    })?;
    let belt = BodyDesc::fixed(cuboid(Vec3::new(4.0, 0.1, 1.0))?).with_position(Vec3::new(0.0, 0.1, 5.5));
    scene.insert(belt.with_surface_velocity(Vec3::X * 1.2, Vec3::ZERO))?;
    let stay = |reach: f64| Plan::Stay { reach, is_returning: false };
    let places = [
        ([-7.0, 2.2, -4.0], 2.0),
        ([-6.5, 2.2, 4.0], 4.0),
        ([0.0, 0.3, -5.5], 4.0),
        ([1.4, 0.3, -5.5], 4.0),
        ([7.0, 0.9, -3.0], 4.0),
        ([5.4, 0.9, -4.0], 4.0),
        ([8.5, 0.95, 4.0], 3.0),
        ([-3.0, 0.2, 5.5], 5.5),
        ([-2.0, 0.2, 5.2], 5.5),
    ];
    for (feet, reach) in places {
        scene.insert_walker(feet.into(), stay(reach))?;
    }
    let mut rng = Rng::new(args.seed);
    for _ in places.len()..args.n_bodies() {
        let feet = DVec3::new(rng.range(-3.0, 3.0), 0.0, rng.range(-2.0, 2.0));
        scene.insert_walker(feet, Plan::Roam { left: 0 })?;
    }
    // Boxes ride on them too.
    for (x, y, z) in
        [(-7.6, 2.0, -4.6), (-1.2, 0.8, -5.0), (7.0, 1.4, -5.2), (-3.6, 0.6, 5.6), (2.5, 0.4, 0.5)]
    {
        scene.insert(solid(15.0, Vec3::splat(0.25))?.with_position(Vec3::new(x, y, z)))?;
    }
    Ok(scene)
}

/// Builds the scene of two crowds that walk to and fro, through each other and through boxes.
fn characters(args: &DemoArgs) -> Result<Scene, Error> {
    let view = View { target: Vec3::Y * 0.5, distance: 22.0, yaw: 0.4, pitch: 0.6, speed: 1.0 };
    let mut scene = Scene::new("two crowds push their way through boxes", view);
    floor(&mut scene, 14.0)?;
    let mut rng = Rng::new(args.seed);
    for k in 0..args.n_bodies() {
        let side = if k % 2 == 0 { -1.0 } else { 1.0 };
        let (row, column) = ((k / 2) / 8, (k / 2) % 8);
        let home = DVec3::new(side * (7.0 + 1.2 * row as f64), 0.0, 1.3 * (column as f64 - 3.5));
        let other = DVec3::new(-home.x, 0.0, home.z + rng.range(-1.0, 1.0));
        scene.insert_walker(home, Plan::Commute { other, is_there: false })?;
    }
    for k in 0..28 {
        let half = Vec3::splat(rng.range(0.2, 0.5) as f32);
        let place = Vec3::new(1.1 * (k % 4) as f32 - 1.65, 0.5, 1.5 * (k / 4) as f32 - 4.5);
        scene.insert(solid(160.0 * half.x, half)?.with_position(place))?;
    }
    Ok(scene)
}

/// Chooses the velocity that a character aims for in the next step.
fn decide(walker: &mut Walker, rng: &mut Rng) {
    let place = walker.hero.character().feet();
    let towards = |goal: DVec3, speed: f64| (goal - place).with_y(0.0).normalize_or_zero() * speed;
    let away = |goal: DVec3| (goal - place).with_y(0.0).length();
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
        Plan::Roam { left } => {
            if *left == 0 {
                *left = 20 + rng.below(100);
                let direction = if 9.0 < away(DVec3::ZERO) { -place } else { rng.direction() };
                walker.wish = direction.with_y(0.0).normalize_or_zero() * [1.5, 2.5, 4.0][rng.below(3)];
                if rng.below(3) == 0 {
                    walker.hero.character_mut().jump(4.0);
                }
            }
            *left -= 1;
        }
    }
}

/// Returns the controls that steer the car round its circle.
fn steer(car: &Vehicle, world: &World) -> Result<Controls, Error> {
    let pose = world.body(car.chassis())?.pose();
    let angle = ops::atan2(-f64::from(pose.translation.z), f64::from(pose.translation.x));
    // The goal lies 0.3 radians ahead on the circle.
    let (sin, cos) = ops::sin_cos(angle + 0.3);
    let goal = Vec3::new(CIRCLE * cos as f32, pose.translation.y, -CIRCLE * sin as f32);
    let local = pose.inverse_transform_point(goal);
    let steer = ops::atan2(f64::from(-local.z), f64::from(local.x)).clamp(-0.5, 0.5);
    let throttle = (0.8 * (CAR_SPEED - car.speed())).clamp(0.0, 1.0);
    Ok(Controls::new().with_throttle(throttle).with_steer(steer))
}

/// Returns the poses of the parts of the car that are not bodies: the cabin, then the wheels.
fn car_parts(car: &Vehicle, world: &World) -> Result<Vec<Pose>, Error> {
    let pose = world.body(car.chassis())?.pose();
    let mut parts =
        vec![Pose::new(pose.rotation, pose.transform_point(Vec3::new(-0.15 * CHASSIS.x, 0.4, 0.0)))];
    for wheel in car.wheels() {
        let turn = DQuat::from_rotation_y(wheel.steer) * DQuat::from_rotation_z(-wheel.rolled);
        parts.push(Pose::new(pose.rotation * turn.as_quat(), pose.transform_point(wheel.hub().as_vec3())));
    }
    Ok(parts)
}

fn charts(scene: &Scene) -> Vec<Chart> {
    let mut charts = vec![chart("time of a step", "ms", &["bodies", "walk or drive"])];
    match &scene.car {
        Some(_) => {
            charts.push(chart("speed", "m/s", &["speed"]));
            charts.push(chart("load of a wheel", "kN", &["fl", "fr", "rl", "rr"]));
        }
        None => {
            charts.push(chart("characters", "", &["on the ground", "in the air", "push a box"]));
            charts.push(chart("largest force of a push", "N", &["force"]));
        }
    }
    charts
}

/// Returns the state that colours each drawn body, then those of the cabin and the wheels.
fn states(scene: &Scene) -> Vec<BodyState> {
    let mut touching: Vec<BodyId> = Vec::new();
    for contact in scene.world.contacts().filter(|contact| contact.is_touching) {
        touching.extend([contact.a, contact.b]);
    }
    touching.sort_unstable();
    let state_of = |id: &BodyId| {
        let Ok(body) = scene.world.body(*id).map(|body| body.motion()) else { return BodyState::Fixed };
        let walker = scene.walkers.iter().find(|walker| walker.hero.body() == *id);
        match walker {
            Some(walker) if walker.hero.contacts().iter().any(|contact| 0.0 < contact.approach) => {
                BodyState::Near
            }
            Some(_) => BodyState::Awake,
            None if body.inverse_mass == 0.0 => BodyState::Fixed,
            None if body.is_sleeping => BodyState::Asleep,
            None if touching.binary_search(id).is_ok() => BodyState::InContact,
            None => BodyState::Awake,
        }
    };
    let mut states: Vec<BodyState> = scene.drawn.iter().map(|(id, _)| state_of(id)).collect();
    if let Some(car) = &scene.car {
        states.push(states[1]);
        let on_road = |is_on: bool| if is_on { BodyState::Near } else { BodyState::Awake };
        states.extend(car.wheels().iter().map(|wheel| on_road(0.0 < wheel.load)));
    }
    states
}

fn simulate(mut scene: Scene, args: &DemoArgs) -> Result<Run, Error> {
    let pool = pool_of(args)?;
    let mut shapes: Vec<PlayerShape> = scene.drawn.iter().map(|(_, shape)| shape.clone()).collect();
    let mut numbers: Vec<u32> = (0..shapes.len() as u32).collect();
    if scene.car.is_some() {
        let wheel = shapes.len() as u32 + 1;
        shapes.push(PlayerShape::Cuboid(Vec3::new(0.5 * CHASSIS.x, 0.4 * CHASSIS.y, 0.85 * CHASSIS.z)));
        shapes.push(disc(WHEEL_RADIUS, 0.12, DVec3::Z));
        numbers.extend([wheel - 1, wheel, wheel, wheel, wheel]);
    }
    let mut recording = Recording::new(scene.title, FRAME * f64::from(every(args)), shapes, numbers)
        .with_charts(charts(&scene))
        .with_state_names(match scene.car {
            Some(_) => ["fixed", "asleep", "in the air", "in contact", "wheel on the ground", ""],
            None => {
                ["platform", "asleep", "character, or in the air", "in contact", "character that pushes", ""]
            }
        });
    recording = match scene.car {
        Some(_) => recording.with_camera_on(1, [13.0, -0.6, 0.4]),
        None => recording.with_view(scene.view),
    };
    let mut rng = Rng::new(args.seed ^ 0x5eed);
    let (mut total, mut energies, mut found, mut n_faults) = ([0.0; 3], Vec::new(), Vec::new(), 0);
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let start = std::time::Instant::now();
        let mut step_ms = 0.0;
        if 0 < frame {
            step_ms = step(&mut scene, frame, &pool, &mut rng)?;
        }
        let walk_ms = start.elapsed().as_secs_f64() * 1e3 - step_ms;
        let times = scene.world.stats().times;
        for (sum, more) in total.iter_mut().zip([times.broad + times.refit, times.narrow, times.response]) {
            *sum += more * 1e3 / f64::from(args.n_frames());
        }
        let energy = scene.world.energy(FRAME as f32 / scene.world.settings().solver.substeps as f32);
        energies.extend((0 < frame).then(|| energy.total()));
        if args.check
            && let Err(fault) = scene.world.validate()
        {
            n_faults += 1;
            if found.len() < MAX_FOUND {
                found.push(format!("step {frame}: {fault}"));
            }
        }
        if frame % every(args) == 0 {
            record(&scene, [step_ms, walk_ms], &mut recording)?;
        }
        progress.step();
    }
    let n_touching = scene.world.stats().n_touching;
    let mut run = Run::of(scene.world.state_hash(), args.n_bodies(), total, n_touching, energies, recording);
    run.told = Some(told(&scene, args));
    let holds = "the parts of the world fit together";
    run.check = args.check.then_some(Checked { n_faults, found, n_left_out: 0, holds });
    Ok(run)
}

/// Steps the world, then the characters. Returns the milliseconds that the world took.
fn step(scene: &mut Scene, frame: u32, pool: &rayon::ThreadPool, rng: &mut Rng) -> Result<f64, Error> {
    for (body, course) in &scene.platforms {
        scene.world.body_mut(*body)?.move_to(course(FRAME as f32 * frame as f32))?;
    }
    if let Some(car) = &mut scene.car {
        let controls = steer(car, &scene.world)?;
        car.drive(&mut scene.world, &controls, FRAME)?;
    }
    let start = std::time::Instant::now();
    let world = &mut scene.world;
    pool.install(|| world.step(FRAME as f32).map(|_| ()))?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    for walker in &mut scene.walkers {
        decide(walker, rng);
        walker.hero.walk(&mut scene.world, walker.wish, FRAME)?;
    }
    Ok(ms)
}

fn record(scene: &Scene, [step_ms, walk_ms]: [f64; 2], recording: &mut Recording) -> Result<(), Error> {
    let mut poses = Vec::with_capacity(scene.drawn.len() + 5);
    for (id, _) in &scene.drawn {
        let walker = scene.walkers.iter().find(|walker| walker.hero.body() == *id);
        poses.push(match walker {
            Some(walker) => Pose::from_translation(walker.hero.character().place().as_vec3()),
            None => scene.world.body(*id)?.pose(),
        });
    }
    let mut points = Vec::new();
    let mut values = vec![step_ms, walk_ms];
    if let Some(car) = &scene.car {
        // The lower part of the body is drawn a little below the middle of the body.
        poses[1].translation = poses[1].transform_point(Vec3::Y * (-0.45 * CHASSIS.y));
        poses.extend(car_parts(car, &scene.world)?);
        values.push(car.speed());
        values.extend(car.wheels().iter().map(|wheel| wheel.load * 1e-3));
        points
            .extend(car.wheels().iter().filter(|wheel| 0.0 < wheel.load).map(|wheel| wheel.point.as_vec3()));
    } else {
        let pushes = |walker: &&Walker| walker.hero.contacts().iter().any(|contact| 0.0 < contact.approach);
        let n_ground =
            scene.walkers.iter().filter(|walker| walker.hero.character().ground().is_some()).count();
        let n_pushing = scene.walkers.iter().filter(pushes).count();
        let contacts = || scene.walkers.iter().flat_map(|walker| walker.hero.contacts());
        let force = contacts().filter(|c| 0.0 < c.approach).map(|c| c.force.length()).fold(0.0, f64::max);
        values.extend([n_ground as f64, (scene.walkers.len() - n_ground) as f64, n_pushing as f64, force]);
        points.extend(contacts().map(|contact| contact.point.as_vec3()));
    }
    recording.push(poses, states(scene), &points, FrameStats { values });
    Ok(())
}

/// Returns the report of the scene.
fn told(scene: &Scene, args: &DemoArgs) -> String {
    let n_moved = |distance: f32| {
        let is_far = |id: &BodyId| {
            scene
                .world
                .body(*id)
                .map(|body| body.motion())
                .is_ok_and(|body| distance < body.pose.translation.length())
        };
        scene.drawn.iter().filter(|(id, _)| is_far(id)).count()
    };
    let end = match &scene.car {
        Some(car) => format!("the car drives at {:.1} m/s", car.speed()),
        None => {
            let n_ground =
                scene.walkers.iter().filter(|walker| walker.hero.character().ground().is_some()).count();
            format!("{n_ground} of {} characters stand on something", scene.walkers.len())
        }
    };
    format!(
        "{}; {} steps of 1/60 s\n  at the end {end}, {} bodies are more than 40 m away",
        scene.title,
        args.n_frames(),
        n_moved(40.0),
    )
}
