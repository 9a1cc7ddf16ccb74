//! The testbed: one scene that runs, and the actions of a user on it.
//!
//! It does not depend on a page. Each change between two steps is an [`Action`], so a recording is
//! a start and a list of actions.
//!
//! Reference: G. Fiedler, Deterministic Lockstep, gafferongames.com, 2014 (replay by inputs).

use crate::action::{Action, Setting, release, set};
use crate::drag::Drag;
use crate::explain::explain;
use crate::scenes::{Actors, AnyWorld, Error, Request, Roles, STEP, Scene};
use carom_bounds::Aabb;
use carom_broad::Mobility;
use carom_broad_auto::catalogue::{self, SpatialBroadPhase, WorldHints};
use carom_math::Vec3;
use carom_world::{BodyId, Snapshot, StepOptions, World, WorldSettings};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A scene that runs.
pub struct Testbed {
    pub(crate) scene: &'static Scene,
    pub(crate) request: Request,
    broad_phase: String,
    pub(crate) world: AnyWorld,
    pub(crate) actors: Actors,
    pub(crate) drag: Option<Drag>,
    n_steps: u64,
    /// The settings that a user changed, by name. They outlive a restart, and are part of a saved
    /// state.
    settings: BTreeMap<Setting, f32>,
    /// The bodies that the switch has made swept.
    swept: BTreeSet<BodyId>,
    /// The number of times at which another world took the place of the one before.
    n_restores: u32,
    saved: Option<State>,
    recording: Option<ActionLog>,
    film: Option<ActionLog>,
    replay: Option<Replay>,
}

/// The state on which all later steps depend.
#[derive(Clone)]
struct State {
    snapshot: Snapshot,
    actors: Actors,
    drag: Option<Drag>,
    n_steps: u64,
    settings: BTreeMap<Setting, f32>,
    swept: BTreeSet<BodyId>,
}

/// A recording: its start, the actions of the user, and its end.
#[derive(Clone)]
struct ActionLog {
    start: State,
    /// Each action, with the number of steps that were made before it.
    actions: Vec<(u64, Action)>,
    n_steps: u64,
    hash: u64,
}

/// A replay in progress.
struct Replay {
    next: usize,
    outcome: ReplayOutcome,
}

/// The progress or the result of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// Steps are left.
    Running,
    /// It ended in the state in which the recording ended.
    Same,
    /// It ended in another state.
    Different,
}

impl Testbed {
    /// Starts a scene with a broad phase of [`catalogue::ALGORITHMS`].
    ///
    /// Errors: an unknown broad phase, or a scene that the world refuses.
    pub fn start(scene: &'static Scene, request: Request, broad_phase: &str) -> Result<Testbed, Error> {
        let (world, actors) = fill(scene, &request, broad_phase)?;
        Ok(Testbed {
            scene,
            request,
            broad_phase: broad_phase.to_owned(),
            world,
            actors,
            drag: None,
            n_steps: 0,
            settings: BTreeMap::new(),
            swept: BTreeSet::new(),
            n_restores: 0,
            saved: None,
            recording: None,
            film: None,
            replay: None,
        })
    }

    /// Starts the scene again, with the settings that were changed.
    pub fn restart(&mut self) -> Result<(), Error> {
        (self.world, self.actors) = fill(self.scene, &self.request, &self.broad_phase)?;
        (self.drag, self.n_steps) = (None, 0);
        (self.recording, self.replay) = (None, None);
        self.n_restores += 1;
        self.swept.clear();
        for (setting, value) in self.settings.clone() {
            self.apply(&Action::Set { setting, value })?;
        }
        Ok(())
    }

    /// Makes a step. In a replay it first applies the recorded actions, and those after the last
    /// step at the end.
    pub fn step(&mut self) -> Result<(), Error> {
        self.act_again()?;
        self.n_steps += 1;
        self.actors.before(&mut self.world, self.n_steps)?;
        if let Some(drag) = &self.drag {
            drag.pull(&mut self.world)?;
        }
        self.world.step_with(STEP as f32, StepOptions::new().with_hooks(&Roles))?;
        self.actors.after(&mut self.world)?;
        if self.film.as_ref().is_some_and(|film| film.n_steps <= self.n_steps) {
            self.act_again()?;
            self.end_replay()?;
        }
        Ok(())
    }

    /// Compares the state at the end of a replay in progress with that of the recording.
    fn end_replay(&mut self) -> Result<(), Error> {
        let (Some(film), Some(replay)) = (&self.film, &mut self.replay) else { return Ok(()) };
        if replay.outcome == ReplayOutcome::Running {
            let is_same = self.world.state_hash() == film.hash;
            replay.outcome = if is_same { ReplayOutcome::Same } else { ReplayOutcome::Different };
            release(&mut self.world, &mut self.drag)?;
        }
        Ok(())
    }

    /// Applies an action of a user, and records it. While a replay runs, actions are refused.
    ///
    /// Errors: those of the world, or a running replay.
    pub fn act(&mut self, action: &Action) -> Result<(), Error> {
        if let Some(ReplayOutcome::Running) = self.replay() {
            return Err("a replay is running".into());
        }
        self.apply(action)?;
        if let Some(recording) = &mut self.recording {
            recording.actions.push((self.n_steps, action.clone()));
        }
        Ok(())
    }

    fn apply(&mut self, action: &Action) -> Result<(), Error> {
        let added = action.apply(&mut self.world, &mut self.drag)?;
        if let Action::Set { setting, value } = *action {
            let all: Vec<BodyId> = self.world.body_ids().collect();
            set(&mut self.world, setting, value, &all, &mut self.swept)?;
            self.settings.insert(setting, value);
            if setting == Setting::Ccd && value == 0.0 {
                self.settings.remove(&setting);
            }
        }
        if let Some(body) = added {
            // A new body gets the same friction and restitution as all others.
            for (&setting, &value) in &self.settings {
                set(&mut self.world, setting, value, &[body], &mut self.swept)?;
            }
        }
        Ok(())
    }

    /// Applies the actions that are due in a replay in progress.
    fn act_again(&mut self) -> Result<(), Error> {
        let (Some(film), Some(replay)) = (&self.film, &mut self.replay) else { return Ok(()) };
        if replay.outcome != ReplayOutcome::Running {
            return Ok(());
        }
        let due = film.actions.iter().skip(replay.next).take_while(|(step, _)| *step <= self.n_steps);
        let due: Vec<Action> = due.map(|(_, action)| action.clone()).collect();
        replay.next += due.len();
        due.iter().try_for_each(|action| self.apply(action))
    }

    /// Changes the broad phase. The state stays the same to the bit, and so do later steps.
    ///
    /// Errors: an unknown broad phase.
    pub fn set_broad_phase(&mut self, name: &str) -> Result<(), Error> {
        let listed = catalogue::by_name(name).ok_or_else(|| format!("no broad phase {name:?}"))?;
        listed.name.clone_into(&mut self.broad_phase);
        self.restore(&self.state())
    }

    /// Keeps the present state, for [`Testbed::load`].
    pub fn save(&mut self) {
        self.saved = Some(self.state());
    }

    /// Returns to the state that was saved last.
    ///
    /// Errors: none was saved.
    pub fn load(&mut self) -> Result<(), Error> {
        let state = self.saved.clone().ok_or("no state was saved")?;
        (self.recording, self.replay) = (None, None);
        self.restore(&state)
    }

    /// Starts a recording of what the user does. It ends a replay, with what that drags.
    pub fn record(&mut self) -> Result<(), Error> {
        if self.replay() == Some(ReplayOutcome::Running) {
            release(&mut self.world, &mut self.drag)?;
        }
        self.replay = None;
        let start = self.state();
        self.recording = Some(ActionLog { start, actions: Vec::new(), n_steps: 0, hash: 0 });
        Ok(())
    }

    /// Ends the recording. Returns the number of its steps.
    ///
    /// Errors: none was started.
    pub fn end_recording(&mut self) -> Result<u64, Error> {
        let film = self.recording.take().ok_or("nothing is recorded")?;
        let n_steps = self.n_steps - film.start.n_steps;
        let hash = self.world.state_hash();
        self.film = Some(ActionLog { n_steps: self.n_steps, hash, ..film });
        Ok(n_steps)
    }

    /// Starts the replay of the last recording.
    ///
    /// Errors: there is none, or it has no step.
    pub fn start_replay(&mut self) -> Result<(), Error> {
        let film = self.film.as_ref().ok_or("there is no recording")?;
        if film.n_steps == film.start.n_steps {
            return Err("the recording has no step".into());
        }
        let start = film.start.clone();
        self.restore(&start)?;
        (self.recording, self.replay) = (None, Some(Replay { next: 0, outcome: ReplayOutcome::Running }));
        Ok(())
    }

    /// Returns the value of a setting that a user changed; `None` if it is the scene's.
    pub fn setting(&self, setting: Setting) -> Option<f32> {
        self.settings.get(&setting).copied()
    }

    /// Returns the state of the replay; `None` if there is none.
    pub fn replay(&self) -> Option<ReplayOutcome> {
        self.replay.as_ref().map(|replay| replay.outcome)
    }

    /// Whether a recording is in progress.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Whether a recording can be replayed.
    pub fn has_recording(&self) -> bool {
        self.film.is_some()
    }

    /// Whether a state was saved.
    pub fn has_saved(&self) -> bool {
        self.saved.is_some()
    }

    fn state(&self) -> State {
        State {
            snapshot: self.world.snapshot(),
            actors: self.actors.clone(),
            drag: self.drag.clone(),
            n_steps: self.n_steps,
            settings: self.settings.clone(),
            swept: self.swept.clone(),
        }
    }

    fn restore(&mut self, state: &State) -> Result<(), Error> {
        let broad = broad_phase(&self.broad_phase, &hints_of(&self.world))?;
        // A snapshot in memory has all shapes.
        self.world.restore_on(broad, &state.snapshot, |_| None)?;
        self.actors = state.actors.clone();
        (self.drag, self.n_steps) = (state.drag.clone(), state.n_steps);
        (self.settings, self.swept) = (state.settings.clone(), state.swept.clone());
        self.n_restores += 1;
        Ok(())
    }

    /// Returns a number that changes when another world takes the place of the present one. The
    /// handles of its bodies may be those of other bodies before.
    pub(crate) fn n_restores(&self) -> u32 {
        self.n_restores
    }

    /// Returns the world, for queries.
    pub fn world(&self) -> &AnyWorld {
        &self.world
    }

    /// Returns the actors of the scene.
    pub fn actors(&self) -> &Actors {
        &self.actors
    }

    /// Returns the drag of the user, if one is in progress.
    pub fn drag(&self) -> Option<&Drag> {
        self.drag.as_ref()
    }

    /// Explains why two bodies touch, or do not, as JSON: the phase that decided and its reason,
    /// the distance with its two points, the contacts with features and impulses, and the cost. The
    /// deepest contact is the first.
    ///
    /// Errors: a body that does not exist.
    pub fn explain(&self, a: BodyId, b: BodyId) -> Result<Value, Error> {
        explain(&self.world, a, b)
    }

    /// Returns the number of steps since the start.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Returns a hash of all poses, velocities and sleep.
    pub fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    /// Returns the name of the broad phase.
    pub fn broad_phase(&self) -> &str {
        &self.broad_phase
    }

    /// Returns the scene.
    pub fn scene(&self) -> &'static Scene {
        self.scene
    }

    /// Returns the request with which the scene was started.
    pub fn request(&self) -> Request {
        self.request
    }
}

fn broad_phase(name: &str, hints: &WorldHints) -> Result<Box<dyn SpatialBroadPhase>, Error> {
    let listed = catalogue::by_name(name).ok_or_else(|| format!("no broad phase {name:?}"))?;
    Ok(listed.make(hints))
}

fn hints_of(world: &AnyWorld) -> WorldHints {
    let bodies = world.body_ids().filter_map(|id| world.body(id).ok());
    let points: Vec<Aabb> = bodies
        .filter(|body| body.mobility() != Mobility::Fixed)
        .map(|body| body.pose())
        .map(|pose| Aabb { min: pose.translation, max: pose.translation })
        .collect();
    WorldHints::of(&points)
}

fn fill(scene: &Scene, request: &Request, name: &str) -> Result<(AnyWorld, Actors), Error> {
    let bounds = Aabb { min: Vec3::splat(-20.0), max: Vec3::splat(20.0) };
    let hints = WorldHints { bounds, n_boxes: request.count };
    let mut world = World::with_broad_phase(broad_phase(name, &hints)?, WorldSettings::default());
    let actors = scene.fill(&mut world, request)?;
    world.detect();
    Ok((world, actors))
}
