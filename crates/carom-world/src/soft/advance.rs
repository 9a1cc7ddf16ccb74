//! The step of soft things among bodies, and their forces on the bodies.
//!
//! - Soft things collide with the bodies near them, as these are at the start of the step. Dynamic
//!   bodies are solved first and fixed ones last. So at the end of an iteration no particle is
//!   deep in a floor.
//! - Within the particle solver, pushes move dynamic bodies. There gravity acts only on bodies
//!   without support.
//! - The sum of the pushes is an impulse. It acts as a constant force during the rest of the step,
//!   so a body that floats at rest does not move at all.
//!
//! Reference: M. Macklin et al., Unified Particle Physics for Real-Time Applications, 2014, 6
//! (rigid bodies among particles).

use crate::bodies::checks::check_finite;
use crate::bodies::shift::Shift;
use crate::bodies::step_forces::StepForces;
use crate::contacts::ContactSet;
use crate::contacts::rules::set;
use crate::soft::colliding_particles::CollidingParticles;
use crate::soft::distance::ShapeDistance;
use crate::soft::error::SoftError;
use crate::soft::fields::SoftFields;
use crate::soft::loads::LoadTolerance;
use crate::soft::part_surfaces::{ParticleRules, surface_of};
use crate::soft::resting::{Mark, Push};
use crate::soft::set::{SoftEvent, SoftSet, Thing};
use crate::soft::supports::{Borne, NearBodies};
use crate::stats::Clock;
use crate::{BodyId, Filter, World, WorldError};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_math::{Mat3, Vec3};
use carom_particles::{
    AccelerationFn, Attachment, BodyBoundary, ContactTarget, DistanceFn, MeetsFn, ParticleMotion, SolidPass,
    SurfaceFn, Surroundings,
};
use carom_query::Shape;
use carom_response::{Body, BodyKind, SolverSettings};

/// The distance up to which distances are exact, in radii of the solver. A liquid queries within
/// its reach of about four radii, and a contact within four.
const NEAR_RADII: f32 = 8.0;

/// The push of particles on a body in a step, which acts as a constant force.
#[derive(Clone, Copy, Debug)]
struct BodyPush {
    /// The sums of the impulses and angular impulses of particles. They wake the body.
    felt: [Vec3; 2],
    /// Those that act on it: without what the contacts that bear it answered.
    push: [Vec3; 2],
    /// How it moved a body that holds vertices and that nothing bears.
    held: Option<HeldMotion>,
}

/// How particles moved a body that they hold, and other forces with them.
#[derive(Clone, Copy, Debug)]
struct HeldMotion {
    /// The impulse and the angular impulse, each times the time from its substep to the end of the
    /// step, over the length of the step.
    travel: [Vec3; 2],
    /// The impulses of other forces in the step.
    others: [Vec3; 2],
    /// The number of substeps of the particles.
    n_substeps: u32,
}

/// The push of particles on a body that they hold, until it is known in how many substeps the
/// bodies move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldPush {
    body: u32,
    push: [Vec3; 2],
    motion: HeldMotion,
}

impl BodyPush {
    /// Returns the push of particles on a body.
    fn of(boundary: &BodyBoundary<'_>) -> BodyPush {
        let felt = [boundary.impulse, boundary.angular_impulse];
        let push = [felt[0] + boundary.taken[0], felt[1] + boundary.taken[1]];
        BodyPush { felt, push, held: None }
    }

    /// Returns the same for a body that they hold. They make this number of substeps in a step.
    fn of_held(boundary: &BodyBoundary<'_>, dt: f32, n_substeps: u32) -> BodyPush {
        let BodyPush { felt, push, .. } = BodyPush::of(boundary);
        // Other forces act in both, or they and what bears the body cancel each other.
        let is_free = boundary.acceleration != Vec3::ZERO && 0.0 < boundary.inverse_mass;
        let gravity = if is_free { boundary.acceleration * (dt / boundary.inverse_mass) } else { -push[0] };
        let others = [gravity, if is_free { Vec3::ZERO } else { -push[1] }];
        let travel = [boundary.travel / dt, boundary.angular_travel / dt];
        BodyPush { felt, push, held: Some(HeldMotion { travel, others, n_substeps }) }
    }
}

impl HeldPush {
    /// Returns the part of the push that acts at the start of the step. With it the body gets to
    /// where it was among the particles. They may have pushed it early or late in the step. A
    /// constant force alone would leave it beside a rope that holds it. The rope would correct
    /// that with the next push, and more so in each step.
    ///
    /// `n_substeps` are those of the bodies in this step.
    fn early(&self, n_substeps: u32) -> [Vec3; 2] {
        let HeldPush { push, motion: HeldMotion { travel, others, .. }, .. } = *self;
        // In a single substep both act alike.
        if n_substeps <= 1 {
            return [Vec3::ZERO; 2];
        }
        // A constant force moves a body by this part of the impulse times the step.
        let [theirs, own] = [self.motion.n_substeps, n_substeps].map(|n| 0.5 + 0.5 / n as f32);
        [0, 1].map(|k| (travel[k] - push[k] * own + others[k] * (theirs - own)) / (1.0 - own))
    }
}

impl<B: BroadPhase> World<B> {
    /// Whether soft things move in this step even if no body does.
    pub(crate) fn is_soft_awake(&self) -> bool {
        self.soft.set.as_ref().is_some_and(|set| !set.resting.is_sleeping)
    }

    /// Begins the soft part of a step: drops the events of the last one. Wakes sleeping soft things
    /// if their settings changed, or if a body was put near them or away from them. The step itself
    /// notices the latter only if a body moves.
    pub(crate) fn begin_soft(&mut self, dt: f32) {
        self.note_changed_bodies();
        let Some(mut soft) = self.soft.set.take() else { return };
        soft.events.clear();
        if 0.0 < dt {
            let SolverSettings { gravity, sleep_speed, length_unit, .. } = self.settings.solver;
            let (gravity, sleep_speed) = (gravity.length(), sleep_speed * length_unit);
            soft.compare_loads(LoadTolerance { gravity, sleep_speed });
        }
        if soft.resting.is_sleeping && 0.0 < dt {
            let gravity = self.settings.solver.gravity;
            let is_disturbed = soft.has_other_settings(&self.soft.settings, gravity)
                || core::mem::take(&mut soft.are_bodies_changed) && {
                    let near = self.bodies_near(&soft, &soft.holders(), self.strongest(&soft, dt), dt);
                    let near = self.with_bearers(near).bodies;
                    soft.resting.near != self.marks(&near)
                };
            if is_disturbed {
                soft.wake_loaded();
            }
        }
        self.soft.set = Some(soft);
    }

    /// Keeps in mind that bodies changed, before a detection forgets it.
    pub(crate) fn note_changed_bodies(&mut self) {
        if let Some(set) = self.soft.set.as_deref_mut() {
            set.are_bodies_changed |= self.contacts.is_changed;
        }
    }

    /// Returns the strongest acceleration of soft things.
    fn strongest(&self, soft: &SoftSet, dt: f32) -> f32 {
        let gravity = self.settings.solver.gravity;
        SoftFields::of(soft, &self.bodies.force_fields, gravity)
            .map_or(gravity.length(), |fields| fields.strongest(soft, dt).max(gravity.length()))
    }

    /// Wakes all soft things.
    pub(crate) fn wake_soft(&mut self) {
        if let Some(set) = self.soft.set.as_deref_mut() {
            set.wake();
        }
    }

    /// Whether soft things sleep, and each body near them is as it was when they fell asleep.
    pub(crate) fn is_soft_undisturbed(&self) -> bool {
        let resting = self.soft.set.as_deref().map(|set| &set.resting);
        resting.is_some_and(|resting| {
            resting.is_sleeping && self.marks_of(&resting.near).is_some_and(|marks| marks == resting.near)
        })
    }

    /// Moves soft things along with the frame of the world, after its bodies. Sleeping ones wake
    /// if they were disturbed before.
    ///
    /// Errors: a vertex beyond the range of meshes.
    pub(crate) fn shift_soft(&mut self, shift: Shift, was_undisturbed: bool) -> Result<(), SoftError> {
        let Some(mut set) = self.soft.set.take() else { return Ok(()) };
        if set.resting.is_sleeping {
            match self.marks_of(&set.resting.near).filter(|_| was_undisturbed) {
                Some(marks) => set.resting.near = marks,
                None => set.wake(),
            }
        }
        let shifted = set.shift(shift);
        self.soft.set = Some(set);
        shifted
    }

    /// Drops the loads of a body that was disabled, and wakes soft things if there were any.
    pub(crate) fn drop_loads_of(&mut self, id: BodyId) {
        if let Some(set) = self.soft.set.as_deref_mut()
            && set.drop_loads_of(id)
        {
            set.wake();
        }
    }

    /// At the end of a call that a budget defers: drops the loads of that call.
    pub(crate) fn drop_loads(&mut self) {
        self.soft.set.iter_mut().for_each(|set| set.drop_loads());
    }

    /// Wakes soft things if one of them touches the body.
    pub(crate) fn wake_soft_on(&mut self, id: BodyId) {
        let Some(set) = self.soft.set.as_deref_mut() else { return };
        if set.touching.iter().any(|&(_, body)| body == id) {
            set.wake();
        }
    }

    /// Steps soft things by `dt` seconds, and wakes bodies that they push. Returns the pushes on
    /// bodies that they hold, for [`World::divide_pushes`].
    pub(crate) fn step_soft(&mut self, dt: f32) -> Result<Vec<HeldPush>, WorldError> {
        let Some(mut soft) = self.soft.set.take() else { return Ok(Vec::new()) };
        let clock = Clock::start();
        let stepped = self.step_soft_set(&mut soft, dt);
        self.last.stats.times.soft = clock.since_start();
        self.soft.set = Some(soft);
        let (is_woken, held) = stepped?;
        if is_woken {
            self.bodies.active.apply_changes(&self.bodies.motions);
            self.contacts.collect_active_pairs(&self.bodies);
        }
        Ok(held)
    }

    /// Divides pushes on bodies that particles hold: a part of each acts at the start of the step,
    /// and the rest stays a force. `n_substeps` are those of the bodies in this step.
    pub(crate) fn divide_pushes(&mut self, pushes: &[HeldPush], dt: f32, n_substeps: u32) {
        for push in pushes {
            let early = push.early(n_substeps);
            let forces = &mut self.bodies.steering.forces;
            let known = forces.binary_search_by_key(&push.body, |(body, _)| *body);
            let [force, torque] = known.map_or([Vec3::ZERO; 2], |index| forces[index].1);
            let rest = [force - early[0] / dt, torque - early[1] / dt];
            // If the difference overflows, all of the push acts as a force.
            if !rest.iter().all(|v| v.is_finite()) {
                continue;
            }
            set(forces, push.body, Some(rest));
            let body = &mut self.bodies.motions[push.body as usize];
            body.linear_velocity += body.locked_axes.free_translation(early[0] * body.inverse_mass);
            body.angular_velocity += body.world_inverse_inertia() * early[1];
        }
    }

    /// Steps the set. Returns whether a body woke, and the pushes on bodies that it holds.
    fn step_soft_set(&mut self, soft: &mut SoftSet, dt: f32) -> Result<(bool, Vec<HeldPush>), WorldError> {
        let gravity = self.settings.solver.gravity;
        soft.apply_settings(&self.soft.settings, gravity, dt)?;
        let holders = soft.holders();
        let near = self.bodies_near(soft, &holders, self.strongest(soft, dt), dt);
        let NearBodies { bodies: near, n_met, contacts } = self.with_bearers(near);
        let is_moving = near.iter().any(|&body| self.moves_among_soft(body));
        let marks = self.marks(&near);
        if soft.resting.is_sleeping && !is_moving && soft.resting.near == marks {
            return Ok((false, Vec::new()));
        }
        if soft.resting.is_sleeping {
            soft.wake_loaded();
        }
        let accelerations: Vec<Vec3> =
            near.iter().map(|&body| self.acceleration_among_soft(body, dt)).collect();
        let mut places: Vec<(u32, u32)> = near.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place_of = |body: u32| {
            let found = places.binary_search_by_key(&body, |(body, _)| *body).ok();
            found.map(|found| places[found].1)
        };
        let borne: Vec<Borne> =
            near.iter().zip(&contacts).map(|(&body, own)| self.borne(body, own, place_of)).collect();
        let reach = NEAR_RADII * soft.largest_radius();
        let solid = |&body: &u32| self.solid_among_soft(body).map(|shape| ShapeDistance::new(shape, reach));
        let shapes: Vec<Option<ShapeDistance<'_>>> = near.iter().map(solid).collect();
        let distance_of = |shape: &'_ Option<ShapeDistance<'_>>, point: Vec3| match shape {
            Some(shape) => shape.at(point),
            None => (f32::MAX, Vec3::Y),
        };
        let distances: Vec<_> =
            shapes.iter().map(|shape| move |point: Vec3| distance_of(shape, point)).collect();
        let (belts, rules) = (&self.contacts.belts, ParticleRules::of(soft));
        let surfaces: Vec<_> =
            near.iter().map(|&body| self.bodies.contact_materials(body, belts, &rules, dt)).collect();
        let colliding: Vec<CollidingParticles> = near
            .iter()
            .zip(&distances)
            .map(|(&body, distance)| {
                CollidingParticles::of(soft, &self.bodies, body, |point| distance(point).0)
            })
            .collect();
        let colliding: Vec<_> = colliding.iter().map(CollidingParticles::test).collect();
        let mut boundaries: Vec<BodyBoundary<'_>> = Vec::with_capacity(near.len());
        for (((((&body, distance), surface), meets), acceleration), borne) in
            near.iter().zip(&distances).zip(&surfaces).zip(&colliding).zip(accelerations).zip(&borne)
        {
            let boundary = self.boundary_of(body, distance, acceleration, borne);
            let surface_at = surface.as_ref().map(|surface| surface as SurfaceFn<'_>);
            let meets = meets.as_ref().map(|meets| meets as MeetsFn<'_>);
            let is_met = boundaries.len() < n_met;
            boundaries.push(BodyBoundary { surface_at, meets, is_met, ..boundary });
        }
        let ids: Vec<BodyId> = near.iter().map(|&body| self.bodies.id_at(body)).collect();
        let fields = SoftFields::of(soft, &self.bodies.force_fields, gravity);
        let field_at = fields.as_ref().map(|fields| |motion: &ParticleMotion| fields.at(motion));
        let acceleration = field_at.as_ref().map(|field_at| field_at as AccelerationFn<'_>);
        let before = self.velocities_for_pushes(soft, &near);
        soft.advance(dt, &ids, &mut boundaries, acceleration)?;
        let n_substeps = soft.solver.settings().substeps;
        let push_of = |(boundary, id): (&BodyBoundary<'_>, &BodyId)| {
            if holders.binary_search(id).is_ok() && boundary.supports.is_empty() {
                BodyPush::of_held(boundary, dt, n_substeps)
            } else {
                BodyPush::of(boundary)
            }
        };
        let pushes: Vec<BodyPush> = boundaries.iter().zip(&ids).map(push_of).collect();
        drop(boundaries);
        drop(surfaces);
        drop(fields);
        if let Some(before) = before {
            self.record_soft_pushes(soft, &near, &before);
        }
        let (is_woken, held) = self.push_bodies(soft, &near, &pushes, dt)?;
        let settings = &self.settings.solver;
        let is_at_rest =
            soft.note_rest(dt, settings.sleep_speed * settings.length_unit, settings.sleep_delay);
        if is_at_rest && settings.sleep && !is_moving && !is_woken {
            soft.fall_asleep(marks);
        }
        Ok((is_woken, held))
    }

    /// Returns the shape that soft things do not enter; `None` for a sensor.
    pub(crate) fn solid_among_soft(&self, body: u32) -> Option<&Shape> {
        let index = body as usize;
        self.bodies.solid_shape(index).filter(|_| !self.bodies.traits[index].is_sensor)
    }

    /// Returns the bodies near soft things, and those with vertices attached to them, the sorted
    /// `holders`: dynamic ones, then kinematic ones, then fixed ones.
    ///
    /// `acceleration` is the strongest one of soft things.
    fn bodies_near(&self, soft: &SoftSet, holders: &[BodyId], acceleration: f32, dt: f32) -> Vec<u32> {
        let margin = |thing: &Thing| {
            let fastest = thing.velocities.iter().map(|v| v.length_squared()).fold(0.0, f32::max);
            NEAR_RADII * thing.radius + (carom_math::ops::sqrt(fastest) + acceleration * dt) * dt
        };
        let boxes: Vec<(Aabb, Filter)> = soft
            .things()
            .filter_map(|thing| Some((thing.aabb(margin(thing))?, thing.collision.filter)))
            .collect();
        let holds = |body: u32| holders.binary_search(&self.bodies.id_at(body)).is_ok();
        let is_near = |body: u32| {
            let index = body as usize;
            let Some(proxy) = self.bodies.proxies[index] else { return false };
            if self.bodies.traits[index].is_sensor {
                return holds(body);
            }
            let motion = &self.bodies.motions[index];
            let aabb = self.broad.aabb(proxy);
            let travel = motion.linear_velocity.length() * dt;
            let touches = |aabb: &Aabb| {
                let overlaps =
                    |b: &Aabb| (aabb.min - travel).cmple(b.max).all() && b.min.cmple(aabb.max + travel).all();
                boxes.iter().any(|(b, filter)| overlaps(b) && self.bodies.passes(body, filter))
            };
            aabb.is_ok_and(|aabb| touches(&aabb)) || holds(body)
        };
        let mut near: Vec<u32> =
            (0..self.bodies.motions.len() as u32).filter(|&body| is_near(body)).collect();
        near.sort_by_key(|&body| match self.bodies.motions[body as usize].kind {
            BodyKind::Dynamic => 0,
            BodyKind::Kinematic => 1,
            BodyKind::Fixed => 2,
        });
        near
    }

    /// Whether a body near soft things keeps them awake: it moves, or its surface does.
    fn moves_among_soft(&self, body: u32) -> bool {
        let motion = &self.bodies.motions[body as usize];
        if self.contacts.belts.of(body).is_some() || self.bodies.deforming.next_of(body).is_some() {
            return true;
        }
        match motion.kind {
            _ if !self.bodies.is_enabled(body as usize) => false,
            BodyKind::Fixed => false,
            BodyKind::Kinematic => motion.is_moving_kinematic(),
            BodyKind::Dynamic => !motion.is_sleeping,
        }
    }

    /// Returns the state of the bodies on which the sleep of soft things depends.
    fn marks(&self, near: &[u32]) -> Vec<Mark> {
        near.iter().map(|&body| self.mark(body)).collect()
    }

    /// Returns the present state of bodies; `None` if one was removed.
    fn marks_of(&self, known: &[Mark]) -> Option<Vec<Mark>> {
        known.iter().map(|(id, ..)| Some(self.mark(self.bodies.index_of(*id).ok()? as u32))).collect()
    }

    fn mark(&self, body: u32) -> Mark {
        let pose = self.bodies.motions[body as usize].pose;
        let at_origin = Aabb { min: pose.translation, max: pose.translation };
        let aabb = self.solid_among_soft(body).map_or(at_origin, |shape| shape.aabb(&pose));
        (self.bodies.id_at(body), pose, aabb)
    }

    /// Returns the acceleration of a body in the particle solver, besides the particles. It is zero
    /// for a body that rests on another one or is in a joint.
    fn acceleration_among_soft(&mut self, number: u32, dt: f32) -> Vec3 {
        let body = &self.bodies.motions[number as usize];
        let is_free = body.kind == BodyKind::Dynamic
            && self.bodies.active.moves(number)
            && self.joints.of(number).is_empty();
        if !is_free {
            return Vec3::ZERO;
        }
        let ContactSet { pairs_by_body, pairs, states, .. } = &mut self.contacts;
        let mut is_supported = false;
        pairs_by_body.visit(pairs, number, |index| {
            is_supported |= states[index].is_touching && !states[index].is_sensor;
        });
        if is_supported {
            return Vec3::ZERO;
        }
        let StepForces { gravity, force, .. } = self.step_forces_on(number, dt);
        let body = &self.bodies.motions[number as usize];
        let all = gravity + force * body.inverse_mass;
        if all.is_finite() { body.locked_axes.free_translation(all) } else { Vec3::ZERO }
    }

    /// Returns a body as a boundary for particles.
    fn boundary_of<'a>(
        &self,
        number: u32,
        distance: DistanceFn<'a>,
        acceleration: Vec3,
        borne: &'a Borne,
    ) -> BodyBoundary<'a> {
        let (body, traits) = (&self.bodies.motions[number as usize], &self.bodies.traits[number as usize]);
        let is_dynamic =
            body.kind == BodyKind::Dynamic && !self.bodies.stands(number as usize) && !borne.is_held;
        let moves = self.bodies.active.moves(number) && body.kind != BodyKind::Fixed;
        let velocity = |v: Vec3| if moves { v } else { Vec3::ZERO };
        // In the body's frame, without the locked rotations.
        let turn = body.pose.rotation_matrix();
        let inverse_inertia = if body.locked_axes.is_empty() {
            body.inverse_inertia
        } else {
            turn.transpose() * body.world_inverse_inertia() * turn
        };
        BodyBoundary {
            surface: surface_of(traits),
            center_of_mass: body.center_of_mass,
            inverse_mass: if is_dynamic { body.inverse_mass } else { 0.0 },
            inverse_inertia: if is_dynamic { inverse_inertia } else { Mat3::ZERO },
            free_axes: body.locked_axes.free_translation(Vec3::ONE),
            linear_velocity: velocity(body.linear_velocity),
            angular_velocity: velocity(body.angular_velocity),
            acceleration,
            supports: &borne.supports,
            ..BodyBoundary::fixed(distance, body.pose)
        }
    }

    /// Applies the pushes of particles on bodies as forces in this step. Returns whether a body
    /// woke, and the pushes on bodies that particles hold.
    fn push_bodies(
        &mut self,
        soft: &mut SoftSet,
        near: &[u32],
        pushes: &[BodyPush],
        dt: f32,
    ) -> Result<(bool, Vec<HeldPush>), WorldError> {
        let settings = &self.settings.solver;
        let sleep_speed = settings.sleep_speed * settings.length_unit;
        let mut is_woken = false;
        let (mut kept, mut all_held) = (Vec::new(), Vec::new());
        for (&number, &BodyPush { felt, push, held }) in near.iter().zip(pushes) {
            let body: &Body = &self.bodies.motions[number as usize];
            if body.kind != BodyKind::Dynamic || self.bodies.stands(number as usize) {
                continue;
            }
            let id = self.bodies.id_at(number);
            let known = soft.pushes.binary_search_by_key(&id, |push| push.body);
            let mut own = known.map_or(Push::none(id), |index| soft.pushes[index]);
            let is_pushed = [felt, push] != [[Vec3::ZERO; 2]; 2];
            let acts = !body.is_sleeping || own.miss(felt, body, sleep_speed);
            if acts && is_pushed {
                if body.is_sleeping {
                    self.bodies.wake(number as usize);
                    is_woken = true;
                }
                let forces = &mut self.bodies.steering.forces;
                let old = forces.binary_search_by_key(&number, |(body, _)| *body);
                let [force, torque] = old.map_or([Vec3::ZERO; 2], |index| forces[index].1);
                let sum = [force + push[0] / dt, torque + push[1] / dt];
                check_finite(sum[0], "force")?;
                check_finite(sum[1], "torque")?;
                set(forces, number, Some(sum));
                all_held.extend(held.map(|motion| HeldPush { body: number, push, motion }));
            }
            if acts {
                own.note(felt);
            }
            if own != Push::none(id) {
                kept.push(own);
            }
        }
        // A sleeping body that lost its push because the thing under it is gone.
        for own in &soft.pushes {
            let Some(number) = self
                .bodies
                .index_of(own.body)
                .ok()
                .filter(|&body| self.bodies.motions[body].is_sleeping && !near.contains(&(body as u32)))
            else {
                continue;
            };
            let mut own = *own;
            if own.miss([Vec3::ZERO; 2], &self.bodies.motions[number], sleep_speed) {
                self.bodies.wake(number);
                is_woken = true;
            } else {
                kept.push(own);
            }
        }
        kept.sort_by_key(|push| push.body);
        soft.pushes = kept;
        Ok((is_woken, all_held))
    }
}

impl SoftSet {
    /// Returns the bodies to which vertices are attached, sorted.
    fn holders(&self) -> Vec<BodyId> {
        let parts = self.things().filter_map(|thing| thing.soft_part());
        let mut holders: Vec<BodyId> = parts.flat_map(|part| &part.held).map(|held| held.body).collect();
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Releases the vertices that are attached to a body, which is removed.
    pub(crate) fn release_from(&mut self, body: BodyId) {
        let mut is_released = self.drop_loads_of(body);
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            let before = part.held.len();
            part.held.retain(|held| held.body != body);
            is_released |= part.held.len() < before;
        }
        if is_released {
            self.wake();
        }
    }

    /// Returns the largest radius of a particle.
    fn largest_radius(&self) -> f32 {
        self.things().map(|thing| thing.radius).fold(self.solver.settings().radius, f32::max)
    }

    /// Steps all things by `dt` seconds among these bodies. After an error the particles are as
    /// before, and the loads of the step are dropped.
    fn advance<'f>(
        &mut self,
        dt: f32,
        bodies: &[BodyId],
        boundaries: &mut [BodyBoundary<'f>],
        acceleration: Option<AccelerationFn<'f>>,
    ) -> Result<(), SoftError> {
        let advanced = self.before(dt, bodies).and_then(|attachments| {
            let loaded = self.lay_loads(dt);
            let advanced = self.advance_loaded(dt, boundaries, &attachments, acceleration);
            self.unload(&loaded);
            advanced
        });
        if advanced.is_err() {
            self.put_back_particles();
            self.drop_loads();
            return advanced;
        }
        for part in self.things_mut().filter_map(|thing| thing.soft_part_mut()) {
            part.force = Vec3::ZERO;
            part.last_loads = core::mem::take(&mut part.loads);
        }
        // Otherwise the contacts are those of the step before, with its bodies.
        if self.solver.has_time(dt) {
            self.note_touching(bodies);
        }
        Ok(())
    }

    /// Puts all particles back to where they were at the end of the last step, or were set since.
    fn put_back_particles(&mut self) {
        let SoftSet { solver, slots, .. } = self;
        for thing in slots.iter().filter_map(|slot| slot.thing.as_ref()) {
            let states = thing.positions.iter().zip(&thing.velocities);
            for (id, (position, velocity)) in thing.ids.iter().cloned().flatten().zip(states) {
                let put = solver.set_particle(id, *position, *velocity);
                debug_assert!(put.is_ok(), "the particle was there: {put:?}");
            }
        }
    }

    /// Does so with the loads on the vertices.
    fn advance_loaded<'f>(
        &mut self,
        dt: f32,
        boundaries: &mut [BodyBoundary<'f>],
        attachments: &[Attachment],
        acceleration: Option<AccelerationFn<'f>>,
    ) -> Result<(), SoftError> {
        let SoftSet { solver, slots, .. } = self;
        let mut failed = None;
        let mut constraints = |pass: &mut SolidPass<'_>| {
            let things = slots.iter_mut().filter_map(|slot| slot.thing.as_mut());
            for part in things.filter_map(|thing| thing.soft_part_mut()) {
                if let Err(error) = pass.project(part.constraint_mut()) {
                    failed.get_or_insert(error);
                }
            }
        };
        let mut around = Surroundings {
            bodies: boundaries,
            attachments,
            constraints: Some(&mut constraints),
            acceleration,
            ..Surroundings::default()
        };
        solver.step_in(dt, &mut around)?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        let pins = attachments.iter().filter(|held| !boundaries[held.body as usize].is_moved());
        let mut pins: Vec<u32> = pins.map(|held| held.particle).collect();
        pins.sort_unstable();
        self.after(dt, &pins)
    }

    /// Prepares the step: pinned vertices get the velocities that move them to their targets, and
    /// the forces of this step act. Returns the attachments to bodies.
    fn before(&mut self, dt: f32, bodies: &[BodyId]) -> Result<Vec<Attachment>, SoftError> {
        let mut attachments = Vec::new();
        let SoftSet { solver, slots, .. } = self;
        for thing in slots.iter().filter_map(|slot| slot.thing.as_ref()) {
            let first = thing.ids.first().map_or(0, |range| range.start);
            let (Thing { positions, velocities, .. }, Some(part)) = (thing, thing.soft_part()) else {
                continue;
            };
            let change = part.force * (dt / part.mass());
            if change != Vec3::ZERO {
                for (k, (position, velocity)) in (0..).zip(positions.iter().zip(velocities)) {
                    if 0.0 < part.inverse_mass(k) {
                        solver.set_particle(first + k, *position, *velocity + change)?;
                    }
                }
            }
            for &(vertex, target) in &part.pins {
                let position = positions[vertex as usize];
                solver.set_particle(first + vertex, position, (target - position) / dt)?;
            }
            for held in &part.held {
                if let Some(body) = bodies.iter().position(|id| *id == held.body) {
                    let (particle, body) = (first + held.vertex, body as u32);
                    attachments.push(Attachment { particle, body, point: held.point });
                }
            }
        }
        Ok(attachments)
    }

    /// Finishes the step: moves pinned vertices to their targets, damps velocities, tears cloth,
    /// and updates the meshes. Damping sees the velocities of pinned vertices in the step. They are
    /// zero afterwards. `held` are the particles that bodies pinned, ascending.
    fn after(&mut self, dt: f32, held: &[u32]) -> Result<(), SoftError> {
        let SoftSet { solver, slots, .. } = self;
        let mut solids: [Vec<Vec3>; 2] = [Vec::new(), Vec::new()];
        let mut inverse_masses = Vec::new();
        let mut things: Vec<&mut Thing> = slots.iter_mut().filter_map(|slot| slot.thing.as_mut()).collect();
        for thing in &mut things {
            let first = thing.ids.first().map_or(0, |range| range.start);
            let Some(part) = thing.soft_part_mut() else { continue };
            for &(vertex, target) in &part.pins {
                let velocity = solver.velocity(first + vertex).unwrap_or(Vec3::ZERO);
                solver.set_particle(first + vertex, target, velocity)?;
            }
        }
        // Sorted by the index among the particles of all soft bodies.
        things.retain(|thing| thing.soft_part().is_some());
        things.sort_by_key(|thing| thing.ids.first().map_or(0, |range| range.start));
        for thing in &things {
            for id in thing.ids.iter().cloned().flatten() {
                solids[0].extend(solver.position(id));
                solids[1].extend(solver.velocity(id));
                let is_held = held.binary_search(&id).is_ok();
                inverse_masses.extend(if is_held { Some(0.0) } else { solver.inverse_mass(id) });
            }
        }
        let [positions, velocities] = &mut solids;
        for thing in &mut things {
            let first = thing.ids.first().map_or(0, |range| range.start);
            let Some(part) = thing.soft_part_mut() else { continue };
            let range = part.constraint_mut().particles();
            if part.is_damped() {
                part.constraint_mut().damp(positions, velocities, &inverse_masses, dt)?;
                for (id, k) in (first..).zip(range.clone()) {
                    solver.set_particle(id, positions[k], velocities[k])?;
                }
            }
            for &(vertex, target) in &part.pins {
                solver.set_particle(first + vertex, target, Vec3::ZERO)?;
            }
            let is_torn = part.tear(positions)?;
            part.follow(&positions[range], is_torn)?;
        }
        self.read_particles();
        Ok(())
    }

    /// Finds the pairs of a thing and a body that touch, and the events.
    fn note_touching(&mut self, bodies: &[BodyId]) {
        let before = core::mem::take(&mut self.touching);
        let of_contacts = self.solver.contacts().iter().filter_map(|contact| match contact.touched {
            ContactTarget::Body(body) => Some((contact.particle, body)),
            _ => None,
        });
        let of_impulses = self.solver.body_impulses().iter().map(|impulse| (impulse.particle, impulse.body));
        let mut numbers: Vec<(u32, u32)> = of_contacts
            .chain(of_impulses)
            .map(|(particle, body)| (self.owners[particle as usize], body))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut touching: Vec<_> =
            numbers.into_iter().map(|(thing, body)| (self.id_at(thing), bodies[body as usize])).collect();
        for (id, thing) in self.things_with_ids() {
            let loads = thing.soft_part().map_or(&[][..], |part| &part.last_loads);
            touching.extend(loads.iter().map(|load| (id, load.body)));
        }
        touching.sort_unstable();
        touching.dedup();
        let began = touching.iter().filter(|pair| before.binary_search(pair).is_err());
        let ended = before.iter().filter(|pair| touching.binary_search(pair).is_err());
        let event = |began: bool| move |&(thing, body): &_| SoftEvent { thing, body, began };
        self.events.extend(began.map(event(true)));
        self.events.extend(ended.map(event(false)));
        self.events.sort_unstable();
        self.touching = touching;
    }
}
