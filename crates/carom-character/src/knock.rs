//! Knocks: bodies push a character as a body of its mass.
//!
//! - In a step of the world the body of the character is kinematic, so another body stops at it.
//!   The world records the impulse.
//! - After the step both get the velocities of an impact of their masses. The character takes over
//!   its part as a knock, and the body gets back the rest of its velocity.
//! - A knock adds to the wish on the ground, and to the velocity in the air. The body of the
//!   character moves with it in the next step, so a body that follows does not stop again.
//! - Walls take a knock away, and then the body that pushed gets nothing back: it is stopped by the
//!   wall. A body in front takes over its part of the knock, and so does another character.
//! - On the ground the feet hold against a small push, and brake a knock, with a limited force. A
//!   character that walks against a push holds with the largest force of its pushes.
//!
//! So a character that walks gives way to a door whose motor is stronger than its pushes, and holds
//! a weaker one.
//!
//! A push in a direction in which the ground holds the character, such as of a load on its head,
//! is no knock.
//!
//! Reference: J. Rouwe, Jolt Physics, CharacterVirtual, 2022 (inner body). Differs: the inner body
//! has a mass.

use crate::character_body::{CharacterBody, inverse_mass_at};
use crate::cone::nearest_allowed;
use crate::slide::flattened;
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility};
use carom_math::scaling;
use carom_world::{BodyId, World, WorldError};
use glam::DVec3;

/// The time in which the feet brake a knock by a factor of e, in seconds.
const BRAKE_SECONDS: f64 = 0.5;

/// The fraction of the largest force of pushes with which the feet of a standing character hold
/// against a push.
const HELD_FRACTION: f64 = 0.1;

/// The largest acceleration by a body that presses, in accelerations by gravity and by the largest
/// force of pushes. A press of any force moves a character no faster.
const MAX_PRESSED: f64 = 2.0;

/// The pushes on a character in a step.
#[derive(Clone, Debug)]
pub(crate) struct Knocks {
    knocks: Vec<Knock>,
    /// The part of the wish that the feet can follow, 0 to 1.
    followed: f64,
}

/// The velocity that a character takes over from a push.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knock {
    /// The direction of the push on the character, of length 1.
    direction: DVec3,
    /// The speed that the character takes over, above 0.
    speed: f64,
    /// The impulse with which the pusher presses a character that cannot move.
    pressing: f64,
    /// The dynamic body that pushed, the contact point, and the mass that the body has there in
    /// that direction. `None` for an impulse that the caller or a character applied.
    pusher: Option<(BodyId, DVec3, f64)>,
}

impl Knocks {
    /// No pushes.
    pub(crate) const NONE: Knocks = Knocks { knocks: Vec::new(), followed: 1.0 };

    /// Returns the velocity that the character takes over.
    fn gained(&self) -> DVec3 {
        self.knocks.iter().map(|knock| knock.direction * knock.speed).sum()
    }
}

impl CharacterBody {
    /// Returns the knocks of the last step of the world, which took `dt` seconds, on a character
    /// with this wish. Within no time there are none.
    pub(crate) fn find_knocks<B: BroadPhase>(&self, world: &World<B>, wish: DVec3, dt: f64) -> Knocks {
        let mut found = Knocks::NONE;
        let Ok(body) = world.body(self.body()) else { return found };
        let settings = self.character().settings();
        if dt == 0.0 || settings.mass == 0.0 {
            return found;
        }
        let pushes = || body.pushes().map(|push| (push, self.movable(push.impulse.as_dvec3())));
        let total: DVec3 = pushes().map(|(_, impulse)| impulse).sum();
        let force = if total.dot(wish) < 0.0 { settings.max_push } else { self.hold() };
        let held = if self.character().ground().is_some() { force * dt } else { 0.0 };
        let total = scaling::length(total);
        if total <= held {
            return found;
        }
        // The feet have no force for the wish that they need against the push.
        found.followed = 1.0 - (total / (settings.max_push * dt)).min(1.0);
        let pressed = MAX_PRESSED * (settings.gravity + settings.max_push / settings.mass) * dt;
        for (push, impulse) in pushes() {
            let Some(direction) = scaling::unit(impulse) else { continue };
            let size = scaling::length(impulse) * (1.0 - held / total);
            let Some(id) = push.by else {
                let speed = size / settings.mass;
                found.knocks.push(Knock { direction, speed, pressing: size, pusher: None });
                continue;
            };
            let Ok(pusher) = world.body(id) else { continue };
            if pusher.mobility() != Mobility::Dynamic || self.ground() == Some(id) {
                continue;
            }
            let point = world.to_wide(push.point);
            let inverse_mass = inverse_mass_at(world, pusher, point, direction);
            if 0.0 < inverse_mass {
                let mass = 1.0 / inverse_mass;
                // Bodies behind the pusher add to the impulse, but not to its velocity.
                let most = f64::from(push.approach_speed) + pressed;
                let speed = (size / (mass + settings.mass)).min(most);
                let (pressing, pusher) = (size.min(settings.mass * most), Some((id, point, mass)));
                found.knocks.push(Knock { direction, speed, pressing, pusher });
            }
        }
        found
    }

    /// Takes over the knocks: in the air into the velocity. Returns the wish with them.
    pub(crate) fn take_knocks(&mut self, wish: DVec3, knocks: &Knocks) -> DVec3 {
        let gained = knocks.gained();
        self.knock += gained;
        if self.character().ground().is_some() {
            return wish * knocks.followed + self.knock;
        }
        if gained != DVec3::ZERO {
            self.velocity += gained;
            let velocity = self.character().velocity() + gained;
            self.character_mut().set_velocity(velocity);
        }
        wish
    }

    /// Returns the force with which the feet of a standing character hold against a push.
    fn hold(&self) -> f64 {
        HELD_FRACTION * self.character().settings().max_push
    }

    /// Returns the part of a vector along which a push moves the character: on the ground that
    /// across `up`.
    fn movable(&self, v: DVec3) -> DVec3 {
        let up = self.character().figure().up();
        if self.character().ground().is_some() { v - up * v.dot(up) } else { v }
    }

    /// After the walk: takes away from the knock where something blocks the character, and gives
    /// back to the bodies that pushed it the velocity that they did not lose.
    pub(crate) fn pass_on_knocks<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        knocks: &Knocks,
        dt: f64,
    ) -> Result<(), WorldError> {
        let mobility = |world: &World<B>, id| world.body(id).map(|body| body.mobility()).ok();
        let blocking = self.contacts().iter().filter(|contact| 0.0 < contact.approach);
        let walls = blocking.filter(|contact| mobility(world, contact.body) != Some(Mobility::Dynamic));
        let walls: Vec<DVec3> = walls.filter_map(|contact| self.blocked(contact.normal)).collect();
        let before = self.knock;
        self.knock = nearest_allowed(before, &walls);
        let gained = knocks.gained();
        let lost = before - self.knock;
        let mut pressed = lost * self.character().settings().mass;
        for Knock { direction, speed, pressing, pusher } in &knocks.knocks {
            let kept = ((gained - lost).dot(*direction) / gained.dot(*direction)).clamp(0.0, 1.0);
            // Zero by zero, if other pushes take the whole gain away.
            let kept = if kept.is_nan() { 1.0 } else { kept };
            pressed += *direction * ((pressing - self.character().settings().mass * speed) * (1.0 - kept));
            let Some((id, point, mass)) = *pusher else { continue };
            let impulse = *direction * (mass * speed * kept);
            let point = world.to_local(point);
            world.body_mut(id)?.apply_impulse_at(impulse.as_vec3(), point)?;
        }
        self.share_knock(world, pressed, dt)?;
        if self.character().ground().is_some() {
            self.brake(gained == DVec3::ZERO, dt);
        } else {
            // In the air the velocity contains the knock.
            let most = self.character().velocity();
            if let Some(direction) = scaling::unit(self.knock) {
                let speed = scaling::length(self.knock);
                self.knock = direction * most.dot(direction).clamp(0.0, speed);
            }
        }
        Ok(())
    }

    /// Returns the normal of a contact for a knock; `None` if it blocks none.
    fn blocked(&self, normal: DVec3) -> Option<DVec3> {
        match self.character().ground() {
            Some(_) => flattened(normal, self.character().figure().up()),
            None => Some(normal),
        }
    }

    /// Shares the knock with dynamic bodies in front, as in an inelastic impact. Pushes characters
    /// in front, with the impulse that they took away and at least with the force of a walk.
    fn share_knock<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        pressed: DVec3,
        dt: f64,
    ) -> Result<(), WorldError> {
        let settings = *self.character().settings();
        for k in 0..self.contacts().len() {
            let contact = self.contacts()[k];
            let Some(normal) = self.blocked(contact.normal).filter(|_| 0.0 < contact.approach) else {
                continue;
            };
            let is_new = self.contacts()[..k].iter().all(|old| old.body != contact.body);
            let body = world.body(contact.body)?;
            let point = world.to_local(contact.point);
            let impulse = match body.mobility() {
                Mobility::Dynamic => {
                    let inverse_mass = inverse_mass_at(world, body, contact.point, normal).max(0.0);
                    let speed = (-self.knock.dot(normal)).clamp(0.0, contact.approach);
                    let taken = speed / (1.0 + settings.mass * inverse_mass);
                    self.knock += normal * taken;
                    settings.mass * taken
                }
                Mobility::Kinematic if is_new => {
                    let walking = (0.5 * settings.mass * contact.approach).min(settings.max_push * dt);
                    walking.max(-pressed.dot(normal))
                }
                _ => 0.0,
            };
            if 0.0 < impulse {
                world.body_mut(contact.body)?.apply_impulse_at((normal * -impulse).as_vec3(), point)?;
            }
        }
        Ok(())
    }

    /// Brakes the knock on the ground. In a step without a push the feet stop the rest of it.
    fn brake(&mut self, is_free: bool, dt: f64) {
        let settings = self.character().settings();
        let speed = scaling::length(self.knock);
        let rest = if is_free { self.hold() * dt } else { 0.0 };
        let braked = settings.mass * speed * (dt / (dt + BRAKE_SECONDS)) + rest;
        let impulse = braked.min(settings.max_push * dt);
        if let Some(direction) = scaling::unit(self.knock).filter(|_| 0.0 < settings.mass) {
            self.knock = direction * (speed - impulse / settings.mass).max(0.0);
        }
    }

    /// Returns the part of the knock with which the body moves in the next step: not into what the
    /// character touches, because a kinematic body pushes with any force.
    pub(crate) fn body_knock(&self) -> DVec3 {
        if self.knock == DVec3::ZERO {
            return DVec3::ZERO;
        }
        let blocking = self.contacts().iter().filter(|contact| 0.0 < contact.approach);
        let normals: Vec<DVec3> = blocking.filter_map(|contact| self.blocked(contact.normal)).collect();
        nearest_allowed(self.knock, &normals)
    }
}
