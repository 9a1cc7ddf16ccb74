//! Input for the next step only: forces, and target poses of kinematic bodies.
//!
//! A kinematic body with a target gets the velocities that bring it there in one step. So it pushes
//! and carries other bodies. At the end of the step it is exactly at the target. In the next step
//! it stands still, unless it gets another target.
//!
//! A deferred call moves kinematic bodies, and applies no forces. Forces on a suspended body are
//! kept until a step moves it.
//!
//! Reference: E. Catto, Box2D 3.1, `b2Body_SetTargetTransform` and `b2Body_ApplyForce`, 2025.

use crate::World;
use crate::bodies::BodySet;
use crate::bodies::force_fields::FieldTimes;
use crate::bodies::step_forces::StepForces;
use crate::contacts::pushes::PairPush;
use crate::continuous::flight::between;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::Vec3;
use carom_response::{Body, BodyKind, SolverSettings};

impl<B: BroadPhase> World<B> {
    /// At the start of a step of length `dt`: sets the velocities of kinematic bodies with a
    /// target. Stops those that reached their target in the step before.
    pub(crate) fn start_for_targets(&mut self, dt: f32) {
        if dt == 0.0 {
            return;
        }
        for (body, ()) in core::mem::take(&mut self.bodies.steering.arrived) {
            let body = &mut self.bodies.motions[body as usize];
            (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        for k in 0..self.bodies.steering.targets.len() {
            let (number, target) = self.bodies.steering.targets[k];
            let index = number as usize;
            let body = &mut self.bodies.motions[index];
            let turn = between(body.pose.rotation.as_dquat(), target.rotation.as_dquat());
            let linear = (target.translation - body.pose.translation) / dt;
            let angular = (turn / f64::from(dt)).as_vec3();
            // If a velocity overflows, the body is put at the target without one.
            if linear.is_finite() && angular.is_finite() {
                (body.linear_velocity, body.angular_velocity) = (linear, angular);
            }
            self.expand_bounds_of(index);
        }
    }

    /// In a step with time: records the impulses that were applied to kinematic bodies, for
    /// [`BodyRef::pushes`](crate::BodyRef::pushes).
    pub(crate) fn report_applied_impulses(&mut self) {
        let impulses = core::mem::take(&mut self.bodies.steering.impulses);
        let pushes = impulses.into_iter().filter_map(|(number, impulse)| {
            let a = self.body_at(number)?;
            let point = self.bodies.motions[number as usize].world_center();
            Some(PairPush {
                a,
                b: None,
                impulse,
                point,
                approach_speed: 0.0,
                age: 0,
                #[cfg(feature = "soft")]
                thing: None,
            })
        });
        let pushes: Vec<PairPush> = pushes.collect();
        self.contacts.pushes.record(pushes);
    }

    /// After the solver: puts kinematic bodies exactly at their targets.
    pub(crate) fn arrive(&mut self) {
        let targets = core::mem::take(&mut self.bodies.steering.targets);
        for &(body, target) in &targets {
            self.bodies.motions[body as usize].pose = target;
        }
        self.bodies.steering.arrived = targets.into_iter().map(|(body, _)| (body, ())).collect();
    }

    /// Adds the forces of this step and of force fields to the constant forces. Returns the
    /// constant forces, for [`World::end_forces`].
    pub(crate) fn begin_forces(&mut self, dt: f32) -> Vec<OwnForces> {
        let mut before = Vec::new();
        for (number, [force, torque], replaces_gravity) in self.forces_of_step(dt) {
            let body = &mut self.bodies.motions[number as usize];
            let Body { force: own_force, torque: own_torque, gravity_scale, .. } = *body;
            before.push(OwnForces { body: number, force: own_force, torque: own_torque, gravity_scale });
            let sum = [own_force + force, own_torque + torque];
            // If the sum overflows, only the constant force acts.
            if sum.iter().all(|v| v.is_finite()) {
                [body.force, body.torque] = sum;
                body.gravity_scale = if replaces_gravity { 0.0 } else { gravity_scale };
            }
        }
        before
    }

    /// Returns by body, ascending: force and torque that act in this step only, of length `dt`, and
    /// whether they replace the gravity of the settings.
    fn forces_of_step(&self, dt: f32) -> Vec<(u32, [Vec3; 2], bool)> {
        let BodySet { motions, active, steering, force_fields, traits, .. } = &self.bodies;
        // A budget may allow fewer substeps than the settings.
        let times = self.field_times(dt, self.solver.settings());
        if force_fields.is_empty() {
            let forces = steering.forces.iter().filter(|(body, _)| active.moves(*body));
            return forces.map(|&(body, forces)| (body, forces, false)).collect();
        }
        let is_dynamic = |body: &&u32| motions[**body as usize].kind == BodyKind::Dynamic;
        let with_fields = active.moving().iter().filter(is_dynamic).map(|&number| {
            let index = number as usize;
            let groups = traits[index].filter.membership;
            let ([force, torque], replaces_gravity) = force_fields.on(&motions[index], groups, times);
            let known = steering.forces.binary_search_by_key(&number, |(body, _)| *body);
            let [own_force, own_torque] = known.map_or([Vec3::ZERO; 2], |slot| steering.forces[slot].1);
            (number, [force + own_force, torque + own_torque], replaces_gravity)
        });
        with_fields.collect()
    }

    /// Returns gravity and forces on a body in the next step, of length `dt`, without a budget.
    /// They come from the settings, force fields, constant forces, and forces of this step.
    pub(crate) fn step_forces_on(&self, number: u32, dt: f32) -> StepForces {
        let times = self.field_times(dt, &self.settings.solver);
        self.bodies.step_forces_on(number, self.settings.solver.gravity, times)
    }

    fn field_times(&self, dt: f32, settings: &SolverSettings) -> FieldTimes {
        FieldTimes::of(dt, self.solver.n_substeps(settings, dt))
    }

    /// After the bodies moved: restores the constant forces, and drops the forces of this step,
    /// except those of bodies that did not move.
    pub(crate) fn end_forces(&mut self, before: &[OwnForces], has_moved: bool) {
        for own in before {
            let body = &mut self.bodies.motions[own.body as usize];
            (body.force, body.torque, body.gravity_scale) = (own.force, own.torque, own.gravity_scale);
        }
        if has_moved {
            let is_used = |body: u32| before.binary_search_by_key(&body, |own| own.body).is_ok();
            self.bodies.steering.forces.retain(|&(body, _)| !is_used(body));
        }
    }
}

/// The constant forces of a body, stored while forces of a step act as well.
pub(crate) struct OwnForces {
    body: u32,
    force: Vec3,
    torque: Vec3,
    gravity_scale: f32,
}
