//! Insertion and removal of soft things.
//!
//! Reference: M. Macklin et al., Unified Particle Physics for Real-Time Applications, 2014, 3
//! (groups of particles in one solver).

use crate::bodies::checks::unit_pose;
use crate::soft::desc::{CollisionRules, ParticlePhase, ParticlesDesc, SoftBodyDesc, SoftSettings};
use crate::soft::distance::ShapeDistance;
use crate::soft::error::{SoftError, check_finite};
use crate::soft::id::{ParticlesId, SoftBodyId, SoftThing};
use crate::soft::set::{SoftEvent, SoftSet, Thing, ThingKind, add_particles, add_solid, particle_settings};
use crate::soft::soft_body::{SoftPart, mean_edge};
use crate::{World, WorldError};
use alloc::boxed::Box;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::{Pose, Vec3};
use carom_particles::{MAX_PARTICLES, ParticleError, ParticleSolver};
use carom_query::{Shape, project_point};

/// The default thickness, in mean edges. The middle of a cell is 0.707 edges from its corners. So
/// a vertex of another layer cannot pass there without touching one of them.
const THICKNESS_PER_EDGE: f32 = 0.75;

/// The distance by which a particle of a filling may be outside, in radii. It bounds the rounding
/// of positions in a box that is exactly full.
const FILLING_SLACK: f32 = 1e-3;

impl<B: BroadPhase> World<B> {
    /// Adds a cloth, a rope or a soft body.
    ///
    /// Errors: [`WorldError::Soft`] names the first invalid number, vertex, triangle or
    /// tetrahedron. Nothing changes then.
    pub fn insert_soft_body(&mut self, desc: SoftBodyDesc) -> Result<SoftBodyId, WorldError> {
        let thickness =
            desc.thickness.unwrap_or_else(|| THICKNESS_PER_EDGE * mean_edge(&desc.kind, &desc.vertices));
        let radius = 0.5 * thickness;
        if desc.vertices.is_empty() {
            return Err(SoftError::Empty.into());
        }
        let n_solid = |set: &SoftSet| -> usize {
            set.things().filter(|thing| thing.soft_part().is_some()).map(|thing| thing.positions.len()).sum()
        };
        let first = self.soft.set.as_deref().map_or(0, n_solid);
        let part = SoftPart::new(&desc, first)?;
        let rules = [desc.friction_rule, desc.restitution_rule];
        let collision = CollisionRules { rules, filter: desc.filter };
        let id = self.add_to_soft_set(radius, false, |set| {
            let added = add_solid(&mut set.solver, &part, radius)?;
            for (id, vertex) in added.ids.clone().zip(&desc.vertices) {
                let is_pinned = set.solver.inverse_mass(id) == Some(0.0);
                let velocity = if is_pinned { Vec3::ZERO } else { desc.velocity };
                if let Err(error) = set.solver.set_particle(id, *vertex + desc.position, velocity) {
                    debug_assert!(false, "it was checked: {error:?}");
                }
            }
            let kind = ThingKind::Body(Box::new(part));
            let ids = alloc::vec![added.ids];
            Ok(set.add(Thing { kind, radius, collision, ids, positions: Vec::new(), velocities: Vec::new() }))
        })?;
        Ok(SoftBodyId { index: id.index(), generation: self.soft_generation(id) })
    }

    /// Adds particles of a liquid, a gas, or grains.
    ///
    /// Errors: [`WorldError::Soft`] names the first invalid number, particle or filling. Nothing
    /// changes then.
    pub fn insert_particles(&mut self, desc: ParticlesDesc) -> Result<ParticlesId, WorldError> {
        let ParticlesDesc { phase, radius, .. } = desc;
        let rules = [desc.friction_rule, desc.restitution_rule];
        let collision = CollisionRules { rules, filter: desc.filter };
        // An invalid radius gives an error before it is a divisor.
        let settings = particle_settings(radius, &self.soft.settings, self.settings.solver.gravity);
        ParticleSolver::new(settings).map_err(SoftError::from)?;
        check_finite(desc.velocity, "velocity")?;
        let phase = match phase {
            ParticlePhase::Grains(grains) => ParticlePhase::Grains(grains.with_radius(radius)),
            fluid => fluid,
        };
        let mut positions = desc.positions;
        for (filling, (shape, pose)) in desc.fillings.iter().enumerate() {
            fill(shape, pose, radius, filling, &mut positions)?;
        }
        if positions.is_empty() {
            return Err(SoftError::Empty.into());
        }
        if let Some(particle) = positions.iter().position(|p| !p.is_finite()) {
            return Err(SoftError::from(ParticleError::BadParticle { particle }).into());
        }
        let id = self.add_to_soft_set(radius, phase.is_fluid(), |set| {
            let first = set.solver.n_particles() as u32;
            let group = add_particles(&mut set.solver, &phase, &positions)?;
            for (id, position) in (first..).zip(&positions) {
                if let Err(error) = set.solver.set_particle(id, *position, desc.velocity) {
                    debug_assert!(false, "it was checked: {error:?}");
                }
            }
            let kind = ThingKind::Particles(phase, group);
            let ids = alloc::vec![first..first + positions.len() as u32];
            Ok(set.add(Thing { kind, radius, collision, ids, positions, velocities: Vec::new() }))
        })?;
        Ok(ParticlesId { index: id.index(), generation: self.soft_generation(id) })
    }

    /// Removes a soft body. All soft things wake. The next step reports the end of its contacts.
    ///
    /// Errors: a stale handle.
    pub fn remove_soft_body(&mut self, id: SoftBodyId) -> Result<(), WorldError> {
        self.remove_soft(SoftThing::Body(id), WorldError::StaleSoftBody(id))
    }

    /// Removes particles. All soft things wake. The next step reports the end of their contacts.
    ///
    /// Errors: a stale handle.
    pub fn remove_particles(&mut self, id: ParticlesId) -> Result<(), WorldError> {
        self.remove_soft(SoftThing::Particles(id), WorldError::StaleParticles(id))
    }

    fn remove_soft(&mut self, id: SoftThing, stale: WorldError) -> Result<(), WorldError> {
        let set = self.soft.set.as_deref_mut().ok_or(stale)?;
        set.thing(id).ok_or(stale)?;
        Ok(set.remove(id)?)
    }

    /// Returns the soft things of the world, by ascending index.
    pub fn soft_things(&self) -> impl Iterator<Item = SoftThing> + '_ {
        self.soft.set.iter().flat_map(|set| set.things_with_ids()).map(|(id, _)| id)
    }

    /// Returns the contacts of soft things with bodies that began or ended in the last step,
    /// sorted. Soft things do not touch sensors. A contact also ends if the thing or the body was
    /// removed; the event has the old handle.
    pub fn soft_events(&self) -> &[SoftEvent] {
        self.soft.set.as_ref().map_or(&[], |set| &set.events)
    }

    /// Returns the settings of soft things.
    pub fn soft_settings(&self) -> &SoftSettings {
        &self.soft.settings
    }

    /// Sets the settings of soft things, from the next step on. If one changed, they wake.
    ///
    /// Errors: a setting out of its range. Nothing changes then.
    pub fn set_soft_settings(&mut self, settings: SoftSettings) -> Result<(), WorldError> {
        ParticleSolver::new(particle_settings(1.0, &settings, Vec3::ZERO)).map_err(SoftError::from)?;
        if self.soft.settings != settings {
            self.soft.settings = settings;
            self.wake_soft();
        }
        Ok(())
    }

    /// Adds a thing to the set of the world. The solver has the radius of the first thing, and
    /// later that of the first fluid. If it gets another radius, the thing is added to a new set,
    /// which then replaces that of the world. So nothing is changed on an error.
    fn add_to_soft_set(
        &mut self,
        radius: f32,
        is_fluid: bool,
        add: impl FnOnce(&mut SoftSet) -> Result<SoftThing, SoftError>,
    ) -> Result<SoftThing, WorldError> {
        let gravity = self.settings.solver.gravity;
        let mut made = match self.soft.set.as_deref_mut() {
            None => SoftSet::new(radius, &self.soft.settings, gravity)?,
            Some(set) if set.keeps_radius(radius, is_fluid)? => return Ok(add(set)?),
            Some(set) => set.with_radius(radius)?,
        };
        let id = add(&mut made)?;
        self.soft.set = Some(Box::new(made));
        Ok(id)
    }

    fn soft_generation(&self, id: SoftThing) -> u32 {
        self.soft.set.as_ref().map_or(0, |set| set.slots[id.index() as usize].generation)
    }
}

impl SoftSet {
    /// Whether the radius of the solver stays if a thing of this radius is added.
    ///
    /// Errors: a fluid of another radius than that of other fluids.
    fn keeps_radius(&self, radius: f32, is_fluid: bool) -> Result<bool, SoftError> {
        let expected = self.solver.settings().radius;
        let is_of_fluid =
            |thing: &Thing| matches!(thing.kind, ThingKind::Particles(phase, _) if phase.is_fluid());
        if radius == expected {
            return Ok(true);
        }
        if is_fluid && self.things().any(is_of_fluid) {
            return Err(SoftError::OtherRadius { expected, given: radius });
        }
        // Without any thing the next one is the first again.
        Ok(!is_fluid && self.things().next().is_some())
    }
}

/// Adds the points of a lattice whose balls are inside of a shape.
fn fill(
    shape: &Shape,
    pose: &Pose,
    radius: f32,
    filling: usize,
    out: &mut Vec<Vec3>,
) -> Result<(), SoftError> {
    let bad = SoftError::BadFilling { filling };
    let aabb = shape.aabb(&Pose::IDENTITY);
    let (size, spacing) = (aabb.max - aabb.min, 2.0 * radius);
    let pose = unit_pose(pose).map_err(|_| bad)?;
    if !size.is_finite() {
        return Err(bad);
    }
    let n = (size / spacing + FILLING_SLACK).floor();
    if !(1.0 <= n.min_element()) {
        return Err(bad);
    }
    if (MAX_PARTICLES as f32) < n.x * n.y * n.z {
        return Err(ParticleError::TooMany.into());
    }
    let corner = aabb.min + 0.5 * (size - n * spacing) + radius;
    let [nx, ny, nz] = n.to_array().map(|n| n as u32);
    let before = out.len();
    let distance = ShapeDistance::new(shape, 0.0);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let point = corner + Vec3::new(i as f32, j as f32, k as f32) * spacing;
                let is_known = || {
                    let found = project_point(shape, &Pose::IDENTITY, point);
                    found.is_some_and(|found| found.inside.is_some())
                };
                if distance.at(point).0 <= radius * (FILLING_SLACK - 1.0) && is_known() {
                    out.push(pose.transform_point(point));
                }
            }
        }
    }
    if out.len() == before { Err(bad) } else { Ok(()) }
}
