//! Views of one soft thing, for reads and for changes.
//!
//! Reference: M. Macklin et al., Unified Particle Physics for Real-Time Applications, 2014, 3.

use crate::bodies::BodySet;
use crate::soft::error::{SoftError, check_finite};
use crate::soft::id::{ParticlesId, SoftBodyId, SoftThing};
use crate::soft::set::{SoftSet, Thing, ThingKind, add_particles};
use crate::soft::soft_body::{Held, SoftPart};
use crate::{BodyId, Filter, World, WorldError};
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_particles::{ParticleError, SurfaceMesh};
use carom_query::{MeshShape, Shape};
use carom_response::CombineRule;

impl<B: BroadPhase> World<B> {
    /// Returns a view of a soft body.
    ///
    /// Errors: a stale handle.
    pub fn soft_body(&self, id: SoftBodyId) -> Result<SoftBodyRef<'_>, WorldError> {
        let stale = WorldError::StaleSoftBody(id);
        let set = self.soft.set.as_deref().ok_or(stale)?;
        let thing = set.thing(SoftThing::Body(id)).ok_or(stale)?;
        let part = thing.soft_part().ok_or(stale)?;
        Ok(SoftBodyRef { id, set, thing, part })
    }

    /// Returns a view that changes a soft body.
    ///
    /// Errors: a stale handle.
    pub fn soft_body_mut(&mut self, id: SoftBodyId) -> Result<SoftBodyMut<'_>, WorldError> {
        self.soft_body(id)?;
        let World { soft, bodies, .. } = self;
        let set = soft.set.as_deref_mut().ok_or(WorldError::StaleSoftBody(id))?;
        Ok(SoftBodyMut { id, set, bodies })
    }

    /// Returns the soft body with a number, [`SoftBodyId::index`]; `None` if none has it.
    pub fn soft_body_at(&self, index: u32) -> Option<SoftBodyId> {
        let set = self.soft.set.as_deref()?;
        let slot = set.slots.get(index as usize)?;
        slot.thing.as_ref()?.soft_part()?;
        Some(SoftBodyId { index, generation: slot.generation })
    }

    /// Returns a view of particles.
    ///
    /// Errors: a stale handle.
    pub fn particles(&self, id: ParticlesId) -> Result<ParticlesRef<'_>, WorldError> {
        let stale = WorldError::StaleParticles(id);
        let set = self.soft.set.as_deref().ok_or(stale)?;
        let thing = set.thing(SoftThing::Particles(id)).ok_or(stale)?;
        Ok(ParticlesRef { id, set, thing })
    }

    /// Returns a view that changes particles.
    ///
    /// Errors: a stale handle.
    pub fn particles_mut(&mut self, id: ParticlesId) -> Result<ParticlesMut<'_>, WorldError> {
        self.particles(id)?;
        let set = self.soft.set.as_deref_mut().ok_or(WorldError::StaleParticles(id))?;
        Ok(ParticlesMut { id, set })
    }
}

/// A view of a cloth, a rope or a soft body.
#[derive(Clone, Copy)]
pub struct SoftBodyRef<'w> {
    id: SoftBodyId,
    set: &'w SoftSet,
    thing: &'w Thing,
    part: &'w SoftPart,
}

impl<'w> SoftBodyRef<'w> {
    /// Returns the positions of its vertices in the world.
    pub fn positions(&self) -> &'w [Vec3] {
        &self.thing.positions
    }

    /// Returns the velocities of its vertices in the world frame, length per second.
    pub fn velocities(&self) -> &'w [Vec3] {
        &self.thing.velocities
    }

    /// Returns the surface of a cloth or of tetrahedra, in the world; `None` for a rope. Its
    /// vertices are those of the soft body.
    pub fn mesh(&self) -> Option<&'w MeshShape> {
        self.part.mesh.as_deref()
    }

    /// Returns half of its thickness: the radius of the ball around each vertex.
    pub fn radius(&self) -> f32 {
        self.thing.radius
    }

    /// Returns the coefficient of friction, and the rule by which it is combined with that of a
    /// body.
    pub fn friction(&self) -> (f32, CombineRule) {
        (self.part.friction, self.thing.collision.rules[0])
    }

    /// Returns the surface of [`SoftBodyRef::mesh`] as a shape, at the identity pose.
    pub fn shape(&self) -> Option<Shape> {
        self.part.mesh.clone().map(Shape::Mesh)
    }

    /// Returns its handle.
    pub fn id(&self) -> SoftBodyId {
        self.id
    }

    pub(crate) fn part(&self) -> &'w SoftPart {
        self.part
    }

    /// Returns its mass, pinned vertices included.
    pub fn mass(&self) -> f32 {
        self.part.mass()
    }

    /// Returns the mass of a vertex, also of a pinned one; `None` if there is no such vertex.
    pub fn vertex_mass(&self, vertex: u32) -> Option<f32> {
        self.part.masses.get(vertex as usize).copied()
    }

    /// Returns the pinned vertices, ascending.
    pub fn pinned(&self) -> impl Iterator<Item = u32> + 'w {
        self.part.pins.iter().map(|(vertex, _)| *vertex)
    }

    /// Returns the attached vertices, ascending, with their bodies.
    pub fn attached(&self) -> impl Iterator<Item = (u32, BodyId)> + 'w {
        self.part.held.iter().map(|held| (held.vertex, held.body))
    }

    /// Returns the bodies that it touched in the last step, sorted.
    pub fn touching(&self) -> impl Iterator<Item = BodyId> + 'w {
        touching(self.set, SoftThing::Body(self.id))
    }

    /// Whether it sleeps. All soft things of a world sleep together.
    pub fn is_sleeping(&self) -> bool {
        self.set.resting.is_sleeping
    }
}

fn touching(set: &SoftSet, thing: SoftThing) -> impl Iterator<Item = BodyId> + '_ {
    set.touching.iter().filter(move |(other, _)| *other == thing).map(|(_, body)| *body)
}

/// A view that changes a soft body. A change wakes all soft things of the world.
pub struct SoftBodyMut<'w> {
    pub(crate) id: SoftBodyId,
    pub(crate) set: &'w mut SoftSet,
    bodies: &'w BodySet,
}

impl SoftBodyMut<'_> {
    /// Pins a vertex: it moves in a straight line to `position` in the next step, and stays there
    /// under any force. Call it in each step to move the vertex.
    ///
    /// Errors: no such vertex, or a position that is not finite.
    pub fn pin(&mut self, vertex: u32, position: Vec3) -> Result<&mut Self, WorldError> {
        check_finite(position, "position")?;
        let particle = self.particle(vertex)?;
        if let Some(part) = self.part() {
            part.held.retain(|held| held.vertex != vertex);
            match part.pins.binary_search_by_key(&vertex, |(pinned, _)| *pinned) {
                Ok(index) => part.pins[index].1 = position,
                Err(index) => part.pins.insert(index, (vertex, position)),
            }
        }
        self.set.solver.set_inverse_mass(particle, 0.0).map_err(SoftError::from)?;
        self.set.wake();
        Ok(self)
    }

    /// Attaches a vertex to a body, at its present point in the body's frame. The body pulls the
    /// vertex, and the vertex the body. A sensor holds it too. The removal of the body releases it.
    ///
    /// Errors: no such vertex, a stale handle of a body, or a body that is so far away that the
    /// point is not finite.
    pub fn attach(&mut self, vertex: u32, body: BodyId) -> Result<&mut Self, WorldError> {
        let pose = self.bodies.motions[self.bodies.index_of(body)?].pose;
        let position = self.thing().and_then(|thing| thing.positions.get(vertex as usize)).copied();
        let point = position.map(|position| pose.inverse_transform_point(position));
        point.map_or(Ok(()), |point| check_finite(point, "attached point"))?;
        self.release(vertex)?;
        if let (Some(point), Some(part)) = (point, self.part()) {
            let index = part.held.partition_point(|held| held.vertex < vertex);
            part.held.insert(index, Held { vertex, body, point });
        }
        Ok(self)
    }

    /// Releases a vertex that was pinned or attached.
    ///
    /// Errors: no such vertex.
    pub fn release(&mut self, vertex: u32) -> Result<&mut Self, WorldError> {
        let particle = self.particle(vertex)?;
        let mut inverse_mass = 0.0;
        if let Some(part) = self.part() {
            part.held.retain(|held| held.vertex != vertex);
            part.pins.retain(|(pinned, _)| *pinned != vertex);
            inverse_mass = part.inverse_mass(vertex);
        }
        self.set.solver.set_inverse_mass(particle, inverse_mass).map_err(SoftError::from)?;
        self.set.wake();
        Ok(self)
    }

    /// Applies a force to the soft body in the next step only, distributed by mass. World frame,
    /// mass times length per second squared (newtons). Forces add up.
    ///
    /// Errors: a force that is not finite.
    pub fn apply_force(&mut self, force: Vec3) -> Result<&mut Self, WorldError> {
        if let Some(part) = self.part() {
            let sum = part.force + force;
            check_finite(sum, "force")?;
            part.force = sum;
        }
        self.set.wake();
        Ok(self)
    }

    /// Sets the filter: the soft body meets the bodies that pass it. A body that it then meets and
    /// overlaps is pushed out.
    pub fn set_filter(&mut self, filter: Filter) -> &mut Self {
        self.set.change_collision(SoftThing::Body(self.id), |collision| collision.filter = filter);
        self
    }

    /// Sets the rules for its friction and restitution on bodies.
    pub fn set_rules(&mut self, friction: CombineRule, restitution: CombineRule) -> &mut Self {
        self.set.change_collision(SoftThing::Body(self.id), |collision| {
            collision.rules = [friction, restitution]
        });
        self
    }

    /// Sets the velocity of all vertices that are not pinned. World frame, length per second.
    ///
    /// Errors: a velocity that is not finite.
    pub fn set_velocity(&mut self, velocity: Vec3) -> Result<&mut Self, WorldError> {
        check_finite(velocity, "velocity")?;
        let n = self.thing().map_or(0, |thing| thing.positions.len() as u32);
        let all: Vec<(u32, Vec3)> = (0..n).map(|vertex| (vertex, velocity)).collect();
        self.set_velocities(&all)
    }

    /// Wakes it, and all soft things of the world.
    pub fn wake(&mut self) -> &mut Self {
        self.set.wake();
        self
    }

    /// Whether a body is enabled.
    ///
    /// Errors: a stale handle.
    pub(crate) fn is_enabled(&self, body: BodyId) -> Result<bool, WorldError> {
        Ok(self.bodies.is_enabled(self.bodies.index_of(body)?))
    }

    fn thing(&self) -> Option<&Thing> {
        self.set.thing(SoftThing::Body(self.id))
    }

    pub(crate) fn part(&mut self) -> Option<&mut SoftPart> {
        self.set.thing_mut(SoftThing::Body(self.id))?.soft_part_mut()
    }

    /// Returns the id of a vertex in the solver.
    fn particle(&self, vertex: u32) -> Result<u32, SoftError> {
        let vertex = vertex as usize;
        self.thing().and_then(|thing| thing.particle(vertex)).ok_or(SoftError::NoSuchVertex { vertex })
    }
}

/// A view of particles.
#[derive(Clone, Copy)]
pub struct ParticlesRef<'w> {
    id: ParticlesId,
    set: &'w SoftSet,
    thing: &'w Thing,
}

impl<'w> ParticlesRef<'w> {
    /// Returns their positions in the world.
    pub fn positions(&self) -> &'w [Vec3] {
        &self.thing.positions
    }

    /// Returns their velocities in the world frame, length per second, in the same order.
    pub fn velocities(&self) -> &'w [Vec3] {
        &self.thing.velocities
    }

    /// Returns their radius.
    pub fn radius(&self) -> f32 {
        self.thing.radius
    }

    /// Returns the surface around them for drawing, with cells of this size.
    ///
    /// Errors: a size that is out of its range, or for which the surface is too large; no
    /// particles.
    pub fn surface(&self, cell: f32) -> Result<SurfaceMesh, WorldError> {
        let group = match self.thing.kind {
            ThingKind::Particles(_, group) if !self.thing.ids.is_empty() => group,
            ThingKind::Particles(..) | ThingKind::Body(_) => None,
        };
        let group = group.ok_or(SoftError::Empty)?;
        Ok(self.set.solver.surface(group, cell).map_err(SoftError::from)?)
    }

    /// Returns the bodies that they touched in the last step, sorted.
    pub fn touching(&self) -> impl Iterator<Item = BodyId> + 'w {
        touching(self.set, SoftThing::Particles(self.id))
    }

    /// Whether they sleep. All soft things of a world sleep together.
    pub fn is_sleeping(&self) -> bool {
        self.set.resting.is_sleeping
    }
}

/// A view that changes particles. A change wakes all soft things of the world.
pub struct ParticlesMut<'w> {
    pub(crate) id: ParticlesId,
    pub(crate) set: &'w mut SoftSet,
}

impl ParticlesMut<'_> {
    /// Sets the filter: the particles meet the bodies that pass it. A body that they then meet and
    /// overlap pushes them out.
    pub fn set_filter(&mut self, filter: Filter) -> &mut Self {
        self.set.change_collision(SoftThing::Particles(self.id), |collision| collision.filter = filter);
        self
    }

    /// Sets the rules for their friction and restitution on bodies.
    pub fn set_rules(&mut self, friction: CombineRule, restitution: CombineRule) -> &mut Self {
        self.set.change_collision(SoftThing::Particles(self.id), |collision| {
            collision.rules = [friction, restitution]
        });
        self
    }

    /// Adds particles at these positions, with this velocity, after the existing ones. World
    /// frame, the velocity in length per second. Leave room for them: particles inside of others
    /// are pushed out, which makes them fast.
    ///
    /// Errors: a velocity or the first position that is not finite, or too many particles. Nothing
    /// changes then.
    pub fn emit(&mut self, positions: &[Vec3], velocity: Vec3) -> Result<&mut Self, WorldError> {
        let bad = |particle| SoftError::from(ParticleError::BadParticle { particle });
        check_finite(velocity, "velocity")?;
        if let Some(particle) = positions.iter().position(|p| !p.is_finite()) {
            return Err(bad(particle).into());
        }
        let first = self.set.solver.n_particles() as u32;
        let SoftSet { solver, slots, .. } = &mut *self.set;
        let thing = slots[self.id.index as usize].thing.as_mut();
        if let Some(Thing { kind: ThingKind::Particles(phase, group), ids, .. }) = thing
            && !positions.is_empty()
        {
            match *group {
                Some(group) => {
                    let velocities = alloc::vec![velocity; positions.len()];
                    solver.emit(group, positions, &velocities).map_err(SoftError::from)?;
                }
                None => {
                    *group = add_particles(solver, phase, positions)?;
                    for (id, position) in (first..).zip(positions) {
                        solver.set_particle(id, *position, velocity).map_err(SoftError::from)?;
                    }
                }
            }
            ids.push(first..first + positions.len() as u32);
        }
        self.set.find_owners();
        self.set.wake();
        Ok(self)
    }

    /// Removes particles, by their indices in [`ParticlesRef::positions`]. The others keep their
    /// order.
    ///
    /// Errors: the first index without a particle. Nothing changes then.
    #[doc(alias = "remove")]
    pub fn kill(&mut self, indices: &[u32]) -> Result<&mut Self, WorldError> {
        let mut killed = alloc::vec::Vec::with_capacity(indices.len());
        let thing = self.set.thing(SoftThing::Particles(self.id));
        for &vertex in indices {
            let vertex = vertex as usize;
            let id = thing.and_then(|thing| thing.particle(vertex));
            killed.push(id.ok_or(SoftError::NoSuchVertex { vertex })?);
        }
        killed.sort_unstable();
        let removed = self.set.solver.remove_where(|id| killed.binary_search(&id).is_ok());
        self.set.renumber(&removed.map_err(SoftError::from)?);
        Ok(self)
    }

    /// Wakes them, and all soft things of the world.
    pub fn wake(&mut self) -> &mut Self {
        self.set.wake();
        self
    }
}
