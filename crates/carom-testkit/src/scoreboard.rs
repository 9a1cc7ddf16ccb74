//! Films of the scoreboard: an engine simulates the scene of a row, and the states are recorded.
//!
//! Overlaps are measured on the recorded poses by `carom_query::contact`. So the measure is the
//! same for all engines, and does not use their own contacts.
//!
//! Reference: carom_scenes::scoreboard (the rows).

use crate::scene_world::fill;
use carom_math::Pose;
use carom_math::glam::{DMat3, DVec3};
use carom_query::Shape;
use carom_scenes::scoreboard::{Film, Frame, Inertia, STEP, State};
use carom_scenes::{Drive, SceneSpec};
use carom_world::{BodyId, World, WorldSettings};

/// Overlaps are measured in every sixth frame, ten times in a second, and in the last one.
const OVERLAP_EVERY: usize = 6;

/// An engine that simulates a scene.
pub trait Engine {
    /// Sets the velocities of a kinematic body.
    fn drive(&mut self, drive: &Drive);
    /// Makes one step of [`STEP`] seconds.
    fn step(&mut self);
    /// Returns the states of all bodies, in the order of the scene.
    fn states(&self) -> Vec<State>;
}

/// Records a scene for some seconds. Overlaps are `None` unless `with_overlaps`.
pub fn film(scene: &SceneSpec, engine: &mut dyn Engine, seconds: f64, with_overlaps: bool) -> Film {
    let mut judge = Judge::new(scene);
    let n_steps = (seconds / STEP).round() as usize;
    let mut frames = Vec::with_capacity(n_steps + 1);
    for step in 0..=n_steps {
        if 0 < step {
            let from = STEP * (step - 1) as f64;
            scene.drives_between(from, from + STEP).for_each(|drive| engine.drive(drive));
            engine.step();
        }
        let states = engine.states();
        let is_wanted = with_overlaps && (step % OVERLAP_EVERY == 0 || step == n_steps);
        let overlap = is_wanted.then(|| judge.overlap(&states));
        frames.push(Frame { states, overlap });
    }
    Film { scene: scene.clone(), inertias: judge.inertias(), frames }
}

/// Records a scene simulated by carom with its default settings.
pub fn carom_film(scene: &SceneSpec, seconds: f64, with_overlaps: bool) -> Film {
    film(scene, &mut Carom::new(scene), seconds, with_overlaps)
}

/// A world of carom that simulates a scene.
pub struct Carom {
    world: World,
    ids: Vec<BodyId>,
}

impl Carom {
    /// Fills a world with the default settings.
    pub fn new(scene: &SceneSpec) -> Carom {
        Carom::with_settings(scene, WorldSettings::default())
    }

    /// Fills a world with these settings, without gravity if the scene has none.
    pub fn with_settings(scene: &SceneSpec, settings: WorldSettings) -> Carom {
        let mut world = World::with_settings(settings_for(scene, settings));
        let ids = fill(&mut world, scene);
        Carom { world, ids }
    }
}

/// Returns the settings, without gravity if the scene has none.
fn settings_for(scene: &SceneSpec, settings: WorldSettings) -> WorldSettings {
    if !scene.is_weightless {
        return settings;
    }
    settings.with_solver(settings.solver.with_gravity(carom_math::Vec3::ZERO))
}

impl Engine for Carom {
    fn drive(&mut self, drive: &Drive) {
        let id = self.ids[drive.body];
        self.world
            .body_mut(id)
            .unwrap()
            .set_linear_velocity(drive.linear_velocity)
            .unwrap()
            .set_angular_velocity(drive.angular_velocity)
            .unwrap();
    }

    fn step(&mut self) {
        self.world.step(STEP as f32).unwrap();
    }

    fn states(&self) -> Vec<State> {
        let state = |&id: &BodyId| {
            let body = self.world.body(id).unwrap().motion();
            State {
                pose: body.pose,
                linear_velocity: body.linear_velocity,
                angular_velocity: body.angular_velocity,
                is_asleep: body.is_sleeping,
            }
        };
        self.ids.iter().map(state).collect()
    }
}

/// The shapes of a scene in a world that does not step. It finds the bodies near each other.
struct Judge<'a> {
    scene: &'a SceneSpec,
    world: World,
    ids: Vec<BodyId>,
}

impl<'a> Judge<'a> {
    fn new(scene: &'a SceneSpec) -> Judge<'a> {
        let mut world = World::new();
        let ids = fill(&mut world, scene);
        Judge { scene, world, ids }
    }

    fn inertias(&self) -> Vec<Inertia> {
        let inertia = |(&id, spec): (&BodyId, &carom_scenes::BodySpec)| {
            if spec.is_fixed() || spec.is_kinematic {
                return Inertia { mass: 0.0, center: DVec3::ZERO, tensor: DMat3::ZERO };
            }
            let mass = self.world.body(id).unwrap().shape().mass_properties(spec.density);
            Inertia {
                mass: f64::from(mass.mass),
                center: mass.center.as_dvec3(),
                tensor: mass.inertia.as_dmat3(),
            }
        };
        self.ids.iter().zip(&self.scene.bodies).map(inertia).collect()
    }

    /// Returns the largest overlap of two bodies that may touch, relative to the least thickness of
    /// the thinner one. NaN if a pose is not finite.
    fn overlap(&mut self, states: &[State]) -> f64 {
        for (&id, state) in self.ids.iter().zip(states) {
            if self.world.body_mut(id).unwrap().set_pose(state.pose).is_err() {
                return f64::NAN;
            }
        }
        self.world.detect();
        let mut largest = 0.0_f64;
        for view in self.world.contacts() {
            let [a, b] = [view.a, view.b]
                .map(|id| (self.world.body(id).unwrap().shape(), self.world.body(id).unwrap().pose()));
            let Some(found) = carom_query::contact(a.0, &a.1, b.0, &b.1, 0.0) else { continue };
            let thickness = thickness_of(a.0).min(thickness_of(b.0));
            largest = largest.max(f64::from(-found.contact.distance) / thickness);
        }
        largest
    }
}

/// Returns the least side of the box around a shape in its own frame; infinite for a half-space.
fn thickness_of(shape: &Shape) -> f64 {
    if matches!(shape, Shape::HalfSpace(_)) {
        return f64::INFINITY;
    }
    let aabb = shape.aabb(&Pose::IDENTITY);
    f64::from((aabb.max - aabb.min).min_element())
}
