//! `carom demo`: a scene that is built in, the cost of each phase, and a page that plays the run.

use crate::args::DemoArgs;
use crate::command::demo_ants::{self, Colony};
use crate::command::demo_clock;
use crate::command::{
    demo_actors, demo_boxes, demo_deadline, demo_figure, demo_impacts, demo_model, demo_particles, demo_rays,
    demo_scan, demo_soft, demo_surfaces, demo_tetrahedra, demo_trees,
};
use crate::debug_lines::DebugLines;
use crate::live_page;
use crate::player::{BodyState, Chart, FrameStats, Recording, View};
use crate::progress::Progress;
use crate::report::{self, Outcome};
use carom_audit::{Audit, AuditSettings};
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_broad_auto::catalogue::{self, SpatialBroadPhase, WorldHints};
use carom_math::{Pose, Vec3};
use carom_scenes::{AntHill, SceneSpec, ShapeSpec, scoreboard};
use carom_stage::{Outlines, PlayerShape};
use carom_world::{BodyId, Budget, DrawFlags, StepStats, World, WorldError, WorldSettings};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Seconds of a step.
const STEP: f64 = 1.0 / 60.0;

/// Runs of more frames than this record every second frame.
pub(crate) const MANY_FRAMES: u32 = 120;

/// The results of a run.
pub(crate) struct Run {
    /// A hash of the state at the end: for a world of bodies, of all poses, velocities and sleep.
    hash: u64,
    n_bodies: usize,
    /// Mean milliseconds of a step: broad phase with its update, narrow phase, response.
    ms: [f64; 3],
    n_pairs: usize,
    n_contacts: usize,
    n_asleep: usize,
    /// Kinetic plus potential energy at the end of each step.
    energy: Vec<f64>,
    recording: Recording,
    shortfall: Shortfall,
    /// Crumbs that the ants have brought home, and crumbs that they carry.
    crumbs: Option<[u64; 2]>,
    /// The report line on the gears of a clock, after a line break; empty for other scenes.
    clock: String,
    /// The scene's own report. It is printed after the name of the scene, in place of the usual
    /// one.
    pub(crate) summary: Option<String>,
    /// The two names of each pair of parts of a file that touch in some frame.
    pub(crate) touching: Option<Vec<[String; 2]>>,
    /// The findings of `--check`, if it was given.
    pub(crate) check: Option<Checked>,
}

/// The findings of the checks of all steps.
pub(crate) struct Checked {
    pub(crate) n_faults: u64,
    /// The first faults, a line each.
    pub(crate) found: Vec<String>,
    pub(crate) n_left_out: u64,
    /// The properties that hold if no fault was found, as text; empty for a world of bodies.
    pub(crate) holds: &'static str,
}

impl Checked {
    fn of(audit: &Audit) -> Checked {
        let found = audit.faults().iter().map(|fault| fault.to_string()).collect();
        Checked { n_faults: audit.n_faults(), found, n_left_out: audit.n_left_out(), holds: "" }
    }
}

impl Run {
    /// Returns a run without pairs of boxes, sleeping bodies and budgets. `ms` has the three times
    /// of [`Run::ms`].
    pub(crate) fn of(
        hash: u64,
        n_bodies: usize,
        ms: [f64; 3],
        n_contacts: usize,
        energy: Vec<f64>,
        recording: Recording,
    ) -> Run {
        let shortfall = Shortfall::default();
        Run {
            hash,
            n_bodies,
            ms,
            n_pairs: 0,
            n_contacts,
            n_asleep: 0,
            energy,
            recording,
            shortfall,
            crumbs: None,
            clock: String::new(),
            summary: None,
            touching: None,
            check: None,
        }
    }
}

/// The work that a budget for each step left out, over the whole run.
#[derive(Default)]
struct Shortfall {
    /// Steps that took longer than their budget, and milliseconds of the longest step.
    n_late: u32,
    worst_ms: f64,
    /// The counts of [`carom_world::Shortfall`], summed over all steps.
    n_pairs: u64,
    n_unknown: u64,
    n_carried: u64,
    n_substeps: u64,
    n_suspended: u64,
}

impl Shortfall {
    fn take(&mut self, stats: &StepStats, budget_ms: Option<f64>) {
        let ms = stats.times.total() * 1e3;
        self.n_late += u32::from(budget_ms.is_some_and(|budget| budget < ms));
        self.worst_ms = self.worst_ms.max(ms);
        self.n_pairs += stats.shortfall.n_pairs as u64;
        self.n_unknown += stats.shortfall.n_unknown as u64;
        self.n_carried += stats.shortfall.n_carried as u64;
        self.n_substeps += u64::from(stats.shortfall.n_substeps);
        self.n_suspended += stats.shortfall.n_suspended as u64;
    }

    fn lines(&self, args: &DemoArgs) -> String {
        let budget = match (args.budget_ms, args.budget_steps) {
            (Some(ms), _) => format!("{ms} ms: {} steps late", self.n_late),
            (_, Some(steps)) => format!("{steps} steps of work"),
            _ => return String::new(),
        };
        format!(
            "\n  budget of a step {budget}, the longest {:.3} ms; left out in all: {} pairs not tested ({} of them \
             never before, {} contacts of the others carried over), {} substeps; {} bodies \
             were suspended for a step",
            self.worst_ms, self.n_pairs, self.n_unknown, self.n_carried, self.n_substeps, self.n_suspended,
        )
    }
}

/// Runs the command.
pub fn run(args: &DemoArgs) -> Result<Outcome, String> {
    if let Some(first) = &args.live {
        return live_page::run(args, first);
    }
    if args.over.is_some() && args.scene != "cloth" {
        return Err(format!("--over: the scene {:?} has no cloth", args.scene));
    }
    if args.row.is_some() && args.scene != "physics" {
        return Err(format!("--row: the scene {:?} has no rows", args.scene));
    }
    if args.file.is_some() && args.scene != "walk" {
        return Err(format!("--file: the scene {:?} plays no file", args.scene));
    }
    if args.surface && !matches!(args.scene.as_str(), "water" | "everything") {
        return Err(format!("--surface: the scene {:?} has no liquid", args.scene));
    }
    let run = match args.scene.as_str() {
        "morph" | "walk" | "tetrahedra" | "trees" | "impacts" | "deadline" | "boxes" | "rays" | "scan"
            if args.check =>
        {
            return Err(format!("--check: the scene {:?} has no dynamic bodies", args.scene));
        }
        "level" | "car" | "vehicle" | "platforms" | "characters" | "crane" | "bridge" | "playground" => {
            demo_actors::play(args)?
        }
        "cloth" | "jelly" | "shatter" => demo_soft::play(args)?,
        "water" | "sand" | "rain" | "everything" => demo_particles::play(args)?,
        "conveyor" | "waves" => demo_surfaces::play(args)?,
        "tetrahedra" => demo_tetrahedra::play(args)?,
        "trees" => demo_trees::play(args)?,
        "impacts" => demo_impacts::play(args)?,
        "deadline" => demo_deadline::play(args)?,
        "boxes" => demo_boxes::play(args)?,
        "rays" => demo_rays::play(args)?,
        "scan" => demo_scan::play(args)?,
        "morph" | "walk" => match &args.file {
            Some(file) => demo_model::play(args, file)?,
            None => demo_figure::play(args)?,
        },
        "clock" => {
            let n_movements = args.n_bodies().div_ceil(carom_scenes::MOVEMENT_BODIES);
            simulate(&carom_scenes::clockwork(n_movements), None, args)?
        }
        "bullets" => simulate(&carom_scenes::bullets(args.n_bodies(), args.seed), None, args)?,
        "stick" => simulate(&carom_scenes::stick(args.n_bodies(), args.seed), None, args)?,
        "ants" => {
            // Three crumbs for four ants.
            let hill = carom_scenes::ants(args.n_bodies() * 4 / 7, args.seed);
            simulate(&hill.scene, Some(&hill), args)?
        }
        "stairs" => {
            let n_dolls = args.n_bodies().div_ceil(carom_scenes::RAGDOLL_BODIES);
            simulate(&carom_scenes::stairs(n_dolls, args.seed), None, args)?
        }
        "physics" => {
            let row = scoreboard::row(args.row()).ok_or_else(|| {
                let names: Vec<String> = scoreboard::rows().into_iter().map(|row| row.name).collect();
                format!("--row: there is no {:?}; there are {}", args.row(), names.join(", "))
            })?;
            simulate(&row.scene, None, args)?
        }
        _ => simulate(&carom_scenes::pile(args.n_bodies(), args.seed), None, args)?,
    };
    let page = match (&args.html, args.json) {
        (Some(page), _) => Some(page.clone()),
        (None, false) => Some(PathBuf::from(format!("carom-demo-{}.html", args.scene))),
        (None, true) => None,
    };
    if let Some(page) = &page {
        let html = run.recording.to_html()?;
        report::write_file(page, html.as_bytes())?;
    }
    if args.json {
        let mut document = json!({
            "schema": "carom.demo.v1",
            "scene": args.scene,
            "frames": args.n_frames(),
            "bodies": run.n_bodies,
            "hash": format!("{:016x}", run.hash),
            "phases": {
                "broad": {"ms": run.ms[0], "pairs": run.n_pairs},
                "narrow": {"ms": run.ms[1], "contacts": run.n_contacts},
                "response": {"ms": run.ms[2]},
            },
            "energy": run.energy,
        });
        if let Some([brought, carried]) = run.crumbs {
            document["crumbs"] = json!({ "brought": brought, "carried": carried });
        }
        if let Some(touching) = &run.touching {
            document["touching"] = json!(touching);
        }
        if let Some(check) = &run.check {
            document["check"] = json!({
                "faults": check.n_faults, "found": check.found, "left_out": check.n_left_out,
            });
        }
        if args.has_budget() {
            let s = &run.shortfall;
            document["budget"] = json!({
                "ms": args.budget_ms, "steps": args.budget_steps, "late": s.n_late, "worst_ms": s.worst_ms,
                "pairs_put_off": s.n_pairs, "pairs_unknown": s.n_unknown, "contacts_carried": s.n_carried,
                "substeps_left_out": s.n_substeps, "bodies_suspended": s.n_suspended,
            });
        }
        report::print(&document.to_string())?;
    } else if let Some(summary) = &run.summary {
        report::print(&format!("{}: {summary}; state {:016x}", args.scene, run.hash))?;
    } else {
        let [broad, narrow, response] = run.ms;
        report::print(&format!(
            "{}: {} bodies, {} steps of 1/60 s; mean milliseconds of a step:\n  broad phase {broad:.3}, narrow phase \
             {narrow:.3}, response {response:.3}: together {:.3}\n  at the end {} pairs of boxes, {} contacts, {} bodies \
             asleep; state {:016x}{}{}{}",
            args.scene,
            run.n_bodies,
            args.n_frames(),
            broad + narrow + response,
            run.n_pairs,
            run.n_contacts,
            run.n_asleep,
            run.hash,
            run.crumbs.map_or_else(String::new, |[brought, carried]| format!(
                "\n  {brought} crumbs were brought to the hill, and {carried} are carried"
            )),
            run.clock,
            run.shortfall.lines(args),
        ))?;
    }
    if let (Some(page), false) = (page, args.json) {
        report::print(&format!("  open {} in a browser to see it", page.display()))?;
    }
    let Some(check) = &run.check else { return Ok(Outcome::Nothing) };
    if let Some(first) = check.found.first() {
        return Err(format!("--check: {} faults, the first in {first}", check.n_faults));
    }
    if !args.json && !check.holds.is_empty() {
        report::print(&format!("  checked each frame: {}", check.holds))?;
    } else if !args.json {
        let n_left_out = check.n_left_out;
        report::print(&format!(
            "  checked each step: no fault; {n_left_out} energies of driven bodies were left out"
        ))?;
    }
    Ok(Outcome::Nothing)
}

/// Returns a chart of these lines.
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

/// Returns the number of steps for each recorded frame: 2 for runs of many steps, else 1.
pub(crate) fn every(args: &DemoArgs) -> u32 {
    if MANY_FRAMES < args.n_frames() { 2 } else { 1 }
}

/// Returns a pool with the number of threads of `--threads`, or with the machine's if it is not
/// given.
pub(crate) fn pool_of(args: &DemoArgs) -> Result<rayon::ThreadPool, String> {
    let n_threads = args.threads.unwrap_or(0) as usize;
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().map_err(|e| format!("--threads: {e}"))
}

/// Runs a scene of bodies. The ants of an ant hill are driven by a [`Colony`].
fn simulate(scene: &SceneSpec, hill: Option<&AntHill>, args: &DemoArgs) -> Result<Run, String> {
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

/// The bodies that were inserted into a world, and their drawn shapes.
pub(crate) struct Inserted {
    /// Handles, in the order of the scene's bodies.
    pub(crate) bodies: Vec<BodyId>,
    /// The shapes that the player draws.
    pub(crate) shapes: Vec<PlayerShape>,
    /// Index of the shape of each body.
    pub(crate) shape_of: Vec<u32>,
}

impl Inserted {
    fn new<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Result<Inserted, String> {
        let bodies = carom_stage::insert(world, scene)?;
        let mut outlines = Outlines::default();
        // The world was empty, so its order is that of the scene.
        let shape_of = world.shapes().map(|(_, shape)| outlines.number_of(shape)).collect();
        Ok(Inserted { bodies, shapes: outlines.into_shapes(), shape_of })
    }
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
    let every = if MANY_FRAMES < args.n_frames() { 2 } else { 1 };
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

/// Returns a view of a row of the scoreboard from the front, with all moving bodies in the picture.
fn physics_view(scene: &SceneSpec) -> View {
    let positions = || scene.bodies.iter().filter(|body| !body.is_fixed()).map(|body| body.pose.translation);
    let low = positions().fold(Vec3::INFINITY, Vec3::min);
    let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high - low).max_element();
    View { target: (low + high) * 0.5, distance: 1.5 * size + 4.0, yaw: 0.4, pitch: 0.2, speed: 1.0 }
}

fn charts(has_budget: bool) -> Vec<Chart> {
    let chart = |title: &str, unit: &str, lines: &[&str]| Chart {
        title: title.to_owned(),
        unit: unit.to_owned(),
        lines: lines.iter().map(|l| (*l).to_owned()).collect(),
    };
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
