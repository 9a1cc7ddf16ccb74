//! `carom demo conveyor` and `carom demo waves`: bodies on surfaces that move although their own
//! body stands still.

use crate::args::DemoArgs;
use crate::command::demo::{Checked, Run, pool_of};
use crate::command::demo_walk::{chart, every};
use crate::player::{
    BodyState, FaceState, FrameStats, PlayerMesh, PlayerShape, Recording, SurfaceFrame, View,
};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use carom_geom::{Capsule, Cuboid, Sphere, TriMesh};
use carom_math::{Pose, Vec3, ops};
use carom_query::{MeshShape, Shape};
use carom_scenes::Rng;
use carom_world::{BodyDesc, BodyId, Budget, World, WorldError};
use std::sync::Arc;

/// Speed of the belts along their middle line, in metres per second.
const BELT_SPEED: f32 = 1.5;

/// Half the length of the straight belts, and the width of all belts, in metres.
const BELT: [f32; 2] = [3.0, 1.6];

/// Squares along a side of the mesh of waves, and half the side in metres.
const SQUARES: usize = 60;
const HALF_SIDE: f32 = 7.0;

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

/// Runs one of the two scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let scene = if args.scene == "waves" { waves(args) } else { conveyor(args) };
    simulate(scene.map_err(|e| e.to_string())?, args)
}

struct Scene {
    title: &'static str,
    view: View,
    world: World,
    /// The shape that is drawn for each body.
    drawn: Vec<(BodyId, PlayerShape)>,
    /// The mesh that changes its shape, and its triangles.
    sheet: Option<(BodyId, Vec<[u32; 3]>)>,
}

type Built = Result<Scene, Box<dyn core::error::Error>>;

impl Scene {
    fn new(title: &'static str, view: View) -> Scene {
        Scene { title, view, world: World::new(), drawn: Vec::new(), sheet: None }
    }

    fn insert(&mut self, desc: BodyDesc) -> Result<BodyId, Box<dyn core::error::Error>> {
        let drawn = match &desc.shape {
            Shape::Sphere(ball) => PlayerShape::Capsule(0.0, ball.radius()),
            Shape::Capsule(capsule) => PlayerShape::Capsule(capsule.half_height(), capsule.radius()),
            Shape::Cuboid(cuboid) => PlayerShape::Cuboid(cuboid.half_extents()),
            other => return Err(format!("no picture of {other:?}").into()),
        };
        let body = self.world.insert(desc)?;
        self.drawn.push((body, drawn));
        Ok(body)
    }
}

fn cuboid(half: Vec3) -> Result<Shape, carom_geom::ShapeError> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

/// Builds a ring of four straight belts and four curves, with parcels that go round on it.
fn conveyor(args: &DemoArgs) -> Built {
    let view = View { target: Vec3::ZERO, distance: 15.0, yaw: 0.5, pitch: 0.65, speed: 1.0 };
    let mut scene = Scene::new("parcels on conveyor belts", view);
    let [length, width] = BELT;
    let middle = length + 0.5 * width;
    let floor = cuboid(Vec3::new(30.0, 0.5, 30.0))?;
    scene.world.insert(BodyDesc::fixed(floor).with_position(Vec3::Y * -1.6))?;
    for side in [-1.0, 1.0] {
        let along_x = cuboid(Vec3::new(length, 0.1, 0.5 * width))?;
        let belt = BodyDesc::fixed(along_x).with_position(Vec3::new(0.0, -0.1, side * middle));
        scene.insert(belt.with_surface_velocity(Vec3::X * (side * BELT_SPEED), Vec3::ZERO))?;
        let along_z = cuboid(Vec3::new(0.5 * width, 0.1, length))?;
        let belt = BodyDesc::fixed(along_z).with_position(Vec3::new(side * middle, -0.1, 0.0));
        scene.insert(belt.with_surface_velocity(Vec3::Z * (-side * BELT_SPEED), Vec3::ZERO))?;
        for other in [-1.0, 1.0] {
            let place = Vec3::new(side * middle, -0.1, other * middle);
            let curve = BodyDesc::fixed(cuboid(Vec3::new(0.5 * width, 0.1, 0.5 * width))?);
            // The surface turns about the inner corner of the curve.
            let spin = Vec3::Y * (2.0 * BELT_SPEED / width);
            let away = Vec3::new(side * 0.5 * width, 0.0, other * 0.5 * width);
            scene.insert(curve.with_position(place).with_surface_velocity(spin.cross(away), spin))?;
        }
        // Outer rails with little friction.
        let half = Vec3::new(middle + 0.5 * width, 0.25, 0.05);
        let rail = BodyDesc::fixed(cuboid(half)?).with_friction(0.01);
        let place = Vec3::new(0.0, 0.15, side * (half.x + half.z));
        scene.insert(rail.with_position(place))?;
        let rail = BodyDesc::fixed(cuboid(Vec3::new(half.z, half.y, half.x))?).with_friction(0.01);
        scene.insert(rail.with_position(Vec3::new(place.z, place.y, 0.0)))?;
    }
    let mut rng = Rng::new(args.seed);
    for k in 0..args.n_bodies() {
        let mut size = |low: f64, high: f64| rng.range(low, high) as f32;
        let half = Vec3::new(size(0.12, 0.3), size(0.08, 0.2), size(0.12, 0.3));
        // Parcels start in layers on the four straight belts.
        let (layer, place) = (k / 40, k % 40);
        let along = (place / 4) as f32 * 0.6 - 2.7;
        let side = if place % 2 == 0 { middle } else { -middle };
        let y = 0.3 + 0.6 * layer as f32;
        let at = if place % 4 < 2 { Vec3::new(along, y, side) } else { Vec3::new(side, y, along) };
        scene.insert(BodyDesc::dynamic(cuboid(half)?).with_position(at).with_friction(0.8))?;
    }
    Ok(scene)
}

/// Returns the positions of the vertices after some seconds: travelling waves, a membrane that
/// throws bodies up, and a rim.
fn wave_at(seconds: f32) -> Vec<Vec3> {
    let at = |k: usize| HALF_SIDE * (2.0 * k as f32 / SQUARES as f32 - 1.0);
    // The membrane rises within a fifth of a second and sinks within one second.
    let phase = seconds % 3.0;
    let lift = if phase < 0.2 { phase / 0.2 } else { (1.0 - (phase - 0.2)).max(0.0) };
    let place = |x: f32, z: f32| {
        let r = ops::sqrt(x * x + z * z);
        // The swell grows from 0, so that no body is thrown at the start.
        let swell = 0.35 * (seconds / 2.0).min(1.0) * (r / 3.0).min(1.0);
        let wave = swell * ops::sin_cos(f64::from(1.4 * x + 0.5 * z - 2.6 * seconds)).0 as f32;
        let membrane = 0.9 * lift * (1.6 - 0.8 * r).clamp(0.0, 1.0);
        let rim = 1.2 * (x.abs().max(z.abs()) - HALF_SIDE + 1.6).max(0.0);
        Vec3::new(x, wave + membrane + rim, z)
    };
    (0..=SQUARES).flat_map(|i| (0..=SQUARES).map(move |j| place(at(i), at(j)))).collect()
}

/// Builds balls, boxes and capsules on a mesh that moves up and down.
fn waves(args: &DemoArgs) -> Built {
    let view = View { target: Vec3::ZERO, distance: 19.0, yaw: 0.6, pitch: 0.5, speed: 1.0 };
    let mut scene = Scene::new("bodies ride on a mesh that deforms", view);
    let corner = |i: usize, j: usize| (i * (SQUARES + 1) + j) as u32;
    let cells = (0..SQUARES * SQUARES).flat_map(|cell| {
        let (i, j) = (cell / SQUARES, cell % SQUARES);
        let [a, b] = [corner(i, j), corner(i + 1, j + 1)];
        [[a, corner(i, j + 1), b], [a, b, corner(i + 1, j)]]
    });
    let triangles: Vec<[u32; 3]> = cells.collect();
    let mesh = MeshShape::new(TriMesh::new(wave_at(0.0), triangles.clone())?)?;
    let sheet = scene.world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(mesh))).with_friction(0.6))?;
    scene.sheet = Some((sheet, triangles));
    let mut rng = Rng::new(args.seed);
    for k in 0..args.n_bodies() {
        let size = rng.range(0.2, 0.4) as f32;
        let shape = match k % 3 {
            0 => Shape::Sphere(Sphere::new(size)?),
            1 => cuboid(Vec3::new(size, 0.6 * size, 0.8 * size))?,
            _ => Shape::Capsule(Capsule::new(0.7 * size, 0.7 * size)?),
        };
        let (layer, place) = (k / 81, k % 81);
        let at = Vec3::new((place % 9) as f32 - 4.0, 1.0 + layer as f32, (place / 9) as f32 - 4.0);
        scene.insert(BodyDesc::dynamic(shape).with_position(at))?;
    }
    Ok(scene)
}

fn simulate(scene: Scene, args: &DemoArgs) -> Result<Run, String> {
    let Scene { title, view, mut world, drawn, sheet } = scene;
    let pool = pool_of(args)?;
    let (bodies, shapes): (Vec<BodyId>, Vec<PlayerShape>) = drawn.into_iter().unzip();
    let numbers = (0..bodies.len() as u32).collect();
    let charts = vec![
        chart("time of a step", "ms", &["step"]),
        chart("energy", "J", &["kinetic", "height"]),
        chart("contacts", "", &["pairs that touch"]),
    ];
    let mut recording = Recording::new(title, FRAME * f64::from(every(args)), shapes, numbers)
        .with_view(view)
        .with_charts(charts);
    if let Some((_, triangles)) = &sheet {
        let surface = PlayerMesh { vertices: wave_at(0.0), triangles: triangles.clone() };
        recording = recording.with_surfaces(vec![surface]);
    }
    let budget = match (args.budget_ms, args.budget_steps) {
        (Some(ms), _) => Budget::Time(core::time::Duration::from_secs_f64(ms * 1e-3)),
        (_, Some(steps)) => Budget::Steps(steps),
        _ => Budget::Unlimited,
    };
    let (mut total, mut energies, mut faults) = ([0.0; 3], Vec::new(), Vec::new());
    let mut n_faults = 0;
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    for frame in 0..=args.n_frames() {
        let seconds = FRAME as f32 * frame as f32;
        if 0 < frame {
            if let Some((sheet, _)) = sheet {
                let at_frame = |e: WorldError| format!("frame {frame}: {e}");
                world.body_mut(sheet).map_err(at_frame)?.deform(&wave_at(seconds)).map_err(at_frame)?;
            }
            pool.install(|| world.step_with_budget(FRAME as f32, budget).map(|_| ()))
                .map_err(|e| format!("frame {frame}: {e}"))?;
        }
        let times = world.stats().times;
        for (sum, more) in total.iter_mut().zip([times.broad + times.refit, times.narrow, times.response]) {
            *sum += more * 1e3 / f64::from(args.n_frames());
        }
        let energy = world.energy(FRAME as f32 / world.settings().solver.substeps as f32);
        energies.extend((0 < frame).then(|| energy.total()));
        if args.check
            && let Err(fault) = world.validate()
        {
            n_faults += 1;
            if faults.len() < MAX_FOUND {
                faults.push(format!("step {frame}: {fault}"));
            }
        }
        if frame % every(args) == 0 {
            let mut state = vec![BodyState::Awake; bodies.len()];
            let mut faces = vec![FaceState::Free; sheet.as_ref().map_or(0, |(_, triangles)| triangles.len())];
            let mut points = Vec::new();
            for contact in world.contacts().filter(|contact| contact.is_touching) {
                for (k, &body) in bodies.iter().enumerate() {
                    if body == contact.a || body == contact.b {
                        state[k] = BodyState::InContact;
                    }
                }
                for point in contact.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
                    points.push(point.point_b);
                    // The mesh was inserted first, so it is the first body of its pairs.
                    if sheet.as_ref().is_some_and(|(sheet, _)| *sheet == contact.a)
                        && let Some(face) = faces.get_mut(point.part_a as usize)
                    {
                        *face = FaceState::TouchesOther;
                    }
                }
            }
            for (state, &body) in state.iter_mut().zip(&bodies) {
                let motion = world.body(body).map(|body| body.motion()).map_err(|e| e.to_string())?;
                if motion.inverse_mass == 0.0 {
                    *state = BodyState::Fixed;
                } else if motion.is_sleeping {
                    *state = BodyState::Asleep;
                }
            }
            let poses: Result<Vec<Pose>, _> =
                bodies.iter().map(|&body| world.body(body).map(|body| body.pose())).collect();
            let n_touching = world.stats().n_touching as f64;
            let values = vec![times.total() * 1e3, energy.kinetic, energy.potential, n_touching];
            recording.push(poses.map_err(|e| e.to_string())?, state, &points, FrameStats { values });
            if sheet.is_some() {
                recording.push_surfaces(vec![SurfaceFrame { vertices: wave_at(seconds), faces }]);
            }
        }
        progress.step();
    }
    let n_asleep =
        world.body_ids().filter(|&id| world.body(id).map(|body| body.is_sleeping()) == Ok(true)).count();
    let (hash, n_touching) = (world.state_hash(), world.stats().n_touching);
    let mut run = Run::of(hash, args.n_bodies(), total, n_touching, energies, recording);
    let [broad, narrow, response] = total;
    run.told = Some(format!(
        "{title}; {} bodies, {} steps of 1/60 s; mean milliseconds of a step: broad phase {broad:.3}, narrow phase \
         {narrow:.3}, response {response:.3}\n  at the end {n_touching} pairs touch, {n_asleep} bodies asleep",
        args.n_bodies(),
        args.n_frames(),
    ));
    let holds = "the parts of the world fit together";
    run.check = args.check.then_some(Checked { n_faults, found: faults, n_left_out: 0, holds });
    Ok(run)
}
