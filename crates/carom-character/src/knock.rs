//! Knocks: bodies push a character as a body of its mass.
//!
//! - In a step of the world the body of the character is kinematic, so another body stops at it.
//!   The world records the impulse.
//! - After the step all get the velocities of an inelastic impact of their masses. The character
//!   takes over its part as a knock, and each body gets back the rest of its velocity. Several
//!   bodies at once give it no more than the fastest of them.
//! - A character that walks away from a body is hit with the difference of their speeds.
//! - A knock adds to the wish on the ground, and to the velocity in the air. The body of the
//!   character moves with it in the next step, so a body that follows does not stop again.
//! - Walls take a knock away, and then the body that pushed gets nothing back: it is stopped by
//!   the wall. A body in front takes over its part of the knock, and so does another character.
//! - On the ground the character moves only across `up`, so a slanted push counts with the part of
//!   the mass that its direction leaves. The ground bears the rest, with friction of the feet.
//! - On the ground the feet hold against a small push, and brake a knock, with a limited force. A
//!   character that walks against a push holds with the largest force of its pushes. A dynamic
//!   ground feels what the feet hold and brake.
//! - Cloth and soft bodies push alike (`soft_push.rs`).
//! - The ground itself gives no knock: it gets back all of its impulse, and its velocity carries
//!   the character.
//! - A pusher gets back its own part of the impulse, and bodies that joints connect with it get
//!   the rest. The impulse of bodies that only press on it from behind is lost.
//! - Joints of a body that carries more than 300 times its mass use a larger mass of it than
//!   contacts do (`joints/mass.rs` of carom-response). So a contact feels only a part of the
//!   impulse of what is joined to it, and the step itself loses the rest.
//! - Each push counts once: a walk takes all pushes since the last one, and clears them.
//!
//! So a character that walks gives way to a door whose motor is stronger than its pushes, and
//! holds a weaker one.
//!
//! A push in a direction in which the ground holds the character, such as of a load on its head,
//! is no knock.
//!
//! Reference: J. Rouwe, Jolt Physics, CharacterVirtual, 2022 (inner body). Differs: the inner body
//! has a mass.

use crate::character_body::{BodyContact, CharacterBody, inverse_mass_at, is_character};
use crate::cone::nearest_allowed;
use crate::slide::flattened;
use crate::sweep::Sweep;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility};
use carom_math::scaling;
#[cfg(feature = "soft")]
use carom_world::SoftBodyId;
use carom_world::{BodyId, World, WorldError};
use glam::{DMat3, DVec3};

/// The time in which the feet brake a knock by a factor of e, in seconds.
const BRAKE_SECONDS: f64 = 0.5;

/// The fraction of the largest force of pushes with which the feet of a standing character hold
/// against a push.
const HELD_FRACTION: f64 = 0.1;

/// The largest acceleration by a body that presses, in accelerations by gravity and by the largest
/// force of pushes. A press of any force moves a character no faster.
const MAX_PRESSED: f64 = 2.0;

/// The coefficient of friction of the feet. They brake a knock at least with the weight times
/// this, and hold against a slanted push with its part along `up` times this.
const FEET_FRICTION: f64 = 0.5;

/// The largest mass of a pusher in an impact, in masses of the character.
const MAX_MASS_RATIO: f64 = 1e6;

/// The maximum number of rounds that find the pushers of an impact.
const MAX_ROUNDS: usize = 16;

/// The fraction by which the feet hold more than their force. Impulses are rounded to `f32`.
const HELD_TOLERANCE: f64 = 8.0 * f32::EPSILON as f64;

/// The least mass behind a pusher that counts, in masses of the pusher. Impulses are rounded to
/// `f32`.
const MIN_BEHIND_RATIO: f64 = 64.0 * f32::EPSILON as f64;

/// The pushes on a character since its last walk.
#[derive(Clone, Debug)]
pub(crate) struct Knocks {
    /// The velocity that the character takes over.
    gained: DVec3,
    /// The change of the wish: the feet lack the force for a part of the wish against the pushes.
    hindered: DVec3,
    /// The impulse that the feet pass on to the ground.
    held: DVec3,
    pushers: Vec<Pusher>,
}

/// The cause of a push on a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PushSource {
    Body(BodyId),
    /// A cloth or a soft body.
    #[cfg(feature = "soft")]
    Soft(SoftBodyId),
}

/// A dynamic body or a soft body that pushed a character. Speeds are along the direction of the
/// push, relative to the body of the character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pusher {
    by: PushSource,
    /// The point of the push, and the direction of the push on the character, of length 1.
    pub(crate) point: DVec3,
    pub(crate) direction: DVec3,
    /// The part of the direction along which the character can move.
    movable: DVec3,
    /// The mass that the pusher has there in that direction, and the mass of the bodies behind it.
    /// All of the mass that a soft body stopped is its own.
    pub(crate) mass: f64,
    mass_behind: f64,
    /// The fraction of the movable impulse that the friction of the feet leaves; 0 for the ground.
    slip: f64,
    /// The speed that the pusher lost at the body of the character.
    speed: f64,
    /// The speed of the character away from the pusher, not negative: its body does not walk.
    own: f64,
}

/// The sums of the pushes of one source: of their impulses, of the points times the sizes of the
/// impulses, and of these sizes. Also the largest speed of approach.
#[derive(Clone, Copy, Debug)]
struct PushSum {
    by: PushSource,
    impulse: DVec3,
    points: DVec3,
    sizes: f64,
    approach: f64,
}

impl Knocks {
    /// No pushes.
    pub(crate) const NONE: Knocks =
        Knocks { gained: DVec3::ZERO, hindered: DVec3::ZERO, held: DVec3::ZERO, pushers: Vec::new() };
}

/// Returns the velocity that a body of this mass has after an inelastic impact with all pushers at
/// once. Before, it has `start`.
///
/// Each pusher that is faster than the body in its direction ends with the speed of the body. The
/// sum of the momenta stays, which is a linear system; rounds find these pushers.
fn after_impact(pushers: &[Pusher], start: DVec3, mass: f64) -> DVec3 {
    let is_faster = |pusher: &Pusher, v: DVec3| v.dot(pusher.movable) < pusher.speed - pusher.own;
    let mut gained = start;
    for _ in 0..MAX_ROUNDS {
        let (mut masses, mut momentum) = (DMat3::from_diagonal(DVec3::splat(mass)), start * mass);
        for pusher in pushers.iter().filter(|pusher| is_faster(pusher, gained)) {
            let pressing_mass = pusher.slip * (pusher.mass + pusher.mass_behind);
            let (n, m) = (pusher.movable, pressing_mass.min(MAX_MASS_RATIO * mass));
            masses += DMat3::from_cols(n * n.x, n * n.y, n * n.z) * m;
            momentum += n * (m * (pusher.speed - pusher.own));
        }
        let next = masses.inverse() * momentum;
        let is_settled = pushers.iter().all(|pusher| is_faster(pusher, gained) == is_faster(pusher, next));
        gained = next;
        if is_settled {
            break;
        }
    }
    gained
}

impl CharacterBody {
    /// Returns the knocks since the last walk on a character with this wish, in a walk of `dt`
    /// seconds. Within no time there are none.
    pub(crate) fn find_knocks<B: BroadPhase>(&self, world: &World<B>, wish: DVec3, dt: f64) -> Knocks {
        let mut found = Knocks::NONE;
        let settings = self.character().settings();
        if dt == 0.0 || settings.mass == 0.0 {
            return found;
        }
        let (applied, pushes) = self.pushes_by_source(world);
        let is_ground = |push: &PushSum| self.ground().map(PushSource::Body) == Some(push.by);
        let others = || pushes.iter().filter(|push| !is_ground(push));
        let total = applied
            + others().map(|push| self.movable(push.impulse) * self.slip(push.impulse)).sum::<DVec3>();
        let size = scaling::length(total);
        let force = if total.dot(wish) < 0.0 { settings.max_push } else { self.hold() };
        let held = if self.character().ground().is_some() { force * dt } else { 0.0 };
        let part = if size <= held * (1.0 + HELD_TOLERANCE) { 0.0 } else { 1.0 - held / size };
        // A push that does not move the character, as of a load on its head, presses on its ground.
        let loads = others().filter(|push| self.slip(push.impulse) == 0.0);
        found.held = total * (1.0 - part) + loads.map(|push| push.impulse).sum::<DVec3>();
        // The feet have no force for the part of the wish that they need against the push.
        if let Some(direction) = scaling::unit(total).filter(|_| 0.0 < part) {
            let lost = (size / (settings.max_push * dt)).min(1.0);
            found.hindered = direction * ((-wish.dot(direction)).max(0.0) * lost);
        }
        found.pushers.extend(pushes.iter().filter_map(|push| match is_ground(push) {
            true => Some(Pusher { slip: 0.0, ..self.pusher(world, push, 1.0, dt)? }),
            false => self.pusher(world, push, part, dt),
        }));
        found.gained = after_impact(&found.pushers, applied * (part / settings.mass), settings.mass);
        found
    }

    /// Returns the sum of the movable impulses that were applied to the body since the last walk,
    /// and the pushes of each body and soft body.
    fn pushes_by_source<B: BroadPhase>(&self, world: &World<B>) -> (DVec3, Vec<PushSum>) {
        let (mut applied, mut pushes) = (DVec3::ZERO, Vec::<PushSum>::new());
        let Ok(own_body) = world.body(self.body()) else { return (applied, pushes) };
        for push in own_body.recent_pushes() {
            let impulse = push.impulse.as_dvec3();
            if push.is_applied() {
                applied += self.movable(impulse);
                continue;
            }
            let by = push.by.map(PushSource::Body);
            #[cfg(feature = "soft")]
            let by = by.or_else(|| Some(PushSource::Soft(self.soft_pusher(world, push.thing?)?)));
            let Some(by) = by else { continue };
            let (sizes, approach) = (scaling::length(impulse), f64::from(push.approach_speed));
            let points = world.to_wide(push.point) * sizes;
            match pushes.iter_mut().find(|known| known.by == by) {
                Some(known) => {
                    known.impulse += impulse;
                    known.points += points;
                    known.sizes += sizes;
                    known.approach = known.approach.max(approach);
                }
                None => pushes.push(PushSum { by, impulse, points, sizes, approach }),
            }
        }
        (applied, pushes)
    }

    /// Returns a pusher, of whose impulse the feet leave a part; `None` if it is not dynamic, or
    /// does not move the character.
    fn pusher<B: BroadPhase>(&self, world: &World<B>, push: &PushSum, part: f64, dt: f64) -> Option<Pusher> {
        let own_body = world.body(self.body()).ok()?;
        let direction = scaling::unit(push.impulse)?;
        let slip = self.slip(direction);
        if push.sizes == 0.0 || part * slip == 0.0 {
            return None;
        }
        let (settings, point) = (self.character().settings(), push.points / push.sizes);
        let base = own_body.linear_velocity().as_dvec3();
        let pressed = MAX_PRESSED * (settings.gravity + settings.max_push / settings.mass) * dt;
        let (size, max_speed) = (scaling::length(push.impulse) * part, push.approach + pressed);
        let (mass, mass_behind, speed) = match push.by {
            PushSource::Body(body) => {
                let body = world.body(body).ok()?;
                let inverse_mass = inverse_mass_at(world, body, point, direction);
                if body.mobility() != Mobility::Dynamic || inverse_mass <= 0.0 {
                    return None;
                }
                let mass = 1.0 / inverse_mass;
                // The pusher bounces off the body of the character by its restitution.
                let left = body.velocity_at(world.to_local(point)).as_dvec3();
                let bounce = (base - left).dot(direction).max(0.0);
                // Bodies behind the pusher add to the impulse, but not to its velocity.
                let speed = (size * inverse_mass).min(max_speed + bounce);
                let mass_behind = if 0.0 < speed { (size / speed - mass).max(0.0) } else { 0.0 };
                (mass, mass_behind, speed)
            }
            // The part of it that the step stopped.
            #[cfg(feature = "soft")]
            PushSource::Soft(_) => (size / max_speed, 0.0, max_speed),
        };
        // A knock that a body in front stopped is still there.
        let ground = self.character().ground();
        let knocked = ground.map_or(self.velocity, |ground| ground.velocity + self.knock);
        let own = [self.velocity, knocked].map(|v| (v - base).dot(direction));
        let own = own[0].max(own[1]).max(0.0);
        let movable = self.movable(direction);
        Some(Pusher { by: push.by, point, direction, movable, mass, mass_behind, slip, speed, own })
    }

    /// Takes over the knocks: in the air into the velocity. Returns the wish with them.
    pub(crate) fn take_knocks(&mut self, wish: DVec3, knocks: &Knocks) -> DVec3 {
        let gained = knocks.gained;
        self.knock += gained;
        if self.character().ground().is_some() {
            return wish + knocks.hindered + self.knock;
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

    /// Returns the fraction of the movable part of a push that the friction of the feet leaves, 0
    /// to 1. Along `up` the push presses the feet on the ground, or relieves them.
    fn slip(&self, push: DVec3) -> f64 {
        let movable = self.movable(push);
        let held = FEET_FRICTION * scaling::length(push - movable);
        let size = scaling::length(movable);
        if held < size { 1.0 - held / size } else { 0.0 }
    }

    /// After the walk: takes away from the knock where something blocks the character. Gives the
    /// bodies that pushed it the velocity that they did not lose. Returns the impulse of the feet
    /// on the ground.
    pub(crate) fn pass_on_knocks<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        knocks: &Knocks,
        dt: f64,
    ) -> Result<DVec3, WorldError> {
        let walls = self.blocking(|id| is_wall(world, id));
        let before = self.knock;
        self.knock = nearest_allowed(before, &walls);
        let lost = before - self.knock;
        for pusher in &knocks.pushers {
            let Pusher { direction, movable, speed, own, .. } = *pusher;
            if pusher.slip == 0.0 {
                // The ground takes the character along, and stops with it at a wall.
                let free = nearest_allowed(movable, &walls).dot(movable) / movable.length_squared();
                self.give_back(world, pusher, speed * free.clamp(0.0, 1.0))?;
                continue;
            }
            // A faster pusher ends with the speed of the character, and stops with it at a wall.
            let shared = own + knocks.gained.dot(direction);
            let followed = (shared - lost.dot(direction)).max(0.0);
            self.give_back(world, pusher, speed.min(shared).min(followed))?;
        }
        self.share_knock(world, dt)?;
        let mut feet = knocks.held;
        if self.character().ground().is_some() {
            // A knock from the air may lead up.
            self.knock = self.movable(self.knock);
            let before = self.knock;
            self.brake(knocks.gained == DVec3::ZERO, dt);
            feet += (before - self.knock) * self.character().settings().mass;
        } else {
            // In the air the velocity contains the knock.
            let most = self.character().velocity();
            if let Some(direction) = scaling::unit(self.knock) {
                let speed = scaling::length(self.knock);
                self.knock = direction * most.dot(direction).clamp(0.0, speed);
            }
        }
        Ok(feet)
    }

    /// Gives a pusher a speed along its direction. Bodies that joints connect with it get it too,
    /// as far as the impulse of what presses behind it reaches. The ground then carries with its
    /// new velocity.
    fn give_back<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        pusher: &Pusher,
        speed: f64,
    ) -> Result<(), WorldError> {
        let direction = pusher.direction;
        let body = match pusher.by {
            PushSource::Body(body) => body,
            #[cfg(feature = "soft")]
            PushSource::Soft(soft) => return self.give_back_soft(world, soft, pusher, speed),
        };
        let ground = self.character().ground().copied().filter(|_| self.ground() == Some(body));
        let velocity_at = |world: &World<B>, point: DVec3| {
            let point = world.to_local(point);
            world.body(body).map(|body| body.velocity_at(point).as_dvec3())
        };
        let before = ground.map(|ground| velocity_at(world, ground.point)).transpose()?;
        let point = world.to_local(pusher.point);
        let impulse = direction * (pusher.mass * speed);
        world.body_mut(body)?.apply_impulse_at(impulse.as_vec3(), point)?;
        if MIN_BEHIND_RATIO * pusher.mass < pusher.mass_behind {
            let target = velocity_at(world, pusher.point)?.dot(direction);
            push_joined(world, body, direction, target, pusher.mass_behind * speed)?;
        }
        if let Some((ground, before)) = ground.zip(before) {
            let change = velocity_at(world, ground.point)? - before;
            self.character_mut().set_ground_velocity(ground.velocity + change);
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

    /// Returns the normals of the contacts that block a knock, with bodies for which `counts` is
    /// true.
    fn blocking(&self, counts: impl Fn(BodyId) -> bool) -> Vec<DVec3> {
        let met = self.contacts().iter().filter(|contact| 0.0 < contact.approach && counts(contact.body));
        met.filter_map(|contact| self.blocked(contact.normal)).collect()
    }

    /// Shares the knock with dynamic bodies and characters in front, as in an inelastic impact. A
    /// character in front counts as one of the same mass. It is pushed at least with the force of
    /// a walk, of which all characters in front together get the largest force.
    fn share_knock<B: BroadPhase>(&mut self, world: &mut World<B>, dt: f64) -> Result<(), WorldError> {
        let settings = *self.character().settings();
        let mut walking = settings.max_push * dt;
        for k in 0..self.contacts().len() {
            let contact = self.contacts()[k];
            let Some(normal) = self.blocked(contact.normal).filter(|_| 0.0 < contact.approach) else {
                continue;
            };
            // A body with several contacts in a call takes its part once.
            let is_same = |old: &BodyContact| old.body == contact.body && 0.0 < old.approach;
            if self.contacts()[..k].iter().any(is_same) {
                continue;
            }
            let body = world.body(contact.body)?;
            let is_character = is_character(body);
            let mass_ratio = match body.mobility() {
                Mobility::Dynamic => {
                    settings.mass * inverse_mass_at(world, body, contact.point, normal).max(0.0)
                }
                _ if is_character => 1.0,
                _ => continue,
            };
            let speed = (-self.knock.dot(normal)).clamp(0.0, contact.approach);
            let taken = speed / (1.0 + mass_ratio);
            self.knock += normal * taken;
            let mut impulse = settings.mass * taken;
            if is_character {
                let walked = (0.5 * settings.mass * contact.approach).min(walking);
                walking -= walked;
                impulse = impulse.max(walked);
            }
            if 0.0 < impulse {
                let point = world.to_local(contact.point);
                world.body_mut(contact.body)?.apply_impulse_at((normal * -impulse).as_vec3(), point)?;
            }
        }
        Ok(())
    }

    /// Brakes the knock on the ground. In a step without a push the feet stop the rest of it.
    fn brake(&mut self, is_free: bool, dt: f64) {
        let settings = self.character().settings();
        let speed = scaling::length(self.knock);
        let force = settings.max_push.max(FEET_FRICTION * settings.mass * settings.gravity);
        let rest = if is_free { HELD_FRACTION * force * dt } else { 0.0 };
        let braked = settings.mass * speed * (dt / (dt + BRAKE_SECONDS)) + rest;
        let impulse = braked.min(force * dt);
        if let Some(direction) = scaling::unit(self.knock).filter(|_| 0.0 < settings.mass) {
            self.knock = direction * (speed - impulse / settings.mass).max(0.0);
        }
    }

    /// Returns the part of the knock with which the body moves in the next step. It does not lead
    /// into what the character touches, because a kinematic body pushes with any force.
    fn body_knock(&self) -> DVec3 {
        if self.knock == DVec3::ZERO {
            return DVec3::ZERO;
        }
        nearest_allowed(self.knock, &self.blocking(|_| true))
    }

    /// Returns the velocity with which the body moves in the next step, of length `dt`: that of the
    /// ground and of the knock. It leads neither into walls that the character touches, nor does
    /// the knock lead into what `sweep` meets.
    pub(crate) fn body_velocity<B: BroadPhase>(
        &self,
        world: &World<B>,
        sweep: &mut impl Sweep,
        dt: f64,
    ) -> DVec3 {
        let (character, knock) = (self.character(), self.body_knock());
        let (figure, skin) = (character.figure(), character.settings().skin);
        let ground = character.ground().map_or(DVec3::ZERO, |ground| ground.velocity);
        let is_knocked = knock != DVec3::ZERO;
        let hit = is_knocked.then(|| sweep.sweep(figure, character.position(), knock * dt, skin)).flatten();
        // The body that it meets may move on.
        let free = hit.map_or(1.0, |hit| {
            let receding = (hit.velocity - ground).dot(hit.normal) / knock.dot(hit.normal);
            (hit.t + receding.max(0.0)).min(1.0)
        });
        let mut velocity = ground + knock * free;
        for contact in self.contacts().iter().filter(|contact| 0.0 < contact.approach) {
            if let Some(normal) = self.blocked(contact.normal).filter(|_| is_wall(world, contact.body))
                && let Ok(wall) = world.body(contact.body)
            {
                let wall = wall.velocity_at(world.to_local(contact.point)).as_dvec3();
                velocity += normal * (wall - velocity).dot(normal).max(0.0);
            }
        }
        velocity
    }
}

/// Whether a body that blocks a knock takes no part of it: it is neither dynamic nor that of a
/// character.
fn is_wall<B: BroadPhase>(world: &World<B>, body: BodyId) -> bool {
    world.body(body).is_ok_and(|body| body.mobility() != Mobility::Dynamic && !is_character(body))
}

/// Gives the dynamic bodies that joints connect with a body the speed `target` along a direction,
/// if they are slower. If the impulse does not suffice, each gets the same fraction of what it
/// lacks.
fn push_joined<B: BroadPhase>(
    world: &mut World<B>,
    body: BodyId,
    direction: DVec3,
    target: f64,
    impulse: f64,
) -> Result<(), WorldError> {
    let mut known = BTreeSet::from([body]);
    let mut unvisited = alloc::vec![body];
    let mut lacking = Vec::new();
    while let Some(joined) = unvisited.pop() {
        for other in
            world.body(joined)?.joints().filter(|joint| joint.is_enabled()).flat_map(|joint| joint.bodies())
        {
            let view = world.body(other)?;
            if view.mobility() != Mobility::Dynamic || !view.is_enabled() || !known.insert(other) {
                continue;
            }
            unvisited.push(other);
            let motion = view.motion();
            let slower = target - motion.linear_velocity.as_dvec3().dot(direction);
            if 0.0 < slower && 0.0 < motion.inverse_mass {
                lacking.push((other, slower / f64::from(motion.inverse_mass)));
            }
        }
    }
    let needed: f64 = lacking.iter().map(|(_, impulse)| impulse).sum();
    let part = if impulse < needed { impulse / needed } else { 1.0 };
    for (other, lacks) in lacking {
        world.body_mut(other)?.apply_impulse((direction * (lacks * part)).as_vec3())?;
    }
    Ok(())
}
