//! The rule by which a one-way platform holds a character from above, and lets it through from
//! below.
//!
//! It compares the feet with the top of the platform when the step began. So a platform that rises
//! past the feet within the step holds the character.

use crate::character_body::CharacterBody;
use carom_broad::BroadPhase;
use carom_world::{BodyId, ColliderRef};
use glam::DVec3;

/// Decides whether a flat one-way platform holds a character in its next call of
/// [`CharacterBody::walk_where`].
///
/// To drop through a platform on purpose, ignore it until the feet are below its top (test:
/// `one_way::r_ledges_hold_on_every_landing`).
///
/// ```
/// use carom_character::{CharacterBody, OneWay};
/// use carom_math::glam::DVec3;
/// use carom_world::{BodyId, World, WorldError};
///
/// fn walk(
///     hero: &mut CharacterBody,
///     world: &mut World,
///     platform: BodyId,
/// ) -> Result<(), WorldError> {
///     let dt = 1.0 / 60.0;
///     world.step(dt as f32)?;
///     let one_way = OneWay::new(hero, dt);
///     hero.walk_where(world, DVec3::X, dt, |collider| {
///         collider.body().id() != platform || one_way.is_solid(collider)
///     })?;
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    feet: DVec3,
    up: DVec3,
    ground: Option<BodyId>,
    dt: f64,
}

impl OneWay {
    /// Returns the rule for a character after a step of `dt` seconds, before its call.
    pub fn new(character: &CharacterBody, dt: f64) -> OneWay {
        let (feet, up) = (character.character().feet(), character.character().figure().up());
        OneWay { feet, up, ground: character.ground(), dt }
    }

    /// Whether a collider holds the character: it stands on the body, or its feet were not below
    /// the top of the collider at the start of the step.
    pub fn is_solid<B: BroadPhase>(&self, collider: &ColliderRef<'_, B>) -> bool {
        let body = collider.body();
        if self.ground == Some(body.id()) {
            return true;
        }
        // Bodies are placed relative to the origin of the world.
        let origin = body.wide_pose().translation - body.pose().translation.as_dvec3();
        let (feet, aabb) = (self.feet - origin, collider.aabb());
        let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let top = (0.5 * (low + high)).dot(self.up) + (0.5 * (high - low)).dot(self.up.abs());
        let rise = body.velocity_at(feet.as_vec3()).as_dvec3().dot(self.up) * self.dt;
        top - rise <= feet.dot(self.up)
    }
}
