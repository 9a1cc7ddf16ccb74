//! `carom demo level`, `car`, `vehicle`, `platforms`, `characters`, `crane`, `bridge` and
//! `playground`: cars, characters and a crane in a world of bodies, and all that a world has.

use crate::args::DemoArgs;
use crate::command::demo_run::{Checked, Run, chart, every, pool_of};
use crate::player::{BodyState, Chart, FrameStats, PlayerShape, Recording, View};
use crate::progress::Progress;
use crate::soft_picture::SoftPicture;
use crate::soft_world::FRAME;
use carom_math::{Pose, Vec3};
use carom_stage::Outlines;
use carom_web::scenes::crane::Phase;
use carom_web::scenes::walkers::{self, Walker};
use carom_web::scenes::{self, Actors, Crane, Request, Roles, platforms};
use carom_world::{BodyId, JointKind, StepOptions, World};

/// The wheels of a car, in the order of the charts.
const WHEELS: [&str; 4] = ["front left", "front right", "rear left", "rear right"];

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

type Error = Box<dyn core::error::Error>;

/// Runs one of the scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    Scene::new(args).and_then(|scene| simulate(scene, args)).map_err(|e| e.to_string())
}

struct Scene {
    title: &'static str,
    view: View,
    world: World,
    actors: Actors,
}

impl Scene {
    fn new(args: &DemoArgs) -> Result<Scene, Error> {
        let mut world = World::new();
        let request = Request { count: args.n_bodies(), seed: args.seed };
        let view = |target, distance, yaw, pitch| View { target, distance, yaw, pitch, speed: 1.0 };
        let (title, view, actors) = match args.scene.as_str() {
            "level" => {
                let actors = scenes::level(&mut world, &request)?;
                ("characters walk a castle and push crates", view(Vec3::Y, 54.0, -0.6, 0.75), actors)
            }
            "car" => {
                let actors = scenes::car(&mut world, &request)?;
                ("a car on a road pushes boxes", view(Vec3::ZERO, 14.0, -0.7, 0.4), actors)
            }
            "vehicle" => {
                let actors = walkers::vehicle(&mut world, &request)?;
                ("a car on hills pushes boxes", view(Vec3::ZERO, 14.0, -0.7, 0.4), actors)
            }
            "platforms" => {
                let actors = platforms::platforms(&mut world, &request)?;
                ("characters on platforms", view(Vec3::Y, 24.0, 0.5, 0.5), actors)
            }
            "crane" => {
                let actors = scenes::crane(&mut world, &request)?;
                let view = view(Vec3::new(3.0, 3.2, 0.0), 22.0, 0.7, 0.3);
                ("a crane carries crates to a stack", view, actors)
            }
            "bridge" => {
                let actors = scenes::bridge(&mut world, &request)?;
                ("a car on a chain bridge", view(Vec3::Y * -1.0, 28.0, 0.25, 0.3), actors)
            }
            "playground" => {
                let actors = scenes::playground(&mut world, &request)?;
                ("a playground", view(Vec3::new(1.0, 0.0, 2.5), 40.0, 0.5, 0.6), actors)
            }
            _ => {
                let actors = walkers::characters(&mut world, &request)?;
                ("two crowds push their way through boxes", view(Vec3::Y * 0.5, 22.0, 0.4, 0.6), actors)
            }
        };
        Ok(Scene { title, view, world, actors })
    }

    /// Returns the shapes that are drawn, and the number of the shape of each body and each wheel.
    fn drawn(&self) -> Result<(Vec<PlayerShape>, Vec<u32>), Error> {
        let mut outlines = Outlines::default();
        let appearance = |id| {
            self.actors.appearances.iter().find(|(body, _)| *body == id).map(|(_, appearance)| appearance)
        };
        let bodies = self.world.shapes();
        let mut numbers: Vec<u32> =
            bodies.map(|(id, shape)| outlines.number_of(appearance(id).unwrap_or(shape))).collect();
        if let Some(car) = &self.actors.car {
            let wheel = outlines.number_of(&walkers::wheel()?);
            numbers.extend(car.wheels().iter().map(|_| wheel));
        }
        Ok((outlines.into_shapes(), numbers))
    }
}

fn charts(actors: &Actors) -> Vec<Chart> {
    let mut charts = vec![chart("time of a step", "ms", &["bodies", "walk or drive"])];
    if actors.car.is_some() {
        charts.push(chart("speed of the car", "m/s", &["speed"]));
        charts.push(chart("load of a wheel", "kN", &WHEELS));
    }
    if actors.crane.is_some() {
        charts.push(chart("pull of a rope", "kN", &["1", "2", "3", "4"]));
    }
    if !actors.walkers.is_empty() {
        charts.push(chart("characters", "", &["on the ground", "in the air", "push a box"]));
        charts.push(chart("largest force of a push", "N", &["force"]));
    }
    charts
}

/// Returns the names of the states of bodies in the legend.
fn state_names(actors: &Actors) -> [&'static str; 6] {
    match actors {
        Actors { crane: Some(_), .. } => {
            ["fixed", "asleep", "in the air", "in contact", "parts of the crane", ""]
        }
        Actors { car: Some(_), walkers, .. } if walkers.is_empty() => {
            ["fixed", "asleep", "in the air", "in contact", "wheels on the ground", ""]
        }
        Actors { car: Some(_), .. } => [
            "fixed",
            "asleep",
            "in the air, or walking",
            "in contact",
            "pushing, or wheels on the ground",
            "",
        ],
        _ => ["platforms", "asleep", "characters, or in the air", "in contact", "characters that push", ""],
    }
}

/// Returns what a crane does, in words.
fn caption(crane: &Crane) -> String {
    let what = match crane.phase() {
        Phase::Fetch => "goes to",
        Phase::Reach => "reaches down to",
        Phase::Lift => "lifts",
        Phase::Carry => "carries",
        Phase::PutDown => "puts down",
        Phase::Leave => "leaves, next is",
    };
    let direction = if crane.is_returning() { "back from the stack" } else { "to the stack" };
    format!("the crane {what} crate {} of {}, {direction}", crane.next() + 1, crane.crates().len())
}

/// Returns the state that colours each body, then those of the wheels.
fn states(scene: &Scene) -> Vec<BodyState> {
    let mut touching: Vec<BodyId> = Vec::new();
    for contact in scene.world.contacts().filter(|contact| contact.is_touching) {
        touching.extend([contact.a, contact.b]);
    }
    touching.sort_unstable();
    let state_of = |id: BodyId| {
        let Ok(body) = scene.world.body(id).map(|body| body.motion()) else { return BodyState::Fixed };
        let walker = scene.actors.walkers.iter().find(|walker| walker.hero.body() == id);
        let is_crane = scene.actors.crane.as_ref().is_some_and(|crane| crane.parts().contains(&id));
        match walker {
            _ if is_crane => BodyState::Near,
            Some(walker) if walker.hero.contacts().iter().any(|contact| 0.0 < contact.approach) => {
                BodyState::Near
            }
            Some(_) => BodyState::Awake,
            None if body.inverse_mass == 0.0 => BodyState::Fixed,
            None if body.is_sleeping => BodyState::Asleep,
            None if touching.binary_search(&id).is_ok() => BodyState::InContact,
            None => BodyState::Awake,
        }
    };
    let mut states: Vec<BodyState> = scene.world.body_ids().map(state_of).collect();
    if let Some(car) = &scene.actors.car {
        let on_road = |is_on: bool| if is_on { BodyState::Near } else { BodyState::Awake };
        states.extend(car.wheels().iter().map(|wheel| on_road(0.0 < wheel.load)));
    }
    states
}

fn simulate(mut scene: Scene, args: &DemoArgs) -> Result<Run, Error> {
    let pool = pool_of(args)?;
    let (shapes, numbers) = scene.drawn()?;
    let (soft, surfaces, clouds) = SoftPicture::new(&scene.world)?;
    let mut recording = Recording::new(scene.title, FRAME * f64::from(every(args)), shapes, numbers)
        .with_surfaces(surfaces)
        .with_clouds(clouds)
        .with_charts(charts(&scene.actors))
        .with_line_names(["ropes and rods", ""])
        .with_face_names(["faces of cloth and jelly", "", "", ""])
        .with_state_names(state_names(&scene.actors));
    if !ropes(&scene.world).is_empty() {
        recording = recording.with_shown(&["lines"]);
    }
    recording = if let "car" | "vehicle" = args.scene.as_str() {
        recording.with_camera_on(1, [13.0, -0.6, 0.4])
    } else {
        recording.with_view(scene.view)
    };
    let (mut total, mut energies, mut found, mut n_faults) = ([0.0; 3], Vec::new(), Vec::new(), 0);
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let start = std::time::Instant::now();
        let mut step_ms = 0.0;
        if 0 < frame {
            step_ms = step(&mut scene, frame, &pool)?;
        }
        let walk_ms = start.elapsed().as_secs_f64() * 1e3 - step_ms;
        let times = scene.world.stats().times;
        for (sum, more) in total.iter_mut().zip([times.broad + times.refit, times.narrow, times.response]) {
            *sum += more * 1e3 / f64::from(args.n_frames());
        }
        let energy = scene.world.energy();
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
            record(&scene, &soft, [step_ms, walk_ms], &mut recording)?;
        }
        progress.step();
    }
    let n_touching = scene.world.stats().n_touching;
    let mut run = Run::of(scene.world.state_hash(), args.n_bodies(), total, n_touching, energies, recording);
    run.summary = Some(summary(&scene, args));
    let holds = "the parts of the world fit together";
    run.check = args.check.then_some(Checked { n_faults, found, n_left_out: 0, holds });
    Ok(run)
}

/// Steps the world, then the characters. Returns the milliseconds that the world took.
fn step(scene: &mut Scene, frame: u32, pool: &rayon::ThreadPool) -> Result<f64, Error> {
    scene.actors.before(&mut scene.world, u64::from(frame))?;
    let start = std::time::Instant::now();
    let world = &mut scene.world;
    let hooks = || StepOptions::new().with_hooks(&Roles);
    pool.install(|| world.step_with(FRAME as f32, hooks()).map(|_| ()))?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    scene.actors.after(&mut scene.world)?;
    Ok(ms)
}

fn record(
    scene: &Scene,
    soft: &SoftPicture,
    [step_ms, walk_ms]: [f64; 2],
    recording: &mut Recording,
) -> Result<(), Error> {
    let Scene { world, actors, .. } = scene;
    let mut poses = Vec::new();
    for id in world.body_ids() {
        let walker = actors.walkers.iter().find(|walker| walker.hero.body() == id);
        poses.push(match walker {
            Some(walker) => Pose::from_translation(walker.hero.character().position().as_vec3()),
            None => world.body(id)?.pose(),
        });
    }
    let mut points = Vec::new();
    let mut values = vec![step_ms, walk_ms];
    if let Some(car) = &actors.car {
        poses.extend(walkers::wheel_poses(car, world)?);
        values.push(car.speed());
        values.extend(car.wheels().iter().map(|wheel| wheel.load * 1e-3));
        points
            .extend(car.wheels().iter().filter(|wheel| 0.0 < wheel.load).map(|wheel| wheel.point.as_vec3()));
    }
    if let Some(crane) = &actors.crane {
        for &rope in crane.ropes() {
            values.push(f64::from(world.joint(rope)?.force().length()) * 1e-3);
        }
    }
    if !actors.walkers.is_empty() {
        let pushes = |walker: &&Walker| walker.hero.contacts().iter().any(|contact| 0.0 < contact.approach);
        let n_ground = actors.walkers.iter().filter(|walker| is_standing(walker)).count();
        let n_pushing = actors.walkers.iter().filter(pushes).count();
        let contacts = || actors.walkers.iter().flat_map(|walker| walker.hero.contacts());
        let force = contacts().filter(|c| 0.0 < c.approach).map(|c| c.force.length()).fold(0.0, f64::max);
        let n_air = actors.walkers.len() - n_ground;
        values.extend([n_ground as f64, n_air as f64, n_pushing as f64, force]);
        points.extend(contacts().map(|contact| contact.point.as_vec3()));
    }
    recording.push(poses, states(scene), &points, FrameStats { values });
    recording.push_lines([&ropes(world), &[]]);
    let (surfaces, clouds) = soft.frame(world)?;
    recording.push_surfaces(surfaces);
    recording.push_clouds(clouds);
    if let Some(crane) = &actors.crane {
        recording.push_caption(&caption(crane));
    }
    Ok(())
}

fn is_standing(walker: &Walker) -> bool {
    walker.hero.character().ground().is_some()
}

/// Returns a line for each joint that holds two points at a distance, and the two ends of a
/// pulley's rope.
fn ropes(world: &World) -> Vec<[Vec3; 2]> {
    let mut lines = Vec::new();
    for joint in world.joints() {
        let frames = [joint.data().frame_a, joint.data().frame_b];
        let ends = [0, 1].map(|k| {
            let pose = world.body(joint.bodies()[k]).map(|body| body.pose());
            pose.map_or(Vec3::NAN, |pose| pose.transform_point(frames[k].translation))
        });
        match joint.kind() {
            JointKind::Distance { .. } => lines.push(ends),
            JointKind::Pulley { supports: [a, b], .. } => lines.extend([[ends[0], a], [a, b], [b, ends[1]]]),
            _ => {}
        }
    }
    lines
}

/// Returns the report of the scene.
fn summary(scene: &Scene, args: &DemoArgs) -> String {
    let n_moved = |distance: f32| {
        let is_far = |id: &BodyId| {
            let location = scene.world.body(*id).map(|body| body.pose().translation);
            location.is_ok_and(|position| distance < position.length())
        };
        scene.world.body_ids().filter(is_far).count()
    };
    let mut end = Vec::new();
    if let Some(car) = &scene.actors.car {
        end.push(format!("the car drives at {:.1} m/s", car.speed()));
    }
    if let Some(crane) = &scene.actors.crane {
        end.push(format!("{} crates lie in the stack", crane.n_in_stack(&scene.world)));
    }
    let walkers = &scene.actors.walkers;
    if !walkers.is_empty() {
        let n_ground = walkers.iter().filter(|walker| is_standing(walker)).count();
        end.push(format!("{n_ground} of {} characters stand on something", walkers.len()));
    }
    let end = end.join(", ");
    format!(
        "{}; {} steps of 1/60 s\n  at the end {end}, {} bodies are more than 40 m away",
        scene.title,
        args.n_frames(),
        n_moved(40.0),
    )
}
