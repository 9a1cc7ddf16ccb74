//! A character on soft bodies: how it weighs on them, is carried by them, and pushes them.
//!
//! - Sweeps see their triangles (`soft_surfaces.rs`), so they are ground and walls like others.
//! - A character that stands on one is a load on it in the next step: its mass with the velocity
//!   that it has from its ground. It then takes over the velocity that the step gave the load. So
//!   the surface sags, swings and throws it as it would a body of its mass.
//! - A landing brings the speed of the fall into the load.
//! - A load can be pulled, and a character cannot. If the surface goes up, and in two steps brakes
//!   the character more than gravity does, then it leaves with the velocity that both have.
//! - A push against a wall is a load too. It moves as fast as the character, and has as much
//!   momentum as the largest force of pushes gives in a step. So the wall gets at most that force,
//!   and no more speed than the character has.
//!
//! Nothing reports how much of a push a soft wall took, so a dynamic ground does not feel it.

use crate::character_body::CharacterBody;
use crate::slide::Contact;
use crate::soft_surfaces::{SoftSurfaces, soft_body_of};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Pose;
use carom_world::{QueryFilter, SoftBodyId, SoftLoad, World, WorldError};
use glam::{DVec3, Vec3};

/// The least upward speed at which a soft ground throws a character, in speeds that gravity gives
/// in a call. A slower one only trembles.
const MIN_THROW_RATIO: f64 = 1.0;

/// The distance by which soft ground may move a character without its body, in skins.
const MAX_TREMBLE_RATIO: f64 = 0.1;

impl CharacterBody {
    /// Returns the soft body on which the character stands; `None` on other ground and in the air.
    pub fn soft_ground<B: BroadPhase>(&self, world: &World<B>) -> Option<SoftBodyId> {
        soft_body_of(world, self.character().ground()?.object)
    }

    /// Returns the radius of the feet.
    fn feet_radius(&self) -> f32 {
        self.character().figure().half_width() as f32
    }

    /// Returns the soft ground, and the triangle and the point of it under the middle of the
    /// figure. The contact may be far from there, and jump from side to side in a dip.
    fn point_under<B: BroadPhase>(&self, world: &World<B>) -> Option<(SoftBodyId, u32, Vec3)> {
        let (character, ground) = (self.character(), self.character().ground()?);
        let soft = soft_body_of(world, ground.object)?;
        let down =
            -character.figure().up() * (character.figure().stature() + character.settings().snap_distance);
        let all = SoftSurfaces { world, filter: QueryFilter::SOLID, min_mass: 0.0 };
        let under = all.ray(character.position(), down).filter(|hit| hit.object == ground.object);
        let (triangle, point) =
            under.map_or((ground.part, ground.point), |hit| (hit.part, character.position() + down * hit.t));
        Some((soft, triangle, world.to_local(point)))
    }

    /// On soft ground, takes over its velocity as [`CharacterBody::take_velocity`] does. Returns
    /// the velocity that it took; `None` on other ground.
    pub(crate) fn take_soft_velocity<B: BroadPhase>(&mut self, world: &World<B>, dt: f64) -> Option<DVec3> {
        let (soft, triangle, point) = self.point_under(world)?;
        if !self.soft.is_load || dt == 0.0 {
            self.soft.is_pulled = false;
            return Some(DVec3::ZERO);
        }
        let body = world.soft_body(soft).ok()?;
        let velocity = body.velocity_under(triangle, point, self.feet_radius()).as_dvec3();
        let (up, taken) = (self.character().figure().up(), velocity - self.carried);
        self.carried = velocity;
        self.character_mut().set_ground_velocity(velocity);
        let fall = self.character().settings().gravity * dt;
        let is_pulled = taken.dot(up) < -fall && MIN_THROW_RATIO * fall < velocity.dot(up);
        if core::mem::replace(&mut self.soft.is_pulled, is_pulled) && is_pulled {
            self.character_mut().leave_ground();
        }
        Some(taken)
    }

    /// Puts the character on a soft ground as a load for the next step, with a further force.
    /// Returns whether it stands on one.
    pub(crate) fn load_soft<B: BroadPhase>(
        &self,
        world: &mut World<B>,
        force: DVec3,
        dt: f64,
    ) -> Result<bool, WorldError> {
        let Some((soft, triangle, point)) = self.point_under(world) else { return Ok(false) };
        let settings = *self.character().settings();
        // The step has the gravity of the world, and the character has its own.
        let gravity = world.body(self.body())?.step_forces(dt as f32).gravity.as_dvec3();
        let own = -self.character().figure().up() * settings.gravity;
        let force = force + (own - gravity) * settings.mass;
        let load = SoftLoad::new(self.body(), triangle, point, settings.mass as f32)
            .with_radius(self.feet_radius())
            .with_velocity(self.carried.as_vec3())
            .with_force(force.as_vec3());
        world.soft_body_mut(soft)?.load(load)?;
        Ok(true)
    }

    /// Whether soft ground moved the character so little that its body stays. Soft things sleep
    /// only among bodies at rest.
    pub(crate) fn trembles(&self, from: &Pose, to: &Pose) -> bool {
        let distance = f64::from(from.translation.distance(to.translation));
        let is_near = distance <= MAX_TREMBLE_RATIO * self.character().settings().skin;
        self.soft.is_load && from.rotation == to.rotation && is_near
    }

    /// Whether a velocity is below the sleep speed of the world.
    pub(crate) fn is_slow<B: BroadPhase>(&self, world: &World<B>, velocity: Vec3) -> bool {
        let settings = &world.settings().solver;
        velocity.length() <= settings.sleep_speed * settings.length_unit
    }

    /// Pushes the soft bodies of the contacts in the next step, with at most a force.
    pub(crate) fn push_soft<B: BroadPhase>(
        &self,
        world: &mut World<B>,
        most: f64,
        dt: f64,
    ) -> Result<(), WorldError> {
        let mut pushed: Vec<(SoftBodyId, Contact)> = Vec::new();
        for contact in &self.character().walked().contacts {
            let is_known =
                |(_, old): &(SoftBodyId, Contact)| (old.object, old.part) == (contact.object, contact.part);
            if let Some(soft) = soft_body_of(world, contact.object).filter(|_| 0.0 < contact.approach)
                && !pushed.iter().any(is_known)
            {
                pushed.push((soft, *contact));
            }
        }
        if pushed.is_empty() || dt == 0.0 {
            return Ok(());
        }
        let gravity = world.body(self.body())?.step_forces(dt as f32).gravity.as_dvec3();
        let momentum = most * dt / pushed.len() as f64;
        for (soft, contact) in pushed {
            let mass = (momentum / contact.approach).min(self.character().settings().mass);
            let velocity = contact.velocity - contact.normal * contact.approach;
            let point = world.to_local(contact.point);
            // The character bears itself: a push has no weight.
            let load = SoftLoad::new(self.body(), contact.part, point, mass as f32)
                .with_radius(self.feet_radius())
                .with_velocity(velocity.as_vec3())
                .with_force((-gravity * mass).as_vec3());
            world.soft_body_mut(soft)?.load(load)?;
        }
        Ok(())
    }
}
