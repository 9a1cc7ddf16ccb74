//! Mass, momenta and energy of a body, in `f64`.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 5.3 (kinetic energy and angular momentum
//! of a rigid body).

use carom_math::{Pose, Vec3};
use carom_response::{Body, BodyKind, Energy};
use carom_world::BodyId;
use glam::DVec3;

/// A body at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) id: BodyId,
    body: Body,
    pub(crate) kind: BodyKind,
    pub(crate) pose: Pose,
    /// 0 for a body that is not dynamic.
    pub(crate) mass: f64,
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// About the centre of mass.
    pub(crate) angular_momentum: DVec3,
    /// With the lag of the integration; 0 for a body that is not dynamic.
    pub(crate) energy: Energy,
    /// The force of gravity on it.
    pub(crate) weight: DVec3,
    /// The force that the caller set.
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
    pub(crate) is_sleeping: bool,
    /// Whether it sleeps, or was slow at the end of the last step.
    pub(crate) is_slow: bool,
    pub(crate) is_damped: bool,
    pub(crate) is_driven: bool,
}

impl State {
    /// Reads a body after a step with substeps of `substep`.
    pub(crate) fn new(id: BodyId, body: &Body, gravity: Vec3, substep: f32) -> State {
        let is_dynamic = body.kind == BodyKind::Dynamic && 0.0 < body.inverse_mass;
        let mass = if is_dynamic { 1.0 / f64::from(body.inverse_mass) } else { 0.0 };
        let energy = body.energy(gravity, substep);
        State {
            id,
            body: *body,
            kind: body.kind,
            pose: body.pose,
            mass,
            center: body.pose.wide().transform_point(body.center_of_mass.as_dvec3()),
            velocity: body.linear_velocity.as_dvec3(),
            angular_velocity: body.angular_velocity.as_dvec3(),
            angular_momentum: body.angular_momentum(),
            energy: if is_dynamic { energy } else { Energy::default() },
            weight: gravity.as_dvec3() * (mass * f64::from(body.gravity_scale)),
            force: body.force.as_dvec3(),
            torque: body.torque.as_dvec3(),
            is_sleeping: body.is_sleeping,
            is_slow: body.is_sleeping || 0.0 < body.rest.slow_time(),
            is_damped: body.linear_damping != 0.0 || body.angular_damping != 0.0,
            is_driven: body.is_moving_kinematic(),
        }
    }

    /// Returns the same state with the energy for substeps of another length.
    pub(crate) fn with_substep(&self, gravity: Vec3, substep: f32) -> State {
        State::new(self.id, &self.body, gravity, substep)
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        0.0 < self.mass
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.center.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
            && self.pose.is_finite()
    }
}
