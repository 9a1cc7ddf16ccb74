//! rapier: the same pile in its world, and its broad phase by itself.

use super::parry::{pose, vector};
use carom_bounds::Aabb;
use carom_scenes::{SceneSpec, ShapeSpec};
use glam::Vec3;
use rapier3d::geometry::{BroadPhaseBvh, BroadPhasePairEvent};
use rapier3d::prelude::{
    ColliderBuilder, ColliderHandle, ColliderSet, IntegrationParameters, PhysicsWorld, RigidBodyBuilder,
    RigidBodyHandle, RigidBodySet,
};
use std::collections::BTreeSet;

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

    /// Where each box is.
    pub fn places(&self) -> Vec<Vec3> {
        let place = |&handle: &RigidBodyHandle| {
            let at = self.world.bodies[handle].translation();
            Vec3::new(at.x, at.y, at.z)
        };
        self.bodies.iter().map(place).collect()
    }

    /// The least distance of a contact that its solver was given: negative for an overlap.
    pub fn deepest(&self) -> f32 {
        let manifolds = self.world.narrow_phase.contact_pairs().flat_map(|pair| pair.manifolds().iter());
        manifolds.flat_map(|manifold| manifold.points.iter().map(|point| point.dist)).fold(0.0, f32::min)
    }
}

/// rapier's broad phase, driven as its pipeline drives it: the boxes of moved bodies are set, grown by half its
/// prediction, then one update. It grows them further for itself, and reports changes only.
pub struct BroadPhase {
    broad: BroadPhaseBvh,
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    pairs: BTreeSet<(u32, u32)>,
}

impl BroadPhase {
    /// Bodies that are all dynamic, and not yet their boxes.
    pub fn new(n: usize) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let handles = (0..n)
            .map(|_| {
                let body = bodies.insert(RigidBodyBuilder::dynamic());
                colliders.insert_with_parent(ColliderBuilder::ball(0.5), body, &mut bodies)
            })
            .collect();
        Self {
            broad: BroadPhaseBvh::new(),
            parameters: IntegrationParameters::default(),
            bodies,
            colliders,
            handles,
            events: Vec::new(),
            pairs: BTreeSet::new(),
        }
    }

    /// One frame; the answer is the number of changes.
    pub fn frame(&mut self, boxes: &[Aabb], moved: &[u32]) -> usize {
        let margin = 0.5 * self.parameters.prediction_distance();
        for &i in moved {
            let Aabb { min, max } = boxes[i as usize];
            let aabb = Aabb { min: min - margin, max: max + margin };
            self.broad.set_aabb(&self.parameters, self.handles[i as usize], super::parry::aabb(&aabb));
        }
        self.events.clear();
        self.broad.update(&self.parameters, &self.colliders, &self.bodies, &[], &[], &mut self.events);
        self.events.len()
    }

    /// The pairs that there are after the changes of the last frame; to be asked after every frame, or not at all.
    pub fn pairs(&mut self) -> &BTreeSet<(u32, u32)> {
        for event in &self.events {
            let (BroadPhasePairEvent::AddPair(pair) | BroadPhasePairEvent::DeletePair(pair)) = event;
            let (a, b) = (pair.collider1.into_raw_parts().0, pair.collider2.into_raw_parts().0);
            let pair = (a.min(b), a.max(b));
            match event {
                BroadPhasePairEvent::AddPair(_) => self.pairs.insert(pair),
                BroadPhasePairEvent::DeletePair(_) => self.pairs.remove(&pair),
            };
        }
        &self.pairs
    }

    /// Gives back the room of what [`BroadPhase::pairs`] answers, which is not to be asked any more.
    pub fn forget(&mut self) {
        self.pairs = BTreeSet::new();
    }
}
