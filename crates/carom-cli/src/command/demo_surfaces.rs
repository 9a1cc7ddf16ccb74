//! `carom demo conveyor` and `carom demo waves`: bodies on surfaces that move although their own
//! body stands still.

use crate::args::DemoArgs;
use crate::command::demo_run::{Checked, Run, chart, every, pool_of};
use crate::player::{BodyState, FaceState, FrameStats, PlayerMesh, Recording, SurfaceFrame, View};
use crate::progress::Progress;
use crate::soft_world::FRAME;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_stage::Outlines;
use carom_web::scenes::{Actors, Request, surfaces};
use carom_world::{BodyId, Budget, World};

/// The most faults that are kept as lines.
const MAX_FOUND: usize = 100;

/// Runs one of the two scenes.
pub(crate) fn play(args: &DemoArgs) -> Result<Run, String> {
    let mut world = World::new();
    let request = Request { count: args.n_bodies(), seed: args.seed };
    let view = |distance, yaw, pitch| View { target: Vec3::ZERO, distance, yaw, pitch, speed: 1.0 };
    let (title, view, actors) = if args.scene == "waves" {
        ("bodies ride on a mesh that deforms", view(19.0, 0.6, 0.5), surfaces::waves(&mut world, &request))
    } else {
        ("parcels on conveyor belts", view(15.0, 0.5, 0.65), surfaces::conveyor(&mut world, &request))
    };
    simulate(title, view, world, actors.map_err(|e| e.to_string())?, args)
}

fn simulate(
    title: &str,
    view: View,
    mut world: World,
    mut actors: Actors,
    args: &DemoArgs,
) -> Result<Run, String> {
    let pool = pool_of(args)?;
    let sheet = actors.sheet;
    // The mesh that deforms is drawn as a surface.
    let is_body = |id: BodyId| sheet.is_none_or(|(sheet, _)| sheet != id);
    let mut outlines = Outlines::default();
    let (bodies, numbers): (Vec<BodyId>, Vec<u32>) = world
        .shapes()
        .filter(|(id, _)| is_body(*id))
        .map(|(id, shape)| (id, outlines.number_of(shape)))
        .unzip();
    let shapes = outlines.into_shapes();
    let charts = vec![
        chart("time of a step", "ms", &["step"]),
        chart("energy", "J", &["kinetic", "height"]),
        chart("contacts", "", &["pairs that touch"]),
    ];
    let mut recording = Recording::new(title, FRAME * f64::from(every(args)), shapes, numbers)
        .with_view(view)
        .with_charts(charts);
    let mut n_faces = 0;
    if let Some((sheet, vertices_at)) = sheet
        && let Ok(Shape::Mesh(mesh)) = world.body(sheet).map(|body| body.shape())
    {
        let triangles = mesh.mesh().indices().to_vec();
        n_faces = triangles.len();
        recording = recording.with_surfaces(vec![PlayerMesh { vertices: vertices_at(0.0), triangles }]);
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
            actors.before(&mut world, u64::from(frame)).map_err(|e| format!("frame {frame}: {e}"))?;
            pool.install(|| world.step_with_budget(FRAME as f32, budget).map(|_| ()))
                .map_err(|e| format!("frame {frame}: {e}"))?;
        }
        let times = world.stats().times;
        for (sum, more) in total.iter_mut().zip([times.broad + times.refit, times.narrow, times.response]) {
            *sum += more * 1e3 / f64::from(args.n_frames());
        }
        let energy = world.energy();
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
            let Drawn { poses, states, points, faces } =
                drawn(&world, &bodies, sheet.map(|(sheet, _)| sheet), n_faces)?;
            let n_touching = world.stats().n_touching as f64;
            let values = vec![times.total() * 1e3, energy.kinetic, energy.potential, n_touching];
            recording.push(poses, states, &points, FrameStats { values });
            if let Some((_, vertices_at)) = sheet {
                recording.push_surfaces(vec![SurfaceFrame { vertices: vertices_at(seconds), faces }]);
            }
        }
        progress.step();
    }
    let n_asleep =
        world.body_ids().filter(|&id| world.body(id).map(|body| body.is_sleeping()) == Ok(true)).count();
    let (hash, n_touching) = (world.state_hash(), world.stats().n_touching);
    let mut run = Run::of(hash, args.n_bodies(), total, n_touching, energies, recording);
    let [broad, narrow, response] = total;
    run.summary = Some(format!(
        "{title}; {} bodies, {} steps of 1/60 s; mean milliseconds of a step: broad phase {broad:.3}, narrow phase \
         {narrow:.3}, response {response:.3}\n  at the end {n_touching} pairs touch, {n_asleep} bodies asleep",
        args.n_bodies(),
        args.n_frames(),
    ));
    let holds = "the parts of the world fit together";
    run.check = args.check.then_some(Checked { n_faults, found: faults, n_left_out: 0, holds });
    Ok(run)
}

/// The bodies of a frame, their contacts, and the faces of the mesh that deforms.
struct Drawn {
    poses: Vec<Pose>,
    states: Vec<BodyState>,
    points: Vec<Vec3>,
    faces: Vec<FaceState>,
}

fn drawn(world: &World, bodies: &[BodyId], sheet: Option<BodyId>, n_faces: usize) -> Result<Drawn, String> {
    let mut states = vec![BodyState::Awake; bodies.len()];
    let mut faces = vec![FaceState::Free; n_faces];
    let mut points = Vec::new();
    for contact in world.contacts().filter(|contact| contact.is_touching) {
        for (k, &body) in bodies.iter().enumerate() {
            if body == contact.a || body == contact.b {
                states[k] = BodyState::InContact;
            }
        }
        for point in contact.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
            points.push(point.point_b);
            // The mesh was inserted first, so it is the first body of its pairs.
            if sheet == Some(contact.a)
                && let Some(face) = faces.get_mut(point.part_a as usize)
            {
                *face = FaceState::TouchesOther;
            }
        }
    }
    for (state, &body) in states.iter_mut().zip(bodies) {
        let motion = world.body(body).map(|body| body.motion()).map_err(|e| e.to_string())?;
        if motion.inverse_mass == 0.0 {
            *state = BodyState::Fixed;
        } else if motion.is_sleeping {
            *state = BodyState::Asleep;
        }
    }
    let poses = bodies.iter().map(|&body| world.body(body).map(|body| body.pose()));
    let poses = poses.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    Ok(Drawn { poses, states, points, faces })
}
