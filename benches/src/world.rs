//! Worlds of the scenes.

use carom_scenes::SceneSpec;
use carom_testkit::scene_world::fill;
use carom_world::{BodyId, SolverSettings, World, WorldSettings};

/// Returns a world of a scene, and the bodies that move, in the order of the scene.
pub fn pile(scene: &SceneSpec, solver: SolverSettings) -> (World, Vec<BodyId>) {
    let mut world = World::with_settings(WorldSettings::default().with_solver(solver));
    let all = fill(&mut world, scene);
    let moving = all.into_iter().zip(&scene.bodies).filter(|(_, body)| !body.is_fixed());
    let moving = moving.map(|(id, _)| id).collect();
    (world, moving)
}
