//! Worlds of the scenes.
#![allow(clippy::expect_used)] // A scene that is not in order is the bench's own.

use carom_geom::{Cuboid, HalfSpace};
use carom_query::Shape;
use carom_scenes::{SceneSpec, ShapeSpec};
use carom_world::{BodyDesc, BodyId, SolverSettings, World, WorldSettings};

/// A world with the boxes and planes of a scene, and the bodies that move, in the order of the scene.
pub fn pile(scene: &SceneSpec, solver: SolverSettings) -> (World, Vec<BodyId>) {
    let mut world = World::with_settings(WorldSettings::default().with_solver(solver));
    let mut bodies = Vec::new();
    for body in &scene.bodies {
        let shape = match &body.shape {
            ShapeSpec::Cuboid { half_extents } => {
                Shape::Cuboid(Cuboid::new(*half_extents).expect("a scene's boxes have a size"))
            }
            ShapeSpec::HalfSpace { normal } => {
                Shape::HalfSpace(HalfSpace::new(*normal).expect("a scene's normals are unit vectors"))
            }
            _ => continue,
        };
        let description = if body.is_fixed() { BodyDesc::fixed(shape) } else { BodyDesc::new(shape) };
        let description = description.with_pose(body.pose).with_friction(body.friction);
        let id = world.insert(description).expect("a scene's bodies are in order");
        if !body.is_fixed() {
            bodies.push(id);
        }
    }
    (world, bodies)
}
