//! The drag of a user: pulls a body at a point, a vertex of a soft body, or some particles.
//!
//! - A ray takes hold of the first thing that it meets, except for walls that it begins in. If it
//!   meets nothing soft, a vertex or a particle near it is taken, because a pointer seldom meets
//!   the corner of a cloth exactly.
//! - A body is pulled at its point by a critically damped spring, so light and heavy ones follow
//!   alike.
//! - One vertex is too light to carry a cloth by a force. It is pinned, and the pin approaches the
//!   pointer by a fixed part of the distance in each step. A vertex that a scene has pinned or
//!   attached is not taken.
//! - The motion of one particle would hardly be visible, so those around it move along. Their
//!   velocities point to their places about the pointer, and the liquid still pushes them apart.
//!
//! Reference: E. Catto, Box2D 3.1, samples: the mouse joint, 2024 (a soft pull at a point).

use crate::scenes::{AnyWorld, Error, STEP};
use carom_broad::Mobility;
use carom_math::{Interval, Mat3, Ray, Vec3, ops};
use carom_query::project_point;
use carom_world::{BodyHit, BodyId, ParticlesId, QueryFilter, SoftBodyId, SoftHit, SoftThing};

/// Angular frequency of a pull, in radians per second. That of a body is critically damped.
const DRAG_STIFFNESS: f32 = 12.0;

/// Metres per second: the largest speed at which soft things are pulled. A faster one would tear
/// them through bodies.
const MAX_SOFT_SPEED: f32 = 8.0;

/// The distance from the held particle within which others come along, in radii.
const GRIP_RADII: f32 = 5.0;

/// The largest angle between a ray and a vertex that it takes hold of, in radians.
const MAX_GRIP_ANGLE: f32 = 0.01;

/// A held thing, and the place to which it is pulled.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The held thing.
    pub held: DragTarget,
    /// The place in the world to which it is pulled.
    pub to: Vec3,
}

/// A thing that a user can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum DragTarget {
    /// A dynamic body.
    Body {
        /// The body.
        body: BodyId,
        /// The point that is held, in its frame.
        local: Vec3,
    },
    /// A vertex of a cloth, a rope or a soft body.
    Vertex {
        /// The soft body.
        thing: SoftBodyId,
        /// The vertex.
        vertex: u32,
    },
    /// Some particles.
    Particles {
        /// The set of particles.
        thing: ParticlesId,
        /// Indices of the held particles, each with its offset from the pulled point.
        held: Vec<(u32, Vec3)>,
    },
}

/// The first thing on a ray.
pub(crate) enum Hit {
    /// A body, at this place.
    Body(BodyId, Vec3),
    /// A vertex or particles that can be dragged, at this place.
    Soft(DragTarget, Vec3),
}

/// Returns the first thing on a ray, rigid or soft; `None` if nothing is on it or near it.
pub(crate) fn first_on_ray(world: &AnyWorld, origin: Vec3, direction: Vec3) -> Option<Hit> {
    let ray = Ray::new(origin, direction);
    let rigid = first_rigid(world, &ray);
    let soft = world.query(&QueryFilter::SOLID).cast_ray_soft(&ray, Interval::FORWARD);
    let rigid_t = rigid.as_ref().map_or(f32::INFINITY, |hit| hit.hit.t);
    let soft = soft.filter(|hit| hit.t < rigid_t);
    if let Some(held) = soft.and_then(|hit| target_of_hit(world, &hit)) {
        let at = soft.map_or(origin, |hit| hit.point);
        return Some(Hit::Soft(held, at));
    }
    if soft.is_none()
        && let Some(near) = nearest_to_ray(world, &ray, rigid_t)
    {
        return Some(near);
    }
    rigid.map(|hit| Hit::Body(hit.body, ray.at(hit.hit.t)))
}

/// Returns the first body on a ray. Static bodies that contain the start of the ray are left out,
/// because an eye outside of a tank is within the half-space of its wall.
fn first_rigid(world: &AnyWorld, ray: &Ray) -> Option<BodyHit> {
    let mut around: Vec<BodyId> = Vec::new();
    loop {
        let filter = QueryFilter::SOLID.without(&around);
        let hit = world.query(&filter).cast_ray(ray, Interval::FORWARD)?;
        let body = world.body(hit.body).ok()?;
        let start = project_point(body.shape(), &body.pose(), ray.origin);
        if body.mobility() == Mobility::Dynamic || start.is_none_or(|start| 0.0 <= start.distance) {
            return Some(hit);
        }
        around.push(hit.body);
    }
}

/// Returns the thing that a hit of a ray takes hold of; `None` for a triangle without a free
/// vertex.
fn target_of_hit(world: &AnyWorld, hit: &SoftHit) -> Option<DragTarget> {
    match hit.thing {
        SoftThing::Body(thing) => {
            let body = world.soft_body(thing).ok()?;
            let corners = match body.mesh() {
                Some(mesh) => mesh.mesh().indices().get(hit.part as usize)?.to_vec(),
                None => vec![hit.part],
            };
            let bound = bound_vertices(world, thing);
            let free = corners.into_iter().filter(|vertex| !bound.contains(vertex));
            let distance = |vertex: &u32| body.positions()[*vertex as usize].distance_squared(hit.point);
            let vertex = free.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            Some(DragTarget::Vertex { thing, vertex })
        }
        SoftThing::Particles(thing) => gripped(world, thing, hit.part),
    }
}

/// Returns the vertices that a scene has pinned or attached.
fn bound_vertices(world: &AnyWorld, thing: SoftBodyId) -> Vec<u32> {
    let Ok(body) = world.soft_body(thing) else { return Vec::new() };
    body.pinned().chain(body.attached().map(|(vertex, _)| vertex)).collect()
}

/// Returns a particle and the ones around it.
fn gripped(world: &AnyWorld, thing: ParticlesId, particle: u32) -> Option<DragTarget> {
    let particles = world.particles(thing).ok()?;
    let center = *particles.positions().get(particle as usize)?;
    let reach = GRIP_RADII * particles.radius();
    let offsets = particles.positions().iter().map(|position| *position - center);
    let near = (0..).zip(offsets).filter(|(_, offset)| offset.length_squared() <= reach * reach);
    Some(DragTarget::Particles { thing, held: near.collect() })
}

/// Returns the vertex or particle at the least angle from a ray, not farther than parameter `end`.
fn nearest_to_ray(world: &AnyWorld, ray: &Ray, end: f32) -> Option<Hit> {
    let length_sq = ray.direction.length_squared();
    let mut best: Option<(f32, Hit)> = None;
    for thing in world.soft_things() {
        let (positions, bound) = match thing {
            SoftThing::Body(id) => (world.soft_body(id).ok()?.positions(), bound_vertices(world, id)),
            SoftThing::Particles(id) => (world.particles(id).ok()?.positions(), Vec::new()),
        };
        for (part, position) in (0..).zip(positions) {
            let t = (*position - ray.origin).dot(ray.direction) / length_sq;
            let aside = position.distance(ray.at(t)) / ops::sqrt(t * t * length_sq);
            let is_near = 0.0 < t && t < end && aside <= MAX_GRIP_ANGLE;
            if !is_near || best.as_ref().is_some_and(|(least, _)| *least <= aside) || bound.contains(&part) {
                continue;
            }
            let held = match thing {
                SoftThing::Body(thing) => DragTarget::Vertex { thing, vertex: part },
                SoftThing::Particles(thing) => gripped(world, thing, part)?,
            };
            best = Some((aside, Hit::Soft(held, *position)));
        }
    }
    best.map(|(_, hit)| hit)
}

impl Drag {
    /// Takes hold of the first thing on a ray; `None` if that cannot be dragged. Things behind it
    /// are hidden.
    pub(crate) fn grab(world: &AnyWorld, origin: Vec3, direction: Vec3) -> Option<Drag> {
        match first_on_ray(world, origin, direction)? {
            Hit::Body(id, to) => {
                let body = world.body(id).ok()?;
                let local = body.pose().inverse_transform_point(to);
                let is_movable = body.mobility() == Mobility::Dynamic;
                is_movable.then_some(Drag { held: DragTarget::Body { body: id, local }, to })
            }
            Hit::Soft(held, to) => Some(Drag { held, to }),
        }
    }

    /// Pulls in the next step.
    pub(crate) fn pull(&self, world: &mut AnyWorld) -> Result<(), Error> {
        let part = (DRAG_STIFFNESS * STEP as f32).min(1.0);
        match &self.held {
            DragTarget::Body { body, local } => pull_body(world, *body, *local, self.to),
            DragTarget::Vertex { thing, vertex } => {
                let Some(at) = self.point(world) else { return Ok(()) };
                let step = ((self.to - at) * part).clamp_length_max(MAX_SOFT_SPEED * STEP as f32);
                world.soft_body_mut(*thing)?.pin(*vertex, at + step)?;
                Ok(())
            }
            DragTarget::Particles { thing, held } => {
                let Ok(particles) = world.particles(*thing) else { return Ok(()) };
                let positions = particles.positions();
                let velocity = |&(particle, offset): &(u32, Vec3)| {
                    let at = positions.get(particle as usize)?;
                    let velocity = (self.to + offset - *at) * DRAG_STIFFNESS;
                    Some((particle, velocity.clamp_length_max(MAX_SOFT_SPEED)))
                };
                let velocities: Vec<(u32, Vec3)> = held.iter().filter_map(velocity).collect();
                world.particles_mut(*thing)?.set_velocities(&velocities)?;
                Ok(())
            }
        }
    }

    /// Lets go.
    pub(crate) fn end(&self, world: &mut AnyWorld) -> Result<(), Error> {
        if let DragTarget::Vertex { thing, vertex } = self.held
            && world.soft_body(thing).is_ok()
        {
            world.soft_body_mut(thing)?.release(vertex)?;
        }
        Ok(())
    }

    /// Returns the point that is held, in the world; `None` if it was removed.
    pub fn point(&self, world: &AnyWorld) -> Option<Vec3> {
        match &self.held {
            DragTarget::Body { body, local } => {
                world.body(*body).ok().map(|body| body.pose().transform_point(*local))
            }
            DragTarget::Vertex { thing, vertex } => {
                world.soft_body(*thing).ok()?.positions().get(*vertex as usize).copied()
            }
            DragTarget::Particles { thing, held } => {
                // The particle without an offset is the one that the ray met.
                let (particle, _) = held.iter().find(|(_, offset)| *offset == Vec3::ZERO)?;
                world.particles(*thing).ok()?.positions().get(*particle as usize).copied()
            }
        }
    }
}

/// Applies the force of a pull at a point of a body.
///
/// The point is accelerated like a mass on a critically damped spring. The force follows from the
/// effective mass of the body at the point. A removed body is ignored.
fn pull_body(world: &mut AnyWorld, id: BodyId, local: Vec3, to: Vec3) -> Result<(), Error> {
    let Ok(body) = world.body(id).map(|body| *body.motion()) else { return Ok(()) };
    let point = body.pose.transform_point(local);
    let lever = point - body.world_center();
    let velocity = body.linear_velocity + body.angular_velocity.cross(lever);
    let cross = Mat3::from_cols(
        Vec3::new(0.0, lever.z, -lever.y),
        Vec3::new(-lever.z, 0.0, lever.x),
        Vec3::new(lever.y, -lever.x, 0.0),
    );
    let inverse_mass =
        Mat3::from_diagonal(Vec3::splat(body.inverse_mass)) - cross * body.world_inverse_inertia() * cross;
    let gravity = world.settings().solver.gravity * body.gravity_scale;
    let wanted =
        (to - point) * (DRAG_STIFFNESS * DRAG_STIFFNESS) - velocity * (2.0 * DRAG_STIFFNESS) - gravity;
    let force = inverse_mass.inverse() * wanted;
    if force.is_finite() {
        world.body_mut(id)?.apply_force_at(force, point)?;
    }
    Ok(())
}
