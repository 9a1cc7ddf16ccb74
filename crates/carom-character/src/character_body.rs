//! A character in a `carom_world::World`. A kinematic body follows it, so bodies, rays and sensors
//! hit it. It pushes dynamic bodies with a limited force, and its weight acts on the ground.
//!
//! - The body is the figure grown by the skin, so that a dynamic body comes to rest beside the
//!   figure and not in it. Its feet are raised, so that it does not press on the ground.
//! - After each call the body is moved to the character. It has the velocity that the character
//!   took over from its ground and from knocks (`knock.rs`). It has no velocity from walking,
//!   because a moving kinematic body pushes with any force.
//! - From a dynamic body the character takes over a velocity as in an inelastic impact of the two
//!   masses. The body gets the opposite impulse. So a car feels its passenger, and a light box
//!   that spins does not throw the character.
//! - Pushes are forces in the next step. A body is pushed no faster than the character moves, and
//!   all bodies together with at most the largest force.
//!
//! It collides with the bodies with which its body collides: by the filter of its body, and with
//! none that its body passes. Hooks do not run for it, so the caller passes one-way platforms to
//! `walk_where`.
//!
//! Reference: J. Rouwe, Jolt Physics, CharacterVirtual, 2022 (inner body, largest strength).

use crate::figure::{Figure, Form};
use crate::ground::Ground;
use crate::knock::Knocks;
use crate::slide::Contact;
#[cfg(feature = "soft")]
use crate::soft_stand::SoftStand;
use crate::walk::{Character, Walked};
use crate::world_sweep::WorldSweep;
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility, SpatialIndex};
use carom_geom::{Capsule, Cuboid, Cylinder, Ellipsoid, ShapeError};
use carom_math::{Pose, scaling};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, BodyRef, ColliderRef, Filter, QueryFilter, World, WorldError};
use glam::{DQuat, DVec3, Vec3};

/// The height of the body's feet above those of the figure, in heights of the figure. So ground
/// that tilts or rises in a step does not touch the body.
const FEET_RAISE_RATIO: f64 = 0.05;

/// In one call, the overlap with a pressing body moves the figure by at most this many half
/// widths. Otherwise a body would push it out sideways between itself and a wall.
const MAX_SEPARATION_RATIO: f64 = 1.0;

/// A contact of a character with a body, found in one call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BodyContact {
    /// The body.
    pub body: BodyId,
    /// The contact point, as all positions of a character: in the frame in which the world's
    /// origin is [`World::origin`].
    pub point: DVec3,
    /// The normal out of the body, of length 1.
    pub normal: DVec3,
    /// The speed at which the character would have gone into it, length per second, not negative.
    pub approach: f64,
    /// The force on the body in the next step, in the world frame and in newtons; zero if it is
    /// not dynamic.
    pub force: DVec3,
}

/// A character and the kinematic body that follows it.
///
/// Dynamic bodies and characters push it as if it were a dynamic body of its mass: a truck throws
/// it ahead, and a light crate bounces off. [`CharacterBody::with_pushed`] turns that off.
///
/// With the feature `soft` it stands on cloth and soft bodies, and they push each other. It passes
/// through ropes and water; its body pushes them, and they do not push it.
///
/// The character falls by [`CharacterSettings::gravity`](crate::CharacterSettings::gravity). The
/// gravity and the force fields of the world do not act on it. To give it the world's gravity,
/// read that of its body before each call, as `world.body(hero.body())?.step_forces(dt).gravity`.
/// Pass its length to [`Character::set_gravity`], and the opposite direction to
/// [`Character::set_up`]. In a force field that replaces gravity it is that of the field (test:
/// `in_world::a_character_falls_by_the_gravity_of_its_zone`). Other accelerations by force fields
/// are not in it.
///
/// - Bodies that are joined to a body that pushes the character move on with it, up to a hundred
///   times its mass (test: `impacts::r_joined_bodies_go_on`). Heavier ones may lose more speed
///   than they should. So may bodies that press on the pusher without a joint, and a door that
///   hits near its hinge.
/// - A dynamic ground feels the weight, what the feet hold, and the opposite of what the character
///   pushes. Loads on its head press on the ground while they are awake. The ground does not feel
///   that the character changes its wish: the velocity that [`CharacterBody::walk`] gets.
///
/// A snapshot of the world contains the body alone. To return to a snapshot keep a clone of the
/// character with it (test: `kept_state::a_clone_and_a_snapshot_go_on_alike`). `serde` stores it
/// without its contacts.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterBody {
    character: Character,
    body: BodyId,
    is_pushed: bool,
    /// The velocity that the character took over from its ground, length per second. In the air it
    /// is what the character kept of that of the last ground, with the vertical speed of the fall.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    pub(crate) carried: DVec3,
    /// A state that was stored without the feature has none.
    #[cfg(feature = "soft")]
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) soft: SoftStand,
    /// The velocity that pushes gave the character, length per second, relative to the ground. In
    /// the air its velocity contains it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    pub(crate) knock: DVec3,
    /// The velocity of the character at the end of the last call.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::finite"))]
    pub(crate) velocity: DVec3,
    /// The body of the ground at the end of the last call. Valid while the character has ground.
    ground: Option<BodyId>,
    #[cfg_attr(feature = "serde", serde(skip))]
    contacts: Vec<BodyContact>,
}

impl CharacterBody {
    /// Adds the body of a character to a world. The body gets the filter. The character collides
    /// with what the present filter of its body lets through.
    ///
    /// Errors: those of [`World::insert`]; a figure or a position beyond `f32`.
    pub fn insert<B: BroadPhase>(
        world: &mut World<B>,
        character: Character,
        filter: Filter,
    ) -> Result<CharacterBody, WorldError> {
        let shape = body_shape(character.figure(), character.settings().skin)?;
        let desc = BodyDesc::kinematic(shape)
            .with_pose(body_pose(&character, world.origin()))
            .with_filter(filter)
            .with_recorded_pushes(true);
        let body = world.insert(desc)?;
        let carried = character.velocity();
        Ok(CharacterBody {
            character,
            body,
            is_pushed: true,
            carried,
            #[cfg(feature = "soft")]
            soft: SoftStand::default(),
            knock: DVec3::ZERO,
            velocity: carried,
            ground: None,
            contacts: Vec::new(),
        })
    }

    /// Returns the same character, for which `is_pushed` says whether dynamic bodies and
    /// characters push it. By default they do: [`CharacterBody::knock`]. Otherwise dynamic bodies
    /// stop at it as at a pillar.
    #[must_use]
    pub fn with_pushed(self, is_pushed: bool) -> CharacterBody {
        CharacterBody { is_pushed, ..self }
    }

    /// Returns the character.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// Returns the character for changes, such as jumps and velocities. To move it use
    /// [`CharacterBody::set_position`].
    pub fn character_mut(&mut self) -> &mut Character {
        &mut self.character
    }

    /// Returns the velocity that pushes gave it, in the world frame and in length per second. On
    /// the ground it is relative to the ground, and adds to the wish. The feet reduce it by a
    /// factor of e in half a second. Their force is at most
    /// [`CharacterSettings::max_push`](crate::CharacterSettings), or half of its weight if that is
    /// more. A standing character resists a tenth of `max_push`; one that walks against the push
    /// resists all of it.
    ///
    /// An impulse on its body, by [`BodyMut::apply_impulse`](carom_world::BodyMut::apply_impulse),
    /// is a push too. On the ground only its part across `up` counts.
    pub fn knock(&self) -> DVec3 {
        self.knock
    }

    /// Returns the body that follows it. The caller has to remove it.
    pub fn body(&self) -> BodyId {
        self.body
    }

    /// Returns the contacts of the last call in their order, the ground last. A body may occur
    /// more than once.
    pub fn contacts(&self) -> &[BodyContact] {
        &self.contacts
    }

    /// Returns the body on which the character stands; `None` in the air.
    pub fn ground(&self) -> Option<BodyId> {
        self.character.ground().and(self.ground)
    }

    /// Moves the character and its body to a position. The body pushes nothing on the way, and is
    /// at rest then. The character is in the air. The pushes since the last call are forgotten. An
    /// impulse that was applied to its body after the last step still counts.
    ///
    /// Errors: a removed body, or a position that is not finite in `f32`.
    pub fn set_position<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        position: DVec3,
    ) -> Result<(), WorldError> {
        let origin = world.origin();
        let mut moved = self.character.clone();
        moved.set_position(position);
        let at = (position - origin).as_vec3().to_array();
        if let Some(value) = at.into_iter().find(|x| !x.is_finite()) {
            return Err(WorldError::BadValue { what: "place", value });
        }
        let mut body = world.body_mut(self.body)?;
        body.set_pose(body_pose(&moved, origin))?;
        body.set_linear_velocity(Vec3::ZERO)?.set_angular_velocity(Vec3::ZERO)?.clear_pushes();
        self.character = moved;
        self.carried = self.character.velocity();
        self.velocity = self.carried;
        #[cfg(feature = "soft")]
        {
            self.soft = SoftStand::default();
        }
        self.knock = DVec3::ZERO;
        Ok(())
    }

    /// Gives the character and its body another figure, such as a lower one to crouch: see
    /// [`Character::set_figure`]. Returns false, and changes nothing, if the figure would overlap
    /// a body, dynamic ones too. A figure within the present one is always accepted. So a
    /// character stands up only where there is room.
    ///
    /// Errors: a removed body; a figure beyond `f32`.
    pub fn set_figure<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        figure: Figure,
    ) -> Result<bool, WorldError> {
        let shape = body_shape(&figure, self.character.settings().skin)?;
        let mut changed = self.character.clone();
        if !changed.set_figure(&mut sweep_of(world, self.body)?, figure) {
            return Ok(false);
        }
        let first = world.body(self.body)?.colliders().next().map(|collider| collider.id());
        let pose = body_pose(&changed, world.origin());
        let mut body = world.body_mut(self.body)?;
        body.set_pose(pose)?;
        match (body.set_shape(shape.clone()).map(drop), first) {
            // The caller gave the body further colliders, such as a sensor.
            (Err(WorldError::SeveralColliders(_)), Some(first)) => {
                world.collider_mut(first)?.set_shape(shape)?;
            }
            (result, _) => result?,
        }
        self.character = changed;
        Ok(true)
    }

    /// Advances by `dt` seconds as [`Character::walk`]. Call it once after each step of the world,
    /// which should have taken `dt` seconds. All pushes since the last call count, of at most 16
    /// steps. So a call after several steps has the sum of their times as `dt` (test:
    /// `impacts::r_pushes_of_all_steps_since_the_last_walk_count`). A further call has no pushes.
    ///
    /// The body follows at once; forces on pushed bodies act in the next step. The character
    /// passes the bodies that its body passes: [`Response::Pass`](carom_world::Response::Pass).
    /// Hooks are not called for it; see [`CharacterBody::walk_where`]. While its body is disabled
    /// the character does not move, and touches nothing. Enabled again, it falls from its
    /// position.
    ///
    /// Errors: a removed body; a position or a force beyond `f32`.
    pub fn walk<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        wish: DVec3,
        dt: f64,
    ) -> Result<&Walked, WorldError> {
        self.walk_where(world, wish, dt, |_| true)
    }

    /// Advances as [`CharacterBody::walk`]. The character passes through colliders for which
    /// `is_solid` is false. This is the counterpart of the hooks of a step. The answer for a
    /// collider must not change during the call.
    ///
    /// [`OneWay`](crate::OneWay) is the rule for one-way platforms.
    ///
    /// Errors: those of [`CharacterBody::walk`].
    pub fn walk_where<B: BroadPhase + SpatialIndex>(
        &mut self,
        world: &mut World<B>,
        wish: DVec3,
        dt: f64,
        is_solid: impl Fn(&ColliderRef<'_, B>) -> bool,
    ) -> Result<&Walked, WorldError> {
        if !world.body(self.body)?.is_enabled() {
            self.pause();
            return Ok(self.character.walked());
        }
        let sweep = sweep_of(world, self.body)?.with_predicate(&is_solid);
        let ground = self.character.ground_in(&sweep).map(|ground| ground.object);
        let mut sweep = sweep.with_yielding(ground);
        let is_pressed =
            self.is_pushed && world.body(self.body)?.recent_pushes().any(|push| push.by.is_some());
        self.lose_carried();
        let (knock, velocity) = (self.knock, self.velocity);
        let knocks = if self.is_pushed { self.find_knocks(world, wish, dt) } else { Knocks::NONE };
        let wish = self.take_knocks(wish, &knocks);
        self.character.walk(&mut sweep, wish, dt);
        if is_pressed && !self.character.walked().was_refused {
            let most = MAX_SEPARATION_RATIO * self.character.figure().half_width();
            // Without dynamic bodies.
            let walls = sweep_of(world, self.body)?.with_predicate(&is_solid);
            let mut walls = walls.with_min_mass(f64::MAX);
            self.character.leave_overlap(&mut sweep.with_all_solid(), &mut walls, most);
        }
        self.ground = self.character.ground().and_then(|ground| world.body_at(ground.object));
        self.contacts.clear();
        for contact in &self.character.walked().contacts {
            self.contacts.extend(body_contact(world, contact));
        }
        if self.character.walked().was_refused {
            if self.character.ground().is_none() {
                self.character.set_velocity(velocity);
            }
            (self.knock, self.velocity) = (knock, velocity);
        } else {
            self.push(world, dt)?;
            if 0.0 < dt {
                world.body_mut(self.body)?.clear_pushes();
            }
            let feet = self.pass_on_knocks(world, &knocks, dt)?;
            let taken = self.take_velocity(world, dt);
            self.weigh(world, taken, feet, dt)?;
            self.follow(world, is_solid, dt)?;
            self.velocity = self.character.velocity();
        }
        Ok(self.character.walked())
    }

    /// Leaves the ground, and all that it touched.
    fn pause(&mut self) {
        self.character.pause();
        (self.ground, self.knock) = (None, DVec3::ZERO);
        self.contacts.clear();
        #[cfg(feature = "soft")]
        {
            self.soft = SoftStand::default();
        }
    }

    /// Moves the body to the character. Its velocity in the next step is that of the ground and of
    /// the knock. Within no time it stays.
    fn follow<B: BroadPhase + SpatialIndex>(
        &self,
        world: &mut World<B>,
        is_solid: impl Fn(&ColliderRef<'_, B>) -> bool,
        dt: f64,
    ) -> Result<(), WorldError> {
        let pose = body_pose(&self.character, world.origin());
        let old = world.body(self.body)?.pose();
        #[cfg(feature = "soft")]
        let is_put = !self.trembles(&old, &pose);
        #[cfg(not(feature = "soft"))]
        let is_put = true;
        if is_put && old != pose {
            world.body_mut(self.body)?.set_pose(pose)?;
        }
        if dt == 0.0 {
            return Ok(());
        }
        let ground = self.character.ground().map(|ground| ground.object);
        let mut sweep = sweep_of(world, self.body)?.with_predicate(&is_solid).with_yielding(ground);
        let velocity = self.body_velocity(world, &mut sweep, dt).as_vec3();
        // Soft ground sleeps only among bodies at rest, and trembles before.
        #[cfg(feature = "soft")]
        let velocity = if self.soft.is_load && self.is_slow(world, velocity) { Vec3::ZERO } else { velocity };
        if world.body(self.body)?.linear_velocity() != velocity {
            world.body_mut(self.body)?.set_linear_velocity(velocity)?.set_angular_velocity(Vec3::ZERO)?;
        }
        Ok(())
    }

    /// Pushes the dynamic bodies of the contacts. Within no time nothing is pushed.
    fn push<B: BroadPhase>(&mut self, world: &mut World<B>, dt: f64) -> Result<(), WorldError> {
        if dt == 0.0 {
            return Ok(());
        }
        let mut total = 0.0;
        for k in 0..self.contacts.len() {
            let contact = self.contacts[k];
            // A body with several contacts in a call is pushed once.
            let is_new = self.contacts[..k].iter().all(|old| old.body != contact.body);
            if is_new && world.body(contact.body).map(|body| body.mobility()) == Ok(Mobility::Dynamic) {
                let inverse_mass =
                    inverse_mass_at(world, world.body(contact.body)?, contact.point, contact.normal);
                if 0.0 < inverse_mass {
                    let force = contact.approach / (inverse_mass * dt);
                    self.contacts[k].force = -contact.normal * force;
                    total += force;
                }
            }
        }
        let most = self.character.settings().max_push;
        let part = if most < total { most / total } else { 1.0 };
        for contact in &mut self.contacts {
            contact.force *= part;
            if contact.force != DVec3::ZERO {
                let point = world.to_local(contact.point);
                world.body_mut(contact.body)?.apply_force_at(contact.force.as_vec3(), point)?;
            }
        }
        #[cfg(feature = "soft")]
        self.push_soft(world, (most - total * part).max(0.0), dt)?;
        Ok(())
    }

    /// In the air the character loses the carried velocity with its own, such as at a wall.
    fn lose_carried(&mut self) {
        if self.character.ground().is_some() {
            return;
        }
        let (velocity, up) = (self.character.velocity(), self.character.figure().up());
        let level = self.carried - up * self.carried.dot(up);
        // It may walk against the carried velocity, and then has less from the start.
        let before = self.velocity.dot(level).min(level.length_squared());
        let now = velocity.dot(level).max(0.0);
        if now < before {
            self.carried -= level * (1.0 - now / before);
        }
        self.carried += up * (velocity - self.carried).dot(up);
        self.velocity = velocity;
    }

    /// Takes over velocity from the ground, and returns how much. From a dynamic body it is as
    /// much as in an inelastic impact at the point of contact, from other bodies all of it. Within
    /// no time it is none.
    fn take_velocity<B: BroadPhase>(&mut self, world: &World<B>, dt: f64) -> DVec3 {
        self.lose_carried();
        let Some(ground) = self.character.ground().copied() else { return DVec3::ZERO };
        #[cfg(feature = "soft")]
        if let Some(taken) = self.take_soft_velocity(world, dt) {
            return taken;
        }
        let missing = if dt == 0.0 { DVec3::ZERO } else { ground.velocity - self.carried };
        let taken = missing * self.shared_part(world, &ground, missing);
        self.carried += taken;
        self.character.set_ground_velocity(self.carried);
        taken
    }

    /// Returns the part of a difference of velocities that the character takes over from its
    /// ground, 0 to 1. The ground has a mass at the point of contact in that direction. The part
    /// is this mass, divided by the sum of it and the character's.
    fn shared_part<B: BroadPhase>(&self, world: &World<B>, ground: &Ground, missing: DVec3) -> f64 {
        let body = world.body_at(ground.object).and_then(|body| world.body(body).ok());
        let (Some(body), Some(direction)) = (body, scaling::unit(missing)) else { return 1.0 };
        let inverse_mass = inverse_mass_at(world, body, ground.point, direction);
        1.0 / (1.0 + self.character.settings().mass * inverse_mass.max(0.0))
    }

    /// Applies the weight of the character to a dynamic body under it. The force that gives the
    /// character the velocity `taken` is added, and the impulse `feet` of its feet. They bear what
    /// the character pushes too. Adds the ground as a contact. The character does not pull. Within
    /// no time there is no force.
    fn weigh<B: BroadPhase>(
        &mut self,
        world: &mut World<B>,
        taken: DVec3,
        feet: DVec3,
        dt: f64,
    ) -> Result<(), WorldError> {
        let up = self.character.figure().up();
        let pushed: DVec3 = self.contacts.iter().map(|contact| contact.force).sum();
        let pushed = pushed - up * pushed.dot(up);
        #[cfg(feature = "soft")]
        if 0.0 < dt {
            self.soft.is_load = self.load_soft(world, feet / dt - pushed, dt)?;
        }
        let Some(ground) = self.character.ground() else { return Ok(()) };
        let Some(body) = world.body_at(ground.object) else { return Ok(()) };
        let settings = self.character.settings();
        let is_dynamic = world.body(body).map(|body| body.mobility()) == Ok(Mobility::Dynamic);
        let per_mass = if dt == 0.0 { DVec3::ZERO } else { up * settings.gravity + taken / dt };
        let is_pressing = is_dynamic && 0.0 < per_mass.dot(up);
        let mut force = DVec3::ZERO;
        if is_pressing {
            force = feet / dt - per_mass * settings.mass - pushed;
            let point = world.to_local(ground.point);
            world.body_mut(body)?.apply_force_at(force.as_vec3(), point)?;
        }
        let (point, normal) = (ground.point, ground.normal);
        self.contacts.push(BodyContact { body, point, normal, approach: 0.0, force });
        Ok(())
    }
}

/// Returns a contact with its body, without a force; `None` if there is no such body.
fn body_contact<B: BroadPhase>(world: &World<B>, contact: &Contact) -> Option<BodyContact> {
    let body = world.body_at(contact.object)?;
    let Contact { point, normal, approach, .. } = *contact;
    Some(BodyContact { body, point, normal, approach, force: DVec3::ZERO })
}

/// Returns a view of the colliders with which a body collides: by the filter of its first
/// collider.
///
/// Errors: a removed body.
fn sweep_of<B: BroadPhase + SpatialIndex>(
    world: &World<B>,
    body: BodyId,
) -> Result<WorldSweep<'_, B>, WorldError> {
    let first = world.body(body)?.colliders().next();
    let filter = first.map(|collider| collider.filter()).unwrap_or_default();
    Ok(WorldSweep::new(world, QueryFilter::SOLID.with_filter(filter)).met_by(body))
}

/// Whether a body is that of a character, or another kinematic one that gives way to pushes.
pub(crate) fn is_character<B: BroadPhase>(body: BodyRef<'_, B>) -> bool {
    body.mobility() == Mobility::Kinematic && body.records_pushes()
}

/// Returns the inverse of the mass that a body has against a push at a point, in a direction of
/// length 1.
pub(crate) fn inverse_mass_at<B: BroadPhase>(
    world: &World<B>,
    body: BodyRef<'_, B>,
    point: DVec3,
    direction: DVec3,
) -> f64 {
    let body = body.motion();
    let turn = (point - world.to_wide(body.world_center())).cross(direction);
    let turned = (body.world_inverse_inertia() * turn.as_vec3()).as_dvec3();
    f64::from(body.inverse_mass) + turn.dot(turned)
}

/// Returns half of the height difference of figure and body.
fn half_raise(figure: &Figure) -> f64 {
    FEET_RAISE_RATIO * figure.stature()
}

/// Returns the figure grown by the skin, with its feet raised.
///
/// Errors: it is beyond `f32`.
fn body_shape(figure: &Figure, skin: f64) -> Result<Shape, WorldError> {
    let too_large = |_| WorldError::BadValue { what: "figure", value: figure.stature() as f32 };
    grown_shape(figure, skin).map_err(too_large)
}

fn grown_shape(figure: &Figure, skin: f64) -> Result<Shape, ShapeError> {
    let low = half_raise(figure);
    Ok(match figure.form() {
        Form::Capsule(s) => {
            let half_height = (s.half_height() - low).max(0.0) as f32;
            Shape::Capsule(Capsule::new(half_height, (s.radius() + skin) as f32)?)
        }
        Form::Cylinder(s) => {
            let half_height = (s.half_height() - low + skin) as f32;
            Shape::Cylinder(Cylinder::new(half_height, (s.radius() + skin) as f32)?)
        }
        Form::Cuboid(s) => Shape::Cuboid(Cuboid::new((s.half_extents() + skin - DVec3::Y * low).as_vec3())?),
        Form::Ellipsoid(s) => {
            Shape::Ellipsoid(Ellipsoid::new((s.radii() + skin - DVec3::Y * low).as_vec3())?)
        }
    })
}

/// Returns the pose of the body for the position of a character.
fn body_pose(character: &Character, origin: DVec3) -> Pose {
    let figure = character.figure();
    let position: Vec3 = (character.position() + figure.up() * half_raise(figure) - origin).as_vec3();
    Pose::new(DQuat::from_mat3(figure.rotation()).as_quat(), position)
}
