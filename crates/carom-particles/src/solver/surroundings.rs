//! All with which particles interact besides each other: planes, distance fields, moving bodies,
//! constraints.
//!
//! - The solver keeps planes. It borrows fields, bodies and constraints for a step.
//! - A field is a function: the signed distance of a point, and the direction in which it grows.
//! - A body is a field in its own frame, with mass and motion. Particles push it. The step returns
//!   the impulse, and the owner of the body applies it.
//!
//! Reference: M. Macklin et al., Unified Particle Physics, 2014, 5 and 6 (contacts of all kinds in
//! one solver).

use crate::solver::holders::Holders;
use crate::{ConstraintError, ParticleBody, ParticleError, TautParticle};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::{Mat3, Pose};
use glam::Vec3;

/// A signed distance and the unit vector in which it grows, as functions of a point.
pub type DistanceFn<'a> = &'a (dyn Fn(Vec3) -> (f32, Vec3) + Sync);

/// The material of the contact of a particle with a surface.
pub type SurfaceFn<'a> = &'a (dyn Fn(&SurfaceContact) -> ContactMaterial + Sync);

/// Whether a particle meets a body, by the number of the particle.
pub type MeetsFn<'a> = &'a (dyn Fn(u32) -> bool + Sync);

/// A particle that touches a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SurfaceContact {
    /// The number of the particle.
    pub particle: u32,
    /// The point on the surface, in the body's frame.
    pub point: Vec3,
    /// Friction and restitution of the particle.
    pub own: Surface,
}

/// Friction, restitution and belt velocity of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Coefficient of friction while the particle slides, at least 0.
    pub friction: f32,
    /// Coefficient of friction while it does not, at least that above.
    pub static_friction: f32,
    /// The part of the speed that a bounce leaves. Above 1 it counts as 1. Liquids do not bounce.
    pub restitution: f32,
    /// The velocity of the surface relative to the body, in the body's frame: a conveyor belt.
    /// Only its part along the surface counts.
    pub velocity: Vec3,
}

impl ContactMaterial {
    /// Combines two surfaces: the geometric means of friction, and the larger restitution.
    pub fn combine(a: &Surface, b: &Surface) -> ContactMaterial {
        ContactMaterial {
            friction: sqrt(a.friction * b.friction),
            static_friction: sqrt(a.static_friction * b.static_friction),
            restitution: a.restitution.max(b.restitution),
            velocity: Vec3::ZERO,
        }
    }
}

/// The roughness of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// Coefficient of friction while particles slide, at least 0. A contact uses the geometric
    /// mean of this and the particle's. Default: 0.5.
    pub friction: f32,
    /// Coefficient of friction while they do not slide, at least `friction`. Default: 0.6.
    pub static_friction: f32,
    /// The part of the normal speed that a bounce of a grain or a particle of a solid keeps, from
    /// 0 to 1. The larger one of surface and particle counts. Liquids do not bounce. Default: 0.
    pub restitution: f32,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { friction: 0.5, static_friction: 0.6, restitution: 0.0 }
    }
}

impl Surface {
    /// Returns this surface with one coefficient of friction, sliding or not.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> Surface {
        Surface { friction, static_friction: friction, ..self }
    }

    /// Returns this surface with another restitution, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f32) -> Surface {
        Surface { restitution, ..self }
    }

    pub(crate) fn check(&self) -> Result<(), ParticleError> {
        let bad = |name, value| Err(ParticleError::BadSetting { name, value });
        if !(0.0 <= self.friction && self.friction < f32::INFINITY) {
            return bad("friction", self.friction);
        }
        if !(self.friction <= self.static_friction && self.static_friction < f32::INFINITY) {
            return bad("static_friction", self.static_friction);
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return bad("restitution", self.restitution);
        }
        Ok(())
    }
}

/// A plane that particles stay in front of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) normal: Vec3,
    /// The distance of the plane from the origin, along the normal.
    pub(crate) offset: f32,
    pub(crate) surface: Surface,
}

impl Plane {
    /// The signed distance of a point, and the normal.
    pub(crate) fn distance(&self, point: Vec3) -> (f32, Vec3) {
        (point.dot(self.normal) - self.offset, self.normal)
    }
}

/// A distance field that does not move.
#[derive(Clone, Copy)]
pub struct FieldBoundary<'a> {
    /// Returns the signed distance of a point, negative inside, and the unit vector in which it
    /// grows. Between two points it must not change by more than their distance.
    pub distance: DistanceFn<'a>,
    /// The roughness of the surface.
    pub surface: Surface,
}

/// The support of a body at a point: a joint, a limit, a firm contact or another body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bearer {
    /// A joint, which holds the point in both directions of the normal. The owner of the body
    /// passes pushes on to it.
    Joint,
    /// The limit of a joint, which holds the point in one direction. The owner of the body passes
    /// pushes on to it.
    Limit,
    /// A contact with a body that does not yield, such as a floor or a moving platform.
    Firm,
    /// A contact with another body, by its index in [`Surroundings::bodies`]. It supports no more
    /// than its own supports allow.
    Body(u32),
}

impl Bearer {
    /// Whether it is a contact, which answers pushes without the owner of the body.
    pub(crate) fn is_contact(self) -> bool {
        matches!(self, Bearer::Firm | Bearer::Body(_))
    }
}

/// A point of a body at which something else supports it, such as a floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The point, in the world at the start of the step.
    pub point: Vec3,
    /// The unit vector from the supporting thing to the body, in the world.
    pub normal: Vec3,
    /// The velocity of the supporting thing at the point, in the world. It is not used for
    /// [`Bearer::Body`], whose velocity is known.
    pub velocity: Vec3,
    /// The coefficient of friction, not negative.
    pub friction: f32,
    /// The thing that supports the body.
    pub by: Bearer,
}

/// A rigid body among the particles, in world units.
///
/// Give mass, inertia and motion of a dynamic body. Particles then push it while they step; take
/// [`BodyBoundary::impulse`] and [`BodyBoundary::angular_impulse`] to its velocities afterwards.
/// With inverse masses 0 it moves as it does, and only pushes.
#[derive(Clone, Copy)]
pub struct BodyBoundary<'a> {
    /// As in [`FieldBoundary`], in the body's frame.
    pub distance: DistanceFn<'a>,
    /// The roughness of the surface.
    pub surface: Surface,
    /// The material of a contact, instead of the combination with `surface`: for a body of several
    /// materials, for other rules than [`ContactMaterial::combine`], and for belts. It is called
    /// once for each contact in a substep.
    pub surface_at: Option<SurfaceFn<'a>>,
    /// Selects the particles that meet the body; the others pass through it. `None` if all do.
    pub meets: Option<MeetsFn<'a>>,
    /// Body frame in the world.
    pub pose: Pose,
    /// Centre of mass, in the body's frame.
    pub center_of_mass: Vec3,
    /// One over the mass; 0 is an infinite mass.
    pub inverse_mass: f32,
    /// By axis of the world: 1 if pushes of particles move the body along it, 0 if it is held
    /// there.
    pub free_axes: Vec3,
    /// Inverse of the inertia tensor about the centre of mass, in the body's frame.
    pub inverse_inertia: Mat3,
    /// Velocity of the centre of mass.
    pub linear_velocity: Vec3,
    /// In radians per second, in the world frame.
    pub angular_velocity: Vec3,
    /// The other acceleration of the centre of mass during the step, such as gravity. It is not
    /// part of the impulses.
    pub acceleration: Vec3,
    /// The points at which others support the body. Pushes of particles do not move them against
    /// their normals, so a light body on a floor supports a heavy heap. The first
    /// [`MAX_SUPPORTS`](crate::MAX_SUPPORTS) count; those by bodies come last.
    pub supports: &'a [Support],
    /// Whether particles meet the body. If not, it only supports other bodies.
    pub is_met: bool,
    /// Set by a step: the sum of the impulses on the centre of mass.
    pub impulse: Vec3,
    /// Set by a step: the sum of the angular impulses about the centre of mass, in the world frame.
    /// [`ParticleSolver::body_impulses`](crate::ParticleSolver::body_impulses) has the point of
    /// each one.
    pub angular_impulse: Vec3,
    /// Set by a step: the sums of the impulses and angular impulses of the reactions to `impulse`
    /// and `angular_impulse`. They act at supports, and from bodies that rest on this one. The
    /// owner of the body applies the pushes and these reactions.
    pub taken: [Vec3; 2],
    /// Set by a step: each impulse times the time from the start of its substep to the end of the
    /// step, summed. It is how far the impulses moved the centre of mass, times the mass.
    pub travel: Vec3,
    /// Set by a step: the same for angular impulses.
    pub angular_travel: Vec3,
}

impl<'a> BodyBoundary<'a> {
    /// Returns a body that stands still and that particles do not move.
    pub fn fixed(distance: DistanceFn<'a>, pose: Pose) -> BodyBoundary<'a> {
        BodyBoundary {
            distance,
            surface: Surface::default(),
            surface_at: None,
            meets: None,
            pose,
            center_of_mass: Vec3::ZERO,
            inverse_mass: 0.0,
            free_axes: Vec3::ONE,
            inverse_inertia: Mat3::ZERO,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            supports: &[],
            is_met: true,
            impulse: Vec3::ZERO,
            angular_impulse: Vec3::ZERO,
            taken: [Vec3::ZERO; 2],
            travel: Vec3::ZERO,
            angular_travel: Vec3::ZERO,
        }
    }

    /// Whether pushes of particles can move it. If not, it pins the particles that it holds.
    pub fn is_moved(&self) -> bool {
        self.free_axes * self.inverse_mass != Vec3::ZERO || self.inverse_inertia != Mat3::ZERO
    }

    pub(crate) fn check(&self, body: usize) -> Result<(), ParticleError> {
        let velocities = [self.linear_velocity, self.angular_velocity];
        let vectors = [self.center_of_mass, self.acceleration, velocities[0], velocities[1]];
        let is_mass = 0.0 <= self.inverse_mass && self.inverse_mass < f32::INFINITY;
        let is_good = self.pose.is_finite()
            && vectors.iter().all(|v| v.is_finite())
            && is_mass
            && self.free_axes.to_array().iter().all(|x| [0.0, 1.0].contains(x))
            && self.supports.iter().all(|support| {
                let Support { point, normal, velocity, friction, .. } = support;
                [point, normal, velocity].iter().all(|v| v.is_finite())
                    && (0.0..f32::INFINITY).contains(friction)
            })
            && self.inverse_inertia.is_finite();
        if is_good { self.surface.check() } else { Err(ParticleError::BadBody { body }) }
    }
}

/// A particle that is held at a point of a body, both ways: it follows the body, and pulls it.
///
/// If they are apart at the start of a substep, such as after a jump of the body, they approach
/// each other by at most two radii of the particle in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The number of the particle.
    pub particle: u32,
    /// The body, by its index in [`Surroundings::bodies`].
    pub body: u32,
    /// The point, in the body's frame.
    pub point: Vec3,
}

/// The particles of solids in an iteration: what constraints project.
pub struct SolidPass<'a> {
    /// The positions of the particles at the end of the substep, to be changed. The numbers that
    /// [`ParticleSolver::add_solid`](crate::ParticleSolver::add_solid) returned are indices into
    /// this slice.
    pub positions: &'a mut [Vec3],
    /// Their inverse masses.
    pub inverse_masses: &'a [f32],
    /// The length of the substep in seconds.
    pub dt: f32,
    /// The iteration, from 0 on in each substep. Multipliers of constraints begin at 0 with it.
    pub iteration: u32,
    /// The particles that are held as far from pins as they can get; workspace.
    pub(crate) taut: &'a mut Vec<TautParticle>,
    pub(crate) holders: Holders<'a>,
}

impl SolidPass<'_> {
    /// Projects the constraints of a body, whose particles have the indices that
    /// [`ParticleSolver::add_solid`](crate::ParticleSolver::add_solid) gave them.
    ///
    /// # Errors
    /// As [`ParticleBody::project`].
    pub fn project(&mut self, body: &mut dyn ParticleBody) -> Result<(), ConstraintError> {
        if self.iteration == 0 {
            body.begin_step();
        }
        if !body.moves_holders() {
            body.project(self.positions, self.inverse_masses, self.dt)?;
            self.taut.extend(body.taut());
            return Ok(());
        }
        self.holders.join(body.particles(), self.positions, self.inverse_masses);
        body.project_held(self.positions, self.inverse_masses, self.holders.held, self.dt)?;
        self.holders.push();
        Ok(())
    }
}

/// A particle at the start of a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParticleMotion {
    /// The number of the particle.
    pub particle: u32,
    /// Its position in the world.
    pub position: Vec3,
    /// In lengths per second.
    pub velocity: Vec3,
    /// The length of the substep in seconds.
    pub dt: f32,
}

impl ParticleMotion {
    /// Describes the particle of this number.
    pub fn new(particle: u32, position: Vec3, velocity: Vec3, dt: f32) -> ParticleMotion {
        ParticleMotion { particle, position, velocity, dt }
    }
}

/// The acceleration of a particle in a substep, besides contacts and constraints. In lengths per
/// second squared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// Gravity, in place of that of the settings. A gas that rises scales it.
    pub gravity: Vec3,
    /// Any other acceleration, such as that of wind.
    pub other: Vec3,
}

/// The acceleration of a particle.
pub type AccelerationFn<'a> = &'a (dyn Fn(&ParticleMotion) -> Acceleration + Sync);

/// The things that a step meets and the solver does not store.
///
/// `'a` is how long fields, bodies and constraints are lent, `'f` how long their functions live.
#[derive(Default)]
pub struct Surroundings<'a, 'f> {
    /// Distance fields that do not move.
    pub fields: &'a [FieldBoundary<'f>],
    /// Rigid bodies.
    pub bodies: &'a mut [BodyBoundary<'f>],
    /// Particles held by bodies. Each is moved once in each iteration, in the order in which the
    /// particles of solids were added.
    pub attachments: &'a [Attachment],
    /// Projects the constraints of solids, once in each iteration.
    pub constraints: Option<&'a mut dyn FnMut(&mut SolidPass<'_>)>,
    /// Accelerates the particles that are not pinned, once in each substep. `None` for the gravity
    /// of the settings alone.
    pub acceleration: Option<AccelerationFn<'f>>,
}

impl Surroundings<'_, '_> {
    pub(crate) fn check(&self, n_particles: usize) -> Result<(), ParticleError> {
        let is_bad = |held: &Attachment| {
            n_particles <= held.particle as usize
                || self.bodies.len() <= held.body as usize
                || !held.point.is_finite()
        };
        if let Some(attachment) = self.attachments.iter().position(is_bad) {
            return Err(ParticleError::BadAttachment { attachment });
        }
        self.fields.iter().try_for_each(|field| field.surface.check())?;
        let n_bodies = self.bodies.len();
        let is_there = |support: &Support| match support.by {
            Bearer::Body(body) => (body as usize) < n_bodies,
            Bearer::Joint | Bearer::Limit | Bearer::Firm => true,
        };
        self.bodies.iter().enumerate().try_for_each(|(body, boundary)| {
            boundary.check(body)?;
            let is_good = boundary.supports.iter().all(is_there);
            if is_good { Ok(()) } else { Err(ParticleError::BadBody { body }) }
        })
    }
}
