//! The scenes of the testbed: plain functions that fill a world.
//!
//! To add one: write a function `fn(&mut World<B>, &Request) -> Result<Actors, Error>`, or one that
//! returns a `SceneSpec`, and a line in [`SCENES`].

mod bridge;
mod courses;
pub mod crane;
mod joints;
mod list;
pub mod platforms;
mod playground;
mod roles;
mod soft;
mod stacks;
pub mod surfaces;
pub mod walkers;

pub use bridge::bridge;
pub use courses::{car, level};
pub use crane::{Crane, crane};
pub use joints::joint_kinds;
pub use list::{SCENES, scene};
pub use playground::playground;
pub(crate) use roles::is_ball_at_gate;
pub use roles::{Role, Roles};
pub use soft::{cloth_on_ball, raft};
pub use stacks::{boxes, pyramid};

use carom_broad::{BroadPhase, SpatialIndex};
use carom_broad_auto::catalogue::SpatialBroadPhase;
use carom_character::Vehicle;
use carom_math::Vec3;
use carom_query::Shape;
use carom_scenes::{Drive, Rng, SceneSpec, scoreboard};
use carom_world::{BodyId, World};
use platforms::Platform;
use walkers::Walker;

/// The reason why a scene cannot be filled or stepped.
pub type Error = Box<dyn core::error::Error>;

/// Seconds of a step of every scene.
pub const STEP: f64 = 1.0 / 60.0;

/// A world whose broad phase is chosen by name.
pub type AnyWorld = World<Box<dyn SpatialBroadPhase>>;

/// The choices of a user about a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of bodies, or of other things: see [`Count`].
    pub count: usize,
    /// The seed of random choices.
    pub seed: u64,
}

/// The things of a scene whose number a user can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number at first.
    pub usual: usize,
    /// The largest number; equal to `usual` if it cannot be chosen.
    pub most: usize,
    /// The name of the things, in the plural.
    pub of: &'static str,
}

/// The camera of a scene at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// Distance from the eye to the target.
    pub distance: f32,
    /// Radians about y: at 0 the eye is towards z, at a quarter turn towards x.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
}

/// The vertices of a mesh as a function of the time in seconds.
pub type VerticesAt = fn(f32) -> Vec<Vec3>;

/// The source of a scene.
#[derive(Clone, Copy)]
pub enum Source {
    /// A scene of plain data.
    Spec(fn(&Request) -> SceneSpec),
    /// A row of the scoreboard, by its name.
    Row(&'static str),
    /// A function that fills the world.
    Fill(fn(&mut AnyWorld, &Request) -> Result<Actors, Error>),
}

/// A scene of the testbed.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Lower case, words joined by hyphens.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// One sentence about the scene, and about possible actions.
    pub about: &'static str,
    /// The heading of its group in the list.
    pub group: &'static str,
    /// The number that a user can choose.
    pub count: Count,
    /// The camera; `None` shows all bodies.
    pub camera: Option<Camera>,
    /// The source.
    pub source: Source,
}

impl Scene {
    /// Fills an empty world.
    pub fn fill(&self, world: &mut AnyWorld, request: &Request) -> Result<Actors, Error> {
        let spec = match self.source {
            Source::Fill(fill) => return fill(world, request),
            Source::Spec(spec) => spec(request),
            Source::Row(name) => scoreboard::row(name).ok_or("no such row of the scoreboard")?.scene,
        };
        if spec.is_weightless {
            world.solver_settings_mut().gravity = Vec3::ZERO;
        }
        let bodies = carom_stage::insert(world, &spec)?;
        let mut actors = Actors::new(request.seed);
        actors.drives = spec.drives.iter().map(|drive| (bodies[drive.body], *drive)).collect();
        Ok(actors)
    }
}

/// The route of a car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Route {
    /// A circle about the y axis.
    Circle {
        /// Its radius.
        radius: f32,
    },
    /// Along the x axis to its end, where the car brakes.
    Road {
        /// The x coordinate at which it brakes.
        end: f32,
        /// Metres per second.
        speed: f64,
    },
    /// To and fro along the x axis; backwards on the way back.
    Line {
        /// The distance from the origin at which it turns.
        reach: f32,
        /// Metres per second.
        speed: f64,
        /// Whether it is on the way back.
        is_returning: bool,
    },
}

/// The actors of a scene, which act on a world between its steps: platforms, characters, a car, a
/// crane, a mesh that deforms.
#[derive(Clone)]
pub struct Actors {
    /// Kinematic bodies that move by functions of time.
    pub platforms: Vec<Platform>,
    /// Characters.
    pub walkers: Vec<Walker>,
    /// A car.
    pub car: Option<Vehicle>,
    /// The route of the car.
    pub route: Route,
    /// A crane.
    pub crane: Option<Crane>,
    /// A mesh that deforms, and its vertices as a function of time.
    pub sheet: Option<(BodyId, VerticesAt)>,
    /// Bodies that are drawn as another shape.
    pub appearances: Vec<(BodyId, Shape)>,
    /// Changes of the velocities of kinematic bodies, by ascending time.
    pub drives: Vec<(BodyId, Drive)>,
    rng: Rng,
}

impl Actors {
    /// Returns no actors.
    pub fn new(seed: u64) -> Actors {
        Actors {
            platforms: Vec::new(),
            walkers: Vec::new(),
            car: None,
            route: Route::Circle { radius: walkers::CIRCLE },
            crane: None,
            sheet: None,
            appearances: Vec::new(),
            drives: Vec::new(),
            rng: Rng::new(seed ^ 0x5eed),
        }
    }

    /// Acts before the step with this number, the first of which is 1.
    pub fn before<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        step: u64,
    ) -> Result<(), Error> {
        let (from, to) = (STEP * (step - 1) as f64, STEP * step as f64);
        for (body, drive) in &self.drives {
            if (from..to).contains(&f64::from(drive.at)) {
                world
                    .body_mut(*body)?
                    .set_linear_velocity(drive.linear_velocity)?
                    .set_angular_velocity(drive.angular_velocity)?;
            }
        }
        let seconds = STEP as f32 * step as f32;
        if let Some((sheet, vertices_at)) = self.sheet {
            world.body_mut(sheet)?.deform(&vertices_at(seconds))?;
        }
        if let Some(crane) = &mut self.crane {
            crane.before(world)?;
        }
        walkers::before(self, world, seconds)
    }

    /// Acts after a step.
    pub fn after<B: BroadPhase + SpatialIndex>(&mut self, world: &mut World<B>) -> Result<(), Error> {
        walkers::after(self, world)
    }
}
