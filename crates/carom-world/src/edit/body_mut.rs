//! The view of a body for writing: [`World::body_mut`](crate::World::body_mut). This file has
//! pose, motion and shape; `body_settings.rs` has the rest.
//!
//! The view itself wakes nothing. A setter wakes the body and, if the change affects them, the
//! bodies that touch it. A setter that returns an error has changed nothing. Handle, joints and
//! contacts of the body stay.
//!
//! Reference: E. Catto, Box2D 3.1, body.h, 2025 (which properties of a body can be changed).

use crate::bodies::checks;
use crate::bodies::id::ColliderSlot;
use crate::bodies::size::Size;
use crate::contacts::rules::set;
use crate::world::DefaultBroadPhase;
use crate::{BodyId, World, WorldError};
use carom_broad::BroadPhase;
use carom_math::glam::DVec3;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_response::BodyKind;

/// A view of a body, for changes. Each setter returns the view, so calls can be chained.
pub struct BodyMut<'a, B: BroadPhase = DefaultBroadPhase> {
    pub(crate) world: &'a mut World<B>,
    /// The handle of a live body.
    pub(crate) id: BodyId,
}

impl<B: BroadPhase> core::fmt::Debug for BodyMut<'_, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("BodyMut").field(&self.id).finish()
    }
}

impl<B: BroadPhase> BodyMut<'_, B> {
    pub(crate) fn index(&self) -> usize {
        self.id.index as usize
    }

    /// Returns the handle of the body.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Sets the pose of the body in the world frame, and wakes it and the bodies that it touched.
    /// The body jumps: it gets no velocity, and carries no bodies. Only characters that stand on
    /// it move with it. To move a platform with its load use [`BodyMut::move_to`]. A rope or cloth
    /// that is attached to it follows at a limited speed, unless `SoftBodyMut::transform` takes it
    /// along.
    ///
    /// Errors: a pose that is not finite or not a rotation.
    pub fn set_pose(&mut self, pose: Pose) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let pose = Pose::try_new(pose.rotation, pose.translation)?;
        self.world.wake_around(self.id);
        self.world.bodies.motions[index].pose = pose;
        self.world.bodies.exact_positions.forget(index);
        // Its contacts are not moved along.
        if let Some(seen) = self.world.bodies.detected_poses.get_mut(index) {
            *seen = None;
        }
        self.world.refit(index);
        Ok(self)
    }

    /// Sets the position of the body's frame in the world frame: see [`BodyMut::set_pose`]. The
    /// rotation stays.
    ///
    /// Errors: a number that is not finite.
    pub fn set_position(&mut self, position: Vec3) -> Result<&mut Self, WorldError> {
        let rotation = self.world.bodies.motions[self.index()].pose.rotation;
        self.set_pose(Pose { rotation, translation: position })
    }

    /// Sets the rotation from the body's frame to the world: see [`BodyMut::set_pose`]. The
    /// position stays.
    ///
    /// Errors: not a unit quaternion.
    pub fn set_rotation(&mut self, rotation: Quat) -> Result<&mut Self, WorldError> {
        let position = self.world.bodies.exact_position(self.index());
        let translation = self.world.bodies.motions[self.index()].pose.translation;
        self.set_pose(Pose { rotation, translation })?;
        if position != translation.as_dvec3() {
            self.world.bodies.exact_positions.set(self.index(), translation, position);
        }
        Ok(self)
    }

    /// Sets the position of the body's frame as `f64`, and wakes it and the bodies that it
    /// touched: see [`World::origin`].
    ///
    /// Errors: a number that is not finite.
    pub fn set_wide_position(&mut self, position: DVec3) -> Result<&mut Self, WorldError> {
        let rotation = self.world.bodies.motions[self.index()].pose.rotation;
        let position = position - self.world.origin();
        let translation = position.as_vec3();
        self.set_pose(Pose { rotation, translation })?;
        self.world.bodies.exact_positions.set(self.index(), translation, position);
        Ok(self)
    }

    /// Sets the velocity of the centre of mass, or of the origin of a kinematic body, and wakes
    /// the body. World frame, length per time. A fixed body has no velocity, so it ignores this.
    ///
    /// Errors: a number that is not finite.
    pub fn set_linear_velocity(&mut self, velocity: Vec3) -> Result<&mut Self, WorldError> {
        let angular = self.world.bodies.motions[self.index()].angular_velocity;
        self.put_velocities(velocity, angular)
    }

    /// Sets the angular velocity about axes of the world, and wakes the body. Radians per time. A
    /// fixed body ignores this.
    ///
    /// Errors: a number that is not finite.
    pub fn set_angular_velocity(&mut self, velocity: Vec3) -> Result<&mut Self, WorldError> {
        let linear = self.world.bodies.motions[self.index()].linear_velocity;
        self.put_velocities(linear, velocity)
    }

    /// Sets both velocities of a body that is not fixed, and wakes it.
    pub(crate) fn put_velocities(&mut self, linear: Vec3, angular: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        checks::check_velocity(linear, angular)?;
        if self.world.bodies.motions[index].kind == BodyKind::Fixed {
            return Ok(self);
        }
        self.world.bodies.wake(index);
        let body = &mut self.world.bodies.motions[index];
        body.linear_velocity = linear;
        body.angular_velocity = angular;
        self.world.bodies.steering.stop(self.id.index);
        self.world.bodies.is_stale[index] |= self.world.bodies.is_suspended(index);
        self.world.expand_bounds_of(index);
        Ok(self)
    }

    /// Sets the force on the centre of mass and the torque that act on the body in each step from
    /// now on, and wakes it. Both are in the world frame: the force in mass times length per time
    /// squared (newtons), the torque in force times length.
    ///
    /// Errors: a number that is not finite.
    pub fn set_constant_force(&mut self, force: Vec3, torque: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        checks::check_finite(force, "force")?;
        checks::check_finite(torque, "torque")?;
        self.world.bodies.wake(index);
        let body = &mut self.world.bodies.motions[index];
        (body.force, body.torque) = (force, torque);
        Ok(self)
    }

    /// Changes the velocity of a dynamic body by an impulse at its centre of mass, and wakes it.
    /// World frame, mass times length per time.
    ///
    /// It moves no other body. A kinematic body that records its pushes, or has an impulse
    /// threshold, reports it after the next step: [`BodyRef::pushes`](crate::BodyRef::pushes).
    ///
    /// Errors: a number that is not finite.
    pub fn apply_impulse(&mut self, impulse: Vec3) -> Result<&mut Self, WorldError> {
        let center = self.world.bodies.motions[self.index()].world_center();
        self.apply_impulse_at(impulse, center)
    }

    /// Changes the velocities of a dynamic body by an impulse at a point of the world, and wakes
    /// it. For other bodies see [`BodyMut::apply_impulse`].
    ///
    /// Errors: a number that is not finite.
    pub fn apply_impulse_at(&mut self, impulse: Vec3, point: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        checks::check_finite(impulse, "impulse")?;
        checks::check_finite(point, "point")?;
        if self.world.bodies.motions[index].kind == BodyKind::Kinematic {
            return self.record_impulse(impulse);
        }
        let mut pushed = self.world.bodies.motions[index];
        pushed.apply_impulse(impulse, point);
        checks::check_velocity(pushed.linear_velocity, pushed.angular_velocity)?;
        self.world.bodies.wake(index);
        self.world.bodies.motions[index] = pushed;
        self.world.bodies.is_stale[index] |= self.world.bodies.is_suspended(index);
        self.world.expand_bounds_of(index);
        Ok(self)
    }

    /// Removes the pushes on the body, and the same pushes from the lists of the other bodies:
    /// [`BodyRef::recent_pushes`](crate::BodyRef::recent_pushes). So code that acts on pushes acts
    /// once.
    pub fn clear_pushes(&mut self) -> &mut Self {
        self.world.contacts.pushes.remove(self.id);
        self
    }

    /// Adds an impulse to those that a kinematic body reports after the next step.
    fn record_impulse(&mut self, impulse: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if self.world.bodies.traits[index].records_impulses() && self.world.bodies.is_enabled(index) {
            let impulses = &mut self.world.bodies.steering.impulses;
            let known = impulses.binary_search_by_key(&self.id.index, |(body, _)| *body);
            let sum = impulse + known.map_or(Vec3::ZERO, |slot| impulses[slot].1);
            checks::check_finite(sum, "impulse")?;
            set(impulses, self.id.index, Some(sum));
        }
        Ok(self)
    }

    /// Wakes the body and the bodies with which it fell asleep.
    pub fn wake(&mut self) -> &mut Self {
        let index = self.index();
        self.world.bodies.wake(index);
        self
    }

    /// Puts a dynamic body to sleep, without the bodies that it touches. Its velocities become
    /// zero, and forces that were applied for the next step are dropped.
    ///
    /// Steps do not move it, even in the air, until something wakes it. A moving body that touches
    /// it or is joined to it wakes it in the next step. So put whole stacks and ragdolls to sleep.
    /// A contact with a body at rest that begins does not wake it.
    ///
    /// Bodies that are not dynamic, are [disabled](BodyMut::set_enabled) or
    /// [may not sleep](BodyMut::set_can_sleep) ignore it. So does a world
    /// [without sleep](crate::SolverSettings::sleep).
    pub fn sleep(&mut self) -> &mut Self {
        self.world.put_to_sleep(self.id);
        self
    }

    /// Gives the body another shape, and wakes it and the bodies that it touched. Mass, centre of
    /// mass and inertia of a dynamic body stay, until a density or the list of colliders changes.
    ///
    /// Errors: the body has several colliders, or one with a pose of its own; use
    /// [`ColliderMut::set_shape`](crate::ColliderMut::set_shape) for these. Also an error: its
    /// parts have materials, and the shape has another number of parts.
    pub fn set_shape(&mut self, shape: Shape) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if self.world.bodies.traits[index].is_composite {
            return Err(WorldError::SeveralColliders(self.id));
        }
        self.world.bodies.part_materials.check_shape(self.id.index, ColliderSlot::FIRST.index, &shape)?;
        self.world.wake_around(self.id);
        self.world.bodies.keep_mass(index);
        self.world.bodies.deforming.forget(self.id.index);
        self.world.bodies.put_shape(index, Some(shape));
        self.world.forget_contacts_of(self.id);
        self.world.refit(index);
        Ok(self)
    }

    /// Applies a force at a point of the world in the next step only, and wakes the body. Force
    /// and point are in the world frame, the force in mass times length per time squared
    /// (newtons). Forces add up. A body that is not dynamic ignores them.
    ///
    /// For a constant force see [`BodyMut::set_constant_force`].
    ///
    /// Errors: a number that is not finite. The error names the force or the point, or the torque
    /// if only that is out of range.
    pub fn apply_force_at(&mut self, force: Vec3, point: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        checks::check_finite(force, "force")?;
        checks::check_finite(point, "point")?;
        let lever = point - self.world.bodies.motions[index].world_center();
        self.push(force, lever.cross(force))
    }

    /// Applies a force at the centre of mass in the next step only: see
    /// [`BodyMut::apply_force_at`].
    ///
    /// Errors: a number that is not finite.
    pub fn apply_force(&mut self, force: Vec3) -> Result<&mut Self, WorldError> {
        self.push(force, Vec3::ZERO)
    }

    /// Applies a torque in the next step only: see [`BodyMut::apply_force_at`]. World frame, force
    /// times length.
    ///
    /// Errors: a number that is not finite.
    pub fn apply_torque(&mut self, torque: Vec3) -> Result<&mut Self, WorldError> {
        self.push(Vec3::ZERO, torque)
    }

    fn push(&mut self, force: Vec3, torque: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let forces = &mut self.world.bodies.steering.forces;
        let known = forces.binary_search_by_key(&self.id.index, |(body, _)| *body);
        let [old, old_torque] = known.map_or([Vec3::ZERO; 2], |slot| forces[slot].1);
        let sum = [old + force, old_torque + torque];
        checks::check_finite(sum[0], "force")?;
        checks::check_finite(sum[1], "torque")?;
        let is_dynamic = self.world.bodies.motions[index].kind == BodyKind::Dynamic;
        if is_dynamic && !self.world.bodies.active.is_disabled(self.id.index) {
            set(forces, self.id.index, Some(sum));
            self.world.bodies.wake(index);
        }
        Ok(self)
    }

    /// Changes the angular momentum of a dynamic body, and wakes it. World frame, mass times area
    /// per time.
    ///
    /// Errors: a number that is not finite.
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let body = &self.world.bodies.motions[index];
        let angular = body.angular_velocity;
        checks::check_finite(impulse, "angular impulse")?;
        if body.kind != BodyKind::Dynamic {
            return Ok(self);
        }
        let angular = angular + body.world_inverse_inertia() * impulse;
        self.set_angular_velocity(angular)
    }

    /// Sets a target: in the next step a kinematic body moves to `pose`, in the world frame. On
    /// its way it pushes and carries other bodies.
    ///
    /// Its velocities are set for that step. In the step after that it stands still, unless it
    /// gets another target. Bodies that are not kinematic are not moved.
    ///
    /// Errors: a pose that is not finite or not a rotation.
    pub fn move_to(&mut self, pose: Pose) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let pose = Pose::try_new(pose.rotation, pose.translation)?;
        let is_kinematic = self.world.bodies.motions[index].kind == BodyKind::Kinematic;
        if is_kinematic && self.world.bodies.is_enabled(index) {
            set(&mut self.world.bodies.steering.targets, self.id.index, Some(pose));
        }
        Ok(self)
    }

    /// Deforms the mesh of a body: its vertices are at `positions` after the next step.
    ///
    /// `positions` are in the frame of the body, one for each vertex of the mesh; the triangles
    /// stay. In the step each vertex moves there in a straight line. Contacts get the velocity of
    /// the vertices, so a rising membrane throws a body up. Queries use the old mesh until the
    /// step. Call this before each step; in a step without a call the mesh is at rest. A second
    /// call before the step replaces the first. To move vertices without a velocity, use
    /// [`BodyMut::set_shape`].
    ///
    /// The middle of a body does not pass the mesh in the step, unless a joint or another body
    /// holds the body. Contacts are found as far ahead as the vertices move.
    ///
    /// Mass and inertia stay. The motion of the mesh may add energy. Bodies that touch the mesh
    /// wake, and stay awake while it moves.
    ///
    /// Errors: [`WorldError::NotAMesh`] for a shape that is not a `Shape::Mesh`.
    /// [`WorldError::Vertices`] for a wrong number of vertices, or for the first one that is not
    /// finite or too far away. Nothing is changed then. An earlier call before the same step stays
    /// valid.
    pub fn deform(&mut self, positions: &[Vec3]) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let Some(Shape::Mesh(now)) = &self.world.bodies.shapes[index] else {
            return Err(WorldError::NotAMesh(self.id));
        };
        let was_pending = self.world.bodies.deforming.next_of(self.id.index).is_some();
        let farthest = self.world.bodies.deforming.set_next(self.id.index, now, positions)?;
        self.world.bodies.keep_mass(index);
        self.world.bodies.sizes[index] = Size::Other;
        if 0.0 < farthest || was_pending {
            self.world.wake_around(self.id);
        }
        Ok(self)
    }
}
