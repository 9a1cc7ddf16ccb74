//! rapier: the same pile in its world.

use super::parry::{pose, vector};
use carom_scenes::{SceneSpec, ShapeSpec};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle};

/// A world with the boxes and planes of a scene.
pub struct Pile {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl Pile {
    /// Fills a world; `step` is in seconds.
    pub fn new(scene: &SceneSpec, step: f32) -> Self {
        let mut world = PhysicsWorld::new();
        world.integration_parameters.dt = step;
        let mut bodies = Vec::new();
        for body in &scene.bodies {
            let collider = match &body.shape {
                ShapeSpec::Cuboid { half_extents: half } => ColliderBuilder::cuboid(half.x, half.y, half.z),
                ShapeSpec::HalfSpace { normal } => {
                    ColliderBuilder::halfspace(rapier3d::na::Unit::new_unchecked(vector(normal.normalize())))
                }
                _ => continue,
            };
            let builder =
                if body.is_fixed() { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let builder = builder.pose(pose(&body.pose)).can_sleep(false);
            let (handle, _) = world.insert(builder, collider.friction(body.friction));
            if !body.is_fixed() {
                bodies.push(handle);
            }
        }
        Self { world, bodies }
    }

    /// One step.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// How high each box is.
    pub fn heights(&self) -> Vec<f32> {
        self.bodies.iter().map(|&handle| self.world.bodies[handle].translation().y).collect()
    }
}
