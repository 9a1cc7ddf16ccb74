//! `carom demo level` and `carom demo car`: characters that walk a castle, and a car on a road,
//! without a world of bodies.
//!
//! The first character follows a path: through the gate, up to the wall and around it, down the
//! ramp, and up into the keep. The others walk at random.

use crate::args::DemoArgs;
use crate::command::demo::{self, Run};
use crate::player::{BodyState, Chart, FrameStats, PlayerMesh, PlayerShape, Recording, View};
use crate::progress::Progress;
use carom_bsp::{Bevels, Brush, BspSettings, BspTree, Contents, SplitPlane};
use carom_character::{
    BspWorld, Car, CarSettings, Character, CharacterSettings, Controls, Figure, GroundKind,
};
use carom_math::{Pose, Quat, Vec3};
use carom_scenes::{CASTLE_PATH, Level, Rng};
use glam::{DQuat, DVec3};
use std::time::Instant;

/// The wheels of a car, in the order of the charts.
pub(crate) const WHEELS: [&str; 4] = ["front left", "front right", "rear left", "rear right"];

/// Seconds of a step.
const STEP: f64 = 1.0 / 60.0;

/// Runs one of the two scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    match args.scene.as_str() {
        "car" => drive(args),
        _ => walk(args, args.n_bodies()),
    }
}

fn tree_of(level: &Level) -> Result<BspTree, String> {
    let mut brushes = Vec::with_capacity(level.blocks.len());
    for (i, block) in level.blocks.iter().enumerate() {
        let planes: Vec<SplitPlane> =
            block.planes().map(|(normal, offset)| SplitPlane { normal, offset }).collect();
        let brush = Brush::from_planes(&planes, Contents::SOLID);
        brushes.push(brush.map_err(|e| format!("block {i} of the level: {e}"))?);
    }
    let settings = BspSettings::default().with_bevels(Bevels::All);
    BspTree::from_brushes(&brushes, &settings).map_err(|e| e.to_string())
}

/// Returns the blocks for which `is_shown` holds as one shape.
pub(crate) fn drawn(level: &Level, is_shown: impl Fn(&carom_scenes::Block) -> bool) -> PlayerShape {
    let mut shown = level.clone();
    shown.blocks.retain(is_shown);
    let mesh = shown.mesh();
    PlayerShape::Mesh(PlayerMesh { vertices: mesh.vertices_f32(), triangles: mesh.triangles })
}

pub(crate) fn chart(title: &str, unit: &str, lines: &[&str]) -> Chart {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Chart { title: title.to_owned(), unit: unit.to_owned(), lines }
}

/// Returns a hash of words in their order: FNV-1a by words of 64 bits, with a rotation after each.
pub(crate) fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, word| (h ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
}

/// A character, and its choice of a motion.
struct Walker {
    character: Character,
    wish: DVec3,
    /// Steps until it chooses again; for the character on the path, the number of points that it
    /// has reached.
    left: usize,
}

fn walk(args: &DemoArgs, n_bodies: usize) -> Result<Run, String> {
    let level = carom_scenes::castle();
    let tree = tree_of(&level)?;
    let mut world = BspWorld::new(&tree);
    let mut rng = Rng::new(args.seed);
    let said = |e: carom_geom::ShapeError| e.to_string();
    let figures = [
        Figure::capsule(1.8, 0.3).map_err(said)?,
        Figure::cylinder(1.8, 0.3).map_err(said)?,
        Figure::cuboid(DVec3::new(0.6, 1.8, 0.6)).map_err(said)?,
    ];
    let mut cylinder = Level::default();
    cylinder.blocks.push(carom_scenes::Block::pillar(0.0, 0.0, 0.3, 24, -0.9, 0.9));
    let shapes = vec![
        // The outer wall and the roof of the keep are left out, because they would hide the rest.
        drawn(&level, |block| {
            block.corners.iter().all(|p| p.y < 11.0) && block.corners.iter().any(|p| p.y < 5.9)
        }),
        PlayerShape::Capsule(0.6, 0.3),
        drawn(&cylinder, |_| true),
        PlayerShape::Cuboid(Vec3::new(0.3, 0.9, 0.3)),
    ];
    let mut walkers = Vec::with_capacity(n_bodies);
    let mut shape_of = vec![0];
    for i in 0..n_bodies {
        let figure = figures[i % figures.len()];
        let start = if i == 0 {
            DVec3::new(CASTLE_PATH[0][0], 0.0, CASTLE_PATH[0][1])
        } else {
            level.starts[i % level.starts.len()]
        };
        let aside =
            DVec3::new(rng.range(-1.0, 1.0), 0.0, rng.range(-1.0, 1.0)) * if i == 0 { 0.0 } else { 2.0 };
        let position = start + aside + DVec3::Y * (figure.stature() + 0.05);
        let character =
            Character::new(figure, CharacterSettings::default(), position).map_err(|e| e.to_string())?;
        walkers.push(Walker { character, wish: DVec3::ZERO, left: 0 });
        shape_of.push(1 + (i % figures.len()) as u32);
    }
    let title = format!("level: {n_bodies} characters in a castle");
    let mut recording = Recording::new(&title, STEP * f64::from(every(args)), shapes, shape_of)
        .with_charts(vec![
            chart("time of a step", "ms", &["walk"]),
            chart("the one on the path", "m, m/s", &["height of its feet", "speed"]),
            chart("characters", "", &["on the ground", "in the air", "at a wall"]),
        ])
        .with_state_names([
            "castle",
            "standing still",
            "walking, or in the air",
            "at a wall",
            "on a ledge",
            "",
        ])
        .with_view(View {
            target: Vec3::new(0.0, 1.0, 0.0),
            distance: 54.0,
            yaw: -0.6,
            pitch: 0.75,
            speed: 1.0,
        });
    let (mut energy, mut total, mut n_contacts) = (Vec::with_capacity(args.n_frames() as usize), 0.0, 0);
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        if 0 < frame {
            for (i, walker) in walkers.iter_mut().enumerate() {
                decide(walker, i == 0, &mut rng);
                walker.character.walk(&mut world, walker.wish, STEP);
            }
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        total += ms;
        let points: Vec<Vec3> = walkers
            .iter()
            .flat_map(|walker| {
                walker.character.walked().contacts.iter().map(|contact| contact.point.as_vec3())
            })
            .collect();
        // Contacts with the ground and with walls.
        n_contacts = points.len() + walkers.iter().filter(|w| w.character.ground().is_some()).count();
        energy.push(walkers.iter().map(|walker| energy_of(&walker.character)).sum());
        if frame % every(args) == 0 {
            record_walk(&walkers, &points, ms, &mut recording);
        }
        progress.step();
    }
    // The energy before the first step is not reported.
    energy.remove(0);
    let bits = walkers.iter().flat_map(|walker| {
        let (position, velocity) =
            (walker.character.position().to_array(), walker.character.velocity().to_array());
        position.into_iter().chain(velocity).map(f64::to_bits)
    });
    let ms = [0.0, total / f64::from(args.n_frames()), 0.0];
    Ok(Run::of(hash(bits), n_bodies, ms, n_contacts, energy, recording))
}

/// Returns the number of steps for each recorded frame: 2 for runs of many steps, else 1.
pub(crate) fn every(args: &DemoArgs) -> u32 {
    if demo::MANY_FRAMES < args.n_frames() { 2 } else { 1 }
}

/// Returns the kinetic energy of a character plus its potential energy above height 0, in joules.
fn energy_of(character: &Character) -> f64 {
    let settings = character.settings();
    let height = character.feet().y;
    settings.mass * (0.5 * character.velocity().length_squared() + settings.gravity * height)
}

/// Chooses the velocity that a character aims for in the next step.
fn decide(walker: &mut Walker, is_on_path: bool, rng: &mut Rng) {
    if is_on_path {
        let [x, z] = CASTLE_PATH[walker.left % CASTLE_PATH.len()];
        let offset = DVec3::new(x, 0.0, z) - walker.character.position();
        let displacement = DVec3::new(offset.x, 0.0, offset.z);
        walker.left += usize::from(displacement.length() < 0.4);
        walker.wish = displacement.normalize_or_zero() * 4.0;
        return;
    }
    if walker.left == 0 {
        walker.left = 20 + rng.below(120);
        let direction = rng.direction();
        let speed = [0.0, 1.5, 3.0, 5.0][rng.below(4)];
        walker.wish = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * speed;
        if rng.below(8) == 0 {
            walker.character.jump(4.0);
        }
    }
    walker.left -= 1;
}

fn record_walk(walkers: &[Walker], points: &[Vec3], ms: f64, recording: &mut Recording) {
    let mut poses = vec![Pose::IDENTITY];
    let mut states = vec![BodyState::Fixed];
    let (mut n_ground, mut n_wall) = (0, 0);
    for Walker { character, .. } in walkers {
        poses.push(Pose::from_translation(character.position().as_vec3()));
        let is_at_wall = !character.walked().contacts.is_empty();
        let ground = character.ground();
        n_ground += usize::from(ground.is_some());
        n_wall += usize::from(is_at_wall);
        states.push(match ground {
            _ if is_at_wall => BodyState::InContact,
            Some(ground) if ground.kind != GroundKind::Slope => BodyState::Near,
            _ if character.velocity() == DVec3::ZERO => BodyState::Asleep,
            _ => BodyState::Awake,
        });
    }
    let first = &walkers[0].character;
    let n_air = walkers.len() - n_ground;
    let values =
        vec![ms, first.feet().y, first.velocity().length(), n_ground as f64, n_air as f64, n_wall as f64];
    recording.push(poses, states, points, FrameStats { values });
}

fn drive(args: &DemoArgs) -> Result<Run, String> {
    let level = carom_scenes::car_course();
    let tree = tree_of(&level)?;
    let mut world = BspWorld::new(&tree);
    let settings = CarSettings::default();
    let (half, clearance) = (settings.half, settings.clearance);
    let position = level.starts[0] + DVec3::Y * (half.y + clearance + 0.1);
    let mut car = Car::new(settings, position, DQuat::IDENTITY).map_err(|e| e.to_string())?;
    // The tunnel is drawn open on one side, so that the car in it is seen.
    let road = drawn(&level, |block| !block.corners.iter().all(|p| 85.0 < p.x && (2.0 < p.y || 2.0 < p.z)));
    let roof = drawn(&level, |block| block.corners.iter().all(|p| 85.0 < p.x && 2.0 < p.y));
    let radius = 0.34;
    let wheel = carom_scenes::Block::extruded(
        &core::array::from_fn::<_, 20, _>(|i| {
            let (sin, cos) = (core::f64::consts::TAU * i as f64 / 20.0).sin_cos();
            [radius * cos, radius * sin]
        }),
        DVec3::Z * -0.12,
        [DVec3::X, DVec3::Y, DVec3::Z * 0.24],
    );
    let mut one = Level::default();
    one.blocks.push(wheel);
    let body = half.as_vec3();
    let shapes = vec![
        road,
        roof,
        PlayerShape::Cuboid(Vec3::new(body.x, 0.45 * body.y, body.z)),
        PlayerShape::Cuboid(Vec3::new(0.5 * body.x, 0.45 * body.y, 0.85 * body.z)),
        drawn(&one, |_| true),
    ];
    let shape_of = vec![0, 1, 2, 3, 4, 4, 4, 4];
    let mut recording =
        Recording::new("car: four wheels on rays", STEP * f64::from(every(args)), shapes, shape_of)
            .with_charts(vec![
                chart("time of a step", "ms", &["drive"]),
                chart("wheels above the road", "m", &WHEELS),
                chart("room under what is overhead", "m", &["front", "rear"]),
                chart("speed", "m/s", &["speed"]),
            ])
            .with_state_names(["parts of the road", "", "parts of the car", "wheels on the road", "", ""])
            .with_camera_on(2, [13.0, -0.6, 0.35]);
    let (mut energy, mut total, mut turned) = (Vec::with_capacity(args.n_frames() as usize), 0.0, 0.0);
    let mut n_contacts = 0;
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let start = Instant::now();
        if 0 < frame {
            let ahead = car.velocity().x;
            let throttle = if ahead < 9.0 && car.position().x < 118.0 { 0.8 } else { 0.0 };
            let brake = if 124.0 < car.position().x { 0.5 } else { 0.0 };
            let steer = 0.05 * car.position().z + 0.1 * car.velocity().z;
            car.drive(&mut world, &Controls { throttle, brake, steer }, STEP);
            turned += ahead * STEP / radius;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        total += ms;
        let (g, v) = (car.settings().gravity, car.velocity().length_squared());
        energy.push(car.settings().mass * (0.5 * v + g * car.position().y));
        n_contacts = car.wheels().iter().filter(|wheel| wheel.distance.is_some_and(|d| d <= 0.0)).count();
        if frame % every(args) == 0 {
            record_drive(&car, turned, radius, ms, &mut recording);
        }
        progress.step();
    }
    energy.remove(0);
    let bits = car
        .position()
        .to_array()
        .into_iter()
        .chain(car.velocity().to_array())
        .chain(car.rotation().to_array());
    let ms = [0.0, total / f64::from(args.n_frames()), 0.0];
    Ok(Run::of(hash(bits.map(f64::to_bits)), 1, ms, n_contacts, energy, recording))
}

fn record_drive(car: &Car, turned: f64, radius: f64, ms: f64, recording: &mut Recording) {
    let turn = car.rotation().as_quat();
    let half = car.settings().half;
    let at = |local: DVec3| (car.position() + car.rotation() * local).as_vec3();
    let mut poses = vec![Pose::IDENTITY; 2];
    poses.push(Pose::new(turn, at(DVec3::new(0.0, -0.45 * half.y, 0.0))));
    poses.push(Pose::new(turn, at(DVec3::new(-0.15 * half.x, 0.45 * half.y, 0.0))));
    let mut states = vec![BodyState::Fixed, BodyState::Fixed, BodyState::Awake, BodyState::Awake];
    let mut points = Vec::new();
    for (i, wheel) in car.wheels().iter().enumerate() {
        // The tyre follows the road, but drops by at most 0.1 m.
        let lift = wheel.distance.map_or(0.1, |d| d.min(0.1));
        let hub = car.origin(i) + DVec3::Y * (radius - lift);
        poses.push(Pose::new(turn * Quat::from_rotation_z(-turned as f32), at(hub)));
        let is_on_road = wheel.distance.is_some_and(|d| d <= 0.0);
        states.push(if is_on_road { BodyState::InContact } else { BodyState::Awake });
        if is_on_road {
            points.push(wheel.point.as_vec3());
        }
    }
    let distance = |i: usize| car.wheels()[i].distance.unwrap_or(car.settings().clearance);
    let roof = |i: usize| car.wheels()[i].roof.unwrap_or(0.0);
    let mut values = vec![ms];
    values.extend((0..4).map(distance));
    values.extend([roof(0), roof(2), car.velocity().length()]);
    recording.push(poses, states, &points, FrameStats { values });
}
