//! Soft things that are put elsewhere, such as by a respawn or a portal.
//!
//! - A cloth, a rope or a soft body keeps its shape, and no speed arises. All state that has a
//!   direction in the world turns with it.
//! - Pinned vertices go along with the positions to which they are pinned.
//! - Attached vertices go along, and stay attached. If their body did not go along too, both
//!   approach each other at a limited speed: see
//!   [`Attachment`](carom_particles::Attachment). The same happens if only the body jumps.
//!
//! Reference: `BodyMut::set_pose`, which does this for a body.

use crate::WorldError;
use crate::bodies::checks::unit_pose;
use crate::soft::error::{SoftError, check_finite};
use crate::soft::id::{SoftBodyId, SoftThing};
use crate::soft::set::{SoftSet, Thing, ThingKind};
use crate::soft::soft_body::{Constraint, SoftPart};
use crate::soft::views::{ParticlesMut, SoftBodyMut};
use alloc::vec::Vec;
use carom_math::{Pose, Quat, Vec3, rotation};
use carom_particles::ParticleError;

impl SoftBodyMut<'_> {
    /// Puts it elsewhere by a rigid motion: each vertex goes from `p` to
    /// `motion.transform_point(p)` in the world, and its velocity turns with it. It jumps: it gets
    /// no other velocity, and passes through what is on its way. Bodies that it then overlaps push
    /// it out.
    ///
    /// Pinned vertices go along with the positions to which they are pinned. Attached vertices stay
    /// attached: give their bodies the same motion, or both approach each other at a limited speed.
    /// Loads for the next step are dropped.
    ///
    /// Errors: a motion that is not finite or not rigid, or that leads beyond the range of meshes.
    /// Nothing changes then.
    pub fn transform(&mut self, motion: &Pose) -> Result<&mut Self, WorldError> {
        let motion = unit_pose(motion)?;
        self.set.transform(self.id, &motion)?;
        Ok(self)
    }

    /// Does the same as [`SoftBodyMut::transform`], without a rotation.
    ///
    /// Errors: an offset that is not finite, or that leads beyond the range of meshes. Nothing
    /// changes then.
    pub fn translate(&mut self, offset: Vec3) -> Result<&mut Self, WorldError> {
        check_finite(offset, "offset")?;
        self.transform(&Pose::from_translation(offset))
    }

    /// Sets the velocities of vertices, by their indices in
    /// [`SoftBodyRef::positions`](crate::SoftBodyRef::positions). Pinned vertices ignore it.
    ///
    /// Errors: the first index without a vertex, or a velocity that is not finite. Nothing changes
    /// then.
    pub fn set_velocities(&mut self, velocities: &[(u32, Vec3)]) -> Result<&mut Self, WorldError> {
        let thing = SoftThing::Body(self.id);
        self.set.change(thing, velocities, "velocity", |[position, _], velocity| [position, velocity])?;
        Ok(self)
    }
}

impl ParticlesMut<'_> {
    /// Puts particles elsewhere, by their indices in
    /// [`ParticlesRef::positions`](crate::ParticlesRef::positions). They jump: their velocities
    /// stay. Leave room for them: particles inside of others are pushed out, which makes them fast.
    ///
    /// Errors: the first index without a particle, or a position that is not finite. Nothing
    /// changes then.
    pub fn set_positions(&mut self, positions: &[(u32, Vec3)]) -> Result<&mut Self, WorldError> {
        let thing = SoftThing::Particles(self.id);
        self.set.change(thing, positions, "position", |[_, velocity], position| [position, velocity])?;
        Ok(self)
    }

    /// Sets the velocities of particles, by their indices in
    /// [`ParticlesRef::positions`](crate::ParticlesRef::positions).
    ///
    /// Errors: the first index without a particle, or a velocity that is not finite. Nothing
    /// changes then.
    pub fn set_velocities(&mut self, velocities: &[(u32, Vec3)]) -> Result<&mut Self, WorldError> {
        let thing = SoftThing::Particles(self.id);
        self.set.change(thing, velocities, "velocity", |[position, _], velocity| [position, velocity])?;
        Ok(self)
    }
}

impl SoftSet {
    /// Changes the position and the velocity of particles of a thing by their new values. Pinned
    /// ones stay as they are.
    fn change(
        &mut self,
        thing: SoftThing,
        values: &[(u32, Vec3)],
        what: &'static str,
        changed: impl Fn([Vec3; 2], Vec3) -> [Vec3; 2],
    ) -> Result<(), WorldError> {
        let mut ids = Vec::with_capacity(values.len());
        let thing = self.thing(thing);
        for &(vertex, value) in values {
            check_finite(value, what)?;
            let vertex = vertex as usize;
            let id = thing.and_then(|thing| thing.particle(vertex));
            ids.push(id.ok_or(SoftError::NoSuchVertex { vertex })?);
        }
        let solver = &mut self.solver;
        for (id, &(_, value)) in ids.into_iter().zip(values) {
            let is_free = solver.inverse_mass(id).is_some_and(|w| 0.0 < w);
            if let (Some(position), Some(velocity), true) =
                (solver.position(id), solver.velocity(id), is_free)
            {
                let [position, velocity] = changed([position, velocity], value);
                solver.set_particle(id, position, velocity).map_err(SoftError::from)?;
            }
        }
        self.read_particles();
        self.wake();
        Ok(())
    }

    /// Moves a soft body by a rigid motion.
    fn transform(&mut self, id: SoftBodyId, motion: &Pose) -> Result<(), SoftError> {
        let SoftSet { solver, slots, .. } = self;
        let thing = slots.get_mut(id.index() as usize).and_then(|slot| slot.thing.as_mut());
        let Some(Thing { kind: ThingKind::Body(part), ids, positions, velocities, .. }) = thing else {
            return Ok(());
        };
        let moved: Vec<Vec3> = positions.iter().map(|p| motion.transform_point(*p)).collect();
        if let Some(particle) = moved.iter().position(|p| !p.is_finite()) {
            return Err(ParticleError::BadParticle { particle }.into());
        }
        part.transform(motion, &moved)?;
        for ((id, position), velocity) in ids.iter().cloned().flatten().zip(moved).zip(&*velocities) {
            solver.set_particle(id, position, motion.transform_vector(*velocity))?;
        }
        self.read_particles();
        self.wake();
        Ok(())
    }
}

impl SoftPart {
    /// Moves what belongs to it and is not in the solver, with its vertices now at `positions`.
    fn transform(&mut self, motion: &Pose, positions: &[Vec3]) -> Result<(), SoftError> {
        let pins = self.pins.iter().map(|&(vertex, target)| (vertex, motion.transform_point(target)));
        let pins: Vec<(u32, Vec3)> = pins.collect();
        pins.iter().try_for_each(|(_, target)| check_finite(*target, "position"))?;
        self.follow(positions, false)?;
        self.pins = pins;
        self.loads.clear();
        self.constraint.turn(motion.rotation)
    }
}

impl Constraint {
    /// Turns the directions that it keeps from step to step.
    fn turn(&mut self, turn: Quat) -> Result<(), SoftError> {
        match self {
            Constraint::Cloth(_) => {}
            Constraint::Rope(rope) => {
                let turned = |[x, y, z]: [f64; 3]| {
                    let direction = Vec3::new(x as f32, y as f32, z as f32);
                    rotation::rotate(turn, direction).to_array().map(f64::from)
                };
                let memory = rope.memory().map(|[force, a, b, c, x, y, z]| {
                    let ([a, b, c], [x, y, z]) = (turned([a, b, c]), turned([x, y, z]));
                    [force, a, b, c, x, y, z]
                });
                rope.set_memory(&memory.collect::<Vec<_>>())?;
            }
            Constraint::Volume(body) => {
                let rotations = body.rotations().map(|own| rotation::normalize(rotation::mul(turn, own)));
                body.set_rotations(&rotations.collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }
}
