//! The scenes of `carom demo` that are a world of bodies.

use crate::args::DemoArgs;
use crate::command::demo_ants::{self, Colony};
use crate::command::demo_clock;
use crate::command::demo_run::{Checked, Run, Shortfall, chart, every, pool_of};
use crate::command::inserted::Inserted;
use crate::debug_lines::DebugLines;
use crate::player::{BodyState, Chart, FrameStats, Recording, View};
use crate::progress::Progress;
use carom_audit::{Audit, AuditSettings};
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_broad_auto::catalogue::{self, SpatialBroadPhase, WorldHints};
use carom_math::{Pose, Vec3};
use carom_scenes::{AntHill, SceneSpec, ShapeSpec};
use carom_world::{Budget, DrawFlags, World, WorldError, WorldSettings};
use std::time::Duration;

/// Seconds of a step.
const STEP: f64 = 1.0 / 60.0;

/// Runs a scene of bodies. The ants of an ant hill are driven by a [`Colony`].
pub(crate) fn simulate(scene: &SceneSpec, hill: Option<&AntHill>, args: &DemoArgs) -> Result<Run, String> {
    let pool = pool_of(args)?;
    let mut settings = WorldSettings::default();
    if scene.is_weightless {
        settings.solver.gravity = Vec3::ZERO;
    }
    let listed = catalogue::by_name(&args.broad_phase);
    let listed = listed.ok_or_else(|| format!("--broad-phase: there is no {:?}", args.broad_phase))?;
    let broad = listed.make(&hints_of(scene));
    pool.install(|| play(World::with_broad_phase(broad, settings), scene, hill, args))
}

/// Returns the bounds and the number of the bodies that move, to set up a broad phase.
fn hints_of(scene: &SceneSpec) -> WorldHints {
    let moving = scene.bodies.iter().filter(|body| 0.0 < body.density);
    let points: Vec<Aabb> =
        moving.map(|body| Aabb { min: body.pose.translation, max: body.pose.translation }).collect();
    WorldHints::of(&points)
}

/// Steps the world and records it.
fn play(
    mut world: World<Box<dyn SpatialBroadPhase>>,
    scene: &SceneSpec,
    hill: Option<&AntHill>,
    args: &DemoArgs,
) -> Result<Run, String> {
    let mut inserted = Inserted::new(&mut world, scene)?;
    let mut colony = hill.map(|hill| Colony::new(hill, &inserted, args.seed));
    if let Some(hill) = hill {
        demo_ants::draw_legs(hill, &mut inserted);
    }
    let every = every(args);
    let name = if args.scene == "physics" { args.row() } else { args.scene.as_str() };
    let title = format!("{name}: {} bodies", scene.n_moving());
    let mut recording =
        Recording::new(&title, STEP * f64::from(every), inserted.shapes.clone(), inserted.shape_of.clone())
            .with_charts(charts(args.has_budget()));
    match args.scene.as_str() {
        "bullets" => recording = recording.with_view(bullets_view()),
        "stick" => recording = recording.with_view(stick_view()).with_shown(&["lines"]),
        "clock" => recording = recording.with_view(clock_view(scene)).with_shown(&["bodies"]),
        "stairs" => recording = recording.with_view(stairs_view(scene)),
        "physics" => recording = recording.with_view(physics_view(scene)),
        "ants" => recording = recording.with_view(demo_ants::view()),
        _ => {}
    }
    let budget = match (args.budget_ms, args.budget_steps) {
        // A time that is too long for a `Duration` is no limit.
        (Some(ms), _) => Duration::try_from_secs_f64(ms * 1e-3).map_or(Budget::Unlimited, Budget::Time),
        (_, Some(steps)) => Budget::Steps(steps),
        _ => Budget::Unlimited,
    };
    let mut shortfall = Shortfall::default();
    let mut energy = Vec::with_capacity(args.n_frames() as usize);
    let mut total = [0.0; 3];
    let mut progress = Progress::new("steps", u64::from(args.n_frames()));
    let mut audit = args.check.then(|| Audit::new(AuditSettings::default()));
    world.detect();
    record(&world, &inserted, [0.0; 3], energy_of(&world), args, &mut recording);
    for frame in 1..=args.n_frames() {
        if let Some(colony) = &mut colony {
            colony.drive(&mut world).map_err(|e| format!("ants before step {frame}: {e}"))?;
        }
        let from = STEP * f64::from(frame - 1);
        for drive in scene.drives_between(from, from + STEP) {
            let at_step = |e: WorldError| format!("step {frame}: {e}");
            let mut body = world.body_mut(inserted.bodies[drive.body]).map_err(at_step)?;
            body.set_linear_velocity(drive.linear_velocity)
                .and_then(|body| body.set_angular_velocity(drive.angular_velocity))
                .map_err(at_step)?;
        }
        if let Some(audit) = &mut audit {
            audit.begin(&world);
        }
        let stats = *world.step_with_budget(STEP as f32, budget).map_err(|e| format!("step {frame}: {e}"))?;
        if let Some(audit) = &mut audit {
            audit.end(&world, STEP as f32);
        }
        shortfall.take(&stats, args.budget_ms);
        let times = stats.times;
        let ms = [times.broad + times.refit, times.narrow, times.response].map(|seconds| seconds * 1e3);
        for (sum, ms) in total.iter_mut().zip(ms) {
            *sum += ms;
        }
        let now = energy_of(&world);
        energy.push(now.iter().sum());
        if frame % every == 0 {
            record(&world, &inserted, ms, now, args, &mut recording);
        }
        progress.step();
    }
    let stats = *world.stats();
    let asleep =
        inserted.bodies.iter().filter(|id| world.body(**id).map(|body| body.is_sleeping()) == Ok(true));
    Ok(Run {
        hash: world.state_hash(),
        n_bodies: scene.n_moving(),
        ms: total.map(|sum| sum / f64::from(args.n_frames())),
        n_pairs: stats.n_pairs,
        n_contacts: contact_points(&world).len(),
        n_asleep: asleep.count(),
        energy,
        recording,
        shortfall,
        clock: if args.scene == "clock" { demo_clock::report(&world, &inserted) } else { String::new() },
        crumbs: colony.map(|colony| [colony.n_home(), colony.n_carrying() as u64]),
        summary: None,
        touching: None,
        check: audit.as_ref().map(Checked::of),
    })
}

/// Returns a view from in front of the wall, beside the path of the bullets and near enough to see
/// the impacts. It plays slowly, because the bullets strike within three steps.
fn bullets_view() -> View {
    View { target: Vec3::new(-0.5, 0.9, 0.0), distance: 2.4, yaw: -0.55, pitch: 0.35, speed: 0.02 }
}

/// Returns a view of the boxes and the wall from the side from which the darts come.
fn stick_view() -> View {
    View { target: Vec3::new(0.0, 2.0, 0.0), distance: 15.0, yaw: -0.9, pitch: 0.25, speed: 1.0 }
}

/// Returns a view of the whole plate from the front, a little to the side.
fn clock_view(scene: &SceneSpec) -> View {
    let positions = || scene.bodies.iter().map(|body| body.pose.translation);
    let low = positions().fold(Vec3::INFINITY, Vec3::min);
    let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high - low).max_element();
    View { target: (low + high) * 0.5, distance: 1.6 * size + 5.0, yaw: 0.3, pitch: 0.15, speed: 1.0 }
}

/// Returns a view from beside the foot of the stairs, with all of them in the picture.
fn stairs_view(scene: &SceneSpec) -> View {
    let boxes = scene.bodies.iter().filter_map(|body| match (&body.shape, body.is_fixed()) {
        (ShapeSpec::Cuboid { half_extents }, true) => Some((body.pose.translation, *half_extents)),
        _ => None,
    });
    let (low, high) = boxes
        .fold((Vec3::ZERO, Vec3::ZERO), |(low, high), (at, half)| (low.min(at - half), high.max(at + half)));
    let size = high - low;
    View {
        target: (low + high) * 0.5 + Vec3::X * (0.3 * size.x),
        distance: 1.05 * size.length(),
        yaw: 1.0,
        pitch: 0.35,
        speed: 1.0,
    }
}

/// Returns a view of a row of the scoreboard from the front, with all moving bodies in the
/// picture.
fn physics_view(scene: &SceneSpec) -> View {
    let positions = || scene.bodies.iter().filter(|body| !body.is_fixed()).map(|body| body.pose.translation);
    let low = positions().fold(Vec3::INFINITY, Vec3::min);
    let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high - low).max_element();
    View { target: (low + high) * 0.5, distance: 1.5 * size + 4.0, yaw: 0.4, pitch: 0.2, speed: 1.0 }
}

fn charts(has_budget: bool) -> Vec<Chart> {
    let mut charts = vec![
        chart("time of a step", "ms", &["broad", "narrow", "response"]),
        chart("pairs of boxes, contacts", "", &["pairs", "contacts"]),
        chart("energy", "", &["kinetic", "potential"]),
        chart("bodies awake", "", &["awake"]),
    ];
    if has_budget {
        charts.push(chart("left out", "", &["pairs put off", "contacts carried over"]));
    }
    charts
}

/// Returns the kinetic energy of all bodies, and their potential energy relative to the origin.
fn energy_of<B: BroadPhase>(world: &World<B>) -> [f64; 2] {
    let energy = world.energy();
    [energy.kinetic, energy.potential]
}

/// Returns a point for each contact of bodies that touch, in the world frame. It lies midway
/// between the two points of the contact. If one body is immovable and the gap is wider than the
/// slop, as after a fast impact, it lies on that body.
fn contact_points<B: BroadPhase>(world: &World<B>) -> Vec<Vec3> {
    let mut points = Vec::new();
    let slop = world.settings().solver.slop * world.settings().solver.length_unit;
    let is_still = |id| world.body(id).map(|body| body.motion()).is_ok_and(|body| body.inverse_mass == 0.0);
    for view in world.contacts().filter(|view| view.is_touching) {
        let is_still = [view.a, view.b].map(is_still);
        let contacts = view.manifolds.iter().flat_map(|manifold| manifold.contacts());
        points.extend(contacts.map(|contact| match is_still {
            [true, false] if slop < contact.distance => contact.point_a,
            [false, true] if slop < contact.distance => contact.point_b,
            _ => contact.middle(),
        }));
    }
    points
}

/// Adds the present state of the world to the recording as a frame.
fn record<B: BroadPhase>(
    world: &World<B>,
    inserted: &Inserted,
    ms: [f64; 3],
    energy: [f64; 2],
    args: &DemoArgs,
    recording: &mut Recording,
) {
    let mut is_touching = vec![false; inserted.bodies.len()];
    // Nearly all ants touch the ground, so their contacts with immovable bodies do not count here.
    let is_of_interest = |id| {
        args.scene != "ants"
            || world.body(id).map(|body| body.motion()).is_ok_and(|body| 0.0 < body.inverse_mass)
    };
    let touching = world.contacts().filter(|view| view.is_touching);
    for view in touching.filter(|view| is_of_interest(view.a) && is_of_interest(view.b)) {
        for id in [view.a, view.b] {
            // Bodies were inserted into an empty world, so their indices are those of the scene.
            if let Some(touching) = is_touching.get_mut(id.index() as usize) {
                *touching = true;
            }
        }
    }
    let mut poses = Vec::with_capacity(inserted.bodies.len());
    let mut states = Vec::with_capacity(inserted.bodies.len());
    let mut n_awake = 0;
    for (id, touches) in inserted.bodies.iter().zip(is_touching) {
        let Ok(body) = world.body(*id).map(|body| body.motion()) else {
            poses.push(Pose::IDENTITY);
            states.push(BodyState::Fixed);
            continue;
        };
        poses.push(body.pose);
        states.push(match (body.inverse_mass == 0.0, body.is_sleeping, touches) {
            (true, ..) => BodyState::Fixed,
            (_, true, _) => BodyState::Asleep,
            (.., true) => BodyState::InContact,
            _ => BodyState::Awake,
        });
        n_awake += usize::from(body.inverse_mass != 0.0 && !body.is_sleeping);
    }
    let points = contact_points(world);
    let n_pairs = world.stats().n_pairs as f64;
    let mut values =
        vec![ms[0], ms[1], ms[2], n_pairs, points.len() as f64, energy[0], energy[1], n_awake as f64];
    if args.has_budget() {
        let shortfall = world.stats().shortfall;
        values.extend([shortfall.n_pairs as f64, shortfall.n_carried as f64]);
    }
    recording.push(poses, states, &points, FrameStats { values });
    let mut lines = DebugLines::default();
    world.debug_draw(&mut lines, DrawFlags::JOINTS | DrawFlags::CONTACTS);
    recording.push_lines([&lines.joints, &lines.normals]);
    let mut levels: Vec<Vec<[Vec3; 2]>> = Vec::new();
    world.broad_phase().visit_volumes(&mut |level, volume| {
        if levels.len() <= level {
            levels.resize(level + 1, Vec::new());
        }
        levels[level].push([volume.min, volume.max]);
    });
    recording.push_tree(levels);
}
