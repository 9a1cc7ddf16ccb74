//! The plugin: resources, messages and systems.

use crate::messages::{ContactBegan, ContactEnded, ContactImpulse, JointBroke, Refusal, StepRefused};
use crate::physics_world::PhysicsWorld;
use crate::{events, interpolation, read, remove, write};
use bevy_app::{App, FixedPostUpdate, Plugin, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use carom_world::WorldSettings;

/// Simulates bodies in `FixedPostUpdate`, one step for each fixed update.
///
/// The app needs `TimePlugin`, which bevy's default plugins have. Settings out of their range are
/// reported by a panic when the app is built.
#[derive(Clone, Debug, Default)]
pub struct CaromPlugin {
    /// The settings of the world, such as gravity.
    pub settings: WorldSettings,
}

impl CaromPlugin {
    /// A plugin for a world with these settings.
    pub fn new(settings: WorldSettings) -> CaromPlugin {
        CaromPlugin { settings }
    }
}

/// The systems of the plugin, in this order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaromSystems {
    /// Components are brought into the world.
    Read,
    /// The world makes a step, and messages are written.
    Step,
    /// Poses and velocities are written to components.
    Write,
}

impl Plugin for CaromPlugin {
    fn build(&self, app: &mut App) {
        let physics = match PhysicsWorld::new(self.settings) {
            Ok(physics) => physics,
            Err(error) => panic!("CaromPlugin: {error}"),
        };
        app.insert_resource(physics)
            .add_message::<ContactBegan>()
            .add_message::<ContactEnded>()
            .add_message::<ContactImpulse>()
            .add_message::<JointBroke>()
            .add_message::<Refusal>()
            .add_message::<StepRefused>()
            .add_observer(remove::body)
            .add_observer(remove::collider)
            .add_observer(remove::joint)
            .add_observer(interpolation::remove)
            .configure_sets(
                FixedPostUpdate,
                (CaromSystems::Read, CaromSystems::Step, CaromSystems::Write).chain(),
            )
            .add_systems(FixedPostUpdate, read::read.in_set(CaromSystems::Read))
            .add_systems(FixedPostUpdate, events::step.in_set(CaromSystems::Step))
            .add_systems(FixedPostUpdate, write::write.in_set(CaromSystems::Write))
            .add_systems(FixedPostUpdate, interpolation::begin.before(CaromSystems::Read))
            .add_systems(FixedPostUpdate, interpolation::end.after(CaromSystems::Write))
            .add_systems(
                RunFixedMainLoop,
                interpolation::hide.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop),
            )
            .add_systems(
                RunFixedMainLoop,
                interpolation::show.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            );
    }
}
