//! Pushes of cloth and soft bodies on a character.
//!
//! - In a step they stop at the body of the character. The world records the impulse, and the
//!   velocity of the fastest particle.
//! - The impulse over that velocity is the mass that was stopped. It takes part in the impact as a
//!   body of that mass does. The mass behind it presses in later steps.
//! - After the step the vertices near the push get back the velocity that they share with the
//!   character. So a heavy soft body carries it along.
//! - Soft ground gives no knock, because the character is a load on it (`soft_ground.rs`).
//! - Ropes, liquids, gas and grains give none either: a character passes through them.

use crate::character_body::CharacterBody;
use crate::knock::Pusher;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_world::{SoftBodyId, SoftThing, World, WorldError};
use glam::{DVec3, Vec3};

impl CharacterBody {
    /// Returns the soft body, if its pushes are knocks: it has triangles, and is not the ground.
    pub(crate) fn soft_pusher<B: BroadPhase>(
        &self,
        world: &World<B>,
        thing: SoftThing,
    ) -> Option<SoftBodyId> {
        let SoftThing::Body(id) = thing else { return None };
        world.soft_body(id).ok()?.mesh()?;
        (self.soft_ground(world) != Some(id)).then_some(id)
    }

    /// Gives the vertices near a push a speed along its direction, relative to the body of the
    /// character, if they are slower. If the impulse does not suffice, each gets the same fraction
    /// of what it lacks. The other vertices get what is left of it in the same way.
    pub(crate) fn give_back_soft<B: BroadPhase>(
        &self,
        world: &mut World<B>,
        id: SoftBodyId,
        pusher: &Pusher,
        speed: f64,
    ) -> Result<(), WorldError> {
        let (impulse, direction) = (pusher.mass * speed, pusher.direction);
        let base = world.body(self.body())?.linear_velocity().as_dvec3();
        let (soft, point) = (world.soft_body(id)?, world.to_local(pusher.point));
        let reach = self.character().figure().half_width() as f32 + soft.radius();
        let pinned: Vec<u32> = soft.pinned().chain(soft.attached().map(|(vertex, _)| vertex)).collect();
        let mut faster: Vec<(u32, Vec3)> = Vec::new();
        let mut left = impulse;
        for is_near in [true, false] {
            let mut needed = 0.0;
            let mut slower: Vec<(u32, DVec3, f64)> = Vec::new();
            for (vertex, (at, velocity)) in (0..).zip(soft.positions().iter().zip(soft.velocities())) {
                let velocity = velocity.as_dvec3();
                let lacks = speed - (velocity - base).dot(direction);
                let is_here = (at.distance(point) <= reach) == is_near;
                if is_here && 0.0 < lacks && !pinned.contains(&vertex) {
                    needed += lacks * f64::from(soft.vertex_mass(vertex).unwrap_or(0.0));
                    slower.push((vertex, velocity, lacks));
                }
            }
            if left <= 0.0 || needed <= 0.0 {
                continue;
            }
            let along = direction * (left / needed).min(1.0);
            left -= needed;
            faster
                .extend(slower.into_iter().map(|(vertex, v, lacks)| (vertex, (v + along * lacks).as_vec3())));
        }
        if faster.is_empty() {
            return Ok(());
        }
        world.soft_body_mut(id)?.set_velocities(&faster)?;
        Ok(())
    }
}
