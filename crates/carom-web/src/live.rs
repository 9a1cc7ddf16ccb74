//! A testbed that a page controls by commands in text, with an answer to each.
//!
//! Commands and answers are JSON. An answer with `error` has the reason of a refusal, and the
//! testbed is unchanged. Poses are not in the answers: a [`Picture`] has them.
//!
//! Reference: JSON-RPC 2.0 specification, 2013 (a command with named parameters, an answer or an
//! error).

use crate::action::{Action, Setting};
use crate::drag::{DragTarget, Hit, first_on_ray};
use crate::picture::{Drawn, Picture};
use crate::scenes::{Error, Request, SCENES, STEP, scene};
use crate::testbed::{ReplayOutcome, Testbed};
use carom_broad::Mobility;
use carom_broad_auto::catalogue::ALGORITHMS;
use carom_io::Format;
use carom_math::Vec3;
use carom_world::BodyId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// A command of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
enum Command {
    /// The list of scenes and of broad phases.
    List,
    /// Starts a scene. A missing count is the usual one.
    Start { scene: String, count: Option<usize>, seed: Option<u64> },
    /// Starts the scene again.
    Restart,
    /// Applies an action of a user.
    Act { action: Action },
    /// Inserts the mesh that was read last.
    Drop { at: [f32; 3], size: f32 },
    /// Changes the broad phase.
    BroadPhase { name: String },
    /// Keeps the state.
    Save,
    /// Returns to the state that was kept.
    Load,
    /// Starts a recording.
    Record,
    /// Ends the recording.
    EndRecording,
    /// Starts the replay of the last recording.
    Replay,
    /// Finds the first thing on a ray: a body, a soft body or particles.
    Pick { origin: [f32; 3], direction: [f32; 3] },
    /// Explains why two bodies touch, or do not.
    Explain { a: u32, b: u32 },
    /// Returns counters, settings and the hash.
    State,
    /// Returns the shapes from index `first` on.
    Layout { first: usize },
    /// Selects the optional parts of the picture.
    Draw(Drawn),
}

/// A session of a page: a testbed, its picture, and a mesh that was read.
pub struct Live {
    bed: Testbed,
    picture: Picture,
    drawn: Drawn,
    /// The mesh that was read last.
    mesh: Option<Mesh>,
    times: [f32; PHASES.len()],
}

/// The phases of a step whose times are measured, in the order in which they run. The page shows
/// the name and the explanation.
const PHASES: [(&str, &str); 6] = [
    ("broad phase", "finds pairs of bodies whose boxes overlap"),
    ("narrow phase", "finds the contacts of these pairs"),
    ("soft bodies", "moves cloth, ropes, jelly and particles"),
    ("solver", "finds impulses at contacts and joints, and moves the bodies"),
    ("continuous", "stops fast bodies at the first thing that they meet"),
    ("boxes", "moves the boxes of the bodies along with them"),
];

/// Vertices and triangles.
type Mesh = (Vec<[f32; 3]>, Vec<[u32; 3]>);

impl Live {
    /// Starts with the first scene of the list.
    ///
    /// Errors: the scene cannot be filled.
    pub fn new() -> Result<Live, Error> {
        let first = &SCENES[0];
        let request = Request { count: first.count.usual, seed: 1 };
        let bed = Testbed::start(first, request, ALGORITHMS[0].name)?;
        let mut live = Live {
            bed,
            picture: Picture::default(),
            drawn: Drawn::default(),
            mesh: None,
            times: [0.0; PHASES.len()],
        };
        live.update_picture()?;
        Ok(live)
    }

    /// Executes a command, and returns the answer; `{"error": "..."}` if it is refused.
    pub fn command(&mut self, text: &str) -> String {
        let done = serde_json::from_str(text).map_err(Error::from).and_then(|command| self.run(command));
        match done {
            Ok(answer) => answer.to_string(),
            Err(error) => json!({"error": error.to_string()}).to_string(),
        }
    }

    fn run(&mut self, command: Command) -> Result<Value, Error> {
        let mut answer = Value::Null;
        match command {
            Command::List => return Ok(list()),
            Command::Start { scene: name, count, seed } => {
                let scene = scene(&name).ok_or_else(|| format!("no scene {name:?}"))?;
                let count = count.unwrap_or(scene.count.usual).clamp(1, scene.count.most);
                let request = Request { count, seed: seed.unwrap_or(1) };
                self.bed = Testbed::start(scene, request, self.bed.broad_phase())?;
                self.picture.clear();
            }
            Command::Restart => self.bed.restart()?,
            Command::Act { action } => self.bed.act(&action)?,
            Command::Drop { at, size } => {
                let (vertices, triangles) = self.mesh.clone().ok_or("no file was read")?;
                self.bed.act(&Action::Drop { vertices, triangles, at, size })?;
            }
            Command::BroadPhase { name } => self.bed.set_broad_phase(&name)?,
            Command::Save => self.bed.save(),
            Command::Load => self.bed.load()?,
            Command::Record => self.bed.record()?,
            Command::EndRecording => answer = json!({"steps": self.bed.end_recording()?}),
            Command::Replay => self.bed.start_replay()?,
            Command::Pick { origin, direction } => {
                return self.pick(Vec3::from_array(origin), Vec3::from_array(direction));
            }
            Command::Explain { a, b } => {
                return self.bed.explain(self.body_at(a)?, self.body_at(b)?);
            }
            Command::State => return Ok(self.state()),
            Command::Layout { first } => return Ok(self.picture.layout(first)),
            Command::Draw(drawn) => self.drawn = drawn,
        }
        self.update_picture()?;
        Ok(if answer.is_null() { self.state() } else { answer })
    }

    /// Reads a file of meshes, for the command `drop`. Returns the number of triangles, or an error
    /// of one line. All parts become one mesh.
    pub fn read_file(&mut self, name: &str, bytes: &[u8]) -> String {
        match read_mesh(name, bytes) {
            Ok(mesh) => {
                let n_triangles = mesh.1.len();
                self.mesh = Some(mesh);
                json!({"triangles": n_triangles}).to_string()
            }
            Err(error) => json!({"error": error.to_string()}).to_string(),
        }
    }

    /// Makes a step.
    ///
    /// Errors: those of the world.
    pub fn step(&mut self) -> Result<(), Error> {
        self.bed.step()?;
        let times = &self.bed.world().stats().times;
        let solver = times.response - times.soft - times.continuous;
        let phases = [times.broad, times.narrow, times.soft, solver, times.continuous, times.refit];
        self.times = phases.map(|seconds| (1e3 * seconds) as f32);
        Ok(())
    }

    /// Returns the milliseconds that the last step took in each phase of the list; zero without a
    /// clock.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Reads the picture of the present state.
    ///
    /// Errors: a car without its body.
    pub fn update_picture(&mut self) -> Result<(), Error> {
        self.picture.update(&self.bed, self.drawn)
    }

    /// Returns the picture that was read last.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    fn body_at(&self, index: u32) -> Result<BodyId, Error> {
        let id = self.bed.world().body_ids().find(|id| id.index() == index);
        id.ok_or_else(|| format!("no body {index}").into())
    }

    fn pick(&self, origin: Vec3, direction: Vec3) -> Result<Value, Error> {
        let world = self.bed.world();
        Ok(match first_on_ray(world, origin, direction) {
            None => Value::Null,
            Some(Hit::Body(id, at)) => {
                let body = world.body(id)?;
                json!({
                    "body": id.index(), "at": at.to_array(), "name": body.shape().name(),
                    "can_be_dragged": body.mobility() == Mobility::Dynamic,
                })
            }
            Some(Hit::Soft(held, at)) => {
                let name =
                    if matches!(held, DragTarget::Particles { .. }) { "particles" } else { "soft body" };
                json!({"body": null, "at": at.to_array(), "name": name, "can_be_dragged": true})
            }
        })
    }

    fn state(&self) -> Value {
        let (bed, world) = (&self.bed, self.bed.world());
        let stats = world.stats();
        let states = &self.picture.states;
        let n_asleep = states.iter().filter(|state| **state == 1).count();
        let n_moving = states.iter().filter(|state| (1..=3).contains(*state)).count();
        let held = bed.drag.as_ref().and_then(|drag| drag.point(world).map(|at| [at, drag.to]));
        json!({
            "scene": bed.scene().name, "count": bed.request().count, "steps": bed.n_steps(),
            "seconds": STEP * bed.n_steps() as f64,
            "hash": format!("{:016x}", bed.state_hash()),
            "broad_phase": bed.broad_phase(), "version": self.picture.version(),
            "held": held.map(|points| points.map(|point| point.to_array())),
            "is_recording": bed.is_recording(), "has_saved": bed.has_saved(), "has_recording": bed.has_recording(),
            "replay": bed.replay().map(|outcome| match outcome {
                ReplayOutcome::Running => "running",
                ReplayOutcome::Same => "same",
                ReplayOutcome::Different => "different",
            }),
            "gravity": -world.settings().solver.gravity.y,
            "substeps": world.settings().solver.substeps,
            "sleeping": world.settings().solver.sleep,
            "friction": bed.setting(Setting::Friction), "restitution": bed.setting(Setting::Restitution),
            "ccd": bed.setting(Setting::Ccd).is_some_and(|value| value != 0.0),
            "counters": {
                "bodies that move": n_moving, "awake": n_moving - n_asleep, "asleep": n_asleep,
                "pairs of boxes": stats.n_pairs, "box tests": stats.n_box_tests,
                "pairs tested": stats.n_tested, "touching": stats.n_touching,
                "manifolds": stats.n_manifolds, "swept": stats.n_swept, "joints": world.joints().count(),
                "particles": self.picture.n_particles(),
            },
        })
    }
}

fn list() -> Value {
    let scenes = SCENES.iter().map(|scene| {
        let camera = scene.camera.map(|camera| {
            json!({
                "target": camera.target.to_array(), "distance": camera.distance,
                "yaw": camera.yaw, "pitch": camera.pitch,
            })
        });
        json!({
            "name": scene.name, "title": scene.title, "about": scene.about, "group": scene.group,
            "usual": scene.count.usual, "most": scene.count.most, "of": scene.count.of, "camera": camera,
        })
    });
    let scenes: Vec<Value> = scenes.collect();
    let broad_phases: Vec<&str> = ALGORITHMS.iter().map(|listed| listed.name).collect();
    json!({"scenes": scenes, "broad_phases": broad_phases, "step": STEP, "phases": PHASES})
}

/// Reads all parts of a file as one mesh.
fn read_mesh(name: &str, bytes: &[u8]) -> Result<Mesh, Error> {
    let path = Path::new(name);
    let format = Format::of(path).ok_or("drop an OBJ, STL, PLY, OFF, 3MF, COLLADA or glTF file")?;
    let model = carom_io::parse(bytes, format, path)?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in &model.parts {
        let mesh = part.world_mesh()?;
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices.iter().map(|v| v.as_vec3().to_array()));
        triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }
    Ok((vertices, triangles))
}
